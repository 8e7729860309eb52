//! What names of C and C++ tell.

/// Whether the function `name`, in full `qualified`, is a constructor: its class has its name.
pub fn constructs(qualified: &str, name: &str) -> bool {
    qualified.rsplit("::").nth(1) == Some(name)
}

/// Written all in capitals, as macros and constants are: `CHECK` and `N`, but not `MPI_Send`.
pub fn is_shouted(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
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
        }
    }

    #[test]
    fn constructors_are_named_as_their_classes() {
        assert!(constructs("Grid::Grid", "Grid") && constructs("a::Grid::Grid", "Grid"));
        for (qualified, name) in [
            ("Grid::size", "size"),
            ("Grid", "Grid"),
            ("", ""),
            ("Grid::~Grid", "~Grid"),
        ] {
            assert!(!constructs(qualified, name), "{qualified}");
        }
    }
}
