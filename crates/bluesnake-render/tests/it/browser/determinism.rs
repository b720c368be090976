//! The same crawl, whatever is rendered at once and whatever happens to the browser.

use testsite::rendered::{application, link_sources};
use testsite::{Reply, Site};

use super::world::{crawl, local};

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_the_same_at_any_number_of_slots() {
    // The second site appends a link when a response arrives and another when a worker starts, so its document may have
    // them in either order; everything else must be equal.
    for (site, has_races) in [(application(18), false), (link_sources(), true)] {
        let site = site.start().await;
        let mut stories = Vec::new();
        for slots in [1, 3, 6] {
            let mut input = local();
            input.render.slots = Some(slots);
            input.keep.html = Some(!has_races);
            stories.push(crawl(&site.url("/"), input).await.story());
        }
        assert!(stories[0].contains("Complete"), "{}", stories[0]);
        for other in &stories[1..] {
            let difference = stories[0].lines().zip(other.lines()).find(|(one, other)| one != other);
            assert_eq!(difference, None);
            assert_eq!(stories[0].len(), other.len());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_stores_does_not_reach_the_next_one() {
    let script = "<script>document.body.append(localStorage.seen || 'nothing', document.cookie || 'none');
        localStorage.seen = 'something'; document.cookie = 'seen=1'</script>";
    let page = |links: &str| Reply::html(format!("<!doctype html><body>{links}{script}"));
    let mut site = Site::new().reply("/", page("<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a>"));
    for path in ["/1", "/2", "/3"] {
        site = site.reply(path, page(""));
    }
    let site = site.start().await;
    let mut input = local();
    (input.render.slots, input.keep.html) = (Some(1), Some(true));
    let crawled = crawl(&site.url("/"), input).await;
    for path in ["/", "/1", "/2", "/3"] {
        let visit = crawled.visit(path);
        let html = String::from_utf8_lossy(visit.rendered.as_ref().unwrap()).into_owned();
        assert!(html.contains("nothingnone"), "{path}: {html}");
    }
}
