//! The static site on disk matches its truth.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use testsite::StaticSite;

use crate::links::{join, links};

/// A folder that is removed with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("testsite-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn site(out: &Path, pages: u64) -> StaticSite {
    StaticSite { seed: 1, pages, out: out.to_owned(), port: 8080, access_log: None, is_gzipped: false }
}

fn truth_of(out: &Path) -> BTreeMap<String, u16> {
    let text = fs::read_to_string(out.join("truth.txt")).unwrap();
    text.lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(path, status)| (path.into(), status.parse().unwrap()))
        .collect()
}

#[test]
fn walking_the_files_finds_the_truth() {
    let folder = Folder::new("walk");
    site(&folder.0, 400).write().unwrap();
    let map = fs::read_to_string(folder.0.join("redirects.map")).unwrap();
    let redirects: BTreeMap<_, _> =
        map.lines().map(|line| line.trim_end_matches(';').split_once(' ').unwrap()).collect();

    let (mut found, mut queue) = (BTreeMap::new(), VecDeque::from(["/".to_owned()]));
    while let Some(target) = queue.pop_front() {
        if found.contains_key(&target) {
            continue;
        }
        let path = target.split('?').next().unwrap();
        let file =
            folder.0.join("www").join(path[1..].to_owned() + if path.ends_with('/') { "index.html" } else { "" });
        let status = match (redirects.get(path), fs::read(&file)) {
            (Some(to), _) => {
                queue.push_back((*to).to_owned());
                301
            }
            (None, Ok(bytes)) => {
                queue.extend(mentions(&target, &String::from_utf8_lossy(&bytes)));
                200
            }
            (None, Err(_)) => 404,
        };
        found.insert(target, status);
    }
    let truth = truth_of(&folder.0);
    let unused: BTreeSet<_> = truth.keys().filter(|path| !found.contains_key(*path)).collect();
    assert!(unused.iter().all(|path| path.starts_with("/assets/")), "{unused:?}");
    assert!(found.iter().all(|(path, status)| truth.get(path) == Some(status)));
}

fn mentions(target: &str, html: &str) -> Vec<String> {
    let base = format!("http://x{target}");
    let sources = html.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    let sheets =
        html.split("stylesheet\" href=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    let all = links(html).into_iter().chain(sources).chain(sheets);
    all.map(|mention| join(&base, &mention)["http://x".len()..].to_owned()).collect()
}

#[test]
fn pages_have_realistic_sizes_and_link_counts() {
    let folder = Folder::new("sizes");
    let written = site(&folder.0, 1000).write().unwrap();
    let links_per_page = written.links as f64 / 1000.0;
    assert!((58.0..68.0).contains(&links_per_page), "{links_per_page}");

    let truth = truth_of(&folder.0);
    assert_eq!(written.addresses, truth.len() as u64);
    let mut sizes: Vec<_> = truth
        .iter()
        .filter(|(path, status)| **status == 200 && !path.contains('?') && !path.ends_with(".png"))
        .filter(|(path, _)| !path.starts_with("/assets/"))
        .map(|(path, _)| {
            folder.0.join("www").join(path[1..].to_owned() + if path.ends_with('/') { "index.html" } else { "" })
        })
        .map(|file| fs::metadata(file).unwrap().len())
        .collect();
    sizes.sort_unstable();
    assert_eq!(sizes.len(), 1000);
    assert!((18_000..22_500).contains(&sizes[500]), "median {}", sizes[500]);
    assert!(sizes[0] >= 3_000 && sizes[999] <= 90_000, "{} to {}", sizes[0], sizes[999]);

    let share = |wanted: u16| truth.values().filter(|status| **status == wanted).count();
    assert!((25..=30).contains(&share(301)) && (15..=20).contains(&share(404)));
    assert!((35..=40).contains(&truth.keys().filter(|path| path.contains('?')).count()));
}

#[test]
fn equal_seeds_write_equal_files() {
    let (one, two) = (Folder::new("one"), Folder::new("two"));
    let gzipped = |out: &Path| StaticSite { is_gzipped: true, ..site(out, 50) };
    gzipped(&one.0).write().unwrap();
    gzipped(&two.0).write().unwrap();
    for name in ["truth.txt", "truth.json", "redirects.map", "www/index.html", "www/index.html.gz", "www/doc/6"] {
        assert_eq!(fs::read(one.0.join(name)).unwrap(), fs::read(two.0.join(name)).unwrap(), "{name}");
    }
    assert!(fs::read_to_string(one.0.join("nginx.conf")).unwrap().contains("gzip_static on;"));
}
