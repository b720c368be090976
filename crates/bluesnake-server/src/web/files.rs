//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-DxjLRBvt.js", include_bytes!("../../../../web/dist/assets/capture-DxjLRBvt.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-Bb25B7EG.css", include_bytes!("../../../../web/dist/assets/index-Bb25B7EG.css.br")),
    ("index-Nbfg-0pc.js", include_bytes!("../../../../web/dist/assets/index-Nbfg-0pc.js.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-DatdXeUB.js", include_bytes!("../../../../web/dist/assets/weave-DatdXeUB.js.br")),
];
