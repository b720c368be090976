//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-Dk29lX0q.js", include_bytes!("../../../../web/dist/assets/capture-Dk29lX0q.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-DWoa1ECE.js", include_bytes!("../../../../web/dist/assets/index-DWoa1ECE.js.br")),
    ("index-DohzOqVc.css", include_bytes!("../../../../web/dist/assets/index-DohzOqVc.css.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-DbuNmqYp.js", include_bytes!("../../../../web/dist/assets/weave-DbuNmqYp.js.br")),
];
