#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bluesnake_fuzz::html(data));
