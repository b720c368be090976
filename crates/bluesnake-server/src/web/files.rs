//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-DC3Y6xLI.js", include_bytes!("../../../../web/dist/assets/capture-DC3Y6xLI.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-DjovJ4nE.js", include_bytes!("../../../../web/dist/assets/index-DjovJ4nE.js.br")),
    ("index-DohzOqVc.css", include_bytes!("../../../../web/dist/assets/index-DohzOqVc.css.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-B8oT-tXG.js", include_bytes!("../../../../web/dist/assets/weave-B8oT-tXG.js.br")),
];
