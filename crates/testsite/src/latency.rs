//! How long a site waits before it responds.
//!
//! The time depends only on the seed and the path, so two crawls of one site see the same delays.

use std::time::Duration;

use crate::random::Dice;

/// A distribution of response times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latency(Kind);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    None,
    Fixed(Duration),
    Uniform(Duration, Duration),
    LogNormal { median: Duration, sigma: f64 },
}

/// The 99th percentile of the normal distribution, in standard deviations.
const NORMAL_P99: f64 = 2.326;

impl Latency {
    /// Responds immediately.
    pub fn none() -> Self {
        Self(Kind::None)
    }

    /// The same time for every response.
    pub fn fixed(time: Duration) -> Self {
        Self(Kind::Fixed(time))
    }

    /// Times distributed uniformly between two bounds.
    pub fn uniform(shortest: Duration, longest: Duration) -> Self {
        Self(Kind::Uniform(shortest, longest))
    }

    /// The shape of real servers: most responses near the median, one in a hundred slower than `p99`.
    pub fn log_normal(median: Duration, p99: Duration) -> Self {
        let sigma = (p99.as_secs_f64() / median.as_secs_f64()).ln() / NORMAL_P99;
        Self(Kind::LogNormal { median, sigma })
    }

    /// The response time of this path with this seed.
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
