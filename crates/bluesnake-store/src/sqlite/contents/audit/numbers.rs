//! Ascending numbers, packed: the distance of each from the one before, seven bits to a byte, the lowest first.

/// Packs ascending numbers.
pub(in crate::sqlite) fn pack(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let (mut packed, mut last) = (Vec::new(), 0);
    for number in numbers {
        let mut rest = number - last;
        last = number;
        while rest >= 0x80 {
            packed.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        packed.push(rest as u8);
    }
    packed
}

/// The numbers again, as far as they can be read.
pub(in crate::sqlite) fn unpack(packed: &[u8]) -> impl Iterator<Item = u32> {
    let (mut bytes, mut last) = (packed.iter(), 0_u32);
    std::iter::from_fn(move || {
        let (mut distance, mut shift) = (0_u32, 0);
        loop {
            let byte = *bytes.next()?;
            distance |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
        }
        last = last.checked_add(distance)?;
        Some(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascending_numbers_round_trip() {
        for numbers in [vec![], vec![1], vec![0, 0, 1, 127, 128, 255, 16_511, 16_512, u32::MAX - 1, u32::MAX]] {
            assert_eq!(unpack(&pack(numbers.clone())).collect::<Vec<_>>(), numbers);
        }
    }

    #[test]
    fn damaged_bytes_end_the_list() {
        assert_eq!(unpack(&[1, 0x80]).collect::<Vec<_>>(), [1]);
        assert_eq!(unpack(&[0xff; 20]).count(), 0);
        assert_eq!(unpack(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1]).collect::<Vec<_>>(), [u32::MAX]);
    }
}
