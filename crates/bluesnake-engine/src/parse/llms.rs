//! The form of an llms.txt: a title, a summary, and sections with lists of links (<https://llmstxt.org>).
//!
//! Its links themselves are read by [`super::markdown`].

use serde::Serialize;

use super::markdown::lines_outside_code;
use crate::url::Base;

/// What an llms.txt has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct LlmsFacts {
    /// Whether it begins with a heading of the first level.
    title: bool,
    /// Whether a quote before the first section sums it up.
    summary: bool,
    /// List items that are links.
    links: usize,
    /// List items that are not: without a target, or without a link in a list of links.
    malformed: usize,
}

/// A section, from its heading to the next.
#[derive(Default)]
struct Section {
    links: usize,
    /// Items that look like links.
    broken: usize,
    /// Items without a link.
    plain: usize,
}

pub(super) fn read(text: &str, base: &Base) -> LlmsFacts {
    let mut facts = LlmsFacts::default();
    let mut section = None;
    let lines = lines_outside_code(text).map(str::trim_ascii).filter(|line| !line.is_empty());
    for (at, line) in lines.enumerate() {
        if line.starts_with("## ") {
            facts.end(section.replace(Section::default()));
        } else if at == 0 {
            facts.title = line.strip_prefix("# ").is_some_and(|title| !title.trim_ascii().is_empty());
        } else if let Some(section) = &mut section {
            section.add(line, base);
        } else if let Some(quote) = line.strip_prefix('>') {
            facts.summary |= !quote.trim_ascii().is_empty();
        }
    }
    facts.end(section);
    facts
}

impl LlmsFacts {
    fn end(&mut self, section: Option<Section>) {
        let section = section.unwrap_or_default();
        self.links += section.links;
        // A list of sentences is a list too, just not one of links.
        self.malformed += section.broken + if section.links > 0 { section.plain } else { 0 };
    }

    /// As a JSON object under the name `llms`.
    pub(super) fn to_json(self) -> String {
        serde_json::json!({ "llms": self }).to_string()
    }
}

impl Section {
    fn add(&mut self, line: &str, base: &Base) {
        let Some(item) = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark)) else { return };
        let item = item.trim_ascii_start();
        let target = item.strip_prefix('[').and_then(|item| item.split_once("](")).and_then(|(name, rest)| {
            let (target, _) = rest.split_once(')')?;
            (!name.trim_ascii().is_empty() && !target.contains(char::is_whitespace)).then_some(target)
        });
        *match target {
            Some(target) if !target.is_empty() && base.join(target).is_ok() => &mut self.links,
            None if !item.starts_with(['[', '<']) && !item.starts_with("http") => &mut self.plain,
            _ => &mut self.broken,
        } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::CanonicalUrl;

    #[test]
    fn the_form_of_an_llms_txt_is_read() {
        let base = Base::of(&CanonicalUrl::parse("https://a.example/llms.txt").unwrap());
        let check = |text: &str, (title, summary, links, malformed)| {
            assert_eq!(read(text, &base), LlmsFacts { title, summary, links, malformed }, "{text}");
        };
        check("", (false, false, 0, 0));
        check(
            "# A\n\n> About A\n\n## Docs\n\n- [One](/one.md): first\n* [Two](https://b.example/)\n",
            (true, true, 2, 0),
        );
        check("\n# A\n## Docs\n> Too late\n", (true, false, 0, 0));
        check("# \n", (false, false, 0, 0));
        check("A\n# B\n", (false, false, 0, 0));
        check("## Docs\n- [One](/one)\n", (false, false, 1, 0));
        check(
            "# A\n>\n## Docs\n- [One]()\n- [Two]\n- https://a.example/x\n- [](/x)\n- [a b](/x y)\n",
            (true, false, 0, 5),
        );
        check("# A\n- [Before a section](/x)\n", (true, false, 0, 0));
        check("# A\n## Features\n- fast\n- small\n## Docs\n- [One](/1)\n- no link\n", (true, false, 1, 1));
        check("# A\n## Docs\n```\n- [code]\n```\n- [One](/1)\n", (true, false, 1, 0));
    }

    #[test]
    fn facts_are_an_object_of_their_own() {
        let facts = LlmsFacts { title: true, summary: false, links: 2, malformed: 1 };
        assert_eq!(facts.to_json(), r#"{"llms":{"links":2,"malformed":1,"summary":false,"title":true}}"#);
    }
}
