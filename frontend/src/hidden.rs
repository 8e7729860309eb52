//! What a macro does behind its name when it is left unexpanded: which variables it may write, where it may jump to, and
//! whether it is whole at all. Macros within macros are looked into, whatever the build makes of them.
//!
//! A call of an unknown function and a macro that is left as it is differ in one thing: the macro sees the variables of the
//! function around it. So the question is which names of the function at hand its replacement list can write. Names that it
//! declares for itself are its own; what it reaches through a pointer or as a member is memory, which any call may change
//! (`Callee::Macro` counts as one that does); its arguments are seen at the call; all other names are listed.

use crate::directive::{BodyToken, Definition};
use crate::hazard::{Hazard, hazard};
use crate::shape::{is_control, is_keyword};
use crate::token::TokenKind;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// Macros nested deeper than this are not looked into.
const DEPTH_LIMIT: usize = 24;
/// Tokens of replacement lists that are looked at for one name.
const STEP_LIMIT: usize = 60_000;

/// What one definition, or all that a name may have, hides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Something that no list of names describes: a jump, a half of a statement, a write to what has no name.
    pub obstacle: Option<Obstacle>,
    /// There is a call, a statement or a write in it.
    pub acts: bool,
    /// Variables that are neither its own nor its arguments and may be written.
    pub written: BTreeSet<Box<[u8]>>,
    /// Parameters that may be written, by their place.
    params: BTreeSet<usize>,
    /// It depends on definitions of the file itself, which have an order.
    local: bool,
}

/// Why nothing can be said about a function with the macro in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// A jump to a place outside the macro other than the caller.
    Jump,
    /// An assignment to something that cannot be told.
    Write,
    /// Brackets or statements that only the code around completes.
    Part,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Obstacle::Jump => "a jump",
            Obstacle::Write => "an assignment",
            Obstacle::Part => "part of a statement",
        })
    }
}

/// The definitions that a name may have, and whether the file itself has some.
pub trait Definitions<'m> {
    /// All definitions of `name` at the place in question.
    fn of(&self, name: &[u8]) -> Vec<&'m Definition>;
    /// Whether the file itself defines `name`.
    fn is_own(&self, name: &[u8]) -> bool;
    /// Whether a call may change its arguments without a sign of it, as in C++.
    fn has_references(&self) -> bool;
}

/// What definitions hide, remembered where it is the same in the whole file.
#[derive(Debug, Default)]
pub struct Memory {
    known: BTreeMap<usize, Rc<Hidden>>,
    steps: usize,
}

impl Memory {
    /// What `name` hides, called or not, whichever of its definitions is in force.
    pub fn hidden<'m>(&mut self, name: &[u8], called: bool, source: &dyn Definitions<'m>) -> Hidden {
        self.steps = 0;
        self.of_name(name, called, source, &mut Vec::new())
            .unwrap_or(Hidden {
                obstacle: Some(Obstacle::Write),
                ..Hidden::default()
            })
    }

    /// `None` when there are too many macros within macros.
    fn of_name<'m>(
        &mut self,
        name: &[u8],
        called: bool,
        source: &dyn Definitions<'m>,
        within: &mut Vec<usize>,
    ) -> Option<Hidden> {
        let mut all = Hidden {
            local: source.is_own(name),
            ..Hidden::default()
        };
        for definition in source.of(name) {
            // Without arguments the name of a function-like macro is no macro.
            if definition.params.is_some() && !called {
                continue;
            }
            let key = std::ptr::from_ref(definition) as usize;
            // A macro's name within its own expansion is a function's.
            if within.contains(&key) {
                all.acts |= called;
                continue;
            }
            let one = match self.known.get(&key) {
                Some(known) => Rc::clone(known),
                None => {
                    if within.len() >= DEPTH_LIMIT {
                        return None;
                    }
                    within.push(key);
                    let found = Reader::new(definition, source.has_references()).read(self, source, within);
                    within.pop();
                    let found = Rc::new(found?);
                    if !found.local && within.is_empty() {
                        self.known.insert(key, Rc::clone(&found));
                    }
                    found
                }
            };
            all.obstacle = all.obstacle.max(one.obstacle);
            all.acts |= one.acts;
            all.local |= one.local;
            all.written.extend(one.written.iter().cloned());
            all.params.extend(&one.params);
        }
        Some(all)
    }
}

/// A name that a replacement list declares, the tokens in which it is in scope, and the word that is its type.
type Own<'d> = (&'d [u8], Range<usize>, usize);

/// Reads one replacement list.
struct Reader<'d> {
    definition: &'d Definition,
    body: &'d [BodyToken],
    references: bool,
    /// The partner of each bracket.
    partner: Vec<Option<usize>>,
    /// Names that the replacement list declares, with the tokens in which they are in scope.
    own: Vec<Own<'d>>,
    found: Hidden,
}

impl<'d> Reader<'d> {
    fn new(definition: &'d Definition, references: bool) -> Self {
        Self {
            definition,
            body: &definition.body,
            references,
            partner: Vec::new(),
            own: Vec::new(),
            found: Hidden::default(),
        }
    }

    fn text(&self, at: usize) -> &'d [u8] {
        self.body.get(at).map_or(&b""[..], |t| &*t.text)
    }

    fn before(&self, at: usize) -> &'d [u8] {
        at.checked_sub(1).map_or(&b""[..], |at| self.text(at))
    }

    fn is_name(&self, at: usize) -> bool {
        let token = self.body.get(at);
        token.is_some_and(|t| t.kind == TokenKind::Ident && !is_keyword(&t.text))
    }

    fn read<'m>(
        mut self,
        memory: &mut Memory,
        source: &dyn Definitions<'m>,
        within: &mut Vec<usize>,
    ) -> Option<Hidden> {
        memory.steps += self.body.len() + 1;
        if memory.steps > STEP_LIMIT {
            return None;
        }
        self.partner = partners(self.body);
        if hazard(self.definition) == Hazard::Structure {
            self.obstacle(Obstacle::Part);
        }
        let (own, leaked) = own_variables(self.body, &self.partner);
        // A macro that leaves nothing in the place of a type makes an assignment of the declaration.
        let typed = |(_, _, ty): &Own<'_>| source.of(self.text(*ty)).iter().all(|d| is_type(d));
        self.own = own.into_iter().filter(typed).collect();
        if leaked {
            self.obstacle(Obstacle::Part);
        }
        let loops = self.bodies_of(&[b"for", b"while", b"do"]);
        let switches = self.bodies_of(&[b"switch"]);
        let inside = |ranges: &[Range<usize>], at: usize| ranges.iter().any(|range| range.contains(&at));
        for at in 0..self.body.len() {
            let token = &self.body[at];
            match &*token.text {
                b"++" | b"--" => {
                    self.found.acts = true;
                    let operand = |at: usize| {
                        self.body.get(at).is_some_and(|t| {
                            t.kind == TokenKind::Ident || *t.text == *b")" || *t.text == *b"]"
                        })
                    };
                    // Behind an operand it is a postfix.
                    if at > 0 && operand(at - 1) && !is_control(self.before(at)) {
                        self.write_before(at);
                    } else {
                        self.write_after(at + 1);
                    }
                }
                // `[=]` and `[&]` of a lambda name no variable; what its body writes is found there.
                b"=" | b"&" if self.before(at) == b"[" && matches!(self.text(at + 1), b"]" | b",") => {}
                b"=" if self.is_initial(at) => {}
                b"=" | b"+=" | b"-=" | b"*=" | b"/=" | b"%=" | b"&=" | b"|=" | b"^=" | b"<<=" | b">>=" => {
                    self.found.acts = true;
                    self.write_before(at);
                }
                b"&" if !self.ends_operand(at) => self.address(at + 1),
                // A reference is another name for what it is declared with.
                b"&" if self.references && self.text(at + 2) == b"=" => self.address(at + 3),
                b">>" if self.references => self.address(at + 1),
                b"goto" => self.obstacle(Obstacle::Jump),
                b"break" if !inside(&loops, at) && !inside(&switches, at) => self.obstacle(Obstacle::Jump),
                b"continue" if !inside(&loops, at) => self.obstacle(Obstacle::Jump),
                b"case" | b"default" if !inside(&switches, at) => self.obstacle(Obstacle::Part),
                // What it writes stands in a language of its own; and where such a call returns to is not told.
                b"asm" | b"__asm" | b"__asm__" => self.obstacle(Obstacle::Write),
                b"setjmp" | b"_setjmp" | b"sigsetjmp" | b"__sigsetjmp" | b"getcontext" | b"vfork" => {
                    self.obstacle(Obstacle::Jump);
                }
                word if is_control(word) => self.found.acts = true,
                b";" => self.found.acts = true,
                _ => {}
            }
            if self.is_name(at) {
                self.name(at, memory, source, within)?;
            }
        }
        Some(self.found)
    }

    /// A name that may be a macro's, and may be called.
    fn name<'m>(
        &mut self,
        at: usize,
        memory: &mut Memory,
        source: &dyn Definitions<'m>,
        within: &mut Vec<usize>,
    ) -> Option<()> {
        let name = self.text(at);
        let called = self.text(at + 1) == b"(";
        let close = self.partner.get(at + 1).copied().flatten().filter(|_| called);
        let member = matches!(self.before(at), b"." | b"->");
        if called && self.references {
            for arg in self.arguments(at + 1, close) {
                if arg.len() == 1 {
                    self.give(arg.start);
                }
            }
        }
        let pasted = self.before(at) == b"##" || self.text(at + 1) == b"##";
        if pasted || member || self.param(name).is_some() {
            self.found.acts |= called;
        }
        if pasted {
            // Which name comes out is not known; that of a macro would be an odd one.
            return Some(());
        }
        if member || self.param(name).is_some() {
            return Some(());
        }
        // The name of a function-like macro by itself is called by whom it is given to, or by what follows the macro.
        let definitions = source.of(name);
        let given = !called && definitions.iter().any(|d| d.params.is_some());
        let hidden = memory.of_name(name, called || given, source, within)?;
        self.found.acts |= called && definitions.is_empty();
        self.found.local |= hidden.local;
        self.found.acts |= hidden.acts;
        if let Some(obstacle) = hidden.obstacle {
            self.obstacle(obstacle);
        }
        for name in &hidden.written {
            self.write_name(name, at);
        }
        let renamed = self.definition.params.is_none() && at + 1 == self.body.len();
        if given && renamed {
            // `#define RUN RUN_FAST`: the arguments of the one are those of the other.
            self.found.params.extend(&hidden.params);
        } else if given && !hidden.params.is_empty() {
            self.obstacle(Obstacle::Write);
        } else if !hidden.params.is_empty() {
            let args = self.arguments(at + 1, close);
            for &param in &hidden.params {
                // The last parameter may take all that is left.
                let rest = if param + 1 >= self.most_params(name, source) {
                    args.len()
                } else {
                    param + 1
                };
                for arg in args.get(param..rest.max(param)).unwrap_or_default() {
                    self.give_range(arg.clone());
                }
            }
        }
        Some(())
    }

    fn most_params<'m>(&self, name: &[u8], source: &dyn Definitions<'m>) -> usize {
        let counts = source
            .of(name)
            .into_iter()
            .filter_map(|d| d.params.as_ref().map(|p| p.names.len()));
        counts.min().unwrap_or(0)
    }

    fn param(&self, name: &[u8]) -> Option<usize> {
        let params = self.definition.params.as_ref()?;
        params.names.iter().position(|param| **param == *name)
    }

    fn obstacle(&mut self, obstacle: Obstacle) {
        self.found.obstacle = self.found.obstacle.max(Some(obstacle));
        self.found.acts = true;
    }

    /// The arguments between the bracket at `open` and its partner.
    fn arguments(&self, open: usize, close: Option<usize>) -> Vec<Range<usize>> {
        let Some(close) = close else {
            return Vec::new();
        };
        let mut result = Vec::new();
        let (mut from, mut at) = (open + 1, open + 1);
        while at < close {
            match self.text(at) {
                b"," => {
                    result.push(from..at);
                    from = at + 1;
                }
                _ => at = self.partner[at].filter(|partner| *partner > at).unwrap_or(at),
            }
            at += 1;
        }
        result.push(from..close);
        result
    }

    /// Whether the token before `at` ends an operand, so that the operator at `at` has two.
    fn ends_operand(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        let token = &self.body[before];
        match token.kind {
            TokenKind::Ident => !is_control(&token.text),
            TokenKind::Punct => matches!(&*token.text, b")" | b"]"),
            _ => true,
        }
    }

    /// Whether the `=` at `at` belongs to the declaration of one of its own variables.
    fn is_initial(&self, at: usize) -> bool {
        self.own.iter().any(|(_, scope, _)| scope.start + 1 == at)
            || self.before(at) == b"]"
                && at
                    .checked_sub(1)
                    .and_then(|close| self.partner[close])
                    .is_some_and(|open| self.own.iter().any(|(_, scope, _)| scope.start + 1 == open))
    }

    /// The address of what begins at `at` is taken. Behind a parenthesis it may be a cast's operand; that is all the same.
    fn address(&mut self, at: usize) {
        if self.text(at) == b"(" {
            if let Some(close) = self.partner[at] {
                // Brackets of a cast, or around the operand.
                self.give_range(at + 1..close);
                if self.is_name(close + 1) {
                    self.address(close + 1);
                }
            }
            return;
        }
        // `&a->b` and `&a[i]` are places in memory, and arrays are written anywhere.
        if self.is_name(at) && !matches!(self.text(at + 1), b"->" | b"." | b"[") {
            self.give(at);
        }
    }

    /// Every name in `range` that is an operand there may be written.
    fn give_range(&mut self, range: Range<usize>) {
        for at in range {
            let member = matches!(self.before(at), b"." | b"->");
            let through = matches!(self.text(at + 1), b"." | b"->" | b"[" | b"(");
            if self.is_name(at) && !member && !through {
                self.give(at);
            }
        }
    }

    /// The variable named at `at` may be written.
    fn give(&mut self, at: usize) {
        if !self.is_name(at) {
            return;
        }
        if self.before(at) == b"##" || self.text(at + 1) == b"##" {
            self.obstacle(Obstacle::Write);
            return;
        }
        self.write_name(self.text(at), at);
    }

    fn write_name(&mut self, name: &[u8], at: usize) {
        let own = |(each, scope, _): &Own<'_>| *each == name && scope.contains(&at);
        if self.own.iter().any(own) {
            return;
        }
        if let Some(param) = self.param(name) {
            self.found.params.insert(param);
            return;
        }
        self.found.written.insert(name.into());
        self.found.acts = true;
    }

    /// What ends before `at` is written.
    fn write_before(&mut self, at: usize) {
        let mut at = at;
        // Whether a pointer was followed, or a part of the variable is meant.
        let mut part = false;
        loop {
            let Some(last) = at.checked_sub(1) else {
                return self.obstacle(Obstacle::Write);
            };
            match self.text(last) {
                b"]" => {
                    part = true;
                    match self.partner[last] {
                        Some(open) => at = open,
                        None => return self.obstacle(Obstacle::Write),
                    }
                }
                b")" => {
                    let Some(open) = self.partner[last] else {
                        return self.obstacle(Obstacle::Write);
                    };
                    let callee = open > 0 && self.is_name(open - 1);
                    if callee && !part {
                        // What a macro or a reference makes of the arguments.
                        return self.obstacle(Obstacle::Write);
                    }
                    // `*(p) = x` and `(*p) = x` write where `p` points to.
                    let followed = part
                        || self.text(open + 1) == b"*"
                        || (self.before(open) == b"*" && !self.ends_operand(open - 1));
                    if !followed {
                        self.give_range(open + 1..last);
                    } else if part {
                        // `(x).y` is a part of `x`, and `(p)->y` is memory: neither is the variable itself.
                    }
                    return;
                }
                _ if self.is_name(last) => {
                    if matches!(self.before(last), b"." | b"->") {
                        part = true;
                        at = last - 1;
                        continue;
                    }
                    let star = last > 0 && self.before(last) == b"*" && !self.ends_operand(last - 1);
                    if !part && !star {
                        self.give(last);
                    } else if self.before(last) == b"##" {
                        self.obstacle(Obstacle::Write);
                    }
                    return;
                }
                _ => return self.obstacle(Obstacle::Write),
            }
        }
    }

    /// What begins at `at` is written.
    fn write_after(&mut self, at: usize) {
        match self.text(at) {
            b"(" => match self.partner[at] {
                Some(close)
                    if self.text(at + 1) != b"*" && !matches!(self.text(close + 1), b"." | b"->" | b"[") =>
                {
                    self.give_range(at + 1..close);
                }
                Some(_) => {}
                None => self.obstacle(Obstacle::Write),
            },
            b"*" => {}
            _ if self.is_name(at) => {
                if !matches!(self.text(at + 1), b"." | b"->" | b"[" | b"(") {
                    self.give(at);
                }
            }
            _ => self.obstacle(Obstacle::Write),
        }
    }

    /// The tokens of the statements that belong to each of `words`.
    fn bodies_of(&self, words: &[&[u8]]) -> Vec<Range<usize>> {
        let heads = (0..self.body.len()).filter(|at| words.contains(&self.text(*at)));
        let ranges = heads.map(|head| {
            let mut at = head + 1;
            if self.text(at) == b"(" {
                at = self.partner[at].map_or(self.body.len(), |close| close + 1);
            }
            if self.text(at) == b"{" {
                return at..self.partner[at].unwrap_or(self.body.len());
            }
            let mut end = at;
            while end < self.body.len() && self.text(end) != b";" {
                end = self.partner[end].filter(|partner| *partner > end).unwrap_or(end) + 1;
            }
            at..end
        });
        ranges.collect()
    }
}

/// The partner of each bracket of `body`.
fn partners(body: &[BodyToken]) -> Vec<Option<usize>> {
    let mut partner = vec![None; body.len()];
    let mut open = Vec::new();
    for (at, token) in body.iter().enumerate() {
        match &*token.text {
            b"(" | b"[" | b"{" => open.push(at),
            b")" | b"]" | b"}" => {
                if let Some(start) = open.pop() {
                    partner[start] = Some(at);
                    partner[at] = Some(start);
                }
            }
            _ => {}
        }
    }
    partner
}

/// Whether `definition` stands for a type.
fn is_type(definition: &Definition) -> bool {
    let word = |t: &BodyToken| t.kind == TokenKind::Ident && !is_keyword(&t.text) || *t.text == *b"*";
    !definition.body.is_empty() && definition.body.iter().all(word)
}

/// The variables that `body` declares: names behind a type, up to the end of the bracket around. Also whether there is
/// a declaration outside all brackets, which is one of the function at hand.
fn own_variables<'d>(body: &'d [BodyToken], partner: &[Option<usize>]) -> (Vec<Own<'d>>, bool) {
    let mut own = Vec::new();
    let mut leaked = false;
    // The bracket around and where the statement (or argument) at hand began, and the type of the declaration at hand.
    let mut open: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let mut start = 0;
    let mut listed: Option<usize> = None;
    for (at, token) in body.iter().enumerate() {
        match &*token.text {
            b"(" | b"[" | b"{" => {
                open.push((at, start, listed));
                (start, listed) = (at + 1, None);
                continue;
            }
            b")" | b"]" | b"}" => {
                // Behind a parenthesis the statement goes on; behind a block the next one begins.
                (start, listed) = match open.pop() {
                    Some((_, start, listed)) if *token.text != *b"}" => (start, listed),
                    _ => (at + 1, None),
                };
                continue;
            }
            b";" => {
                (start, listed) = (at + 1, None);
                continue;
            }
            b"," => {
                start = at + 1;
                continue;
            }
            _ => {}
        }
        let next = body.get(at + 1).map_or(&b""[..], |next| &*next.text);
        let name = token.kind == TokenKind::Ident && !is_keyword(&token.text);
        if !name || !matches!(next, b"=" | b";" | b"," | b"[") {
            continue;
        }
        let head = body.get(start..at).unwrap_or_default();
        let words = |t: &BodyToken| t.kind == TokenKind::Ident && !is_keyword(&t.text);
        let stars = head.iter().rev().take_while(|t| *t.text == *b"*").count();
        let (types, _) = head.split_at(head.len() - stars);
        let in_parens = open.last().is_some_and(|(open, ..)| *body[*open].text == *b"(");
        // `f(a * b, c)` is a product.
        let product = in_parens && stars > 0 && next != b"=";
        let declares = !types.is_empty() && types.iter().all(words) && !product;
        // `int a = 1, *b`: behind the comma stands no type.
        let continues = types.is_empty() && listed.is_some();
        if declares {
            listed = Some(start + types.len() - 1);
        } else if !continues {
            continue;
        }
        match (open.last().and_then(|(open, ..)| partner[*open]), listed) {
            (Some(end), Some(ty)) => own.push((&*token.text, at..end, ty)),
            _ => leaked = true,
        }
    }
    (own, leaked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::{Directive, read};
    use crate::language::Language;

    /// The macros of a few lines, the last of which is in question.
    struct Lines(Vec<(Box<[u8]>, Definition)>, bool);

    impl<'m> Definitions<'m> for &'m Lines {
        fn of(&self, name: &[u8]) -> Vec<&'m Definition> {
            let named = self.0.iter().filter(|(each, _)| **each == *name);
            named.map(|(_, definition)| definition).collect()
        }

        fn is_own(&self, _: &[u8]) -> bool {
            false
        }

        fn has_references(&self) -> bool {
            self.1
        }
    }

    fn show(text: &str, references: bool) -> String {
        let lines = text.lines().map(|line| match read(line.as_bytes(), Language::C) {
            Directive::Define(name, definition) => (name, definition),
            other => panic!("{other:?}"),
        });
        let lines = Lines(lines.collect(), references);
        let (name, _) = lines.0.last().expect("a line");
        let hidden = Memory::default().hidden(name, true, &&lines);
        let written: Vec<_> = hidden
            .written
            .iter()
            .map(|name| String::from_utf8_lossy(name))
            .collect();
        let obstacle = hidden.obstacle.map(|o| format!(" hides {o}")).unwrap_or_default();
        let acts = if hidden.acts { " acts" } else { "" };
        format!(
            "writes [{}] {:?}{acts}{obstacle}",
            written.join(" "),
            hidden.params
        )
    }

    fn of(text: &str) -> String {
        show(text, false)
    }

    #[test]
    fn what_is_written_is_named() {
        assert_eq!(of("#define M i++"), "writes [i] {} acts");
        assert_eq!(of("#define M --(i)"), "writes [i] {} acts");
        assert_eq!(of("#define M(x) (x)++"), "writes [] {0} acts");
        assert_eq!(of("#define M(x) f(&k)"), "writes [k] {} acts");
        assert_eq!(of("#define M(x) y = x, (z) += 1"), "writes [y z] {} acts");
        assert_eq!(of("#define M(x) a + b * c"), "writes [] {}");
        assert_eq!(
            of("#define M(x) s.n++, p->n++, *q = 1, (*r)++, v[i]++"),
            "writes [] {} acts"
        );
        assert_eq!(
            of("#define M(n) it_##n++"),
            "writes [] {} acts hides an assignment"
        );
        assert_eq!(
            of("#define M(x) Rows(x) = 3"),
            "writes [] {} acts hides an assignment"
        );
        assert_eq!(
            of("#define M(x) asm(\"inc %0\" : \"+r\"(i))"),
            "writes [] {} acts hides an assignment"
        );
    }

    #[test]
    fn its_own_variables_end_with_their_block() {
        assert_eq!(
            of("#define M(x) do { int e = (x), k; k = e; e++; } while (0)"),
            "writes [] {} acts"
        );
        assert_eq!(
            of("#define M(x) do { { T e; } e++; } while (0)"),
            "writes [e] {} acts"
        );
        assert_eq!(
            of("#define M(x) do { int b[3], c[3]; b[0] = 1; c[1] = 2; } while (0)"),
            "writes [] {} acts"
        );
        // A product is no declaration, and neither is an assignment behind a macro that leaves nothing.
        assert_eq!(
            of("#define M do { t = a * b; b = 2; } while (0)"),
            "writes [b t] {} acts"
        );
        assert_eq!(
            of("#define NO\n#define M do { NO i = 2; } while (0)"),
            "writes [i] {} acts"
        );
        assert_eq!(
            of("#define M do { for (int i = 0; i < 3; i++) f(i); i = 1; } while (0)"),
            "writes [i] {} acts"
        );
        assert_eq!(
            of("#define M(x) T e = x; f(e)"),
            "writes [e] {} acts hides part of a statement"
        );
    }

    #[test]
    fn macros_within_macros_count() {
        let step = "#define STEP(a, b) (a) += (b)\n";
        assert_eq!(
            of(&format!("{step}#define M(x) STEP(i, x)")),
            "writes [i] {} acts"
        );
        assert_eq!(
            of(&format!("{step}#define M(x) STEP(x, i)")),
            "writes [] {0} acts"
        );
        assert_eq!(
            of("#define NEXT i++\n#define M(x) do { g(x); NEXT; } while (0)"),
            "writes [i] {} acts"
        );
        assert_eq!(
            of("#define NEXT(a)\n#define NEXT(a) i = a\n#define M NEXT(3)"),
            "writes [i] {} acts"
        );
        assert_eq!(
            of("#define ALL(f, ...) f(__VA_ARGS__)\n#define M ALL(g, i)"),
            "writes [] {} acts"
        );
        assert_eq!(
            of("#define IN(v, ...) get(&v, __VA_ARGS__)\n#define M IN(i, j)"),
            "writes [i] {} acts"
        );
        assert_eq!(of("#define A B\n#define B A\n#define M A"), "writes [] {}");
        // A name alone is called by what follows.
        assert_eq!(of(&format!("{step}#define M STEP")), "writes [] {0} acts");
        assert_eq!(of("#define NEXT(a) i = a\n#define M NEXT"), "writes [i] {} acts");
        assert_eq!(
            of("#define LOOP(a) for (; a; ) {\n#define M LOOP"),
            "writes [] {} acts hides part of a statement"
        );
        assert_eq!(
            of(&format!("{step}#define M(x) x(STEP)")),
            "writes [] {} acts hides an assignment"
        );
    }

    #[test]
    fn jumps_and_halves_of_statements() {
        assert_eq!(
            of("#define M(x) do { if (x) return 1; } while (0)"),
            "writes [] {} acts"
        );
        assert_eq!(
            of("#define M(x) if (x) continue"),
            "writes [] {} acts hides a jump"
        );
        assert_eq!(
            of("#define M(x) do { if (x) break; } while (0)"),
            "writes [] {} acts"
        );
        assert_eq!(
            of("#define M(x) switch (x) { case 1: break; }"),
            "writes [] {} acts"
        );
        assert_eq!(
            of("#define M(x) switch (x) { case 1: continue; }"),
            "writes [] {} acts hides a jump"
        );
        assert_eq!(of("#define M(x) goto out"), "writes [] {} acts hides a jump");
        assert_eq!(
            of("#define M(x) case x: f()"),
            "writes [] {} acts hides part of a statement"
        );
        assert_eq!(
            of("#define OUT goto out\n#define M(x) if (x) OUT"),
            "writes [] {} acts hides a jump"
        );
        assert_eq!(
            of("#define M(x) if (setjmp(x)) f()"),
            "writes [] {} acts hides a jump"
        );
        assert_eq!(
            of("#define M(x) { f(x);"),
            "writes [] {} acts hides part of a statement"
        );
    }

    #[test]
    fn a_call_of_cxx_may_change_its_arguments() {
        assert_eq!(
            show("#define M(x) next(i, x, j + 1)", true),
            "writes [i] {0} acts"
        );
        assert_eq!(
            show("#define M(x) do { T &r = i; r = x; } while (0)", true),
            "writes [i r] {} acts"
        );
        assert_eq!(show("#define M(x) in >> i", true), "writes [i] {} acts");
    }
}
