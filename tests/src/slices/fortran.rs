//! Programs of Fortran whose slices are held against what the programs do: every way to name a variable, by every way to change it, each pair with a way to read it.
//!
//! The tables (`fortran/*.txt`) are read as those of the [`matrix`](super::matrix) of C++. A line that begins with `@` belongs elsewhere, by the letter behind it: `d` to the
//! declarations, `m` to the declarations of the module, `p` to its procedures, `c` to the procedures within the one that is sliced, `x` behind the module. `#` is the
//! program's number, `?` in a way to read what is read. All programs are one file, so that the compiler, whose plugin reads them, and the linker begin once: `main#` is the procedure that a program would be.

use super::matrix::{Way, table};
use std::fmt::Write as _;
use std::ops::Range;

const PRELUDE: &str = include_str!("fortran/prelude.txt");
const NAMES: &str = include_str!("fortran/names.txt");
const CHANGES: &str = include_str!("fortran/changes.txt");
const READS: &str = include_str!("fortran/reads.txt");

/// One of the programs of a file.
#[derive(Clone, Debug)]
pub struct Program {
    /// The ways that it is made of.
    pub name: String,
    /// Its number, which ends the names of its procedures.
    pub number: usize,
    /// Its lines in the file, from 1.
    pub lines: Range<u32>,
    /// The line that shows a value.
    pub criterion: u32,
}

/// Programs, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// The text of the file.
    pub text: String,
    /// What stands in it.
    pub programs: Vec<Program>,
}

/// The programs of a share of the matrix: one of `parts`, by its number.
#[must_use]
pub fn programs(part: usize, parts: usize) -> Programs {
    let (names, changes, reads) = (table(NAMES), table(CHANGES), table(READS));
    let mut found = Programs::default();
    for (row, name) in names.iter().enumerate() {
        for (column, change) in changes.iter().enumerate() {
            // Neighbours differ in all three, so a share of the matrix has everything in it, if there are no more shares than changes.
            if (row + column * 7) % parts == part {
                found.add(name, change, &reads[(row * 3 + column) % reads.len()]);
            }
        }
    }
    found
}

impl Programs {
    fn add(&mut self, name: &Way, change: &Way, read: &Way) {
        let number = self.programs.len();
        let first = self.text.lines().count() as u32 + 1;
        let text = text(number, name, change, read);
        self.text.push_str(&text);
        let criterion = text.lines().position(|line| line.contains("call observe("));
        self.programs.push(Program {
            name: format!("{} / {} / {}", name.title, change.title, read.title),
            number,
            lines: first..first + text.lines().count() as u32,
            criterion: first + criterion.unwrap_or(0) as u32,
        });
    }
}

fn text(number: usize, name: &Way, change: &Way, read: &Way) -> String {
    let object = name.given("object").unwrap_or("a");
    let first = name.given("first").unwrap_or(object);
    let is_key = |line: &&&str| line.starts_with("object: ") || line.starts_with("first: ");
    let of = |way: &Way, letter: char| {
        let lines = way.outside.iter().filter(|line| line.starts_with(letter));
        Vec::from_iter(lines.map(|line| line[1..].trim_start().to_owned()))
    };
    let changed = Vec::from_iter(change.inside.iter().map(|line| line.replace('$', object)));
    let declared = of(change, 'd');
    let is_in_main = name.inside.contains(&"CHANGE");
    let body = name.inside.iter().filter(|line| !is_key(line));
    let own = if is_in_main { declared.clone() } else { Vec::new() };
    let parts = [
        ("MODULE", of(name, 'm')),
        ("PROCEDURES", [of(name, 'p'), of(read, 'p')].concat()),
        ("EXTERNAL", of(name, 'x')),
        ("VARIABLES", [of(name, 'd'), own, of(read, 'd')].concat()),
        ("BODY", body.map(|&line| line.to_owned()).collect()),
        (
            "READ",
            read.inside.iter().map(|line| line.replace('?', first)).collect(),
        ),
        ("INNER", of(name, 'c')),
        ("DECLARE", declared),
        ("CHANGE", changed),
    ];
    let mut text = PRELUDE.to_owned();
    for (place, lines) in parts {
        let replaced = text.lines().map(|line| {
            if line.trim_start() == place {
                lines.iter().map(|line| format!("  {line}\n")).collect()
            } else {
                format!("{line}\n")
            }
        });
        text = replaced.collect::<String>();
    }
    numbered(&text, number)
}

/// The procedures of the programs: a call by name may mean all of that name in a file, so each program has names of its own.
const PROCEDURES: [&str; 16] = [
    "put",
    "put_in",
    "twice",
    "fact",
    "pairs",
    "set_base",
    "set_child",
    "set",
    "go",
    "on",
    "apply",
    "show",
    "kept",
    "made",
    "inner",
    "idle",
];

/// A program's text with its number in the names of what others have as well.
fn numbered(text: &str, number: usize) -> String {
    let mut all = String::new();
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        all.push_str(name);
        if PROCEDURES.contains(&name) {
            let _ = write!(all, "{number}");
        }
        let between = behind.find(is_of_name).unwrap_or(behind.len());
        all.push_str(&behind[..between].replace('#', &number.to_string()));
        rest = &behind[between..];
    }
    all
}

/// How what is outside a slice is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Statements are deleted.
    Delete,
    /// Assignments to plain variables and members give a wrong number, the rest is deleted.
    Perturb,
}

/// What is left of a program's lines where only those are kept for which `is_kept` says so; declarations stay, and the ends of what stays. The second value is the
/// first line that cannot stay because what decides about it is gone.
#[must_use]
pub fn left(text: &str, first: u32, is_kept: &dyn Fn(u32) -> bool, mode: Mode) -> (String, Option<u32>) {
    let mut left = String::new();
    // Of the constructs around, whether each stays.
    let mut around: Vec<bool> = Vec::new();
    let mut orphan = None;
    // A loop that only jumps leave decides about nothing, and gfortran puts the head of `do concurrent` at what is done first: it stays if something in it does.
    let all = Vec::from_iter(text.lines());
    let holds_kept = |at: usize| {
        let mut depth = 0;
        let inside = all[at..].iter().zip(first + at as u32..).take_while(|(line, _)| {
            depth += match kind(line.trim()) {
                Kind::Opens => 1,
                Kind::Closes => -1,
                _ => 0,
            };
            depth > 0
        });
        inside
            .skip(1)
            .any(|(line, number)| kind(line.trim()) == Kind::Statement && is_kept(number))
    };
    let is_kept = |number: u32| {
        let at = (number - first) as usize;
        let words = all[at].trim();
        let is_of_others = words == "do" || words.starts_with("do concurrent ");
        is_kept(number) || is_of_others && holds_kept(at)
    };
    // What `where` does stands at its head.
    let mut masked = None;
    for (line, number) in text.lines().zip(first..) {
        let words = line.trim();
        let kind = kind(words);
        let kept = match kind {
            Kind::Declaration => true,
            Kind::Opens => {
                around.push(is_kept(number));
                is_kept(number)
            }
            Kind::Middle => around.last().copied().unwrap_or(true),
            Kind::Closes => around.pop().unwrap_or(true),
            Kind::Statement => masked.unwrap_or_else(|| is_kept(number)),
        };
        match kind {
            Kind::Opens if words.starts_with("where ") => masked = Some(kept),
            Kind::Closes if words == "end where" => masked = None,
            _ => {}
        }
        let is_bare = kept && matches!(kind, Kind::Statement | Kind::Opens);
        let outer = &around[..around.len() - usize::from(kind == Kind::Opens)];
        if is_bare && outer.contains(&false) {
            orphan = orphan.or(Some(number));
        }
        if kept {
            left.push_str(line);
        } else if kind == Kind::Statement
            && mode == Mode::Perturb
            && masked.is_none()
            && !outer.contains(&false)
            && let Some(target) = plain_target(words)
        {
            let _ = write!(left, "{target} = {}", 113 + number % 7);
        }
        left.push('\n');
    }
    (left, orphan)
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It stays whatever becomes of statements.
    Declaration,
    /// It begins a construct and decides about what stands inside.
    Opens,
    /// `else`, `case`.
    Middle,
    Closes,
    Statement,
}

fn kind(words: &str) -> Kind {
    const DECLARATIONS: [&str; 27] = [
        "module ",
        "end module",
        "implicit ",
        "use ",
        "integer",
        "real",
        "logical",
        "character",
        "type ",
        "type,",
        "type(",
        "end type",
        "class(",
        "procedure",
        "contains",
        "subroutine ",
        "end subroutine",
        "function ",
        "end function",
        "recursive ",
        "common ",
        "equivalence ",
        "external ",
        "associate ",
        "end associate",
        "block",
        "end block",
    ];
    let begins = |word: &&str| words.starts_with(*word);
    if words.is_empty() || DECLARATIONS.iter().any(begins) || is_label(words) {
        return Kind::Declaration;
    }
    let is_block_if = words.starts_with("if (") && words.ends_with(") then");
    let is_where = words.starts_with("where (") && words.ends_with(')');
    match words {
        _ if is_block_if || is_where || words == "do" => Kind::Opens,
        _ if words.starts_with("do ") || words.starts_with("select case") => Kind::Opens,
        "else" | "case default" => Kind::Middle,
        _ if words.starts_with("case (") => Kind::Middle,
        "end if" | "end do" | "end select" | "end where" => Kind::Closes,
        _ => Kind::Statement,
    }
}

/// `10 continue`: where a jump leads.
fn is_label(words: &str) -> bool {
    words.ends_with(" continue") && words.starts_with(|first: char| first.is_ascii_digit())
}

/// The variable that an assignment sets, if nothing has to be computed to find it and it holds a number.
fn plain_target(words: &str) -> Option<&str> {
    let (target, _) = words.split_once(" = ")?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '%';
    let is_number = !target.starts_with("text") && !target.starts_with("is_");
    // A whole array, an object with its class, and what pointers lead to may not be there.
    let is_there = !matches!(
        target,
        "a" | "v" | "u" | "z%own" | "x" | "s2" | "t" | "qq" | "at" | "z%at"
    ) && !target.contains("next");
    (target.chars().all(is_name) && is_number && is_there).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_kept_is_taken_out_with_its_end() {
        let text = "integer :: n\nn = 1\nif (n > 1) then\n  n = 2\nend if\ndo i = 1, 3\n  n = 3\nend do\n";
        let only = |kept: &'static [u32]| left(text, 1, &move |line| kept.contains(&line), Mode::Delete);
        assert_eq!(only(&[2]).0, "integer :: n\nn = 1\n\n\n\n\n\n\n");
        let (all, orphan) = only(&[6, 7]);
        assert_eq!(
            (all.as_str(), orphan),
            ("integer :: n\n\n\n\n\ndo i = 1, 3\n  n = 3\nend do\n", None)
        );
        assert_eq!(only(&[4]).1, Some(4), "its branch is gone");
        let (wrong, _) = left(text, 1, &|_| false, Mode::Perturb);
        assert_eq!(wrong, "integer :: n\nn = 115\n\n\n\n\n\n\n");
    }

    #[test]
    fn a_share_of_the_matrix_has_everything_in_it() {
        let all = programs(0, 1);
        let (names, changes) = (table(NAMES).len(), table(CHANGES).len());
        assert_eq!(all.programs.len(), names * changes);
        assert!(names > 40 && changes > 35);
        let lines = Vec::from_iter(all.text.lines());
        for program in &all.programs {
            assert!(
                lines[program.criterion as usize - 1].contains("call observe("),
                "{}",
                program.name
            );
        }
        let some = programs(11, 30).programs;
        let titles = table(NAMES);
        assert!(
            titles
                .iter()
                .all(|way| some.iter().any(|each| each.name.starts_with(way.title)))
        );
    }
}
