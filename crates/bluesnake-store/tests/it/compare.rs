//! What a comparison reads of a run.

use std::sync::Arc;

use bluesnake_engine::{CanonicalUrl, Disposition, Store};
use testsite::{Page, Reply, Site};

use crate::world::{Folder, begin, crawl, local};

#[tokio::test]
async fn urls_are_read_in_order_and_by_number_with_everything_that_can_differ() {
    let told = Page::titled("Told").meta("robots", "noarchive, nosnippet").meta("googlebot", "noindex");
    let site = Site::new()
        .page("/", Page::titled("Home").links(["/told", "/moved", "/gone"]).nofollow_link("/mentioned"))
        .reply("/told", Reply::html(told.to_html()).header("X-Robots-Tag", "noimageindex"))
        .redirect("/moved", 301, "/told")
        .start()
        .await;
    let folder = Folder::new();
    let database = folder.database();
    let (_claim, started) = begin(&database, "a.test").await;
    let run = started.run;
    crawl(&site.url("/"), local(), Arc::new(started.store) as Arc<dyn Store>).await;

    let read = database.contents().for_comparison(|runs| {
        let robots = runs.robots_headers(run)?;
        let mut urls = Vec::new();
        runs.scan(run, &robots, |url| {
            urls.push((url.url.replace(&site.origin(), ""), format!("{url:?}"), url.robots(), url.redirect.is_some()));
            Ok(())
        })?;
        let mut reader = runs.reader(run, &robots)?;
        for (number, (_, whole, ..)) in (1..).zip(&urls) {
            let same = reader.read(number, |url| (format!("{url:?}"), url.reason.disposition()))?;
            assert_eq!(same.as_ref().map(|(url, _)| url), Some(whole), "the same either way");
            let visited = matches!(same, Some((_, Disposition::Fetched | Disposition::Redirected)));
            assert_eq!(visited, !urls[number as usize - 1].0.contains("mentioned"));
        }
        assert!(reader.read(99, |_| ())?.is_none());
        let identities = runs.identities(run)?;
        assert!(identities.is_sorted() && identities.len() == urls.len());
        let home = CanonicalUrl::parse(&site.url("/")).unwrap();
        assert_eq!(runs.key_of(run, 1)?, home.key());
        assert!(runs.inlinks(run)?.is_none(), "without an audit nobody counted links");
        assert!(runs.found(run, "title-missing")?.is_empty());
        Ok(urls)
    });
    let urls = read.unwrap();
    assert_eq!(database.contents().urls_with_text(run, "TOLD".to_owned()).await.unwrap().len(), 1);
    let told = urls.iter().find(|(path, ..)| path == "/told").unwrap();
    assert_eq!(told.2, "noarchive, nosnippet; googlebot: noindex; X-Robots-Tag: noimageindex");
    assert!(urls.iter().any(|(path, _, _, redirects)| path == "/moved" && *redirects));
    assert!(urls.iter().filter(|(path, ..)| path != "/told").all(|(_, _, robots, _)| robots.is_empty()));
}
