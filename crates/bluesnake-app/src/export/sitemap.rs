//! URLs as an XML sitemap (sitemaps.org): one file, or parts and an index if there are too many for one.
//!
//! URLs are written as they arrive. All files appear together at the end, the requested one last, so it never lists a
//! missing part.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use quick_xml::escape::escape;
use tempfile::NamedTempFile;

use super::output::{Partial, check_free, complete, create_partial, publish};
use super::{Existing, ExportError, xml};

const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
const END: &str = "</urlset>\n";
const INDEX_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
const INDEX_END: &str = "</sitemapindex>\n";

#[derive(Debug, Clone, Copy)]
struct Limits {
    urls: usize,
    bytes: usize,
}

const PROTOCOL: Limits = Limits { urls: 50_000, bytes: 50 * 1024 * 1024 };

/// Writes a sitemap. Without [`SitemapWriter::finish`] no file appears.
#[derive(Debug)]
pub(crate) struct SitemapWriter {
    path: PathBuf,
    base_url: String,
    existing: Existing,
    limits: Limits,
    complete: Vec<NamedTempFile>,
    part: Part,
}

#[derive(Debug)]
struct Part {
    file: Partial,
    urls: usize,
    bytes: usize,
}

impl SitemapWriter {
    /// `base_url` is the public folder of the parts, such as `https://a.example/maps/`.
    pub(crate) fn create(path: &Path, base_url: &str, existing: Existing) -> Result<Self, ExportError> {
        Self::with_limits(path, base_url, existing, PROTOCOL)
    }

    fn with_limits(path: &Path, base_url: &str, existing: Existing, limits: Limits) -> Result<Self, ExportError> {
        check_free(path, existing)?;
        Ok(Self {
            path: path.to_owned(),
            base_url: format!("{}/", base_url.trim_end_matches('/')),
            existing,
            limits,
            complete: Vec::new(),
            part: Part::start(path)?,
        })
    }

    /// Adds a page.
    pub(crate) fn add(&mut self, url: &str) -> Result<(), ExportError> {
        let entry = entry(url);
        if !self.part.has_room_for(&entry, self.limits) {
            self.next_part()?;
        }
        self.part.append(&entry)
    }

    fn next_part(&mut self) -> Result<(), ExportError> {
        let full = std::mem::replace(&mut self.part, Part::start(&self.path)?);
        self.complete.push(full.complete()?);
        let parts = self.complete.len();
        (parts..=parts + 1).try_for_each(|number| check_free(&part_path(&self.path, number), self.existing))
    }

    /// Puts all files in place and returns their paths: the requested file, then its parts, if any.
    pub(crate) fn finish(mut self) -> Result<Vec<PathBuf>, ExportError> {
        let last = self.part.complete()?;
        if self.complete.is_empty() {
            publish(last, &self.path, self.existing)?;
            return Ok(vec![self.path]);
        }
        self.complete.push(last);
        let parts: Vec<_> = (1..=self.complete.len()).map(|number| part_path(&self.path, number)).collect();
        let index = write_index(&self.path, &self.base_url, &parts)?;
        for (complete, part) in self.complete.into_iter().zip(&parts) {
            publish(complete, part, self.existing)?;
        }
        publish(index, &self.path, self.existing)?;
        Ok([self.path].into_iter().chain(parts).collect())
    }
}

impl Part {
    fn start(path: &Path) -> Result<Self, ExportError> {
        let mut part = Self { file: create_partial(path)?, urls: 0, bytes: END.len() };
        part.write(START)?;
        Ok(part)
    }

    /// A part takes at least one URL, however long it is.
    fn has_room_for(&self, entry: &str, limits: Limits) -> bool {
        self.urls == 0 || (self.urls < limits.urls && self.bytes + entry.len() <= limits.bytes)
    }

    fn append(&mut self, entry: &str) -> Result<(), ExportError> {
        self.urls += 1;
        self.write(entry)
    }

    fn write(&mut self, xml: &str) -> Result<(), ExportError> {
        self.bytes += xml.len();
        Ok(self.file.write_all(xml.as_bytes())?)
    }

    fn complete(mut self) -> Result<NamedTempFile, ExportError> {
        self.file.write_all(END.as_bytes())?;
        complete(self.file)
    }
}

fn entry(url: &str) -> String {
    format!("<url><loc>{}</loc></url>\n", in_xml(url))
}

/// A URL as written between tags; characters not allowed in XML or a URL are percent-encoded.
fn in_xml(url: &str) -> String {
    let mut encoded = String::with_capacity(url.len());
    for character in url.chars() {
        match character {
            ' ' | '\t' | '\n' => append_percent(&mut encoded, character),
            character if xml::survives(character) => encoded.push(character),
            character => append_percent(&mut encoded, character),
        }
    }
    escape(encoded).into_owned()
}

fn append_percent(text: &mut String, character: char) {
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        let _ = write!(text, "%{byte:02X}");
    }
}

fn write_index(path: &Path, base_url: &str, parts: &[PathBuf]) -> Result<NamedTempFile, ExportError> {
    let mut file = create_partial(path)?;
    file.write_all(INDEX_START.as_bytes())?;
    for part in parts {
        let mut loc = in_xml(base_url);
        append_file_name(&mut loc, part);
        writeln!(file, "<sitemap><loc>{loc}</loc></sitemap>")?;
    }
    file.write_all(INDEX_END.as_bytes())?;
    complete(file)
}

fn append_file_name(url: &mut String, part: &Path) {
    for character in part.file_name().unwrap_or_default().to_string_lossy().chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | '_' | '~' => url.push(character),
            other => append_percent(url, other),
        }
    }
}

fn part_path(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}."));
    name.push(path.extension().unwrap_or("xml".as_ref()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(path: &Path, existing: Existing, limits: Limits, urls: &[&str]) -> Result<Vec<PathBuf>, ExportError> {
        let mut sitemap = SitemapWriter::with_limits(path, "https://a.example/maps", existing, limits)?;
        urls.iter().try_for_each(|url| sitemap.add(url))?;
        sitemap.finish()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn few_urls_are_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sitemap.xml");

        let mut sitemap = SitemapWriter::create(&path, "https://a.example/", Existing::Keep).unwrap();
        sitemap.add("https://a.example/?a=1&b='<\">\u{1}\n").unwrap();
        sitemap.add("https://a.example/b").unwrap();
        assert_eq!(sitemap.finish().unwrap(), [path.as_path()]);

        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
            <url><loc>https://a.example/?a=1&amp;b=&apos;&lt;&quot;&gt;%01%0A</loc></url>\n\
            <url><loc>https://a.example/b</loc></url>\n\
            </urlset>\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(names(folder.path()), ["sitemap.xml"]);
    }

    #[test]
    fn too_many_urls_are_parts_and_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my map.xml");

        let limits = Limits { urls: 2, bytes: usize::MAX };
        let written = write(&path, Existing::Keep, limits, &["http://a/1", "http://a/2", "http://a/3"]).unwrap();

        assert_eq!(names(folder.path()), ["my map-1.xml", "my map-2.xml", "my map.xml"]);
        assert_eq!(written, ["my map.xml", "my map-1.xml", "my map-2.xml"].map(|name| folder.path().join(name)));
        let index = fs::read_to_string(&path).unwrap();
        assert!(
            index.contains("<sitemap><loc>https://a.example/maps/my%20map-1.xml</loc></sitemap>\n<sitemap>"),
            "{index}"
        );
        let urls = written[1..].iter().map(|part| fs::read_to_string(part).unwrap().matches("<url>").count());
        assert_eq!(urls.collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn no_part_is_larger_than_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let one_entry = START.len() + entry("http://a/1").len() + END.len();
        let two_entries = one_entry + entry("http://a/2").len();

        for (bytes, parts) in [(one_entry * 3, 0), (two_entries, 2), (two_entries - 1, 3), (one_entry - 1, 3)] {
            let limits = Limits { urls: 50, bytes };
            let urls = ["http://a/1", "http://a/2", "http://a/3"];
            let written = write(&folder.path().join("s.xml"), Existing::Replace, limits, &urls).unwrap();
            assert_eq!(written.len() - 1, parts, "{bytes}");
        }
        assert_eq!(fs::metadata(folder.path().join("s-1.xml")).unwrap().len(), one_entry as u64);
    }

    #[test]
    fn fifty_thousand_urls_are_one_file_and_one_more_is_two() {
        let folder = tempfile::tempdir().unwrap();
        for (urls, files) in [(50_000, 1), (50_001, 3)] {
            let written = write(&folder.path().join("s.xml"), Existing::Replace, PROTOCOL, &vec!["http://a/"; urls]);
            assert_eq!(written.unwrap().len(), files);
        }
    }

    #[test]
    fn a_part_that_exists_is_kept_and_nothing_else_appears() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.xml");
        let taken = folder.path().join("s-2.xml");
        fs::write(&taken, "mine").unwrap();

        let refused = write(&path, Existing::Keep, Limits { urls: 1, bytes: usize::MAX }, &["http://a/", "http://b/"]);

        assert!(matches!(refused, Err(ExportError::Exists(named)) if named == taken));
        assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
        assert_eq!(names(folder.path()), ["s-2.xml"]);
    }

    #[test]
    fn an_empty_sitemap_is_valid() {
        let folder = tempfile::tempdir().unwrap();
        let written = write(&folder.path().join("s.xml"), Existing::Keep, PROTOCOL, &[]).unwrap();
        assert_eq!(fs::read_to_string(&written[0]).unwrap(), format!("{START}{END}"));
    }
}
