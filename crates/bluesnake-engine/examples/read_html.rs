use bluesnake_engine::parse::html::{Document, read};
use bluesnake_engine::plan::ParseSettings;
fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let url = bluesnake_engine::CanonicalUrl::parse("https://a.example/docs/x").unwrap();
    let settings = ParseSettings::default();
    let (mut links, mut words) = (0, 0);
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let html = String::from_utf8_lossy(&bytes);
        let reading = read(Document {
            url: &url,
            html: &html,
            encoding: "UTF-8",
            settings: &settings,
            links_limit: 0,
            hooks: &[],
        });
        links += reading.links.len();
        words += reading.page.word_count;
    }
    println!("{} files {links} links {words} words", files.len());
}
