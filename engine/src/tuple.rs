//! The printed form of a position: the paper's lexicographic tuple (SC'09 section 4.1, Figure 3).
//!
//! From the function inwards, every scope emits the displacement of its first line from a baseline, which starts at 0
//! and then advances to that line. The body of a loop is followed by an iteration token, a branch by `⊃`. The line's
//! own displacement ends the tuple. It is for reading and for comparison with the paper: the order itself is decided
//! on control flow.

use progress_map::{Function, LoopId, ScopeId, ScopeKind};
use std::fmt;

/// One element of a tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The displacement of a scope, or of the line itself, in lines.
    Displacement(i64),
    /// `$iter`: the iteration of this loop goes before everything to its right.
    Iteration(LoopId),
    /// `d⊃`: a branch at this displacement; what stands to its right in different arms is incomparable.
    Branch(i64),
}

/// A position's tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuple(pub Vec<Token>);

impl fmt::Display for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<")?;
        let mut separator = "";
        for token in &self.0 {
            f.write_str(separator)?;
            separator = ", ";
            match token {
                Token::Displacement(lines) => write!(f, "{lines}")?,
                Token::Iteration(_) => f.write_str("$iter")?,
                Token::Branch(lines) => {
                    write!(f, "{lines}⊃")?;
                    separator = " ";
                }
            }
        }
        f.write_str(">")
    }
}

/// The tuple of `line` in `scope`. `is_inside` tells of a loop statement whether the position is part of what repeats
/// (the initialisation of a `for` is not): only then there is an iteration to tell.
pub(crate) fn tuple(
    function: &Function,
    scope: ScopeId,
    line: u32,
    is_inside: &dyn Fn(LoopId) -> bool,
) -> Tuple {
    let mut chain = Vec::new();
    let mut at = Some(scope);
    while let Some(id) = at {
        chain.push(id);
        at = function.scopes[id].parent;
    }
    chain.reverse();
    let mut tokens = Vec::new();
    let mut baseline = 0;
    // A loop's iteration token waits for the loop's body, if that is a compound statement.
    let mut waiting: Option<LoopId> = None;
    for &id in &chain {
        let scope = &function.scopes[id];
        let displacement = i64::from(scope.line) - baseline;
        baseline = i64::from(scope.line);
        if scope.kind != ScopeKind::Block {
            tokens.extend(waiting.take().map(Token::Iteration));
        }
        match scope.kind {
            ScopeKind::Branch => tokens.push(Token::Branch(displacement)),
            ScopeKind::Function | ScopeKind::Block | ScopeKind::Arm(_) => {
                tokens.push(Token::Displacement(displacement));
                tokens.extend(waiting.take().map(Token::Iteration));
            }
            ScopeKind::Loop(of) => {
                tokens.push(Token::Displacement(displacement));
                waiting = of.filter(|&of| is_inside(of));
            }
        }
    }
    tokens.extend(waiting.map(Token::Iteration));
    tokens.push(Token::Displacement(i64::from(line) - baseline));
    Tuple(tokens)
}

/// The innermost scope whose lines span `line`; of several that start on one line, the last.
pub(crate) fn scope_spanning(function: &Function, line: u32) -> Option<ScopeId> {
    let spans = |id: &ScopeId| {
        let scope = &function.scopes[*id];
        scope.line <= line && line <= scope.end_line
    };
    // Parents come before children, and scopes of one depth do not overlap unless they share a line.
    let mut deepest: Option<(usize, ScopeId)> = None;
    for id in function.scopes.ids().filter(spans) {
        let mut depth = 0;
        let mut at = function.scopes[id].parent;
        while let Some(parent) = at {
            depth += 1;
            at = function.scopes[parent].parent;
        }
        if deepest.is_none_or(|(most, _)| depth >= most) {
            deepest = Some((depth, id));
        }
    }
    deepest.map(|(_, id)| id)
}
