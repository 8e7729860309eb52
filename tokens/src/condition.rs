//! Conditional groups (`#if … #endif`): which arms a build may take, and what to do with the group at its place.

use crate::directive::{Condition, Directive, read};
use crate::token::{Token, TokenKind, closes};
use base::Language;

/// A conditional group.
#[derive(Clone, Debug)]
pub struct Group {
    /// The arms that some C build may take, in order; empty when there is none.
    pub arms: Vec<Arm>,
    /// Every build takes one of `arms`.
    pub exhaustive: bool,
    /// Token index of the `#if`.
    pub first: usize,
    /// Token index of the `#endif`, or the number of tokens when there is none.
    pub last: usize,
}

/// An arm: the tokens between its directive and the next one of the group.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// Token index of the directive that opens it.
    pub directive: usize,
    /// Token index of the directive that ends it.
    pub end: usize,
}

/// All directives of a file, by token index, and its conditional groups, by the index of their `#if`.
#[derive(Debug)]
pub struct Directives {
    by_token: Vec<(usize, Directive)>,
    groups: Vec<Group>,
}

impl Directives {
    /// Reads the directives among the `tokens` of a file of `language`.
    pub fn new(text: &[u8], tokens: &[Token], language: Language) -> Self {
        let lines = tokens
            .iter()
            .enumerate()
            .filter(|(_, t)| t.kind == TokenKind::Directive);
        let by_token: Vec<_> = lines.map(|(at, t)| (at, read(t.text(text), language))).collect();
        let mut groups: Vec<Group> = Vec::new();
        let mut stack: Vec<Builder> = Vec::new();
        for (at, directive) in &by_token {
            match directive {
                Directive::If(condition) => stack.push(Builder::new(*at, condition)),
                Directive::Elif(condition) => {
                    if let Some(builder) = stack.last_mut() {
                        builder.arm(*at, condition);
                    }
                }
                Directive::Else => {
                    if let Some(builder) = stack.last_mut() {
                        builder.arm(*at, &Condition::True);
                    }
                }
                Directive::Endif => groups.extend(stack.pop().map(|builder| builder.finish(*at))),
                _ => {}
            }
        }
        while let Some(builder) = stack.pop() {
            groups.push(builder.finish(tokens.len()));
        }
        groups.sort_by_key(|group| group.first);
        Self { by_token, groups }
    }

    /// The directive at token index `at`.
    pub fn at(&self, at: usize) -> Option<&Directive> {
        let found = self.by_token.binary_search_by_key(&at, |(index, _)| *index);
        found.ok().map(|index| &self.by_token[index].1)
    }

    /// The group whose `#if` is the token at index `at`.
    pub fn group(&self, at: usize) -> Option<&Group> {
        let found = self.groups.binary_search_by_key(&at, |group| group.first);
        found.ok().map(|index| &self.groups[index])
    }
}

struct Builder {
    first: usize,
    arms: Vec<Arm>,
    /// The arm at hand may be taken.
    live: Option<usize>,
    settled: bool,
}

impl Builder {
    fn new(first: usize, condition: &Condition) -> Self {
        let mut builder = Self {
            first,
            arms: Vec::new(),
            live: None,
            settled: false,
        };
        builder.arm(first, condition);
        builder
    }

    fn arm(&mut self, directive: usize, condition: &Condition) {
        self.close(directive);
        if !self.settled && *condition != Condition::False {
            self.live = Some(directive);
        }
        self.settled |= *condition == Condition::True;
    }

    fn close(&mut self, end: usize) {
        if let Some(directive) = self.live.take() {
            self.arms.push(Arm { directive, end });
        }
    }

    fn finish(mut self, last: usize) -> Group {
        self.close(last);
        Group {
            exhaustive: self.settled,
            first: self.first,
            last,
            arms: self.arms,
        }
    }
}

/// The arm of each group that a build is taken to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenArm {
    /// The one behind `#if`.
    First,
    /// The one before `#endif`.
    Last,
}

/// What the tokens of an arm amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArmShape {
    /// No code.
    Empty,
    /// Whole statements or declarations.
    Statements,
    /// Invocations of macros behind whole declarations: `DEFINE(int)`. Outside functions they need no semicolon.
    Invocations,
    /// Brackets match, but it begins or ends within a statement.
    Balanced,
    /// It opens or closes what stands outside.
    Unbalanced,
}

impl Arm {
    /// The code tokens of the arm, those of all arms of inner groups included.
    pub fn code<'t>(&self, tokens: &'t [Token]) -> impl Iterator<Item = &'t Token> + use<'t> {
        let tokens = tokens.get(self.directive + 1..self.end).unwrap_or_default();
        tokens.iter().filter(|t| t.kind != TokenKind::Directive)
    }

    /// The index of the last code token of the arm.
    pub fn last(&self, tokens: &[Token]) -> Option<usize> {
        let inside = self.directive + 1..self.end;
        inside
            .rev()
            .find(|at| tokens.get(*at).is_some_and(|t| t.kind != TokenKind::Directive))
    }

    /// What the tokens of the arm amount to.
    pub fn shape(&self, text: &[u8], tokens: &[Token]) -> ArmShape {
        ArmShape::of(self.code(tokens).map(|t| t.text(text)))
    }

    /// The same in one build, which has of each group within the arm only one arm.
    pub fn shape_by_choice(
        &self,
        text: &[u8],
        tokens: &[Token],
        directives: &Directives,
        chosen: ChosenArm,
    ) -> ArmShape {
        let mut code = Vec::new();
        let mut at = self.directive + 1;
        // The arms that are passed within others: where each ends, and where its group does.
        let mut within: Vec<(usize, usize)> = Vec::new();
        while at < self.end {
            if let Some((_, last)) = within.pop_if(|(end, _)| *end == at) {
                at = last + 1;
                continue;
            }
            let Some(token) = tokens.get(at) else { break };
            if let Some(group) = directives.group(at) {
                let arm = match chosen {
                    ChosenArm::First => group.arms.first(),
                    ChosenArm::Last => group.arms.last(),
                };
                match arm {
                    Some(arm) => {
                        within.push((arm.end, group.last));
                        at = arm.directive + 1;
                    }
                    None => at = group.last + 1,
                }
                continue;
            }
            if token.kind != TokenKind::Directive {
                code.push(token.text(text));
            }
            at += 1;
        }
        ArmShape::of(code.into_iter())
    }
}

impl ArmShape {
    /// What the words of an arm amount to.
    fn of<'t>(code: impl Iterator<Item = &'t [u8]>) -> ArmShape {
        let mut open = Vec::new();
        let mut code = code.peekable();
        let Some(first) = code.peek().copied() else {
            return ArmShape::Empty;
        };
        let mut last = first;
        // Words since a declaration ended, and whether they are an invocation's alone.
        let (mut words, mut alone) = (0, false);
        for word in code {
            last = word;
            match word {
                b"(" | b"[" | b"{" => {
                    if open.is_empty() {
                        alone = word == b"(" && words == 1;
                    }
                    open.push(word[0]);
                }
                b")" | b"]" | b"}" => {
                    if !closes(open.pop(), word) {
                        return ArmShape::Unbalanced;
                    }
                    if open.is_empty() && word == b"}" {
                        (words, alone) = (0, false);
                    }
                }
                b";" if open.is_empty() => (words, alone) = (0, false),
                _ if open.is_empty() => {
                    words = if alone { 1 } else { words + 1 };
                    alone = false;
                }
                _ => {}
            }
        }
        if !open.is_empty() {
            ArmShape::Unbalanced
        } else if matches!(last, b";" | b"}" | b":") && first != b"else" {
            ArmShape::Statements
        } else if alone && last == b")" {
            ArmShape::Invocations
        } else {
            ArmShape::Balanced
        }
    }
}
