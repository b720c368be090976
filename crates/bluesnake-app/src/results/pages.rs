//! Paged URLs and links of a run: filtered, sorted and searched.
//!
//! Queries are the same for every front end; they deserialize from a query string or from JSON, and empty values
//! count as unset. Their cost is documented in [`bluesnake_store`].

use bluesnake_engine::link::Position;
use bluesnake_engine::{Action, CanonicalUrl, Disposition, LinkKind, Number};
use bluesnake_store::{
    BodyForm, DatabaseError, LinkFilter, Order, PageType, StatusFilter, UrlFilter, UrlSort, UrlsOf, UrlsQuery,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::paging::{self, Limit, Page};
use super::words::{self, Actions, Dispositions, LinkKinds, Orders, PageTypes, Positions, UrlSorts};
use crate::app::App;
use crate::error::AppError;
use crate::view::{LinkView, PageContent, PageForm, PageLinks, UrlView};

/// The longest search text.
const LONGEST_SEARCH: usize = 1_000;

/// Which URLs to list.
pub type PagesOf = UrlsOf;

/// Filter and order of URLs.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PagesQuery {
    /// all, html, css, javascript, images, fonts or others.
    #[serde(rename = "type", deserialize_with = "words::page_type")]
    #[param(value_type = Option<PageTypes>, inline)]
    pub page_type: PageType,
    /// fetched, redirected, failed, refused, recorded, skipped or pending.
    #[serde(deserialize_with = "words::disposition")]
    #[param(value_type = Option<Dispositions>, inline)]
    pub disposition: Option<Disposition>,
    /// crawl, record or skip.
    #[serde(deserialize_with = "words::action")]
    #[param(value_type = Option<Actions>, inline)]
    pub action: Option<Action>,
    /// Status (`404`) or class (`4xx`).
    #[serde(deserialize_with = "words::status")]
    #[param(value_type = Option<String>, pattern = "^[1-5]([0-9]{2}|xx)$")]
    pub status: Option<StatusFilter>,
    /// Prefix of the media type.
    pub content_type: Option<String>,
    /// Minimum depth.
    #[param(minimum = 0)]
    pub min_depth: Option<u32>,
    /// Maximum depth.
    #[param(minimum = 0)]
    pub max_depth: Option<u32>,
    /// Text in the URL, title or description.
    #[param(max_length = 1000)]
    pub search: Option<String>,
    /// number, url, status, depth, responseTime, size, title, wordCount or contentType.
    #[serde(deserialize_with = "words::sort")]
    #[param(value_type = Option<UrlSorts>, inline)]
    pub sort: UrlSort,
    /// asc or desc.
    #[serde(deserialize_with = "words::order")]
    #[param(value_type = Option<Orders>, inline)]
    pub order: Order,
    /// Maximum number of rows.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

/// Which links to list, in document order.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LinksQuery {
    /// URL of the page that contains them. Looking up its number reads all URLs of the run; the number itself is faster.
    pub source: Option<String>,
    /// Number of that page.
    pub source_number: Option<u32>,
    /// URL of the target.
    pub target: Option<String>,
    /// Number of the target.
    pub target_number: Option<u32>,
    /// The kind of link.
    #[serde(rename = "type", deserialize_with = "words::link_kind")]
    #[param(value_type = Option<LinkKinds>, inline)]
    pub kind: Option<LinkKind>,
    /// Position on the page.
    #[serde(deserialize_with = "words::position")]
    #[param(value_type = Option<Positions>, inline)]
    pub position: Option<Position>,
    /// Whether the link is followed.
    pub follow: Option<bool>,
    /// Whether the target belongs to the site.
    pub is_internal: Option<bool>,
    /// Status of the target (`404`) or class (`4xx`).
    #[serde(deserialize_with = "words::status")]
    #[param(value_type = Option<String>, pattern = "^[1-5]([0-9]{2}|xx)$")]
    pub status: Option<StatusFilter>,
    /// Text in the anchor or the URL of the target.
    #[param(max_length = 1000)]
    pub search: Option<String>,
    /// Maximum number of rows.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl App {
    /// URLs of a run, or those visited by one session. A page may be short although there are more: a rare match is
    /// searched among 50,000 URLs at a time. Any order except number order reads the whole run for each page.
    pub async fn pages(&self, of: PagesOf, query: PagesQuery) -> Result<Page<UrlView>, AppError> {
        let PagesQuery { sort, order, limit, cursor, .. } = query;
        let filter = UrlFilter {
            page_type: query.page_type,
            disposition: query.disposition,
            action: query.action,
            status: query.status,
            content_type: non_empty(query.content_type),
            min_depth: query.min_depth,
            max_depth: query.max_depth,
            search: searched(query.search)?,
        };
        let scope = format!("urls {of:?} {filter:?} {sort:?} {order:?}");
        let after = paging::position(&scope, cursor.as_deref())?;
        let query = UrlsQuery { of, filter, sort, order, after, limit: limit.get() };
        let found = self.contents().urls_page(query).await?;
        Ok(Page::new(found.rows, found.next.as_ref(), &scope).map(UrlView::from))
    }

    /// The links of a page of a run, and those that lead to it; at most `limit` of each.
    pub async fn page_links(&self, run: i64, url: &str, limit: usize) -> Result<PageLinks, AppError> {
        let (address, number) = self.known_url(run, url).await?;
        let outlinks = self.contents().outlinks(run, number, limit).await?;
        let inlinks = self.contents().inlinks(run, number, limit).await?;
        Ok(PageLinks {
            url: address.as_str().to_owned(),
            inlinks: inlinks.into_iter().map(LinkView::from).collect(),
            outlinks: outlinks.into_iter().map(LinkView::from).collect(),
        })
    }

    /// Links of a run.
    pub async fn links(&self, run: i64, query: LinksQuery) -> Result<Page<LinkView>, AppError> {
        let LinksQuery { limit, cursor, .. } = query;
        let filter = LinkFilter {
            source: self.end_of_link(run, query.source_number, non_empty(query.source)).await?,
            target: self.end_of_link(run, query.target_number, non_empty(query.target)).await?,
            kind: query.kind,
            position: query.position,
            follow: query.follow,
            is_internal: query.is_internal,
            status: query.status,
            search: searched(query.search)?,
        };
        let scope = format!("links {run} {filter:?}");
        let after = paging::position(&scope, cursor.as_deref())?;
        let query = bluesnake_store::LinksQuery { run, filter, after, limit: limit.get() };
        let found = self.contents().links_page(query).await?;
        Ok(Page::new(found.rows, found.next.as_ref(), &scope).map(LinkView::from))
    }

    async fn end_of_link(&self, run: i64, number: Option<u32>, url: Option<String>) -> Result<Option<i64>, AppError> {
        Ok(match (number, url) {
            (None, None) => None,
            (Some(number), _) => Some(number.into()),
            (None, Some(url)) => Some(self.number_of(run, &url).await?.0.into()),
        })
    }

    /// The number of a URL that a run has seen.
    pub(crate) async fn number_of(&self, run: i64, url: &str) -> Result<Number, AppError> {
        Ok(self.known_url(run, url).await?.1)
    }

    /// A URL that a run has seen, in the run's form.
    pub(crate) async fn known_url(&self, run: i64, url: &str) -> Result<(CanonicalUrl, Number), AppError> {
        let unknown = || DatabaseError::NotFound(format!("run {run} never saw {url}"));
        let address = CanonicalUrl::from_user_input(url).map_err(|_| unknown())?;
        let number = self.contents().number_of(run, &address).await?.ok_or_else(unknown)?;
        Ok((address, number))
    }

    /// A stored form of a page.
    pub async fn page_content(&self, run: i64, url: &str, form: PageForm) -> Result<PageContent, AppError> {
        self.catalog().run_head(run).await?;
        let number = self.number_of(run, url).await?;
        let (form, missing, hint) = match form {
            PageForm::Html => (
                BodyForm::Html,
                "stored document",
                "crawl with stored bodies (`--store-bodies`, or keep.html) to keep HTML pages",
            ),
            PageForm::Rendered => (
                BodyForm::Rendered,
                "rendered document",
                "crawl with `--render on` and stored bodies (`--store-bodies`, or keep.html)",
            ),
            PageForm::Screenshot => {
                (BodyForm::Screenshot, "screenshot", "crawl with `--render on` and render.screenshot")
            }
        };
        let body = self.contents().body_of(run, number, form).await?.ok_or_else(|| AppError::Absent {
            message: format!("run {run} has no {missing} of {url}"),
            hint: hint.to_owned(),
        })?;
        Ok(PageContent {
            url: body.url,
            status: body.status,
            content_type: body.content_type,
            visited_at_ms: body.visited_at,
            is_cut: body.is_cut,
            bytes: body.bytes,
        })
    }
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

fn searched(text: Option<String>) -> Result<Option<String>, AppError> {
    let text = non_empty(text);
    match text.as_ref().is_some_and(|text| text.len() > LONGEST_SEARCH) {
        true => Err(AppError::Rejected {
            message: format!("the text to search for is longer than {LONGEST_SEARCH} bytes"),
            hint: "use a shorter text".to_owned(),
        }),
        false => Ok(text),
    }
}
