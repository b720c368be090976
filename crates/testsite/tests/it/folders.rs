//! Files of a folder.

use std::path::Path;

use testsite::{Page, Running, Site};

use crate::client::fetch;

async fn folder(name: &str) -> Running {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("folder-{name}"));
    std::fs::create_dir_all(root.join("part")).unwrap();
    std::fs::write(root.join("index.html"), "<title>Home</title>").unwrap();
    std::fs::write(root.join("part/index.html"), "<title>Part</title>").unwrap();
    std::fs::write(root.join("part/a file.css"), "body {}").unwrap();
    std::fs::write(root.with_file_name("outside.txt"), "outside").unwrap();
    Site::new().folder("/docs", root).page("/docs/made", Page::titled("Made")).start().await
}

#[tokio::test]
async fn files_are_sent_with_their_types() {
    let site = folder("types").await;
    let page = fetch(&site, "/docs/?query").await;
    assert_eq!(
        (page.html().as_str(), page.header("content-type").as_deref()),
        ("<title>Home</title>", Some("text/html"))
    );
    let style = fetch(&site, "/docs/part/a%20file.css").await;
    assert_eq!((style.html().as_str(), style.header("content-type").as_deref()), ("body {}", Some("text/css")));
    assert!(fetch(&site, "/docs/made").await.html().contains("Made"), "declared pages come first");
}

#[tokio::test]
async fn folders_redirect_to_their_slash() {
    let site = folder("slash").await;
    let moved = fetch(&site, "/docs/part").await;
    assert_eq!((moved.status(), moved.header("location").as_deref()), (301, Some("/docs/part/")));
    assert!(fetch(&site, "/docs/part/").await.html().contains("Part"));
}

#[tokio::test]
async fn nothing_outside_the_folder_is_sent() {
    let site = folder("outside").await;
    for path in [
        "/docs/../outside.txt",
        "/docs/part/%2e%2e/%2e%2e/outside.txt",
        "/docs/..%2foutside.txt",
        "/outside.txt",
        "/docs/none",
    ] {
        assert_eq!(fetch(&site, path).await.status(), 404, "{path}");
    }
}
