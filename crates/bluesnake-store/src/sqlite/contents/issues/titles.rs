//! Titles, descriptions and keywords.

super::checks! {
    "title-missing" "Page Titles: Missing" Issue High
    why "The title is what search results and browser tabs show."
    fix "Give the page a title that says what it is about."
    page "title = ''";

    "title-duplicate" "Page Titles: Duplicate" Opportunity Medium
    why "Equal titles do not tell pages apart in search results."
    fix "Give each page a title of its own."
    sql "SELECT number, title FROM (
             SELECT number, title, count(*) OVER (PARTITION BY title) AS pages
             FROM page WHERE is_indexable AND title <> '')
         WHERE pages > 1";

    "title-too-long" "Page Titles: Over 60 Characters" Opportunity Medium
    why "Search results cut off long titles."
    fix "Say the important thing in at most 60 characters."
    page "length(title) > 60" "length(title)";

    "title-too-short" "Page Titles: Below 30 Characters" Opportunity Medium
    why "A short title leaves room unused that could tell what the page is about."
    fix "Describe the page in 30 to 60 characters."
    page "length(title) BETWEEN 1 AND 29" "length(title)";

    "title-same-as-h1" "Page Titles: Same as H1" Opportunity Low
    why "Two different texts can tell more than one."
    fix "Word the title for search results and the heading for readers."
    page "title <> '' AND title = h1" "title";

    "title-multiple" "Page Titles: Multiple" Issue High
    why "Search engines choose one of them, and maybe not the one that was meant."
    fix "Keep one title."
    page "titles > 1" "titles";

    "title-outside-head" "Page Titles: Outside <head>" Issue High
    why "Search engines may ignore a title that does not stand in the head."
    fix "Put the title into the head, before anything that may not stand there."
    page "titles_outside_head > 0";

    "description-missing" "Meta Description: Missing" Opportunity Low
    why "Without it search engines choose some text of the page for their results."
    fix "Describe the page in a sentence or two."
    page "description = ''";

    "description-duplicate" "Meta Description: Duplicate" Opportunity Low
    why "Equal descriptions do not tell pages apart in search results."
    fix "Describe each page in its own words."
    sql "SELECT number, description FROM (
             SELECT number, description, count(*) OVER (PARTITION BY description) AS pages
             FROM page WHERE is_indexable AND description <> '')
         WHERE pages > 1";

    "description-too-long" "Meta Description: Over 155 Characters" Opportunity Low
    why "Search results cut off long descriptions."
    fix "Say it in at most 155 characters."
    page "length(description) > 155" "length(description)";

    "description-too-short" "Meta Description: Below 70 Characters" Opportunity Low
    why "A short description leaves room unused that could invite visitors."
    fix "Describe the page in 70 to 155 characters."
    page "length(description) BETWEEN 1 AND 69" "length(description)";

    "description-multiple" "Meta Description: Multiple" Issue Medium
    why "Search engines choose one of them, and maybe not the one that was meant."
    fix "Keep one description."
    page "descriptions > 1" "descriptions";

    "description-outside-head" "Meta Description: Outside <head>" Issue Medium
    why "Search engines may ignore a description that does not stand in the head."
    fix "Put the description into the head, before anything that may not stand there."
    page "descriptions_outside_head > 0";

    "keywords-multiple" "Meta Keywords: Multiple" Warning Low
    why "Several lists of keywords hint at two programs that write the head of the page."
    fix "Keep one list, or none: large search engines do not read it."
    page "keywords_count > 1" "keywords_count";
}
