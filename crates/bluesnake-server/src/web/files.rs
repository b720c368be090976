//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-Bv3NScOI.js", include_bytes!("../../../../web/dist/assets/capture-Bv3NScOI.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-CtH0uqEa.js", include_bytes!("../../../../web/dist/assets/index-CtH0uqEa.js.br")),
    ("index-DohzOqVc.css", include_bytes!("../../../../web/dist/assets/index-DohzOqVc.css.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-Db6Kq6LK.js", include_bytes!("../../../../web/dist/assets/weave-Db6Kq6LK.js.br")),
];
