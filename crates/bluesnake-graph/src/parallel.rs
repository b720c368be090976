//! Processes a slice with several threads; the result does not depend on how many.

use std::num::NonZero;
use std::sync::Mutex;

const BLOCK: usize = 1024;

/// As many threads as the machine can run at once.
pub(crate) fn all_threads() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// Calls `fill` for every block of `values` with the index of its first value. What `fill` writes must depend only on that
/// index; `desk` creates scratch space for each thread, reused between blocks.
pub(crate) fn fill<T: Send, Desk>(
    threads: NonZero<usize>,
    values: &mut [T],
    desk: impl Fn() -> Desk + Sync,
    fill: impl Fn(&mut Desk, usize, &mut [T]) + Sync,
) {
    let threads = threads.get().min(values.len().div_ceil(BLOCK));
    let blocks = Mutex::new(values.chunks_mut(BLOCK).enumerate());
    let work = || {
        let mut desk = desk();
        loop {
            let next = blocks.lock().expect("no thread panics while it takes a block").next();
            let Some((number, block)) = next else { return };
            fill(&mut desk, number * BLOCK, block);
        }
    };
    if threads <= 1 {
        return work();
    }
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_every_value_once_at_any_number_of_threads() {
        for threads in [1, 2, 7, 64] {
            for length in [0, 1, BLOCK, 3 * BLOCK + 1] {
                let mut values = vec![0; length];
                fill(
                    NonZero::new(threads).unwrap(),
                    &mut values,
                    || (),
                    |(), start, block| {
                        block.iter_mut().enumerate().for_each(|(place, value)| *value += start + place);
                    },
                );
                assert!(values.iter().copied().eq(0..length), "{threads} threads, {length} values");
            }
        }
    }
}
