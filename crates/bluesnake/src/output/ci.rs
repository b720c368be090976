//! Findings for continuous integration: JUnit XML and GitHub annotations.

use std::fmt::Write;

use bluesnake_app::date;
use bluesnake_app::view::{CheckView, IssuesView, RunView};

use super::visible;

/// The findings as JUnit XML: a test case for each check. `fails` returns what to show of those that failed; others with
/// findings pass.
///
/// Valid against the schemas of Ant (Windy Road) and of Jenkins, so there are elements and attributes that nobody needs.
pub(crate) fn junit(
    run: &RunView,
    issues: &IssuesView,
    shown: &[&CheckView],
    fails: impl Fn(&CheckView) -> Option<CheckView>,
) -> String {
    let failures: Vec<Option<CheckView>> = shown.iter().map(|check| fails(check)).collect();
    let skipped = shown.iter().filter(|check| check.not_checked.is_some()).count();
    let started = date(run.created_at * 1000);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"bluesnake\" package=\"bluesnake\" id=\"0\" \
         hostname=\"{}\" timestamp=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\">\n    \
         <properties>\n      <property name=\"run\" value=\"{}\"/>\n    </properties>\n",
        escaped(&run.domain),
        &started[..19],
        shown.len(),
        failures.iter().flatten().count(),
        issues.run_id,
    );
    for (check, failure) in shown.iter().zip(&failures) {
        test_case(&mut xml, check, failure.as_ref());
    }
    xml + "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n"
}

fn test_case(xml: &mut String, check: &CheckView, failure: Option<&CheckView>) {
    let (id, class) = (escaped(check.id), escaped(&format!("bluesnake.{}", check.theme)));
    let _ = write!(xml, "    <testcase name=\"{id}\" classname=\"{class}\" time=\"0\"");
    let _ = match (&check.not_checked, failure) {
        (Some(why), _) => writeln!(xml, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escaped(why)),
        (None, Some(failure)) => writeln!(
            xml,
            ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>",
            failure.kind,
            escaped(&headline(failure)),
            escaped(&details(failure))
        ),
        (None, None) => writeln!(xml, "/>"),
    };
}

/// The findings as GitHub annotations, one for each check with findings: GitHub shows only ten of a kind.
pub(crate) fn github(shown: &[&CheckView], fails: impl Fn(&CheckView) -> Option<CheckView>) -> String {
    let mut text = String::new();
    for check in shown.iter().filter(|check| check.urls > 0) {
        let failure = fails(check);
        let level = match check.kind {
            _ if failure.is_some() => "error",
            "opportunity" => "notice",
            _ => "warning",
        };
        let check = failure.as_ref().unwrap_or(check);
        let message = format!("{}\n{}", headline(check), details(check));
        let _ = writeln!(text, "::{level} title={}::{}", property(&check.name), data(message.trim_end()));
    }
    text
}

fn headline(check: &CheckView) -> String {
    visible(check.summary.as_deref().unwrap_or(&check.name)).into_owned()
}

fn details(check: &CheckView) -> String {
    let mut text = format!("{}\n{}\n", check.why, check.fix);
    for example in &check.examples {
        let detail = example.detail.as_ref().map(|detail| format!("  {detail}")).unwrap_or_default();
        let _ = writeln!(text, "{}", visible(&format!("{}{detail}", example.url)));
    }
    let more = check.findings.saturating_sub(check.examples.len() as u64);
    if more > 0 {
        let _ = writeln!(text, "and {more} more");
    }
    text
}

/// Text for XML; what XML cannot contain was made visible before.
fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => xml.push('\u{fffd}'),
            character => xml.push(character),
        }
    }
    xml
}

/// The message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(&visible(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_cannot_break_out_of_their_line() {
        assert_eq!(data("100 % of a\r\n::error::b"), "100 %25 of a%0D%0A::error::b");
        assert_eq!(property("Client Error: 4XX, 5XX"), "Client Error%3A 4XX%2C 5XX");
    }

    #[test]
    fn xml_is_escaped() {
        assert_eq!(escaped("<a href=\"?a&b\">\u{ffff}"), "&lt;a href=&quot;?a&amp;b&quot;&gt;\u{fffd}");
    }
}
