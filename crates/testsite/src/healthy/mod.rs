//! A site of about 200 pages without problems: a small shop with a blog, in English and German.
//!
//! Good templates with menus, footers and breadcrumbs, a content delivery network, language versions, pagination,
//! structured data, sitemaps, llms.txt, and links to sites that refuse robots. An audit must report nothing but those
//! links. Start with [`site`].

mod blog;
mod document;
mod files;
mod goods;
mod pages;

use self::document::{Document, Tongue};
use crate::page::Page;
use crate::reply::Reply;
use crate::site::Site;
use crate::tls::Tls;

/// The host to audit.
pub const HOSTS: [&str; 1] = ["www.healthy.test"];

/// Links of the footer that every robot is refused.
const REFUSING: [(&str, u16); 3] = [("/alder-house", 403), ("/alder-house/pictures", 401), ("/groups/wood", 429)];

/// The site: the host to audit, and those it refers to.
pub fn site() -> Site {
    let partner = Site::new().page("/", Page::titled("A partner")).page("/wood", Page::titled("About wood"));
    Site::new()
        .tls(Tls::trusted())
        .host("www.healthy.test", www())
        .host("cdn.healthy.test", files::cdn())
        .host("social.test", social())
        .host("partner.test", partner)
}

/// How many pages the site has.
pub fn page_count() -> usize {
    documents().len()
}

fn documents() -> Vec<Document> {
    [Tongue::English, Tongue::German]
        .into_iter()
        .flat_map(|tongue| [pages::all(tongue), goods::all(tongue), blog::all(tongue)])
        .flatten()
        .collect()
}

fn www() -> Site {
    let documents = documents();
    let site = files::of_site(&documents);
    let site = documents.iter().fold(site, |site, document| site.reply(&document.path, document.reply()));
    REFUSING.iter().fold(site, |site, (path, status)| {
        site.problem("external-refused-check", &format!("//social.test{path}"), &status.to_string())
    })
}

fn social() -> Site {
    REFUSING.iter().fold(Site::new(), |site, (path, status)| site.reply(path, Reply::status(*status)))
}
