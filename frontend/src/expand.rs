//! Macro expansion on tokens, as the C standard describes it (6.10.3): arguments are expanded before they are
//! substituted, `#` and `##` see them as written, the result is scanned again together with what follows, and a name
//! is never expanded within its own expansion. The last rule is kept by the hide sets of Prosser's algorithm.

use crate::directive::{BodyToken, Definition};
use crate::hazard::{Hazard, hazard};
use crate::hide::{Hide, intersection, union, with_name};
use crate::macros::{Meaning, Visible, is_shouted};
use crate::shape::{declaration_word, is_control};
use crate::token::{Token, TokenKind, lex};
use std::borrow::Cow;

/// The name of the condition by which a build chooses among the definitions of a macro in an expression. No variable has
/// it: its value is not known, and the same on every task.
pub const BUILD_CHOICE: &[u8] = ir::BUILD_CHOICE.as_bytes();

/// A macro with more definitions than this is left as it is.
const CHOICE_LIMIT: usize = 4;

/// Tokens of further branches that a macro stands for.
const BRANCHES_LIMIT: usize = 400;

/// Steps after which an expansion is given up: `#define A B B`, `#define B C C`, … doubles with every line.
const STEP_LIMIT: usize = 40_000;
/// Nesting of invocations in arguments after which an expansion is given up.
const DEPTH_LIMIT: usize = 40;

/// A token on its way through expansion.
#[derive(Clone, Debug)]
pub struct PpToken<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// Its bytes.
    pub text: Cow<'a, [u8]>,
    /// The names that may not be expanded here any more.
    hide: Hide,
}

impl<'a> PpToken<'a> {
    /// A token of the raw text.
    pub fn raw(token: Token, text: &'a [u8]) -> Self {
        Self {
            kind: token.kind,
            text: Cow::Borrowed(token.text(text)),
            hide: None,
        }
    }

    /// An operator or bracket that stands in no text.
    pub fn punctuation(text: &'static [u8]) -> Self {
        plain(TokenKind::Punct, text)
    }

    /// The token names a macro within that macro's own expansion: what it names is no macro any more.
    pub fn is_hidden(&self) -> bool {
        self.hide
            .as_ref()
            .is_some_and(|names| names.iter().any(|name| **name == *self.text))
    }
}

/// What became of a name.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// Not a macro, or a function-like macro without arguments.
    Plain,
    /// The name (with its arguments) stands for these tokens; the raw tokens up to `next` are used up.
    Expanded {
        /// The expansion.
        tokens: Vec<PpToken<'a>>,
        /// Index of the first raw token after the invocation.
        next: usize,
    },
    /// A macro that cannot be expanded here.
    Opaque,
}

/// Expands the macros of one file.
#[derive(Debug)]
pub struct Expander<'a> {
    text: &'a [u8],
    tokens: &'a [Token],
    visible: &'a Visible<'a>,
    /// Raw index of the next token to pull, while an expansion is under way.
    next: usize,
    /// Offset and line of the invocation under way.
    at: u32,
    line: u32,
    steps: usize,
    /// A name that stands for one of its definitions, whatever else it may mean.
    only: Option<(&'a [u8], &'a Definition)>,
    /// Steps left for the whole file, so that hostile input cannot make every invocation take its limit.
    budget: usize,
}

/// Why an expansion was given up; the caller only needs to know that it was.
struct GivenUp;

impl<'a> Expander<'a> {
    /// An expander over `tokens`, the tokens of `text`.
    pub fn new(text: &'a [u8], tokens: &'a [Token], visible: &'a Visible<'a>) -> Self {
        Self {
            text,
            tokens,
            visible,
            next: 0,
            at: 0,
            line: 0,
            steps: 0,
            only: None,
            budget: 64 * tokens.len() + 1_000_000,
        }
    }

    /// Expands the identifier at raw index `index`, which stands on `line`.
    pub fn expand(&mut self, index: usize, line: u32) -> Outcome<'a> {
        let first = self.tokens[index];
        let name = first.text(self.text);
        match self.visible.meaning(name, first.start) {
            Meaning::One(definition) if definition.params.is_some() && !self.call_follows(index) => {
                return Outcome::Plain;
            }
            Meaning::One(_) => {}
            Meaning::None if name == b"__LINE__" || name == b"__FILE__" => {}
            Meaning::None => return Outcome::Plain,
            Meaning::Several(_) | Meaning::Elsewhere => return Outcome::Opaque,
        }
        self.begin(index, line, None)
    }

    /// Expands the identifier at raw index `index` as if `definition` were its only one.
    pub fn expand_as(&mut self, index: usize, line: u32, definition: &'a Definition) -> Outcome<'a> {
        if definition.params.is_some() && !self.call_follows(index) {
            return Outcome::Plain;
        }
        self.begin(index, line, Some(definition))
    }

    /// Expands the identifier at raw index `index`, whose definition depends on the build, into an expression that holds
    /// all of them; see [`BUILD_CHOICE`]. A single token when that cannot be done.
    pub fn expand_choice(&mut self, index: usize, line: u32) -> Outcome<'a> {
        self.begin(index, line, None)
    }

    /// An expression for `token`, a macro of several definitions that would hide a call or a write if it were left as it
    /// is: each definition is an operand of `BUILD_CHOICE ? … : …`, and so is the name itself where it may be no macro.
    /// A statement of its own, which `begins` here, becomes a conditional group.
    fn choice(
        &mut self,
        token: &PpToken<'a>,
        work: &mut Vec<PpToken<'a>>,
        raw: Option<()>,
        depth: usize,
        begins: bool,
    ) -> Result<Option<Vec<PpToken<'a>>>, GivenUp> {
        let Meaning::Several(definitions) = self.visible.meaning(&token.text, self.at) else {
            return Ok(None);
        };
        if begins && let Some(tokens) = self.further_branches(token, &definitions, work, raw, depth)? {
            return Ok(Some(tokens));
        }
        let hazards: Vec<Hazard> = definitions.iter().map(|d| hazard(d)).collect();
        let worst = hazards.iter().max().copied().unwrap_or(Hazard::None);
        let called = definitions.iter().filter(|d| d.params.is_some()).count();
        let alike = called == 0 || called == definitions.len();
        let several = definitions.len() > 1;
        if !(Hazard::Statement..=Hazard::Write).contains(&worst) || !alike || definitions.len() > CHOICE_LIMIT
        {
            return Ok(None);
        }
        let pulled = self.next;
        // Only arguments are taken off the stack.
        let before = (called > 0).then(|| work.clone());
        let mut args = None;
        if called > 0 {
            if self.peek(work, raw).is_none_or(|open| *open.text != *b"(") {
                return Ok(None);
            }
            args = Some(self.arguments(work, raw)?);
        }
        let (mut expressions, mut statements) = (true, true);
        let mut operands = Vec::new();
        for definition in definitions {
            let hide = with_name(token.hide.clone(), &token.text);
            let given = args.as_ref().map(|(args, _)| fitted(args.clone(), definition));
            let tokens = match given {
                Some(None) => Vec::new(),
                Some(Some(args)) => self.substitute(definition, &args, &hide, depth)?,
                None => self.substitute(definition, &[], &hide, depth)?,
            };
            let tokens = self.run(tokens.into_iter().rev().collect(), None, depth + 1)?;
            // Just another name is left to those who know what functions there are.
            let renamed = called == 0 && tokens.len() == 1;
            expressions &= is_expression(&tokens);
            statements &= begins && several && is_statement(&tokens);
            if renamed || !(expressions || statements) {
                self.next = pulled;
                if let Some(before) = before {
                    *work = before;
                }
                return Ok(None);
            }
            operands.push(tokens);
        }
        if !expressions {
            let ends = self.peek(work, raw).is_some_and(|next| *next.text == *b";");
            if !ends {
                self.next = pulled;
                if let Some(before) = before {
                    *work = before;
                }
            }
            return Ok(ends.then(|| group_of(operands)));
        }
        // Where no definition is in force, the name is that of a function.
        if let Some((args, _)) = args.filter(|_| !is_shouted(&token.text)) {
            let mut name = token.clone();
            name.hide = with_name(name.hide, &token.text);
            let mut call = vec![name, plain(TokenKind::Punct, b"(")];
            for (index, arg) in args.into_iter().enumerate() {
                if index > 0 {
                    call.push(plain(TokenKind::Punct, b","));
                }
                call.extend(self.run(arg.into_iter().rev().collect(), None, depth + 1)?);
            }
            call.push(plain(TokenKind::Punct, b")"));
            operands.push(call);
        }
        Ok(Some(one_of(operands)))
    }

    /// A macro that stands for further branches, `} else if (c) { s`, in one build and for nothing in the others: the branches, with
    /// conditions that fail where the build leaves them out.
    fn further_branches(
        &mut self,
        token: &PpToken<'a>,
        definitions: &[&'a Definition],
        work: &mut Vec<PpToken<'a>>,
        raw: Option<()>,
        depth: usize,
    ) -> Result<Option<Vec<PpToken<'a>>>, GivenUp> {
        let mut filled = definitions
            .iter()
            .filter(|definition| !definition.body.is_empty());
        let (Some(filled), None) = (filled.next(), filled.next()) else {
            return Ok(None);
        };
        let begins = filled.body.first().is_some_and(|first| *first.text == *b"}");
        let alike = definitions
            .iter()
            .all(|d| d.params.is_some() == filled.params.is_some());
        if !begins || !alike || definitions.len() < 2 {
            return Ok(None);
        }
        let (pulled, before) = (self.next, work.clone());
        let mut args = Vec::new();
        if filled.params.is_some() {
            if self.peek(work, raw).is_none_or(|open| *open.text != *b"(") {
                return Ok(None);
            }
            let found = self.arguments(work, raw)?.0;
            args = fitted(found, filled).ok_or(GivenUp)?;
        }
        let hide = with_name(token.hide.clone(), &token.text);
        let tokens = self.substitute(filled, &args, &hide, depth)?;
        let tokens = self.run(tokens.into_iter().rev().collect(), None, depth + 1)?;
        let guarded = guarded_branches(&tokens);
        if guarded.is_none() {
            (self.next, *work) = (pulled, before);
        }
        Ok(guarded)
    }

    fn begin(&mut self, index: usize, line: u32, only: Option<&'a Definition>) -> Outcome<'a> {
        let first = self.tokens[index];
        (self.next, self.at, self.line, self.steps) = (index + 1, first.start, line, 0);
        self.only = only.map(|definition| (first.text(self.text), definition));
        if self.budget == 0 {
            return Outcome::Opaque;
        }
        let result = self.run(vec![self.raw(first)], Some(()), 0);
        self.budget = self.budget.saturating_sub(self.steps);
        match result {
            Ok(tokens) => Outcome::Expanded {
                tokens,
                next: self.next,
            },
            Err(GivenUp) => Outcome::Opaque,
        }
    }

    /// The definition in force for `name`, if there is just one.
    fn definition(&self, name: &[u8]) -> Option<&'a Definition> {
        match (self.only, self.visible.meaning(name, self.at)) {
            (Some((only, definition)), _) if only == name => Some(definition),
            (_, Meaning::One(definition)) => Some(definition),
            _ => None,
        }
    }

    fn raw(&self, token: Token) -> PpToken<'a> {
        PpToken::raw(token, self.text)
    }

    fn call_follows(&self, index: usize) -> bool {
        let next = self.tokens.get(index + 1);
        next.is_some_and(|t| t.text(self.text) == b"(")
    }

    /// Expands `work`, a stack whose top is the next token. With `raw`, an invocation may run on into the raw tokens.
    fn run(
        &mut self,
        mut work: Vec<PpToken<'a>>,
        raw: Option<()>,
        depth: usize,
    ) -> Result<Vec<PpToken<'a>>, GivenUp> {
        if depth > DEPTH_LIMIT {
            return Err(GivenUp);
        }
        let mut out = Vec::new();
        while let Some(token) = work.pop() {
            self.steps += 1;
            if self.steps > STEP_LIMIT {
                return Err(GivenUp);
            }
            if token.kind != TokenKind::Ident || token.is_hidden() {
                out.push(token);
                continue;
            }
            let Some(definition) = self.definition(&token.text) else {
                let begins = out.last().is_some_and(|t: &PpToken| {
                    t.kind == TokenKind::Directive || matches!(&*t.text, b";" | b"{" | b"}")
                });
                match self.choice(&token, &mut work, raw, depth, begins)? {
                    Some(tokens) => out.extend(tokens),
                    None => out.push(self.predefined(token)),
                }
                continue;
            };
            if definition.params.is_none() {
                let hide = with_name(token.hide.clone(), &token.text);
                push_back(&mut work, self.substitute(definition, &[], &hide, depth)?);
                continue;
            }
            let pulled = self.next;
            match self.peek(&work, raw) {
                Some(open) if *open.text == *b"(" => {}
                _ => {
                    out.push(token);
                    continue;
                }
            }
            let (args, close) = self.arguments(&mut work, raw)?;
            let Some(args) = fitted(args, definition) else {
                self.next = pulled;
                return Err(GivenUp);
            };
            let hide = with_name(intersection(&token.hide, &close), &token.text);
            push_back(&mut work, self.substitute(definition, &args, &hide, depth)?);
        }
        Ok(out)
    }

    fn predefined(&self, mut token: PpToken<'a>) -> PpToken<'a> {
        match &*token.text {
            b"__LINE__" => {
                token.kind = TokenKind::Number;
                token.text = Cow::Owned(self.line.to_string().into_bytes());
            }
            b"__FILE__" => {
                token.kind = TokenKind::Str;
                token.text = Cow::Borrowed(b"\"\"");
            }
            _ => {}
        }
        token
    }

    fn peek(&self, work: &[PpToken<'a>], raw: Option<()>) -> Option<PpToken<'a>> {
        match (work.last(), raw) {
            (Some(token), _) => Some(token.clone()),
            (None, Some(())) => self.tokens.get(self.next).map(|t| self.raw(*t)),
            (None, None) => None,
        }
    }

    fn pull(&mut self, work: &mut Vec<PpToken<'a>>, raw: Option<()>) -> Option<PpToken<'a>> {
        let token = self.peek(work, raw)?;
        if work.pop().is_none() {
            self.next += 1;
        }
        Some(token)
    }

    /// The arguments of an invocation whose `(` is next, and the hide set of its `)`.
    fn arguments(
        &mut self,
        work: &mut Vec<PpToken<'a>>,
        raw: Option<()>,
    ) -> Result<(Vec<Vec<PpToken<'a>>>, Hide), GivenUp> {
        self.pull(work, raw);
        let mut args = vec![Vec::new()];
        let mut depth = 0;
        loop {
            self.steps += 1;
            // A directive among the arguments is undefined behaviour, and compilers differ.
            let token = self.pull(work, raw).filter(|t| t.kind != TokenKind::Directive);
            let token = token.filter(|_| self.steps <= STEP_LIMIT).ok_or(GivenUp)?;
            match &*token.text {
                b")" if depth == 0 => return Ok((args, token.hide)),
                b"," if depth == 0 => {
                    args.push(Vec::new());
                    continue;
                }
                b"(" => depth += 1,
                b")" => depth -= 1,
                _ => {}
            }
            if let Some(arg) = args.last_mut() {
                arg.push(token);
            }
        }
    }

    /// The replacement list of `definition` with `args` put in, every token hidden from `hide`.
    fn substitute(
        &mut self,
        definition: &'a Definition,
        args: &[Vec<PpToken<'a>>],
        hide: &Hide,
        depth: usize,
    ) -> Result<Vec<PpToken<'a>>, GivenUp> {
        let body = &definition.body;
        let param = |token: &BodyToken| {
            let params = definition
                .params
                .as_ref()
                .filter(|_| token.kind == TokenKind::Ident)?;
            params.names.iter().position(|name| *name == token.text)
        };
        let is_paste = |at: usize| body.get(at).is_some_and(|t| *t.text == *b"##");
        let mut out: Vec<PpToken<'a>> = Vec::new();
        // Whether the left operand of a coming `##` has any token.
        let mut left = false;
        let mut at = 0;
        while at < body.len() {
            let token = &body[at];
            if *token.text == *b"__VA_OPT__" {
                return Err(GivenUp);
            }
            let index = param(token);
            let pasted = at > 0 && is_paste(at - 1);
            let operand = if *token.text == *b"#" && body.get(at + 1).and_then(param).is_some() {
                at += 1;
                vec![plain(TokenKind::Str, b"\"\"")]
            } else if is_paste(at) && at > 0 && at + 1 < body.len() {
                at += 1;
                continue;
            } else if let Some(index) = index {
                let arg = args.get(index).cloned().unwrap_or_default();
                if pasted || is_paste(at + 1) {
                    arg
                } else {
                    self.run(arg.into_iter().rev().collect(), None, depth + 1)?
                }
            } else {
                vec![plain(token.kind, &token.text)]
            };
            let some = !operand.is_empty();
            let variadic = definition
                .params
                .as_ref()
                .is_some_and(|p| p.variadic && index == Some(p.names.len() - 1));
            if pasted && variadic && out.last().is_some_and(|t| *t.text == *b",") {
                // GNU: `, ## __VA_ARGS__` drops the comma when there are no further arguments.
                if !some {
                    out.pop();
                }
                out.extend(operand);
            } else if pasted && left {
                paste(&mut out, operand)?;
            } else {
                out.extend(operand);
            }
            left = some || (pasted && left);
            at += 1;
            self.steps += 1;
            if self.steps + out.len() > STEP_LIMIT {
                return Err(GivenUp);
            }
        }
        for token in &mut out {
            token.hide = union(token.hide.take(), hide);
        }
        Ok(out)
    }
}

fn plain<'a>(kind: TokenKind, text: &'a [u8]) -> PpToken<'a> {
    PpToken {
        kind,
        text: Cow::Borrowed(text),
        hide: None,
    }
}

fn push_back<'a>(work: &mut Vec<PpToken<'a>>, tokens: Vec<PpToken<'a>>) {
    work.extend(tokens.into_iter().rev());
}

/// The arguments as the parameters of `definition` take them; `None` when there are too many or too few.
fn fitted<'a>(mut args: Vec<Vec<PpToken<'a>>>, definition: &Definition) -> Option<Vec<Vec<PpToken<'a>>>> {
    let params = definition.params.as_ref()?;
    if args.len() == 1 && args[0].is_empty() && params.names.is_empty() {
        args.clear();
    }
    if params.variadic {
        join_rest(&mut args, params.names.len());
    }
    (args.len() == params.names.len()).then_some(args)
}

/// Whether `tokens` can be an operand.
fn is_expression(tokens: &[PpToken<'_>]) -> bool {
    let mut depth = 0_i64;
    for token in tokens {
        match &*token.text {
            b"(" | b"[" => depth += 1,
            b")" | b"]" => depth -= 1,
            b";" | b"{" | b"}" => return false,
            _ if token.kind == TokenKind::Directive => return false,
            word if token.kind == TokenKind::Ident && is_control(word) => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    let begins = tokens
        .first()
        .is_some_and(|t| declaration_word(&t.text).is_none());
    depth == 0 && begins
}

/// Whether every bracket among `tokens` has its partner there.
pub fn are_balanced(tokens: &[PpToken<'_>]) -> bool {
    let mut open = Vec::new();
    for token in tokens {
        match &*token.text {
            text @ (b"(" | b"[" | b"{") => open.push(text[0]),
            text @ (b")" | b"]" | b"}") => {
                let matching = matches!(
                    (open.pop(), text),
                    (Some(b'('), b")") | (Some(b'['), b"]") | (Some(b'{'), b"}")
                );
                if !matching {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty()
}

/// Whether `tokens` and a semicolon are whole statements: `do { … } while (0)`, `f(x)`, or nothing.
fn is_statement(tokens: &[PpToken<'_>]) -> bool {
    let first = tokens.first().map_or(&b""[..], |t| &*t.text);
    // Anything else that ends in a parenthesis may want a body, and a declaration is for what follows.
    are_balanced(tokens) && (first == b"do" || !(is_control(first) || declaration_word(first).is_some()))
}

/// A conditional group with `arms`, each a statement without its semicolon. The semicolon that follows is one more.
fn group_of<'a>(arms: Vec<Vec<PpToken<'a>>>) -> Vec<PpToken<'a>> {
    let mut result = Vec::new();
    let count = arms.len();
    for (index, arm) in arms.into_iter().enumerate() {
        let directive: &[u8] = match index {
            0 => b"\n#if 1\n",
            _ if index + 1 == count => b"\n#else\n",
            _ => b"\n#elif 1\n",
        };
        result.push(plain(TokenKind::Directive, directive));
        result.extend(arm);
        result.push(plain(TokenKind::Punct, b";"));
    }
    result.push(plain(TokenKind::Directive, b"\n#endif\n"));
    result
}

/// `} else if (c) { s` with `(BUILD_CHOICE && (c))` for each condition of its branches; `None` when `tokens` are something else.
fn guarded_branches<'a>(tokens: &[PpToken<'a>]) -> Option<Vec<PpToken<'a>>> {
    let text = |at: usize| tokens.get(at).map_or(&b""[..], |t| &*t.text);
    let closing = |open: usize| {
        let ends = |end: &usize| text(*end) != text(open) && are_balanced(&tokens[open..=*end]);
        (open + 1..tokens.len()).find(ends)
    };
    if tokens.len() > BRANCHES_LIMIT {
        return None;
    }
    let punct = |text: &'static [u8]| plain(TokenKind::Punct, text);
    let mut result = vec![tokens.first().filter(|t| *t.text == *b"}")?.clone()];
    let mut at = 1;
    loop {
        if (text(at), text(at + 1), text(at + 2)) != (b"else", b"if", b"(") {
            return None;
        }
        let close = closing(at + 2)?;
        result.extend(tokens[at..at + 3].iter().cloned());
        result.extend([plain(TokenKind::Ident, BUILD_CHOICE), punct(b"&&"), punct(b"(")]);
        result.extend(tokens[at + 3..close].iter().cloned());
        result.extend([punct(b")"), punct(b")")]);
        let open = close + 1;
        if text(open) != b"{" {
            return None;
        }
        let Some(end) = closing(open) else {
            // The last block is closed by what follows.
            let rest = &tokens[open..];
            let whole = are_balanced(&rest[1..]) && !rest.iter().any(|t| t.kind == TokenKind::Directive);
            result.extend(rest.iter().cloned());
            return whole.then_some(result);
        };
        result.extend(tokens[open..=end].iter().cloned());
        at = end + 1;
    }
}

/// `(BUILD_CHOICE ? (one) : (BUILD_CHOICE ? (two) : (three)))`.
fn one_of<'a>(operands: Vec<Vec<PpToken<'a>>>) -> Vec<PpToken<'a>> {
    let punct = |text: &'static [u8]| plain(TokenKind::Punct, text);
    let mut result: Vec<PpToken<'a>> = Vec::new();
    for operand in operands.into_iter().rev() {
        let mut operand = [vec![punct(b"(")], operand, vec![punct(b")")]].concat();
        if !result.is_empty() {
            let head = vec![punct(b"("), plain(TokenKind::Ident, BUILD_CHOICE), punct(b"?")];
            operand = [head, operand, vec![punct(b":")], result, vec![punct(b")")]].concat();
        }
        result = operand;
    }
    result
}

/// Makes one argument of all from the last parameter on, commas included; an empty one where it was left out.
fn join_rest(args: &mut Vec<Vec<PpToken<'_>>>, params: usize) {
    if args.len() + 1 == params {
        args.push(Vec::new());
    }
    while args.len() > params.max(1) {
        let last = args.pop().unwrap_or_default();
        if let Some(rest) = args.last_mut() {
            rest.push(plain(TokenKind::Punct, b","));
            rest.extend(last);
        }
    }
}

/// `##`: glues the last token of `out` to the first of `right`.
fn paste<'a>(out: &mut Vec<PpToken<'a>>, right: Vec<PpToken<'a>>) -> Result<(), GivenUp> {
    let mut right = right.into_iter();
    if let (Some(second), Some(first)) = (right.next(), out.last_mut()) {
        let text = [&*first.text, &*second.text].concat();
        match lex(&text).as_slice() {
            [token] if token.end as usize == text.len() && token.start == 0 => first.kind = token.kind,
            _ => return Err(GivenUp),
        }
        first.text = Cow::Owned(text);
        first.hide = intersection(&first.hide, &second.hide);
    }
    out.extend(right);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::read_facts;
    use crate::macros::Macros;

    /// Expands every macro of `text`, which follows its own definitions.
    fn expanded(text: &str) -> String {
        let text = text.as_bytes();
        let (tokens, macros) = (lex(text), Macros::default());
        let facts = read_facts(text, &tokens, crate::language::Language::C);
        let visible = Visible::new("t.c", &facts, &macros);
        let mut expander = Expander::new(text, &tokens, &visible);
        let (mut out, mut at) = (Vec::new(), 0);
        while at < tokens.len() {
            let token = tokens[at];
            at += 1;
            if token.kind == TokenKind::Directive {
                continue;
            }
            match expander.expand(at - 1, 1) {
                Outcome::Expanded { tokens, next } => {
                    out.extend(
                        tokens
                            .iter()
                            .map(|t| String::from_utf8_lossy(&t.text).into_owned()),
                    );
                    at = next;
                }
                Outcome::Plain => out.push(String::from_utf8_lossy(token.text(text)).into_owned()),
                Outcome::Opaque => out.push(format!("<{}>", String::from_utf8_lossy(token.text(text)))),
            }
        }
        out.join(" ")
    }

    #[test]
    fn arguments_nesting_and_self_reference() {
        assert_eq!(expanded("#define N 4\n#define M (N+1)\nM N"), "( 4 + 1 ) 4");
        assert_eq!(
            expanded("#define F(x) g(x,F)\nF(F(1)) F"),
            "g ( g ( 1 , F ) , F ) F"
        );
        assert_eq!(expanded("#define x x + 1\nx"), "x + 1");
        assert_eq!(expanded("#define A B\n#define B A\nA"), "A");
        assert_eq!(expanded("#define F(a) a\n#define G F\nG(2) G"), "2 F");
        assert_eq!(expanded("#define E() z\nE() E"), "z E");
        assert_eq!(expanded("#define F(a,b) b\nF((1,2),3)\nF(1)"), "3 <F> ( 1 )");
    }

    #[test]
    fn pasting_strings_and_variadics() {
        assert_eq!(expanded("#define C(a,b) a##b\nC(x,1) C(,y) C(z,)"), "x1 y z");
        assert_eq!(expanded("#define C(a,b) a##b\nC(+,/)"), "<C> ( + , / )");
        assert_eq!(
            expanded("#define N 1\n#define S(a) f(#a, a)\nS(N)"),
            "f ( \"\" , 1 )"
        );
        assert_eq!(
            expanded("#define P(f, ...) q(f, ##__VA_ARGS__)\nP(1) P(1,2,3)"),
            "q ( 1 ) q ( 1 , 2 , 3 )"
        );
        assert_eq!(expanded("#define P(r...) q(r)\nP() P(1,2)"), "q ( ) q ( 1 , 2 )");
    }

    #[test]
    fn gives_up_on_explosions_and_directives() {
        let mut text = String::from("#define A0 1\n");
        for i in 0..30 {
            text += &format!("#define A{} A{i} A{i}\n", i + 1);
        }
        assert_eq!(expanded(&(text + "A30")), "<A30>");
        assert_eq!(expanded("#define F(a) a\nF(1\n#pragma x\n)"), "<F> ( 1 )");
    }
}
