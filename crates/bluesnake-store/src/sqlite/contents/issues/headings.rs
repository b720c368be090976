//! Headings of the first and second level.

super::checks! {
    "h1-missing" "H1: Missing" Issue Medium
    why "The main heading tells readers and search engines what the page is about."
    fix "Add one h1."
    page "h1_count = 0 OR (h1_count = 1 AND h1 = '' AND first_h1 IS NOT NULL AND coalesce(h1_alt, '') = '')";

    "h1-duplicate" "H1: Duplicate" Opportunity Low
    why "Pages with the same heading cannot be told apart."
    fix "Give every page a unique heading."
    same "h1";

    "h1-too-long" "H1: Over 70 Characters" Opportunity Low
    why "A long heading is hard to scan."
    fix "Use at most 70 characters."
    page "length(h1) > 70" "length(h1)";

    "h1-multiple" "H1: Multiple" Warning Medium
    why "Several main headings make the topic of the page unclear."
    fix "Keep one h1 and make the others h2."
    page "h1_count > 1" "h1_count";

    "h1-non-sequential" "H1: Non-sequential" Warning Low
    why "Screen reader users navigate by headings in order."
    fix "Make the h1 the first heading of the page."
    page "first_h1 > 0";

    "h1-alt-text" "H1: Alt Text in h1" Warning Low
    why "An image instead of text is a weaker heading."
    fix "Write the heading as text."
    page "h1_alt <> ''" "h1_alt";

    "h2-missing" "H2: Missing" Warning Low
    why "Subheadings help readers and search engines to understand a long page."
    fix "Structure the text with h2 headings."
    page "h2_count = 0";

    "h2-duplicate" "H2: Duplicate" Opportunity Low
    why "The same first h2 on many pages describes none of them."
    fix "Use h2 for sections of the text, not for the site's layout."
    same "h2";

    "h2-too-long" "H2: Over 70 Characters" Opportunity Low
    why "A long heading is hard to scan."
    fix "Use at most 70 characters."
    page "length(h2) > 70" "length(h2)";

    "h2-multiple" "H2: Multiple" Warning Low
    why "Several h2 are fine if each one starts a section of the text."
    fix "Check that they are in a sensible order."
    page "h2_count > 1" "h2_count";

    "h2-non-sequential" "H2: Non-Sequential" Warning Low
    why "Skipped or misplaced levels mislead readers who navigate by headings."
    fix "Make h2 the first level after the h1."
    page "first_h1 > first_h2 OR first_deeper < first_h2";
}
