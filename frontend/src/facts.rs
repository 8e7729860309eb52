//! What one file tells the other files: its macro definitions in order, its includes, the names that it declares.
//!
//! Works on tokens, not on a tree: it must read headers that no C grammar can parse.

use crate::cxx::CxxFacts;
use crate::directive::{Condition, Definition, Directive, read};
use crate::enumerators::{self, Enumerators};
use crate::hazard::declares;
use crate::pragma;
use crate::token::{Token, TokenKind};
use base::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The facts of one file.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// The language that the file is read as.
    pub language: Language,
    /// What only C++ has: classes, references, operators.
    pub cxx: CxxFacts,
    /// Paths as written in `#include` lines.
    pub includes: BTreeSet<String>,
    /// Every `#define` and `#undef` that some C build may see, in source order.
    pub events: Vec<Event>,
    /// Names declared or defined as functions at file scope.
    pub functions: BTreeSet<Box<[u8]>>,
    /// Typedefs of plain names: the words of the type, separated by blanks.
    pub typedefs: BTreeMap<Box<[u8]>, BTreeSet<Box<[u8]>>>,
    /// Enumerators outside of functions.
    pub enumerators: Enumerators,
    /// What whoever includes the file reads in that place; macros aside.
    pub contents: Contents,
}

/// What an include line stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Code, or other include lines.
    Code,
    /// Nothing but pragmas with these words. Where the file has them under conditions, some builds lack them.
    Pragmas(Vec<Box<[u8]>>),
}

impl Default for Contents {
    fn default() -> Self {
        Contents::Pragmas(Vec::new())
    }
}

impl Contents {
    /// Follows a directive that defines, includes and asks nothing.
    fn directive(&mut self, line: &[u8]) {
        if let (Contents::Pragmas(pragmas), Some(words)) = (self, pragma::words(line)) {
            pragmas.push(words.into());
        }
    }
}

/// A `#define` or `#undef`.
#[derive(Clone, Debug)]
pub struct Event {
    /// Offset of the directive.
    pub offset: u32,
    /// Its line, from 1.
    pub line: u32,
    /// The macro.
    pub name: Box<[u8]>,
    /// Its definition; `None` for `#undef`.
    pub definition: Option<Definition>,
    /// It stands under a condition that depends on the build.
    pub conditional: bool,
    /// The condition is that the name is not defined yet: the definition is a default.
    pub default: bool,
    /// The conditional groups around it whose arms depend on the build, outermost first.
    pub arms: Arc<[OpenArm]>,
}

/// An arm of a conditional group: the numbers, in the file, of the directives that begin the group and the arm. They stay the same when
/// the text between directives changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenArm {
    /// Of `#if`.
    pub group: u32,
    /// Of `#if`, `#elif` or `#else`.
    pub arm: u32,
}

/// What the events seen so far make of one name.
#[derive(Clone, Debug, Default)]
pub struct MacroState {
    /// The events whose different definitions may be in force, as indices into [`FileFacts::events`].
    pub definitions: Vec<u32>,
    /// An `#undef` under a condition may have taken the definitions away.
    pub perhaps_undefined: bool,
    /// A default settles what the name means where nothing else defines it: a function-like macro, or a type.
    pub certain: bool,
    /// A default that is a value: it is there for a compiler option to override.
    pub overridable: bool,
    /// An unconditional event has made what was there before irrelevant.
    pub settled: bool,
}

impl MacroState {
    /// Follows `events[index]`.
    pub fn apply(&mut self, events: &[Event], index: usize) {
        let event = &events[index];
        if !event.conditional {
            *self = Self {
                settled: true,
                certain: true,
                ..Self::default()
            };
        } else if event.definition.is_none() {
            self.perhaps_undefined = true;
        }
        if let Some(definition) = event.definition.as_ref().filter(|_| event.default) {
            let value = definition.params.is_none() && !declares(definition);
            self.overridable |= value;
            self.certain |= !value;
        }
        let same = |other: &u32| events[*other as usize].definition == event.definition;
        if event.definition.is_some() && !self.definitions.iter().any(same) {
            self.definitions.push(index as u32);
        }
    }
}

/// Reads the facts of `text`, whose tokens are `tokens` and whose language is `language`.
pub fn read_facts(text: &[u8], tokens: &[Token], language: Language) -> FileFacts {
    let mut facts = FileFacts {
        language,
        ..FileFacts::default()
    };
    let mut conditions = Conditions::default();
    let mut scope = Scope::default();
    let mut enumerators = enumerators::Reader::new(language);
    let mut code: Vec<Token> = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for token in tokens {
        if token.kind != TokenKind::Directive {
            // Whoever includes the file may be of another language, and read an arm that this one leaves out.
            facts.contents = Contents::Code;
            if conditions.live() {
                if scope.begins_item(&code) && token.text(text) == b"!" {
                    // No item of C begins like this, but a comment of Fortran does: a header for other programs.
                    return FileFacts {
                        contents: Contents::Code,
                        ..FileFacts::default()
                    };
                }
                scope.token(text, *token, &mut code, &mut facts);
                enumerators.token(text, *token, conditions.open(), &mut facts.enumerators);
            }
            continue;
        }
        let directive = read(token.text(text), language);
        match &directive {
            Directive::Include(_) => facts.contents = Contents::Code,
            Directive::Other => facts.contents.directive(token.text(text)),
            _ => {}
        }
        let default = conditions.is_default(&directive);
        if conditions.enter(&directive) || !conditions.live() {
            continue;
        }
        let (name, definition) = match directive {
            Directive::Define(name, definition) => (name, Some(definition)),
            Directive::Undef(name) => (name, None),
            Directive::Include(path) => {
                facts.includes.insert(path);
                continue;
            }
            _ => continue,
        };
        let start = token.start as usize;
        line += text[counted..start].iter().filter(|&&byte| byte == b'\n').count() as u32;
        counted = start;
        facts.events.push(Event {
            offset: token.start,
            line,
            name,
            definition,
            conditional: conditions.open(),
            default,
            arms: conditions.arms(),
        });
    }
    facts
}

/// The stack of conditional groups around a place.
#[derive(Default)]
struct Conditions {
    groups: Vec<Group>,
    /// The directive before was `#ifndef` of this name.
    guard: Option<Box<[u8]>>,
    /// How many arms have begun.
    begun: u32,
    /// The arms at hand; `None` until they are asked for again.
    arms: Option<Arc<[OpenArm]>>,
}

struct Group {
    /// Where it begins, and its arm at hand.
    place: OpenArm,
    /// Tokens here may be seen by a C build.
    live: bool,
    /// Whether they are depends on the build.
    open: bool,
    /// Whether the first arm is taken depends on the build.
    first_open: bool,
    /// An earlier arm is taken in every build, so the remaining ones never are.
    settled: bool,
}

impl Conditions {
    /// Follows `#ifndef X`, `#define X`: with nothing behind the name, the group guards a file against a second
    /// inclusion, and is taken; otherwise it gives a default, which this says.
    fn is_default(&mut self, directive: &Directive) -> bool {
        let guard = self.guard.take();
        if let Directive::If(Condition::Unless(name)) = directive {
            self.guard = Some(name.clone());
        }
        let (Directive::Define(name, definition), Some(group)) = (directive, self.groups.last_mut()) else {
            return false;
        };
        if guard.as_ref() != Some(name) {
            return false;
        }
        group.open &= !definition.body.is_empty();
        self.arms = None;
        group.open
    }

    fn live(&self) -> bool {
        self.groups.last().is_none_or(|g| g.live)
    }

    fn open(&self) -> bool {
        self.groups.iter().any(|g| g.open)
    }

    fn arms(&mut self) -> Arc<[OpenArm]> {
        let groups = &self.groups;
        let open = || groups.iter().filter(|group| group.open).map(|group| group.place);
        Arc::clone(self.arms.get_or_insert_with(|| open().collect()))
    }

    /// Follows a conditional directive; `false` when it is none.
    fn enter(&mut self, directive: &Directive) -> bool {
        let is_arm = matches!(directive, Directive::If(_) | Directive::Elif(_) | Directive::Else);
        self.begun += u32::from(is_arm);
        match directive {
            Directive::If(condition) => {
                let outer = self.live();
                self.groups.push(Group {
                    place: OpenArm {
                        group: self.begun,
                        arm: self.begun,
                    },
                    live: outer && *condition != Condition::False,
                    open: !matches!(condition, Condition::True | Condition::False),
                    first_open: !matches!(condition, Condition::True | Condition::False),
                    settled: !outer || *condition == Condition::True,
                });
            }
            Directive::Elif(condition) => self.arm(condition),
            Directive::Else => self.arm(&Condition::True),
            Directive::Endif => {
                self.groups.pop();
            }
            _ => return false,
        }
        self.arms = None;
        true
    }

    fn arm(&mut self, condition: &Condition) {
        if let Some(group) = self.groups.last_mut() {
            group.place.arm = self.begun;
            group.live = !group.settled && *condition != Condition::False;
            group.settled |= *condition == Condition::True;
            group.open |= group.first_open || *condition != Condition::True;
        }
    }
}

/// Follows braces, to know what stands at file scope.
#[derive(Default)]
struct Scope {
    braces: u32,
    /// Braces of `extern "C" {`, which do not nest declarations.
    linkage: u32,
    parens: u32,
}

impl Scope {
    /// Whether the next token begins an item at file scope, `code` being the tokens of the one at hand.
    fn begins_item(&self, code: &[Token]) -> bool {
        code.is_empty() && self.braces == 0 && self.parens == 0
    }

    /// `code` collects the tokens of the declaration at hand, without what its braces and parentheses enclose.
    fn token(&mut self, text: &[u8], token: Token, code: &mut Vec<Token>, facts: &mut FileFacts) {
        match token.text(text) {
            b"{" if self.braces == 0 && code.last().is_some_and(|t| t.kind == TokenKind::Str) => {
                self.linkage += 1;
                code.clear();
            }
            b"{" => self.braces += 1,
            b"}" if self.braces > 0 => {
                self.braces -= 1;
                if self.braces == 0 && code.first().is_none_or(|t| t.text(text) != b"typedef") {
                    code.clear();
                }
            }
            b"}" => self.linkage = self.linkage.saturating_sub(1),
            _ if self.braces > 0 => {}
            b"(" => {
                if self.parens == 0 {
                    note_function(text, code, facts);
                    code.push(token);
                }
                self.parens += 1;
            }
            b")" => self.parens = self.parens.saturating_sub(1),
            _ if self.parens > 0 => {}
            b";" => {
                note_typedef(text, code, facts);
                code.clear();
            }
            _ => code.push(token),
        }
    }
}

/// A name before `(` and after a type is that of a function, declared or defined.
fn note_function(text: &[u8], code: &[Token], facts: &mut FileFacts) {
    if let [.., before, name] = code {
        let typed = before.kind == TokenKind::Ident || before.text(text) == b"*";
        let is_typedef = code[0].text(text) == b"typedef";
        if typed && name.kind == TokenKind::Ident && !is_typedef {
            facts.functions.insert(name.text(text).into());
        }
    }
}

fn note_typedef(text: &[u8], code: &[Token], facts: &mut FileFacts) {
    let [first, words @ .., name] = code else {
        return;
    };
    let plain = |t: &Token| t.kind == TokenKind::Ident || t.text(text) == b"*";
    if first.text(text) != b"typedef" || name.kind != TokenKind::Ident || !words.iter().all(plain) {
        return;
    }
    let words: Vec<&[u8]> = words.iter().map(|t| t.text(text)).collect();
    facts
        .typedefs
        .entry(name.text(text).into())
        .or_default()
        .insert(words.join(&b' ').into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::lex;

    fn facts_of(text: &[u8]) -> FileFacts {
        read_facts(text, &lex(text), Language::C)
    }

    fn names(set: &BTreeSet<Box<[u8]>>) -> Vec<String> {
        set.iter()
            .map(|n| String::from_utf8_lossy(n).into_owned())
            .collect()
    }

    #[test]
    fn guards_and_dead_arms_do_not_make_a_definition_conditional() {
        let facts = facts_of(
            b"#ifndef A_H\n#define A_H\n#define N 1\n#ifdef X\n#define M 2\n#endif\n#if 0\n#define DEAD\n#else\n\
              #define LIVE\n#endif\n#endif\n",
        );
        let events: Vec<_> = facts
            .events
            .iter()
            .map(|e| (String::from_utf8_lossy(&e.name).into_owned(), e.conditional))
            .collect();
        let expect = [("A_H", false), ("N", false), ("M", true), ("LIVE", false)];
        assert_eq!(events, expect.map(|(name, open)| (name.to_owned(), open)));
    }

    #[test]
    fn headers_for_fortran_define_nothing_for_c() {
        let facts = facts_of(b"!\n! A header\n#define Mat type(tMat)\n");
        assert!(facts.events.is_empty());
        let facts = facts_of(b"static int f(int x) { return\n!x; }\n#define N 1\nint a =\n!N;");
        assert_eq!(facts.events.len(), 1);
    }

    #[test]
    fn functions_and_typedefs_at_file_scope() {
        let facts = facts_of(
            b"extern \"C\" {\nint F(int); char *G(void) { return H(1); } EXPORT(x); }\n\
              typedef unsigned long W; typedef struct { int a; } S; static INLINE int K(a) int a; { }",
        );
        assert_eq!(names(&facts.functions), ["F", "G", "K"]);
        let typedefs: Vec<_> = facts
            .typedefs
            .keys()
            .map(|n| String::from_utf8_lossy(n).into_owned())
            .collect();
        assert_eq!(typedefs, ["S", "W"]);
    }
}
