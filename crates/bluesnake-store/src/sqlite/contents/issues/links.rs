//! Hyperlinks: where they lead, and how they are written.

super::checks! {
    "high-internal-outlinks" "Links: Pages With High Internal Outlinks (Over 1,000)" Warning Low
    why "Among so many links none stands out, and crawlers may not follow all of them."
    fix "Link to what matters from here, and divide long lists."
    page "internal > 1000" "internal";

    "high-external-outlinks" "Links: Pages With High External Outlinks (Over 100)" Warning Low
    why "A page of links to elsewhere may look like an advertisement."
    fix "Check that the links are meant, and remove those of no use."
    page "external > 100" "external";

    "no-internal-outlinks" "Links: Pages Without Internal Outlinks" Warning High
    why "Visitors and crawlers that arrive here cannot go on; maybe the links need JavaScript."
    fix "Link to related pages with plain anchors."
    page "has_links AND internal = 0";

    "internal-nofollow-outlinks" "Links: Internal Nofollow Outlinks" Warning Low
    why "Search engines may not find, or value less, what is linked this way."
    fix "Take nofollow off links to pages of the site."
    page "nofollow > 0" "nofollow";

    "non-descriptive-anchor-text" "Links: Non-Descriptive Anchor Text In Internal Outlinks" Opportunity Low
    why "Words such as \"click here\" do not say what the link leads to."
    fix "Use words that describe the other page."
    page "vague > 0" "vague";

    "no-anchor-text" "Links: Internal Outlinks With No Anchor Text" Opportunity Low
    why "A link without words, or with an image that has no alt text, says nothing about where it leads."
    fix "Give the link words, or its image an alt text."
    page "wordless > 0" "wordless";

    "localhost-outlinks" "Links: Outlinks To Localhost" Issue High
    why "Such a link leads to the visitor's own machine."
    fix "Link to the public address."
    page "localhost IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = localhost)";

    "high-crawl-depth" "Links: Pages With High Crawl Depth (4 Or More)" Opportunity Medium
    why "What is many clicks away is seldom visited and seldom crawled."
    fix "Link to important pages from nearer to the start."
    page "depth >= 4" "depth";

    "outlinks-to-redirects" "Links: Internal Outlinks To Redirect Pages" Opportunity Low
    why "Every visit by such a link costs one request more."
    fix "Link to the final address."
    page "redirect IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = redirect)";

    "outlinks-to-broken-pages" "Links: Internal Outlinks To Broken Pages" Issue Medium
    why "The link leads visitors into an error."
    fix "Correct or remove the link."
    page "broken IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = broken)";

    "nofollow-inlinks-only" "Links: Nofollow Inlinks Only" Warning Medium
    why "Search engines may not find the page by its links."
    fix "Link to it at least once without nofollow."
    page "is_whole AND nofollow_inlinks > 0 AND followed_inlinks = 0" "nofollow_inlinks";

    "inlinks-from-non-indexable-only" "Links: Inlinks Only From Non-Indexable Pages" Warning Low
    why "Links on pages that are not indexed lose their weight in time."
    fix "Link to it from a page that may be indexed."
    page "is_whole AND nofollow_inlinks + followed_inlinks > 0 AND indexable_inlinks = 0"
        "nofollow_inlinks + followed_inlinks";

    "uncrawlable-outlinks" "Links: Pages With Uncrawlable Internal Outlinks" Warning High
    why "Crawlers cannot follow javascript: links and malformed addresses."
    fix "Use anchors with an address."
    page "uncrawlable > 0" "uncrawlable";

    "follow-and-nofollow-inlinks" "Links: Follow & Nofollow Internal Inlinks To Page" Warning Low
    why "Links that contradict each other hint at a mistake in one of the templates."
    fix "Decide for one of the two."
    page "followed_inlinks > 0 AND nofollow_inlinks > 0" "nofollow_inlinks";
}
