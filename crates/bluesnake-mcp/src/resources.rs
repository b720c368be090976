//! Resources: the receipt of a run, and captured pages as Markdown.

use bluesnake_app::{AppError, Kind, view};
use rmcp::model::{ErrorData, ReadResourceResult, ResourceContents, ResourceTemplate};

use crate::Tools;
use crate::answer::MOST_TOKENS;
use crate::section::portion;

const RECEIPT: &str = "bluesnake://runs/{run}/receipt";
const PAGE: &str = "bluesnake://runs/{run}/pages/{+url}";

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(RECEIPT, "receipt")
            .with_description("Where every URL of a run ended up, and why.")
            .with_mime_type("application/json"),
        ResourceTemplate::new(PAGE, "page")
            .with_description("A captured page as Markdown: content from the web.")
            .with_mime_type("text/markdown"),
    ]
}

/// What a URI names.
#[derive(Debug, PartialEq, Eq)]
enum Named<'a> {
    Receipt(i64),
    Page(i64, &'a str),
}

fn named(uri: &str) -> Option<Named<'_>> {
    let (run, what) = uri.strip_prefix("bluesnake://runs/")?.split_once('/')?;
    let run = run.parse().ok()?;
    match what.split_once('/') {
        None if what == "receipt" => Some(Named::Receipt(run)),
        Some(("pages", url)) if !url.is_empty() => Some(Named::Page(run, url)),
        _ => None,
    }
}

impl Tools {
    pub(crate) async fn resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let unknown =
            || ErrorData::resource_not_found(format!("no resource `{uri}`; there are {RECEIPT} and {PAGE}"), None);
        let (text, media_type) = match named(uri).ok_or_else(unknown)? {
            Named::Receipt(run) => {
                let receipt = self.app.receipt(run).await.map_err(|error| to_protocol(&error))?;
                (view::receipt(&receipt).to_string(), "application/json")
            }
            Named::Page(run, url) => {
                let page = self.app.captured_page(run, url).await.map_err(|error| to_protocol(&error))?;
                let page = page.shown(self.access.secrets);
                let (part, rest) = portion(&page.markdown, 0, MOST_TOKENS);
                let cut = if rest.is_some() { "\n\n(cut; the tool `read` continues)" } else { "" };
                (format!("{part}{cut}"), "text/markdown")
            }
        };
        let contents = ResourceContents::TextResourceContents {
            uri: uri.to_owned(),
            mime_type: Some(media_type.to_owned()),
            text,
            meta: None,
        };
        Ok(ReadResourceResult::new(vec![contents]))
    }
}

fn to_protocol(error: &AppError) -> ErrorData {
    match error.kind() {
        Kind::NotFound => ErrorData::resource_not_found(error.to_string(), None),
        _ => ErrorData::internal_error(error.to_string(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_name_receipts_and_pages() {
        assert_eq!(named("bluesnake://runs/3/receipt"), Some(Named::Receipt(3)));
        let url = "https://a.test/b?c=d";
        assert_eq!(named(&format!("bluesnake://runs/3/pages/{url}")), Some(Named::Page(3, url)));
        for wrong in [
            "bluesnake://runs/x/receipt",
            "bluesnake://runs/3/",
            "bluesnake://runs/3/pages/",
            "file:///etc/passwd",
            "bluesnake://runs/3/receipt/x",
        ] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
    }
}
