//! Pages per second and code blocks kept, on a folder of HTML: `extract DIR [MAX_PAGES]`, or one page: `extract FILE`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use bluesnake_extract::{Options, Page, extract};
use url::Url;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().expect("a folder or a file"));
    let most = arguments.next().map_or(usize::MAX, |most| most.parse().expect("a number of pages"));
    if path.is_file() { show(&path) } else { measure(&path, most) }
}

fn show(path: &Path) {
    let html = read(path);
    let url = Url::parse("https://example.com/docs/page.html").expect("a URL");
    let extracted = extract(&Page { html: &html, url: &url }, &Options::default());
    println!("{}\n", extracted.markdown);
    println!("{:?} {:?} {}", extracted.title, extracted.framework, extracted.confidence);
    for removed in extracted.removed {
        println!("removed {:?} {} ({} characters)", removed.reason, removed.what, removed.chars);
    }
}

fn measure(folder: &Path, most: usize) {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let step = (files.len() / most.max(1)).max(1);
    let pages: Vec<String> = files.iter().step_by(step).take(most).map(|file| read(file)).collect();
    let url = Url::parse("https://example.com/docs/page.html").expect("a URL");
    let bytes: usize = pages.iter().map(String::len).sum();
    let blocks: usize = pages.iter().map(|html| html.matches("<pre").count()).sum();
    let start = Instant::now();
    let mut markdown = 0;
    let mut kept = 0;
    for html in &pages {
        let extracted = extract(&Page { html, url: &url }, &Options::default());
        markdown += extracted.markdown.len();
        kept += fences(&extracted.markdown);
    }
    let seconds = start.elapsed().as_secs_f64();
    let size = bytes as f64 / 1024.0;
    println!(
        "{} pages of {:.1} KiB on average, {:.1} KiB of Markdown",
        pages.len(),
        size / pages.len() as f64,
        markdown as f64 / 1024.0 / pages.len() as f64
    );
    println!(
        "{:.0} pages/s, {:.1} MiB/s, {:.0} pages/s of 28 KiB",
        pages.len() as f64 / seconds,
        size / 1024.0 / seconds,
        size / 28.0 / seconds
    );
    println!("{blocks} <pre> in the pages, {kept} fences in the Markdown");
}

/// Code blocks may be in lists and quotes.
fn fences(markdown: &str) -> usize {
    markdown.lines().filter(|line| line.trim_start_matches([' ', '>', '-']).starts_with("```")).count() / 2
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            files.push(path);
        }
    }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).expect("a readable file")).into_owned()
}
