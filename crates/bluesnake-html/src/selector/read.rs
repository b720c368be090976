//! Reads selectors.

use std::str::FromStr;

use super::{Combinator, Complex, Compound, Operator, Part, Selector, SelectorProblem, Test};

/// What can be used instead of something unsupported.
const SUPPORTED: &str = "use tags, #ids, .classes, [attributes], :first-child, :not(…), spaces, >, + and ~";
/// How many compounds a selector may have: each costs time for every element.
const MOST_COMPOUNDS: usize = 100;

impl FromStr for Selector {
    type Err = SelectorProblem;

    fn from_str(selector: &str) -> Result<Self, SelectorProblem> {
        let refused = |why| SelectorProblem { selector: selector.to_owned(), why };
        let mut text = Text(selector.trim());
        let mut alternatives = vec![complex(&mut text).map_err(refused)?];
        while text.eats(",") {
            text.skip_spaces();
            alternatives.push(complex(&mut text).map_err(refused)?);
        }
        if alternatives.iter().map(Vec::len).sum::<usize>() > MOST_COMPOUNDS {
            return Err(refused(format!("it has more than {MOST_COMPOUNDS} parts")));
        }
        if text.0.is_empty() { Ok(Self { alternatives }) } else { Err(refused(text.unexpected())) }
    }
}

/// What is left of a selector.
struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    fn eats(&mut self, start: &str) -> bool {
        let rest = self.0.strip_prefix(start);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Skips white space and returns whether there was any.
    fn skip_spaces(&mut self) -> bool {
        let rest = self.0.trim_start();
        let is_skipped = rest.len() < self.0.len();
        self.0 = rest;
        is_skipped
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn unexpected(&self) -> String {
        match self.0.chars().next() {
            None => "it ends too early".to_owned(),
            Some(c) => format!("unexpected `{c}`; {SUPPORTED}"),
        }
    }

    /// A name, with `\` before characters that would otherwise end it.
    fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        while let Some(c) = self.0.chars().next() {
            let is_escape = c == '\\';
            if !is_escape && !c.is_alphanumeric() && c != '-' && c != '_' {
                break;
            }
            self.take(c.len_utf8());
            let c = if is_escape { self.0.chars().next().ok_or_else(|| self.unexpected())? } else { c };
            if is_escape {
                self.take(c.len_utf8());
            }
            name.push(c);
        }
        if name.is_empty() { Err(self.unexpected()) } else { Ok(name) }
    }
}

fn complex(text: &mut Text<'_>) -> Result<Complex, String> {
    let mut compounds = vec![(Combinator::Descendant, compound(text)?)];
    while let Some(combinator) = combinator(text) {
        compounds.push((combinator, compound(text)?));
    }
    Ok(compounds)
}

/// What connects the next compound, if there is one.
fn combinator(text: &mut Text<'_>) -> Option<Combinator> {
    let is_apart = text.skip_spaces();
    let found = [(">", Combinator::Child), ("+", Combinator::Next), ("~", Combinator::Later)];
    if let Some((_, combinator)) = found.into_iter().find(|(sign, _)| text.eats(sign)) {
        text.skip_spaces();
        return Some(combinator);
    }
    (is_apart && !text.0.is_empty() && !text.0.starts_with([',', ')'])).then_some(Combinator::Descendant)
}

fn compound(text: &mut Text<'_>) -> Result<Compound, String> {
    let mut parts = Vec::new();
    while let Some(part) = part(text, parts.is_empty())? {
        parts.push(part);
    }
    if parts.is_empty() { Err(text.unexpected()) } else { Ok(Compound(parts)) }
}

fn part(text: &mut Text<'_>, is_first: bool) -> Result<Option<Part>, String> {
    Ok(Some(match text.0.chars().next() {
        Some('#') => {
            text.take(1);
            Part::Id(text.name()?)
        }
        Some('.') => {
            text.take(1);
            Part::Class(text.name()?)
        }
        Some('[') => {
            text.take(1);
            attribute(text)?
        }
        Some(':') => pseudo_class(text)?,
        Some('*') if is_first => {
            text.take(1);
            Part::Any
        }
        Some(c) if is_first && (c.is_alphanumeric() || "-_\\".contains(c)) => Part::Name(text.name()?),
        _ => return Ok(None),
    }))
}

fn pseudo_class(text: &mut Text<'_>) -> Result<Part, String> {
    let start = text.0;
    if text.eats(":not(") {
        return not(text);
    }
    let end = start.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == ':')).unwrap_or(start.len());
    match text.take(end) {
        ":first-child" => Ok(Part::FirstChild),
        other => Err(format!("`{other}` is not supported; {SUPPORTED}")),
    }
}

/// The compounds after `:not(`.
fn not(text: &mut Text<'_>) -> Result<Part, String> {
    let mut compounds = Vec::new();
    loop {
        text.skip_spaces();
        compounds.push(compound(text)?);
        text.skip_spaces();
        if text.eats(")") {
            return Ok(Part::Not(compounds));
        }
        if !text.eats(",") {
            return Err(match text.0.is_empty() {
                true => "`:not(` is not closed".to_owned(),
                false => format!("only single elements are supported in `:not(…)`, not `{}`", text.0),
            });
        }
    }
}

const OPERATORS: [(&str, Operator); 6] = [
    ("=", Operator::Equals),
    ("~=", Operator::HasWord),
    ("|=", Operator::IsOrIsBelow),
    ("^=", Operator::StartsWith),
    ("$=", Operator::EndsWith),
    ("*=", Operator::Contains),
];

/// `name]`, `name=value]`, `name^="value" i]` after the opening bracket.
fn attribute(text: &mut Text<'_>) -> Result<Part, String> {
    text.skip_spaces();
    let end = text.0.find(|c: char| "=!~|^$*]\"'".contains(c) || c.is_whitespace()).unwrap_or(text.0.len());
    let name = text.take(end).to_owned();
    if name.is_empty() {
        return Err("`[` needs the name of an attribute".to_owned());
    }
    text.skip_spaces();
    let Some((_, operator)) = OPERATORS.into_iter().find(|(sign, _)| text.eats(sign)) else {
        let test = Test { operator: Operator::IsThere, expected: String::new(), ignores_case: false };
        return closed(text, Part::Attribute(name, test));
    };
    text.skip_spaces();
    let expected = value(text)?;
    text.skip_spaces();
    let ignores_case = text.eats("i") || text.eats("I");
    closed(text, Part::Attribute(name, Test { operator, expected, ignores_case }))
}

fn closed(text: &mut Text<'_>, part: Part) -> Result<Part, String> {
    text.skip_spaces();
    match text.eats("]") {
        true => Ok(part),
        false if text.0.is_empty() => Err("`[` is not closed".to_owned()),
        false => Err(format!("unexpected `{}` in an attribute", text.0)),
    }
}

fn value(text: &mut Text<'_>) -> Result<String, String> {
    match text.0.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            text.take(1);
            let end = text.0.find(quote).ok_or("a quote is not closed")?;
            let value = text.take(end).to_owned();
            text.take(1);
            Ok(value)
        }
        _ => {
            let end = text.0.find(|c: char| c == ']' || c.is_whitespace()).unwrap_or(text.0.len());
            match text.take(end) {
                "" => Err("an attribute needs a value after its operator".to_owned()),
                value => Ok(value.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unsupported_is_refused_by_name() {
        for (selector, expected) in [
            ("", "it ends too early"),
            ("a:hover", "`:hover` is not supported"),
            ("li:last-child", "`:last-child` is not supported"),
            ("li:nth-child(2)", "`:nth-child` is not supported"),
            ("p::first-line", "`::first-line` is not supported"),
            ("a,", "it ends too early"),
            ("a >", "it ends too early"),
            ("> a", "unexpected `>`"),
            ("a > > b", "unexpected `>`"),
            ("[x", "`[` is not closed"),
            ("[]", "`[` needs the name"),
            ("[x=]", "needs a value"),
            ("[x='y]", "a quote is not closed"),
            ("[x=a b]", "unexpected `b]` in an attribute"),
            ("[x!=y]", "unexpected `!=y]` in an attribute"),
            ("#", "it ends too early"),
            (".", "it ends too early"),
            ("a.1,,b", "unexpected `,`"),
            ("**", "unexpected `*`"),
            ("a@b", "unexpected `@`"),
            ("a || b", "unexpected `|`"),
            (":not(a", "`:not(` is not closed"),
            (":not(a b)", "only single elements are supported in `:not(…)`, not `b)`"),
            ("\\", "it ends too early"),
        ] {
            let problem = selector.parse::<Selector>().expect_err(selector).to_string();
            assert!(problem.starts_with(&format!("invalid selector `{selector}`: ")), "{problem}");
            assert!(problem.contains(expected), "{selector}: {problem}");
        }
        let long = vec!["a"; 101].join(" ");
        assert!(long.parse::<Selector>().unwrap_err().to_string().contains("more than 100 parts"));
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn any_text_is_a_selector_or_refused(text in "([a-z#.\\[\\]()=~|^$*:,>+ \"'\\\\é]|not|first-child)*") {
                let _ = text.parse::<Selector>();
            }
        }
    }
}
