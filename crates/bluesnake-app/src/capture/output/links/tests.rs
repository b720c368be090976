use pulldown_cmark::{Event, Parser, Tag};

use super::scan::dialect;
use super::*;

const HOME: &str = "https://d.example/";

fn heading(words: &str, anchor: Option<&str>) -> Heading {
    Heading { words: words.to_owned(), anchor: anchor.map(str::to_owned), other_anchors: Vec::new() }
}

fn targets() -> Targets {
    let mut targets = Targets::default();
    let of_a = [heading("Install", None), heading("Run it: now!", Some("run")), heading("Install", Some("f(x"))];
    let more_of_a = ["b", "b_c", "x"].map(|words| heading(words, None));
    targets.add_headings(1, &[&of_a[..], &more_of_a].concat());
    targets.add_headings(3, &[heading("Über uns", Some("here"))]);
    targets.add("home.md".to_owned(), HOME);
    targets.add("guide/a b.md".to_owned(), "https://d.example/guide/a");
    targets.add("guide/c(1).md".to_owned(), "https://d.example/guide/c?x=1&y=(2)");
    targets.add("guide/d.md".to_owned(), "https://d.example/guide/d/");
    targets.add("deep/er/e.md".to_owned(), "https://d.example/deep/er/e");
    targets.add_alternate(1, "https://d.example/guide/old-a");
    targets.add_alternate(1, HOME);
    let redirect = |from: &str, to: &str| (format!("https://d.example{from}"), format!("https://d.example{to}"));
    targets.add_redirects(&[
        redirect("/moved", "/moved/again"),
        redirect("/moved/again", "/guide/a"),
        redirect("/old-d", "/guide/d"),
        redirect("/round", "/and-round"),
        redirect("/and-round", "/round"),
        redirect("/away", "/not-captured"),
        redirect("/guide/d/", "/"),
    ]);
    targets
}

/// On the page `guide/d.md`.
fn check(markdown: &str, expected: &str) {
    assert_eq!(targets().rewrite("guide/d.md", markdown), expected);
}

fn check_unchanged(markdown: &str) {
    check(markdown, markdown);
}

#[test]
fn links_lead_to_files() {
    check("[x](https://d.example/guide/a)", "[x](a%20b.md)");
    check("[x](https://d.example/)", "[x](../home.md)");
    check("[x](HTTPS://D.EXAMPLE:443/guide/../guide/a)", "[x](a%20b.md)");
    check("[x](https://d.example/deep/er/e)", "[x](../deep/er/e.md)");
    check("[x](<https://d.example/guide/a> \"title\")", "[x](<a%20b.md> \"title\")");
    check("[x]( https://d.example/guide/a 'title' )", "[x]( a%20b.md 'title' )");
    check("[x](https://d.example/guide/c?x=1&y=(2))", "[x](c%281%29.md)");
    check("[x](https://d.example/guide/c?x=1&amp;y=\\(2\\))", "[x](c%281%29.md)");
    check(
        "**[x *y*](https://d.example/guide/a)** and [z](https://d.example/)",
        "**[x *y*](a%20b.md)** and [z](../home.md)",
    );
    check("[![i](https://d.example/i.png)](https://d.example/)", "[![i](https://d.example/i.png)](../home.md)");
    check("[`](`](https://d.example/)", "[`](`](../home.md)");
    check("[](https://d.example/)", "[](../home.md)");
    check("[a\\](b](https://d.example/)", "[a\\](b](../home.md)");
    check("> - [x\n>   y](https://d.example/)", "> - [x\n>   y](../home.md)");
    check(
        "# [x](https://d.example/)\n\n- 1\n  - [y](https://d.example/)",
        "# [x](../home.md)\n\n- 1\n  - [y](../home.md)",
    );
    check("| a |\n|---|\n| [x](https://d.example/) |\n", "| a |\n|---|\n| [x](../home.md) |\n");
    check("é [ü](https://d.example/) 🐍", "é [ü](../home.md) 🐍");
}

#[test]
fn fragments_lead_to_the_headings_that_files_have() {
    check("[x](https://d.example/guide/a#run)", "[x](a%20b.md#run-it-now)");
    check("[x](https://d.example/guide/a#run-it-now)", "[x](a%20b.md#run-it-now)");
    check("[x](https://d.example/guide/a#install)", "[x](a%20b.md#install)");
    check("[x](https://d.example/guide/a#f%28x)", "[x](a%20b.md#install-1)");
    check("[x](<https://d.example/guide/a#f(x>)", "[x](<a%20b.md#install-1>)");
    check("[x](https://d.example/guide/d/#here)", "[x](#%C3%BCber-uns)");
    check("[x](https://d.example/guide/d/)", "[x](d.md)");
    check("[x](https://d.example/guide/a#)", "[x](a%20b.md)");
    check("[x](https://d.example/guide/a#top)", "[x](a%20b.md)");
}

#[test]
fn an_id_that_no_file_has_stays_on_the_web() {
    check_unchanged("[x](https://d.example/guide/a#definition)");
    check_unchanged("[x](https://d.example/guide/d/#run)");
    check_unchanged("[x](https://d.example/#run)");
}

#[test]
fn other_urls_of_a_page_lead_to_it() {
    check("[x](https://d.example/guide/old-a)", "[x](a%20b.md)");
    check("[x](https://d.example/guide/a/)", "[x](a%20b.md)");
    check("[x](https://d.example/guide/d#here)", "[x](#%C3%BCber-uns)");
}

#[test]
fn urls_that_redirect_to_a_page_lead_to_its_file() {
    check("[x](https://d.example/moved)", "[x](a%20b.md)");
    check("[x](https://d.example/moved/again#run)", "[x](a%20b.md#run-it-now)");
    check("[x](https://d.example/old-d)", "[x](d.md)");
    check("[x](https://d.example/guide/d/)", "[x](d.md)");
    check_unchanged("[x](https://d.example/round) [y](https://d.example/away)");
}

#[test]
fn links_to_uncaptured_pages_stay_absolute() {
    check_unchanged("[x](https://d.example/guide/other)");
    check_unchanged("[x](https://d.example/guide/a?x)");
    check_unchanged("[x](https://e.example/)");
    check_unchanged("[x](mailto:a@d.example) [y](relative) [z](#f) [](javascript:1) [q]()");
    check_unchanged("https://d.example/");
}

#[test]
fn references_change_where_they_are_defined() {
    check("[x][1] [1]\n\n[1]: https://d.example/guide/a#b \"t\"\n", "[x][1] [1]\n\n[1]: a%20b.md#b \"t\"\n");
    check("[1]: <https://d.example/>\n\n[1]\n", "[1]: <../home.md>\n\n[1]\n");
    check("[a\\]: b]:\n  https://d.example/\n\n[a\\]: b]", "[a\\]: b]:\n  ../home.md\n\n[a\\]: b]");
    check("[unused]: https://d.example/\n", "[unused]: ../home.md\n");
    check("> [q]: https://d.example/\n\n[q]\n", "> [q]: ../home.md\n\n[q]\n");
}

#[test]
fn autolinks_become_links() {
    check("<https://d.example/guide/a>", "[https://d.example/guide/a](a%20b.md)");
    check("<https://d.example/guide/a#b_c>", "[https://d.example/guide/a#b\\_c](a%20b.md#b_c)");
    check_unchanged("<https://e.example/> <a@d.example>");
    // A bracket there would turn it into a reference or an image.
    check_unchanged("[1]<https://d.example/> !<https://d.example/>\n\n[1]: https://e.example/");
}

#[test]
fn html_in_markdown_is_changed_in_its_attributes() {
    check("a <a href=\"https://d.example/guide/a#x\">a</a>", "a <a href=\"a%20b.md#x\">a</a>");
    check(
        "<table>\n<tr><td class='x' HREF = 'y'><a\n  title=\"a > b\" href='https://d.example/guide/c?x=1&amp;y=(2)'>c</a></td></tr>\n</table>\n",
        "<table>\n<tr><td class='x' HREF = 'y'><a\n  title=\"a > b\" href='c%281%29.md'>c</a></td></tr>\n</table>\n",
    );
    check("<td><a href = \"https://d.example/\" id=q>x</a>", "<td><a href = \"../home.md\" id=q>x</a>");
    check("<iframe src=\"https://d.example/\"></iframe>", "<iframe src=\"../home.md\"></iframe>");
    check_unchanged("<a data-href=\"https://d.example/\" title=\"href='https://d.example/'\">x</a>");
    check_unchanged("<!-- <a href=\"https://d.example/\"> -->");
    check_unchanged("<div>\n&lt;a href=\"https://d.example/\"&gt;\n</div>");
}

#[test]
fn code_is_left_alone() {
    check_unchanged("```\n[x](https://d.example/)\n<a href=\"https://d.example/\">\n```\n");
    check_unchanged("~~~ markdown\n[x](https://d.example/)\n\n[1]: https://d.example/\n~~~\n");
    check_unchanged("    [x](https://d.example/)\n    [1]: https://d.example/\n");
    check_unchanged("`[x](https://d.example/)` and ``<https://d.example/> ` ``");
    check_unchanged("- a\n\n  ```\n  [x](https://d.example/)\n  ```\n");
    check_unchanged("> ```\n> <https://d.example/>\n> ```\n");
    check_unchanged("| a |\n|---|\n| `[x](https://d.example/)` |\n");
    check_unchanged("````\n```\n[x](https://d.example/)\n```\n````\n");
    check_unchanged("```\n[x](https://d.example/)");
    check_unchanged("\\[x](https://d.example/)");
}

/// What a Markdown reader sees: texts, code and structure, and link targets.
fn meaning(markdown: &str, leads_to: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let mut text = String::new();
    for event in Parser::new_ext(markdown, dialect()) {
        if let Event::Text(piece) = &event {
            text.push_str(piece);
            continue;
        }
        seen.push(std::mem::take(&mut text));
        seen.push(match event {
            Event::Start(Tag::Link { dest_url, title, .. }) => format!("link {:?} {title}", leads_to(&dest_url)),
            Event::Start(Tag::Image { dest_url, title, .. }) => format!("image {:?} {title}", leads_to(&dest_url)),
            // Its attributes change too.
            Event::Html(_) | Event::InlineHtml(_) => "html".to_owned(),
            other => format!("{other:?}"),
        });
    }
    seen.push(text);
    seen
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(5_000))]

    #[test]
    fn nothing_but_destinations_changes(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "[", "]", "(", ")", "<", ">", "](", "]:", "`", "```\n", "\n", "\n\n", "    ", "> ", "- ", "|", "\\", "\"", "'",
            "&amp;", "é", "https://d.example/", "https://d.example/guide/a#b", "<a href=", "<a href=\"", "<!--", "-->", "![", "x",
            " ", "=", "[1]: ", "[1]", "[x](https://d.example/)", "<https://d.example/>", "[1]: https://d.example/\n", "|a|\n|-|\n",
        ]), 0..30)
    ) {
        let markdown = pieces.concat();
        let written = targets().rewrite("guide/d.md", &markdown);
        let relative = |url: &str| targets().relative("guide/d.md", url).unwrap_or_else(|| url.to_owned());
        proptest::prop_assert_eq!(meaning(&written, &relative), meaning(&markdown, &relative), "{} became {}", markdown, written);
    }
}
