//! Data for machines.

use crate::notes::Found;
use crate::rule::positive;
use crate::schema::{Need, missing};
use crate::subject::Subject;

super::checks! { StructuredData
    "structured-data-missing" "Missing" Opportunity Low;
    why "Structured data can make the page stand out in search results."
    fix "Describe the page with schema.org JSON-LD."
    says "{page has|pages have} no structured data"
    page when |page| !page.facts.has_structured_data() && page.facts.json_ld_errors == 0;

    "structured-data-parse-error" "Parse Errors" Issue High;
    why "Search engines ignore structured data that is not valid JSON."
    fix "Fix the JSON-LD script."
    says "{page has|pages have} structured data that is not valid JSON"
    page number |page| positive(page.facts.json_ld_errors);

    "structured-data-recovered" "Invalid JSON-LD Recovered" Warning Medium;
    why "The script is not valid JSON, for example because of a trailing comma. Strict parsers reject it."
    fix "Fix the JSON-LD script, and generate it with a JSON library."
    says "{page has|pages have} JSON-LD that parses only after repair"
    page number |page| positive(page.facts.json_ld_recovered);

    "structured-data-missing-required" "Rich Result Validation Errors" Issue High;
    why "Search engines show no rich result without these properties."
    fix "Add the missing properties."
    says "{page lacks|pages lack} required properties of structured data"
    page each |page, found| items(page, found, Need::Required);

    "structured-data-missing-recommended" "Rich Result Validation Warnings" Opportunity Low;
    why "Rich results show more with these properties."
    fix "Add the properties that apply to the page."
    says "{page lacks|pages lack} recommended properties of structured data"
    page each |page, found| items(page, found, Need::Recommended);
}

/// The names of an item's properties are stored up to this many.
const MOST_NAMES: usize = 40;

/// Reports what items lack.
fn items(page: &Subject<'_>, found: &mut Found<'_>, need: Need) {
    // An item without properties refers to another one.
    let items = page.facts.json_ld_items.iter().filter(|(_, names)| (1..MOST_NAMES).contains(&names.len()));
    for (kind, names) in items {
        let has = |wanted: &str| names.iter().any(|name| &**name == wanted);
        if let Some(missing) = missing(kind, has, need) {
            found.text(&missing);
        }
    }
}
