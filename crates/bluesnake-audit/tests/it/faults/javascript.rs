//! Faults that only a rendered page shows.

use serde_json::json;

use super::Case;

pub(super) const JAVASCRIPT: &[Case] = &[
    ("javascript-noindex-only-in-html", "/x", "", |world| {
        world.page("/x").rendered_from(json!({ "noindex": true }), json!({}));
    }),
    ("javascript-canonical-mismatch", "/x", "/old → /x", |world| {
        world.page("/x").rendered_from(json!({ "canonical": "https://site.test/old" }), json!({}));
    }),
    ("javascript-title-updated", "/x", "Old → A page of the test site about x", |world| {
        world.page("/x").rendered_from(json!({ "title": "Old" }), json!({}));
    }),
    (
        "javascript-description-updated",
        "/x",
        " → Everything that a visitor of this site may want to know about x, in few words.",
        |world| {
            world.page("/x").rendered_from(json!({ "description": null }), json!({}));
        },
    ),
    ("javascript-h1-updated", "/x", "Old → All about x", |world| {
        world.page("/x").rendered_from(json!({ "h1": "Old" }), json!({}));
    }),
    ("javascript-links", "/x", "3", |world| {
        world.page("/x").rendered_from(json!({}), json!({ "new_links": 3 }));
    }),
    ("javascript-content", "/x", "340", |world| {
        world.page("/x").rendered_from(json!({ "words": 10 }), json!({}));
    }),
    ("javascript-structured-data", "/x", "", |world| {
        world.page("/x").rendered_from(json!({ "structured_data": 0 }), json!({}));
    }),
    ("javascript-errors", "/x", "Error: no", |world| {
        world.page("/x").rendered_from(json!({}), json!({ "errors": ["Error: no"] }));
    }),
    ("javascript-blocked-resources", "/x", "/a.js: 404", |world| {
        let requests = json!([{ "url": "https://site.test/a.js", "kind": "script", "status": 404 }]);
        world.page("/x").rendered_from(json!({}), json!({ "requests": requests }));
    }),
    ("javascript-redirect-rendered", "/x", "/next", |world| {
        world.page("/x").rendered_from(json!({}), json!({ "redirect": "https://site.test/next" }));
    }),
];
