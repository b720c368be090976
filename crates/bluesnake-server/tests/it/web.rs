//! The web UI: its page, its files, and sessions of browsers.

use bluesnake_server::{ServerOptions, Token};

use crate::client::Ask;
use crate::world::{World, local};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn with_token() -> ServerOptions {
    ServerOptions { token: Some(Token::new(TOKEN).unwrap()), ..local() }
}

/// The path of the script that a page names.
fn script_of(page: &str) -> String {
    let end = page.find(".js\"").expect("the page names a script");
    let start = page[..end].rfind("assets/").expect("scripts are among the assets");
    format!("{}.js", &page[start..end])
}

#[tokio::test(flavor = "multi_thread")]
async fn every_view_serves_the_page_with_relative_asset_paths() {
    let world = World::start("web-page", local()).await;
    for (path, start) in [("/", "\"./assets/"), ("/r", "\"./assets/"), ("/r/12", "\"./../assets/")] {
        let page = world.get(path).await;
        assert_eq!(page.is(200).header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert!(page.text().contains(start), "{path}: {}", page.text());
    }
    assert!(world.get("/r/12/vs/9").await.text().contains("\"./../../../assets/"));
    let redirected = world.get("/r/12/").await;
    assert_eq!((redirected.status, redirected.header("location")), (308, Some("../12")));
    world.send(Ask::new("POST", "/")).await.is_problem(404, "no_such_path");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_revalidated_and_assets_are_cached() {
    let world = World::start("web-cache", local()).await;
    let page = world.get("/").await;
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    let tag = page.header("etag").unwrap().to_owned();
    let again = world.send(Ask::new("GET", "/").header("If-None-Match", &tag)).await;
    assert_eq!((again.status, again.body.len()), (304, 0));

    let path = format!("/{}", script_of(&page.text()));
    let plain = world.get(&path).await;
    assert!(plain.is(200).header("cache-control").unwrap().contains("immutable"));
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("accept-encoding")));
    let compressed = world.send(Ask::new("GET", &path).header("Accept-Encoding", "gzip, br")).await;
    assert_eq!(compressed.is(200).header("content-encoding"), Some("br"));
    assert!(compressed.body.len() * 2 < plain.body.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_exchanged_for_a_cookie_that_scripts_cannot_read() {
    let world = World::start("web-session", with_token()).await;
    world.get("/").await.is(200);
    world.get(&format!("/{}", script_of(&world.get("/").await.text()))).await.is(200);
    world.get("/api/v1/projects").await.is_problem(401, "no_token");
    world.send(Ask::new("POST", "/api/v1/session")).await.is_problem(401, "no_token");
    let wrong = Ask::new("POST", "/api/v1/session").header("Authorization", "Bearer 0000000000000000");
    world.send(wrong).await.is_problem(401, "wrong_token");

    let right = Ask::new("POST", "/api/v1/session").header("Authorization", &format!("Bearer {TOKEN}"));
    let begun = world.send(right).await;
    let cookie = begun.is(204).header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict") && !cookie.contains(TOKEN), "{cookie}");
    assert!(!cookie.contains("Path"), "the cookie is for the API only: {cookie}");
    let cookie = cookie.split(';').next().unwrap();
    world.send(Ask::new("GET", "/api/v1/projects").header("Cookie", &format!("a=b; {cookie}"))).await.is(200);
    let (name, _) = cookie.split_once('=').unwrap();
    // A browser keeps the cookie of an earlier token; that must not lock it out.
    for _ in 0..20 {
        let stale = Ask::new("GET", "/api/v1/projects").header("Cookie", &format!("{name}=0000"));
        world.send(stale).await.is_problem(401, "no_token");
    }
    let ended = world.send(Ask::new("DELETE", "/api/v1/session").header("Cookie", cookie)).await;
    assert!(ended.is(204).header("set-cookie").unwrap().contains("Max-Age=0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slash_at_the_end_keeps_the_query() {
    let world = World::start("web-slash", local()).await;
    let moved = world.get("/r/12/?sort=url&status=4xx").await;
    assert_eq!(moved.is(308).header("location"), Some("../12?sort=url&status=4xx"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_token_needs_no_session() {
    let world = World::start("web-open", local()).await;
    let begun = world.send(Ask::new("POST", "/api/v1/session")).await;
    assert_eq!(begun.is(204).header("set-cookie"), None);
}
