use super::*;
use crate::capture::output::Tokens;

fn entry(path: &str, title: &str) -> PageEntry {
    PageEntry {
        place: 0,
        url: format!("https://a.example/{path}"),
        path: path.to_owned(),
        title: title.to_owned(),
        description: None,
        tokens: Tokens { o200k: 1, cl100k: 1 },
    }
}

fn check(paths: &[&str], expected: &[(&str, &[&str])]) {
    let pages: Vec<_> = paths.iter().map(|path| entry(path, "x")).collect();
    let found: Vec<(&str, Vec<&str>)> = sections(&pages)
        .into_iter()
        .map(|(name, pages)| (name, pages.iter().map(|page| page.path.as_str()).collect()))
        .collect();
    let expected: Vec<(&str, Vec<&str>)> = expected.iter().map(|(name, paths)| (*name, paths.to_vec())).collect();
    assert_eq!(found, expected);
}

#[test]
fn sections_are_the_folders_in_which_pages_differ() {
    check(&[], &[]);
    check(&["a.md"], &[("Pages", &["a.md"])]);
    check(
        &["docs/a/b.md", "docs/c/d.md", "docs/a/e.md"],
        &[("a", &["docs/a/b.md", "docs/a/e.md"]), ("c", &["docs/c/d.md"])],
    );
    check(&["docs.md", "docs/a.md"], &[("docs", &["docs.md", "docs/a.md"])]);
    check(&["docs/ab/x.md", "docs/a/y.md"], &[("ab", &["docs/ab/x.md"]), ("a", &["docs/a/y.md"])]);
    check(&["home.md", "a/b.md"], &[("Pages", &["home.md"]), ("a", &["a/b.md"])]);
}

#[test]
fn no_title_breaks_out_of_its_line() {
    let outline =
        Outline { pages: vec![entry("a(1).md", "[x](https://evil.example/) <b> `c` *d*")], ..Outline::default() };
    let site = SiteFacts { title: Some("A\n# B".to_owned()), ..SiteFacts::default() };

    assert_eq!(
        llms_txt(&site, &outline),
        "# A # B\n\n## Pages\n\n- [\\[x\\](https://evil.example/) \\<b\\> \\`c\\` \\*d\\*](a%281%29.md)\n"
    );
}
