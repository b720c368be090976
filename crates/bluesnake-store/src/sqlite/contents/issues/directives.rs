//! What pages tell robots, by meta tags and X-Robots-Tag.

super::checks! {
    "noindex" "Directives: Noindex" Warning High
    why "The page will not be shown in search results."
    fix "Take the directive away if the page should be found."
    page "directives LIKE '%\"noindex\"%' OR directives LIKE '%\"none\"%'" "trim(replace(directives, '\"', ''), ',')";

    "nofollow" "Directives: Nofollow" Warning High
    why "Search engines will not follow the links of the page."
    fix "Take the directive away if what the page links to should be found."
    page "directives LIKE '%\"nofollow\"%' OR directives LIKE '%\"none\"%'" "trim(replace(directives, '\"', ''), ',')";

    "none" "Directives: None" Warning High
    why "The page will not be shown, and its links will not be followed."
    fix "Take the directive away if the page should be found."
    page "directives LIKE '%\"none\"%'" "trim(replace(directives, '\"', ''), ',')";

    "directives-outside-head" "Directives: Outside <head>" Issue High
    why "Search engines may ignore a directive that does not stand in the head."
    fix "Put it into the head, before anything that may not stand there."
    page "directives_outside_head > 0" "trim(replace(directives, '\"', ''), ',')";

    "noimageindex" "Directives: NoImageIndex" Issue Low
    why "Images of the page will not be shown in image search."
    fix "Take the directive away if the images should be found."
    page "directives LIKE '%\"noimageindex\"%'" "trim(replace(directives, '\"', ''), ',')";

    "unavailable-after" "Directives: Unavailable_After" Warning Medium
    why "The page leaves the search results at that date."
    fix "Check that the date is meant."
    page "directives LIKE '%\"unavailable_after:%'" "trim(replace(directives, '\"', ''), ',')";

    "nosnippet" "Directives: NoSnippet" Warning Low
    why "Search results show the page without any text."
    fix "Take the directive away if a text should be shown."
    page "directives LIKE '%\"nosnippet\"%'" "trim(replace(directives, '\"', ''), ',')";

    "notranslate" "Directives: NoTranslate" Warning Low
    why "Search engines will not offer a translation."
    fix "Take the directive away if translations are welcome."
    page "directives LIKE '%\"notranslate\"%'" "trim(replace(directives, '\"', ''), ',')";

    "noodp" "Directives: NoODP" Warning Low
    why "The directory it speaks of was closed in 2017."
    fix "Take the directive away."
    page "directives LIKE '%\"noodp\"%'" "trim(replace(directives, '\"', ''), ',')";

    "noydir" "Directives: NoYDIR" Warning Low
    why "The directory it speaks of was closed in 2014."
    fix "Take the directive away."
    page "directives LIKE '%\"noydir\"%'" "trim(replace(directives, '\"', ''), ',')";
}
