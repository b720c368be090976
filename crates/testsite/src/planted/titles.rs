//! Titles, descriptions and keywords.

use super::leaf::{Leaf, page};

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/titles/missing", &["title-missing"], &[("[title]", "")]),
    page("/titles/empty", &["title-missing"], &[("[title]", "<title>  </title>")]),
    page("/titles/twin", &["title-duplicate=Two pages of this site share their title"], &[("[title]", "<title>Two pages of this site share their title</title>")]),
    page("/titles/other-twin", &["title-duplicate=Two pages of this site share their title"], &[("[title]", "<title>Two pages of this site share their title</title>")]),
    // Long, but of narrow letters.
    page("/titles/long", &["title-too-long=69"], &[("[title]", "<title>Little lists tell it all: till it is full, fill it, still fill it all</title>")]),
    page("/titles/long-and-wide", &["title-too-long=69", "title-too-wide"], &[("[title]", "<title>This title goes on and on and would not end at the sixtieth character</title>")]),
    // Wide, but of few letters.
    page("/titles/wide", &["title-too-wide"], &[("[title]", "<title>MOST MAMMOTHS WOULD WANDER WESTWARD ON WARM MORNINGS</title>")]),
    page("/titles/short", &["title-too-short=24"], &[("[title]", "<title>Some good common grounds</title>")]),
    page("/titles/short-and-narrow", &["title-too-short=5", "title-too-narrow"], &[("[title]", "<title>Short</title>")]),
    page("/titles/narrow", &["title-too-narrow"], &[("[title]", "<title>ill, lilt, till, it I fill, lit</title>")]),
    page("/titles/as-heading", &["title-same-as-h1=All about titles as heading, at length"], &[("[title]", "<title>All about titles as heading, at length</title>"), ("[h1]", "<h1>All about titles as heading, at length</h1>")]),
    page("/titles/twice", &["title-multiple=2"], &[("[title]", "[title]<title>Another title in the same head</title>")]),
    page("/titles/in-body", &["title-multiple=2", "title-outside-head"], &[("[text]", "<title>A title in the body</title>[text]")]),
    page("/titles/only-in-body", &["title-outside-head"], &[("[title]", ""), ("[text]", "<title>A title that is only in the body</title>[text]")]),
    page("/descriptions/missing", &["description-missing"], &[("[description]", "")]),
    page("/descriptions/twin", &["description-duplicate"], &[("[description]", "<meta name=description content=\"Two pages of this site are described in the same words, so nobody can tell them apart.\">")]),
    page("/descriptions/other-twin", &["description-duplicate"], &[("[description]", "<meta name=description content=\"Two pages of this site are described in the same words, so nobody can tell them apart.\">")]),
    page("/descriptions/long", &["description-too-long=162"], &[("[description]", "<meta name=description content=\"It is all still little: till it is full, fill it a little, lift it, tilt it, let it sit, list it, tell it in title, in list, in little lines, till it all fits it.\">")]),
    page("/descriptions/long-and-wide", &["description-too-long=177", "description-too-wide"], &[("[description]", "<meta name=description content=\"A description that goes on and on, adds one thing to another, forgets what it was about, remembers some of it again, and still does not come to an end anywhere before the limit.\">")]),
    page("/descriptions/wide", &["description-too-wide"], &[("[description]", "<meta name=description content=\"MANY MAMMOTHS WOULD WANDER WESTWARD ON WARM MORNINGS, WHEN GOOD MEADOWS GROW AROUND OLD MOUNTAINS AND WOODS OF WONDER\">")]),
    page("/descriptions/short", &["description-too-short=68"], &[("[description]", "<meta name=description content=\"Some good common grounds among woods, where many women come to dance\">")]),
    page("/descriptions/short-and-narrow", &["description-too-short=5", "description-too-narrow"], &[("[description]", "<meta name=description content=Short>")]),
    page("/descriptions/narrow", &["description-too-narrow"], &[("[description]", "<meta name=description content=\"till it is lit, I fill it, lilt it, tilt it, lift it, list it: it is ill, I tell it, still I sit\">")]),
    page("/descriptions/twice", &["description-multiple=2"], &[("[description]", "[description]<meta name=description content=\"Another description\">")]),
    page("/descriptions/in-body", &["description-multiple=2", "description-outside-head"], &[("[text]", "<meta name=description content=\"Another description\">[text]")]),
    page("/descriptions/keywords-twice", &["keywords-multiple=2"], &[("[data]", "[data]<meta name=keywords content=a><meta name=keywords content=b>")]),
];
