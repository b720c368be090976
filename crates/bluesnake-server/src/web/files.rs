//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-CKo0C-Zr.js", include_bytes!("../../../../web/dist/assets/capture-CKo0C-Zr.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-AkdKVSId.css", include_bytes!("../../../../web/dist/assets/index-AkdKVSId.css.br")),
    ("index-BDoXMLwC.js", include_bytes!("../../../../web/dist/assets/index-BDoXMLwC.js.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-CBSRi7vF.js", include_bytes!("../../../../web/dist/assets/weave-CBSRi7vF.js.br")),
];
