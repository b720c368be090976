//! Hosts as people read them: `xn--mnchen-3ya.de` is shown as `münchen.de`.
//!
//! Hosts are stored and compared in ASCII, and JSON and exports hold that form. Text for people shows a label in Unicode only
//! when it cannot be taken for another one: in one script (UTS 39), and not made of letters that look like Latin ones.

use std::borrow::Cow;

use icu_properties::CodePointMapData;
use icu_properties::props::Script;

/// Scripts that are written together count as one.
const TOGETHER: [&[Script]; 3] = [
    &[Script::Han, Script::Hiragana, Script::Katakana],
    &[Script::Han, Script::Hangul],
    &[Script::Han, Script::Bopomofo],
];
/// Letters of other scripts that look like Latin ones. A label of these alone is a disguise.
const LOOK_LATIN: &str = "асԁеһіјӏорԛѕԝхуьъҽпгѵѡαονυιρχγκωητ";

/// The text with the hosts of URLs in it, or the host that it is, as people read them.
pub fn readable_hosts(text: &str) -> Cow<'_, str> {
    if !text.contains("xn--") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    // The text is a host, or hosts follow schemes.
    let mut is_host = true;
    loop {
        if is_host {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.').unwrap_or(rest.len());
            shown.push_str(&readable_host(&rest[..end]));
            rest = &rest[end..];
        }
        let Some(scheme_end) = rest.find("://") else { break };
        let (before, after) = rest.split_at(scheme_end + "://".len());
        shown.push_str(before);
        (rest, is_host) = (after, true);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

fn readable_host(host: &str) -> String {
    host.split('.').map(readable_label).collect::<Vec<_>>().join(".")
}

fn readable_label(label: &str) -> Cow<'_, str> {
    if !label.starts_with("xn--") {
        return Cow::Borrowed(label);
    }
    let (unicode, result) = idna::domain_to_unicode(label);
    // What does not come back as it was is not what it seems.
    let is_same = result.is_ok() && idna::domain_to_ascii(&unicode).is_ok_and(|ascii| ascii == label);
    if is_same && is_plain(&unicode) { Cow::Owned(unicode) } else { Cow::Borrowed(label) }
}

/// Whether a label is in one script and cannot be taken for a Latin one.
fn is_plain(label: &str) -> bool {
    let script_of = CodePointMapData::<Script>::new();
    let mut scripts: Vec<Script> = label.chars().map(|letter| script_of.get(letter)).collect();
    scripts.retain(|script| *script != Script::Common && *script != Script::Inherited);
    scripts.dedup();
    let Some(first) = scripts.first() else { return false };
    let is_one = scripts.iter().all(|script| script == first)
        || TOGETHER.iter().any(|group| scripts.iter().all(|script| group.contains(script)));
    let mut letters = label.chars().filter(|letter| !letter.is_ascii());
    let is_disguise = *first != Script::Latin && letters.all(|letter| LOOK_LATIN.contains(letter));
    is_one && !is_disguise
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_shown_in_unicode_when_that_is_safe() {
        let check = |stored: &str, shown: &str| assert_eq!(readable_hosts(stored), shown);
        check("xn--mnchen-3ya.de", "münchen.de");
        check("https://xn--mnchen-3ya.de:8443/a?b=xn--c", "https://münchen.de:8443/a?b=xn--c");
        check("xn--wgv71a119e.jp", "日本語.jp");
        check("xn--eckwd4c7cu47r2wf.jp", "ドメイン名例.jp");
        check("xn--e1afmkfd.xn--p1ai", "пример.рф");
        check("http://a.example/ and https://www.xn--mnchen-3ya.de/", "http://a.example/ and https://www.münchen.de/");
        check("a.example", "a.example");
        check(
            "http://a.example/?u=http%3A%2F%2Fxn--mnchen-3ya.de",
            "http://a.example/?u=http%3A%2F%2Fxn--mnchen-3ya.de",
        );
    }

    #[test]
    fn what_could_be_taken_for_another_host_stays_in_ascii() {
        // `аррӏе` in Cyrillic, `gооgle` with two Cyrillic letters, one that does not decode, one that is not in its own form.
        for stored in
            ["xn--80ak6aa92e.com", "xn--ggle-55da.com", "xn--a.com", "xn--.com", "xn--abc-.com", "xn--mnchen-3YA.de"]
        {
            assert_eq!(readable_hosts(stored), stored);
        }
    }
}
