//! What links lack: texts, targets, alternative texts.

use super::*;
use crate::link::LinkKind;

#[test]
fn a_label_stands_in_for_a_missing_text() {
    let check = |html, expected: &str| assert_eq!(&*one(html).text, expected, "{html}");
    check("<a href=/b aria-label=' The  basket '><svg></svg></a>", "The basket");
    check("<a href=/b title=Basket> </a>", "Basket");
    check("<a href=/b aria-label='' title=Basket></a>", "Basket");
    check("<a href=/b aria-label=Basket>Your basket</a>", "Your basket");
    check("<a href=/b></a>", "");
}

#[test]
fn hyperlinks_that_lead_nowhere_are_kept_as_written() {
    let html = "<a href='javascript:go()'>a</a><a href='javascript:go()'>b</a><area href='http://['>
        <a href='mailto:a@b.example'>c</a><a href=/d>d</a><img src='http://[y'><iframe src='javascript:0'></iframe>
        <form action='http://[z'></form>";
    assert_eq!(page(html).uncrawlable, ["javascript:go()", "http://["]);
}

#[test]
fn images_are_marked_with_what_they_lack() {
    let rel = |html: &str| reading(html).links.iter().map(|link| link.rel).collect::<Vec<_>>();
    assert_eq!(rel("<img src=/a alt=A width=1 height=1>"), [Rel::default()]);
    assert_eq!(rel("<img src=/a>"), [Rel::NO_ALT.and(Rel::NO_SIZE)]);
    assert_eq!(rel("<img src=/a alt='' width=1 height=1>"), [Rel::EMPTY_ALT]);
    assert_eq!(rel("<img src=/a alt=A srcset='/b 2x, /c 3x'>"), [Rel::NO_SIZE, Rel::default(), Rel::default()]);
    let texts: Vec<_> = reading("<img src=/a alt=A srcset='/b 2x'>").links.into_iter().map(|link| link.text).collect();
    assert_eq!(texts.iter().map(|text| &**text).collect::<Vec<_>>(), ["A", ""]);
}

#[test]
fn an_image_for_browsers_without_scripts_counts_once() {
    let page = page("<img src='data:,' data-src=/a alt=A><noscript><img src=/a></noscript>");
    assert_eq!((page.images.count, page.images.without_alt, page.images.without_size), (1, 0, 1));
}

#[test]
fn images_in_json_ld_are_of_a_kind_of_their_own() {
    let html = r#"<script type=application/ld+json>{"@type": "A", "logo": "http://b.example/logo.png"}</script>"#;
    assert_eq!(one(html).kind, LinkKind::JsonLdImage);
}
