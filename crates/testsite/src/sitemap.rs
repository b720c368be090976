//! Valid sitemaps in every format; hostile ones are [`crate::Monster`]s.
//!
//! URLs are relative to the declaring site (`/a`) or absolute.

use crate::page::escape;
use crate::reply::Reply;

const XML: &str = "application/xml";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// A `urlset`.
pub fn xml<T: AsRef<str>>(addresses: impl IntoIterator<Item = T>) -> Reply {
    let entries = each(addresses, |url| format!("<url><loc>{url}</loc></url>\n"));
    Reply::text(XML, document(&format!("<urlset xmlns=\"{NAMESPACE}\">\n{entries}</urlset>\n")))
}

/// A `sitemapindex`.
pub fn index<T: AsRef<str>>(addresses: impl IntoIterator<Item = T>) -> Reply {
    let entries = each(addresses, |url| format!("<sitemap><loc>{url}</loc></sitemap>\n"));
    Reply::text(XML, document(&format!("<sitemapindex xmlns=\"{NAMESPACE}\">\n{entries}</sitemapindex>\n")))
}

/// A `urlset` as a gzip file, without a `Content-Encoding`.
pub fn gzip_file<T: AsRef<str>>(addresses: impl IntoIterator<Item = T>) -> Reply {
    xml(addresses).as_gzip_file()
}

/// One URL per line.
pub fn text<T: AsRef<str>>(addresses: impl IntoIterator<Item = T>) -> Reply {
    Reply::text("text/plain", each(addresses, |url| format!("{url}\n")))
}

/// An RSS 2.0 feed.
pub fn rss<T: AsRef<str>>(addresses: impl IntoIterator<Item = T>) -> Reply {
    let items = each(addresses, |url| format!("<item><title>News</title><link>{url}</link></item>\n"));
    let channel = format!("<rss version=\"2.0\"><channel><title>News</title>\n{items}</channel></rss>\n");
    Reply::text("application/rss+xml", document(&channel))
}

/// An Atom feed.
pub fn atom<T: AsRef<str>>(addresses: impl IntoIterator<Item = T>) -> Reply {
    let entries = each(addresses, |url| format!("<entry><title>News</title><link href=\"{url}\"/></entry>\n"));
    let feed = format!("<feed xmlns=\"http://www.w3.org/2005/Atom\">\n{entries}</feed>\n");
    Reply::text("application/atom+xml", document(&feed))
}

fn each<T: AsRef<str>>(addresses: impl IntoIterator<Item = T>, entry: impl Fn(&str) -> String) -> String {
    addresses.into_iter().map(|address| entry(&absolute(address.as_ref()))).collect()
}

fn absolute(address: &str) -> String {
    let address = escape(address);
    if address.starts_with('/') { format!("{{self}}{address}") } else { address }
}

pub(crate) fn document(content: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{content}")
}
