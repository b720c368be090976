//! Charts as SVG. Every number is also written as text.

use maud::{Markup, html};

use super::format::number;

/// A part of a bar: its size, the class of its colour, and whether it is hatched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) size: u64,
    pub(super) fill: &'static str,
    pub(super) is_hatched: bool,
}

impl Part {
    pub(super) fn new(size: u64, fill: &'static str) -> Self {
        Self { size, fill, is_hatched: false }
    }
}

/// What the smallest part of a bar takes, so that it stays visible: a share of the width.
const SMALLEST: f64 = 0.006;

/// A bar of adjacent parts, as wide as its container.
pub(super) fn stacked(parts: &[Part], label: &str) -> Markup {
    let whole = parts.iter().map(|part| part.size).sum::<u64>().max(1) as f64;
    let shares = parts.iter().map(|part| if part.size == 0 { 0.0 } else { (part.size as f64 / whole).max(SMALLEST) });
    let shares: Vec<f64> = shares.collect();
    let total = shares.iter().sum::<f64>().max(1.0);
    let starts = shares.iter().scan(0.0, |at, share| {
        let start = *at;
        *at += share / total * 100.0;
        Some(start)
    });
    html! {
        svg.bar role="img" aria-label=(label) {
            @for ((part, share), start) in parts.iter().zip(&shares).zip(starts).filter(|((part, _), _)| part.size > 0) {
                (rectangle(part, start, share / total * 100.0))
            }
        }
    }
}

/// A rectangle with a gap to its right neighbour; lengths in percent.
fn rectangle(part: &Part, start: f64, width: f64) -> Markup {
    let (x, width) = (format!("{start:.2}%"), format!("{width:.2}%"));
    html! {
        rect class=(part.fill) x=(x) y="0" width=(width) height="100%" stroke="var(--surface)" stroke-width="2" {}
        @if part.is_hatched {
            rect x=(x) y="0" width=(width) height="100%" fill="url(#hatch)" {}
        }
    }
}

/// A thin bar that shows a share.
pub(super) fn share(part: u64, whole: u64, fill: &'static str) -> Markup {
    let width = if whole == 0 { 0.0 } else { (part as f64 / whole as f64 * 100.0).clamp(1.0, 100.0) };
    html! {
        svg.bar.low aria-hidden="true" {
            rect.f0 width="100%" height="100%" {}
            rect class=(fill) width=(format!("{width:.1}%")) height="100%" {}
        }
    }
}

/// A column of a chart.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) label: String,
    pub(super) value: u64,
    pub(super) fill: &'static str,
}

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 138.0;
/// The height of the largest column.
const TALLEST: f64 = 96.0;
/// Where columns stand.
const BASE: f64 = 116.0;

/// Columns side by side, each with its number.
pub(super) fn columns(columns: &[Column], label: &str) -> Markup {
    let largest = columns.iter().map(|column| column.value).max().unwrap_or(0).max(1) as f64;
    let step = WIDTH / columns.len().max(1) as f64;
    let width = (step - 4.0).min(56.0);
    html! {
        svg.chart.small viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(label) {
            @for (at, column) in columns.iter().enumerate() {
                @let middle = step * (at as f64 + 0.5);
                @let height = if column.value == 0 { 0.0 } else { (column.value as f64 / largest * TALLEST).max(2.0) };
                @let (x, y) = (format!("{:.1}", middle - width / 2.0), format!("{:.1}", BASE - height));
                rect class=(column.fill) x=(x) y=(y) width=(format!("{width:.1}")) height=(format!("{height:.1}")) rx="2" {}
                text.b x=(format!("{middle:.1}")) y=(format!("{:.1}", BASE - height - 5.0)) text-anchor="middle" {
                    (short(column.value))
                }
                text.t3 x=(format!("{middle:.1}")) y="131" text-anchor="middle" { (column.label) }
            }
            line x1="0" y1=(BASE) x2=(WIDTH) y2=(BASE) stroke="var(--line-strong)" {}
        }
    }
}

/// A number that fits above a column.
fn short(value: u64) -> String {
    match value {
        0..10_000 => number(value),
        10_000..1_000_000 => format!("{}k", value / 1_000),
        _ => format!("{:.1}M", value as f64 / 1e6),
    }
}

/// The pattern of hatched parts, for the whole document.
pub(super) fn patterns() -> Markup {
    html! {
        svg.unseen width="0" height="0" aria-hidden="true" {
            defs {
                pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                    rect width="2.4" height="6" fill="#fff" fill-opacity=".5" {}
                }
                linearGradient id="fade-out" {
                    stop offset="0" stop-color="var(--c-4)" stop-opacity=".5" {}
                    stop offset="1" stop-color="var(--c-4)" stop-opacity="0" {}
                }
                linearGradient id="fade-in" {
                    stop offset="0" stop-color="var(--c-2)" stop-opacity="0" {}
                    stop offset="1" stop-color="var(--c-2)" stop-opacity=".5" {}
                }
            }
        }
    }
}
