//! Reproducible pseudo-random numbers.
//!
//! Our own splitmix64: a site generated from a seed is the same on every machine and after every library update.

/// A stream of numbers that is the same for the same seed.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The random source of one thing in a seeded world, independent of all others.
    pub(crate) fn of(seed: u64, thing: u64) -> Self {
        Self(mix(seed ^ mix(thing.wrapping_add(0x9e37_79b9_7f4a_7c15))))
    }

    /// The random source of a named thing, such as a path.
    pub(crate) fn named(seed: u64, name: &str) -> Self {
        // FNV-1a: short, and good enough before `mix`.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self::of(seed, hash)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 up to, not including, `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// A number in `0.0..1.0`.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with a probability of `percent`.
    pub(crate) fn percent(&mut self, percent: f64) -> bool {
        self.fraction() * 100.0 < percent
    }

    /// A normally distributed number with mean 0 and deviation 1 (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.fraction()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.fraction()).cos()
    }
}

fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
