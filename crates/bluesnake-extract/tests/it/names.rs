//! Names of classes and ids are evidence, not verdicts: what is content stays, whatever it is called.

use bluesnake_extract::{Extracted, Options, Page, extract};
use url::Url;

fn read(html: &str) -> Extracted {
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    extract(&Page { html, url: &url }, &Options::default())
}

const PROSE: &str = "A request returns at most a hundred rows; the answer names the cursor of the next ones.";

fn page_with(part: &str) -> Extracted {
    let text = format!("<p>{}</p>", "Words that say something about the program. ".repeat(20));
    read(&format!("<body><nav>Menu</nav><main><h1>Title</h1>{text}{part}{text}</main><footer>Imprint</footer></body>"))
}

#[track_caller]
fn check(part: &str, is_content: bool) {
    let page = page_with(part);
    assert_eq!(page.text.contains("cursor"), is_content, "{part}: {:?}", page.removed);
}

const NAMES: &[&str] = &[
    "pagination-guide",
    "modal-dialogs",
    "rail",
    "rail-network",
    "toc-format",
    "menu-items",
    "navigation-api",
    "sidebar-layouts",
    "dropdown",
    "breadcrumb-trail",
    "tooltip-api",
    "switcher",
    "topbar-options",
    "copyright-notes",
];

#[test]
fn a_word_in_a_name_does_not_delete_a_section() {
    for name in NAMES {
        check(&format!("<div class='{name}'><h2>Rows</h2><p>{PROSE}</p></div>"), true);
        check(&format!("<section id='{name}'><h2>Rows</h2><p>{PROSE}</p></section>"), true);
        check(&format!("<div class='{name}'><p>{PROSE} {PROSE}</p><p>{PROSE}</p></div>"), true);
        check(&format!("<div class='{name}'><h2>Rows</h2><ul><li>{PROSE}</li><li>{PROSE}</li></ul></div>"), true);
    }
}

#[test]
fn a_section_about_boilerplate_is_content() {
    for (name, heading) in [
        ("cookies", "Cookies"),
        ("newsletter", "The newsletter"),
        ("comments", "Comments"),
        ("social-sharing", "Social sharing"),
        ("related-fields", "Related fields"),
        ("subscription", "Subscription"),
    ] {
        check(&format!("<section id={name}><h2>{heading}</h2><p>{PROSE}</p></section>"), true);
        check(&format!("<section id={name} class={name}><h2>{heading}</h2><p>{PROSE}</p></section>"), true);
    }
}

#[test]
fn menus_and_boxes_still_go() {
    let links = "<a href=/a>cursor</a> <a href=/b>Other page</a> <a href=/c>Third page</a> ";
    for name in NAMES {
        check(&format!("<div class='{name}'>{links}</div>"), false);
        check(&format!("<div class='{name}'><ul><li>{links}</li></ul></div>"), false);
    }
    check(&format!("<nav class=pagination-guide><p>{PROSE}</p></nav>"), false);
    check(&format!("<aside class=modal-dialogs><p>{PROSE}</p></aside>"), false);
    check(&format!("<div role=navigation class=toc><p>{PROSE}</p></div>"), false);
    check(
        "<div class=newsletter><h3>Newsletter</h3><p>The cursor in your inbox.</p><form><input type=email></form></div>",
        false,
    );
    check("<div class=cookie-banner><p>We use cookies for your cursor.</p><button>OK</button></div>", false);
    check("<div class=feedback><p>Did the cursor help?</p><button>Yes</button></div>", false);
}

#[test]
fn a_strong_mark_outweighs_the_names_around_it() {
    for wrapper in ["modal-body", "sidebar", "popup", "page-nav", "offcanvas-content", "drawer"] {
        for mark in ["itemprop=articleBody", "role=main", "class=markdown-body", "class=md-content__inner"] {
            let html = format!(
                "<body><div class=top><p>Site of many words, which is beside the content.</p></div><div class='{wrapper}'><div {mark}><h1>Rows</h1><p>{PROSE}</p></div></div></body>"
            );
            assert!(read(&html).text.contains("cursor"), "{wrapper} {mark}");
        }
        let html = format!("<div class='{wrapper}'><main><p>{PROSE}</p></main></div>");
        assert!(read(&html).text.contains("cursor"), "{wrapper}");
    }
}

#[test]
fn a_grid_of_cards_stays() {
    let card = |number| {
        format!(
            "<a class=card href=/{number}><h3>Card {number}</h3><p>What you learn when you open number {number}.</p></a>"
        )
    };
    let cards: String = (0..6).map(card).collect();
    for grid in ["<div class=grid>", "<div class='card-nav'>", "<div class=menu-cards>"] {
        let page = page_with(&format!("{grid}{cards}</div>"));
        assert!(page.markdown.contains("### [Card 5](https://example.com/5)"), "{grid}: {:?}", page.removed);
    }
    let page =
        page_with(&format!("<ul class=cards>{}</ul>", cards.replace("<a", "<li><a").replace("</a>", "</a></li>")));
    assert!(page.markdown.contains("Card 5"), "{:?}", page.removed);
}

#[test]
fn a_page_in_a_box_with_a_bad_name_is_read_with_little_confidence() {
    let page = read(&format!(
        "<main><h1>Title</h1><div class=comments-area>{}</div></main>",
        format!("<p>{PROSE}</p>").repeat(9)
    ));
    assert!(page.text.contains("cursor"), "{:?}", page.removed);
    assert!(page.confidence < 0.6, "{}", page.confidence);
}

/// Each of these results is wrong or doubtful, as extracted.
#[test]
fn confidence_flags_what_went_wrong() {
    let menu: String = (0..200).map(|number| format!("<li><a href=/{number}>Chapter {number}</a></li>")).collect();
    let doubtful = |html: &str| {
        let page = read(html);
        assert!(page.confidence < 0.5, "{} for {:.60}", page.confidence, page.markdown);
    };
    // Only links, in no element that is marked as content.
    doubtful(&format!("<div><ul>{menu}</ul></div>"));
    // Nothing: a page that scripts would fill.
    doubtful("<div id=app></div><footer>Imprint</footer>");
    doubtful(&format!("<nav>{menu}</nav><main></main>"));
    // A few words beside a long page.
    let long = "Words that are somewhere else. ".repeat(100);
    doubtful(&format!(
        "<div class=comments-area><p>{long}</p></div><div class=post-content><p>Only these.</p></div><aside><p>{long}</p></aside>"
    ));
    // Much text that only a name removed.
    let long = &long[..long.len() * 2 / 5];
    let (without, with) = (page_with(""), page_with(&format!("<div class=comments-area><p>{long}</p></div>")));
    assert_eq!(with.markdown, without.markdown);
    assert!(with.confidence < without.confidence, "{}", with.confidence);
}

#[test]
fn confidence_stays_high_on_a_good_page() {
    let menu: String = (0..300).map(|number| format!("<li><a href=/{number}>Chapter {number}</a></li>")).collect();
    let page = read(&format!("<nav>{menu}</nav><main><h1>Title</h1><p>{}</p><pre>code</pre></main>", PROSE.repeat(5)));
    assert!(page.confidence >= 0.9, "{}", page.confidence);
}
