//! Values that no version of ours has stored.

use std::sync::Arc;

use bluesnake_engine::{Number, Store, Turn};
use bluesnake_store::{DatabaseError, Order, UrlFilter, UrlSort, UrlsOf, UrlsQuery, repair};
use testsite::{Page, Site};

use crate::world::{Folder, begin, completed, crawl, local};

/// The error and its cause, if the database is reported as damaged.
fn damage(error: &(dyn std::error::Error + 'static)) -> String {
    match error.downcast_ref::<DatabaseError>() {
        Some(error @ DatabaseError::Damaged { source, .. }) => format!("{error}: {source}"),
        other => panic!("not reported as damaged: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_reason_is_reported_as_damage_until_the_database_is_repaired() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/a").link("/b"))
        .page("/a", Page::titled("A"))
        .page("/b", Page::titled("B"))
        .start()
        .await;
    let folder = Folder::new();
    let database = folder.database();
    let (claim, started) = begin(&database, "site.test").await;
    let (run, session, store) = (started.run, started.session, Arc::new(started.store));
    crawl(&site.url("/"), local(), store.clone()).await;
    let rows = store.load(Number(0), 100).await.unwrap().len();
    let everything = |run| UrlsQuery {
        of: UrlsOf::Run(run),
        filter: UrlFilter::default(),
        sort: UrlSort::Number,
        order: Order::Ascending,
        after: None,
        limit: 100,
    };

    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    // An unknown word, and words that are known but not together.
    for (disposition, reason) in [("fetched", "nonsense"), ("nonsense", "page"), ("failed", "page"), ("fetched", "")] {
        let corrupt = "UPDATE urls SET disposition = ?1, reason = ?2 WHERE number = 2";
        connection.execute(corrupt, [disposition, reason]).unwrap();
        let expected = format!("is damaged: `{reason}` is not a reason for `{disposition}`");
        let error = store.load(Number(0), 100).await.unwrap_err();
        let error = damage(error.source.as_deref().unwrap());
        assert!(error.ends_with(&expected), "{error}");
        let error = damage(&database.contents().urls_page(everything(run)).await.unwrap_err());
        assert!(error.ends_with(&expected), "{error}");
        let error = damage(&database.contents().receipt(run).await.unwrap_err());
        assert!(error.ends_with(&expected), "{error}");
    }
    let pending = "UPDATE urls SET disposition = 'pending', reason = 'later', turn = 2 WHERE number = 2";
    connection.execute(pending, []).unwrap();
    let error = store.pending(Turn(0), 100).await.unwrap_err();
    assert!(damage(error.source.as_deref().unwrap()).contains("`later`"), "{error:?}");

    database.catalog().end_session(&claim, session, completed()).await.unwrap();
    drop((claim, store, database, connection));
    let target = folder.path().with_extension("repaired");
    let repaired = repair(&folder.path(), &target).unwrap();

    assert_eq!(repaired.damaged_runs, [run], "the run lost a row");
    let database = bluesnake_store::Database::open(&target).unwrap();
    let listed = database.contents().urls_page(everything(run)).await.unwrap().rows;
    assert_eq!(listed.len(), rows - 1, "all other rows are readable");
}
