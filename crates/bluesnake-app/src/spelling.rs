//! Wording for mistakes: suggestions for unknown names, and what was expected instead of a value.

use strsim::osa_distance;

/// The most similar known word, if it is similar enough to have been meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distances = known.into_iter().map(|meant| (osa_distance(word, meant), meant));
    distances.min().filter(|(distance, meant)| *distance <= 1 + meant.len() / 6).map(|(_, meant)| meant)
}

/// A serde message, reworded for users who do not know Rust types.
pub fn without_type_names(message: &str) -> String {
    let Some((before, expected)) = message.rsplit_once("expected ") else { return message.to_owned() };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    };
    let found = before
        .replace("invalid type: sequence", "invalid type: list")
        .replace("invalid type: map", "invalid type: object");
    format!("{found}expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_most_similar_word_if_it_is_similar_enough() {
        assert_eq!(nearest("incremantal", ["url", "incremental"]), Some("incremental"));
        assert_eq!(nearest("uri", ["url", "urls"]), Some("url"));
        assert_eq!(nearest("titel", ["title", "url"]), Some("title"));
        assert_eq!(nearest("webhook", ["url", "urls"]), None);
    }

    #[test]
    fn types_are_named_in_plain_words() {
        let told = |value| serde_json::from_value::<Vec<u32>>(value).unwrap_err().to_string();
        let plain = |value| without_type_names(&told(value));
        assert_eq!(plain(serde_json::json!(["x"])), "invalid type: string \"x\", expected a whole number");
        assert_eq!(plain(serde_json::json!([-1])), "invalid value: integer `-1`, expected a whole number");
        assert_eq!(plain(serde_json::json!(5)), "invalid type: integer `5`, expected a list");
        assert_eq!(plain(serde_json::json!([{}])), "invalid type: object, expected a whole number");
    }
}
