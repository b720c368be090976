//! The list of `crawl --urls`.

use std::io::Read;

use anyhow::Context;
use bluesnake_app::{Caller, ListSource, UrlList, url_list};

use crate::args::CrawlArguments;
use crate::output::{counted, say, visible};
use crate::report::Usage;

/// The URLs of the command line, then those of its list.
pub(super) async fn all_urls(arguments: &CrawlArguments) -> anyhow::Result<Vec<String>> {
    let mut urls = arguments.given_urls()?;
    if let Some(name) = &arguments.list {
        let list = read(name, arguments).await?;
        if list.urls.is_empty() && urls.is_empty() {
            let name = if name == "-" { "standard input" } else { name };
            return Err(Usage(format!("no URL given: {name} is empty")).into());
        }
        if !arguments.session.quiet {
            say(&read_line(name, &list));
        }
        urls.extend(list.urls);
    }
    Ok(urls)
}

async fn read(name: &str, arguments: &CrawlArguments) -> anyhow::Result<UrlList> {
    let is_url = name.starts_with("http://") || name.starts_with("https://");
    let bytes = if is_url { Vec::new() } else { contents(name)? };
    let source = if is_url { ListSource::Url(name) } else { ListSource::Bytes(&bytes) };
    let list = url_list(source, arguments.settings_for_list()?, &Caller::operator()).await;
    list.with_context(|| format!("cannot read the URLs in {name}"))
}

fn contents(name: &str) -> Result<Vec<u8>, Usage> {
    let mut bytes = Vec::new();
    let read = match name {
        "-" => std::io::stdin().read_to_end(&mut bytes).map(|_| bytes),
        path => std::fs::read(path),
    };
    read.map_err(|error| Usage(format!("cannot read the URLs in {name}: {error}")))
}

fn read_line(name: &str, list: &UrlList) -> String {
    let duplicates = match list.duplicates {
        0 => String::new(),
        count => format!(", skipped {}", counted(count, "duplicate")),
    };
    format!("read {} from {}{duplicates}", counted(list.urls.len(), "URL"), visible(name))
}
