//! A site with a planted problem for every check of an audit, and some that look like problems and are none.
//!
//! Every problem is declared where it is planted: [`crate::Running::problems_of`] lists what an audit of each of
//! [`HOSTS`] must report, and it must report nothing else. A page is a sound template with a few slots changed. Start
//! with [`site`].

mod canonicals;
mod content;
mod directives;
mod headings;
mod hreflang;
mod leaf;
mod links;
mod lists;
mod llms;
mod outside;
mod pagination;
mod plot;
mod responses;
mod security;
mod shop;
mod structure;
mod titles;
mod urls;
mod www;

use crate::reply::Reply;
use crate::site::Site;
use crate::tls::Tls;

/// The hosts to audit, each in a run of its own.
///
/// - `www.planted.test`: a page for nearly every check
/// - `shop.planted.test`: faults of a template, on every page
/// - `lists.planted.test`: sitemaps beyond the limits, and an llms.txt that is none
/// - `llms.planted.test`: a faulty llms.txt
///
/// All but the first are to be audited with `discover.llms_txt`.
pub const HOSTS: [&str; 4] = ["www.planted.test", "shop.planted.test", "lists.planted.test", "llms.planted.test"];

/// The site: the hosts to audit, and those they link to.
pub fn site() -> Site {
    let hosts = [("www.planted.test", www::site()), ("shop.planted.test", shop::site())];
    let hosts = hosts.into_iter().chain([("lists.planted.test", lists::site()), ("llms.planted.test", llms::site())]);
    let all = hosts.chain(outside::sites());
    all.fold(Site::new().tls(Tls::trusted()).http_too(), |site, (name, host)| site.host(name, host))
}

/// A picture of one pixel, with this many bytes behind it.
pub(crate) fn png(more: usize) -> Reply {
    const PIXEL: &[u8] =
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx\x9cc\0\x01\
        \0\0\x05\0\x01\r\n-\xb4\0\0\0\0IEND\xaeB`\x82";
    let mut bytes = PIXEL.to_vec();
    bytes.resize(PIXEL.len() + more, 0);
    Reply::bytes("image/png", bytes)
}
