//! Every file of the web UI, compressed. Written by `tools/web`.

/// The name of each file and its content.
pub(super) const FILES: &[(&str, &[u8])] = &[
    ("capture-qY1tpRjb.js", include_bytes!("../../../../web/dist/assets/capture-qY1tpRjb.js.br")),
    ("icon-CksM6Okh.svg", include_bytes!("../../../../web/dist/assets/icon-CksM6Okh.svg.br")),
    ("index-DFl126CN.css", include_bytes!("../../../../web/dist/assets/index-DFl126CN.css.br")),
    ("index-Guwwm5ao.js", include_bytes!("../../../../web/dist/assets/index-Guwwm5ao.js.br")),
    ("licenses.txt", include_bytes!("../../../../web/dist/assets/licenses.txt.br")),
    ("weave-D58cXUGh.js", include_bytes!("../../../../web/dist/assets/weave-D58cXUGh.js.br")),
];
