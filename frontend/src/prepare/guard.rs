//! Arms of `#if` that are no whole statements, made part of the statement around them.
//!
//! `#if A` / `else if (c) s;` / `#endif` is `else if (BUILD_CHOICE && (c)) s;`: where the build leaves the arm out, the
//! condition fails. In the same way an arm that ends in `else` or in an open block is kept, with the condition that gives
//! every build its own way. Nothing is written twice, and each build's flow is among the ways through the result. Two
//! groups are guarded one by one, though one build may decide both: that adds ways, which can only make claims weaker.

use super::{OpenGroup, Writer};
use crate::condition::{Arm, Group};
use crate::expand::BUILD_CHOICE;
use crate::shape::{Open, is_control};
use crate::token::TokenKind;
use base::{Cause, Confidence, Doubt, Language};

/// What to write before a token, in tokens.
type Words = &'static [&'static str];

/// `(c)` becomes `(choice && (c))`: the branch is taken only in builds that have the arm.
const ONLY_IN_ARM: Words = &["CHOICE", "&&", "("];
/// `(c)` becomes `(choice || (c))`: the branch is always taken where the arm is left out.
const ALWAYS_OUTSIDE: Words = &["CHOICE", "||", "("];
const CLOSE: Words = &[")"];
/// In front of what an `else` of the arm alone belongs to.
const IF_IN_ARM: Words = &["if", "(", "CHOICE", ")"];
const GROUP: Words = &["\n#if 1\n"];
const END: Words = &["\n#endif\n"];

/// Around a further operand of `&&`.
const NOT_OR: Words = &["(", "!", "CHOICE", "||", "("];
/// Around a further operand of `||`.
const CHOICE_AND: Words = &["(", "CHOICE", "&&", "("];
const TWO_CLOSE: Words = &[")", ")"];
/// Around a further operand of `|`.
const CHOICE_THEN: Words = &["(", "CHOICE", "?", "("];
const ELSE_NOTHING: Words = &[")", ":", "0", ")"];

/// What becomes of an arm.
struct Plan {
    inserts: Vec<(usize, Words)>,
    /// The arm leaves a block open, which another arm closes.
    opens: bool,
    /// The arm closes such a block.
    closes: bool,
}

/// Reads the tokens of one arm, by their raw indices.
struct Arms<'w, 'a> {
    writer: &'w Writer<'a>,
    code: Vec<usize>,
    inserts: Vec<(usize, Words)>,
}

/// How a chain of `if … else if … else` ends.
enum End {
    /// At this place in the code.
    Whole(usize),
    /// In a block that stays open; what stands in it begins here.
    Open(usize),
    /// In `else`, or behind the head of an `if`, and the statement behind the group belongs to it.
    Dangling,
}

impl<'a> Writer<'a> {
    /// Plans how the arms of `group`, which are no whole statements, become part of the statement around.
    pub(super) fn guarded(&mut self, group: &Group) -> Option<OpenGroup> {
        if !matches!(self.shape.innermost(), Some(Open::Body | Open::Block)) || !self.shape.at_statement() {
            return None;
        }
        let depth = self.shape.depth();
        while self.conditional.last().is_some_and(|(open, _)| *open > depth) {
            self.conditional.pop();
        }
        let mut plans = Vec::new();
        for arm in &group.arms {
            plans.push(self.plan(arm, group.last)?);
        }
        let crossing = plans.iter().any(|plan| plan.opens || plan.closes);
        if crossing && (plans.len() > 1 || group.exhaustive) {
            return None;
        }
        // A build has the end of the block if and only if it has its beginning, so the conditions must be the same.
        let condition = self.raw.tokens.get(group.first).map(|t| self.text(*t))?;
        let begun = Some((depth, condition.trim_ascii()));
        if plans.iter().any(|plan| plan.closes) && self.conditional.pop() != begun {
            return None;
        }
        if plans.iter().any(|plan| plan.opens) {
            self.conditional.push((depth + 1, condition.trim_ascii()));
        }
        for (at, words) in plans.into_iter().flat_map(|plan| plan.inserts) {
            self.inserts.entry(at).or_default().push(words);
        }
        Some(OpenGroup::keeping(
            group.arms.iter().map(|arm| arm.directive).collect(),
        ))
    }

    /// Plans how the arms of `group`, which are further operands of `&&`, `||` or `|` among others, become part of the expression:
    /// `a` / `#if A` / `&& b` / `#endif` is `a && (!choice || (b))`. Builds without the arm get the operand that changes nothing.
    pub(super) fn guarded_operands(&mut self, group: &Group) -> Option<OpenGroup> {
        if !matches!(self.shape.innermost(), Some(Open::Call(_) | Open::Other)) {
            return None;
        }
        let mut inserts = Vec::new();
        for arm in &group.arms {
            inserts.extend(self.operands(arm, group)?);
        }
        for (at, words) in inserts {
            self.inserts.entry(at).or_default().push(words);
        }
        Some(OpenGroup::keeping(
            group.arms.iter().map(|arm| arm.directive).collect(),
        ))
    }

    /// What to write around the operands of `arm`; nothing if it is empty.
    fn operands(&self, arm: &Arm, group: &Group) -> Option<Vec<(usize, Words)>> {
        let tokens = self.raw.tokens;
        let inside = arm.directive + 1..arm.end;
        if inside.is_empty() {
            return Some(Vec::new());
        }
        if inside.clone().any(|at| tokens[at].kind == TokenKind::Directive) {
            return None;
        }
        let word = |at: usize| tokens.get(at).map(|t| self.text(*t)).unwrap_or_default();
        let (first, last) = (word(inside.start), word(inside.end - 1));
        let before = self.shape.item().last();
        let before = before.and_then(|t| self.prepared.text.get(t.start as usize..t.end as usize));
        let (before, after) = (before?, word(group.last + 1));
        let leads = matches!(first, b"&&" | b"||" | b"|");
        let (operator, operands) = if leads {
            (first, inside.start + 1..inside.end)
        } else {
            (last, inside.start..inside.end - 1)
        };
        // What binds less than the operator must not stand on either side.
        let weaker: &[&[u8]] = match operator {
            b"&&" => &[b"||", b"?", b":", b"=", b","],
            b"||" => &[b"?", b":", b"=", b","],
            b"|" => &[
                b"&&", b"||", b"?", b":", b"=", b",", b"==", b"!=", b"<", b">", b"<=", b">=",
            ],
            _ => return None,
        };
        let mut depth = 0_usize;
        for at in operands.clone() {
            match word(at) {
                b"(" | b"[" => depth += 1,
                b")" | b"]" => depth = depth.checked_sub(1)?,
                b"{" | b"}" | b";" => return None,
                text if depth == 0 && weaker.contains(&text) => return None,
                _ => {}
            }
        }
        // `a || b` / `&& c`: what binds more strongly would take the arm's operand with it.
        let stronger: &[&[u8]] = match operator {
            b"||" => &[b"&&"],
            b"|" => &[
                b"&", b"^", b"+", b"-", b"*", b"/", b"==", b"!=", b"<", b">", b"<=", b">=", b"<<", b">>",
            ],
            _ => &[],
        };
        let alone = if leads {
            !stronger.contains(&after)
        } else {
            !stronger.contains(&before) && (operator == b"&&" || before != b"&&")
        };
        if depth > 0 || operands.is_empty() || !alone {
            return None;
        }
        let (open, close) = match operator {
            b"&&" => (NOT_OR, TWO_CLOSE),
            b"||" => (CHOICE_AND, TWO_CLOSE),
            _ => (CHOICE_THEN, ELSE_NOTHING),
        };
        Some(vec![(operands.start, open), (operands.end, close)])
    }

    fn plan(&self, arm: &Arm, endif: usize) -> Option<Plan> {
        let tokens = self.raw.tokens;
        let code = (arm.directive + 1..arm.end).filter(|at| tokens[*at].kind != TokenKind::Directive);
        let mut arms = Arms {
            writer: self,
            code: code.collect(),
            inserts: Vec::new(),
        };
        let (mut opens, mut closes) = (false, false);
        if arms.code.is_empty() {
            return Some(Plan {
                inserts: Vec::new(),
                opens,
                closes,
            });
        }
        let else_follows = tokens.get(endif + 1).is_some_and(|t| self.text(*t) == b"else");
        let first = arms.word(0);
        if first == b"}" && arms.word(1) != b"else" {
            // Closes a block that only this build has; what follows in the arm are statements of this build.
            if else_follows {
                return None;
            }
            closes = true;
            if !arms.rest(1, arm.end) {
                return None;
            }
        } else if matches!(first, b"}" | b"else") {
            // The block closed here and the one left open are both there in every build.
            let braced = first == b"}";
            match arms.chain(usize::from(braced), true)? {
                End::Whole(end) if !braced && end == arms.code.len() => {}
                // What stands in the open block is reached in this build alone, as long as the block ends where the group
                // does: a statement behind the group would belong to another block in other builds.
                End::Open(inner) if braced && self.block_ends(endif + 1) && arms.are_statements(inner) => {}
                _ => return None,
            }
        } else {
            opens = arms.leading_statements(arm, else_follows)?;
        }
        Some(Plan {
            inserts: arms.inserts,
            opens,
            closes,
        })
    }

    /// Whether the block at hand ends at the token `at`, in every build.
    fn block_ends(&self, at: usize) -> bool {
        let mut at = at;
        loop {
            let Some(token) = self.raw.tokens.get(at) else {
                return false;
            };
            if token.kind != TokenKind::Directive {
                return self.text(*token) == b"}";
            }
            let Some(group) = self.directives.group(at) else {
                return false;
            };
            let closes = |arm: &Arm| {
                let first = arm.code(self.raw.tokens).next();
                first.is_none_or(|first| self.text(*first) == b"}")
            };
            if !group.arms.iter().all(closes) {
                return false;
            }
            at = group.last + 1;
        }
    }

    /// Makes the functions partial in which something that was planned had no place.
    pub(super) fn note_lost_plans(&mut self) {
        for at in std::mem::take(&mut self.inserts).into_keys() {
            let last = self.raw.tokens.last().map_or(0, |token| token.start);
            let start = self.raw.tokens.get(at).map_or(last, |token| token.start);
            let doubt = Doubt::at(Cause::SplitBeforeLine, self.line(start));
            self.note(start..start + 1, Confidence::Partial, doubt);
        }
    }

    /// Writes what was planned in front of the token at `at`.
    pub(super) fn insert_planned(&mut self, at: usize) {
        let Some(planned) = self.inserts.remove(&at) else {
            return;
        };
        let start = self.raw.tokens[at].start;
        // What closes something belongs before what opens the next.
        for word in planned.into_iter().flatten() {
            match *word {
                "CHOICE" => {
                    let choice = String::from_utf8_lossy(BUILD_CHOICE);
                    self.stand_in(&choice, TokenKind::Ident, start, start);
                }
                directive if directive.starts_with('\n') => self.insert(directive, self.raw_at),
                "if" => self.stand_in("if", TokenKind::Ident, start, start),
                word => self.stand_in(word, TokenKind::Punct, start, start),
            }
            if !word.starts_with('\n') {
                self.insert(" ", self.raw_at);
            }
        }
    }
}

impl Arms<'_, '_> {
    /// An arm that begins with whole statements: they become one, and the statement that is left unfinished is guarded. Returns whether it
    /// leaves a block open.
    fn leading_statements(&mut self, arm: &Arm, else_follows: bool) -> Option<bool> {
        let mut at = 0;
        let end = loop {
            if at >= self.code.len() {
                return None;
            }
            let before = self.inserts.len();
            let end = match self.word(at) {
                b"if" => self.chain(at, false)?,
                b"{" => match self.partner(at) {
                    Some(close) => End::Whole(close + 1),
                    None => End::Open(at + 1),
                },
                _ => End::Whole(self.statement(at, 0)?),
            };
            let End::Whole(next) = end else { break end };
            self.inserts.truncate(before);
            at = next;
        };
        if at > 0 {
            self.insert(0, GROUP);
            self.insert(at, END);
        }
        let End::Open(inner) = end else {
            return Some(false);
        };
        if else_follows {
            return None;
        }
        if inner < self.code.len() {
            if !self.are_statements(inner) {
                return None;
            }
            self.insert(inner, GROUP);
            self.inserts.push((arm.end, END));
        }
        Some(true)
    }

    fn word(&self, at: usize) -> &[u8] {
        let token = self.code.get(at).map(|at| self.writer.raw.tokens[*at]);
        token.map_or(&b""[..], |token| self.writer.text(token))
    }

    fn insert(&mut self, at: usize, words: Words) {
        if let Some(raw) = self.code.get(at) {
            self.inserts.push((*raw, words));
        }
    }

    fn is_name(&self, at: usize) -> bool {
        let token = self.code.get(at).map(|at| self.writer.raw.tokens[*at]);
        token.is_some_and(|token| token.kind == TokenKind::Ident)
    }

    /// The partner of the bracket at `at`.
    fn partner(&self, at: usize) -> Option<usize> {
        let mut open = Vec::new();
        for index in at..self.code.len() {
            match self.word(index) {
                b"(" => open.push(b')'),
                b"[" => open.push(b']'),
                b"{" => open.push(b'}'),
                close @ (b")" | b"]" | b"}") if open.pop() != Some(close[0]) => return None,
                _ => {}
            }
            if open.is_empty() {
                return Some(index);
            }
        }
        None
    }

    /// The `(` of the condition behind the `if` at `at` and its partner; `None` when it declares something.
    fn condition(&self, at: usize) -> Option<(usize, usize)> {
        let open = at + 1;
        if self.word(open) != b"(" {
            return None;
        }
        let close = self.partner(open)?;
        let inside = open + 1..close;
        let declares = self.writer.raw.language == Language::Cxx
            && inside.clone().any(|at| {
                self.word(at) == b";" || (at + 1 < close && self.is_name(at) && self.is_name(at + 1))
            });
        (!declares && !inside.is_empty()).then_some((open, close))
    }

    /// Guards the conditions of the chain at `at`: of `if`, or with `goes_on` of `else`, of an `if` outside the arm.
    fn chain(&mut self, at: usize, goes_on: bool) -> Option<End> {
        let mut at = at;
        let mut begun = goes_on;
        loop {
            let is_else = begun;
            if is_else {
                if self.word(at) != b"else" {
                    return Some(End::Whole(at));
                }
                at += 1;
                if at == self.code.len() {
                    return Some(End::Dangling);
                }
            }
            begun = true;
            let mut last = false;
            let mut guard = None;
            if self.word(at) == b"if" {
                let (open, close) = self.condition(at)?;
                guard = Some((open, close));
                at = close + 1;
            } else if goes_on {
                // An `else` of this build alone.
                self.insert(at, IF_IN_ARM);
                last = true;
            } else {
                last = true;
            }
            let body = at;
            let mut words = ONLY_IN_ARM;
            let end = if body == self.code.len() {
                // `if (c)` whose statement stands behind the group.
                words = ALWAYS_OUTSIDE;
                Some(End::Dangling)
            } else if self.word(body) == b"{" && self.partner(body).is_none() {
                if !goes_on {
                    words = ALWAYS_OUTSIDE;
                }
                Some(End::Open(body + 1))
            } else {
                at = self.statement(body, 0)?;
                None
            };
            if goes_on && matches!(end, Some(End::Dangling)) {
                return None;
            }
            if let Some((open, close)) = guard {
                self.insert(open + 1, words);
                self.insert(close, CLOSE);
            }
            if let Some(end) = end {
                return Some(end);
            }
            if last {
                return Some(End::Whole(at));
            }
        }
    }

    /// The place behind the statement at `at`; `None` when the tokens do not tell.
    fn statement(&self, at: usize, depth: usize) -> Option<usize> {
        if depth > 40 {
            return None;
        }
        match self.word(at) {
            b"" => None,
            b"{" => Some(self.partner(at)? + 1),
            b"if" => {
                let close = self.partner(at + 1).filter(|_| self.word(at + 1) == b"(")?;
                let end = self.statement(close + 1, depth + 1)?;
                match self.word(end) {
                    b"else" => self.statement(end + 1, depth + 1),
                    _ => Some(end),
                }
            }
            b"for" | b"while" | b"switch" => {
                let close = self.partner(at + 1).filter(|_| self.word(at + 1) == b"(")?;
                self.statement(close + 1, depth + 1)
            }
            b"do" => {
                let end = self.statement(at + 1, depth + 1)?;
                let close = self.partner(end + 1).filter(|_| self.word(end) == b"while")?;
                (self.word(close + 1) == b";").then_some(close + 2)
            }
            b"else" | b"case" | b"default" | b"}" | b")" | b"]" => None,
            _ => {
                let mut index = at;
                while self.word(index) != b";" {
                    let word = self.word(index);
                    let jump = matches!(word, b"return" | b"goto" | b"break" | b"continue") && index == at;
                    match word {
                        b"" | b"}" | b")" | b"]" => return None,
                        // A macro without a semicolon has hidden the end of a statement.
                        word if is_control(word) && !jump => return None,
                        b"{" if self.word(index.checked_sub(1)?) != b"=" => return None,
                        b"(" => {
                            let callee = index > at && self.is_name(index - 1);
                            index = self.partner(index)?;
                            // Behind a macro without a semicolon the next statement begins.
                            if callee && self.is_name(index + 1) {
                                return None;
                            }
                        }
                        b"[" | b"{" => index = self.partner(index)?,
                        _ => {}
                    }
                    index += 1;
                }
                Some(index + 1)
            }
        }
    }

    /// Whether whole statements stand from `at` to the end.
    fn are_statements(&self, at: usize) -> bool {
        let mut at = at;
        while at < self.code.len() {
            let Some(next) = self.statement(at, 0) else {
                return false;
            };
            at = next;
        }
        true
    }

    /// Makes a group of what stands from `at` to the end of the arm, the raw index `end`, if these are whole statements.
    fn rest(&mut self, at: usize, end: usize) -> bool {
        if !self.are_statements(at) {
            return false;
        }
        if at < self.code.len() {
            self.insert(at, GROUP);
            self.inserts.push((end, END));
        }
        true
    }
}
