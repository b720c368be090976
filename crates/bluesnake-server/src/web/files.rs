//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-DATSIX5s.js", include_bytes!("../../../../web/dist/assets/capture-DATSIX5s.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-B07gY_sQ.css", include_bytes!("../../../../web/dist/assets/index-B07gY_sQ.css.br")),
    ("index-C1iyfuIB.js", include_bytes!("../../../../web/dist/assets/index-C1iyfuIB.js.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-BvXzdEc2.js", include_bytes!("../../../../web/dist/assets/weave-BvXzdEc2.js.br")),
];
