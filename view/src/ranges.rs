//! Sets of tasks as the JSON writes them: `0-6,10-31`.

/// Sorted ranges, first and last included.
pub(crate) type Ranges = Vec<(u32, u32)>;

/// The set that a text writes; `None` if it writes none.
pub(crate) fn parse(text: &str) -> Option<Ranges> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some((first, last))
    };
    let mut ranges: Ranges = text.split(',').map(range).collect::<Option<_>>()?;
    ranges.sort_unstable();
    Some(ranges)
}

/// Whether two sets have something in common.
pub(crate) fn meet(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x.1 < y.0 {
            i += 1;
        } else if y.1 < x.0 {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_tasks() {
        assert_eq!(parse("0-6,10"), Some(vec![(0, 6), (10, 10)]));
        assert_eq!(parse(""), Some(Vec::new()));
        for wrong in ["6-0", "x", "1-", ",", "4294967296"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert!(meet(&[(0, 3), (7, 9)], &[(4, 7)]));
        assert!(!meet(&[(0, 3), (8, 9)], &[(4, 7)]));
    }
}
