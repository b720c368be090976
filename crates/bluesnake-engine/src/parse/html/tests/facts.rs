//! Facts for the checks of an audit: main text, ids and fragments, scripts, structured data, extracted columns.

use super::*;
use crate::parse::extract::Column;
use crate::parse::facts::ReadingSample;
use crate::parse::fragments::fragment_hash;

mod main_text {
    use super::*;

    #[test]
    fn navigation_header_footer_and_the_like_are_left_out() {
        let check = |html: &str, words, all| {
            let page = page(html);
            assert_eq!((page.main_words, page.word_count), (words, all), "{html}");
        };
        check("<p>one two three", 3, 3);
        check("<header>a b</header><nav>c</nav><main>one two</main><aside>d</aside><footer>e f</footer>", 2, 8);
        check("<div class=breadcrumbs>a / b</div><p>one</p><ul class=pagination><li>1<li>2</ul>", 1, 6);
        check("<article><header>one</header>two<footer>three</footer></article>", 3, 3);
        check("<main>one <nav>a b</nav> two</main>", 2, 4);
        check("<nav>a b</nav>", 0, 2);
        check("<title>t</title><script>s</script>", 0, 0);
        check("<p>one<b>two</b> <code>three</code> four", 3, 3);
        check("<p>日本語 <nav>日本</nav>", 3, 5);
        check("<frameset><frame src=a></frameset>", 0, 0);
    }

    #[test]
    fn sentences_and_syllables_are_those_of_the_main_text() {
        let page = page("<nav>Not counted. At all.</nav><h1>Reading made easy</h1><p>One. Two!</p>");
        assert_eq!(page.reading_sample, Some(ReadingSample { words: 5, sentences: 3, syllables: 7 }));
        let is_sampled = |html| super::page(html).reading_sample.is_some();
        assert!(is_sampled("<html lang=en-GB><p>One") && is_sampled("<html lang=''><p>One"));
        assert!(!is_sampled("<html lang=de><p>Ein Satz.") && !is_sampled("<html lang=enm><p>One"));
        assert!(!is_sampled("<nav>Only a menu</nav>"));
    }

    #[test]
    fn pages_with_different_menus_have_the_same_signature() {
        let text =
            "<main>The quick brown fox jumps over the lazy dog. ".to_owned() + &"And once more it does. ".repeat(5);
        let (one, other) = (page(&format!("<nav>Menu one</nav>{text}")), page(&format!("<nav>Another</nav>{text}")));
        assert!(one.signature.is_some());
        assert_eq!(one.signature, other.signature);
        assert_eq!(page("<main>Too short for a signature</main>").signature, None);
    }

    #[test]
    fn placeholders_are_blocks_of_the_main_text_outside_of_quotes_and_code() {
        const LOREM: &str = "Lorem ipsum dolor sit amet, consectetur adipiscing elit.";
        let check = |html: &str, expected| {
            assert_eq!(page(&html.replace("LOREM", LOREM)).lorem_blocks, expected, "{html}");
        };
        check("<p>LOREM</p><p>LOREM</p>", 2);
        check("<div><b>Lorem ipsum</b> dolor sit amet</div>", 1);
        check("<pre>LOREM</pre><code>LOREM</code><blockquote><p>LOREM</p></blockquote><p><q>LOREM</q>", 0);
        check("<blockquote>LOREM</blockquote><p>LOREM", 1);
        check("<footer>LOREM</footer>", 0);
        check("<p>We often use the words LOREM", 0);
        check("<p>“LOREM”</p><p>\"LOREM\"</p>", 0);
        check("<title>How to use lorem ipsum</title><p>LOREM</p>", 0);
        check("<h1>Lorem Ipsum generator</h1><p>LOREM</p>", 0);
        check("<textarea>LOREM</textarea><script>LOREM</script>", 0);
    }
}

mod fragments {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn ids(html: &str) -> Vec<u32> {
        let bytes = STANDARD.decode(page(html).ids.unwrap_or_default()).unwrap();
        bytes.chunks(3).map(|id| u32::from_le_bytes([id[0], id[1], id[2], 0])).collect()
    }

    fn sorted(ids: &[&str]) -> Vec<u32> {
        let mut hashes: Vec<u32> = ids.iter().map(|id| fragment_hash(id)).collect();
        hashes.sort_unstable();
        hashes
    }

    #[test]
    fn ids_are_those_of_elements_and_names_of_anchors() {
        let check = |html: &str, expected: &[&str]| assert_eq!(ids(html), sorted(expected), "{html}");
        check("<p>none", &[]);
        check(
            "<html id=h><body id=b><p id=p><a name=n></a><svg><g id=g></svg><img id=i>",
            &["h", "b", "p", "n", "g", "i"],
        );
        check("<p id=x><p id=x><a name=x>", &["x"]);
        check("<input name=q><p id=''>", &[]);
        check("<template><p id=x></template>", &[]);
        check("<p id='a&amp;b'>", &["a&b"]);
        check("<p id=ü>", &["%C3%BC"]);
        let many: String = (0..3_000).map(|id| format!("<p id=n{id}>")).collect();
        assert_eq!(ids(&many).len(), Page::IDS);
        assert!(page("<p>").ids.is_none());
    }

    #[test]
    fn hashes_are_three_bytes_and_ignore_percent_encoding() {
        assert!(fragment_hash("install") < 1 << 24);
        assert_eq!(fragment_hash("a%20b"), fragment_hash("a b"));
        assert_eq!(fragment_hash("install"), 0x0077_E398, "stored hashes stay comparable");
    }

    #[test]
    fn fragments_have_the_index_of_their_link() {
        let check = |html: &str, expected: &[(usize, &str)]| {
            let fragments = page(html).fragments;
            let fragments: Vec<(usize, &str)> = fragments.iter().map(|(at, text)| (*at, text.as_str())).collect();
            assert_eq!(fragments, expected, "{html}");
        };
        check("<img src=i><a href=/a>x</a><a href='/b#c'>y</a>", &[(2, "c")]);
        check("<a href='/b#'>x</a><a href='/b#TOP'>y</a><a href='/b#:~:text=z'>z</a>", &[]);
        check("<a href='/b#c:~:text=z'>x</a><area href=' /d#e%20f '>", &[(0, "c"), (1, "e%20f")]);
        check("<a href='http://[x#y'>broken</a><a href='/b#c'>x</a>", &[(0, "c")]);
        check("<link rel=canonical href='/b#c'><img src='/i#j'>", &[]);
        check("<iframe srcdoc=\"<a href='/b#c'>x</a>\"></iframe><a href='/d#e'>y</a>", &[(0, "c"), (1, "e")]);
        check("<a href='/b#c'>x</a><frameset><frame src=d></frameset>", &[(0, "c")]);
        check("<p><a href='/b#c'></a></p><frameset><frame src=d></frameset>", &[]);
        check(&format!("<a href='/b#{}'>x</a>", "c".repeat(600)), &[]);
    }

    #[test]
    fn fragments_of_links_beyond_the_limit_are_cut() {
        let settings = ParseSettings::default();
        let html = "<a href='/1#a'>one</a><a href='/2#b'>two</a>";
        let reading = read(Document { links_limit: 1, ..document(&page_url(), &settings, html) });
        assert_eq!(reading.page.fragments, [(0, "a".to_owned())]);
        let many: String = (0..1_500).map(|at| format!("<a href='/x#f{at}'>x</a>")).collect();
        assert_eq!(page(&many).fragments.len(), Page::FRAGMENTS);
        let long: String = (0..1_000).map(|at| format!("<a href='/x#{}{at}'>x</a>", "y".repeat(400))).collect();
        assert!(page(&long).fragments.iter().map(|(_, fragment)| fragment.len()).sum::<usize>() <= 64 * 1024);
    }

    #[test]
    fn links_within_the_page_that_lead_nowhere_are_seen() {
        let check = |html: &str, expected: &[&str]| assert_eq!(page(html).missing_fragments, expected, "{html}");
        check("<a href='#a'>x</a><a href='#b'>y</a><a href='#b'>z</a><p id=a>", &["b"]);
        check("<a href='#'>x</a><a href='#top'>y</a><a href='#%C3%BC'>z</a><p id=ü>", &[]);
        check("<a href='#n'>x</a><a name=n></a>", &[]);
        check("<base href=/other><a href='#a'>x</a>", &[]);
        check("<template><a href='#a'>x</a></template>", &[]);
        let all: String = (0..2_500).map(|id| format!("<a href='#n{id}'>x</a><p id=n{id}>")).collect();
        check(&all, &[]);
    }
}

#[test]
fn a_redirect_by_script_is_seen() {
    let check = |html: &str, expected: Option<&str>| {
        assert_eq!(page(html).script_redirect.as_deref(), expected, "{html}");
    };
    check("<script>window.location.href = '/new'</script>", Some("/new"));
    check("<script>var a = 1</script><script>location='/1'</script><script>location='/2'</script>", Some("/1"));
    check("<script type='application/ld+json'>location='/x'</script>", None);
    check("<template><script>location='/x'</script></template>", None);
    check("<noscript><script>1</script></noscript>", None);
}

mod structured_data {
    use super::*;

    fn script(json: &str) -> Page {
        page(&format!("<script type=application/ld+json>{json}</script>"))
    }

    #[test]
    fn mistakes_that_can_be_repaired_are_told_from_others() {
        let check = |json: &str, errors, recovered| {
            let page = script(json);
            assert_eq!((page.json_ld_errors, page.json_ld_recovered), (errors, recovered), "{json}");
        };
        check(r#"{"@type": "Article"}"#, 0, 0);
        check(r#"{"@type": "Article",}"#, 0, 1);
        check("{\"@type\": \"Article\", \"headline\": \"one\ntwo\"}", 0, 1);
        check(r#"{"@type": "Article""#, 1, 0);
        check("{@type: Article}", 1, 0);
        check("", 0, 0);
        assert_eq!(script(r#"{"@type": "Article",}"#).json_ld_types, ["Article"]);
        assert_eq!(script(r#"{"@type": "Article", "@type""#).json_ld_types, ["Article"]);
    }

    #[test]
    fn items_have_their_types_and_the_properties_with_a_value() {
        let check = |json: &str, expected: &[(&str, &[&str])]| {
            let items = script(json).json_ld_items;
            let items: Vec<(&str, Vec<&str>)> =
                items.iter().map(|(kind, names)| (kind.as_str(), names.iter().map(String::as_str).collect())).collect();
            let expected: Vec<(&str, Vec<&str>)> =
                expected.iter().map(|(kind, names)| (*kind, names.to_vec())).collect();
            assert_eq!(items, expected, "{json}");
        };
        check(r#"{"name": "untyped"}"#, &[]);
        check(
            r#"{"@context": "x", "@type": "Article", "headline": "h", "image": "", "author": {"@type": "Person", "name": "n"}}"#,
            &[("Article", &["headline", "author"])],
        );
        check(
            r#"[{"@type": ["Product", "Car"], "offers": [{}], "sku": null, "price": 0}]"#,
            &[("Product", &["price"]), ("Car", &["price"])],
        );
        check(r#"{"@graph": [{"name": "n", "@type": "https://schema.org/Event"}]}"#, &[("Event", &["name"])]);
        let items = vec![r#"{"@type": "A", "b": 1}"#; 50].join(",");
        assert_eq!(script(&format!("[{items}]")).json_ld_items.len(), Page::ITEMS);
        check(r##"{"@graph": [{"@type": "Product", "@id": "#p"}, {"@type": "Thing"}]}"##, &[]);
        check(
            r##"{"@type": "Offer", "price": 1, "itemOffered": {"@type": "Product", "name": "n"}, "seller": {"@id": "#s"}}"##,
            &[("Offer", &["price", "itemOffered", "seller"])],
        );
        check(
            r#"{"@type": "Product", "name": "n", "review": {"@type": "Review", "author": {"@type": "Person", "name": "a"}},
                "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4}}"#,
            &[
                ("Product", &["name", "review", "aggregateRating"]),
                ("Review", &["author"]),
                ("AggregateRating", &["ratingValue"]),
            ],
        );
        check(
            r#"{"@type": "WebPage", "name": "w", "mainEntity": {"@type": "ItemList", "itemListElement":
                [{"@type": "ListItem", "position": 1, "item": {"@type": "Recipe", "name": "r"}}]}}"#,
            &[("WebPage", &["name", "mainEntity"]), ("ItemList", &["itemListElement"]), ("Recipe", &["name"])],
        );
        let names: Vec<String> = (0..100).map(|name| format!("\"n{name}\": 1")).collect();
        let many = script(&format!(r#"{{"@type": "A", {}}}"#, names.join(",")));
        assert_eq!(many.json_ld_items[0].1.len(), Page::ITEM_PROPERTIES);
    }
}

mod columns {
    use super::*;

    fn extracted(html: &str, rule: &str) -> Vec<String> {
        let columns = [Column::parse(rule).unwrap()];
        let settings = ParseSettings::default();
        let reading = read(Document { columns: &columns, ..document(&page_url(), &settings, html) });
        reading.columns.into_iter().next().unwrap_or_default()
    }

    #[test]
    fn texts_and_attributes_of_elements_are_extracted() {
        let check =
            |rule: &str, html: &str, expected: &[&str]| assert_eq!(extracted(html, rule), expected, "{rule} {html}");
        check("css:h1", "<h1> One <b>two</b>\n&amp; three</h1><h1>four</h1>", &["One two & three", "four"]);
        check("css:ul", "<ul><li>a</li><li>b<br>c</li></ul>x", &["a b c"]);
        check("css:div", "<div>a<div>b</div>c</div>", &["a b c", "b"]);
        check("css:title", "<title>T &lt;1&gt;</title><p>x", &["T <1>"]);
        check("css:head > title", "<title>T</title>", &["T"]);
        check("css:body > p", "<p>implied body</p>", &["implied body"]);
        check("css:html", "<html lang=en>a<p>b", &["a b"]);
        check("css:body", "<body>a<script>no</script><style>no</style><p>b", &["a b"]);
        check("css:script", "<script>var  a = '<'</script>", &["var a = '<'"]);
        check("css:textarea", "<textarea>a &amp; b</textarea>", &["a & b"]);
        check("css:noscript", "<noscript><p>hidden</p></noscript>", &["hidden"]);
        check("css:p", "<p>one<p>two", &["one", "two"]);
        check("css:p", "<template><p>no</p></template>", &[]);
        check("css:img", "<img><img alt=x>", &["", ""]);
        check("css:img@alt", "<img><img alt=' x &amp; y '>", &["x & y"]);
        check("css:meta[name=author]@content", "<meta name=author content=me>", &["me"]);
        check("css:.price, [itemprop=price]@content", "<b class=price content=1>", &["1"]);
        check("css:html@lang", "<html lang=en><html lang=de>", &["en", "de"]);
        check("css:table td + td", "<table><tr><td>a<td>b<tr><td>c<td>d</table>", &["b", "d"]);
        check("css:svg > title", "<svg><title>icon</title></svg>", &["icon"]);
        check("css:a", "", &[]);
    }

    #[test]
    fn the_first_ten_matches_are_kept_with_a_thousand_characters() {
        assert_eq!(extracted(&"<p>é</p>".repeat(50), "css:p").len(), 10);
        assert_eq!(extracted(&"<p id=x>".repeat(50), "css:p@id").len(), 10);
        assert_eq!(extracted(&format!("<p>{}", "é".repeat(5_000)), "css:p")[0].chars().count(), 1_000);
        assert_eq!(extracted(&format!("<script>{}", "x".repeat(50_000)), "css:script")[0].len(), 1_000);
    }

    #[test]
    fn a_form_that_ends_across_other_elements_does_not_confuse_them() {
        let html = "<form id=f><div><p>one</form>two</div><p>three";
        assert_eq!(extracted(html, "css:div"), ["onetwo"]);
        assert_eq!(extracted(html, "css:p"), ["onetwo", "three"]);
        assert_eq!(extracted(html, "css:#f").len(), 1);
    }

    #[test]
    fn a_second_html_tag_closes_nothing() {
        let html = "<html><p>one <html> two</p> three";
        assert_eq!(extracted(html, "css:p, html"), ["one two three", "one two"]);
    }

    /// Elements beyond the maximum depth are not open, so only their attributes can be extracted.
    #[test]
    fn elements_that_are_too_deep_have_attributes_only() {
        let html = format!("{}<b id=x>text</b>", "<div>".repeat(600));
        assert_eq!(extracted(&html, "css:b@id"), ["x"]);
        assert_eq!(extracted(&html, "css:b"), [""; 0]);
    }

    #[test]
    fn columns_do_not_change_what_else_is_read() {
        let columns = [Column::parse("css:div p, a").unwrap(), Column::parse("regex:x").unwrap()];
        let settings = ParseSettings::default();
        for html in ["<form><div><a href=/b>x</form>y</a>", "<p>a<div>b<table><td>c", "<a href=/1><base href=/c/>"] {
            let url = page_url();
            let with = read(Document { columns: &columns, ..document(&url, &settings, html) });
            let without = read(document(&url, &settings, html));
            assert_eq!(format!("{:?}{:?}", with.page, with.links), format!("{:?}{:?}", without.page, without.links));
        }
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn facts_are_bounded_by_the_page(html in "(<(/?(p|div|nav|form|template|html|body|svg|main|code|table|td))( id=[a-z])?>|<a href='?[/#]{0,2}[a-z]{0,2}'?>|[a-z ]{0,8}|<script>location='/x'</script>){0,60}") {
            let columns = [Column::parse("css:div p, nav ~ *").unwrap(), Column::parse("css:*:not(p)@id").unwrap()];
            let settings = ParseSettings::default();
            let reading = read(Document { columns: &columns, ..document(&page_url(), &settings, &html) });
            let page = &reading.page;
            prop_assert!(page.main_words <= html.len());
            prop_assert!(page.reading_sample.is_none_or(|sample| sample.words <= page.main_words));
            prop_assert!(page.fragments.iter().all(|(at, _)| *at < reading.links.len()));
            prop_assert!(reading.columns.iter().all(|values| values.len() <= 10));
            prop_assert_eq!(page.signature.is_some(), page.main_words >= 20);
        }
    }
}
