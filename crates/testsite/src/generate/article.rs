//! A page as real sites build it: header, navigation, article, aside, footer, and much text.
//!
//! Links are in graph order. A page's size and its number of links come from the same random draw, so large pages have
//! many links.

use std::fmt::{Arguments, Write};

use crate::page::escape;
use crate::random::Dice;
use crate::web::{Target, Web};

const WORDS: &str = "the of and a to in is you that it he was for on are as with his they at be this have from or one had \
     by word but not what all were we when your can said there use an each which she do how their if will up other about \
     out many then them these so some her would make like him into time has look two more write go see number no way could \
     people my than first water been call who oil its now find long down day did get come made may part over new sound \
     take only little work know place year live me back give most very after thing our just name good sentence man think \
     say great where help through much before line right too mean old any same tell boy follow came want show also around \
     form three small set put end does another well large must big even such because turn here why ask went men read need \
     land different home us move try kind hand picture again change off play spell air away animal house point page letter";

/// The median page, in bytes.
const MEDIAN: f64 = 20_000.0;
const SMALLEST: f64 = 4_000.0;
const LARGEST: f64 = 80_000.0;

/// The image of this page alone; every fourth page has one.
pub(super) fn own_image(web: &Web, page: u64) -> Option<String> {
    (web.size_of(page) * 1000.0 % 4.0 < 1.0).then(|| format!("/photos/{}/photo-{page}.png", page % 100))
}

pub(super) fn render(web: &Web, page: u64, links: &[Target]) -> String {
    let target_size = size(web.size_of(page));
    let mut writer = Writer {
        html: String::with_capacity(target_size + 2048),
        web,
        dice: web.dice_for_text(page),
        words: WORDS.split_whitespace().collect(),
    };
    let (nav, rest) = links.split_at(links.len().min(6));
    let (inline, rest) = rest.split_at(rest.len() / 2);
    let (aside, footer) = rest.split_at(rest.len() / 2);

    writer.head(page);
    writer.list("header><nav", nav, "nav></header");
    writer.article(page, inline, target_size.saturating_sub(rest.len() * 90 + 200));
    writer.list("aside><h2>Related</h2", aside, "aside");
    writer.list("footer", footer, "footer");
    writer.html.push_str("</body>\n</html>\n");
    writer.html
}

/// A log-normal distribution approximated by the logistic function, which is close and simple.
fn size(quantile: f64) -> usize {
    let quantile = quantile.clamp(0.0001, 0.9999);
    let deviations = (quantile / (1.0 - quantile)).ln() / 1.702;
    (MEDIAN * (0.7 * deviations).exp()).clamp(SMALLEST, LARGEST) as usize
}

struct Writer<'a> {
    html: String,
    web: &'a Web,
    dice: Dice,
    words: Vec<&'static str>,
}

impl Writer<'_> {
    fn head(&mut self, page: u64) {
        let title = self.sentence(6);
        let description = self.sentence(18);
        let path = self.web.path(Target::Page(page));
        self.add(format_args!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} | Page {page}</title>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"description\" content=\"{description}\">\n<meta name=\"robots\" content=\"index, follow\">\n\
             <meta property=\"og:title\" content=\"{title}\">\n<meta property=\"og:type\" content=\"article\">\n\
             <meta property=\"og:description\" content=\"{description}\">\n<link rel=\"canonical\" href=\"{path}\">\n"
        ));
        for resource in self.web.resources_of(page) {
            let path = self.web.path(resource);
            match resource {
                Target::Resource(0) => self.add(format_args!("<link rel=\"stylesheet\" href=\"{path}\">\n")),
                Target::Resource(1) => self.add(format_args!("<script src=\"{path}\" defer></script>\n")),
                _ => {}
            }
        }
        self.add(format_args!(
            "<script type=\"application/ld+json\">{{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\
             \"headline\":\"{title}\",\"url\":\"{path}\"}}</script>\n\
             <script>var decoy = '<a href=\"/decoy/{page}\">not a link</a>';</script>\n</head>\n<body>\n"
        ));
    }

    fn article(&mut self, page: u64, links: &[Target], target_size: usize) {
        let heading = self.sentence(5);
        self.add(format_args!("<main>\n<article>\n<h1>{heading}</h1>\n"));
        self.images(page);
        let mut links = links.iter();
        let mut section = 0;
        loop {
            let link = links.next();
            if link.is_none() && self.html.len() >= target_size {
                break;
            }
            if section % 6 == 5 {
                self.interlude(section);
            }
            self.paragraph(link);
            section += 1;
        }
        self.html.push_str("</article>\n</main>\n");
    }

    fn images(&mut self, page: u64) {
        let own = own_image(self.web, page);
        let shared = self.web.resources_of(page).into_iter().skip(2).map(|image| self.web.path(image));
        for path in shared.chain(own).collect::<Vec<_>>() {
            let alt = self.sentence(4);
            self.add(format_args!(
                "<figure><img src=\"{path}\" alt=\"{alt}\" width=\"640\" height=\"360\" loading=\"lazy\"></figure>\n"
            ));
        }
    }

    /// A paragraph; short if the page is small and its links must fit.
    fn paragraph(&mut self, link: Option<&Target>) {
        let before = 4 + self.dice.below(22);
        let text = self.sentence(before);
        match link {
            None => self.add(format_args!("<p>{text}</p>\n")),
            Some(link) => {
                let (href, label, after) = (self.href(*link), self.sentence(2), self.sentence(8));
                self.add(format_args!("<p class=\"body-text\">{text} <a href=\"{href}\">{label}</a> {after}</p>\n"));
            }
        }
    }

    fn interlude(&mut self, section: u64) {
        let (one, two, three) = (self.sentence(3), self.sentence(3), self.sentence(3));
        match section % 3 {
            0 => self.add(format_args!("<h2 id=\"section-{section}\">{one}</h2>\n")),
            1 => self.add(format_args!("<ul class=\"points\"><li>{one}</li><li>{two}</li><li>{three}</li></ul>\n")),
            _ => self.add(format_args!(
                "<table class=\"figures\"><thead><tr><th>{one}</th><th>{two}</th></tr></thead>\
                 <tbody><tr><td>{section}</td><td>{three}</td></tr></tbody></table>\n"
            )),
        }
    }

    fn list(&mut self, open: &str, links: &[Target], close: &str) {
        self.add(format_args!("<{open}>\n<ul>\n"));
        for link in links {
            let (href, label) = (self.href(*link), self.sentence(2));
            self.add(format_args!("<li class=\"item\"><a href=\"{href}\" title=\"{label}\">{label}</a></li>\n"));
        }
        self.add(format_args!("</ul>\n</{close}>\n"));
    }

    /// Mostly a path; one in twelve has a fragment, and queries use `&amp;`.
    fn href(&mut self, link: Target) -> String {
        let path = escape(&self.web.path(link));
        if self.dice.below(12) == 0 { format!("{path}#section-{}", self.dice.below(9)) } else { path }
    }

    fn sentence(&mut self, words: u64) -> String {
        let count = self.words.len() as u64;
        let chosen: Vec<_> = (0..words).map(|_| self.words[self.dice.below(count) as usize]).collect();
        chosen.join(" ")
    }

    fn add(&mut self, html: Arguments<'_>) {
        self.html.write_fmt(html).expect("writing to a String cannot fail");
    }
}
