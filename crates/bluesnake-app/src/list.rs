//! Lists of URLs to visit: a text with one URL per line, or a sitemap.
//!
//! A list is read completely before anything is visited, and everything that is wrong with it is reported at once.
//! Start with [`url_list`].

use std::collections::HashSet;
use std::io::Read;
use std::time::Duration;

use bluesnake_engine::fetch::{Accept, Fetcher, Request, Take};
use bluesnake_engine::parse::sitemap::{self, SitemapKind, SitemapLimits};
use bluesnake_engine::plan::Problem;
use bluesnake_engine::url::Base;
use bluesnake_engine::{AuditInput, AuditPlan, CanonicalUrl, CrawlError, PlanProblems};
use flate2::read::MultiGzDecoder;

use crate::error::AppError;
use crate::settings::FieldProblem;
use crate::start::{Caller, names_private_host, odd_name};

/// How many wrong lines are described; the others are counted.
const DESCRIBED: usize = 100;

/// How many URLs the list of a request may have: they are in memory before the crawl starts.
const MOST_LISTED: usize = 1_000_000;

/// Stands for the URL of a sitemap that is a file, to find relative entries.
const NOWHERE: &str = "http://relative.invalid/";

/// Where a list is.
#[derive(Clone, Copy, Debug)]
pub enum ListSource<'a> {
    /// The contents of a file.
    Bytes(&'a [u8]),
    /// At this URL.
    Url(&'a str),
}

/// The URLs of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlList {
    /// Each URL once, in the order of the list.
    pub urls: Vec<String>,
    /// How many entries repeated an earlier one.
    pub duplicates: usize,
}

/// Reads a list. Fetches it if it is at a URL, and the sitemaps that a sitemap index names, with these settings.
pub async fn url_list(source: ListSource<'_>, settings: AuditInput, caller: &Caller) -> Result<UrlList, AppError> {
    read_list(source, settings, caller, usize::MAX).await
}

/// The same, of at most so many URLs.
async fn read_list(
    source: ListSource<'_>,
    settings: AuditInput,
    caller: &Caller,
    most: usize,
) -> Result<UrlList, AppError> {
    let mut reader = Reader::new(source, settings, caller)?;
    let mut waiting: Vec<(CanonicalUrl, u32)> = Vec::new();
    match source {
        ListSource::Url(url) => waiting.push((parsed(url)?, 0)),
        ListSource::Bytes(bytes) => waiting = reader.take(bytes, None, 0)?,
    }
    waiting.reverse();
    while let Some((url, depth)) = waiting.pop() {
        let bytes = reader.fetch(&url).await?;
        let further = reader.take(&bytes, Some(&url), depth)?;
        waiting.extend(further.into_iter().rev());
        if reader.list.urls.len() > most {
            return Err(AppError::Invalid(format!("the list has more than {most} URLs")));
        }
    }
    Ok(reader.list)
}

/// Fails if the list of a request cannot be a URL.
pub(crate) fn check_list(list: &str) -> Result<(), Vec<FieldProblem>> {
    let wrong = odd_name(list).or_else(|| parsed(list).err().map(|error| error.to_string()));
    wrong.map_or(Ok(()), |message| Err(vec![FieldProblem::new("list", message)]))
}

/// The URLs of the list that a request names. Whatever is wrong with the list is a problem of this field.
pub(crate) async fn listed_urls(
    list: &str,
    settings: AuditInput,
    caller: &Caller,
) -> Result<Vec<String>, Vec<FieldProblem>> {
    let problem = |message: String| FieldProblem::new("list", message);
    match read_list(ListSource::Url(list), settings, caller, MOST_LISTED).await {
        Ok(read) if read.urls.is_empty() => Err(vec![problem(format!("{list} has no URLs"))]),
        Ok(read) => Ok(read.urls),
        Err(AppError::Plan(PlanProblems(problems))) => {
            let lines = problems.into_iter().map(|line| problem(format!("{}: {}", line.field, line.message)));
            Err(lines.collect())
        }
        Err(error) => Err(vec![problem(error.story())]),
    }
}

fn parsed(url: &str) -> Result<CanonicalUrl, AppError> {
    let wrong = |problem| AppError::Invalid(format!("cannot fetch the list at `{url}`: {problem}"));
    CanonicalUrl::from_user_input(url).map_err(wrong)
}

struct Reader {
    plan: AuditPlan,
    fetcher: Fetcher,
    fetched: u64,
    list: UrlList,
    known: HashSet<String>,
}

impl Reader {
    fn new(source: ListSource<'_>, mut settings: AuditInput, caller: &Caller) -> Result<Self, AppError> {
        let seed = match source {
            ListSource::Url(url) => url,
            ListSource::Bytes(_) => NOWHERE,
        };
        if caller.is_operator && names_private_host(seed) {
            settings.fetch.allow_private.get_or_insert(true);
        }
        let plan = AuditPlan::new([seed], settings)?;
        let own_hosts = plan.seeds.iter().map(|seed| seed.origin().to_owned());
        let fetcher = Fetcher::new(&plan.fetch, own_hosts).map_err(CrawlError::from)?;
        Ok(Self { plan, fetcher, fetched: 0, list: UrlList::default(), known: HashSet::new() })
    }

    /// Adds the URLs of one file; returns the sitemaps it names instead, if it is an index, with their depth.
    fn take(
        &mut self,
        bytes: &[u8],
        url: Option<&CanonicalUrl>,
        depth: u32,
    ) -> Result<Vec<(CanonicalUrl, u32)>, AppError> {
        let bytes = unpacked(bytes, self.plan.discover.sitemap_body_limit)?;
        let text = decoded(&bytes);
        if !text.trim_ascii_start().starts_with(b"<") {
            self.take_lines(&text)?;
            return Ok(Vec::new());
        }
        let nowhere = CanonicalUrl::parse(NOWHERE).expect("it is a URL");
        let (name, url) = (url.map_or("the sitemap", CanonicalUrl::as_str), url.unwrap_or(&nowhere));
        let discover = &self.plan.discover;
        let limits = SitemapLimits {
            urls: if discover.sitemap_urls == 0 { usize::MAX } else { discover.sitemap_urls },
            decoded_bytes: discover.sitemap_body_limit,
        };
        let sitemap = sitemap::read(url, None, &text, limits);
        let wrong = |why: String| AppError::Invalid(format!("cannot read {name}: {why}"));
        if let Some(why) =
            sitemap.problem.or(sitemap.cut.map(|cut| format!("{cut} (see the settings discover.sitemap_*)")))
        {
            return Err(wrong(why));
        }
        if sitemap.entries.iter().any(|entry| entry.url.host() == nowhere.host()) {
            return Err(wrong("it has relative URLs".to_owned()));
        }
        if sitemap.kind == SitemapKind::Index {
            if depth >= discover.sitemap_depth {
                return Err(wrong("its sitemap indexes are nested too deeply (see discover.sitemap_depth)".to_owned()));
            }
            return Ok(sitemap.entries.into_iter().map(|entry| (entry.url, depth + 1)).collect());
        }
        sitemap.entries.into_iter().for_each(|entry| self.add(entry.url.as_str().to_owned(), entry.url.as_str()));
        Ok(Vec::new())
    }

    fn take_lines(&mut self, text: &[u8]) -> Result<(), PlanProblems> {
        let mut wrong = Vec::new();
        for (number, line) in (1_usize..).zip(text.split(|byte| *byte == b'\n')) {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            match url_of(line) {
                Ok((text, url)) => self.add(text.to_owned(), url.as_str()),
                Err(message) => wrong.push(Problem { field: format!("line {number}"), message }),
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let more = wrong.len().saturating_sub(DESCRIBED);
        wrong.truncate(DESCRIBED);
        if more > 0 {
            let message = format!("{more} more {} not URLs", if more == 1 { "line is" } else { "lines are" });
            wrong.push(Problem { field: "and".to_owned(), message });
        }
        Err(PlanProblems(wrong))
    }

    fn add(&mut self, text: String, canonical: &str) {
        if self.known.insert(canonical.to_owned()) {
            self.list.urls.push(text);
        } else {
            self.list.duplicates += 1;
        }
    }

    /// Fetches one file, at the pace of the settings.
    async fn fetch(&mut self, url: &CanonicalUrl) -> Result<Vec<u8>, AppError> {
        let discover = &self.plan.discover;
        if discover.sitemap_files > 0 && self.fetched >= discover.sitemap_files {
            let most = discover.sitemap_files;
            return Err(AppError::Invalid(format!(
                "the index names more than {most} sitemaps (discover.sitemap_files)"
            )));
        }
        let rate = self.plan.politeness.rate;
        if self.fetched > 0 && rate > 0.0 {
            tokio::time::sleep(Duration::from_secs_f64(1.0 / rate)).await;
        }
        self.fetched += 1;
        let mut at = url.clone();
        for _ in 0..=self.plan.limits.redirects {
            let take = Take::Body(discover.sitemap_body_limit);
            let request = Request { url: &at, accept: Accept::Sitemap, attempt: 1, take, known: None };
            let response = match self.fetcher.fetch(&request).await.result {
                Ok(response) => response,
                Err(failure) => return Err(unreadable(url, failure)),
            };
            match response.status {
                200 => match response.body.cut {
                    None => return Ok(response.body.bytes.to_vec()),
                    Some(cut) => return Err(unreadable(url, cut)),
                },
                301 | 302 | 303 | 307 | 308 => {
                    let location = response.headers.get("location").and_then(|value| value.to_str().ok());
                    let next = location.and_then(|location| Base::of(&at).join(location).ok());
                    at = next.ok_or_else(|| unreadable(url, "redirect without a valid Location"))?;
                }
                status => return Err(unreadable(url, format!("the server responded with HTTP {status}"))),
            }
        }
        Err(unreadable(url, "too many redirects"))
    }
}

fn unreadable(url: &CanonicalUrl, why: impl std::fmt::Display) -> AppError {
    AppError::Absent {
        message: format!("cannot fetch {}: {why}", url.as_str()),
        hint: "check the URL, or save the list as a file".to_owned(),
    }
}

/// A secret in a list that we printed.
const MASKED: &str = "=***";

/// One line as typed, and as the URL it means. What follows a tab, as in the lists that we print, is a comment.
fn url_of(line: &[u8]) -> Result<(&str, CanonicalUrl), String> {
    let text = str::from_utf8(line).map_err(|_| format!("`{}` is not UTF-8", String::from_utf8_lossy(line)))?;
    let text = text.split('\t').next().unwrap_or_default().trim_end();
    // A URL parser encodes spaces, so a sentence would become a valid URL.
    if text.contains(char::is_whitespace) {
        return Err(format!("`{text}` contains a space; give one URL per line, and write %20 for a space in a URL"));
    }
    // Lists that we print have their secrets masked; the masked URL would be requested.
    if text.contains(MASKED) {
        return Err(format!("`{text}` has a masked secret; print the list with --show-secrets"));
    }
    if let Some(problem) = odd_name(text) {
        return Err(problem);
    }
    match CanonicalUrl::from_user_input(text) {
        Ok(url) => Ok((text, url)),
        Err(problem) => Err(format!("`{text}` cannot be crawled: {problem}")),
    }
}

/// A gzipped file without its compression.
fn unpacked(bytes: &[u8], limit: usize) -> Result<std::borrow::Cow<'_, [u8]>, AppError> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(bytes.into());
    }
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(limit as u64 + 1).read_to_end(&mut unpacked);
    read.map_err(|error| AppError::Invalid(format!("cannot decompress the list: {error}")))?;
    match unpacked.len() > limit {
        true => Err(AppError::Invalid(format!("the list is longer than {limit} bytes (discover.sitemap_body_limit)"))),
        false => Ok(unpacked.into()),
    }
}

/// Text as UTF-8 without its byte order mark. Windows tools like to write UTF-16.
fn decoded(bytes: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units).into_bytes().into()
    };
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => rest.into(),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        bytes => bytes.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8]) -> Result<UrlList, AppError> {
        url_list(ListSource::Bytes(bytes), AuditInput::default(), &Caller::operator()).await
    }

    async fn urls(bytes: &[u8]) -> Vec<String> {
        read(bytes).await.unwrap().urls
    }

    #[tokio::test]
    async fn a_list_has_one_url_per_line_besides_comments() {
        let list =
            "\u{feff}# pages\r\nhttps://a.example/\r\n\r\n  a.example/b \tnew\n#c\nhttps://A.example\n".as_bytes();
        let read = read(list).await.unwrap();
        assert_eq!(read.urls, ["https://a.example/", "a.example/b"]);
        assert_eq!(read.duplicates, 1, "two spellings of one URL");
    }

    #[tokio::test]
    async fn lists_of_windows_are_read() {
        let text = "https://a.example/\r\nhttps://a.example/ü\r\n";
        let little: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(urls(&little).await, ["https://a.example/", "https://a.example/ü"]);
    }

    #[tokio::test]
    async fn all_wrong_lines_are_reported_at_once() {
        let list = b"https://a.example/\nexample\n# fine\nhttps://a.example/x 200\nftp://a.example/\n\xff\xfe\xfd\n";
        let AppError::Plan(PlanProblems(problems)) = read(list).await.unwrap_err() else { panic!() };
        let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
        assert_eq!(fields, ["line 2", "line 4", "line 5", "line 6"]);
        assert!(problems[1].message.contains("one URL per line"), "{problems:?}");

        let AppError::Plan(PlanProblems(many)) = read(&b"x\n".repeat(250)).await.unwrap_err() else { panic!() };
        assert_eq!((many.len(), many[100].message.as_str()), (101, "150 more lines are not URLs"));
    }

    #[tokio::test]
    async fn masked_urls_are_refused() {
        let masked = read(b"https://a.example/?token=***\nhttps://a.example/**/*\n").await.unwrap_err();
        let AppError::Plan(PlanProblems(problems)) = masked else { panic!("{masked}") };
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("--show-secrets"), "{problems:?}");
    }

    #[tokio::test]
    async fn a_sitemap_is_a_list_too() {
        let sitemap =
            "<urlset><url><loc>https://a.example/1</loc></url><url><loc>https://a.example/2</loc></url></urlset>";
        assert_eq!(urls(sitemap.as_bytes()).await, ["https://a.example/1", "https://a.example/2"]);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, sitemap.as_bytes()).unwrap();
        assert_eq!(urls(&gzip.finish().unwrap()).await.len(), 2);

        let relative = read(b"<urlset><url><loc>/1</loc></url></urlset>").await.unwrap_err();
        assert_eq!(relative.to_string(), "cannot read the sitemap: it has relative URLs");
    }
}
