//! The frame of the document, and data for machines.

super::checks! {
    "structured-data-missing" "Structured Data: Missing" Opportunity Low
    why "Structured data can make the page stand out in search results."
    fix "Describe the page with JSON-LD of schema.org."
    page "data_types IS NULL AND json_ld_errors IS NULL";

    "structured-data-parse-error" "Structured Data: Parse Errors" Issue High
    why "Search engines ignore structured data that is not valid JSON."
    fix "Correct the JSON-LD script."
    page "json_ld_errors > 0" "json_ld_errors";

    "head-missing" "Validation: Missing <head> Tag" Issue High
    why "Where the head begins and ends is left to guesses."
    fix "Write the head tag."
    page "head_tags = 0";

    "head-multiple" "Validation: Multiple <head> Tags" Issue High
    why "What stands in the second head may be ignored."
    fix "Join the heads."
    page "head_tags > 1" "head_tags";

    "body-missing" "Validation: Missing <body> Tag" Issue High
    why "Where the body begins is left to guesses."
    fix "Write the body tag."
    page "body_tags = 0";

    "body-multiple" "Validation: Multiple <body> Tags" Issue High
    why "Programs read such a page in different ways."
    fix "Join the bodies."
    page "body_tags > 1" "body_tags";

    "body-before-html" "Validation: <body> Element Preceding <html>" Warning High
    why "Programs read such a page in different ways, and what stands in the head may be ignored."
    fix "Begin the page with the html tag."
    page "is_body_before_html";

    "head-not-first" "Validation: <head> Not First In <html> Element" Warning High
    why "What comes before the head begins the body, and what stands in the head may be ignored."
    fix "Let the head be the first element of the page."
    page "is_head_not_first";

    "invalid-in-head" "Validation: Invalid HTML Elements In <head>" Warning High
    why "Such an element ends the head, and what follows may be ignored."
    fix "Move the element into the body."
    page "invalid_head_elements IS NOT NULL" "invalid_head_elements";

    "html-too-large" "Validation: HTML Document Over 2MB" Issue High
    why "Search engines read only the first part of a large document."
    fix "Take inline data, scripts and styles out of the page, or divide it."
    page "body_bytes > 2097152" "body_bytes";

    "html-lang-missing" "Validation: Missing <html lang> Attribute" Warning Low
    why "Screen readers and translators have to guess the language."
    fix "Name the language in the lang attribute of the html element."
    page "lang = ''";

    "resource-too-large" "Validation: Resource Over 2MB" Issue High
    why "Large resources make pages slow, and search engines may not read all of them."
    fix "Compress or divide the file."
    url "is_internal AND fate = 'answer' AND task IN ('resource', 'stylesheet') AND body_bytes > 2097152" "body_bytes";

    "viewport-missing" "Mobile: Viewport Not Set" Issue High
    why "Phones show the page in the width of a desk and make the text tiny."
    fix "Add a viewport meta with width=device-width."
    page "viewport IS NULL";
}
