//! Functions by name: with class and template arguments where these are known, and no longer than a line bears.

/// How much of long names is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// The middle of a long one is left out.
    #[default]
    Short,
    /// All of it.
    Whole,
}

/// So much of a name stands in a sentence, or beside others.
const WIDTH: usize = 48;

impl Names {
    /// The name of a function whose qualified one may be known; as the target has it.
    pub fn of(self, function: &str, qualified: Option<&str>) -> String {
        let whole = qualified.unwrap_or(function);
        match self {
            Self::Whole => whole.to_owned(),
            Self::Short => shortened(whole, WIDTH),
        }
    }
}

/// A name of at most so many characters. Of a long one the innermost template arguments are left out first; where that is not enough, the
/// middle, since both ends tell it from others: what follows its last `::` says most, and stays if it fits.
pub(crate) fn shortened(name: &str, width: usize) -> String {
    if name.chars().count() <= width {
        return name.to_owned();
    }
    let deepest = name.matches('<').count().min(DEEPEST);
    let without = (1..=deepest).rev().map(|depth| without_arguments(name, depth));
    let mut last = name.to_owned();
    for shorter in without {
        if shorter.chars().count() <= width {
            return shorter;
        }
        last = shorter;
    }
    without_middle(&last, width)
}

/// Template arguments that are nested deeper are left out all at once.
const DEEPEST: usize = 6;

/// A name without what stands in so many pairs of angle brackets.
fn without_arguments(name: &str, depth: usize) -> String {
    let mut out = String::new();
    let mut open = 0_usize;
    for (at, c) in name.char_indices() {
        let is_bracket = matches!(c, '<' | '>') && !is_of_operator(&name[..at]);
        if is_bracket && c == '<' {
            if open < depth {
                out.push('<');
            }
            open += 1;
            if open == depth {
                out.push('…');
            }
            continue;
        }
        if is_bracket {
            open = open.saturating_sub(1);
        }
        if open < depth {
            out.push(c);
        }
    }
    out
}

/// Whether a sign behind `before` belongs to the name of an operator: `operator<`, `operator->`, `operator>>`.
fn is_of_operator(before: &str) -> bool {
    before
        .trim_end_matches(['<', '>', '-', '='])
        .ends_with("operator")
}

fn without_middle(name: &str, width: usize) -> String {
    let count = name.chars().count();
    if count <= width {
        return name.to_owned();
    }
    let kept = width.saturating_sub(1);
    let own = name[last_part(name)..].chars().count() + "::".len();
    let most = kept.saturating_sub(1);
    let back = own.clamp((kept - kept / 2).min(most), most);
    let start: String = name.chars().take(kept - back).collect();
    let end: String = name.chars().skip(count - back).collect();
    format!("{start}…{end}")
}

/// Where the last part of a qualified name begins.
fn last_part(name: &str) -> usize {
    let (mut depth, mut begins) = (0_usize, 0);
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'{' => depth += 1,
            b'>' | b')' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => begins = at + 1,
            _ => {}
        }
    }
    begins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_names_the_middle_is_left_out() {
        for (name, shown) in [
            ("solve", "solve"),
            ("Grid<double>::relax", "Grid<double>::relax"),
            ("a::Grid<std::vector<double> >::relax", "a::Grid<…>::relax"),
            ("Grid<std::vector<double, A> >::go", "Grid<std::vector<…> >::go"),
            ("a::Of<std::pair<int, int> >::operator<<", "a::Of<…>::operator<<"),
            (
                "std::map<int, int>::relax_all_of_the_grid",
                "st…::relax_all_of_the_grid",
            ),
            (
                "a_name_of_c_that_has_no_parts_at_all",
                "a…that_has_no_parts_at_all",
            ),
        ] {
            assert_eq!(shortened(name, 26), shown);
        }
        for width in 0..9 {
            assert!(shortened("Grid<double>::relax", width).chars().count() <= width.max(1));
        }
        assert_eq!(last_part("f<a::b>"), 0);
        assert_eq!(Names::Whole.of("f", Some(&"x::".repeat(50))), "x::".repeat(50));
    }
}
