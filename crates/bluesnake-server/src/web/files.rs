//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-c42zbVfl.js", include_bytes!("../../../../web/dist/assets/capture-c42zbVfl.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-DohzOqVc.css", include_bytes!("../../../../web/dist/assets/index-DohzOqVc.css.br")),
    ("index-a_4jSYVK.js", include_bytes!("../../../../web/dist/assets/index-a_4jSYVK.js.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-Bjg3zgYH.js", include_bytes!("../../../../web/dist/assets/weave-Bjg3zgYH.js.br")),
];
