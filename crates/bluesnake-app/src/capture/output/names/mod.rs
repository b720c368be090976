//! Which file each page gets: safe on every file system, inside the folder, and never shared by two pages.
//!
//! Names follow the URLs: `/a` is `a.md`, `/a/b` is `a/b.md`. The root of a site is `home.md`, because `index.md` is
//! our list of all pages. The first page gets the plain name; one that would collide with it, even on a system that
//! ignores case or Unicode forms, gets a short hash of its URL. Start with [`Names::claim`].

use std::collections::HashMap;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};
use url::Url;

/// Names at the top of the tree that no page gets.
pub(super) const RESERVED: [&str; 3] = ["index.md", "llms.txt", "llms-full.txt"];

const SEGMENT_BYTES: usize = 200;
/// With the user's folder before it, a path should fit the 260 characters that many Windows programs can open.
const PATH_BYTES: usize = 240;
/// How much to keep of the folders of an overlong path.
const FOLDERS_BYTES: usize = 100;
const EXTENSION: &str = ".md";
const HASH_DIGITS: usize = 10;
/// A `-` and the hash.
const SUFFIX_BYTES: usize = 1 + HASH_DIGITS;

/// The names assigned so far.
#[derive(Debug)]
pub(super) struct Names {
    has_several_hosts: bool,
    /// By folded path, so that names equal on any file system collide here.
    taken: HashMap<String, Taken>,
}

#[derive(Debug)]
enum Taken {
    File,
    /// In the spelling of the first user, so that the tree is the same on systems that distinguish `Docs` from
    /// `docs`.
    Folder(String),
}

impl Names {
    /// Host folders are needed only if the pages belong to several hosts.
    pub(super) fn new<'a>(urls: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hosts = urls.into_iter().map(|url| Url::parse(url).ok().map(|url| host_of(&url)));
        let first = hosts.next();
        let has_several_hosts = hosts.any(|host| Some(&host) != first.as_ref());
        let taken = RESERVED.iter().map(|name| (fold(name), Taken::File)).collect();
        Self { has_several_hosts, taken }
    }

    /// The path of this page's file, with `/` between its parts. It follows the masked URL; hashes are those of the
    /// URL itself. Claiming the same URL twice yields two names.
    pub(super) fn claim(&mut self, url: &str, shown: &str) -> String {
        let wish = Wish::of(url, shown, self.has_several_hosts);
        let folder = self.enter(&wish.folders);
        let stem = wish.stem;
        let plain = if stem.len() <= SEGMENT_BYTES - EXTENSION.len() { stem.clone() } else { hashed(&stem, url) };
        let spare = (0_u32..).map(|attempt| match attempt {
            0 => hashed(&stem, url),
            _ => hashed(&stem, &format!("{url}\n{attempt}")),
        });
        let free = std::iter::once(plain).chain(spare).map(|stem| format!("{folder}{stem}{EXTENSION}")).find(|path| {
            let key = fold(path);
            let is_free = !self.taken.contains_key(&key);
            if is_free {
                self.taken.insert(key, Taken::File);
            }
            is_free
        });
        free.expect("hashes do not run out")
    }

    /// The folder in the spelling of its first user, with a trailing `/` unless it is the top.
    fn enter(&mut self, segments: &[String]) -> String {
        let mut folder = String::new();
        for segment in segments {
            folder = self.enter_one(&folder, segment);
        }
        folder
    }

    fn enter_one(&mut self, parent: &str, segment: &str) -> String {
        let mut wished = segment.to_owned();
        loop {
            let path = format!("{parent}{wished}");
            match self.taken.entry(fold(&path)).or_insert_with(|| Taken::Folder(format!("{path}/"))) {
                Taken::Folder(spelling) => return spelling.clone(),
                // A page has this name. Everything below goes into the same alternative folder.
                Taken::File => wished = hashed(&wished, &path),
            }
        }
    }
}

/// The name a page would have if it were alone.
struct Wish {
    folders: Vec<String>,
    stem: String,
}

impl Wish {
    fn of(url: &str, shown: &str, with_host: bool) -> Self {
        let Ok(parsed) = Url::parse(shown) else {
            return Self { folders: Vec::new(), stem: safe(shown) };
        };
        let segments = parsed.path().split('/').filter(|segment| !segment.is_empty());
        let mut segments: Vec<_> = segments.map(decoded).collect();
        let last = segments.pop().unwrap_or_default();
        let mut stem = without_extension(&last).to_owned();
        let is_root = segments.is_empty() && ["", "index"].contains(&stem.as_str());
        if is_root {
            "home".clone_into(&mut stem);
        }
        if let Some(query) = parsed.query() {
            stem = format!("{stem}_{}", decoded(query));
        }
        let host = with_host.then(|| host_of(&parsed));
        let folders = host.iter().chain(&segments).map(|segment| safe_folder(segment)).collect();
        Self { folders, stem: safe(&stem) }.shortened(url)
    }

    fn shortened(mut self, url: &str) -> Self {
        let length = |folders: &[String]| folders.iter().map(|folder| folder.len() + 1).sum::<usize>();
        // Room for the hash a folder may get if it collides with a file.
        let whole = length(&self.folders) + self.folders.len() * SUFFIX_BYTES;
        if whole + self.stem.len() + SUFFIX_BYTES + EXTENSION.len() <= PATH_BYTES {
            return self;
        }
        let fits = |folders: &[String]| length(folders) + folders.len() * SUFFIX_BYTES <= FOLDERS_BYTES;
        while !fits(&self.folders) {
            self.folders.pop();
        }
        let room = PATH_BYTES - FOLDERS_BYTES - EXTENSION.len() - SUFFIX_BYTES;
        self.stem = hashed(cut(&self.stem, room - SUFFIX_BYTES), url);
        self
    }
}

fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}_{port}"),
        None => host.to_owned(),
    }
}

fn decoded(segment: &str) -> String {
    percent_decode_str(segment).decode_utf8_lossy().into_owned()
}

/// `page.html` and the Markdown beside it are both about `page`.
fn without_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && is_document(extension) => stem,
        _ => name,
    }
}

fn is_document(extension: &str) -> bool {
    ["html", "htm", "xhtml", "md", "markdown"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn safe_folder(segment: &str) -> String {
    let name = safe(segment);
    if name.len() <= SEGMENT_BYTES - SUFFIX_BYTES { name } else { hashed(&name, segment) }
}

/// One part of a path that every file system accepts unchanged and no shell or program interprets.
fn safe(text: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(text);
    let mut name: String =
        composed.chars().map(|character| if is_harmless(character) { character } else { '_' }).collect();
    // Windows drops trailing dots; a leading dot hides a file, and a leading dash makes it an option.
    let kept = name.trim_end_matches('.').len();
    let dots = name.len() - kept;
    name.replace_range(kept.., &"_".repeat(dots.min(1)));
    if name.starts_with(['.', '-']) {
        name.replace_range(..1, "_");
    }
    if name.is_empty() || is_device(&name) {
        name.insert(0, '_');
    }
    name
}

fn is_harmless(character: char) -> bool {
    use GeneralCategory as Category;
    if character.is_ascii() {
        // Windows uses `~` in short names: `LONGNA~1` may already be another file.
        return character.is_ascii_graphic() && !"<>:\"/\\|?*~`'$".contains(character);
    }
    let category = CodePointMapData::<Category>::new().get(character);
    // Format characters include bidirectional controls.
    !matches!(
        category,
        Category::Control
            | Category::Format
            | Category::Surrogate
            | Category::PrivateUse
            | Category::Unassigned
            | Category::SpaceSeparator
            | Category::LineSeparator
            | Category::ParagraphSeparator
    )
}

/// Windows opens a device for these names, whatever extension follows.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_uppercase();
    let is_numbered = |prefix: &str| {
        let number = stem.strip_prefix(prefix).map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    };
    ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str()) || is_numbered("COM") || is_numbered("LPT")
}

/// Equal for names that any file system could treat as the same: case, composed and decomposed forms, width.
fn fold(path: &str) -> String {
    let nfkd = DecomposingNormalizerBorrowed::new_nfkd();
    let folded = nfkd.normalize(path).to_uppercase().to_lowercase();
    nfkd.normalize(&folded).into_owned()
}

fn hashed(name: &str, of: &str) -> String {
    let digest = Sha256::digest(of);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let name = cut(name, SEGMENT_BYTES - SUFFIX_BYTES - EXTENSION.len());
    format!("{name}-{}", &digits[..HASH_DIGITS])
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests;
