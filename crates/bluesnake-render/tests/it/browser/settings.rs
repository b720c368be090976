//! Every setting of rendering has an effect.

use std::collections::BTreeSet;

use bluesnake_engine::plan::{RenderInput, RenderMode, RenderWhen};
use testsite::{Reply, Site};

use super::world::{crawl, local};

/// What a page shows that depends on settings.
const PAGE: &str = "<!doctype html><body><p>x<script>
  const add = text => document.body.append(text + ' ');
  setTimeout(() => add('after-3s'), 3000);
  setTimeout(() => add('after-15s'), 15000);
  addEventListener('scroll', () => add('scrolled'), {once: true});
  add(Date.now() === Date.UTC(2026, 0, 1) ? 'fixed' : 'moving');
</script>";

/// Settings, and the words on the page that they change: those that appear and those that disappear.
type Case = (&'static str, fn(&mut RenderInput), &'static [&'static str], &'static [&'static str]);

fn cases() -> Vec<Case> {
    vec![
        ("when", |render| render.when = Some(RenderWhen::Off), &[], &["after-3s", "scrolled", "fixed"]),
        ("mode", |render| render.mode = Some(RenderMode::Fast), &[], &["after-3s"]),
        ("waits_ms", |render| render.waits_ms = Some(vec![30_000, 1, 1]), &["after-15s"], &[]),
        ("wait_for", |render| render.wait_for = Some(vec![".never".into()]), &["after-15s"], &[]),
        ("scroll", |render| render.scroll = Some(false), &[], &["scrolled"]),
        ("deterministic", |render| render.deterministic = Some(false), &["moving"], &["fixed"]),
    ]
}

async fn text(change: impl FnOnce(&mut RenderInput)) -> String {
    let site = Site::new().reply("/", Reply::html(PAGE)).start().await;
    let mut input = local();
    input.keep.html = Some(true);
    change(&mut input.render);
    let crawled = crawl(&site.url("/"), input).await;
    let visit = crawled.visit("/");
    let html = visit.rendered.as_ref().map(|html| String::from_utf8_lossy(html).into_owned()).unwrap_or_default();
    html.split("</script>").nth(1).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_setting_makes_a_difference() {
    let usual = text(|_| {}).await;
    for (field, change, added, removed) in cases() {
        let changed = text(change).await;
        for word in added {
            assert!(changed.contains(word) && !usual.contains(word), "{field}: {word} in {changed}, usually {usual}");
        }
        for word in removed {
            assert!(!changed.contains(word) && usual.contains(word), "{field}: {word} in {changed}, usually {usual}");
        }
    }
}

/// Timeouts, slots, screenshots and the browser itself show elsewhere in these tests.
#[test]
fn every_setting_has_a_case() {
    let elsewhere = ["timeout_ms", "slots", "screenshot", "browser"];
    let covered: BTreeSet<&str> = cases().iter().map(|case| case.0).chain(elsewhere).collect();
    assert_eq!(covered, RenderInput::FIELDS.iter().map(|field| field.name).collect());
}
