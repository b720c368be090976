//! Hyperlinks: their targets, and how they are written.

super::checks! {
    "high-internal-outlinks" "Links: Pages With High Internal Outlinks (Over 1,000)" Warning Low
    why "With this many links none stands out, and crawlers may not follow all of them."
    fix "Link to what matters, and split long lists."
    page "internal > 1000" "internal";

    "high-external-outlinks" "Links: Pages With High External Outlinks (Over 100)" Warning Low
    why "A page full of external links may look like spam."
    fix "Check that the links are intended, and remove useless ones."
    page "external > 100" "external";

    "no-internal-outlinks" "Links: Pages Without Internal Outlinks" Warning High
    why "Visitors and crawlers hit a dead end here. The links may require JavaScript."
    fix "Link to related pages with plain anchors."
    page "has_links AND internal = 0";

    "internal-nofollow-outlinks" "Links: Internal Nofollow Outlinks" Warning Low
    why "Search engines may not discover pages linked this way, or may rank them lower."
    fix "Remove nofollow from internal links."
    page "nofollow > 0" "nofollow";

    "non-descriptive-anchor-text" "Links: Non-Descriptive Anchor Text In Internal Outlinks" Opportunity Low
    why "Text such as \"click here\" does not describe the link's target."
    fix "Use text that describes the target page."
    page "vague > 0" "vague";

    "no-anchor-text" "Links: Internal Outlinks With No Anchor Text" Opportunity Low
    why "A link without text, or with an image that has no alt text, does not describe its target."
    fix "Add text to the link, or alt text to its image."
    page "wordless > 0" "wordless";

    "localhost-outlinks" "Links: Outlinks To Localhost" Issue High
    why "The link points to the visitor's own machine."
    fix "Link to the public URL."
    page "localhost IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = localhost)";

    "high-crawl-depth" "Links: Pages With High Crawl Depth (4 Or More)" Opportunity Medium
    why "Pages many clicks away are rarely visited and rarely crawled."
    fix "Link to important pages closer to the start page."
    page "depth >= 4" "depth";

    "outlinks-to-redirects" "Links: Internal Outlinks To Redirect Pages" Opportunity Low
    why "Following the link costs an additional request every time."
    fix "Link to the final URL."
    page "redirect IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = redirect)";

    "outlinks-to-broken-pages" "Links: Internal Outlinks To Broken Pages" Issue Medium
    why "The link leads visitors to an error."
    fix "Fix or remove the link."
    page "broken IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = broken)";

    "nofollow-inlinks-only" "Links: Nofollow Inlinks Only" Warning Medium
    why "Search engines may not discover the page through its links."
    fix "Link to it at least once without nofollow."
    page "is_whole AND nofollow_inlinks > 0 AND followed_inlinks = 0" "nofollow_inlinks";

    "inlinks-from-non-indexable-only" "Links: Inlinks Only From Non-Indexable Pages" Warning Low
    why "Links on pages that are not indexed lose their value over time."
    fix "Link to it from an indexable page."
    page "is_whole AND nofollow_inlinks + followed_inlinks > 0 AND indexable_inlinks = 0"
        "nofollow_inlinks + followed_inlinks";

    "uncrawlable-outlinks" "Links: Pages With Uncrawlable Internal Outlinks" Warning High
    why "Crawlers cannot follow javascript: links and malformed URLs."
    fix "Use anchors with a valid URL."
    page "uncrawlable > 0" "uncrawlable";

    "follow-and-nofollow-inlinks" "Links: Follow & Nofollow Internal Inlinks To Page" Warning Low
    why "Contradictory links suggest a mistake in a template."
    fix "Use either follow or nofollow."
    page "followed_inlinks > 0 AND nofollow_inlinks > 0" "nofollow_inlinks";
}
