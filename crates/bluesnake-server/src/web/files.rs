//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-gjBV93V6.js", include_bytes!("../../../../web/dist/assets/capture-gjBV93V6.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-10HckrTW.js", include_bytes!("../../../../web/dist/assets/index-10HckrTW.js.br")),
    ("index-DohzOqVc.css", include_bytes!("../../../../web/dist/assets/index-DohzOqVc.css.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-DIyvyCgb.js", include_bytes!("../../../../web/dist/assets/weave-DIyvyCgb.js.br")),
];
