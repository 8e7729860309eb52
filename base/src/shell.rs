//! Names in commands that a user is told to give.

use std::borrow::Cow;

/// A name as one word of a shell's command line: in quotation marks unless it means nothing to a shell. Advice is copied and pasted, and a file's name is
/// chosen by whoever made the file.
pub fn shell_word(name: &str) -> Cow<'_, str> {
    // Only a null byte cannot be written, and no file has one in its name.
    shlex::try_quote(name).unwrap_or(Cow::Borrowed("''"))
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn a_name_is_one_word_and_nothing_more() {
        assert_eq!(shell_word("src/poisson.c:112"), "src/poisson.c:112");
        for name in [
            "a b.c:1",
            "x;rm -rf ~.c:1",
            "$(id).c:2",
            "`id`'.c",
            "a\nb",
            "~root",
            "-x*",
        ] {
            assert_eq!(
                shlex::split(&format!("hindmost {}", shell_word(name))).unwrap()[1],
                name
            );
            assert_ne!(shell_word(name), name);
        }
    }
}
