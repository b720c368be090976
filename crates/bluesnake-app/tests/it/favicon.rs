//! The icon of a site.

use bluesnake_app::{Caller, Reach};
use testsite::{Page, Reply, Site};

use crate::running::{open, request};

#[tokio::test(flavor = "multi_thread")]
async fn a_favicon_is_fetched_once_and_kept() {
    let icon = b"\x89PNG\r\n\x1a\n".to_vec();
    let site = Site::new()
        .page("/", Page::titled("Home").head("<link rel=icon href=/icon.png>"))
        .reply("/icon.png", Reply::bytes("image/png", icon.clone()))
        .start()
        .await;
    let app = open("favicon").await;
    let mut start = request(&site);
    start.settings.resources.check = Some(false);
    let crawl = app.start(start, Caller::operator()).await.unwrap();
    crawl.wait().await;
    for _ in 0..3 {
        let favicon = app.favicon(crawl.project().id, Reach::AsSet).await.unwrap();
        assert_eq!((favicon.bytes.as_slice(), favicon.media_type.as_str()), (icon.as_slice(), "image/png"));
    }
    assert_eq!(site.seen().count("/icon.png"), 1, "by the log of the server");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_favicon_is_remembered() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let app = open("no_favicon").await;
    let crawl = app.start(request(&site), Caller::operator()).await.unwrap();
    crawl.wait().await;
    let asked = site.seen().count("/favicon.ico");
    for _ in 0..3 {
        assert!(app.favicon(crawl.project().id, Reach::AsSet).await.unwrap().bytes.is_empty());
    }
    assert_eq!(site.seen().count("/favicon.ico"), asked + 1);
}
