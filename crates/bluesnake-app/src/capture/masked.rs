//! Masks secrets in the URLs of Markdown. Code stays exactly as on the page.

use std::borrow::Cow;

use bluesnake_engine::secrets::mask_secrets;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// The Markdown with secrets masked everywhere except in code.
pub(super) fn mask_markdown(markdown: &str) -> Cow<'_, str> {
    if let Cow::Borrowed(_) = mask_secrets(markdown) {
        return Cow::Borrowed(markdown);
    }
    let (mut masked, mut done) = (String::with_capacity(markdown.len()), 0);
    for (event, range) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
        if matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))) && range.start >= done {
            masked.push_str(&mask_secrets(&markdown[done..range.start]));
            masked.push_str(&markdown[range.clone()]);
            done = range.end;
        }
    }
    masked.push_str(&mask_secrets(&markdown[done..]));
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_and_everything_else_is_masked() {
        let markdown = "Words ?key=a `GET /?key=b` [/?my\\_token=c](http://a/?my_token=c)\n\n```sh\ncurl /?key=d\n```\n\n\
                        <http://a/?key=e> and\n\n    indented ?key=f\n\n| `?key=g` | ?key=h |\n|---|---|\n";
        let expected = "Words ?key=*** `GET /?key=b` [/?my\\_token=***](http://a/?my_token=***)\n\n```sh\ncurl /?key=d\n```\n\n\
                        <http://a/?key=***> and\n\n    indented ?key=f\n\n| `?key=g` | ?key=*** |\n|---|---|\n";
        assert_eq!(mask_markdown(markdown), expected);
        assert!(matches!(mask_markdown("no secrets `here`"), Cow::Borrowed(_)));
    }
}
