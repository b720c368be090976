//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-BQP9BvN4.js", include_bytes!("../../../../web/dist/assets/capture-BQP9BvN4.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-BbCMaEIL.css", include_bytes!("../../../../web/dist/assets/index-BbCMaEIL.css.br")),
    ("index-D0IskmwE.js", include_bytes!("../../../../web/dist/assets/index-D0IskmwE.js.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-D57WqWLs.js", include_bytes!("../../../../web/dist/assets/weave-D57WqWLs.js.br")),
];
