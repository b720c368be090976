//! Captured pages as files: their contents, that none is missing, and that no other file is touched.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use bluesnake_app::AppError;
use bluesnake_app::capture::output::{
    self, Existing, Format, Links, OutputOptions, PageIter, SiteFacts, Tokens, Written,
};
use bluesnake_app::capture::{CapturedPage, Heading};
use bluesnake_extract::{JsonLd, Metadata};

fn page(url: &str, markdown: &str) -> CapturedPage {
    let tokens = bluesnake_extract::tokens(markdown);
    CapturedPage {
        url: url.to_owned(),
        title: Some(format!("About {url}")),
        markdown: markdown.to_owned(),
        hash: "00ff".to_owned(),
        tokens_o200k: tokens.o200k as i64,
        tokens_cl100k: tokens.cl100k as i64,
        crawled_at: 1_700_000_000,
        confidence: 0.9,
        ..CapturedPage::default()
    }
}

fn pages() -> Vec<CapturedPage> {
    let home = "# Home\n\nSee the [guide](https://docs.example/guide/start#run), [old](https://docs.example/old) and [others](https://else.example/).\n";
    let start = "# Start\n\nBack [home](https://docs.example/).\n\n```\n[home](https://docs.example/)\n```\n";
    let mut install = page("https://docs.example/guide/install?os=linux", "[start](https://docs.example/guide/begin)");
    install.description = Some("How to\ninstall: \"it\"".to_owned());
    let thing = JsonLd { kind: Some("TechArticle".to_owned()), ..JsonLd::default() };
    install.metadata = Metadata { og_type: Some("article".to_owned()), json_ld: vec![thing], ..Metadata::default() };
    let mut start = page("https://docs.example/guide/start", start);
    start.headings = vec![Heading { words: "Run it".to_owned(), anchor: Some("run".to_owned()), ..Heading::default() }];
    vec![
        page("https://docs.example/", home),
        CapturedPage { alternate_urls: vec!["https://docs.example/guide/begin".to_owned()], ..start },
        install,
        page("https://docs.example/guide", "All guides"),
    ]
}

fn options(format: Format) -> OutputOptions {
    OutputOptions { existing: Existing::Replace, ..OutputOptions::new(format) }
}

fn write<'a>(
    target: &Path,
    options: OutputOptions,
    pages: impl Fn() -> Result<PageIter<'a>, AppError>,
) -> Result<Written, AppError> {
    let site = SiteFacts {
        title: Some("Example docs".to_owned()),
        description: Some("All about examples".to_owned()),
        base_urls: vec!["https://docs.example/".to_owned()],
        redirects: vec![("https://docs.example/old".to_owned(), "https://docs.example/guide/begin".to_owned())],
    };
    output::write(target, options, &site, pages)
}

fn put(target: &Path, format: Format, pages: &[CapturedPage]) -> Result<Written, AppError> {
    write(target, options(format), || Ok(iterate(pages)))
}

fn iterate(pages: &[CapturedPage]) -> PageIter<'_> {
    Box::new(pages.iter().cloned().map(Ok))
}

/// Every file below a folder, by its path with `/`.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_tree_follows_the_urls_and_lists_its_pages() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");

    let written = put(&docs, Format::Tree, &pages()).unwrap();

    let found = files(&docs);
    let expected = [
        ".bluesnake-capture",
        "guide.md",
        "guide/install_os=linux.md",
        "guide/start.md",
        "home.md",
        "index.md",
        "llms-full.txt",
        "llms.txt",
    ];
    assert_eq!(found.keys().collect::<Vec<_>>(), expected);
    let bytes = found.iter().filter(|(name, _)| !name.starts_with('.')).map(|(_, bytes)| bytes.len() as u64).sum();
    let body = |name: &str| text(&docs, name).split_once("\n---\n\n").unwrap().1.trim_end_matches('\n').to_owned();
    let in_files = ["guide.md", "guide/install_os=linux.md", "guide/start.md", "home.md"].map(body);
    let counted = in_files.map(|text| bluesnake_extract::tokens(&text));
    let tokens = Tokens {
        o200k: counted.iter().map(|tokens| tokens.o200k as u64).sum(),
        cl100k: counted.iter().map(|tokens| tokens.cl100k as u64).sum(),
    };
    assert_eq!(written, Written { pages: 4, files: 7, bytes, tokens, path: docs.clone() });
    assert_eq!(names(place.path()), ["docs"], "no other files remain");
    assert_eq!(
        text(&docs, "llms.txt"),
        "# Example docs\n\n> All about examples\n\n## Pages\n\n- [About https://docs.example/](home.md)\n\n## guide\n\n\
         - [About https://docs.example/guide/start](guide/start.md)\n\
         - [About https://docs.example/guide/install?os=linux](guide/install_os=linux.md): How to install: \"it\"\n\
         - [About https://docs.example/guide](guide.md)\n"
    );
    let line = format!("- [About https://docs.example/](home.md) ({} tokens)\n", counted[3].o200k);
    assert!(text(&docs, "index.md").contains(&line), "{line}");
    assert!(text(&docs, "llms-full.txt").contains("URL: https://docs.example/guide/start\n====="));
}

#[test]
fn links_between_pages_become_relative_and_code_is_unchanged() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");

    put(&docs, Format::Tree, &pages()).unwrap();

    let home = text(&docs, "home.md");
    assert!(home.contains("[guide](guide/start.md#run-it), [old](guide/start.md) and [others](https://else.example/)"));
    assert!(
        text(&docs, "guide/start.md")
            .ends_with("Back [home](../home.md).\n\n```\n[home](https://docs.example/)\n```\n")
    );
    assert!(text(&docs, "guide/install_os=linux.md").ends_with("\n[start](start.md)\n"));
}

#[test]
fn links_stay_absolute_on_request() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    let options = OutputOptions { links: Links::Absolute, ..options(Format::Tree) };

    let all = pages();
    write(&docs, options, || Ok(iterate(&all))).unwrap();

    assert!(text(&docs, "home.md").contains("[guide](https://docs.example/guide/start#run)"));
}

#[test]
fn fetch_times_are_written_only_on_request() {
    let place = tempfile::tempdir().unwrap();
    let all = pages();
    let (plain, timed) = (place.path().join("plain"), place.path().join("timed"));

    put(&plain, Format::Tree, &all).unwrap();
    let with_times = OutputOptions { with_times: true, ..options(Format::Tree) };
    write(&timed, with_times, || Ok(iterate(&all))).unwrap();

    assert!(!text(&plain, "home.md").contains("crawled"));
    assert!(text(&timed, "home.md").contains("\ncrawled: \"2023-11-14T22:13:20.000Z\"\n"));
}

#[test]
fn several_hosts_get_a_folder_each() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    let all = [page("https://a.example/x", "[b](https://b.example:8080/)"), page("https://b.example:8080/", "b")];

    put(&docs, Format::Tree, &all).unwrap();

    assert!(text(&docs, "a.example/x.md").ends_with("\n[b](../b.example_8080/home.md)\n"));
}

#[test]
fn equal_pages_give_equal_bytes_in_every_format() {
    let place = tempfile::tempdir().unwrap();
    for format in [Format::Tree, Format::Zip, Format::Single, Format::Text, Format::Jsonl] {
        let [first, second] = ["first", "second"].map(|name| {
            let target = place.path().join(format!("{name}-{format:?}"));
            put(&target, format, &pages()).unwrap();
            if target.is_dir() { files(&target) } else { BTreeMap::from([(String::new(), fs::read(target).unwrap())]) }
        });
        assert!(first == second, "{format:?}");
    }
}

/// Every file of an archive, by its name; none leads out of the folder where it is unpacked.
fn unpacked(archive: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(fs::File::open(archive).unwrap()).unwrap();
    let mut unpacked = BTreeMap::new();
    for place in 0..archive.len() {
        let mut entry = archive.by_index(place).unwrap();
        let name = entry.name().unwrap().into_owned();
        assert_eq!(entry.enclosed_name().unwrap().to_str().unwrap().replace('\\', "/"), name);
        assert_eq!((entry.unix_mode(), entry.last_modified().unwrap().year()), (Some(0o100_644), 1980));
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        assert!(unpacked.insert(name, bytes).is_none(), "names are unique");
    }
    unpacked
}

#[test]
fn zip_contains_the_same_files_as_the_tree() {
    let place = tempfile::tempdir().unwrap();
    let (docs, packed) = (place.path().join("docs"), place.path().join("docs.zip"));

    let tree = put(&docs, Format::Tree, &pages()).unwrap();
    let zip = put(&packed, Format::Zip, &pages()).unwrap();

    let mut expected = files(&docs);
    expected.remove(".bluesnake-capture").unwrap();
    assert_eq!(unpacked(&packed), expected);
    assert_eq!((tree.files, tree.bytes, tree.tokens), (zip.files, zip.bytes, zip.tokens));
}

#[test]
fn single_file_has_all_pages_and_one_front_matter() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("docs.md");

    put(&file, Format::Single, &pages()[2..]).unwrap();

    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "---\ntitle: \"Example docs\"\ndescription: \"All about examples\"\nbase_urls:\n  - \"https://docs.example/\"\n\
         pages: 2\ntokens:\n  o200k: 13\n  cl100k: 13\n---\n\
         \n---\n\n<!-- url: https://docs.example/guide/install?os=linux -->\n\n[start](https://docs.example/guide/begin)\n\
         \n---\n\n<!-- url: https://docs.example/guide -->\n\nAll guides\n"
    );
}

#[test]
fn plain_text_separates_pages_with_a_line() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("docs.txt");
    let plain = |url: &str, text: &str| CapturedPage { text: text.to_owned(), ..page(url, &format!("*{text}*")) };

    let written = put(&file, Format::Text, &[plain("https://a.example/x", "One"), plain("https://a.example/y", "Two")]);

    let line = "=".repeat(80);
    let of = |url: &str, text: &str| format!("{line}\nTitle: About {url}\nURL: {url}\n{line}\n\n{text}\n\n");
    let expected = of("https://a.example/x", "One") + &of("https://a.example/y", "Two");
    assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    assert_eq!((written.unwrap().pages, expected.len()), (2, fs::metadata(&file).unwrap().len() as usize));
}

#[test]
fn json_lines_contain_all_facts_of_a_page() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("docs.jsonl");

    put(&file, Format::Jsonl, &pages()).unwrap();

    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    let expected = serde_json::json!({
        "url": "https://docs.example/guide/install?os=linux", "canonical": null, "alternate_urls": [],
        "title": "About https://docs.example/guide/install?os=linux", "description": "How to\ninstall: \"it\"",
        "language": null, "tokens_o200k": 11, "tokens_cl100k": 11, "hash": "00ff", "confidence": 0.9,
        "metadata": {
            "description": null, "keywords": null, "author": null, "generator": null, "og_title": null,
            "og_description": null, "og_type": "article", "og_site_name": null, "article_section": null,
            "article_tags": [], "canonical": null,
            "json_ld": [{"type": "TechArticle", "headline": null, "description": null, "name": null, "author": null}],
        },
        "markdown": "[start](https://docs.example/guide/begin)",
    });
    assert_eq!(lines[2], expected);
    assert!(text.starts_with("{\"url\":"), "the URL comes first");
}

/// Returns two pages, then fails, on the given pass.
fn failing(reading: usize) -> impl Fn() -> Result<PageIter<'static>, AppError> {
    let asked = std::cell::Cell::new(0);
    move || {
        asked.set(asked.get() + 1);
        let all = pages().into_iter().map(Ok);
        if asked.get() < reading {
            return Ok(Box::new(all));
        }
        let failure = std::iter::once_with(|| Err(AppError::Invalid("the store is gone".to_owned())));
        Ok(Box::new(all.take(2).chain(failure)))
    }
}

#[test]
fn a_failure_keeps_the_old_output_and_leaves_no_leftovers() {
    let readings = [(Format::Tree, 3), (Format::Zip, 3), (Format::Single, 2), (Format::Text, 1), (Format::Jsonl, 1)];
    for (format, readings) in readings {
        for reading in 1..=readings {
            let place = tempfile::tempdir().unwrap();
            let target = place.path().join("docs");
            put(&target, format, &pages()[..1]).unwrap();
            let before = files(place.path());

            let failed = write(&target, options(format), failing(reading)).unwrap_err();

            assert_eq!(failed.to_string(), "the store is gone");
            assert_eq!(files(place.path()), before, "{format:?}, reading {reading}");
            assert_eq!(names(place.path()), ["docs"]);
        }
    }
}

#[test]
fn pages_that_change_between_passes_are_an_error() {
    let place = tempfile::tempdir().unwrap();
    let asked = std::cell::Cell::new(0);
    let fewer = || {
        asked.set(asked.get() + 1);
        Ok(Box::new(pages().into_iter().take(4 - asked.get()).map(Ok)) as PageIter<'_>)
    };

    let failed = write(&place.path().join("docs"), options(Format::Tree), fewer).unwrap_err();

    assert_eq!(failed.to_string(), "the captured pages changed while they were written");
    assert!(names(place.path()).is_empty());
}

#[test]
fn a_new_capture_replaces_the_old_tree_as_a_whole() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    put(&docs, Format::Tree, &pages()).unwrap();

    put(&docs, Format::Tree, &[page("https://docs.example/only", "one")]).unwrap();

    let left: Vec<_> = files(&docs).into_keys().collect();
    assert_eq!(left, [".bluesnake-capture", "index.md", "llms-full.txt", "llms.txt", "only.md"]);
    assert_eq!(names(place.path()), ["docs"]);
}

#[test]
fn a_folder_that_is_not_ours_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    fs::create_dir(&docs).unwrap();
    fs::write(docs.join("thesis.tex"), "years of work").unwrap();

    let refused = put(&docs, Format::Tree, &pages()).unwrap_err();

    assert_eq!(refused.to_string(), format!("{} has something that is not from a capture: thesis.tex", docs.display()));
    assert!(refused.hint().unwrap().contains("name a new or an empty one"));
    assert_eq!(names(&docs), ["thesis.tex"]);
    assert_eq!(names(place.path()), ["docs"]);
}

#[test]
fn files_added_by_the_user_are_not_deleted() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    put(&docs, Format::Tree, &pages()).unwrap();
    fs::create_dir(docs.join(".git")).unwrap();

    let refused = put(&docs, Format::Tree, &pages()).unwrap_err();

    assert!(refused.to_string().ends_with("not from a capture: .git"), "{refused}");
    assert!(docs.join(".git").is_dir());
}

#[test]
fn an_empty_folder_is_accepted() {
    let place = tempfile::tempdir().unwrap();
    put(place.path(), Format::Tree, &pages()).unwrap();
    assert!(place.path().join("home.md").is_file());
}

#[cfg(unix)]
#[test]
fn symlinks_are_never_followed() {
    use std::os::unix::fs::symlink;
    let place = tempfile::tempdir().unwrap();
    let (docs, outside) = (place.path().join("docs"), place.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("start.md"), "precious").unwrap();
    put(&docs, Format::Tree, &pages()).unwrap();
    fs::remove_file(docs.join("home.md")).unwrap();
    fs::remove_dir_all(docs.join("guide")).unwrap();
    symlink(outside.join("start.md"), docs.join("home.md")).unwrap();
    symlink(&outside, docs.join("guide")).unwrap();

    put(&docs, Format::Tree, &pages()).unwrap();

    assert_eq!(files(&outside), BTreeMap::from([("start.md".to_owned(), b"precious".to_vec())]));
    assert!(fs::symlink_metadata(docs.join("guide")).unwrap().is_dir());
    assert!(fs::symlink_metadata(docs.join("home.md")).unwrap().is_file());
}

#[cfg(unix)]
#[test]
fn a_symlink_as_target_is_refused_with_or_without_a_slash() {
    let place = tempfile::tempdir().unwrap();
    let real = place.path().join("real");
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, place.path().join("docs")).unwrap();

    for name in ["docs", "docs/"] {
        let refused = put(&place.path().join(name), Format::Tree, &pages()).unwrap_err();
        assert!(refused.to_string().ends_with("docs is a symbolic link"), "{refused}");
    }
    assert!(names(&real).is_empty());
}

#[cfg(unix)]
#[test]
fn permissions_of_the_tree_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let (docs, plain) = (place.path().join("docs"), place.path().join("plain"));

    put(&docs, Format::Tree, &pages()).unwrap();
    fs::create_dir(&plain).unwrap();

    let [ours, plain] = [docs, plain].map(|path| fs::metadata(path).unwrap().permissions().mode());
    assert_eq!(ours, plain);
}

#[test]
fn leftovers_of_killed_captures_are_removed_and_those_of_live_ones_kept() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    let leave = |name: &str| {
        let folder = place.path().join(name);
        fs::create_dir_all(folder.join("tree/guide")).unwrap();
        fs::write(folder.join("tree/guide/half.md"), "ha").unwrap();
        fs::File::create(folder.join("lock")).unwrap()
    };
    leave(".docs.tmp-killed");
    let lock = leave(".docs.tmp-living");
    lock.lock().unwrap();
    fs::create_dir(place.path().join(".docs.tmp-killed-at-once")).unwrap();
    fs::create_dir_all(place.path().join(".docs.tmp-of-somebody-else/tree")).unwrap();

    put(&docs, Format::Tree, &pages()).unwrap();

    assert_eq!(names(place.path()), [".docs.tmp-living", ".docs.tmp-of-somebody-else", "docs"]);
    assert!(place.path().join(".docs.tmp-living/tree/guide/half.md").is_file());
}

#[test]
fn an_old_tree_moved_aside_before_a_kill_is_restored_even_if_the_next_capture_fails() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    put(&docs, Format::Tree, &pages()).unwrap();
    let before = files(&docs);
    let leftover = place.path().join(".docs.tmp-killed");
    fs::create_dir_all(leftover.join("tree")).unwrap();
    fs::File::create(leftover.join("lock")).unwrap();
    fs::rename(&docs, leftover.join("old")).unwrap();

    write(&docs, options(Format::Tree), failing(2)).unwrap_err();

    assert_eq!(files(&docs), before);
    assert_eq!(names(place.path()), ["docs"]);
}

#[test]
fn tree_and_zip_cannot_go_to_stdout() {
    for format in [Format::Tree, Format::Zip] {
        let refused = put(Path::new("-"), format, &pages()).unwrap_err();
        assert_eq!(refused.to_string(), "this format cannot be written to stdout");
    }
}

#[test]
fn a_target_without_a_name_is_refused() {
    for name in ["", "/", ".."] {
        let refused = put(Path::new(name), Format::Tree, &pages()).unwrap_err();
        assert_eq!(refused.to_string(), format!("{name} is not a folder name"));
    }
}

#[test]
fn hostile_urls_round_trip() {
    let place = tempfile::tempdir().unwrap();
    let (docs, packed) = (place.path().join("docs"), place.path().join("docs.zip"));
    let long = format!("https://a.example/{}/{}", "d".repeat(5_000), "f".repeat(5_000));
    let deep = format!("https://a.example/{}", "x/".repeat(2_000));
    let urls = [
        "https://a.example/../../etc/passwd",
        "https://a.example/%2e%2e/%2e%2e/etc/passwd",
        "https://a.example/..%2f..%2fetc%2fpasswd",
        "https://a.example/..%5c..%5cetc",
        "https://a.example/CON",
        "https://a.example/con.html",
        "https://a.example/nul/aux.txt",
        "https://a.example/Readme",
        "https://a.example/README",
        "https://a.example/readme/",
        "https://a.example/%00%01",
        "https://a.example/%E2%80%AEdm.exe",
        "https://a.example/caf%C3%A9",
        "https://a.example/cafe%CC%81",
        "https://a.example/a",
        "https://a.example/a?",
        "https://a.example/a?x",
        "https://a.example/a.md",
        "https://a.example/a.md/b",
        "https://a.example/index.md",
        "https://a.example/llms.txt",
        "https://a.example/.bluesnake-capture",
        "https://a.example/.git/config",
        "https://a.example/-rf",
        "https://a.example/a.",
        "https://a.example/a%20",
        "https://a.example/%20",
        "https://a.example/%F0%9F%90%8D",
        "not a url",
        "/etc/passwd",
        "",
        &long,
        &deep,
    ];
    let all: Vec<_> = urls.iter().map(|url| page(url, &format!("this is {url}"))).collect();

    put(&docs, Format::Tree, &all).unwrap();
    put(&packed, Format::Zip, &all).unwrap();

    let mut found = files(&docs);
    assert_eq!(found.len(), urls.len() + 4);
    found.remove(".bluesnake-capture").unwrap();
    assert!(unpacked(&packed) == found, "the archive has the same names and files");
    for url in urls {
        let ending = format!("\nthis is {url}\n");
        let holding = found.iter().filter(|(name, _)| name.ends_with(".md"));
        assert_eq!(holding.filter(|(_, bytes)| bytes.ends_with(ending.as_bytes())).count(), 1, "{url}");
    }
    assert!(found.keys().all(|name| name.len() <= 240 && name.split('/').all(|part| part.len() <= 200)));
}

/// Names the place for a second process of this test program, which writes there.
#[cfg(unix)]
const WRITE_TO: &str = "BLUESNAKE_TEST_WRITE_TO";

#[cfg(unix)]
const PAGES: usize = 100;

/// Many pages, all with the same text.
#[cfg(unix)]
fn many_pages(text: &'static str) -> impl Fn() -> Result<PageIter<'static>, AppError> {
    move || {
        Ok(Box::new(
            (0..PAGES).map(move |number| Ok(page(&format!("https://a.example/{number}"), &text.repeat(2_000)))),
        ))
    }
}

/// Does nothing unless it is started by one of the tests below.
#[cfg(unix)]
#[test]
fn second_process() {
    let Some(target) = std::env::var_os(WRITE_TO) else { return };
    loop {
        for text in ["one ", "two "] {
            write(Path::new(&target), options(Format::Tree), many_pages(text)).unwrap();
        }
    }
}

/// All pages of one writing, and its other files.
#[cfg(unix)]
fn assert_whole(docs: &Path) {
    let found = files(docs);
    assert_eq!(found.len(), PAGES + 4, "{:?}", found.keys());
    let full = &found["llms-full.txt"];
    let text = if full.windows(4).any(|word| word == b"one ") { "one " } else { "two " };
    for name in (0..PAGES).map(|number| format!("{number}.md")) {
        let ending = format!("\n{}\n", text.repeat(2_000));
        assert!(found[&name].ends_with(ending.as_bytes()), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_kill_at_any_moment_leaves_a_complete_tree() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    write(&docs, options(Format::Tree), many_pages("one ")).unwrap();
    // The folder in which a tree is being written, once it has this file.
    let has_begun = |file: &str| {
        let passing = names(place.path()).into_iter().filter(|name| name.starts_with(".docs.tmp-"));
        passing.map(|name| place.path().join(name).join("tree").join(file)).any(|file| file.exists())
    };
    for round in 0..60 {
        for leftover in names(place.path()).iter().filter(|name| name.starts_with('.')) {
            fs::rename(place.path().join(leftover), place.path().join(format!("kept{leftover}"))).unwrap();
        }
        let mut writer = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "output::second_process"])
            .env(WRITE_TO, &docs)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // The last file is soon followed by the swap and the removal of the old tree.
        let (file, spins) = if round % 4 == 0 { ("index.md", round * 40) } else { ("llms-full.txt", round * 3) };
        while !has_begun(file) {
            std::thread::yield_now();
        }
        for _ in 0..spins {
            std::hint::black_box(has_begun(file));
        }
        writer.kill().unwrap();
        writer.wait().unwrap();

        assert_whole(&docs);
    }
    for kept in names(place.path()).iter().filter(|name| name.starts_with("kept")) {
        fs::rename(place.path().join(kept), place.path().join(&kept["kept".len()..])).unwrap();
    }
    write(&docs, options(Format::Tree), many_pages("two ")).unwrap();
    assert_whole(&docs);
    assert_eq!(names(place.path()), ["docs"]);
}

#[cfg(unix)]
#[test]
fn a_file_size_limit_leaves_the_old_tree() {
    let place = tempfile::tempdir().unwrap();
    let docs = place.path().join("docs");
    write(&docs, options(Format::Tree), many_pages("one ")).unwrap();
    let before = files(&docs);
    // Enough for each page, not for all of them in one file.
    let limited = "trap '' XFSZ; ulimit -f 100; exec \"$0\" --exact output::second_process";

    let ended = std::process::Command::new("sh")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .env(WRITE_TO, &docs)
        .output()
        .unwrap();

    assert!(!ended.status.success());
    let told = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
    assert!(told.contains("FileTooLarge"), "{told}");
    assert_eq!(files(&docs), before);
    assert_eq!(names(place.path()), ["docs"]);
}
