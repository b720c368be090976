//! Which elements a document has, compared with the tree html5ever builds.

use super::*;

#[test]
fn the_end_of_a_template_ends_whatever_is_open_in_it() {
    for inside in
        ["<td>", "<table>", "<table><tr><td>", "<object>", "<applet><p>", "<svg><g>", "<math><mi>", "<button><p>"]
    {
        check(&format!("<body><template>{inside}<a href=/no></template><a href=/b>"), &["anchor /b"]);
        let in_head = page(&format!("<head><template>{inside}</template><title>Title</title></head><body>Words"));
        assert_eq!((in_head.title.as_deref(), in_head.word_count), (Some("Title"), 1), "{inside}");
    }
    check("</template><a href=/b></template><a href=/c>", &["anchor /b", "anchor /c"]);
}

#[test]
fn the_frame_of_the_document_is_not_begun_or_ended_in_a_template() {
    check("<head><template></head><body><a href=/no></template><link rel=next href=/b>", &["next /b"]);
    let page = page("<body><p>one</p><template><html><head></head><body></template> two");
    assert_eq!((page.structure.body_tags, page.word_count), (1, 2));
}

#[test]
fn formulas_have_no_links_but_html_in_them_has() {
    check("<math><a href=/no>x</a><mrow href=/no><maction><a xlink:href=/no></maction></mrow></math>", &[]);
    check("<math><mtext><a href=/b></a></mtext><mi><img src=/c></mi></math>", &["anchor /b", "image /c"]);
    check("<math><annotation-xml encoding='text/HTML'><a href=/b></annotation-xml></math>", &["anchor /b"]);
    check("<math><annotation-xml><a href=/no></annotation-xml></math>", &[]);
    check("<math><annotation-xml><svg><a href=/b></svg><a href=/no></annotation-xml></math>", &["anchor /b"]);
    check("<math><title><a href=/no></title></math><a href=/b>", &["anchor /b"]);
    check("<math><svg><a href=/no></svg></math><svg><math><a href=/b></math></svg>", &["anchor /b"]);
    check("<math><a href=/no><p><a href=/b></p>", &["anchor /b"]);
    check("<math><a href=/no><var><a href=/b></var>", &["anchor /b"]);
    check("<math><font><a href=/no></font><font size=1><a href=/b></font>", &["anchor /b"]);
    check("<math><a href=/no></p><a href=/b>", &["anchor /b"]);
}

#[test]
fn elements_of_html_are_none_in_svg() {
    check(
        "<svg><area href=/no><iframe src=/no></iframe><link rel=next href=/no><form action=/no></form><base href=/no/></svg><a href=b>",
        &["anchor /docs/b"],
    );
    check("<svg><foreignObject><iframe src=/a></iframe></foreignObject><a href=/b></svg>", &["iframe /a", "anchor /b"]);
    check(
        "<svg><script xlink:href=/s.js></script><template><a href=/b></template></svg>",
        &["script /s.js", "anchor /b"],
    );
    check("<svg><mi><a href=/b></mi><desc><link rel=next href=/c></desc></svg>", &["anchor /b", "next /c"]);
    check("<table><tr><td><svg><td></svg><a href=/b></td></tr></table>", &["anchor /b"]);
}

#[test]
fn a_document_of_frames_has_nothing_else() {
    check(
        "<head><link rel=next href=/n></head><frameset><frame src=/a><a href=/no>x</a><frameset><frame src=/b></frameset>\
         <script src=/no></script></frameset><frame src=/no><a href=/no>y</a><title>&</title><iframe src=/no></iframe>",
        &["next /n", "iframe /a", "iframe /b"],
    );
    let page =
        page("<title>Frames</title><frameset><frame src=/a>words<title>no</title></frameset>more words<h1>no</h1>");
    assert_eq!((page.title.as_deref(), page.titles, page.word_count, page.h1_count), (Some("Frames"), 1, 0, 0));
}

#[test]
fn frames_count_only_before_a_document_shows_something() {
    check("<p>Words<frameset><frame src=/no></frameset><a href=/b>", &["anchor /b"]);
    check("<body><frameset><frame src=/no></frameset><a href=/b>", &["anchor /b"]);
    check("<br><frameset><frame src=/no></frameset><a href=/b>", &["anchor /b"]);
    check("<div><a href=/no></a></div><input type=hidden><frameset><frame src=/b></frameset>", &["iframe /b"]);
    check("<frame src=/no><div><frame src=/no></div><a href=/b>", &["anchor /b"]);
    check("<template><frameset><frame src=/no></frameset></template><frameset><frame src=/b>", &["iframe /b"]);
}

#[test]
fn noframes_is_read_like_the_page_it_stands_for() {
    let html = "<frameset><frame src=/a></frameset><noframes><body>See <a href=/b>the &amp; page</a></body></noframes>";
    check(html, &["iframe /a", "anchor /b"]);
    assert_eq!(&*reading(html).links[1].text, "the & page");
    check("<body><noframes><a href=/b></noframes><a href=/c>", &["anchor /b", "anchor /c"]);
    check("<template><noframes><a href=/no></noframes></template>", &[]);
}

/// Links dropped by a frameset were still counted as cut.
#[test]
fn frames_forget_the_links_beyond_the_limit_too() {
    let (url, settings) = (page_url(), ParseSettings::default());
    let html = "<link rel=next href=/n><a href=/a></a><frameset><frame src=/b>";
    let reading = read(Document { links_limit: 1, ..document(&url, &settings, html) });
    assert_eq!((reading.links.len(), reading.links_cut), (1, 1));
}
