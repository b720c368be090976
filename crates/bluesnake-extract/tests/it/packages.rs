//! Real documentation from Debian packages: every code block byte for byte, every cell of every table, no navigation.
//!
//! `tools/doc-packages` puts the pages into `target/docs`; `$BLUESNAKE_DOCS` may name another folder. What a page holds is
//! read by another parser, so that a mistake of ours cannot hide itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bluesnake_extract::{Extracted, Options, Page, extract};
use dom_query::{Document, Selection};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use url::Url;

struct Package {
    folder: &'static str,
    /// The part of a page that holds its content.
    content: &'static str,
    /// What must not be in the result.
    navigation: &'static [&'static str],
    /// Code blocks and tables that are not content.
    except: &'static str,
}

const PACKAGES: &[Package] = &[
    Package {
        folder: "python3.11/html",
        content: "div.body",
        navigation: &["div.sphinxsidebar", "div.related", "div.footer"],
        except: "td.linenos pre",
    },
    Package {
        folder: "postgresql-doc-15/html",
        content: "body",
        navigation: &["div.navheader", "div.navfooter"],
        except: ".navheader *, .navfooter *, .navheader, .navfooter",
    },
    Package {
        folder: "rust-doc/html",
        content: "main",
        navigation: &["nav.sidebar", "nav.nav-wrapper", "nav.nav-wide-wrapper"],
        except: "pre.line-numbers, nav *, .hideme, .boring, .notable-traits-tooltip, .notable-traits",
    },
    Package { folder: "git-doc", content: "body", navigation: &["div#footer"], except: "div#footer *" },
];

/// How many pages of each package are read: enough to meet every shape, few enough for every run.
const PAGES: usize = 1_500;

#[test]
fn documentation_keeps_its_code_and_tables_and_loses_its_navigation() {
    let folder = folder();
    let mut problems = Vec::new();
    for package in PACKAGES {
        let mut counts = Counts::default();
        for page in pages(&folder.join("usr/share/doc").join(package.folder)) {
            check(package, &page, &mut counts, &mut problems);
        }
        println!("{}: {counts:?}", package.folder);
        assert!(counts.pages > 50 && counts.code_blocks > 100, "{} was read: {counts:?}", package.folder);
    }
    let shown: Vec<String> = problems.iter().take(40).map(|problem| problem.chars().take(700).collect()).collect();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), shown.join("\n"));
}

fn folder() -> PathBuf {
    let in_target = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/docs");
    let folder = std::env::var_os("BLUESNAKE_DOCS").map_or_else(in_target, PathBuf::from);
    assert!(folder.is_dir(), "{} is missing; run tools/doc-packages", folder.display());
    folder
}

/// Python's documentation comes with the reStructuredText of each page: the truth about its content. Markup has words, too,
/// and generated texts are not in the source, so the two never agree in full.
#[test]
fn words_of_a_page_match_its_source() {
    let html = folder().join("usr/share/doc/python3.11/html");
    let mut scores = Vec::new();
    for page in pages(&html) {
        let source = html.join("_sources").join(page.strip_prefix(&html).unwrap()).with_extension("rst.txt");
        let Ok(source) = std::fs::read_to_string(source) else { continue };
        let url = Url::parse("https://example.com/docs/page.html").unwrap();
        let text = String::from_utf8_lossy(&std::fs::read(&page).unwrap()).into_owned();
        let extracted = extract(&Page { html: &text, url: &url }, &Options::default());
        scores.push(overlap(&word_counts(&extracted.text), &word_counts(&source)));
    }
    let mean = |score: fn(&(f64, f64)) -> f64| scores.iter().map(score).sum::<f64>() / scores.len() as f64;
    let (precision, recall) = (mean(|score| score.0), mean(|score| score.1));
    println!("{} pages: precision {precision:.4}, recall {recall:.4}", scores.len());
    assert!(scores.len() > 400, "{} pages have a source", scores.len());
    assert!(precision >= 0.88, "precision is {precision:.4}");
    assert!(recall >= 0.89, "recall is {recall:.4}");
}

/// How often each word occurs.
fn word_counts(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

/// Which share of the found words is true, and which share of the true words is found.
fn overlap(found: &HashMap<&str, usize>, truth: &HashMap<&str, usize>) -> (f64, f64) {
    let common: usize = found.iter().map(|(word, count)| truth.get(word).map_or(0, |other| *count.min(other))).sum();
    let share = |words: &HashMap<&str, usize>| common as f64 / words.values().sum::<usize>().max(1) as f64;
    (share(found), share(truth))
}

#[derive(Debug, Default)]
struct Counts {
    pages: usize,
    code_blocks: usize,
    cells: usize,
    navigation: usize,
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let step = (files.len() / PAGES).max(1);
    files.into_iter().step_by(step).take(PAGES).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "html")
            && path.metadata().unwrap().len() < 300_000
        {
            files.push(path);
        }
    }
}

fn check(package: &Package, path: &Path, counts: &mut Counts, problems: &mut Vec<String>) {
    let html = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    // A `<br>` in code reads as a line break.
    let document = Document::from(html.replace("<br>", "\n").replace("<br />", "\n").as_str());
    let content = document.select(package.content);
    if content.length() == 0 || html.contains("http-equiv=\"refresh\"") {
        return;
    }
    counts.pages += 1;
    document.select(package.except).remove();
    let url = Url::parse("https://example.com/docs/page.html").unwrap();
    let extracted = extract(&Page { html: &html, url: &url }, &Options::default());
    let mut complain = |what: String| problems.push(format!("{}: {what}", path.display()));
    counts.code_blocks += missing_code(&content, &extracted).map_err(&mut complain).unwrap_or_default();
    counts.cells += missing_cells(&content, &extracted).map_err(&mut complain).unwrap_or_default();
    let whole = Document::from(html.as_str());
    counts.navigation += found_navigation(&whole, package, &extracted).map_err(&mut complain).unwrap_or_default();
}

/// Every `<pre>` is a code block of the same bytes, or is in a table that stayed HTML.
fn missing_code(content: &Selection, extracted: &Extracted) -> Result<usize, String> {
    let mut blocks = code_blocks(&extracted.markdown);
    let expected = content.select("pre");
    for pre in expected.iter() {
        let code = pre.text().to_string();
        let has_blocks = pre.select("div").length() > 0;
        if code.trim().is_empty() || pre.select("pre").length() > 0 {
            continue;
        }
        match blocks.iter().position(|block| is_same(block, &code, has_blocks)) {
            Some(at) => drop(blocks.swap_remove(at)),
            None if is_in_html(&code, &extracted.markdown) => {}
            None => return Err(format!("lost the code block {code:?}")),
        }
    }
    Ok(expected.length())
}

/// Byte for byte, up to the end of the last line. Blocks in code are on their own lines, which the oracle does not
/// show.
fn is_same(block: &str, code: &str, has_blocks: bool) -> bool {
    if has_blocks {
        return block.replace('\n', "") == code.replace('\n', "");
    }
    block.trim_end_matches('\n') == code.trim_end_matches('\n')
}

fn code_blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut current: Option<String> = None;
    for event in Parser::new_ext(markdown, pulldown_cmark::Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => current = Some(String::new()),
            Event::Text(text) if current.is_some() => current.as_mut().unwrap().push_str(&text),
            Event::End(TagEnd::CodeBlock) => blocks.extend(current.take()),
            _ => {}
        }
    }
    blocks
}

fn is_in_html(code: &str, markdown: &str) -> bool {
    let escaped = code.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    markdown.replace("<!-- -->", "").contains(&format!("<pre>{}</pre>", escaped.trim_end_matches('\n')))
}

fn missing_cells(content: &Selection, extracted: &Extracted) -> Result<usize, String> {
    let text = words(&extracted.text);
    let cells = content.select("td, th");
    for cell in cells.iter() {
        let expected = words(&cell.text());
        if !text.contains(&expected) {
            return Err(format!("lost the cell {expected:?}"));
        }
    }
    Ok(cells.length())
}

fn found_navigation(document: &Document, package: &Package, extracted: &Extracted) -> Result<usize, String> {
    let text = words(&extracted.text);
    let mut count = 0;
    for selector in package.navigation {
        for part in document.select(selector).iter() {
            let navigation = words(&part.text());
            count += 1;
            if navigation.len() > 12 && text.contains(&navigation) {
                return Err(format!("kept the navigation {navigation:?}"));
            }
        }
    }
    Ok(count)
}

/// Letters and digits only: where words are joined is for layout to say. The signs of permalinks do not count.
fn words(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}
