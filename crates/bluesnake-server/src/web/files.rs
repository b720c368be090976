//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-BNwPCe4G.js", include_bytes!("../../../../web/dist/assets/capture-BNwPCe4G.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-Bst9v2rK.css", include_bytes!("../../../../web/dist/assets/index-Bst9v2rK.css.br")),
    ("index-CY1xRmsB.js", include_bytes!("../../../../web/dist/assets/index-CY1xRmsB.js.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-CbZ8O22y.js", include_bytes!("../../../../web/dist/assets/weave-CbZ8O22y.js.br")),
];
