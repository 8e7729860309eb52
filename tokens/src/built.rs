//! What one build leaves out of a file: which arms of its conditional groups were compiled, told by lines that have code.
//!
//! A line with code tells that the arm it is in was compiled, and so no other arm of its group. It also tells the condition, which decides other groups
//! that ask the same, as long as nothing between the two may have changed the answer: no header is included there, and nothing defines the names
//! of the condition.

use crate::directive::{self, Condition, Directive};
use crate::token::{Token, TokenKind, lex};
use base::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How one unit of a program comes to have a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// It is the file that is compiled.
    ByItself,
    /// It includes the file. Others may do so and take only macros from it, so a line with code tells of its own group alone, where no other arm
    /// defines a macro or includes a file; and only behind an include guard, since without one the unit may include it twice, with other answers.
    Included,
}

/// The parts of a file, as ranges of bytes, that a build has not compiled, and the directives that say so; what is left are lines of that build. `lines`
/// have code, counted from 1. `path` is the file's own.
///
/// Nothing where lines may be those of other files, or where the lines contradict each other.
pub fn left_out(
    path: &str,
    text: &[u8],
    language: Language,
    compiled: Compiled,
    lines: &BTreeSet<u32>,
) -> Vec<Range<usize>> {
    if lines.is_empty() || u32::try_from(text.len()).is_err() {
        return Vec::new();
    }
    let tokens = lex(text);
    let Some(file) = File::read(path, text, &tokens, language) else {
        return Vec::new();
    };
    let Some(found) = file.evidence(lines) else {
        return Vec::new();
    };
    let mut ranges = Vec::new();
    let decided = match compiled {
        Compiled::ByItself => file.decide(&found),
        Compiled::Included => file.decide_by_lines_alone(&found),
    };
    for (group, built) in file.groups.iter().zip(decided) {
        let Some(built) = built else { continue };
        for (number, arm) in group.arms.iter().enumerate() {
            let directive = arm.directive;
            // From behind the directive before, or the directive alone.
            ranges.push(directive.start as usize..directive.end as usize);
            if Built::Arm(number) != built {
                ranges.push(directive.end as usize..arm.end.start as usize);
            }
        }
        ranges.push(group.end.start as usize..group.end.end as usize);
    }
    ranges
}

/// The first of these lines, which have code in a build and are counted from 1, on which nothing is written here but comments: what was built is another text.
/// Nothing where lines may be those of other files.
pub fn line_without_code(path: &str, text: &[u8], language: Language, lines: &BTreeSet<u32>) -> Option<u32> {
    if lines.is_empty() || u32::try_from(text.len()).is_err() {
        return None;
    }
    let tokens = lex(text);
    File::read(path, text, &tokens, language)?;
    let starts = LineStarts::of(text);
    let on = |token: &Token| starts.line_of(token.start)..=starts.line_of(token.end);
    let written: BTreeSet<u32> = tokens.iter().flat_map(on).collect();
    lines.difference(&written).next().copied()
}

/// Where the lines of a text begin.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &[u8]) -> Self {
        let behind_ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        Self(
            std::iter::once(0)
                .chain(behind_ends.map(|(at, _)| at + 1))
                .collect(),
        )
    }

    /// The line of a byte, counted from 1.
    fn line_of(&self, offset: u32) -> u32 {
        self.0.partition_point(|&start| start <= offset as usize) as u32
    }
}

/// What a build has compiled of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Built {
    /// This arm.
    Arm(usize),
    /// None.
    Nothing,
}

/// A conditional group with all its arms, also those that no build takes.
struct Group {
    arms: Vec<Arm>,
    /// The `#endif`.
    end: Token,
}

struct Arm {
    /// The directive that opens it, and the one that ends it.
    directive: Token,
    end: Token,
    /// What it asks; `#else` asks nothing.
    asks: Option<Question>,
    /// How many headers were included before it, and how many definitions of macros made.
    headers: usize,
    definitions: usize,
    /// It includes a file or defines a macro itself.
    is_heard_behind: bool,
}

impl Arm {
    /// Ends it with `directive`, when so many headers were included and so many definitions made.
    fn close(&mut self, directive: Token, headers: usize, definitions: usize) {
        self.end = directive;
        self.is_heard_behind = (headers, definitions) != (self.headers, self.definitions);
    }
}

/// The condition of an arm.
#[derive(Clone, Debug)]
enum Question {
    /// It is answered so in every build.
    Answered(bool),
    /// Its text, and whether the text has to be true.
    Text(String, bool),
    /// It may be answered otherwise at another place.
    Unique,
}

/// What lines with code tell: which arm of each group was compiled, and answers to questions.
struct Evidence {
    arms: Vec<Option<usize>>,
    /// By the text of the question: where it was answered, by headers and definitions, and how.
    answers: BTreeMap<String, Vec<(usize, usize, bool)>>,
}

struct File<'t> {
    text: &'t [u8],
    groups: Vec<Group>,
    /// The names that the file defines itself somewhere.
    defined: BTreeSet<Box<[u8]>>,
    /// Definitions are taken back behind the preprocessor's back.
    restores: bool,
    /// It is read once by whoever includes it.
    is_guarded: bool,
}

impl<'t> File<'t> {
    /// `None` where groups are not whole, and where a line may be another file's or be compiled twice.
    fn read(path: &str, text: &'t [u8], tokens: &[Token], language: Language) -> Option<Self> {
        let own_name = base::last_component(path);
        let mut file = File {
            text,
            groups: Vec::new(),
            defined: BTreeSet::new(),
            restores: contains(text, b"pop_macro"),
            is_guarded: is_guarded(text, tokens, language),
        };
        let mut open: Vec<Vec<Arm>> = Vec::new();
        let (mut headers, mut definitions) = (0, 0);
        for token in tokens.iter().filter(|token| token.kind == TokenKind::Directive) {
            let line = token.text(text);
            let read = directive::read(line, language);
            let arm = |asks| Arm {
                directive: *token,
                end: *token,
                asks,
                headers,
                definitions,
                is_heard_behind: false,
            };
            let question = |condition: &Condition| Some(question(line, condition));
            match read {
                Directive::If(condition) => open.push(vec![arm(question(&condition))]),
                Directive::Elif(condition) => {
                    let arms = open.last_mut()?;
                    arms.last_mut()?.close(*token, headers, definitions);
                    arms.push(arm(question(&condition)));
                }
                Directive::Else => {
                    let arms = open.last_mut()?;
                    arms.last_mut()?.close(*token, headers, definitions);
                    arms.push(arm(None));
                }
                Directive::Endif => {
                    let mut arms = open.pop()?;
                    arms.last_mut()?.close(*token, headers, definitions);
                    file.groups.push(Group { arms, end: *token });
                }
                Directive::Include(name) => {
                    // Which file it is a macro says, or it is this one again.
                    if name.is_empty() || name.rsplit('/').next() == Some(own_name) {
                        return None;
                    }
                    headers += 1;
                }
                Directive::Define(name, _) | Directive::Undef(name) => {
                    file.defined.insert(name);
                    definitions += 1;
                }
                Directive::Other => {
                    let words = lex(line.get(1..).unwrap_or_default());
                    let first = words.first().map(|word| (word.kind, word.text(&line[1..])));
                    match first {
                        Some((TokenKind::Number, _) | (_, b"line")) => return None,
                        // One that could not be read defines something all the same.
                        Some((_, b"define" | b"undef")) => file.restores = true,
                        _ => {}
                    }
                }
            }
        }
        open.is_empty().then_some(file)
    }

    /// What lines with code tell; `None` where they contradict each other.
    fn evidence(&self, lines: &BTreeSet<u32>) -> Option<Evidence> {
        let starts = LineStarts::of(self.text);
        let line_of = |offset: u32| starts.line_of(offset);
        let mut found = Evidence {
            arms: Vec::new(),
            answers: BTreeMap::new(),
        };
        for group in &self.groups {
            let has_code = |arm: &Arm| {
                let (first, end) = (line_of(arm.directive.end) + 1, line_of(arm.end.start));
                first < end && lines.range(first..end).next().is_some()
            };
            let mut compiled = (0..group.arms.len()).filter(|&at| has_code(&group.arms[at]));
            let arm = compiled.next();
            if compiled.next().is_some() {
                return None;
            }
            found.arms.push(arm);
            let asked = &group.arms[..arm.map_or(0, |arm| arm + 1)];
            for (number, each) in asked.iter().enumerate() {
                let is_met = Some(number) == arm;
                match &each.asks {
                    Some(Question::Text(text, wanted)) => {
                        let answers = found.answers.entry(text.clone()).or_default();
                        answers.push((each.headers, each.definitions, is_met == *wanted));
                    }
                    Some(Question::Answered(answer)) if *answer != is_met => return None,
                    _ => {}
                }
            }
        }
        Some(found)
    }

    /// For each group of a file that is included, the arm that lines with code are in.
    fn decide_by_lines_alone(&self, found: &Evidence) -> Vec<Option<Built>> {
        if !self.is_guarded {
            return vec![None; self.groups.len()];
        }
        let decided = self.groups.iter().zip(&found.arms).map(|(group, arm)| {
            // Of a single arm, such as that of the guard, there is nothing to leave out.
            let arm = arm.filter(|_| group.arms.len() > 1)?;
            let mut others = group.arms.iter().enumerate().filter(|(number, _)| *number != arm);
            others
                .all(|(_, other)| !other.is_heard_behind)
                .then_some(Built::Arm(arm))
        });
        decided.collect()
    }

    /// For each group, what was compiled of it, if that is known.
    fn decide(&self, found: &Evidence) -> Vec<Option<Built>> {
        let decided = self.groups.iter().zip(&found.arms).map(|(group, arm)| {
            if let Some(arm) = arm {
                return Some(Built::Arm(*arm));
            }
            let mut rests_on_lines = false;
            for (number, arm) in group.arms.iter().enumerate() {
                let is_met = match &arm.asks {
                    None => true,
                    Some(Question::Answered(answer)) => *answer,
                    Some(Question::Text(text, wanted)) => {
                        rests_on_lines = true;
                        self.answer(found, text, arm)? == *wanted
                    }
                    Some(Question::Unique) => return None,
                };
                if is_met {
                    return rests_on_lines.then_some(Built::Arm(number));
                }
            }
            rests_on_lines.then_some(Built::Nothing)
        });
        decided.collect()
    }

    /// The answer to a question at the place of `arm`, if lines tell it and it cannot be another one there.
    fn answer(&self, found: &Evidence, text: &str, arm: &Arm) -> Option<bool> {
        let words = lex(text.as_bytes());
        let names = words.iter().filter(|word| word.kind == TokenKind::Ident);
        let mut names = names.map(|word| word.text(text.as_bytes()));
        if self.restores || names.any(|name| self.defined.contains(name)) {
            return None;
        }
        // A value may be made of other macros, which the file may define.
        let is_value = !text.starts_with("defined ") || text.contains(['&', '|', '(']);
        let answers = found.answers.get(text)?.iter();
        let same = answers.filter(|(headers, definitions, _)| {
            *headers == arm.headers && (!is_value || *definitions == arm.definitions)
        });
        let answers: BTreeSet<bool> = same.map(|(.., answer)| *answer).collect();
        match Vec::from_iter(answers)[..] {
            [answer] => Some(answer),
            _ => None,
        }
    }
}

/// What the directive `line` asks.
fn question(line: &[u8], condition: &Condition) -> Question {
    match condition {
        Condition::True => return Question::Answered(true),
        Condition::False => return Question::Answered(false),
        Condition::Unless(_) | Condition::Open => {}
    }
    let clean = directive::without_comments(line);
    let body = clean.get(1..).unwrap_or_default();
    let tokens = lex(body);
    let words: Vec<&[u8]> = tokens.iter().map(|token| token.text(body)).collect();
    let text = |words: &[&[u8]]| String::from_utf8_lossy(&words.join(&b' ')).into_owned();
    let defined = |name: &[u8], wanted| Question::Text(text(&[b"defined", name]), wanted);
    match words[..] {
        [b"ifdef" | b"elifdef", name, ..] => defined(name, true),
        [b"ifndef" | b"elifndef", name, ..] => defined(name, false),
        [_, b"defined", name] | [_, b"defined", b"(", name, b")"] => defined(name, true),
        [_, b"!", b"defined", name] | [_, b"!", b"defined", b"(", name, b")"] => defined(name, false),
        [_, ref asked @ ..] if !asked.iter().any(|word| word.starts_with(b"__")) => {
            Question::Text(text(asked), true)
        }
        _ => Question::Unique,
    }
}

/// Whether a file begins with an include guard: `#pragma once`, or `#ifndef NAME` and `#define NAME`.
fn is_guarded(text: &[u8], tokens: &[Token], language: Language) -> bool {
    let mut lines = tokens
        .iter()
        .take_while(|token| token.kind == TokenKind::Directive);
    let mut next = || Some(lines.next()?.text(text));
    let Some(first) = next() else {
        return false;
    };
    let words = lex(first.get(1..).unwrap_or_default());
    let words = Vec::from_iter(words.iter().map(|word| word.text(&first[1..])));
    let defined = |line| match directive::read(line, language) {
        Directive::Define(name, _) => Some(name),
        _ => None,
    };
    match directive::read(first, language) {
        Directive::If(Condition::Unless(guard)) => next().and_then(defined) == Some(guard),
        _ => words == [b"pragma".as_slice(), b"once"],
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text when lines that end in a comment of a star have code.
    fn left(text: &str) -> String {
        left_of(text, Compiled::ByItself)
    }

    fn left_of(text: &str, compiled: Compiled) -> String {
        let lines = (1..)
            .zip(text.lines())
            .filter_map(|(number, line)| line.ends_with("/*!*/").then_some(number));
        let mut bytes = text.as_bytes().to_vec();
        for range in left_out(
            "src/a.c",
            text.as_bytes(),
            Language::C,
            compiled,
            &lines.collect(),
        ) {
            for byte in &mut bytes[range] {
                *byte = if *byte == b'\n' { b'\n' } else { b' ' };
            }
        }
        let left = String::from_utf8(bytes).unwrap();
        left.lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
            .replace("/*!*/", "")
    }

    #[test]
    fn code_is_where_something_is_written() {
        let text =
            "int a(void) {\n  /* one\n  two */ return \\\n  1; }\n#if A \\\n  && B\n// none\n#endif\n\n";
        let without = |lines: &[u32]| {
            let lines = lines.iter().copied().collect();
            line_without_code("src/a.c", text.as_bytes(), Language::C, &lines)
        };
        assert_eq!(without(&[1, 3, 4, 5, 6, 8]), None);
        for line in [2, 7, 9, 10, 400] {
            assert_eq!(without(&[1, line]), Some(line));
        }
        let others = b"int x;\n#line 7 \"y.c\"\n";
        assert_eq!(
            line_without_code("src/a.c", others, Language::C, &BTreeSet::from([9])),
            None
        );
    }

    #[test]
    fn a_line_with_code_tells_its_arm() {
        assert_eq!(
            left("#if A\na;\n#elif B\nb; /*!*/\n#else\nc;\n#endif\nd;\n"),
            "b; \nd;"
        );
        assert_eq!(left("#if A\n#if B\na;\n#endif\n#else\nb; /*!*/\n#endif\n"), "b; ");
        // Around a part of an expression.
        assert_eq!(
            left("x = f(\n#ifdef A\n  1, /*!*/\n#else\n  2,\n#endif\n  3);\n"),
            "x = f(\n  1, \n  3);"
        );
        let open = "#if A\na;\n#else\nb;\n#endif\nc; /*!*/";
        assert_eq!(left(open), open.replace("/*!*/", ""));
    }

    #[test]
    fn of_a_header_a_line_tells_its_own_group_alone() {
        let left = |text: &str| -> String {
            left_of(&format!("#pragma once\n{text}"), Compiled::Included).replacen("#pragma once\n", "", 1)
        };
        let heads = "#ifdef A\nint f(int n) /*!*/\n#else\nint f(int n, int m)\n#endif\n{\n}\n";
        assert_eq!(left(heads), "int f(int n) \n{\n}");
        let elsewhere = "#ifdef A\na; /*!*/\n#endif\n#ifdef A\nb;\n#else\nc;\n#endif";
        assert_eq!(left(elsewhere), elsewhere.replace("/*!*/", ""));
        // Whoever takes the other arm is told something by it.
        for other in ["#define STEP 2", "#include \"n.h\"", "#if B\n#undef STEP\n#endif"] {
            let open = format!("#ifdef A\na; /*!*/\n#else\n{other}\n#endif");
            assert_eq!(left(&open), open.replace("/*!*/", ""));
        }
        let guarded = format!("#ifndef N_H\n#define N_H\n{heads}#endif");
        assert_eq!(
            left_of(&guarded, Compiled::Included),
            "#ifndef N_H\n#define N_H\nint f(int n) \n{\n}\n#endif"
        );
        assert_eq!(
            left_of(heads, Compiled::Included),
            heads.replace("/*!*/", "").trim_end()
        );
        let defines_itself = "#ifdef A\n#define STEP 2\na; /*!*/\n#else\nb;\n#endif";
        assert_eq!(left(defines_itself), "#define STEP 2\na; ");
    }

    #[test]
    fn it_tells_the_condition_too() {
        let asked = "#if USE_MPI\na; /*!*/\n#endif\n";
        assert_eq!(
            left(&format!("{asked}#if USE_MPI\nb;\n#else\nc;\n#endif\n")),
            "a; \nb;"
        );
        assert_eq!(
            left(
                "#ifdef A\na;\n#else\nb; /*!*/\n#endif\n#ifndef A\nc;\n#endif\n#if defined(A)\nd;\n#endif\n"
            ),
            "b; \nc;"
        );
        assert_eq!(
            left("#if A > 1\na; /*!*/\n#endif\n#if A > 1 /* so */\nb;\n#endif"),
            "a; \nb;"
        );
        // All that was asked before is false.
        assert_eq!(
            left("#if A\na;\n#elif B\nb; /*!*/\n#endif\n#if A\nc;\n#endif\n#if B\nd;\n#endif"),
            "b; \nd;"
        );
    }

    #[test]
    fn the_answer_may_be_another_one_elsewhere() {
        let groups = |between: &str| format!("#ifdef A\na; /*!*/\n#endif\n{between}\n#ifdef A\nb;\n#endif");
        let open = |between: &str| format!("a; \n{between}\n#ifdef A\nb;\n#endif");
        for between in [
            "#include \"b.h\"",
            "#undef A",
            "#define A",
            "#pragma pop_macro(\"A\")",
        ] {
            assert_eq!(left(&groups(between)), open(between));
        }
        assert_eq!(left(&groups("#define B 1")), "a; \n#define B 1\nb;");
        // The value of `A` may be made of `B`.
        let value = groups("#define B 1").replace("#ifdef", "#if");
        assert_eq!(left(&value), open("#define B 1").replace("#ifdef", "#if"));
        let unique = "#if __COUNTER__\na; /*!*/\n#endif\n#if __COUNTER__\nb;\n#endif";
        assert_eq!(left(unique), "a; \n#if __COUNTER__\nb;\n#endif");
    }

    #[test]
    fn lines_that_may_be_of_other_files_tell_nothing() {
        for text in [
            "#line 3 \"b.c\"\n#if A\na; /*!*/\n#endif",
            "# 3 \"b.c\"\n#if A\na; /*!*/\n#endif",
            "#include \"a.c\"\n#if A\na; /*!*/\n#endif",
            "#include SELF\n#if A\na; /*!*/\n#endif",
            // Nobody compiles both.
            "#if A\na; /*!*/\n#else\nb; /*!*/\n#endif",
            "#if 0\na; /*!*/\n#endif\n#if A\nb; /*!*/\n#endif",
            "#if A\na; /*!*/\n",
            "#endif\n#if A\na; /*!*/\n#endif",
        ] {
            assert_eq!(left(text), text.replace("/*!*/", "").trim_end_matches('\n'));
        }
    }
}
