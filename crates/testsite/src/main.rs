//! `testsite`: serves a scenario or a random web, or writes a static site for a real web server.
//!
//! Prints its URL to stdout on one line, so that a script can read it and start.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use testsite::{Large, Latency, Running, Site, StaticSite, Web, healthy, planted, scenarios};

#[derive(Parser)]
#[command(version, about = "A local web server with declared truth and planned faults")]
struct Command {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Serve a scenario, a large site such as `archive`, or `web` for a random web, until killed
    Serve(Serve),
    /// Serve the files of a folder, until killed
    Folder(Folder),
    /// Write a static site, an nginx configuration for it, and its truth
    Generate(Generate),
    /// List the scenarios
    List,
}

#[derive(Args)]
struct Serve {
    /// Name of a scenario, or `web`
    scenario: String,
    /// Port; 0 for a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Seed of the web and its latencies
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Pages of the web, or of a large site
    #[arg(long, default_value_t = 1000)]
    pages: u64,
    /// Hosts of the web, named h0.test, h1.test, …
    #[arg(long, default_value_t = 1)]
    hosts: u64,
    /// Maximum links per page of the web; at least 3
    #[arg(long, default_value_t = 40)]
    most_links: u64,
    /// Page size of the web
    #[arg(long, default_value_t = 20_000)]
    page_bytes: usize,
    /// Median response time; immediate if omitted
    #[arg(long)]
    latency_median_ms: Option<u64>,
    /// 99th percentile of response times; ten times the median if omitted
    #[arg(long)]
    latency_p99_ms: Option<u64>,
    /// Write the truth to this file: `url status` on each line
    #[arg(long)]
    truth: Option<PathBuf>,
    /// Write the problems of `planted` or `healthy` to this file: host, check, URL and detail, separated by tabs
    #[arg(long)]
    problems: Option<PathBuf>,
    /// Write the certificate authority of a site with TLS to this file; a temporary one if omitted
    #[arg(long)]
    ca: Option<PathBuf>,
}

#[derive(Args)]
struct Folder {
    /// The folder
    path: PathBuf,
    /// Port; 0 for a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

#[derive(Args)]
struct Generate {
    /// Output folder
    #[arg(long)]
    out: PathBuf,
    /// Number of pages
    #[arg(long, default_value_t = 20_000)]
    pages: u64,
    /// Seed of the site
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Port in nginx.conf
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Where nginx logs requests; no log if omitted
    #[arg(long)]
    access_log: Option<PathBuf>,
    /// Write a .gz next to each text file for nginx to send
    #[arg(long)]
    gzip: bool,
}

// One thread serves more than a crawler on the same machine can request, and leaves it the other cores.
#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    match Command::parse().task {
        Task::Serve(serve) => serve.run().await,
        Task::Folder(folder) => folder.run().await,
        Task::Generate(generate) => generate.run(),
        Task::List => {
            ["planted", "healthy", "web", "archive", "list", "posts", "tree", "wiki", "docs", "lists", "words"]
                .iter()
                .for_each(|name| println!("{name}"));
            scenarios().for_each(|(name, _)| println!("{name}"));
            Ok(())
        }
    }
}

fn scenarios() -> impl Iterator<Item = (&'static str, Site)> {
    let failing = [("always-failing", 12), ("mostly-failing", 25)];
    let failing = failing.map(|(name, count)| (name, scenarios::always_failing(40, count, 500)));
    scenarios::all().into_iter().chain(scenarios::endless()).chain(failing)
}

impl Serve {
    async fn run(self) -> std::io::Result<()> {
        let site = self.site()?.port(self.port).latency(self.latency(), self.seed).without_log();
        let running = site.start().await;
        if let Some(path) = &self.truth {
            write_truth(&running, path)?;
        }
        match self.audited() {
            [] => println!("{}", running.url("/")),
            hosts => self.introduce(&running, hosts)?,
        }
        std::io::stdout().flush()?;
        std::future::pending().await
    }

    /// The hosts of a scenario that is made to be audited.
    fn audited(&self) -> &'static [&'static str] {
        match self.scenario.as_str() {
            "planted" => &planted::HOSTS,
            "healthy" => &healthy::HOSTS,
            _ => &[],
        }
    }

    /// Prints the first host's URL to stdout, and to stderr how to reach all of them.
    fn introduce(&self, running: &Running, hosts: &[&str]) -> std::io::Result<()> {
        let temporary = || std::env::temp_dir().join(format!("testsite-{}.pem", running.port()));
        let ca = self.ca.clone().unwrap_or_else(temporary);
        std::fs::write(&ca, running.ca_pem())?;
        if let Some(path) = &self.problems {
            write_problems(running, hosts, path)?;
        }
        let resolve = running.resolve().map(|rule| format!("--resolve '{rule}'")).collect::<Vec<_>>().join(" ");
        eprintln!("crawl a host with: bluesnake crawl URL {resolve} --set fetch.ca_file={}", ca.display());
        hosts.iter().for_each(|host| eprintln!("{}", running.url_on(host, "/")));
        println!("{}", running.url_on(hosts[0], "/"));
        Ok(())
    }

    fn site(&self) -> std::io::Result<Site> {
        match self.scenario.as_str() {
            "planted" => return Ok(planted::site()),
            "healthy" => return Ok(healthy::site()),
            "web" => return Ok(self.web().site()),
            _ => {}
        }
        if let Some(large) = self.large() {
            return Ok(Site::new().large("", large));
        }
        let found = scenarios().find(|(name, _)| *name == self.scenario).map(|(_, site)| site);
        found.ok_or_else(|| {
            std::io::Error::other(format!("unknown scenario {}; `testsite list` shows all", self.scenario))
        })
    }

    /// The large sites, with `--pages` pages or slightly more.
    fn large(&self) -> Option<Large> {
        let pages = self.pages;
        Some(match self.scenario.as_str() {
            "archive" => Large::Archive { articles: pages },
            "list" => Large::List { articles: pages },
            "posts" => Large::Posts { posts: pages },
            "tree" => Large::Tree { pages, fan_out: 10 },
            "lists" => Large::Lists { lists: pages.div_ceil(50_000), links: pages.min(50_000) },
            "wiki" => Large::Wiki { pages },
            "words" => Large::Words { words: pages, bytes: 10_000_000 },
            "docs" => Large::Docs,
            _ => return None,
        })
    }

    fn web(&self) -> Web {
        Web::random(self.seed)
            .pages(self.pages)
            .hosts(self.hosts)
            .links_per_page(3..=self.most_links.max(3))
            .redirects(3)
            .missing(2)
            .query_variants(4)
            .resources(50)
            .page_bytes(self.page_bytes)
    }

    fn latency(&self) -> Latency {
        let Some(median_ms) = self.latency_median_ms else { return Latency::none() };
        let p99_ms = self.latency_p99_ms.unwrap_or(median_ms * 10);
        Latency::log_normal(Duration::from_millis(median_ms), Duration::from_millis(p99_ms))
    }
}

impl Folder {
    async fn run(self) -> std::io::Result<()> {
        let running = Site::new().folder("", self.path).port(self.port).without_log().start().await;
        println!("{}", running.url("/"));
        std::io::stdout().flush()?;
        std::future::pending().await
    }
}

fn write_problems(running: &Running, hosts: &[&str], path: &Path) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for host in hosts {
        for problem in running.problems_of(host) {
            writeln!(file, "{host}\t{}\t{}\t{}", problem.check, problem.url, problem.detail)?;
        }
    }
    file.flush()
}

fn write_truth(running: &Running, path: &Path) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for (url, truth) in running.expected() {
        writeln!(file, "{url} {}", truth.status)?;
    }
    file.flush()
}

impl Generate {
    fn run(self) -> std::io::Result<()> {
        let site = StaticSite {
            seed: self.seed,
            pages: self.pages,
            out: self.out,
            port: self.port,
            access_log: self.access_log,
            is_gzipped: self.gzip,
        };
        let written = site.write()?;
        println!(
            "{} URLs, {:.1} links and {:.1} kB per page",
            written.addresses,
            written.links as f64 / site.pages as f64,
            written.page_bytes as f64 / site.pages as f64 / 1000.0
        );
        Ok(())
    }
}
