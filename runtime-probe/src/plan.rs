//! What can be planned before any task is stopped: the static variables, whose addresses are known.

use progress_map::{Binding, Encoding, FunctionInstance, PathStep};

/// Whether some listed variable could be in a vector register.
pub(crate) fn has_floats(binding: &Binding) -> bool {
    binding
        .variables
        .iter()
        .any(|variable| matches!(variable.encoding, Encoding::Float(_)))
}

/// The static variables of a map, as linked addresses: read in the first stop, because their addresses are known.
pub(crate) fn statics(binding: &Binding) -> Vec<(u64, usize)> {
    const DW_OP_ADDR: u8 = 0x03;
    // What lies this close together is copied in one piece.
    const GAP: u64 = 256;
    // More than that would lengthen every stop; the rest is read in a second one if a stack needs it.
    const MOST_RANGES: usize = 256;
    const MOST_BYTES: usize = 64 << 10;
    let address = |expression: &[u8]| match expression {
        [DW_OP_ADDR, address @ ..] => Some(u64::from_le_bytes(address.try_into().ok()?)),
        _ => None,
    };
    let mut ranges = Vec::new();
    for variable in &binding.variables {
        if !matches!(variable.instance, FunctionInstance::Anywhere(_)) {
            continue;
        }
        for location in &variable.locations {
            if let Some(mut at) = address(&location.expression) {
                // The word that the first pointer of the path, or the value itself, is in.
                for step in &variable.path {
                    match step {
                        PathStep::Offset(bytes) => at = at.wrapping_add(*bytes),
                        PathStep::Deref => break,
                    }
                }
                ranges.push((at, 8));
            }
        }
    }
    let mut ranges = merged(ranges, GAP);
    ranges.truncate(MOST_RANGES);
    let mut total = 0;
    ranges.retain(|&(_, length)| {
        total += length;
        total <= MOST_BYTES
    });
    ranges
}

/// Sorts ranges and joins those that overlap, touch, or lie within `gap`.
pub(crate) fn merged(mut ranges: Vec<(u64, usize)>, gap: u64) -> Vec<(u64, usize)> {
    ranges.sort_unstable();
    let mut out: Vec<(u64, usize)> = Vec::new();
    for (start, length) in ranges {
        let end = start.saturating_add(length as u64);
        match out.last_mut() {
            Some((first, size)) if start <= first.saturating_add(*size as u64).saturating_add(gap) => {
                *size = (*size).max(usize::try_from(end - *first).unwrap_or(usize::MAX));
            }
            _ => out.push((start, length)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined() {
        assert_eq!(
            merged(vec![(30, 4), (10, 8), (18, 2), (12, 2)], 0),
            [(10, 10), (30, 4)]
        );
        assert_eq!(merged(vec![(30, 4), (10, 8)], 12), [(10, 24)]);
        assert_eq!(merged(vec![(u64::MAX, 8)], 1), [(u64::MAX, 8)]);
    }
}
