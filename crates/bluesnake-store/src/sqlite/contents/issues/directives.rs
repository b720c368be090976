//! Directives to robots in meta tags and X-Robots-Tag.

super::checks! {
    "noindex" "Directives: Noindex" Warning High
    why "The page will not appear in search results."
    fix "Remove the directive if the page should be found."
    page "directives LIKE '%\"noindex\"%' OR directives LIKE '%\"none\"%'" "trim(replace(directives, '\"', ''), ',')";

    "nofollow" "Directives: Nofollow" Warning High
    why "Search engines will not follow the links on this page."
    fix "Remove the directive if the linked pages should be found."
    page "directives LIKE '%\"nofollow\"%' OR directives LIKE '%\"none\"%'" "trim(replace(directives, '\"', ''), ',')";

    "none" "Directives: None" Warning High
    why "The page will not appear in search results, and its links will not be followed."
    fix "Remove the directive if the page should be found."
    page "directives LIKE '%\"none\"%'" "trim(replace(directives, '\"', ''), ',')";

    "directives-outside-head" "Directives: Outside <head>" Issue High
    why "Search engines may ignore a directive outside the head."
    fix "Move it into the head, before any element that is not allowed there."
    page "directives_outside_head > 0" "trim(replace(directives, '\"', ''), ',')";

    "noimageindex" "Directives: NoImageIndex" Issue Low
    why "Images of the page will not appear in image search."
    fix "Remove the directive if the images should be found."
    page "directives LIKE '%\"noimageindex\"%'" "trim(replace(directives, '\"', ''), ',')";

    "unavailable-after" "Directives: Unavailable_After" Warning Medium
    why "The page is removed from search results on that date."
    fix "Check that the date is intended."
    page "directives LIKE '%\"unavailable_after:%'" "trim(replace(directives, '\"', ''), ',')";

    "nosnippet" "Directives: NoSnippet" Warning Low
    why "Search results show the page without a text snippet."
    fix "Remove the directive if a snippet should be shown."
    page "directives LIKE '%\"nosnippet\"%'" "trim(replace(directives, '\"', ''), ',')";

    "notranslate" "Directives: NoTranslate" Warning Low
    why "Search engines will not offer a translation."
    fix "Remove the directive if translations are welcome."
    page "directives LIKE '%\"notranslate\"%'" "trim(replace(directives, '\"', ''), ',')";

    "noodp" "Directives: NoODP" Warning Low
    why "The directory that it refers to closed in 2017."
    fix "Remove the directive."
    page "directives LIKE '%\"noodp\"%'" "trim(replace(directives, '\"', ''), ',')";

    "noydir" "Directives: NoYDIR" Warning Low
    why "The directory that it refers to closed in 2014."
    fix "Remove the directive."
    page "directives LIKE '%\"noydir\"%'" "trim(replace(directives, '\"', ''), ',')";
}
