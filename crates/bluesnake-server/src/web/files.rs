//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-VK4n3E4M.js", include_bytes!("../../../../web/dist/assets/capture-VK4n3E4M.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-C0CXE4tj.js", include_bytes!("../../../../web/dist/assets/index-C0CXE4tj.js.br")),
    ("index-DohzOqVc.css", include_bytes!("../../../../web/dist/assets/index-DohzOqVc.css.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-BZAwxnVh.js", include_bytes!("../../../../web/dist/assets/weave-BZAwxnVh.js.br")),
];
