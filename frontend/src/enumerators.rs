//! The enumerators of headers: tags, roles and sizes that many files share are as often enumerators as they are macros.
//!
//! The tree of a file knows its own ([`File::enumerators`](crate::lower)); what its headers define is read here, from tokens. A value is
//! kept as it is written, the tokens behind the last `=` and the number of enumerators since: what names in it mean is asked where it is
//! used. The sum is known where all in it is: numbers, macros with one definition, and other such enumerators.

use crate::directive::BodyToken;
use crate::lower::literal;
use crate::macros::{Meaning, Visible};
use crate::token::{Token, TokenKind};
use base::Language;
use ir::{BinaryOp, ExprKind};
use std::collections::BTreeMap;

/// How many macros, enumerators, operators and parentheses may stand within each other in one value.
const NESTED_LIMIT: usize = 32;

/// How many tokens are looked at for one value: macros that use each other twice are a power of two.
const WORK_LIMIT: usize = 2_000;

/// An enumerator of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumerator {
    /// Its enumeration, if that has a name, and the namespaces and classes around it: what may stand before `::`.
    pub qualifiers: Vec<Box<[u8]>>,
    /// It stands at file scope, and its enumeration does not ask for its name (`enum class`): its name alone means it.
    pub is_plain: bool,
    /// `None` where the build decides.
    pub value: Option<Written>,
}

/// A value as it is written: that of the tokens, of none of them 0, and `plus`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// What stands behind the last `=`.
    pub from: Vec<BodyToken>,
    /// How many enumerators came since.
    pub plus: i64,
}

/// The enumerators of a file, of each name all.
pub type Enumerators = BTreeMap<Box<[u8]>, Vec<Enumerator>>;

/// What an open brace encloses.
enum Open {
    /// `extern "C"`, or a namespace or class with its name, if it has one.
    Names(Option<Box<[u8]>>, Outside),
    /// A function, an initialiser: what is declared there is nobody else's.
    Else,
}

/// Whether what a brace encloses can be named from outside of it without its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outside {
    Plain,
    Qualified,
}

/// Finds the enumerators among the tokens of one file, in their order.
pub struct Reader {
    language: Language,
    /// What stands before the next brace.
    head: Vec<Token>,
    open: Vec<Open>,
    list: Option<List>,
}

/// An enumeration that is being read.
struct List {
    qualifiers: Vec<Box<[u8]>>,
    is_plain: bool,
    /// The value of the next enumerator that has none of its own.
    next: Option<Written>,
    /// Tokens of the enumerator at hand.
    item: Vec<Token>,
    /// Some of them depend on the build.
    conditional: bool,
    /// Parentheses and braces within it.
    depth: usize,
}

impl Reader {
    /// For a file that is read as `language`.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            head: Vec::new(),
            open: Vec::new(),
            list: None,
        }
    }

    /// Follows a token that a build may see; `conditional` if another may not.
    pub fn token(&mut self, text: &[u8], token: Token, conditional: bool, found: &mut Enumerators) {
        let word = token.text(text);
        if let Some(list) = &mut self.list {
            if list.token(text, token, conditional, found) {
                self.list = None;
            }
            return;
        }
        match word {
            b"{" => {
                self.enter(text);
                self.head.clear();
            }
            b"}" => {
                self.open.pop();
                self.head.clear();
            }
            b";" => self.head.clear(),
            _ => self.head.push(token),
        }
    }

    fn enter(&mut self, text: &[u8]) {
        let words = Vec::from_iter(self.head.iter().map(|token| token.text(text)));
        let is_else = self.open.iter().any(|open| matches!(open, Open::Else));
        let after = |key: &[u8]| words.iter().rposition(|word| *word == key).map(|at| at + 1);
        let name_at = |at: usize| {
            let name = self.head.get(at).filter(|token| token.kind == TokenKind::Ident)?;
            Some(Box::from(name.text(text)))
        };
        let is_code = words.iter().any(|word| matches!(*word, b")" | b"="));
        let open = if is_else || is_code {
            Open::Else
        } else if let Some(at) = after(b"enum") {
            let is_scoped = words
                .get(at)
                .is_some_and(|word| matches!(*word, b"class" | b"struct"));
            let mut qualifiers = Vec::from_iter(name_at(at + usize::from(is_scoped)));
            let mut is_plain = !is_scoped;
            for open in &self.open {
                if let Open::Names(name, outside) = open {
                    qualifiers.extend(name.clone());
                    is_plain &= *outside == Outside::Plain;
                }
            }
            self.list = Some(List {
                qualifiers,
                is_plain,
                next: Some(Written {
                    from: Vec::new(),
                    plus: 0,
                }),
                item: Vec::new(),
                conditional: false,
                depth: 0,
            });
            return;
        } else if let Some(at) = after(b"namespace") {
            Open::Names(name_at(at), Outside::Qualified)
        } else if let Some(at) = words
            .iter()
            .rposition(|word| matches!(*word, b"class" | b"struct" | b"union"))
        {
            // C has no `::`.
            let outside = match self.language {
                Language::C | Language::Fortran => Outside::Plain,
                Language::Cxx => Outside::Qualified,
            };
            Open::Names(name_at(at + 1), outside)
        } else if self.head.last().is_some_and(|last| last.kind == TokenKind::Str) {
            Open::Names(None, Outside::Plain)
        } else {
            Open::Else
        };
        self.open.push(open);
    }
}

impl List {
    /// Says whether the list has ended.
    fn token(&mut self, text: &[u8], token: Token, conditional: bool, found: &mut Enumerators) -> bool {
        let word = token.text(text);
        if self.depth == 0 && matches!(word, b"," | b"}") {
            self.take(text, found);
            return word == b"}";
        }
        match word {
            b"(" | b"{" | b"[" => self.depth += 1,
            b")" | b"}" | b"]" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.conditional |= conditional;
        self.item.push(token);
        false
    }

    fn take(&mut self, text: &[u8], found: &mut Enumerators) {
        let item = std::mem::take(&mut self.item);
        let Some((name, rest)) = item.split_first() else {
            return;
        };
        let value = match rest {
            _ if std::mem::take(&mut self.conditional) => None,
            [] => self.next.take(),
            [sign, value @ ..] if sign.text(text) == b"=" => Some(Written {
                from: Vec::from_iter(value.iter().map(|token| BodyToken {
                    kind: token.kind,
                    text: token.text(text).into(),
                })),
                plus: 0,
            }),
            // An attribute, or a macro that makes several enumerators.
            _ => None,
        };
        self.next = value.clone().and_then(|value| {
            Some(Written {
                plus: value.plus.checked_add(1)?,
                ..value
            })
        });
        if name.kind == TokenKind::Ident {
            let all = found.entry(name.text(text).into()).or_default();
            all.push(Enumerator {
                qualifiers: self.qualifiers.clone(),
                is_plain: self.is_plain,
                value,
            });
        }
    }
}

/// What a name is that some header makes an enumerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enumerated {
    /// Its value.
    Value(i64),
    /// A constant: which one, depends on the build, or on what is not understood.
    Unknown,
}

impl Visible<'_> {
    /// The value of `name`, written behind `qualifier` and `::` if there is one, if the headers that are included at raw `offset` make it an
    /// enumerator.
    pub fn enumerator(&self, name: &[u8], qualifier: Option<&[u8]>, offset: u32) -> Option<Enumerated> {
        let mut evaluation = Evaluation {
            visible: self,
            offset,
            work: WORK_LIMIT,
        };
        evaluation.enumerator(name, qualifier, 0)
    }
}

struct Evaluation<'v, 'm> {
    visible: &'v Visible<'m>,
    offset: u32,
    work: usize,
}

impl Evaluation<'_, '_> {
    fn enumerator(&mut self, name: &[u8], qualifier: Option<&[u8]>, depth: usize) -> Option<Enumerated> {
        let all = Vec::from_iter(self.visible.enumerators_of_headers(name));
        // Names in capitals are macros or enumerators, in whatever class they stand.
        let shouted = base::is_shouted(name);
        let is_meant = |one: &&Enumerator| match qualifier {
            Some(qualifier) => one.qualifiers.iter().any(|other| **other == *qualifier),
            None => one.is_plain || shouted,
        };
        let meant = Vec::from_iter(all.iter().copied().filter(is_meant));
        let (first, others) = meant.split_first()?;
        let value = self.written(first.value.as_ref(), depth);
        let alike = |other: &&Enumerator| {
            other.value == first.value || self.written(other.value.as_ref(), depth) == value
        };
        Some(match value.filter(|_| others.iter().all(alike)) {
            Some(value) => Enumerated::Value(value),
            None => Enumerated::Unknown,
        })
    }

    fn written(&mut self, value: Option<&Written>, depth: usize) -> Option<i64> {
        let value = value?;
        let from = match &*value.from {
            [] => 0,
            tokens => self.value(tokens, depth)?,
        };
        from.checked_add(value.plus)
    }

    /// The value of all of `tokens`.
    fn value(&mut self, tokens: &[BodyToken], depth: usize) -> Option<i64> {
        if depth > NESTED_LIMIT {
            return None;
        }
        let mut at = 0;
        let value = self.binary(tokens, &mut at, 0, depth)?;
        (at == tokens.len()).then_some(value)
    }

    /// Operators that bind at least as strongly as `least`.
    fn binary(&mut self, tokens: &[BodyToken], at: &mut usize, least: u8, depth: usize) -> Option<i64> {
        let mut left = self.unary(tokens, at, depth)?;
        while let Some(token) = tokens.get(*at) {
            let Some(strength) = strength(&token.text).filter(|strength| *strength >= least) else {
                break;
            };
            *at += 1;
            let right = self.binary(tokens, at, strength + 1, depth + 1)?;
            left = literal::fold(BinaryOp::written(&token.text)?, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self, tokens: &[BodyToken], at: &mut usize, depth: usize) -> Option<i64> {
        self.work = self.work.checked_sub(1)?;
        if depth > NESTED_LIMIT {
            return None;
        }
        let int = |kind: ExprKind| match kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        };
        let token = tokens.get(*at)?;
        *at += 1;
        match (token.kind, &*token.text) {
            (TokenKind::Number, text) => int(literal::number(text)),
            (TokenKind::Char, text) => int(literal::character(text)),
            (TokenKind::Punct, b"(") => {
                let value = self.binary(tokens, at, 0, depth + 1)?;
                let closes = tokens.get(*at).is_some_and(|token| *token.text == *b")");
                *at += 1;
                closes.then_some(value)
            }
            (TokenKind::Punct, b"+") => self.unary(tokens, at, depth + 1),
            // `-1u` is a large number.
            (TokenKind::Punct, b"-") => {
                let unsigned = |token: &BodyToken| token.text.iter().any(|byte| matches!(byte, b'u' | b'U'));
                let begins = *at;
                let value = self.unary(tokens, at, depth + 1)?;
                let plain = tokens.get(begins..*at)?;
                let plain = !plain
                    .iter()
                    .any(|token| token.kind == TokenKind::Number && unsigned(token));
                plain.then(|| value.checked_neg()).flatten()
            }
            (TokenKind::Ident, mut name) => {
                let mut qualifier = None;
                while tokens.get(*at).is_some_and(|token| *token.text == *b"::") {
                    let next = tokens.get(*at + 1).filter(|next| next.kind == TokenKind::Ident)?;
                    *at += 2;
                    qualifier = Some(std::mem::replace(&mut name, &next.text));
                }
                match self.visible.meaning_in_source(name, self.offset) {
                    Meaning::None => match self.enumerator(name, qualifier, depth + 1)? {
                        Enumerated::Value(value) => Some(value),
                        Enumerated::Unknown => None,
                    },
                    Meaning::One(definition) if definition.params.is_none() => {
                        self.value(&definition.body, depth + 1)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// How strongly an operator binds; `None` of what is none between two numbers.
fn strength(text: &[u8]) -> Option<u8> {
    Some(match text {
        b"|" => 1,
        b"^" => 2,
        b"&" => 3,
        b"==" | b"!=" => 4,
        b"<" | b"<=" | b">" | b">=" => 5,
        b"<<" | b">>" => 6,
        b"+" | b"-" => 7,
        b"*" | b"/" | b"%" => 8,
        _ => return None,
    })
}
