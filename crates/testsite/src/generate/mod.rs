//! A static site on disk for a real web server, with its truth; for benchmarks.
//!
//! The graph is that of a [`Web`], the pages are [`article`]s of realistic size and structure. Pages are written one by
//! one, so memory does not grow with the site. Start with [`StaticSite::write`].

mod article;
mod nginx;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::address::split_query;
use crate::encode::gzip;
use crate::web::{Target, Web, resource_bytes};

/// What to write, and where.
#[derive(Debug, Clone)]
pub struct StaticSite {
    /// The seed of the whole site.
    pub seed: u64,
    /// Number of pages.
    pub pages: u64,
    /// The folder for `www/`, `nginx.conf` and the truth.
    pub out: PathBuf,
    /// The port in `nginx.conf`.
    pub port: u16,
    /// Where nginx logs requests; `None` for no log.
    pub access_log: Option<PathBuf>,
    /// Writes a `.gz` next to each text file for nginx to send.
    pub is_gzipped: bool,
}

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// URLs in the truth.
    pub addresses: u64,
    /// Links in all pages.
    pub links: u64,
    /// Bytes of all pages.
    pub page_bytes: u64,
}

impl StaticSite {
    /// Writes the site, the server configuration, `truth.txt` (`/path status` on each line) and `truth.json`.
    pub fn write(&self) -> io::Result<Written> {
        let web = self.web();
        fs::create_dir_all(self.out.join("www"))?;
        let mut truth = TruthFiles::create(&self.out)?;
        let mut mentioned = Mentioned::none(&web);
        let mut written = Written::default();
        self.write_resources(&web, &mut truth)?;
        for page in 0..web.page_count() {
            let links = web.links_of(page);
            mentioned.note(&links);
            let html = article::render(&web, page, &links);
            written.links += links.len() as u64;
            written.page_bytes += html.len() as u64;
            self.write_file(&web.path(Target::Page(page)), html.as_bytes())?;
            truth.add(&web.path(Target::Page(page)), 200)?;
            if let Some(path) = article::own_image(&web, page) {
                self.write_file(&path, resource_bytes(Target::Resource(2)))?;
                truth.add(&path, 200)?;
            }
        }
        for (target, status) in mentioned.all(&web) {
            truth.add(&web.path(target), status)?;
        }
        nginx::write(self, &web)?;
        written.addresses = truth.finish()?;
        Ok(written)
    }

    fn web(&self) -> Web {
        Web::random(self.seed)
            .pages(self.pages)
            .links_per_page(6..=120)
            .redirects(3)
            .missing(2)
            .query_variants(4)
            .resources(100)
    }

    fn write_resources(&self, web: &Web, truth: &mut TruthFiles) -> io::Result<()> {
        for resource in Web::shared_resources() {
            let path = web.path(resource);
            self.write_file(&path, resource_bytes(resource))?;
            truth.add(&path, 200)?;
        }
        Ok(())
    }

    fn write_file(&self, address: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.file_of(address);
        fs::create_dir_all(path.parent().expect("every file is inside the folder"))?;
        fs::write(&path, bytes)?;
        if self.is_gzipped && !address.ends_with(".png") {
            let mut name = path.into_os_string();
            name.push(".gz");
            fs::write(name, gzip(bytes))?;
        }
        Ok(())
    }

    fn file_of(&self, address: &str) -> PathBuf {
        let name = if address.ends_with('/') { format!("{address}index.html") } else { address.to_owned() };
        self.out.join("www").join(split_query(&name).0.trim_start_matches('/'))
    }
}

/// Which paths other than pages are linked. One bit per path, regardless of the number of links.
struct Mentioned {
    redirects: Vec<bool>,
    missing: Vec<bool>,
    variants: Vec<bool>,
}

impl Mentioned {
    fn none(web: &Web) -> Self {
        let none = |count: u64| vec![false; usize::try_from(count).expect("the paths fit in memory")];
        Self {
            redirects: none(web.redirect_count()),
            missing: none(web.missing_count()),
            variants: none(web.variant_count()),
        }
    }

    fn note(&mut self, links: &[Target]) {
        for link in links {
            match *link {
                Target::Redirect(number) => self.redirects[number as usize] = true,
                Target::Missing(number) => self.missing[number as usize] = true,
                Target::Variant(number) => self.variants[number as usize] = true,
                Target::Page(_) | Target::External(_) | Target::Resource(_) => {}
            }
        }
    }

    /// Every linked path with the status that nginx returns.
    fn all(mut self, web: &Web) -> Vec<(Target, u16)> {
        // Redirect chains lead to higher numbers, so one pass finds all.
        for number in 0..self.redirects.len() {
            if let (true, Target::Redirect(next)) = (self.redirects[number], web.redirects_to(number as u64)) {
                self.redirects[next as usize] = true;
            }
        }
        let redirects = numbers(&self.redirects).map(|number| (Target::Redirect(number), 301));
        let missing = numbers(&self.missing).map(|number| (Target::Missing(number), 404));
        let variants = numbers(&self.variants).map(|number| (Target::Variant(number), 200));
        redirects.chain(missing).chain(variants).collect()
    }
}

fn numbers(marks: &[bool]) -> impl Iterator<Item = u64> + '_ {
    marks.iter().zip(0..).filter(|(mark, _)| **mark).map(|(_, number)| number)
}

/// The truth in two formats, written as it is found.
struct TruthFiles {
    text: BufWriter<File>,
    json: BufWriter<File>,
    count: u64,
}

impl TruthFiles {
    fn create(out: &Path) -> io::Result<Self> {
        let create = |name: &str| File::create(out.join(name)).map(BufWriter::new);
        Ok(Self { text: create("truth.txt")?, json: create("truth.json")?, count: 0 })
    }

    /// Paths of a web contain nothing that JSON would have to escape.
    fn add(&mut self, path: &str, status: u16) -> io::Result<()> {
        writeln!(self.text, "{path} {status}")?;
        write!(self.json, "{}\"{path}\": {status}", if self.count == 0 { "{\n" } else { ",\n" })?;
        self.count += 1;
        Ok(())
    }

    fn finish(mut self) -> io::Result<u64> {
        self.json.write_all(b"\n}\n")?;
        self.text.flush()?;
        self.json.flush()?;
        Ok(self.count)
    }
}
