//! Titles, descriptions and keywords.

super::checks! {
    "title-missing" "Page Titles: Missing" Issue High
    why "Search results and browser tabs show the title."
    fix "Add a title that describes the page."
    page "title = ''";

    "title-duplicate" "Page Titles: Duplicate" Opportunity Medium
    why "Pages with the same title cannot be told apart in search results."
    fix "Give every page a unique title."
    same "title";

    "title-too-long" "Page Titles: Over 60 Characters" Opportunity Medium
    why "Search results truncate long titles."
    fix "Put the essentials in at most 60 characters."
    page "length(title) > 60" "length(title)";

    "title-too-short" "Page Titles: Below 30 Characters" Opportunity Medium
    why "A short title wastes space that could describe the page."
    fix "Use 30 to 60 characters."
    page "length(title) BETWEEN 1 AND 29" "length(title)";

    "title-same-as-h1" "Page Titles: Same as H1" Opportunity Low
    why "Two different texts can say more than one."
    fix "Write the title for search results and the heading for readers."
    page "title <> '' AND title = h1" "title";

    "title-multiple" "Page Titles: Multiple" Issue High
    why "Search engines choose one of them, possibly the wrong one."
    fix "Keep one title."
    page "titles > 1" "titles";

    "title-outside-head" "Page Titles: Outside <head>" Issue High
    why "Search engines may ignore a title outside the head."
    fix "Move the title into the head, before any element that is not allowed there."
    page "titles_outside_head > 0";

    "description-missing" "Meta Description: Missing" Opportunity Low
    why "Without it, search engines choose some text of the page."
    fix "Describe the page in one or two sentences."
    page "description = ''";

    "description-duplicate" "Meta Description: Duplicate" Opportunity Low
    why "Pages with the same description cannot be told apart in search results."
    fix "Write a unique description for every page."
    same "description";

    "description-too-long" "Meta Description: Over 155 Characters" Opportunity Low
    why "Search results truncate long descriptions."
    fix "Use at most 155 characters."
    page "length(description) > 155" "length(description)";

    "description-too-short" "Meta Description: Below 70 Characters" Opportunity Low
    why "A short description wastes space that could attract visitors."
    fix "Use 70 to 155 characters."
    page "length(description) BETWEEN 1 AND 69" "length(description)";

    "description-multiple" "Meta Description: Multiple" Issue Medium
    why "Search engines choose one of them, possibly the wrong one."
    fix "Keep one description."
    page "descriptions > 1" "descriptions";

    "description-outside-head" "Meta Description: Outside <head>" Issue Medium
    why "Search engines may ignore a description outside the head."
    fix "Move the description into the head, before any element that is not allowed there."
    page "descriptions_outside_head > 0";

    "keywords-multiple" "Meta Keywords: Multiple" Warning Low
    why "Several keyword lists suggest that two programs write the head of the page."
    fix "Keep one list, or none: major search engines ignore it."
    page "keywords_count > 1" "keywords_count";
}
