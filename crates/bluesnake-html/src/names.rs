//! Names of elements and attributes as small numbers.
//!
//! The tokenizer packs a name into an integer while it reads it, letter by letter and ignoring case, so comparing names
//! is comparing integers. A perfect hash, found at compile time, leads from the packed name to its number.

/// The entry of a letter table for a byte that ends a name.
const END: u8 = u8::MAX;
/// The entry of a letter table for a byte that no known name contains.
const FOREIGN: u8 = 0x80;

/// How the letters of a name are packed: a number for each byte, `bits` wide.
pub(crate) struct Alphabet {
    numbers: [u8; 256],
    bits: u32,
    /// Up to this many letters no two names have the same packed form.
    pub(crate) longest: usize,
}

impl Alphabet {
    pub(crate) const fn new(more: &[u8], ends: &[u8], bits: u32) -> Self {
        let mut numbers = [FOREIGN; 256];
        let mut letter = 0;
        while letter < 26 {
            numbers[b'a' as usize + letter] = letter as u8 + 1;
            numbers[b'A' as usize + letter] = letter as u8 + 1;
            letter += 1;
        }
        let mut i = 0;
        while i < more.len() {
            numbers[more[i] as usize] = 27 + i as u8;
            i += 1;
        }
        let mut i = 0;
        while i < ends.len() {
            numbers[ends[i] as usize] = END;
            i += 1;
        }
        Self { numbers, bits, longest: (u64::BITS / bits) as usize }
    }

    /// Reads the name that starts at `start`: where it ends, and its packed form (0 if it cannot be a known name).
    #[inline]
    pub(crate) fn read(&self, bytes: &[u8], start: usize) -> (usize, u64) {
        let (mut packed, mut seen, mut at) = (0u64, 0, start);
        while let Some(&byte) = bytes.get(at) {
            let number = self.numbers[usize::from(byte)];
            if number == END {
                break;
            }
            packed = packed.rotate_left(self.bits) ^ u64::from(number);
            seen |= number;
            at += 1;
        }
        (at, if seen & FOREIGN != 0 { 0 } else { packed })
    }

    pub(crate) const fn pack(&self, name: &str) -> u64 {
        let bytes = name.as_bytes();
        let (mut packed, mut at) = (0u64, 0);
        while at < bytes.len() {
            let number = self.numbers[bytes[at] as usize];
            assert!(number & FOREIGN == 0);
            packed = packed.rotate_left(self.bits) ^ number as u64;
            at += 1;
        }
        // So that no short name has the packed form of a long one.
        assert!(bytes.len() <= self.longest || packed >> (self.bits * self.longest as u32) != 0);
        packed
    }
}

/// How many slots the index of names has.
pub(crate) const SLOTS: usize = 2048;

/// The slot of a packed name.
#[inline]
pub(crate) const fn slot(packed: u64, factor: u64) -> usize {
    (packed.wrapping_mul(factor) >> (u64::BITS - SLOTS.ilog2())) as usize
}

/// A factor that gives each of these names its own slot; found by trying some.
pub(crate) const fn factor(names: &[u64]) -> u64 {
    let mut factor: u64 = 1;
    'next: loop {
        factor = factor.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let (mut is_taken, mut at) = ([false; SLOTS], 0);
        while at < names.len() && names[at] != 0 {
            let slot = slot(names[at], factor);
            if is_taken[slot] {
                continue 'next;
            }
            is_taken[slot] = true;
            at += 1;
        }
        return factor;
    }
}

macro_rules! names {
    ($(#[$doc:meta])* $name:ident by $alphabet:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $name {
            /// A name that means nothing to us; only its text tells it from others.
            Other,
            $(#[doc = concat!("`", $text, "`")] $variant,)*
        }

        impl $name {
            /// The names in lower case, in order; empty for `Other`.
            const TEXTS: &'static [&'static str] = &["", $($text,)*];

            /// How many there are, including `Other`.
            pub const COUNT: usize = Self::TEXTS.len();

            /// The packed form of each name but `Other`, in order.
            const PACKED: [u64; Self::COUNT - 1] = [$($alphabet.pack($text),)*];

            const FACTOR: u64 = $crate::names::factor(&Self::PACKED);

            /// The name whose packed form `read` of its alphabet returned for `text`.
            #[inline]
            pub(crate) fn of(packed: u64, text: &str) -> Self {
                static SLOTS: [$name; $crate::names::SLOTS] = {
                    let mut names = [$name::Other; $crate::names::SLOTS];
                    $(names[$crate::names::slot($alphabet.pack($text), $name::FACTOR)] = $name::$variant;)*
                    names
                };
                // As long as an index can say, so that none is checked.
                static PACKED: [u64; 256] = {
                    let (mut packed, mut at) = ([0; 256], 1);
                    while at < $name::COUNT {
                        packed[at] = $name::PACKED[at - 1];
                        at += 1;
                    }
                    packed
                };
                let name = SLOTS[$crate::names::slot(packed, Self::FACTOR)];
                let is_same = PACKED[name as usize] == packed
                    && (text.len() <= $alphabet.longest || Self::TEXTS[name as usize].eq_ignore_ascii_case(text));
                if is_same { name } else { Self::Other }
            }

            /// The name that a text spells, ignoring case.
            pub fn named(text: &str) -> Self {
                let (end, packed) = $alphabet.read(text.as_bytes(), 0);
                if end == text.len() { Self::of(packed, text) } else { Self::Other }
            }

            /// The name in lower case; empty for `Other`.
            #[inline]
            pub fn as_str(self) -> &'static str {
                Self::TEXTS[usize::from(self as u8)]
            }
        }
    };
}
pub(crate) use names;
