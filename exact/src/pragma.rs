//! Pragmas in preprocessed text that hand the iterations of a loop to several threads.

/// How many nested loops, from the one at `start` inwards, the pragma lines in front of it divide among threads.
pub fn divided_loops(text: &[u8], start: usize) -> usize {
    let mut depth = 0;
    let mut before = text.get(..start).unwrap_or_default();
    loop {
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let line = before[line_start..].trim_ascii();
        match line.strip_prefix(b"#") {
            Some(directive) => depth = depth.max(of_directive(directive.trim_ascii_start())),
            None if line.is_empty() => {}
            // Something else stands in front of the loop.
            None => return depth,
        }
        match line_start.checked_sub(1) {
            Some(end) => before = &before[..end],
            None => return depth,
        }
    }
}

fn of_directive(directive: &[u8]) -> usize {
    let Some(rest) = directive.strip_prefix(b"pragma") else {
        return 0;
    };
    let words: Vec<&[u8]> = rest
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|word| !word.is_empty())
        .collect();
    let dividing: &[&[u8]] = match words.first() {
        Some(&b"omp") => &[b"for", b"loop", b"taskloop", b"distribute"],
        Some(&b"acc") => &[b"loop", b"kernels", b"parallel"],
        _ => return 0,
    };
    if !words.iter().any(|word| dividing.contains(word)) {
        return 0;
    }
    let Some(at) = words.iter().position(|word| *word == b"collapse") else {
        return 1;
    };
    let number = words.get(at + 1).and_then(|word| std::str::from_utf8(word).ok());
    // An expression tells how many: all of them, then.
    number.and_then(|word| word.parse().ok()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::divided_loops;

    #[test]
    fn pragmas_in_front_of_a_loop() {
        let check = |text: &str, depth: usize| {
            let start = text.find("for (").unwrap();
            assert_eq!(divided_loops(text.as_bytes(), start), depth, "{text}");
        };
        check("f();\n#pragma omp parallel for private(i)\n  for (", 1);
        check(
            "# 3 \"x.c\"\n#pragma omp for collapse(2)\n# 3 \"x.c\"\n\n for (",
            2,
        );
        check("#pragma omp for collapse(N + 1)\n for (", usize::MAX);
        check("#pragma omp for\n g();\n for (", 0);
        check("#pragma omp simd\n for (", 0);
        check("#pragma unroll for\n for (", 0);
        check("#pragma acc parallel loop\nfor (", 1);
    }
}
