//! How long a site thinks before it answers.
//!
//! The time depends on the seed and the address alone, so two crawls of one site meet the same delays.

use std::time::Duration;

use crate::random::Dice;

/// A distribution of answer times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latency(Kind);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    None,
    Fixed(Duration),
    Uniform(Duration, Duration),
    LogNormal { median: Duration, sigma: f64 },
}

/// The 99th percentile of the normal distribution, in deviations.
const NORMAL_P99: f64 = 2.326;

impl Latency {
    /// Answers at once.
    pub fn none() -> Self {
        Self(Kind::None)
    }

    /// Every answer takes the same time.
    pub fn fixed(time: Duration) -> Self {
        Self(Kind::Fixed(time))
    }

    /// Times spread evenly between two bounds.
    pub fn uniform(shortest: Duration, longest: Duration) -> Self {
        Self(Kind::Uniform(shortest, longest))
    }

    /// The shape of real servers: most answers near the median, one in a hundred slower than `p99`.
    pub fn log_normal(median: Duration, p99: Duration) -> Self {
        let sigma = (p99.as_secs_f64() / median.as_secs_f64()).ln() / NORMAL_P99;
        Self(Kind::LogNormal { median, sigma })
    }

    /// The time this address takes in a world with this seed.
    pub fn of(&self, seed: u64, address: &str) -> Duration {
        let mut dice = Dice::named(seed, address);
        match self.0 {
            Kind::None => Duration::ZERO,
            Kind::Fixed(time) => time,
            Kind::Uniform(shortest, longest) => shortest + longest.saturating_sub(shortest).mul_f64(dice.fraction()),
            Kind::LogNormal { median, sigma } => median.mul_f64((sigma * dice.normal()).exp()),
        }
    }
}
