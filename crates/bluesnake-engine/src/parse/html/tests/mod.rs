mod elements;
mod facts;
mod forms;
mod marks;

use std::sync::Mutex;

use super::*;
use crate::link::{PathType, Rel};

fn page_url() -> CanonicalUrl {
    CanonicalUrl::parse("https://a.example/docs/x").unwrap()
}

fn document<'a>(url: &'a CanonicalUrl, settings: &'a ParseSettings, html: &'a str) -> Document<'a> {
    Document { url, html, encoding: "UTF-8", settings, links_limit: 0, hooks: &[], columns: &[] }
}

fn read_with(settings: &ParseSettings, html: &str) -> Reading {
    read(document(&page_url(), settings, html))
}

fn reading(html: &str) -> Reading {
    read_with(&ParseSettings::default(), html)
}

fn page(html: &str) -> Page {
    reading(html).page
}

/// Links as `kind path-or-url`.
fn links(html: &str) -> Vec<String> {
    let describe = |link: &Link| {
        let target = link.target.as_str();
        format!("{} {}", link.kind.as_str(), target.strip_prefix("https://a.example").unwrap_or(target))
    };
    reading(html).links.iter().map(describe).collect()
}

fn check(html: &str, expected: &[&str]) {
    assert_eq!(links(html), expected, "{html}");
}

fn one(html: &str) -> Link {
    let mut links = reading(html).links;
    assert_eq!(links.len(), 1, "{html}");
    links.remove(0)
}

mod which_attributes_are_links {
    use super::*;

    #[test]
    fn anchors_and_areas() {
        check("<a href=/b>x</a><area href=c><a>y</a><a name=z>", &["anchor /b", "area /docs/c"]);
        check("<a href=''>self</a>", &["anchor /docs/x"]);
        check("<a href='#top'>x</a><a href=' #top'>y</a>", &[]);
        check("<a href=/b ping='/p /q'>x</a>", &["anchor /b", "hint /p", "hint /q"]);
    }

    #[test]
    fn links_by_their_rel() {
        let check =
            |rel, expected: &str| super::check(&format!("<link rel='{rel}' href=/b>"), &[&format!("{expected} /b")]);
        check("stylesheet", "stylesheet");
        check("alternate stylesheet", "stylesheet");
        check("shortcut icon", "icon");
        check("alternate icon", "icon");
        check("apple-touch-icon", "icon");
        check("Canonical", "canonical");
        check("next", "next");
        check("previous", "prev");
        check("amphtml", "amp");
        check("manifest", "manifest");
        check("alternate", "alternate");
        check("preload", "hint");
        check("dns-prefetch", "hint");
        check("license", "related");
        super::check("<link rel=alternate hreflang=de href=/b>", &["hreflang /b"]);
        super::check("<link href=/b><link rel=next><link rel=next href=''>", &[]);
        super::check(
            "<link rel=preload as=image href=/b imagesrcset='/c 1x, /d 2x'>",
            &["hint /b", "hint /c", "hint /d"],
        );
    }

    #[test]
    fn images() {
        check(
            "<img src=a srcset='b 1x, c 2x' longdesc=d lowsrc=e dynsrc=f>",
            &["image /docs/a", "image /docs/e", "image /docs/f", "image /docs/b", "image /docs/c", "hint /docs/d"],
        );
        check("<img src='' srcset=''><img data-src=a><img src='data:,x' srcset='data:,y 1x'>", &[]);
        check(
            "<picture><source srcset='a, b 2x'><img src=c></picture>",
            &["image /docs/a", "image /docs/b", "image /docs/c"],
        );
        check("<input type=IMAGE src=a><input src=b><image src=c>", &["image /docs/a", "image /docs/c"]);
        check(
            "<body background=a><table background=b><td background=c>",
            &["image /docs/a", "image /docs/b", "image /docs/c"],
        );
        check(
            "<svg><image href=a /><use xlink:href='#i'/><use href='s.svg#i'/><feImage xlink:href=b></svg>",
            &["image /docs/a", "image /docs/s.svg", "image /docs/b"],
        );
        check("<svg><a xlink:href=/b>x</a></svg>", &["anchor /b"]);
    }

    #[test]
    fn media_frames_and_embedded_things() {
        check(
            "<video src=a poster=b><source src=c><track src=d></video>",
            &["video /docs/a", "image /docs/b", "video /docs/c", "track /docs/d"],
        );
        check("<audio src=a><source src=b></audio>", &["audio /docs/a", "audio /docs/b"]);
        check("<frameset><frame src=b longdesc=c></frameset>", &["iframe /docs/b", "hint /docs/c"]);
        check("<iframe src=a></iframe>", &["iframe /docs/a"]);
        check(
            "<embed src=a><object data=b codebase=c archive='d e'></object>",
            &["embed /docs/a", "embed /docs/b", "hint /docs/c", "hint /docs/d", "hint /docs/e"],
        );
        check("<applet code=a archive='b,c'>", &["embed /docs/a", "hint /docs/b", "hint /docs/c"]);
        check("<script src=a></script>", &["script /docs/a"]);
    }

    #[test]
    fn the_document_of_an_iframe_is_read_in_place_once() {
        check(
            "<iframe srcdoc='<a href=/b>x</a><iframe srcdoc=\"&lt;a href=/c>\"></iframe>'></iframe><a href=/d>",
            &["anchor /b", "anchor /d"],
        );
        let reading = reading("<main><iframe srcdoc='<p>see <a href=/b>it</a>'></iframe></main>");
        assert_eq!(&*reading.links[0].dom_path, "body > main > iframe > body > p > a");
        assert_eq!((&*reading.links[0].text, reading.page.word_count), ("it", 0));
    }

    #[test]
    fn forms_and_hints() {
        check(
            "<form action=a><button formaction=b></button><input formaction=c></form>",
            &["form /docs/a", "form /docs/b", "form /docs/c"],
        );
        check(
            "<blockquote cite=a></blockquote><q cite=b></q><del cite=c></del><ins cite=d></ins>",
            &["hint /docs/a", "hint /docs/b", "hint /docs/c", "hint /docs/d"],
        );
        check("<html manifest=a><head profile=b>", &["hint /docs/a", "hint /docs/b"]);
        check(
            "<meta property=og:image content=/a><meta property=og:url content=/b><meta property=og:title content=/c>",
            &["hint /a", "hint /b"],
        );
        check("<meta http-equiv=Refresh content='5; url=/b'>", &["refresh /b"]);
        check(
            "<meta name=twitter:image content=/a><meta name=msapplication-TileImage content=b>\
             <meta name=msapplication-task content='name=Search;action-uri=/c; icon-uri=/d'><meta name=syndication-source content=/e>",
            &["hint /a", "hint /docs/b", "hint /c", "hint /d", "hint /e"],
        );
        check(
            "<meta itemprop=image content=/a><meta itemprop=name content=/no><meta itemprop=url content=words>",
            &["hint /a"],
        );
        check(
            "<link itemprop=sameAs href=/a><link rel=preload as=image imagesrcset='/b 1x, /c 2x'>",
            &["hint /a", "hint /b", "hint /c"],
        );
        check(
            "<meta http-equiv=Content-Security-Policy content=\"default-src 'self'; report-uri /a /b\">",
            &["hint /a", "hint /b"],
        );
        check("<meta http-equiv=refresh content=5>", &[]);
    }

    #[test]
    fn styles() {
        check(
            "<style>@import 'a.css'; p{background:url(/b)}</style><p style='background:url(&quot;c&quot;)'>",
            &["stylesheet /docs/a.css", "css-url /b", "css-url /docs/c"],
        );
    }

    #[test]
    fn json_ld() {
        let html = r#"<script type="application/ld+json">{"@context":"https://schema.org","@type":["Article","X"],"@id":"/id",
            "url":"/a","image":["https://b.example/i",{"@type":"ImageObject","url":"/j","author":{"url":"/k"}}],"logo":"logo.png",
            "mainEntityOfPage":"relative","sameAs":["/no"],"itemListElement":[{"item":{"url":"https://a.example/l"}},{"item":"/m"}]}</script>"#;
        check(
            html,
            &[
                "json-ld /a",
                "json-ld-image https://b.example/i",
                "json-ld-image /j",
                "json-ld /k",
                "json-ld /l",
                "json-ld /m",
            ],
        );
        assert_eq!(page(html).json_ld_types, ["Article", "X", "ImageObject"]);
        assert_eq!(page("<script type=application/ld+json>{]</script>").json_ld_errors, 1);
        assert_eq!(page("<script>{]</script>").json_ld_errors, 0);
    }

    #[test]
    fn templates_hold_no_links_and_scripts_none_either() {
        let reading = reading(
            "<template><a href=/a><template><img src=b></template><a href=/c></template><a href=/d><script>'<a href=/e>'</script>",
        );
        assert_eq!((reading.links.len(), reading.page.template_links), (1, 3));
        check("<!-- <a href=/a> --><title><a href=/b></title><textarea><a href=/c></textarea>", &[]);
        check("<noscript><a href=/a>x</a><img src=/b></noscript>", &["anchor /a", "image /b"]);
    }
}

mod how_references_are_resolved {
    use super::*;

    #[test]
    fn queries_are_written_in_the_encoding_of_the_document() {
        let (url, settings) = (page_url(), ParseSettings::default());
        let html = "<a href='/ü?q=ü'></a><img src='i?ä'><link rel=next href='?q=%C3%BC'><a href='/plain?q=1'>";
        let document = Document { encoding: "windows-1252", ..document(&url, &settings, html) };
        let found: Vec<String> =
            read(document).links.iter().map(|link| link.target.path_and_query().to_owned()).collect();
        assert_eq!(found, ["/%C3%BC?q=%FC", "/docs/i?%E4", "/docs/x?q=%C3%BC", "/plain?q=1"]);
    }

    #[test]
    fn a_no_break_space_is_part_of_a_reference() {
        check("<a href='\u{a0}/b'></a><a href='/c&nbsp;'></a>", &["anchor /docs/%C2%A0/b", "anchor /c%C2%A0"]);
    }

    #[test]
    fn the_first_usable_base_counts_for_the_whole_document() {
        check(
            "<a href=a></a><base><base href='/other/'><a href=b></a><base href=/no/>",
            &["anchor /other/a", "anchor /other/b"],
        );
        check("<!-- <base href=/no/> --><template><base href=/no/></template><a href=a>", &["anchor /docs/a"]);
        assert_eq!(page("<base href=/other/>").base.unwrap().as_str(), "https://a.example/other/");
    }

    #[test]
    fn character_references_and_white_space_do_not_matter() {
        check("<a href=' /b?x=1&amp;y=2&copy=3 '>", &["anchor /b?x=1&y=2&copy=3"]);
    }

    #[test]
    fn unusable_references_are_recorded() {
        let page = page(
            "<a href='http://[x'>a</a><a href=mailto:x@y>b</a><a href='javascript:void(0)'>c</a><img src='data:,x'>",
        );
        assert_eq!(page.unusable[0].href, "http://[x");
        assert_eq!((page.schemes.mailto, page.schemes.javascript, page.schemes.data), (1, 1, 1));
    }

    #[test]
    fn beyond_the_limit_links_are_only_counted() {
        let settings = ParseSettings::default();
        let html = "<a href=/1>one</a><a href=/2>two</a><a href=/3>three</a>";
        let reading = read(Document {
            url: &page_url(),
            html,
            encoding: "UTF-8",
            settings: &settings,
            links_limit: 2,
            hooks: &[],
            columns: &[],
        });
        assert_eq!((reading.links.len(), reading.links_cut), (2, 1));
        assert_eq!(&*reading.links[1].text, "two");
    }
}

mod what_a_link_says {
    use super::*;

    #[test]
    fn its_words_are_the_visible_ones_and_the_alt_of_images() {
        let check = |html, expected: &str| assert_eq!(&*one(html).text, expected, "{html}");
        check("<a href=/b>  One\n <b>two</b>three </a>", "One twothree");
        check("<a href=/b><div>One</div><div>two</div></a>", "One two");
        check("<a href=/b>R&amp;D &lt;3</a>", "R&D <3");
        check("<noscript><a href=/b>hidden <i>words</i></a></noscript>", "hidden words");
        check("<a href=/b>unclosed", "unclosed");
        check("<p>a<a href=/b> </a>c", "");
        check(&format!("<a href=/b>{}</a>", "é".repeat(700)), &"é".repeat(500));
        assert_eq!(
            &*reading("<a href=/b>One <img src=i alt=' two\nthree'>four</a>").links[0].text,
            "One two three four"
        );
        assert_eq!(&*one("<img src=i alt=' a  b '>").text, "a b");
        assert_eq!(&*one("<link rel=alternate hreflang=' de-CH ' href=/b>").text, "de-CH");
    }

    #[test]
    fn a_second_anchor_ends_the_first() {
        let links = reading("<a href=/1>one <a href=/2>two</a> rest").links;
        assert_eq!((&*links[0].text, &*links[1].text), ("one", "two"));
        let links = reading("<a href=/1>one <div>x <a href=/2>two</a> rest</div>").links;
        assert_eq!((&*links[0].text, &*links[1].text), ("one x", "two"));
    }

    #[test]
    fn its_context_is_the_text_around_it_in_the_block() {
        let check = |html, expected: &str| assert_eq!(&*one(html).context, expected, "{html}");
        check("<p>no</p><p>See the <a href=/b>guide</a>, please.</p><p>no</p>", "See the guide, please.");
        check("<ul><li><a href=/b>Home</a></li><li>no</li></ul>", "");
        check("<p>before <a href=/b>x</a></p>", "before x");
        let long = "word ".repeat(50);
        let link = one(&format!("<p>{long}<a href=/b>x</a> {long}</p>"));
        assert_eq!(link.context.len(), 40 + 1 + 40, "{}", link.context);
        check(&format!("<p>{}<a href=/b>x</a></p>", "é".repeat(100)), &format!("{}x", "é".repeat(40)));
    }

    #[test]
    fn rel_and_target_become_flags() {
        let link = one("<a href=/b rel='nofollow noopener' target=_blank>x</a>");
        assert_eq!(link.rel, Rel::NOFOLLOW.and(Rel::NOOPENER).and(Rel::NEW_WINDOW));
        assert_eq!(one("<a href=/b target=_self>").rel, Rel::default());
    }

    #[test]
    fn the_way_it_is_written_is_kept() {
        assert_eq!(one("<a href=//b.example/>").path_type, PathType::ProtocolRelative);
        assert_eq!(one("<a href=../b>").path_type, PathType::Relative);
    }

    #[test]
    fn its_dom_path_begins_at_the_body_and_is_shared() {
        assert_eq!(&*one("<main><article><P>x <A HREF=/b>").dom_path, "body > main > article > p > a");
        assert_eq!(&*one("<link rel=next href=/b>").dom_path, "head > link");
        assert_eq!(&*one("<My-Part><a href=/b>").dom_path, "body > my-part > a");
        let links = reading("<ul><li><a href=/1></a><li><a href=/2></a></ul>").links;
        assert_eq!(&*links[0].dom_path, "body > ul > li > a");
        assert!(std::sync::Arc::ptr_eq(&links[0].dom_path, &links[1].dom_path));
    }

    #[test]
    fn its_position_follows_from_the_elements_around_it() {
        let check =
            |html: &str, expected| assert_eq!(one(&format!("{html}<a href=/b>x</a>")).position, expected, "{html}");
        check("<p>", Position::Content);
        check("<nav>", Position::Navigation);
        check("<header><div>", Position::Header);
        check("<header><nav>", Position::Navigation);
        check("<footer>", Position::Footer);
        check("<aside>", Position::Sidebar);
        check("<main><aside>", Position::Content);
        check("<main><aside class=sidebar>", Position::Sidebar);
        check("<main><article><header>", Position::Content);
        check("<nav aria-label=Breadcrumb>", Position::Breadcrumbs);
        check("<nav class='pagination-wrap'>", Position::Pagination);
        check("<ol itemtype='https://schema.org/BreadcrumbList'>", Position::Breadcrumbs);
        check("<div role=contentinfo>", Position::Footer);
        check("<div id=site-header>", Position::Header);
        check("<div class='main-nav'>", Position::Navigation);
        check("<div class='has-sidebar'>", Position::Content);
        check("<body class='sidebar'>", Position::Content);
        check("<div class='Sidebar left'><p>", Position::Sidebar);
        check("<site-footer>", Position::Footer);
        check("<div class=navigational>", Position::Content);
        check("<aside></aside>", Position::Content);
        assert_eq!(one("<link rel=next href=/b>").position, Position::Unknown);
    }
}

mod what_a_page_says {
    use super::*;

    #[test]
    fn titles_and_descriptions() {
        let page = page(
            "<head><title> A &amp;\n B </title><title>C</title><meta name=Description content=' x  y '>\
             <meta name=keywords content=k><meta name=author content=me><meta name=generator content=g></head>\
             <body><meta name=description content=z><svg><title>no</title></svg><title>D</title>",
        );
        assert_eq!((page.title.as_deref(), page.titles, page.titles_outside_head), (Some("A & B"), 3, 1));
        assert_eq!(
            (page.description.as_deref(), page.descriptions, page.descriptions_outside_head),
            (Some("x y"), 2, 1)
        );
        assert_eq!(
            (page.keywords.as_deref(), page.author.as_deref(), page.generator.as_deref()),
            (Some("k"), Some("me"), Some("g"))
        );
        assert_eq!(super::page("<title></title>").title.as_deref(), Some(""));
        assert_eq!(super::page("<p>x").title, None);
    }

    #[test]
    fn headings() {
        let page = page("<h1>One <b>two</b></h1><h2>A<div>B</div></h2><h2><img src=i alt=logo></h3><h4>open<p>x");
        let headings: Vec<(u8, &str, &str)> =
            page.headings.iter().map(|h| (h.level, h.text.as_str(), h.alt.as_str())).collect();
        assert_eq!(headings, [(1, "One two", ""), (2, "A B", ""), (2, "", "logo"), (4, "open x", "")]);
        assert_eq!((page.h1_count, page.h2_count), (1, 2));
    }

    #[test]
    fn canonicals_hreflangs_and_relatives() {
        let page = page(
            "<head><link rel=canonical href='/b#c' media=x><link rel=alternate hreflang=de href=/de><link rel=next href=/2>\
             <link rel=prev href=/0><link rel=alternate type=application/rss+xml href=/feed><link rel=icon href=/i></head>\
             <body><link rel=canonical href=https://b.example/><link rel=alternate hreflang=fr href=/fr>",
        );
        let [first, second] = &page.canonicals[..] else { panic!("there are two") };
        assert!(first.is_in_head && first.has_fragment && first.has_invalid_attribute);
        assert_eq!((first.raw.as_str(), first.path_type), ("/b#c", PathType::RootRelative));
        assert!(!second.is_in_head && !second.has_invalid_attribute);
        assert_eq!((page.hreflangs.len(), page.hreflangs_outside_head), (2, 1));
        assert_eq!(page.hreflangs[0].0, "de");
        assert_eq!((page.next.len(), page.prev.len(), page.feeds.len(), page.icons.len()), (1, 1, 1, 1));
    }

    #[test]
    fn directives_for_all_and_for_one() {
        let page = page(
            "<meta name=robots content='noindex, max-snippet:5'><meta name=BlueSnake content=nofollow><body><meta name=robots content=noarchive>",
        );
        assert!(page.directives.noindex && page.directives.noarchive && !page.directives.nofollow);
        assert!(page.directives_for("bluesnake").nofollow);
        assert_eq!(page.directives_outside_head, 1);
    }

    #[test]
    fn a_meta_with_a_name_and_a_property_is_both() {
        let page = page(
            "<meta name=robots property=og:robots content=noindex><meta property=og:description name=description content=Words>\
             <meta name=author property=author content=Me>",
        );
        assert!(page.directives.noindex);
        assert_eq!((page.description.as_deref(), page.descriptions), (Some("Words"), 1));
        assert_eq!(
            page.open_graph,
            [("og:robots", "noindex"), ("og:description", "Words")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }

    #[test]
    fn other_metas() {
        let page = page(
            "<html lang=de dir=ltr><meta charset=utf-8><meta name=viewport content=width=1><meta property=og:title content=t>\
             <meta name=twitter:card content=c><meta http-equiv=refresh content='3;url=/b'>",
        );
        assert_eq!(
            (page.lang.as_deref(), page.dir.as_deref(), page.charset.as_deref()),
            (Some("de"), Some("ltr"), Some("utf-8"))
        );
        assert_eq!(page.open_graph, [("og:title".to_owned(), "t".to_owned())]);
        assert_eq!(page.twitter, [("twitter:card".to_owned(), "c".to_owned())]);
        assert_eq!(page.viewport.as_deref(), Some("width=1"));
        let refresh = page.refresh.unwrap();
        assert_eq!((refresh.seconds, refresh.url.unwrap().path().to_owned()), (3, "/b".to_owned()));
        let by_header = super::page("<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'>");
        assert_eq!(by_header.charset.as_deref(), Some("iso-8859-1"));
        assert!(super::page("<html ⚡>").is_amp && super::page("<html amp>").is_amp);
    }

    #[test]
    fn structured_data_images_and_forms() {
        let page = page(
            "<div itemscope itemtype='https://schema.org/A https://schema.org/B'><p typeof=Person>\
             <img src=a alt=x width=1 height=1><img src=b alt=''><img src=c><form action=http://b.example/></form><form></form>",
        );
        assert_eq!(page.microdata_types, ["https://schema.org/A", "https://schema.org/B"]);
        assert_eq!(page.rdfa_types, ["Person"]);
        let expected = crate::parse::facts::Images { count: 3, without_alt: 1, with_empty_alt: 1, without_size: 2 };
        assert_eq!(page.images, expected);
        assert_eq!((page.forms, page.insecure_forms), (2, 1));
    }

    #[test]
    fn the_frame_of_the_document() {
        let healthy = page("<!doctype html><html><head><title>x</title></head><body><p>y</p></body></html>").structure;
        assert!(healthy.has_doctype && !healthy.is_body_before_html && !healthy.is_head_not_first);
        assert_eq!((healthy.html_tags, healthy.head_tags, healthy.body_tags, healthy.invalid_in_head), (1, 1, 1, 0));
        assert!(page("<body><html>").structure.is_body_before_html);
        assert!(page("<html><p><head>").structure.is_head_not_first);
        assert_eq!(page("<p>x").structure.body_tags, 0);
        assert_eq!(page("<head></head><head><body><body>").structure.head_tags, 2);
    }

    #[test]
    fn the_first_wrong_element_ends_the_head() {
        let page = page("<head><meta name=a content=b><div>x</div><title>y</title><link rel=canonical href=/z></head>");
        assert_eq!(page.structure.invalid_head_elements, ["div"]);
        assert_eq!((page.titles_outside_head, page.canonicals[0].is_in_head), (1, false));
        let page = super::page("<head><noscript><img src=x></noscript><title>y</title></head>");
        assert_eq!((page.structure.invalid_in_head, page.titles_outside_head), (1, 0), "an image in noscript does not");
        let page = super::page("<head></head><title>y</title><body>");
        assert_eq!(page.titles_outside_head, 0, "between head and body is still the head");
    }

    #[test]
    fn visible_text_is_what_people_see() {
        let html = "<head><title>no</title><style>no</style></head><body><h1>One</h1><p>two&nbsp;three<br>four<script>no</script>\
            <noscript>no</noscript><template>no</template><textarea>no</textarea><ul><li>five<li>six</ul>se<b>ven</b><!-- no --> eight.";
        let page = super::page(html);
        assert_eq!(page.text.as_deref(), Some("One\ntwo three four\nfive\nsix\nseven eight."));
        assert_eq!((page.word_count, page.sentence_count), (8, 1));
        assert_eq!((page.inline_script_bytes, page.inline_style_bytes), (2, 2));
    }

    #[test]
    fn depth_and_number_of_elements() {
        let page = page("<html><body><div><p>x</p><br></div>");
        assert_eq!((page.dom_depth, page.element_count, page.is_depth_cut), (4, 5, false));
    }
}

mod when_pages_have_the_same_content {
    use super::*;

    fn hash(html: &str) -> String {
        page(html).content_hash.unwrap()
    }

    fn same(one: &str, other: &str) {
        assert_eq!(hash(one), hash(other), "{one:?} {other:?}");
    }

    #[test]
    fn scripts_styles_navigation_and_footers_do_not_count() {
        same("<p>x</p>", "<nav>Home</nav><p>x</p><footer>2024</footer><script>1</script><style>p{}</style>");
        same("<p>x  y</p><!-- 1 -->", "<div>x y</div>");
        same("<p>at 2024-01-01</p>", "<p>at 2025-02-02</p>");
        same("<img src='a.png?v=1'>", "<img src='a.png?v=2'>");
        assert_ne!(hash("<p>x</p>"), hash("<p>y</p>"));
        assert_ne!(hash("<p>x</p>"), hash("<p>x</p><img src=a>"));
        assert_ne!(hash("<title>x</title>"), hash("<title>y</title>"));
    }

    #[test]
    fn the_settings_say_which_elements_count() {
        let only_main = ParseSettings { hash_include_only_tags: vec!["main".to_owned()], ..ParseSettings::default() };
        let with_scripts = ParseSettings { hash_exclude_tags: Vec::new(), ..ParseSettings::default() };
        let off = ParseSettings { content_hash: crate::plan::HashAlgorithm::Off, ..ParseSettings::default() };
        let hash = |settings: &ParseSettings, html| read_with(settings, html).page.content_hash;
        assert_eq!(hash(&only_main, "<p>a</p><main>x</main>"), hash(&only_main, "<main>x</main><p>b"));
        assert_ne!(hash(&only_main, "<main>x</main>"), hash(&only_main, "<main>y</main>"));
        assert_ne!(hash(&with_scripts, "<script>a</script>"), hash(&with_scripts, "<script>b</script>"));
        assert_ne!(hash(&with_scripts, "<nav>a</nav>"), hash(&with_scripts, "<nav>b</nav>"));
        assert_eq!(hash(&off, "<p>a"), None);
    }

    #[test]
    fn comments_and_white_space_count_when_asked() {
        let settings =
            ParseSettings { hash_strip_comments: false, hash_collapse_whitespace: false, ..ParseSettings::default() };
        let hash = |html| read_with(&settings, html).page.content_hash;
        assert_ne!(hash("<p>x<!-- 1 -->"), hash("<p>x<!-- 2 -->"));
        assert_ne!(hash("<p>x y"), hash("<p>x  y"));
    }
}

mod implied_ends {
    use super::*;

    fn check_path(html: &str, expected: &str) {
        let links = reading(html).links;
        let last = links.last().unwrap_or_else(|| panic!("no link in {html}"));
        assert_eq!(&*last.dom_path, expected, "{html}");
    }

    #[test]
    fn elements_end_where_the_standard_says() {
        check_path("<p>x<p><a href=/b>", "body > p > a");
        check_path("<p>x<div><a href=/b>", "body > div > a");
        check_path("<p><button><div><a href=/b>", "body > p > button > div > a");
        check_path("<ul><li>x<li><ul><li>y<li><a href=/b>", "body > ul > li > ul > li > a");
        check_path("<dl><dt>x<dd>y<dt><a href=/b>", "body > dl > dt > a");
        check_path("<table><tr><td>x<td>y<tr><th>z<tbody><tr><td><a href=/b>", "body > table > tbody > tr > td > a");
        check_path("<table><tr><td><table><tr><td>x</table><a href=/b>", "body > table > tr > td > a");
        check_path("<select><option>x<option>y</select><a href=/b>", "body > a");
        check_path("<h1>x<h2><a href=/b>", "body > h2 > a");
        check_path("<div><span>x</div><a href=/b>", "body > a");
        check_path("<div><b>x</p></i></b><a href=/b>", "body > div > a");
        check_path("<b><p>x</b><a href=/b>", "body > b > p > a");
        check_path("<br><hr><img><a href=/b>", "body > a");
        check_path("<div/><a href=/b>", "body > div > a");
        check_path("<svg><path/><g></g></svg><a href=/b>", "body > a");
        check_path("<svg><g><p><a href=/b>", "body > p > a");
        check_path("<svg><foreignObject><p><a href=/b>", "body > svg > foreignobject > p > a");
        check_path("<title>x</title><a href=/b>", "body > a");
        check_path("</body></html><a href=/b>", "body > a");
    }
}

#[test]
fn a_refresh_for_browsers_without_scripts_is_a_link_and_no_fact() {
    let meta = "<meta http-equiv=refresh content='0; url=/b'>";
    let reading = reading(&format!("<head><noscript>{meta}</noscript><title>x</title>"));
    assert_eq!(reading.links.len(), 1);
    assert!(reading.page.refresh.is_none());
    assert!(page(&format!("<head><noscript><p></noscript>{meta}")).refresh.is_some());
}

mod hooks {
    use super::*;

    #[test]
    fn hooks_see_matching_elements() {
        let seen = std::sync::Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let hook = ElementHook::new("a.x, [data-id]".parse().unwrap(), move |element| {
            let url = element.url("href").map(|url| url.unwrap().to_string()).unwrap_or_default();
            log.lock().unwrap().push(format!("{} {} {url}", element.name(), element.dom_path()));
        });
        let (url, settings) = (page_url(), ParseSettings::default());
        read(Document {
            url: &url,
            html: "<p><A class='y x' href=b></a><br data-id=1><a href=c>",
            encoding: "UTF-8",
            settings: &settings,
            links_limit: 0,
            hooks: &[hook],
            columns: &[],
        });
        assert_eq!(*seen.lock().unwrap(), ["a body > p > a https://a.example/docs/b", "br body > p > br "]);
    }

    /// The base was looked for in the raw tags, but only if there was a hook.
    #[test]
    fn hooks_do_not_change_the_result() {
        let (url, settings) = (page_url(), ParseSettings::default());
        for html in [
            "<a href=b></a><svg><base href=/no/></svg>",
            "<a href=b></a><math><base href=/no/></math>",
            "<link rel=next href=b><frameset><base href=/no/><frame src=c></frameset>",
            "<a href=b></a><template><base href=/no/></template>",
            "<a href=b></a><base href=/late/>",
            "<base href=/early/><a href=b></a><base href=/no/>",
        ] {
            let seen = std::sync::Arc::new(Mutex::new(Vec::new()));
            let log = seen.clone();
            let hook = ElementHook::new("a, link".parse().unwrap(), move |element| {
                log.lock().unwrap().push(element.url("href").unwrap().unwrap());
            });
            let silent = read(document(&url, &settings, html));
            let heard = read(Document { hooks: &[hook], ..document(&url, &settings, html) });
            let targets = |reading: &Reading| reading.links.iter().map(|link| link.target.clone()).collect::<Vec<_>>();
            assert_eq!(targets(&heard), targets(&silent), "{html}");
            assert_eq!(*seen.lock().unwrap(), targets(&silent)[..1], "{html}");
        }
    }
}

mod hostile_documents {
    use super::*;

    #[test]
    fn elements_may_nest_a_hundred_thousand_deep() {
        let html = format!("{}<a href=/b>x</a>{}<a href=/c>y</a>", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let reading = reading(&html);
        assert!(reading.page.is_depth_cut);
        assert_eq!((reading.page.dom_depth, reading.links.len()), (100_003, 2));
        assert_eq!(&*reading.links[1].dom_path, "body > a");
        assert!(reading.links[0].dom_path.len() < 600);
    }

    #[test]
    fn a_tag_may_have_a_million_attributes() {
        let html = format!("<a {} href=/b>x</a>", "x ".repeat(1_000_000));
        assert_eq!(one(&html).target.path(), "/b");
    }

    #[test]
    fn an_attribute_may_have_five_megabytes() {
        let long = "x".repeat(5_000_000);
        let reading = reading(&format!("<a href='http://[{long}'>x</a><img src=i alt='{long}'><p class='{long}'>y"));
        assert!(reading.page.unusable[0].href.len() <= 200);
        assert!(reading.links[0].text.len() <= 500);
    }

    /// 600 KB became 3 GB.
    #[test]
    fn a_long_base_does_not_multiply_the_page() {
        const LINKS: usize = 10_000;
        let html = format!("<base href='/{}/'>{}", "b".repeat(60_000), "<a href=x></a>".repeat(LINKS));
        let reading = reading(&html);
        let bytes: usize = reading.links.iter().map(|link| link.target.as_str().len()).sum();
        assert!(bytes <= (4 << 20) + 4 * html.len(), "{bytes} bytes of URLs");
        assert!(reading.links.len() > 50, "{} links", reading.links.len());
        assert_eq!(reading.links.len() + reading.links_cut, LINKS);
    }

    #[test]
    fn a_base_that_is_too_long_for_a_url_invents_no_link() {
        let long = "b".repeat(70_000);
        let reading =
            reading(&format!("<base href='/{long}/y'><a href=x></a><a href=/z></a><a href=http://b.test/></a>"));
        let targets: Vec<&CanonicalUrl> = reading.links.iter().map(|link| &link.target).collect();
        let whole = CanonicalUrl::parse(&format!("https://a.example/{long}/x")).unwrap();
        assert_eq!(targets[0], &whole, "a URL that nobody can request, but of the right length");
        assert_eq!((targets[1].as_str(), targets[2].as_str()), ("https://a.example/z", "http://b.test/"));
    }

    /// Each link copies the base.
    #[test]
    fn a_base_of_megabytes_is_copied_a_few_times_only() {
        let html = format!("<base href='/{}/'>{}", "b".repeat(3_000_000), "<a href=x></a>".repeat(100_000));
        let reading = reading(&html);
        assert!(reading.links.len() < 10, "{} links", reading.links.len());
        assert_eq!(reading.links.len() + reading.links_cut, 100_000);
    }

    #[test]
    fn nul_is_just_a_character() {
        assert_eq!(&*one("<a href=/b>x\0y</a>\0").text, "x y");
    }

    #[test]
    fn long_paths_of_unknown_elements_are_cut() {
        let name = format!("x-{}", "y".repeat(10_000));
        assert!(one(&format!("{}<a href=/b>", format!("<{name}>").repeat(600))).dom_path.len() < 600);
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        fn markup() -> impl Strategy<Value = String> {
            let parts: &[&str] = &[
                "<a href=/x>",
                "<a href='?y",
                "</a>",
                "<p>",
                "</p>",
                "<div class=nav>",
                "</div>",
                "<table>",
                "<tr>",
                "<td>",
                "</table>",
                "<svg>",
                "</svg>",
                "<title>",
                "</title>",
                "<foreignObject>",
                "<template>",
                "</template>",
                "<head>",
                "</head>",
                "<body>",
                "<html>",
                "<h1>",
                "</h1>",
                "<li>",
                "<select>",
                "<option>",
                "<script>",
                "</script>",
                "<style>url(a)",
                "</style>",
                "<img alt=z src=i>",
                "<noscript>",
                "</noscript>",
                "<base href=/q/>",
                "<iframe srcdoc='<a href=/n>n'>",
                "</iframe>",
                "<!--",
                "-->",
                "text ",
                "é\u{a0}",
                "&amp;",
                "\0",
                "\"",
                "'",
                ">",
                "<![CDATA[",
                "]]>",
                "2024-01-01",
                "<meta name=robots content=none>",
                "<link rel=canonical href=/c>",
                "<script type=application/ld+json>{\"url\":\"/j\"}",
                "<math>",
                "<mi>",
                "<button>",
                "<frameset>",
                "<plaintext>",
                "<b>",
                "</b>",
                "<br/>",
            ];
            proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..60).prop_map(|parts| parts.concat())
        }

        proptest! {
            #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

            #[test]
            fn any_markup_is_parsed(html in markup()) {
                reading(&html);
            }

            #[test]
            fn any_bytes_are_parsed(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
                reading(&String::from_utf8_lossy(&bytes));
            }

            #[test]
            fn links_are_in_document_order(count in 1..40usize) {
                let html: String = (0..count).map(|i| format!("<p><a href=/{i}>{i}</a>")).collect();
                let texts: Vec<String> = reading(&html).links.iter().map(|link| link.text.to_string()).collect();
                prop_assert_eq!(texts, (0..count).map(|i| i.to_string()).collect::<Vec<_>>());
            }
        }
    }
}
