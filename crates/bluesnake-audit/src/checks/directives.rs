//! Directives to robots in meta tags and X-Robots-Tag.

super::checks! { Directives
    "noindex" "Noindex" Warning High;
    why "The page will not appear in search results."
    fix "Remove the directive if the page should be found."
    says "{page has|pages have} noindex"
    page text |page| page.directive(|word| matches!(word, "noindex" | "none"));

    "nofollow" "Nofollow" Warning High;
    why "Search engines will not follow the links on this page."
    fix "Remove the directive if the linked pages should be found."
    says "{page has|pages have} nofollow"
    page text |page| page.directive(|word| matches!(word, "nofollow" | "none"));

    "none" "None" Warning High;
    why "The page will not appear in search results, and its links will not be followed."
    fix "Remove the directive if the page should be found."
    says "{page has|pages have} the directive none"
    page text |page| page.directive(|word| word == "none");

    "directives-outside-head" "Outside <head>" Issue High;
    why "Search engines may ignore a directive outside the head."
    fix "Move it into the head, before any element that is not allowed there."
    says "{page has|pages have} directives outside the head"
    page text |page| (page.facts.directives_outside_head > 0).then(|| page.all_directives());

    "noimageindex" "NoImageIndex" Issue Low;
    why "Images of the page will not appear in image search."
    fix "Remove the directive if the images should be found."
    says "{page has|pages have} noimageindex"
    page text |page| page.directive(|word| word == "noimageindex");

    "unavailable-after" "Unavailable_After" Warning Medium;
    why "The page is removed from search results on that date."
    fix "Check that the date is intended."
    says "{page expires|pages expire} in search results"
    page text |page| page.directive(|word| word.starts_with("unavailable_after:"));

    "nosnippet" "NoSnippet" Warning Low;
    why "Search results show the page without a text snippet."
    fix "Remove the directive if a snippet should be shown."
    says "{page has|pages have} nosnippet"
    page text |page| page.directive(|word| word == "nosnippet");

    "notranslate" "NoTranslate" Warning Low;
    why "Search engines will not offer a translation."
    fix "Remove the directive if translations are welcome."
    says "{page has|pages have} notranslate"
    page text |page| page.directive(|word| word == "notranslate");

    "noodp" "NoODP" Warning Low;
    why "The directory that it refers to closed in 2017."
    fix "Remove the directive."
    says "{page has|pages have} the obsolete directive noodp"
    page text |page| page.directive(|word| word == "noodp");

    "noydir" "NoYDIR" Warning Low;
    why "The directory that it refers to closed in 2014."
    fix "Remove the directive."
    says "{page has|pages have} the obsolete directive noydir"
    page text |page| page.directive(|word| word == "noydir");
}
