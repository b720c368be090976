//! Lists over several pages: `<link rel=next>` and `<link rel=prev>`.

use crate::notes::Found;
use crate::relations::{Direction, Pager};
use crate::state::State;
use crate::subject::Subject;

super::checks! { Pagination
    "pagination-non-200" "Non-200 Pagination URLs" Issue High;
    why "The next or previous page of the list does not exist."
    fix "Use URLs that return 200."
    says "{page points|pages point} to a next or previous page that does not return 200"
    page each |page, found| pagers(page, found, |pager| page.site.state(pager.target).is_not_ok());

    "pagination-sequence-error" "Sequence Error" Issue Low;
    why "The next page does not point back to this one, or vice versa."
    fix "Make rel=next and rel=prev match on neighbouring pages."
    says "{page gets|pages get} no link back from the next or previous page"
    page each |page, found| pagers(page, found, |pager| is_not_named_by(page, pager));

    "pagination-not-in-anchor" "Pagination URL Not In Anchor Tag" Issue High;
    why "Crawlers follow anchors and may ignore links in the head."
    fix "Link to the next and previous page in the body."
    says "{page declares|pages declare} a next or previous page without linking to it"
    page each pagers_without_anchor;

    "pagination-non-indexable" "Non-Indexable" Warning High;
    why "Items listed on this page may not be found."
    fix "Make every page of the list indexable, each with its own canonical."
    says "{page of a list is|pages of lists are} not indexable"
    page text |page| (!page.is_indexable() && page.pagers().next().is_some())
        .then(|| page.input.indexable_reason.unwrap_or_default().into());

    "pagination-multiple" "Multiple Pagination URLs" Issue Low;
    why "A page can have only one next and one previous page."
    fix "Keep the correct one."
    says "{page declares|pages declare} several next or previous pages"
    page each |page, found| for (direction, name) in [(Direction::Next, "next"), (Direction::Previous, "prev")] {
        if has_several(page, direction) {
            found.text(name);
        }
    };

    "pagination-loop" "Pagination Loop" Issue Low;
    why "The list returns to an earlier page and never ends."
    fix "Remove the next link from the last page."
    says "{page is|pages are} part of a list that never ends"
    page number |page| page.site.relations.circle_of(page.number).map(u64::from);

    "pagination-unlinked" "Unlinked Pagination URLs" Issue Medium, needs WholeSite;
    why "Visitors cannot reach this page of the list through any link."
    fix "Link to it from its neighbours."
    says "{page of a list is|pages of lists are} not linked from any page"
    url when |url| url.state.has(State::IS_PAGER) && url.is_unlinked();
}

/// Reports the neighbours with this problem.
fn pagers(page: &Subject<'_>, found: &mut Found<'_>, is_wrong: impl Fn(&Pager) -> bool) {
    page.pagers().filter(is_wrong).for_each(|pager| found.target(pager.target));
}

/// Reports the neighbours that no hyperlink of the page leads to.
fn pagers_without_anchor(page: &Subject<'_>, found: &mut Found<'_>) {
    if page.pagers().next().is_none() {
        return;
    }
    let hyperlinks = page.each_link().filter(|(link, _)| link.is_hyperlink());
    let mut linked: Vec<u32> = hyperlinks.map(|(link, _)| link.target).collect();
    linked.sort_unstable();
    pagers(page, found, |pager| linked.binary_search(&pager.target).is_err());
}

/// Whether the neighbour's links are known, and none of them leads back.
fn is_not_named_by(page: &Subject<'_>, pager: &Pager) -> bool {
    let direction = match pager.direction {
        Direction::Next => Direction::Previous,
        Direction::Previous => Direction::Next,
    };
    let back = Pager { target: page.number, direction };
    page.site.state(pager.target).shows_links() && !page.site.relations.has_pager(pager.target, back)
}

fn has_several(page: &Subject<'_>, direction: Direction) -> bool {
    let mut targets = page.pagers().filter(|pager| pager.direction == direction).map(|pager| pager.target);
    targets.next().is_some_and(|first| targets.any(|other| other != first))
}
