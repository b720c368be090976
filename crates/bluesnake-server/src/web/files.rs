//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-wnhEdEDa.js", include_bytes!("../../../../web/dist/assets/capture-wnhEdEDa.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-BQHqpE_3.js", include_bytes!("../../../../web/dist/assets/index-BQHqpE_3.js.br")),
    ("index-DohzOqVc.css", include_bytes!("../../../../web/dist/assets/index-DohzOqVc.css.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-Bk2bvc-u.js", include_bytes!("../../../../web/dist/assets/weave-Bk2bvc-u.js.br")),
];
