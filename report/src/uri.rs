//! Paths as parts of URIs.

use std::fmt::Write as _;

/// A path, absolute or not, with everything that means something in a URI (or is no character of one) as `%XX`.
///
/// Slashes stay. A colon is encoded too: in the first part of a relative path it would end a scheme.
pub fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            // Writing to a string does not fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_not_plain_is_encoded() {
        assert_eq!(
            super::encoded("/a b/c++/ü:%#?.c"),
            "/a%20b/c%2B%2B/%C3%BC%3A%25%23%3F.c"
        );
    }
}
