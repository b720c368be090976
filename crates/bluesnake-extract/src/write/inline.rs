//! One paragraph, heading or cell being written: its Markdown and its plain text, side by side.
//!
//! White space and opening marks are held back until something visible follows. So `<b> x </b>` becomes ` **x** `,
//! empty elements leave nothing behind, and spaces never double.

use super::escape;

/// An inline style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Style {
    Strong,
    Emphasis,
    Deleted,
    /// Kept as HTML, since Markdown has no syntax for it.
    Html(&'static str),
    Link {
        target: String,
        title: Option<String>,
    },
}

#[derive(Debug)]
struct Open {
    style: Style,
    /// The position of its opening mark, once something followed it.
    start: Option<usize>,
    /// Another one of the same kind is open around it.
    is_repeated: bool,
    is_html: bool,
}

/// The style that ended last, if nothing was written since.
#[derive(Debug)]
struct Closed {
    style: Style,
    start: usize,
    inner_end: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Place {
    #[default]
    Paragraph,
    /// Must stay on one line.
    Heading,
    /// Must stay on one line, and pipes end it.
    Cell,
}

#[derive(Debug, Default)]
pub(super) struct Inline {
    pub(super) markdown: String,
    pub(super) text: String,
    pub(super) place: Place,
    /// White space to write before the next visible text.
    pending: String,
    breaks: usize,
    open: Vec<Open>,
    closed: Option<Closed>,
}

impl Inline {
    pub(super) fn new(place: Place) -> Self {
        Self { place, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.markdown.is_empty()
    }

    /// Takes what was written and starts over; open styles continue in what follows.
    pub(super) fn take(&mut self) -> (String, String) {
        for at in (0..self.open.len()).rev() {
            self.write_end(at);
            self.open[at].start = None;
        }
        self.pending.clear();
        self.breaks = 0;
        self.closed = None;
        (std::mem::take(&mut self.markdown), std::mem::take(&mut self.text))
    }

    pub(super) fn push_text(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let space = rest.find(|letter: char| !is_space(letter)).unwrap_or(rest.len());
            self.push_space(&rest[..space]);
            rest = &rest[space..];
            let words = end_of_words(rest);
            if words > 0 {
                self.push_words(&rest[..words]);
            }
            rest = &rest[words..];
        }
    }

    /// White space that may be dropped at the edges of a line.
    pub(super) fn space(&mut self) {
        self.push_space(" ");
    }

    /// `<br>`: a new line if something follows; for two of them, the caller starts a new paragraph.
    pub(super) fn line_break(&mut self) {
        self.pending.clear();
        self.breaks += 1;
    }

    /// Whether the line ended with more than one break.
    pub(super) fn ends_paragraph(&self) -> bool {
        self.breaks > 1 && self.place == Place::Paragraph && !self.markdown.is_empty()
    }

    pub(super) fn push_code(&mut self, code: &str) {
        let folded = fold_lines(code);
        if folded.trim().is_empty() {
            return self.space();
        }
        self.before_visible('`');
        escape::push_code_span(&mut self.markdown, &folded, self.place == Place::Cell);
        self.text.push_str(&folded);
    }

    /// Appends existing Markdown with its plain text.
    pub(super) fn push_raw(&mut self, markdown: &str, text: &str) {
        self.before_visible(markdown.chars().next().unwrap_or(' '));
        self.markdown.push_str(markdown);
        self.text.push_str(text);
    }

    pub(super) fn open(&mut self, style: Style) {
        let is_repeated =
            self.open.iter().any(|open| std::mem::discriminant(&open.style) == std::mem::discriminant(&style));
        self.open.push(Open { style, start: None, is_repeated, is_html: false });
    }

    pub(super) fn close(&mut self) {
        let last = self.open.len() - 1;
        self.write_end(last);
        self.open.pop();
    }

    fn write_end(&mut self, at: usize) {
        let Open { style, start, is_repeated, is_html } = &self.open[at];
        let Some(start) = *start else { return };
        if *is_repeated {
            return;
        }
        let inner_end = self.markdown.len();
        match style {
            Style::Link { target, title } => {
                self.markdown.push_str("](");
                let title = title.as_deref().filter(|title| !title.trim().is_empty());
                escape::push_target(&mut self.markdown, target, title);
                self.markdown.push(')');
            }
            _ if *is_html => push_html(&mut self.markdown, style, "</"),
            _ => self.markdown.push_str(sign(style)),
        }
        let can_be_continued = matches!(style, Style::Strong | Style::Emphasis | Style::Deleted) && !is_html;
        self.closed =
            can_be_continued.then(|| Closed { style: style.clone(), start, inner_end, end: self.markdown.len() });
    }

    fn push_space(&mut self, space: &str) {
        for letter in space.chars() {
            match letter {
                '\u{a0}' => self.pending.push(letter),
                _ if self.markdown.is_empty() && self.pending.is_empty() => {}
                _ if self.pending.ends_with(' ') => {}
                _ => self.pending.push(' '),
            }
        }
    }

    fn push_words(&mut self, words: &str) {
        self.before_visible(words.chars().next().expect("words are not empty"));
        escape::push_text(&mut self.markdown, words, self.place == Place::Cell);
        self.text.push_str(words);
    }

    /// Writes what was held back.
    fn before_visible(&mut self, next: char) {
        let joins = self.pending.is_empty() && self.breaks == 0;
        if !joins {
            self.write_white_space();
        } else if next.is_alphanumeric() {
            self.make_closing_readable();
        }
        if self.open.iter().any(|open| open.start.is_none()) {
            self.write_starts(next, joins);
        }
        self.closed = None;
    }

    fn write_white_space(&mut self) {
        if self.breaks > 0 {
            if !self.markdown.is_empty() {
                self.markdown.push_str(match self.place {
                    Place::Paragraph => "\\\n",
                    Place::Heading => " ",
                    Place::Cell => "<br>",
                });
                self.text.push_str(if self.place == Place::Paragraph { "\n" } else { " " });
            }
            self.markdown.push_str(self.pending.trim_start_matches(' '));
        } else {
            self.markdown.push_str(&self.pending);
            let has_text = !self.text.is_empty() && !self.text.ends_with([' ', '\n']);
            self.text.push_str(if has_text { " " } else { "" });
        }
        self.pending.clear();
        self.breaks = 0;
    }

    fn write_starts(&mut self, next: char, joins: bool) {
        for at in 0..self.open.len() {
            let open = &self.open[at];
            if open.start.is_some() {
                continue;
            }
            if open.is_repeated {
                self.open[at].start = Some(self.markdown.len());
                continue;
            }
            let style = open.style.clone();
            if let Some(start) = self.continued(&style, joins) {
                self.open[at].start = Some(start);
                continue;
            }
            self.open[at].is_html = self.needs_html(&style, next);
            self.open[at].start = Some(self.markdown.len());
            self.write_start(&style, self.open[at].is_html);
        }
    }

    fn write_start(&mut self, style: &Style, is_html: bool) {
        match style {
            Style::Link { .. } => {
                if self.markdown.ends_with('!') {
                    self.markdown.pop();
                    self.markdown.push_str("\\!");
                }
                self.markdown.push('[');
            }
            _ if is_html => push_html(&mut self.markdown, style, "<"),
            _ => self.markdown.push_str(sign(style)),
        }
    }

    /// `**a**` right before `**b**` would be misread, so they are merged.
    fn continued(&mut self, style: &Style, joins: bool) -> Option<usize> {
        let closed =
            self.closed.take_if(|closed| joins && closed.style == *style && closed.end == self.markdown.len())?;
        self.markdown.truncate(closed.inner_end);
        Some(closed.start)
    }

    /// Whether asterisks would not open a style: between a letter and a punctuation mark.
    fn needs_html(&self, style: &Style, next: char) -> bool {
        let before = self.markdown.chars().next_back();
        match style {
            Style::Html(_) => true,
            Style::Link { .. } => false,
            _ => before.is_some_and(char::is_alphanumeric) && !next.is_alphanumeric(),
        }
    }

    /// Asterisks do not close between a punctuation mark and a letter either; then both ends become HTML.
    fn make_closing_readable(&mut self) {
        let next_style = self.open.iter().find(|open| open.start.is_none()).map(|open| &open.style);
        let ends_badly = |closed: &mut Closed| {
            let inside = self.markdown[..closed.inner_end].chars().next_back();
            closed.end == self.markdown.len()
                && next_style != Some(&closed.style)
                && inside.is_some_and(|inside| !inside.is_alphanumeric())
        };
        let Some(closed) = self.closed.take_if(ends_badly) else { return };
        self.markdown.truncate(closed.inner_end);
        push_html(&mut self.markdown, &closed.style, "</");
        let mut start = String::new();
        push_html(&mut start, &closed.style, "<");
        self.markdown.replace_range(closed.start..closed.start + sign(&closed.style).len(), &start);
    }
}

fn sign(style: &Style) -> &'static str {
    match style {
        Style::Strong => "**",
        Style::Emphasis => "*",
        Style::Deleted => "~~",
        Style::Html(_) | Style::Link { .. } => "",
    }
}

fn push_html(out: &mut String, style: &Style, bracket: &str) {
    let name = match style {
        Style::Strong => "strong",
        Style::Emphasis => "em",
        Style::Deleted => "del",
        Style::Html(name) => name,
        Style::Link { .. } => return,
    };
    out.push_str(bracket);
    out.push_str(name);
    out.push('>');
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{a0}')
}

/// Words separated by single spaces are written at once.
fn end_of_words(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\t' | b'\n' | b'\r' | 0x0c => return at,
            b' ' if !bytes.get(at + 1).is_some_and(|next| next.is_ascii_graphic()) => return at,
            0xC2 if bytes.get(at + 1) == Some(&0xA0) => return at,
            _ => at += 1,
        }
    }
    at
}

/// Line breaks in a code span, and the indentation after them, become one space.
fn fold_lines(code: &str) -> String {
    if !code.contains(['\n', '\r']) {
        return code.to_owned();
    }
    let lines: Vec<&str> = code.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}
