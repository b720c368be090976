//! Redirects by script: where an inline script sets the location of the page.
//!
//! Not a parser of JavaScript. A page that only redirects has a short script that sets `location` to a string; what is
//! inside a function with a name runs later or never, and a string with something added to it has no fixed target.

/// Longer scripts do more than redirect.
const LONGEST: usize = 4_096;
/// How long a target may be.
const TARGET: usize = 2_000;

/// The target of a redirect, as written.
pub(super) fn redirect(script: &str) -> Option<&str> {
    if script.len() > LONGEST || memchr::memmem::find(script.as_bytes(), b"location").is_none() {
        return None;
    }
    Scanner { script, at: 0, depth: 0, function: None }.find()
}

struct Scanner<'a> {
    script: &'a str,
    at: usize,
    /// How many braces are open.
    depth: usize,
    /// How many were open before the outermost function with a name.
    function: Option<usize>,
}

impl<'a> Scanner<'a> {
    fn find(mut self) -> Option<&'a str> {
        while let Some(&byte) = self.script.as_bytes().get(self.at) {
            let rest = &self.script[self.at..];
            match byte {
                b'"' | b'\'' | b'`' => self.at += string(rest).map_or(rest.len(), |(_, length)| length),
                b'/' if rest.starts_with("//") => self.at += rest.find('\n').unwrap_or(rest.len()),
                b'/' if rest.starts_with("/*") => self.at += rest.find("*/").map_or(rest.len(), |end| end + 2),
                b'{' => self.open(),
                b'}' => self.close(),
                _ if byte == b'_' || byte == b'$' || byte.is_ascii_alphabetic() => {
                    let (word, after) = rest.split_at(word_length(rest));
                    self.at += word.len();
                    match word {
                        "function" if after.trim_ascii_start().starts_with(is_name) => {
                            self.function.get_or_insert(self.depth);
                        }
                        "location" if self.function.is_none() => {
                            if let Some(target) = assigned(after) {
                                return Some(target);
                            }
                        }
                        _ => {}
                    }
                }
                _ => self.at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        None
    }

    fn open(&mut self) {
        (self.depth, self.at) = (self.depth + 1, self.at + 1);
    }

    fn close(&mut self) {
        (self.depth, self.at) = (self.depth.saturating_sub(1), self.at + 1);
        self.function.take_if(|outside| *outside >= self.depth);
    }
}

fn is_name(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_name(c)).unwrap_or(text.len())
}

/// The string that `= "…"`, `.href = "…"`, `.replace("…")` or `.assign("…")` sets.
fn assigned(after: &str) -> Option<&str> {
    let after = after.trim_ascii_start();
    let (method, rest) = match after.strip_prefix('.') {
        Some(member) => member.trim_ascii_start().split_at(word_length(member.trim_ascii_start())),
        None => ("href", after),
    };
    let opens = match method {
        "href" => '=',
        "replace" | "assign" => '(',
        _ => return None,
    };
    let value = rest.trim_ascii_start().strip_prefix(opens)?.trim_ascii_start();
    let (target, length) = string(value)?;
    let ends = value[length..].trim_ascii_start();
    let is_fixed = !ends.starts_with(['+', '.']) && !target.contains("${");
    (is_fixed && !target.is_empty() && target.len() <= TARGET).then_some(target)
}

/// The string a text begins with, and its length with quotes.
fn string(text: &str) -> Option<(&str, usize)> {
    let quote = *text.as_bytes().first().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let mut bytes = text.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        if byte == quote {
            return Some((&text[1..at], at + 1));
        }
        if byte == b'\\' {
            bytes.next();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_redirect_are_seen() {
        for (script, expected) in [
            ("window.location = '/new';", Some("/new")),
            ("location.href=\"https://b.example/\"", Some("https://b.example/")),
            ("window.location.replace ( `x` )", Some("x")),
            ("document.location.assign('/a?b=c');", Some("/a?b=c")),
            ("setTimeout(function () { top.location.href = '/later' }, 0)", Some("/later")),
            ("window.onload = () => { location = 'there' }", Some("there")),
            ("if (a) { b() } // old\nlocation='/x'", Some("/x")),
            ("var s = 'it\\'s'; location='/y'", Some("/y")),
            ("function go() { location.href = '/only-when-called' }", None),
            ("function go() { if (x) { y } location = '/z' } location = '/w'", Some("/w")),
            ("location.href = '/search?q=' + query", None),
            ("location.href = `/user/${id}`", None),
            ("if (location.href == '/here') {}", None),
            ("if (location.protocol != 'https:') go()", None),
            ("var text = \"location = '/quoted'\"", None),
            ("// location = '/comment'", None),
            ("/* location = '/comment' */", None),
            ("my_location = '/other'", None),
            ("location.hash = '#a'", None),
            ("location = ''", None),
            ("location = '/unclosed", None),
            ("/* location", None),
            ("", None),
        ] {
            assert_eq!(redirect(script), expected, "{script}");
        }
        let long = format!("{};location='/x'", "a();".repeat(2_000));
        assert_eq!(redirect(&long), None);
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn any_script_is_read(script in "([\\{\\}\"'`/*\\\\ .=(+é]|location|function|href|\\n|a)*") {
                redirect(&script);
            }
        }
    }
}
