//! Random changes of an input, for tests that run without a fuzzer.

use progress_map::generate::Rng;

/// What an input may be changed by: bits, bytes, runs of bytes, pieces copied or cut out.
pub fn changed(rng: &mut Rng, input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=rng.below(4) {
        change(rng, &mut bytes);
    }
    bytes
}

fn change(rng: &mut Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        bytes.push(rng.bits() as u8);
        return;
    }
    let at = rng.below(bytes.len());
    let length = 1 + rng.below(16).min(bytes.len() - at - 1);
    match rng.below(7) {
        0 => bytes[at] ^= 1 << rng.below(8),
        1 => bytes[at] = rng.bits() as u8,
        2 => bytes[at] = rng.pick(&[0, 1, 0x7f, 0x80, 0xff]),
        3 => bytes[at..at + length].fill(0xff),
        4 => {
            let from = rng.below(bytes.len() - length + 1);
            bytes.copy_within(from..from + length, at);
        }
        5 => {
            bytes.drain(at..at + length);
        }
        _ => {
            let piece = bytes[at..at + length].to_vec();
            bytes.splice(at..at, piece);
        }
    }
}
