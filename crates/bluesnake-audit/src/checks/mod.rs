//! Every check with its texts and its rule, one module per theme.

mod amp;
mod canonicals;
mod content;
mod descriptions;
mod directives;
mod headings;
mod hreflang;
mod images;
mod javascript;
mod links;
mod llms;
mod mobile;
mod pagination;
mod responses;
mod security;
mod sitemaps;
mod structured_data;
mod titles;
mod urls;
mod validation;

use crate::catalogue::Check;

/// The checks of each theme, in the order of [`crate::Theme`].
pub(crate) const THEMES: [&[Check]; 20] = [
    responses::CHECKS,
    security::CHECKS,
    urls::CHECKS,
    titles::CHECKS,
    descriptions::CHECKS,
    headings::CHECKS,
    content::CHECKS,
    images::CHECKS,
    canonicals::CHECKS,
    directives::CHECKS,
    links::CHECKS,
    hreflang::CHECKS,
    pagination::CHECKS,
    sitemaps::CHECKS,
    structured_data::CHECKS,
    javascript::CHECKS,
    validation::CHECKS,
    mobile::CHECKS,
    amp::CHECKS,
    llms::CHECKS,
];

/// Declares the checks of a theme: id, name, kind, priority, perhaps the threshold in its name and what must be known
/// first, then why it matters, how to fix it, what it found, which URLs it looks at, and its rule, see
/// [`crate::rule::Rule`].
macro_rules! checks {
    ($theme:ident $(
        $id:literal $name:literal $kind:ident $priority:ident $(, limit $limit:expr)? $(, needs $needs:ident)?;
        why $why:literal
        fix $fix:literal
        says $says:literal
        $scope:ident $by:ident $($rule:expr)?;
    )*) => {
        pub(super) const CHECKS: &[crate::catalogue::Check] = &[ $( crate::catalogue::Check {
            id: $id,
            theme: crate::catalogue::Theme::$theme,
            name: $name,
            kind: crate::catalogue::Kind::$kind,
            priority: crate::catalogue::Priority::$priority,
            why: $why,
            fix: $fix,
            scope: super::checks!(@scope $scope),
            needs: super::checks!(@needs $($needs)?),
            says: $says,
            limit: super::checks!(@limit $($limit)?),
            rule: super::checks!(@rule $by $($rule)?),
        } ),* ];
    };
    (@scope page) => { crate::catalogue::Scope::Pages };
    (@scope url) => { crate::catalogue::Scope::Urls };
    (@scope sitemap) => { crate::catalogue::Scope::Sitemaps };
    (@scope llms) => { crate::catalogue::Scope::LlmsFiles };
    (@needs) => { crate::catalogue::Needs::Nothing };
    (@needs $needs:ident) => { crate::catalogue::Needs::$needs };
    (@rule when $rule:expr) => { crate::rule::Rule::When($rule) };
    (@rule number $rule:expr) => { crate::rule::Rule::Number($rule) };
    (@rule text $rule:expr) => { crate::rule::Rule::Text($rule) };
    (@rule target $rule:expr) => { crate::rule::Rule::Target($rule) };
    (@rule each $rule:expr) => { crate::rule::Rule::Each($rule) };
    (@rule link $rule:expr) => { crate::rule::Rule::Link($rule) };
    (@rule later) => { crate::rule::Rule::Later };
    (@limit) => { None };
    (@limit $limit:expr) => { Some($limit) };
}
use checks;
