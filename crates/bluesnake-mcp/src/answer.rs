//! Answers that fit the token budget of their caller.
//!
//! Our own words (counts, states, hints) come first. Everything that was crawled is in one field, [`WEB`], and nowhere
//! else: it is data, whatever it says. Rows are added while they fit; the rest is behind `next`.

use bluesnake_app::{Secrets, tokens};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// The field with everything that comes from the web.
pub(crate) const WEB: &str = "content_from_web";

/// The limits of `max_tokens`.
pub(crate) const DEFAULT_TOKENS: usize = 4_000;
pub(crate) const MOST_TOKENS: usize = 20_000;
pub(crate) const FEWEST_TOKENS: usize = 500;

/// What names, commas and `next` take.
const SLACK: usize = 60;
/// To how many characters texts are cut, step by step, if an answer is too long without any rows.
const SHORTER: [usize; 4] = [1_000, 300, 100, 40];

/// An object whose fields stay in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(String, Value)>);

impl Fields {
    /// Adds a field, unless it is null.
    fn put(&mut self, name: &str, value: impl Serialize) {
        let value = to_value(value);
        if !value.is_null() {
            self.0.push((name.to_owned(), value));
        }
    }

    /// Drops the last fields until the others fit.
    fn cut(&mut self, budget: usize) {
        while size(self) > budget && self.0.len() > 1 {
            self.0.pop();
        }
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.0.iter_mut().map(|(_, value)| value)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

/// The answer of a tool, before it is cut to the budget.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Our own words.
    ours: Fields,
    /// What was crawled, the most important first.
    web: Fields,
    rows: Vec<Value>,
    /// How many rows there are in all, if known.
    total: Option<u64>,
}

/// An answer that fits.
#[derive(Debug)]
pub(crate) struct Fitted {
    /// The answer without `next`.
    fields: Fields,
    web: Fields,
    /// How many rows it has, and how many were there to add.
    pub(crate) rows: usize,
    pub(crate) of: usize,
    total: Option<u64>,
}

impl Answer {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a fact of ours, unless it is null.
    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        self.ours.put(name, value);
        self
    }

    /// Adds something from the web, unless it is null.
    pub(crate) fn with_web(mut self, name: &str, value: impl Serialize) -> Self {
        self.web.put(name, value);
        self
    }

    /// Adds rows from the web.
    pub(crate) fn with_rows<T: Serialize>(mut self, rows: impl IntoIterator<Item = T>, total: Option<u64>) -> Self {
        self.rows = rows.into_iter().map(to_value).collect();
        self.total = total;
        self
    }

    /// Cuts the answer to a budget, with secrets masked as configured.
    pub(crate) fn fit(self, budget: usize, secrets: Secrets) -> Fitted {
        let Self { mut ours, mut web, rows, total } = self;
        ours.cut(budget / 2);
        web.values_mut().for_each(|value| mask(value, secrets));
        let mut left = budget.saturating_sub(SLACK + size(&ours));
        for longest in SHORTER {
            if size(&web) <= left {
                break;
            }
            web.values_mut().for_each(|value| shorten(value, longest));
        }
        web.cut(left);
        left = left.saturating_sub(size(&web));
        let of = rows.len();
        let mut kept = Vec::new();
        for mut row in rows {
            mask(&mut row, secrets);
            let mut needed = size(&row) + 1;
            if kept.is_empty() && needed > left {
                shorten(&mut row, SHORTER[2]);
                needed = size(&row) + 1;
            }
            if needed > left && !kept.is_empty() {
                break;
            }
            left = left.saturating_sub(needed);
            kept.push(row);
        }
        let rows = kept.len();
        if of > 0 || total.is_some() {
            web.put("rows", kept);
        }
        Fitted { fields: ours, web, rows, of, total }
    }
}

impl Fitted {
    /// The finished answer. With a cursor it says what was left out.
    pub(crate) fn finish(mut self, offset: u64, next: Option<String>) -> Fields {
        self.fields.put("total", self.total);
        if !self.web.0.is_empty() {
            self.fields.put(WEB, self.web);
        }
        if let Some(next) = next {
            let left = match self.total.map(|total| total.saturating_sub(offset + self.rows as u64)) {
                Some(left) => format!("{left} more rows; call again with this `next`"),
                None => "more rows; call again with this `next`".to_owned(),
            };
            self.fields.put("next", next);
            self.fields.put("left_out", left);
        }
        self.fields
    }

    /// The finished answer for a list that any offset can continue.
    pub(crate) fn window(self, offset: u64) -> Fields {
        let end = offset + self.rows as u64;
        let next = self.total.is_some_and(|total| end < total && self.rows > 0).then(|| end.to_string());
        self.finish(offset, next)
    }
}

fn to_value(value: impl Serialize) -> Value {
    without_nulls(serde_json::to_value(value).unwrap_or_else(|error| json!({ "error": error.to_string() })))
}

/// Absent fields say the same as null ones, and cost nothing.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .map(|(name, value)| (name, without_nulls(value)))
            .filter(|(_, value)| !value.is_null())
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// How many tokens a value takes as JSON.
fn size(value: &impl Serialize) -> usize {
    tokens(&serde_json::to_string(value).unwrap_or_default()).o200k
}

/// Cuts every text to so many characters, and long lists to a few items.
fn shorten(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(longest) {
                text.truncate(at);
                text.push('…');
            }
        }
        Value::Array(items) => {
            items.truncate(longest / 10);
            items.iter_mut().for_each(|item| shorten(item, longest));
        }
        Value::Object(map) => map.values_mut().for_each(|value| shorten(value, longest)),
        _ => {}
    }
}

fn mask(value: &mut Value, secrets: Secrets) {
    match value {
        Value::String(text) => *text = secrets.show(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, secrets)),
        Value::Object(map) => map.values_mut().for_each(|value| mask(value, secrets)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer as JSON, and what it costs.
    fn shown(fields: Fields) -> (Value, usize) {
        (serde_json::to_value(&fields).unwrap(), size(&fields))
    }

    #[test]
    fn rows_are_added_while_they_fit() {
        let rows = (0..1_000).map(|number| json!({ "number": number, "url": format!("https://a.test/page-{number}") }));
        let answer = || Answer::new().with("run", 1).with_rows(rows.clone(), Some(1_000));
        for budget in [FEWEST_TOKENS, 1_000, DEFAULT_TOKENS, MOST_TOKENS] {
            let fitted = answer().fit(budget, Secrets::Masked);
            let count = fitted.rows as u64;
            let (shown, cost) = shown(fitted.window(0));
            assert!(cost <= budget, "{budget}: {cost}");
            assert!(budget == FEWEST_TOKENS || cost * 10 >= budget * 8 || count == 1_000, "{budget}: {count}");
            assert_eq!(shown["total"], 1_000);
            if count < 1_000 {
                assert_eq!(shown["next"], count.to_string());
                assert_eq!(shown["left_out"], format!("{} more rows; call again with this `next`", 1_000 - count));
            }
        }
    }

    #[test]
    fn one_huge_row_is_shortened_instead_of_left_out() {
        let fitted =
            Answer::new().with_rows([json!({ "title": "word ".repeat(50_000) })], Some(1)).fit(500, Secrets::Masked);
        assert_eq!(fitted.rows, 1);
        let (shown, cost) = shown(fitted.window(0));
        assert!(cost <= 500 && shown.get("next").is_none(), "{cost}");
    }

    #[test]
    fn long_texts_are_shortened_and_the_least_important_fields_go_first() {
        let mut answer = Answer::new().with("run", 1);
        for at in 0..200 {
            answer = answer.with_web(&format!("field-{at}"), "some words about nothing ".repeat(500));
        }
        let (shown, cost) = shown(answer.fit(1_000, Secrets::Masked).finish(0, None));
        assert!(cost <= 1_000, "{cost}");
        assert!(shown[WEB].get("field-0").is_some() && shown[WEB].get("field-199").is_none());
    }

    #[test]
    fn secrets_are_masked_and_nulls_left_out() {
        let fields = Answer::new()
            .with("run", Option::<i64>::None)
            .with_web("url", "https://a.test/?token=canary")
            .with_rows([json!({ "url": "https://a.test/?key=canary", "title": null })], None)
            .fit(DEFAULT_TOKENS, Secrets::Masked)
            .finish(0, None);
        let (shown, _) = shown(fields);
        let text = shown.to_string();
        assert!(!text.contains("canary") && !text.contains("null") && shown.get("run").is_none(), "{text}");
    }
}
