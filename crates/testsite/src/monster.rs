//! Documents that are legal, or nearly so, and overwhelm a careless parser.
//!
//! All are generated while they are sent; none is ever complete in memory.

use bytes::Bytes;

use crate::reply::{Pieces, Reply};
use crate::sitemap::document;

/// A document of monstrous size or shape. Declare it with `site.reply(path, monster.reply())`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Monster {
    /// A page with this many links to `/monster/0`, `/monster/1`, …
    ManyLinks(u64),
    /// A page of this many nested `<div>`.
    DeepNesting(u64),
    /// An element with this many attributes.
    ManyAttributes(u64),
    /// An attribute of this many bytes.
    HugeAttribute(u64),
    /// One line of HTML of this many bytes.
    OneLine(u64),
    /// A page full of NUL bytes.
    NulBytes,
    /// A sitemap whose entities expand to gigabytes.
    BillionLaughs,
    /// A sitemap with an external entity, `file:///etc/passwd`.
    ExternalEntity,
    /// A sitemap element with this many attributes.
    SitemapAttributes(u64),
    /// A sitemap with this many URLs, `/loc/0`, `/loc/1`, …
    SitemapLocations(u64),
}

const HTML: &str = "text/html; charset=utf-8";
const XML: &str = "application/xml";
const OPENING: &str = "<!doctype html><html><head><title>Monster</title></head><body>";
const CLOSING: &str = "</body></html>";

/// Small parts per chunk.
const PARTS_PER_PIECE: u64 = 1000;

impl Monster {
    /// The monster as a reply.
    pub fn reply(self) -> Reply {
        match self {
            Self::BillionLaughs => Reply::text(XML, billion_laughs()),
            Self::ExternalEntity => Reply::text(XML, external_entity()),
            Self::SitemapAttributes(_) | Self::SitemapLocations(_) => {
                Reply::streamed_by(XML, move |own| self.pieces(own))
            }
            _ => Reply::streamed_by(HTML, move |own| self.pieces(own)),
        }
    }

    fn pieces(self, own: &str) -> Pieces {
        let own = own.to_owned();
        match self {
            Self::ManyLinks(count) => page(
                OPENING,
                numbered(count, |number| format!("<a href=\"/monster/{number}\">{number}</a>\n")),
                CLOSING,
            ),
            Self::DeepNesting(count) => page(OPENING, numbered(count, |_| "<div>".into()), "deep"),
            Self::ManyAttributes(count) => page(
                &format!("{OPENING}<p "),
                numbered(count, |number| format!("a{number}=\"{number}\" ")),
                &format!(">wide</p><a href=\"/\">home</a>{CLOSING}"),
            ),
            Self::HugeAttribute(bytes) => page(
                &format!("{OPENING}<p title=\""),
                fill(bytes),
                &format!("\">huge</p><a href=\"/\">home</a>{CLOSING}"),
            ),
            Self::OneLine(bytes) => page(&format!("{OPENING}<p>"), fill(bytes), &format!("</p>{CLOSING}")),
            Self::NulBytes => page(OPENING, numbered(1000, |_| "\0<p>\0</p>".into()), CLOSING),
            Self::SitemapAttributes(count) => page(
                &document("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url "),
                numbered(count, |number| format!("a{number}=\"{number}\" ")),
                &format!("><loc>{own}/loc/0</loc></url></urlset>"),
            ),
            Self::SitemapLocations(count) => page(
                &document("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"),
                numbered(count, move |number| format!("<url><loc>{own}/loc/{number}</loc></url>\n")),
                "</urlset>\n",
            ),
            Self::BillionLaughs | Self::ExternalEntity => Box::new(std::iter::empty()),
        }
    }
}

fn page(opening: &str, middle: Pieces, closing: &str) -> Pieces {
    let (opening, closing) = (Bytes::from(opening.to_owned()), Bytes::from(closing.to_owned()));
    Box::new(std::iter::once(opening).chain(middle).chain([closing]))
}

fn numbered(count: u64, part: impl Fn(u64) -> String + Send + 'static) -> Pieces {
    let starts = (0..count).step_by(PARTS_PER_PIECE as usize);
    Box::new(starts.map(move |start| {
        let end = (start + PARTS_PER_PIECE).min(count);
        Bytes::from((start..end).map(&part).collect::<String>())
    }))
}

fn fill(bytes: u64) -> Pieces {
    let piece = Bytes::from("x".repeat(64 << 10));
    let size = piece.len() as u64;
    Box::new((0..bytes).step_by(piece.len()).map(move |start| piece.slice(..size.min(bytes - start) as usize)))
}

fn billion_laughs() -> String {
    let mut entities = "<!ENTITY lol0 \"lol\">\n".to_owned();
    for level in 1..10 {
        let ten = format!("&lol{};", level - 1).repeat(10);
        entities.push_str(&format!("<!ENTITY lol{level} \"{ten}\">\n"));
    }
    document(&format!("<!DOCTYPE urlset [\n{entities}]>\n<urlset><url><loc>{{self}}/&lol9;</loc></url></urlset>\n"))
}

fn external_entity() -> String {
    document(
        "<!DOCTYPE urlset [<!ENTITY secret SYSTEM \"file:///etc/passwd\">]>\n\
         <urlset><url><loc>{self}/&secret;</loc></url></urlset>\n",
    )
}
