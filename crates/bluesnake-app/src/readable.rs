//! Hosts in readable form: `xn--mnchen-3ya.de` is shown as `münchen.de`.
//!
//! Hosts are stored and compared in ASCII, and JSON and exports use that form. Text for users shows a label in
//! Unicode only if it cannot be confused with another: letters and digits of one script in modern use (UTS 31, UTS
//! 39), and not made of letters that look like Latin ones. When in doubt it stays in ASCII.

use std::borrow::Cow;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script};

/// The recommended scripts of UTS 31, without Armenian, which has too many letters that look like Latin ones.
const SCRIPTS: [Script; 29] = [
    Script::Arabic,
    Script::Bengali,
    Script::Bopomofo,
    Script::Cyrillic,
    Script::Devanagari,
    Script::Ethiopic,
    Script::Georgian,
    Script::Greek,
    Script::Gujarati,
    Script::Gurmukhi,
    Script::Han,
    Script::Hangul,
    Script::Hebrew,
    Script::Hiragana,
    Script::Kannada,
    Script::Katakana,
    Script::Khmer,
    Script::Lao,
    Script::Latin,
    Script::Malayalam,
    Script::Myanmar,
    Script::Oriya,
    Script::Sinhala,
    Script::Tamil,
    Script::Telugu,
    Script::Thaana,
    Script::Thai,
    Script::Tibetan,
    // Marks of several scripts.
    Script::Inherited,
];
/// Scripts that are written together count as one.
const TOGETHER: [&[Script]; 3] = [
    &[Script::Han, Script::Hiragana, Script::Katakana],
    &[Script::Han, Script::Hangul],
    &[Script::Han, Script::Bopomofo],
];
/// Scripts whose letters with marks are single characters; a separate mark is there to deceive.
const WITHOUT_MARKS: [Script; 3] = [Script::Latin, Script::Greek, Script::Cyrillic];
/// Letters of other scripts that look like Latin letters or digits. A label of only these is a disguise.
const LOOK_LATIN: &str = "асԁеһіјӏорԛѕԝхуьъҽпгѵѡαονυιρχγκωητიოყძხჽჿሀሠሰስበነዐዘየጠፐוחטיןסם०০੦૦୦௦౦೦൦๐໐၀០ంംಂഠ";

/// The text with readable hosts: those of URLs in it, or the text itself if it is a host.
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
    // A label that does not survive the round trip is suspicious.
    let is_same = result.is_ok() && idna::domain_to_ascii(&unicode).is_ok_and(|ascii| ascii == label);
    if is_same && is_plain(&unicode) { Cow::Owned(unicode) } else { Cow::Borrowed(label) }
}

/// Whether a label is in one script and cannot be mistaken for a Latin one.
fn is_plain(label: &str) -> bool {
    let script_of = CodePointMapData::<Script>::new();
    let mut scripts: Vec<Script> = label.chars().map(|letter| script_of.get(letter)).collect();
    let has_marks = scripts.contains(&Script::Inherited);
    scripts.retain(|script| *script != Script::Common && *script != Script::Inherited);
    let Some(first) = scripts.first() else { return false };
    let is_one = scripts.iter().all(|script| script == first)
        || TOGETHER.iter().any(|group| scripts.iter().all(|script| group.contains(script)));
    let mut letters = label.chars().filter(|letter| !letter.is_ascii());
    let is_disguise = *first != Script::Latin && letters.clone().all(|letter| LOOK_LATIN.contains(letter));
    let has_hidden_marks = has_marks && WITHOUT_MARKS.contains(first);
    is_one && !is_disguise && !has_hidden_marks && letters.all(|letter| is_usual(letter, &scripts))
}

/// Whether hosts in these scripts normally contain this letter.
fn is_usual(letter: char, scripts: &[Script]) -> bool {
    let is_mark = GeneralCategoryGroup::Mark.contains(CodePointMapData::<GeneralCategory>::new().get(letter));
    let is_text = letter.is_alphanumeric() || is_mark;
    is_text
        && match CodePointMapData::<Script>::new().get(letter) {
            // The rest of this block and the phonetic letters look like others: `ı`, `ĸ`, `ȷ`, `ǀ`, `ɡ`, `ɑ`.
            Script::Latin => {
                matches!(letter, '\u{df}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
                    && !matches!(letter, '\u{131}' | '\u{138}' | '\u{1c0}'..='\u{1c3}' | '\u{237}')
            }
            // Of the characters that scripts share, only the long vowel mark of kana and Arabic digits.
            Script::Common => match letter {
                'ー' => scripts.iter().any(|script| matches!(*script, Script::Hiragana | Script::Katakana)),
                '\u{660}'..='\u{669}' => scripts.contains(&Script::Arabic),
                _ => false,
            },
            script => SCRIPTS.contains(&script),
        }
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
        check("xn--vckucxgb.jp", "サーバー.jp");
        check("xn--hxakic4aa.gr", "ελλάδα.gr");
        check("xn--j2bd4cyah0f.example", "हिन्दी.example");
        check("xn--mgbcd4a2b0d2b.example", "العربية.example");
        check("xn--o3cw4h.example", "ไทย.example");
        check("xn--3e0bk47br7k.example", "한국어.example");
        check("xn--vit-5kz.example", "việt.example");
        check("xn--strae-oqa.example", "straße.example");
        check("a.example", "a.example");
        check(
            "http://a.example/?u=http%3A%2F%2Fxn--mnchen-3ya.de",
            "http://a.example/?u=http%3A%2F%2Fxn--mnchen-3ya.de",
        );
    }

    #[test]
    fn confusable_hosts_stay_in_ascii() {
        for stored in [
            "https://bank.xn--comlogin-g03d.evil.test/", // com⁄login
            "xn--80ak6aa92e.com",                        // аррӏе, Cyrillic
            "xn--ggle-55da.com",                         // gооgle, with two Cyrillic letters
            "xn--a.com",                                 // does not decode
            "xn--.com",
            "xn--abc-.com",
            "xn--mnchen-3YA.de",                    // not in its own form
            "https://bank.xn--comlogin-g03d.test/", // com⁄login
            "https://bank.xn--comlogin-0f7d.test/", // com∕login
            "https://bank.xn--oogle-qmc.test/",     // ɡoogle
            "https://bank.xn--pypal-0jc.test/",     // pɑypal
            "https://bank.xn--paypa-r4a.test/",     // paypaı
            "https://bank.xn--paypa-9tb.test/",     // paypaǀ
            "https://bank.xn--ey-1pa.test/",        // ĸey
            "https://bank.xn--4l8aa2c7bn.test/",    // ꓮꓑꓑꓡꓰ
            "https://bank.xn--ebbp2b.test/",        // օոհ
            "https://bank.xn--banks-g2c.test/",     // bankʼs
            "https://bank.xn--ab-pyb.test/",        // a combining mark
            "https://bank.xn--lsa91dnba.test/",     // a combining mark
            "https://bank.xn--wekz60n.test/",       // 日ー
            "https://bank.xn--yoda3c.test/",        // ხოო
            "https://bank.xn--d4ba.test/",          // ००
        ] {
            assert_eq!(readable_hosts(stored), stored);
        }
    }
}
