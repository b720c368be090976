//! GET forms.

use super::*;

fn check(html: &str, expected: &[&str]) {
    let settings = ParseSettings { get_forms: true, ..ParseSettings::default() };
    let links = read_with(&settings, html).links;
    let found: Vec<String> =
        links.iter().map(|link| format!("{} {}", link.kind.as_str(), link.target.path_and_query())).collect();
    assert_eq!(found, expected, "{html}");
}

#[test]
fn they_lead_where_a_browser_would_send_them() {
    check("<form action=/s?old=1><input name=q value='a b'><input name=p></form>", &["get-form /s?q=a+b&p="]);
    check("<base href=/base/><form METHOD=GET><input type=hidden name=h value=1></form>", &["get-form /docs/x?h=1"]);
    check(
        "<form action=/s><input type=checkbox name=a><input type=checkbox name=b checked><input type=radio name=c value=1 checked>\
         <input name=d disabled><input type=submit name=e value=1><button name=f value=2></button><input value=nameless></form>",
        &["get-form /s?b=on&c=1&e=1"],
    );
    check(
        "<form action=/s><select name=a><option>one &amp; two</option><option value=2></select>\
         <select name=b><option value=1><option value=2 selected><option value=3 selected></select><select name=c></select>\
         <textarea name=d>some\nwords</textarea></form><input name=e>",
        &["get-form /s?a=one+%26+two&b=2&d=some%0D%0Awords"],
    );
    check("<form action=/s?x=1></form>", &["get-form /s"]);
    check("<form action=/s><form action=/t><input name=q></form>", &["get-form /s?q="]);
}

#[test]
fn other_forms_are_only_mentioned() {
    check(
        "<form method=post action=/s><input name=q></form><form method=dialog action=/t></form>",
        &["form /s", "form /t"],
    );
    super::check("<form action=/s><input name=q></form>", &["form /s"]);
    check("<template><form action=/s></form></template>", &[]);
}

#[test]
fn their_values_are_written_in_the_encoding_of_the_document() {
    let settings = ParseSettings { get_forms: true, ..ParseSettings::default() };
    let html = "<form action=/s><input name=q value=ü></form>";
    let url = page_url();
    let document = Document { encoding: "windows-1252", ..document(&url, &settings, html) };
    assert_eq!(read(document).links[0].target.path_and_query(), "/s?q=%FC");
}

/// The frame replaced the form among the links and lost its query.
#[test]
fn a_form_before_frames_is_forgotten() {
    check("<form action=/s><frameset><frame src='/a?x=1'></frameset>", &["iframe /a?x=1"]);
}
