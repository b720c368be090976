use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn claim_all<'a>(urls: impl IntoIterator<Item = &'a str> + Clone) -> Vec<String> {
    let mut names = Names::new(urls.clone());
    urls.into_iter().map(|url| names.claim(url, url)).collect()
}

#[test]
fn names_follow_urls() {
    let check = |path: &str, expected: &str| {
        let url = format!("https://a.example{path}");
        assert_eq!(claim_all([url.as_str()]), [expected], "{path}");
    };
    check("/", "home.md");
    check("/index.html", "home.md");
    check("/?page=2", "home_page=2.md");
    check("/a", "a.md");
    check("/a/", "a.md");
    check("/a/b", "a/b.md");
    check("/a/index.html", "a/index.md");
    check("/a.html", "a.md");
    check("/a.md", "a.md");
    check("/v1.2", "v1.2.md");
    check("/a?x=1&y=2", "a_x=1&y=2.md");
    check("/a#b", "a.md");
    check("/a//b", "a/b.md");
    check("/%C3%A9t%C3%A9", "été.md");
    check("/a%2Fb", "a_b.md");
    check("/a%5Cb", "a_b.md");
    check("/a/../../b", "b.md");
    check("/...%2f../b", "_..__/b.md");
    check("/CON", "_CON.md");
    check("/con.tar.gz", "_con.tar.gz.md");
    check("/lpt9/x", "_lpt9/x.md");
    check("/com%C2%B9", "_com¹.md");
    check("/console", "console.md");
    check("/.git/config", "_git/config.md");
    check("/a./b", "a_/b.md");
    check("/a%20b", "a_b.md");
    check("/-rf", "_rf.md");
    check("/PROGRA~1", "PROGRA_1.md");
    check("/a%00b%1fc", "a_b_c.md");
    check("/%E2%80%AEtxt", "_txt.md");
    check("/%ff%fe", "\u{fffd}\u{fffd}.md");
}

#[test]
fn a_colliding_name_gets_a_hash() {
    let check = |paths: [&str; 2], first: &str, second_starts: &str| {
        let urls = paths.map(|path| format!("https://a.example{path}"));
        let claimed = claim_all(urls.iter().map(String::as_str));
        assert_eq!(claimed[0], first);
        assert!(claimed[1].starts_with(second_starts), "{claimed:?}");
        assert_eq!(claimed[1].len(), second_starts.len() + HASH_DIGITS + EXTENSION.len(), "{claimed:?}");
    };
    check(["/a", "/a/"], "a.md", "a-");
    check(["/a/", "/a"], "a.md", "a-");
    check(["/Readme", "/README"], "Readme.md", "README-");
    check(["/stra%C3%9Fe", "/STRASSE"], "straße.md", "STRASSE-");
    check(["/caf%C3%A9", "/cafe%CC%81"], "café.md", "café-");
    check(["/a?x", "/a_x"], "a_x.md", "a_x-");
    check(["/index", "/"], "home.md", "home-");
    check(["/Docs/a", "/docs/A"], "Docs/a.md", "Docs/A-");
    check(["/a", "/a"], "a.md", "a-");
}

#[test]
fn a_page_and_its_subpages_are_siblings() {
    let urls = ["https://a.example/a", "https://a.example/a/b", "https://a.example/a.md/c", "https://a.example/a.md/d"];
    let claimed = claim_all(urls);
    assert_eq!(claimed[..2], ["a.md", "a/b.md"]);
    let (folder, name) = claimed[2].rsplit_once('/').unwrap();
    assert!(folder.starts_with("a.md-") && name == "c.md", "{claimed:?}");
    assert_eq!(claimed[3], format!("{folder}/d.md"));
}

#[test]
fn a_folder_keeps_the_spelling_of_its_first_page() {
    assert_eq!(claim_all(["https://a.example/Docs/a", "https://a.example/docs/b"]), ["Docs/a.md", "Docs/b.md"]);
}

#[test]
fn our_own_files_are_never_pages() {
    for name in ["index.md", "Index.MD", "llms.txt.md"] {
        assert!(!RESERVED.contains(&claim_all([format!("https://a.example/x/../{name}").as_str()])[0].as_str()));
    }
}

fn hostile_segment() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "..",
        ".",
        "%2e%2e",
        "%2E%2e%2f",
        "..%5c",
        "CON",
        "con",
        "Nul.txt",
        "aux",
        "COM1",
        "lpt9.md",
        "a",
        "A",
        "a.md",
        "a.MD",
        "a.html",
        "index",
        "index.html",
        "llms.txt",
        "%00",
        "%0a",
        "%20",
        "a%20",
        "a.",
        "%E2%80%AE",
        "%EF%BB%BF",
        "caf%C3%A9",
        "cafe%CC%81",
        "CAFE%CC%81",
        "%EF%BC%A1",
        "%C5%BF",
        "%E2%84%AA",
        "k",
        "K",
        "stra%C3%9Fe",
        "STRASSE",
        "%F0%9F%90%8D",
        "%ff",
        "C:",
        "a:b",
        "~1",
        "-",
        "--",
        "&amp;",
        "%3Cscript%3E",
        "%7C",
        "*",
        "home",
    ]);
    prop_oneof![
        4 => known.prop_map(str::to_owned),
        2 => "[aAbB.]{1,3}",
        2 => "\\PC{0,6}",
        1 => any::<String>(),
        1 => ("[a-zA-Zé.]", 1_usize..5_000).prop_map(|(letter, count)| letter.repeat(count)),
    ]
}

fn hostile_url() -> impl Strategy<Value = String> {
    let segments = prop::collection::vec(hostile_segment(), 0..6);
    let host = prop::sample::select(vec![
        "https://a.example/",
        "http://A.example/",
        "https://b.example:8/",
        "",
        "/",
        "file:///",
    ]);
    let ending = prop_oneof![4 => Just(String::new()), 1 => Just("/".to_owned()), 1 => hostile_segment().prop_map(|query| format!("?{query}"))];
    (host, segments, ending).prop_map(|(host, segments, ending)| format!("{host}{}{ending}", segments.join("/")))
}

/// The rules of the strictest file systems, checked independently of the code that makes the names.
fn assert_safe(path: &str) {
    assert!(path.len() <= PATH_BYTES, "{path:?}");
    assert!(path.ends_with(".md") && !path.starts_with('/'), "{path:?}");
    for part in path.split('/') {
        assert!(!part.is_empty() && part.len() <= SEGMENT_BYTES && part != "." && part != "..", "{path:?}");
        assert!(!part.ends_with(['.', ' ']) && !part.starts_with(['.', ' ', '-']), "{path:?}");
        assert!(!part.contains(['<', '>', ':', '"', '\\', '|', '?', '*', '~']), "{path:?}");
        assert!(!part.chars().any(|c| c.is_control() || c.is_whitespace()), "{path:?}");
        let turning = ['\u{200e}', '\u{200f}', '\u{61c}', '\u{feff}', '\u{200b}', '\u{ad}'];
        assert!(!part.contains(turning) && !part.contains(|c| ('\u{202a}'..='\u{202e}').contains(&c)), "{path:?}");
        assert!(!part.contains(|c| ('\u{2066}'..='\u{2069}').contains(&c)), "{path:?}");
        let stem = part.split('.').next().unwrap().to_uppercase();
        let devices = ["CON", "PRN", "AUX", "NUL", "COM1", "COM9", "LPT1", "LPT9", "COM0", "COM²"];
        assert!(!devices.contains(&stem.as_str()), "{path:?}");
    }
}

fn nfc(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// 500 captures of 200 pages each.
    #[test]
    fn hostile_urls_stay_inside_and_apart(urls in prop::collection::vec(hostile_url(), 200)) {
        let claimed = claim_all(urls.iter().map(String::as_str));

        claimed.iter().for_each(|path| assert_safe(path));
        // Distinct on systems that fold case before or after they normalize, and no file where a folder is.
        let same_to_somebody: [fn(&str) -> String; 3] =
            [|path| nfc(&path.to_lowercase()), |path| nfc(&path.to_uppercase()), |path| nfc(path).to_lowercase()];
        for same in same_to_somebody {
            let files: HashSet<_> = claimed.iter().map(|path| same(path)).chain(RESERVED.map(same)).collect();
            prop_assert_eq!(files.len(), claimed.len() + RESERVED.len());
            let folders = claimed.iter().flat_map(|path| path.match_indices('/').map(|(slash, _)| same(&path[..slash])));
            prop_assert!(folders.into_iter().all(|folder| !files.contains(&folder)));
        }
        prop_assert_eq!(claim_all(urls.iter().map(String::as_str)), claimed);
    }
}
