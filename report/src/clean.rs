//! Text from targets and files, made safe for a terminal, a ticket or a line of output.

pub use base::{clean, clean_field};

/// A source line as it looks in an editor: tabs go to the next multiple of eight.
pub(crate) fn source_line(text: &str) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        if c == '\t' {
            let stop = 8 - column % 8;
            expanded.extend(std::iter::repeat_n(' ', stop));
            column += stop;
        } else {
            expanded.push(c);
            column += 1;
        }
    }
    clean(&expanded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_stop_and_nothing_else_moves_the_cursor() {
        assert_eq!(source_line("\tx\ty\u{1b}"), "        x       y\\u{1b}");
    }
}
