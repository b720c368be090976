//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-Dgq-lRoO.js", include_bytes!("../../../../web/dist/assets/capture-Dgq-lRoO.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-A7Pgc9kx.css", include_bytes!("../../../../web/dist/assets/index-A7Pgc9kx.css.br")),
    ("index-C_UtP2ad.js", include_bytes!("../../../../web/dist/assets/index-C_UtP2ad.js.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-qg__oM5P.js", include_bytes!("../../../../web/dist/assets/weave-qg__oM5P.js.br")),
];
