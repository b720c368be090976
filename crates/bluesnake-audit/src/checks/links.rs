//! Hyperlinks: their targets, and how they are written.

use crate::anchors::AnchorDigest;
use crate::catalogue::grouped;
use crate::rule::{over, positive};
use crate::state::{Fate, State};

super::checks! { Links
    "high-internal-outlinks" "Pages With High Internal Outlinks (Over {})" Warning Low, limit |settings| grouped(settings.internal_outlinks);
    why "With this many links none stands out, and crawlers may not follow all of them."
    fix "Link to what matters, and split long lists."
    says "{page has|pages have} very many internal links"
    page number |page| over(page.outlinks.internal as usize, page.settings.internal_outlinks);

    "high-external-outlinks" "Pages With High External Outlinks (Over {})" Warning Low, limit |settings| grouped(settings.external_outlinks);
    why "A page full of external links may look like spam."
    fix "Check that the links are intended, and remove useless ones."
    says "{page has|pages have} very many external links"
    page number |page| over(page.outlinks.external as usize, page.settings.external_outlinks);

    "no-internal-outlinks" "Pages Without Internal Outlinks" Warning High;
    why "Visitors and crawlers hit a dead end here. The links may require JavaScript."
    fix "Link to related pages with plain anchors."
    says "{page has|pages have} no internal links"
    page when |page| page.state.has(State::HAS_LINKS) && page.outlinks.internal == 0;

    "internal-nofollow-outlinks" "Internal Nofollow Outlinks" Warning Low;
    why "Search engines may not discover pages linked this way, or may rank them lower."
    fix "Remove nofollow from internal links."
    says "{page has|pages have} internal links with nofollow"
    page link |_, link| link.is_internal_hyperlink() && link.anchor.has(AnchorDigest::IS_NOFOLLOW);

    "non-descriptive-anchor-text" "Non-Descriptive Anchor Text In Internal Outlinks" Opportunity Low;
    why "Text such as \"click here\" does not describe the link's target."
    fix "Use text that describes the target page."
    says "{page has|pages have} internal links with a vague text"
    page link |_, link| link.is_internal_hyperlink() && link.anchor.has(AnchorDigest::IS_VAGUE);

    "no-anchor-text" "Internal Outlinks With No Anchor Text" Opportunity Low;
    why "A link without text, or with an image that has no alt text, does not describe its target."
    fix "Add text to the link, or alt text to its image."
    says "{page has|pages have} internal links without text"
    page link |_, link| link.is_internal_hyperlink() && link.anchor.has(AnchorDigest::IS_WORDLESS);

    "localhost-outlinks" "Outlinks To Localhost" Issue High;
    why "The link points to the visitor's own machine."
    fix "Link to the public URL."
    says "{page links|pages link} to localhost"
    page link |_, link| link.is_hyperlink() && !link.to.is_internal() && link.to.has(State::IS_LOCALHOST);

    "high-crawl-depth" "Pages With High Crawl Depth ({} Or More)" Opportunity Medium, limit |settings| settings.depth.to_string();
    why "Pages many clicks away are rarely visited and rarely crawled."
    fix "Link to important pages closer to the start page."
    says "{page is|pages are} many clicks away from the start page"
    page number |page| page.depth.filter(|depth| *depth >= page.settings.depth).map(u64::from);

    "outlinks-to-redirects" "Internal Outlinks To Redirect Pages" Opportunity Low;
    why "Following the link costs an additional request every time."
    fix "Link to the final URL."
    says "{page links|pages link} to internal redirects"
    page link |_, link| link.is_internal_hyperlink() && link.to.fate == Fate::Redirect;

    "outlinks-to-broken-pages" "Internal Outlinks To Broken Pages" Issue Medium;
    why "The link leads visitors to an error."
    fix "Fix or remove the link."
    says "{page links|pages link} to broken internal pages"
    page link |_, link| link.is_internal_hyperlink() && link.to.is_broken();

    "broken-fragment" "Outlinks To Missing Fragments" Warning Low;
    why "The link points to a part of a page that does not exist, so visitors land at its top."
    fix "Correct the part after #, or give the target element this id."
    says "{page links|pages link} to fragments that do not exist"
    page later;

    "nofollow-inlinks-only" "Nofollow Inlinks Only" Warning Medium, needs WholeSite;
    why "Search engines may not discover the page through its links."
    fix "Link to it at least once without nofollow."
    says "{page is|pages are} linked with nofollow only"
    url number |url| positive(url.state.hyperlinks_in)
        .filter(|_| url.is_page_or_nofollowed() && !url.state.has(State::IS_FOLLOWED_TO));

    "inlinks-from-non-indexable-only" "Inlinks Only From Non-Indexable Pages" Warning Low, needs WholeSite;
    why "Links on pages that are not indexed lose their value over time."
    fix "Link to it from an indexable page."
    says "{page is|pages are} linked from non-indexable pages only"
    page number |page| positive(page.state.hyperlinks_in).filter(|_| !page.state.has(State::IS_INDEXABLY_LINKED));

    "uncrawlable-outlinks" "Pages With Uncrawlable Internal Outlinks" Warning High;
    why "Crawlers cannot follow javascript: links and malformed URLs."
    fix "Use anchors with a valid URL."
    says "{page has|pages have} links that cannot be crawled"
    page each |page, found| page.facts.uncrawlable.iter().for_each(|href| found.text(href));

    "follow-and-nofollow-inlinks" "Follow & Nofollow Internal Inlinks To Page" Warning Low;
    why "Contradictory links suggest a mistake in a template."
    fix "Use either follow or nofollow."
    says "{page is|pages are} linked both with and without nofollow"
    page number |page|
        positive(page.state.nofollow_in).filter(|_| page.state.nofollow_in < page.state.hyperlinks_in);
}
