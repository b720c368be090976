//! Our own vectors: tables of inputs and results from the standards, in our own words.

mod charset;
mod robots;
mod sitemap;
mod url;
