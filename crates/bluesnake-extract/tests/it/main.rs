//! What the crate promises, on real pages, on other people's vectors and on hostile input.

mod anchors;
mod features;
mod frameworks;
mod headings;
mod hostile;
mod names;
mod notations;
mod packages;
mod selectors;
mod short_pages;
mod site;
mod titles;
mod vectors;
