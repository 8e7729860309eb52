//! What names of C and C++ tell.

/// Whether the function `name`, in full `qualified`, is a constructor: its class has its name.
pub fn constructs(qualified: &str, name: &str) -> bool {
    qualified.rsplit("::").nth(1) == Some(name)
}

/// Whether a name that nobody declares is taken for a constant (a macro, an enumerator): these are written in capitals.
pub fn is_shouted(name: &str) -> bool {
    !name.bytes().any(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

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
