//! What names of C and C++ tell.

/// Whether the function `name`, in full `qualified`, is a constructor: its class has its name, perhaps with arguments of a template behind it.
pub fn constructs(qualified: &str, name: &str) -> bool {
    let class = qualified
        .strip_suffix(name)
        .and_then(|rest| rest.strip_suffix("::"));
    class
        .and_then(|class| without_arguments(class).strip_suffix(name))
        .is_some_and(|outer| outer.is_empty() || outer.ends_with("::"))
}

/// A class without the arguments of its template: `a::B` of `a::B<c::D<int>>`.
fn without_arguments(class: &str) -> &str {
    if !class.ends_with('>') {
        return class;
    }
    let mut depth = 0_usize;
    let opening = class.char_indices().rev().find(|&(_, each)| {
        match each {
            '>' => depth += 1,
            '<' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    opening.map_or(class, |(at, _)| &class[..at])
}

/// Whether a function of this name is an operator or a conversion: `operator+`, `operator()`, `operator new`, `operator bool`, but not
/// `operator_count`.
pub fn is_operator(name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    name.strip_prefix("operator")
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(is_word))
}

/// Written all in capitals, as macros and constants are: `CHECK` and `N`, but not `MPI_Send`.
pub fn is_shouted(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
}

/// Whether a name is written as macros are: in capitals, and longer than one letter, which tells nothing: `N` is a matrix as often.
pub fn looks_like_macro(name: &[u8]) -> bool {
    name.len() > 1 && is_shouted(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals() {
        for (name, shouted) in [
            ("CHECK_2", true),
            ("N", true),
            ("MPI_Send", false),
            ("_", false),
            ("", false),
        ] {
            assert_eq!(is_shouted(name.as_bytes()), shouted, "{name}");
            let longer = shouted && name.len() > 1;
            assert_eq!(looks_like_macro(name.as_bytes()), longer, "{name}");
        }
    }

    #[test]
    fn operators() {
        for name in [
            "operator+",
            "operator()",
            "operator new",
            "operator bool",
            "operator\"\"_km",
            "operator->",
        ] {
            assert!(is_operator(name), "{name}");
        }
        for name in ["operator", "operator_count", "operators", "operator2", "add"] {
            assert!(!is_operator(name), "{name}");
        }
    }

    #[test]
    fn constructors_are_named_as_their_classes() {
        for qualified in [
            "Grid::Grid",
            "a::Grid::Grid",
            "Grid<int>::Grid",
            "a::Grid<b::C<int>, (x::y)1>::Grid",
        ] {
            assert!(constructs(qualified, "Grid"), "{qualified}");
        }
        for (qualified, name) in [
            ("SubGrid::Grid", "Grid"),
            ("Grid>::Grid", "Grid"),
            ("Grid::SubGrid", "Grid"),
            ("Grid::size", "size"),
            ("Grid", "Grid"),
            ("", ""),
            ("Grid::~Grid", "~Grid"),
        ] {
            assert!(!constructs(qualified, name), "{qualified}");
        }
    }
}
