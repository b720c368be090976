//! The structure of the document, and structured data.

super::checks! {
    "structured-data-missing" "Structured Data: Missing" Opportunity Low
    why "Structured data can make the page stand out in search results."
    fix "Describe the page with schema.org JSON-LD."
    page "data_types IS NULL AND json_ld_errors IS NULL";

    "structured-data-parse-error" "Structured Data: Parse Errors" Issue High
    why "Search engines ignore structured data that is not valid JSON."
    fix "Fix the JSON-LD script."
    page "json_ld_errors > 0" "json_ld_errors";

    "head-missing" "Validation: Missing <head> Tag" Issue High
    why "Parsers have to guess where the head begins and ends."
    fix "Write the head tag."
    page "head_tags = 0";

    "head-multiple" "Validation: Multiple <head> Tags" Issue High
    why "The contents of the second head may be ignored."
    fix "Merge the heads."
    page "head_tags > 1" "head_tags";

    "body-missing" "Validation: Missing <body> Tag" Issue High
    why "Parsers have to guess where the body begins."
    fix "Write the body tag."
    page "body_tags = 0";

    "body-multiple" "Validation: Multiple <body> Tags" Issue High
    why "Parsers handle such a page differently."
    fix "Merge the bodies."
    page "body_tags > 1" "body_tags";

    "body-before-html" "Validation: <body> Element Preceding <html>" Warning High
    why "Parsers handle such a page differently and may ignore the head."
    fix "Start the page with the html tag."
    page "is_body_before_html";

    "head-not-first" "Validation: <head> Not First In <html> Element" Warning High
    why "Content before the head starts the body, and the head may be ignored."
    fix "Make the head the first element of the page."
    page "is_head_not_first";

    "invalid-in-head" "Validation: Invalid HTML Elements In <head>" Warning High
    why "Such an element ends the head, and what follows may be ignored."
    fix "Move the element into the body."
    page "invalid_head_elements IS NOT NULL" "invalid_head_elements";

    "html-too-large" "Validation: HTML Document Over 2MB" Issue High
    why "Search engines read only the first part of a large document."
    fix "Move inline data, scripts and styles out of the page, or split it."
    page "body_bytes > 2097152" "body_bytes";

    "html-lang-missing" "Validation: Missing <html lang> Attribute" Warning Low
    why "Screen readers and translators have to guess the language."
    fix "Set the lang attribute of the html element."
    page "lang = ''";

    "resource-too-large" "Validation: Resource Over 2MB" Issue High
    why "Large resources make pages slow, and search engines may not read them completely."
    fix "Compress or split the file."
    url "is_internal AND fate = 'answer' AND task IN ('resource', 'stylesheet') AND body_bytes > 2097152" "body_bytes";

    "viewport-missing" "Mobile: Viewport Not Set" Issue High
    why "Phones render the page at desktop width with tiny text."
    fix "Add a viewport meta tag with width=device-width."
    page "viewport IS NULL";
}
