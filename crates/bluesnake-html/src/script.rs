//! Where a script ends: at the first `</script>` that is not inside `<!-- <script> … -->`.
//!
//! The escaped and double escaped states of the WHATWG standard, as one walk over the bytes that can change the state.

use memchr::{memchr, memchr2};

use crate::tokenizer::{begins_with_name, is_end_tag};

enum State {
    Plain,
    /// After `<!--`; its position is needed because its own dashes count for `-->`.
    Escaped {
        since: usize,
    },
    /// After `<script` in a comment: the next `</script` only ends that.
    DoubleEscaped {
        since: usize,
    },
}

/// How much text comes before the end tag of the script.
pub(crate) fn length(rest: &[u8]) -> usize {
    let (mut state, mut at) = (State::Plain, 0);
    while let Some(found) = next_mark(&state, &rest[at..]) {
        let mark = at + found;
        if rest[mark] == b'<' && ends_script(&state, &rest[mark..]) {
            return mark;
        }
        state = state.after(rest, mark);
        at = mark + 1;
    }
    rest.len()
}

fn next_mark(state: &State, rest: &[u8]) -> Option<usize> {
    match state {
        State::Plain => memchr(b'<', rest),
        State::Escaped { .. } | State::DoubleEscaped { .. } => memchr2(b'<', b'>', rest),
    }
}

fn ends_script(state: &State, text: &[u8]) -> bool {
    !matches!(state, State::DoubleEscaped { .. }) && is_end_tag(text, "script")
}

impl State {
    fn after(self, rest: &[u8], mark: usize) -> Self {
        let text = &rest[mark..];
        match self {
            Self::Plain if text.starts_with(b"<!--") => Self::Escaped { since: mark + "<!".len() },
            Self::Escaped { since } | Self::DoubleEscaped { since } if rest[since..=mark].ends_with(b"-->") => {
                Self::Plain
            }
            Self::Escaped { since } if text[0] == b'<' && begins_with_name(&text[1..], "script") => {
                Self::DoubleEscaped { since }
            }
            Self::DoubleEscaped { since } if is_end_tag(text, "script") => Self::Escaped { since },
            unchanged => unchanged,
        }
    }
}
