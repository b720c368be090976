//! The arguments of a call.

use bluesnake_app::view::Run;
use bluesnake_app::{App, AppError, nearest};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::answer::{DEFAULT_TOKENS, FEWEST_TOKENS, MOST_TOKENS};

/// The arguments of a call, taken one by one. What is left at the end is an error.
#[derive(Debug)]
pub(crate) struct Arguments {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Arguments {
    pub(crate) fn new(given: Map<String, Value>) -> Self {
        Self { left: given, known: Vec::new() }
    }

    /// Takes an argument; null counts as absent.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Option<T>, AppError> {
        self.known.push(name);
        match self.left.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => serde_json::from_value(value).map(Some).map_err(|error| wrong(name, &error.to_string())),
        }
    }

    /// Takes an argument that a call must have.
    pub(crate) fn need<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, AppError> {
        self.take(name)?.ok_or_else(|| wrong(name, "is missing"))
    }

    /// Takes a text or a number as text: models write `404` and `"404"`.
    pub(crate) fn take_text(&mut self, name: &'static str) -> Result<Option<String>, AppError> {
        Ok(match self.take::<Value>(name)? {
            None => None,
            Some(Value::String(text)) => Some(text),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(_) => return Err(wrong(name, "must be a text or a number")),
        })
    }

    /// The run that `run` names: a number, a site, or `latest`.
    pub(crate) async fn run(&mut self, app: &App) -> Result<Run, AppError> {
        let name =
            self.take_text("run")?.ok_or_else(|| wrong("run", "is missing: a run number, a site, or `latest`"))?;
        app.find_run(&name).await
    }

    /// How many tokens the answer may have.
    pub(crate) fn budget(&mut self) -> Result<usize, AppError> {
        let budget = self.take::<usize>("max_tokens")?.unwrap_or(DEFAULT_TOKENS);
        match (FEWEST_TOKENS..=MOST_TOKENS).contains(&budget) {
            true => Ok(budget),
            false => Err(wrong("max_tokens", &format!("must be {FEWEST_TOKENS} to {MOST_TOKENS}"))),
        }
    }

    /// The offset that `next` names.
    pub(crate) fn offset(&mut self) -> Result<u64, AppError> {
        match self.take_text("next")? {
            None => Ok(0),
            Some(text) => text.parse().map_err(|_| wrong("next", "is not from an earlier answer to the same call")),
        }
    }

    /// Fails if an argument is left that no one took.
    pub(crate) fn end(self) -> Result<(), AppError> {
        let Some(name) = self.left.keys().next() else { return Ok(()) };
        let hint = match nearest(name, self.known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("it takes {}", self.known.join(", ")),
        };
        Err(AppError::Rejected { message: format!("unknown argument `{name}`"), hint })
    }
}

/// An argument that cannot be used.
pub(crate) fn wrong(name: &str, why: &str) -> AppError {
    AppError::Rejected { message: format!("`{name}` {why}"), hint: "`tools/list` describes the arguments".to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: Value) -> Arguments {
        Arguments::new(value.as_object().unwrap().clone())
    }

    #[test]
    fn unknown_arguments_are_errors_with_a_suggestion() {
        let mut given = arguments(json!({ "max_token": 500 }));
        assert_eq!(given.budget().unwrap(), DEFAULT_TOKENS);
        let error = given.end().unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.hint().as_deref()),
            ("unknown argument `max_token`", Some("did you mean `max_tokens`?"))
        );
    }

    #[test]
    fn budgets_have_limits() {
        assert!(arguments(json!({ "max_tokens": 499 })).budget().is_err());
        assert!(arguments(json!({ "max_tokens": 20_001 })).budget().is_err());
        assert!(arguments(json!({ "max_tokens": "many" })).budget().is_err());
        assert_eq!(arguments(json!({ "max_tokens": null })).budget().unwrap(), DEFAULT_TOKENS);
    }

    #[test]
    fn numbers_may_be_texts() {
        assert_eq!(arguments(json!({ "next": 40 })).offset().unwrap(), 40);
        assert_eq!(arguments(json!({ "next": "40" })).offset().unwrap(), 40);
        assert!(arguments(json!({ "next": "x" })).offset().is_err());
    }
}
