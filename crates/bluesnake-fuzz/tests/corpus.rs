//! Every fuzz target on its committed seeds and on thousands of mutations of them, the same at every run.

use std::path::Path;

use bluesnake_fuzz::{Check, TARGETS};

/// Mutations of each target; cargo-fuzz tries more.
const MUTATIONS: usize = 4_000;
/// Inputs stay small: bugs in parsers seldom need more.
const MOST_BYTES: usize = 4_096;

fn check(name: &str) {
    let (_, check): (_, Check) = *TARGETS.iter().find(|(target, _)| *target == name).expect("a target");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(!seeds.is_empty(), "{} has no seeds", folder.display());
    seeds.iter().for_each(|seed| check(seed));
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for number in 0..MUTATIONS {
        let input = mutated(&seeds, &mut random);
        let outcome = std::panic::catch_unwind(|| check(&input));
        assert!(outcome.is_ok(), "mutation {number} of {name} fails: {:?}", String::from_utf8_lossy(&input));
    }
}

/// xorshift64*: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(32) + 1)
    }
}

/// A seed after one to eight edits.
fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    const SIGNS: &[u8] = b"<>\"'&=/:;?#%[](){}!-*$@\\ \t\r\n\0\x7f\xff\xef\xbb\xbf\x80";
    let mut input = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(8) {
        let range = random.range(input.len());
        match random.below(6) {
            0 => drop(input.drain(range)),
            1 => {
                let copy = input[range.clone()].to_vec();
                input.splice(range.start..range.start, copy);
            }
            2 => {
                let other = &seeds[random.below(seeds.len())];
                let piece = other[random.range(other.len())].to_vec();
                input.splice(range, piece);
            }
            3 => input.insert(range.start, SIGNS[random.below(SIGNS.len())]),
            4 if !range.is_empty() => input[range.start] ^= 1 << random.below(8),
            _ => input.truncate(range.end.max(1)),
        }
        input.truncate(MOST_BYTES);
    }
    input
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        #[test]
        fn every_target_has_a_test() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

targets!(tokenizer html css robots sitemap extract url cookies headers);
