//! An endless site in which a crawl knows far more URLs than it has visited.
//!
//! Page n links to pages `fan_out × n + 1` to `fan_out × (n + 1)`, which no other page links to. After v visits a
//! crawl knows `fan_out × v + 1` URLs, in any order.

use std::fmt::Write as _;

use anyhow::Context;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Links per page
    #[arg(long, default_value_t = 50)]
    fan_out: u64,
}

/// Prints the URL to stdout and serves until the process is killed.
pub(crate) async fn serve(arguments: &Arguments) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await.context("cannot listen on loopback")?;
    println!("http://{}{}", listener.local_addr()?, path_of(0));
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        connections.spawn(response(stream, arguments.fan_out));
    }
}

/// Responds to the requests of one connection. A client that disconnects is not an error.
async fn response(stream: TcpStream, fan_out: u64) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let html = line.split(' ').nth(1).and_then(page_at).map(|page| page_html(page, fan_out));
        while line != "\r\n" {
            line.clear();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
        }
        let (status, html) = html.map_or(("404 Not Found", String::new()), |html| ("200 OK", html));
        let length = html.len();
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all((head + &html).as_bytes()).await?;
    }
}

/// A typical length of URLs.
fn path_of(page: u64) -> String {
    format!("/section-{}/an-article-about-something-{page}", page / 1000)
}

fn page_at(path: &str) -> Option<u64> {
    let page = path.rsplit_once('-')?.1.parse().ok()?;
    (path == path_of(page)).then_some(page)
}

fn page_html(page: u64, fan_out: u64) -> String {
    let mut html =
        format!("<!doctype html><html lang=en><head><title>Page {page}</title></head><body><h1>Page {page}</h1>");
    for linked in fan_out * page + 1..=fan_out * (page + 1) {
        let _ = write!(html, "<p>See <a href=\"{}\">article {linked}</a>.</p>", path_of(linked));
    }
    html + "</body></html>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_by_their_own_path_only() {
        assert_eq!(page_at(&path_of(1234)), Some(1234));
        assert_eq!(page_at("/section-0/an-article-about-something-1234"), None);
        assert_eq!(page_at("/robots.txt"), None);
    }

    #[test]
    fn every_page_is_linked_once() {
        let links = |page| page_html(page, 3).matches("href").count();
        assert_eq!(links(0) + links(1), 6);
        assert!(page_html(0, 3).contains(&path_of(3)) && page_html(1, 3).contains(&path_of(4)));
    }
}
