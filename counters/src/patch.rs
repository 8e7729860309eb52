//! Two texts of one file as a unified patch.
//!
//! Insertions stay within their lines, so the two texts have the same lines, some of them changed: no search for common
//! lines is needed.

/// Lines around a change that the patch shows.
const CONTEXT: usize = 3;

/// A file before and after.
#[derive(Clone, Copy, Debug)]
pub struct Change<'t> {
    /// Its path as the patch is to name it, relative to where it is applied.
    pub path: &'t str,
    /// The text before.
    pub old: &'t [u8],
    /// The text after: as many lines.
    pub new: &'t [u8],
}

/// The patch of all files that changed, for `patch -p1` and `git apply`.
pub fn unified(changes: &[Change<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    for change in changes {
        let old: Vec<&[u8]> = change.old.split_inclusive(|&byte| byte == b'\n').collect();
        let new: Vec<&[u8]> = change.new.split_inclusive(|&byte| byte == b'\n').collect();
        let changed: Vec<usize> = (0..old.len()).filter(|&at| old.get(at) != new.get(at)).collect();
        if changed.is_empty() {
            continue;
        }
        let (before, after) = (named("a/", change.path), named("b/", change.path));
        out.extend_from_slice(format!("--- {before}\n+++ {after}\n").as_bytes());
        for (first, last) in hunks(&changed, old.len()) {
            let header = format!("@@ -{0},{1} +{0},{1} @@\n", first + 1, last - first);
            out.extend_from_slice(header.as_bytes());
            hunk(&old[first..last], &new[first..last], &mut out);
        }
    }
    out
}

/// A name as `git` and GNU `patch` read it: between quotation marks, with C's escapes, unless it is plain. A line end in a name would begin lines of the
/// patch that change another file, and whatever follows a space or a tab is no name.
fn named(side: &str, path: &str) -> String {
    let is_plain = |c: char| !(c == ' ' || c == '"' || c == '\\' || base::acts_on_terminal(c));
    if path.chars().all(is_plain) {
        return format!("{side}{path}");
    }
    let mut name = format!("\"{side}");
    for c in path.chars() {
        if c == ' ' || is_plain(c) {
            name.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            name.push_str(&format!("\\{byte:03o}"));
        }
    }
    name + "\""
}

/// Ranges of lines with their context; those that would touch are one.
fn hunks(changed: &[usize], lines: usize) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    for &at in changed {
        let first = at.saturating_sub(CONTEXT);
        let last = (at + CONTEXT + 1).min(lines);
        match hunks.last_mut() {
            Some(hunk) if first <= hunk.1 => hunk.1 = last,
            _ => hunks.push((first, last)),
        }
    }
    hunks
}

fn hunk(old: &[&[u8]], new: &[&[u8]], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < old.len() {
        if old[at] == new[at] {
            line(b' ', old[at], out);
            at += 1;
            continue;
        }
        let same = (at..old.len()).find(|&each| old[each] == new[each]);
        let end = same.unwrap_or(old.len());
        old[at..end].iter().for_each(|each| line(b'-', each, out));
        new[at..end].iter().for_each(|each| line(b'+', each, out));
        at = end;
    }
}

fn line(mark: u8, text: &[u8], out: &mut Vec<u8>) {
    out.push(mark);
    out.extend_from_slice(text);
    if !text.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_makes_no_line_of_its_own() {
        assert_eq!(named("a/", "src/größe.c"), "a/src/größe.c");
        assert_eq!(named("b/", "a b.c"), "\"b/a b.c\"");
        let hostile = "x\n+++ b/Makefile\t\"\\\u{202e}";
        assert_eq!(
            named("a/", hostile),
            r#""a/x\012+++ b/Makefile\011\042\134\342\200\256""#
        );
    }
}
