//! Every reference of a page with its words and its place, read from the page's HTML.

use std::thread;

use scraper::{ElementRef, Html, Selector};
use spider::page::Page;
use spider::url::Url;

const READERS: usize = 2;

pub struct Reference {
    pub target: String,
    pub words: String,
    /// Kind, rel, position and DOM path.
    pub place: [String; 4],
}

/// The references of each page, read by two threads.
pub fn read_all(batch: &mut Vec<Page>) -> Vec<(Page, Vec<Reference>)> {
    let pages: Vec<Page> = std::mem::take(batch);
    let share = pages.len().div_ceil(READERS).max(1);
    let read: Vec<Vec<Reference>> = thread::scope(|scope| {
        let readers: Vec<_> = pages.chunks(share).map(|part| scope.spawn(|| part.iter().map(read).collect::<Vec<_>>())).collect();
        readers.into_iter().flat_map(|reader| reader.join().expect("a reader does not panic")).collect()
    });
    pages.into_iter().zip(read).collect()
}

fn read(page: &Page) -> Vec<Reference> {
    let Ok(base) = Url::parse(page.get_url()) else { return Vec::new() };
    let Ok(selector) = Selector::parse("a[href], link[href], img[src], script[src], iframe[src]") else { return Vec::new() };
    let document = Html::parse_document(&page.get_html());
    document.select(&selector).filter_map(|element| reference(&base, element)).collect()
}

fn reference(base: &Url, element: ElementRef<'_>) -> Option<Reference> {
    let kind = element.value().name().to_owned();
    let href = element.value().attr("href").or_else(|| element.value().attr("src"))?;
    let mut target = base.join(href).ok()?;
    target.set_fragment(None);
    let words = element.text().collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let rel = element.value().attr("rel").unwrap_or_default().to_owned();
    let mut path: Vec<&str> = element.ancestors().filter_map(ElementRef::wrap).map(|parent| parent.value().name()).collect();
    path.reverse();
    let position = path.iter().rev().find(|name| matches!(**name, "nav" | "header" | "footer" | "aside" | "main"));
    let position = position.map_or("content", |name| *name).to_owned();
    let dom_path = format!("{}>{kind}", path.join(">"));
    Some(Reference { target: target.into(), words, place: [kind, rel, position, dom_path] })
}
