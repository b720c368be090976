//! A page of a random web as HTML: ugly, legal, and hard on every link extractor.
//!
//! All links of the graph are present and in order, in many spellings. Everything else that looks like a link (in
//! scripts, comments, text areas) points to `/decoy/…` and must not be followed.

use std::fmt::Write;

use bytes::Bytes;

use super::Web;
use super::graph::Target;
use crate::address::Addresses;
use crate::random::Dice;
use crate::reply::Prepared;

const WORDS: [&str; 16] = [
    "river", "stone", "quiet", "window", "market", "seven", "paper", "garden", "signal", "winter", "harbour", "copper",
    "letter", "morning", "bridge", "orange",
];

/// A PNG of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x04\0\0\0\xb5\x1c\x0c\x02\0\0\0\x0bIDATx\xdac\xfc\xff\x1f\0\x03\x03\x02\0\xef\xbf\xa7\xdb\0\0\0\0IEND\xaeB`\x82";

pub(super) fn resource(number: u64) -> Prepared {
    let content_type = match number {
        0 => "text/css",
        1 => "text/javascript",
        _ => "image/png",
    };
    Prepared::resource(content_type, Bytes::from_static(resource_bytes(Target::Resource(number))))
}

/// The contents of a resource; empty for other targets.
pub(crate) fn resource_bytes(resource: Target) -> &'static [u8] {
    match resource {
        Target::Resource(0) => b"body { font: 16px/1.5 sans-serif }\n",
        Target::Resource(1) => b"console.log('/decoy/in-a-script-file');\n",
        Target::Resource(_) => PIXEL,
        _ => b"",
    }
}

impl Web {
    pub(super) fn render(&self, page: u64, addresses: &Addresses) -> String {
        let mut dice = self.dice_for_text(page);
        let base = Base::of(self, page, &mut dice);
        let mut html = String::with_capacity(2048 + self.page_bytes);
        self.render_head(&mut html, page, &base, addresses);
        for (position, link) in self.links_of(page).into_iter().enumerate() {
            if position % 4 == 0 {
                decorate(&mut html, &mut dice);
            }
            let href = self.spell(link, page, &base, addresses, &mut dice);
            anchor(&mut html, &href, link, &mut dice);
        }
        while html.len() + 64 < self.page_bytes {
            paragraph(&mut html, &mut dice);
        }
        html.push_str("</main>\n</body></html>\n");
        html
    }

    fn render_head(&self, html: &mut String, page: u64, base: &Base, addresses: &Addresses) {
        html.push_str("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>");
        if let Some(href) = &base.href {
            write(html, format_args!("<base href=\"{href}\">"));
        }
        write(html, format_args!("<title>Page {page} &amp; friends</title>\n"));
        let resources = self.resources_of(page);
        for resource in &resources {
            let address = self.resource_address(*resource, addresses);
            match resource {
                Target::Resource(0) => write(html, format_args!("<link rel=stylesheet href={address}>\n")),
                Target::Resource(1) => write(html, format_args!("<script src='{address}' defer></script>\n")),
                _ => {}
            }
        }
        write(html, format_args!("</head>\n<body>\n<h1>Page {page}</h1>\n<main>\n"));
        for resource in resources.iter().skip(2) {
            write(html, format_args!("<img src=\"{}\" alt=\"\">\n", self.resource_address(*resource, addresses)));
        }
    }

    /// Resources are on the first host.
    fn resource_address(&self, resource: Target, addresses: &Addresses) -> String {
        if self.hosts == 1 { self.path(resource) } else { addresses.absolute(&self.address(resource)) }
    }

    /// One of many equivalent ways to write a URL.
    fn spell(&self, link: Target, page: u64, base: &Base, addresses: &Addresses, dice: &mut Dice) -> String {
        let absolute = || addresses.absolute(&self.address(link));
        let is_elsewhere =
            matches!(link, Target::External(_)) || self.host_of(link) != self.host_of(Target::Page(page));
        if is_elsewhere {
            return absolute();
        }
        let path = self.path(link);
        match dice.below(8) {
            0 => absolute(),
            1 => absolute()[addresses.scheme.len() + 1..].to_owned(),
            2 | 3 => base.relative(&path),
            4 => format!("{path}#part-{}", dice.below(9)),
            5 => format!("/doc/../section-1/./..{path}"),
            _ => path,
        }
    }
}

/// The base of a page's relative URLs.
struct Base {
    href: Option<String>,
    depth: usize,
}

impl Base {
    fn of(web: &Web, page: u64, dice: &mut Dice) -> Self {
        if dice.below(10) == 0 {
            let href = "/section-1/deep/er/";
            return Self { href: Some(href.into()), depth: href.matches('/').count() - 1 };
        }
        Self { href: None, depth: web.path(Target::Page(page)).matches('/').count() - 1 }
    }

    fn relative(&self, path: &str) -> String {
        let up = "../".repeat(self.depth);
        if up.is_empty() && path == "/" { "./".into() } else { format!("{up}{}", &path[1..]) }
    }
}

fn anchor(html: &mut String, href: &str, link: Target, dice: &mut Dice) {
    let word = WORDS[dice.below(16) as usize];
    let escaped = href.replace('&', "&amp;");
    let is_plain = !href.contains(['?', '&', '=']);
    match dice.below(7) {
        0 if is_plain => write(html, format_args!("<a href={escaped} class=x>{word}</a>\n")),
        1 => write(html, format_args!("<A HREF='{escaped}'>{word}</A>\n")),
        2 => write(html, format_args!("<a\n  title=\"a > b\"\n  href = \"{escaped}\"\n>{word} <b>now</b></a>\n")),
        3 => write(html, format_args!("<a href=\" \n{escaped} \">{word}</a>\n")),
        4 => write(
            html,
            format_args!("<a href=\"{}\">{word}</a>\n", escaped.replace('/', "&#47;").replace(':', "&#x3a;")),
        ),
        5 => write(html, format_args!("<ul><li><a href=\"{escaped}\">{word}</a><li>{link:?}</ul>\n")),
        _ => write(html, format_args!("<p><a href=\"{escaped}\" rel=\"bookmark\">{word}</a>\n")),
    }
}

fn decorate(html: &mut String, dice: &mut Dice) {
    match dice.below(6) {
        0 => html.push_str("<!-- <a href=\"/decoy/in-a-comment\">no</a> -->\n"),
        1 => html.push_str("<script>var link = \"<a href='/decoy/in-a-script'>no</a>\";</script>\n"),
        2 => html.push_str("<textarea><a href=\"/decoy/in-a-textarea\">no</a></textarea>\n"),
        3 => html.push_str("<table><tr><td>1<td><table><tr><td>2</table></table>\n"),
        4 => html.push_str("<style>a[href=\"/decoy/in-a-style\"] > b { color: red }</style>\n"),
        _ => paragraph(html, dice),
    }
}

fn paragraph(html: &mut String, dice: &mut Dice) {
    html.push_str("<p>");
    for _ in 0..12 {
        html.push_str(WORDS[dice.below(16) as usize]);
        html.push(' ');
    }
    html.push_str("&copy; 1 &lt; 2\n");
}

fn write(html: &mut String, text: std::fmt::Arguments<'_>) {
    html.write_fmt(text).expect("writing to a String cannot fail");
}
