//! Macro expansion on tokens, as the C standard describes it (6.10.3): arguments are expanded before they are
//! substituted, `#` and `##` see them as written, the result is scanned again together with what follows, and a name
//! is never expanded within its own expansion. The last rule is kept by the hide sets of Prosser's algorithm.

mod choice;

pub use choice::BUILD_CHOICE;
use choice::{MacroPosition, is_in_plain_parens};

use crate::directive::{BodyToken, Definition};
use crate::hazard::{Hazard, hazard};
use crate::hide::{Hide, intersection, union, with_name};
use crate::macros::{Meaning, Visible};
use crate::token::{Token, TokenKind, closes, lex};
use std::borrow::Cow;
use std::rc::Rc;

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
    /// It was to be expanded, or made of such, and depends on the build: the other texts that it may have.
    others: Others,
}

impl<'a> PpToken<'a> {
    /// A token of the raw text.
    pub fn raw(token: Token, text: &'a [u8]) -> Self {
        Self {
            kind: token.kind,
            text: Cow::Borrowed(token.text(text)),
            hide: None,
            others: None,
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

/// What stands behind the tokens that are being expanded.
#[derive(Clone, Copy)]
enum Behind {
    /// The raw tokens, into which an invocation may run on.
    RawText,
    /// Nothing: an invocation ends with the tokens.
    Nothing,
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
    /// The definitions that are being tried of macros that have several, and their names.
    chosen: Vec<(Box<[u8]>, &'a Definition)>,
    /// The last expansion was given up because the name of a macro is put together of what depends on the build.
    undecided: bool,
    /// The invocation under way stands in a function.
    in_function: bool,
    /// A statement begins with the invocation under way.
    begins: bool,
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
            chosen: Vec::new(),
            undecided: false,
            in_function: false,
            begins: false,
            budget: 64 * tokens.len() + 1_000_000,
        }
    }

    /// Whether the last expansion was given up because it calls a macro whose name is put together of what depends on the build.
    pub fn is_undecided(&self) -> bool {
        self.undecided
    }

    /// Says whether what is expanded next stands in a function, and whether a statement begins with it.
    pub fn stand_at(&mut self, in_function: bool, begins: bool) {
        self.in_function = in_function;
        self.begins = begins;
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

    fn begin(&mut self, index: usize, line: u32, only: Option<&'a Definition>) -> Outcome<'a> {
        let first = self.tokens[index];
        (self.next, self.at, self.line, self.steps) = (index + 1, first.start, line, 0);
        self.chosen.clear();
        self.undecided = false;
        self.only = only.map(|definition| (first.text(self.text), definition));
        if self.budget == 0 {
            return Outcome::Opaque;
        }
        let result = self.run(vec![self.raw(first)], Behind::RawText, 0);
        self.budget = self.budget.saturating_sub(self.steps);
        match result {
            Ok(tokens) => Outcome::Expanded {
                tokens,
                next: self.next,
            },
            Err(GivenUp) => Outcome::Opaque,
        }
    }

    /// The definition in force for `token`, if there is just one.
    fn definition(&self, token: &PpToken<'a>) -> Option<&'a Definition> {
        let name = &*token.text;
        match (self.only, self.visible.meaning(name, self.at)) {
            (Some((only, definition)), _) if only == name => Some(definition),
            (_, Meaning::One(definition)) => Some(definition),
            (_, Meaning::Several(definitions)) => {
                let outer = token.hide.iter().flat_map(|names| names.iter());
                let mut outer = outer.filter_map(|outer| Some((&**outer, self.outer(outer)?)));
                outer.find_map(|(outer, of)| self.visible.in_force_within(name, &definitions, outer, of))
            }
            _ => None,
        }
    }

    /// The definition of a macro within whose expansion a token stands.
    fn outer(&self, name: &[u8]) -> Option<&'a Definition> {
        let chosen = self.chosen.iter().rev().find(|(chosen, _)| **chosen == *name);
        if let Some((_, definition)) = chosen {
            return Some(definition);
        }
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

    /// Expands `work`, a stack whose top is the next token. An invocation may run on into what is `behind` it.
    fn run(
        &mut self,
        mut work: Vec<PpToken<'a>>,
        behind: Behind,
        depth: usize,
    ) -> Result<Vec<PpToken<'a>>, GivenUp> {
        if depth > DEPTH_LIMIT {
            return Err(GivenUp);
        }
        let mut out: Vec<PpToken<'a>> = Vec::new();
        while let Some(token) = work.pop() {
            self.steps += 1;
            if self.steps > STEP_LIMIT {
                return Err(GivenUp);
            }
            if token.kind != TokenKind::Ident || token.is_hidden() {
                out.push(token);
                continue;
            }
            let Some(definition) = self.definition(&token) else {
                let begins = match out.last() {
                    None => self.begins && depth == 0,
                    Some(t) => t.kind == TokenKind::Directive || matches!(&*t.text, b";" | b"{" | b"}"),
                };
                let Meaning::Several(definitions) = self.visible.meaning(&token.text, self.at) else {
                    out.push(self.predefined(token));
                    continue;
                };
                if let Some(tokens) = self.assigned(&token, &definitions, &work, behind, depth)? {
                    out.extend(tokens);
                    continue;
                }
                let place = MacroPosition {
                    begins,
                    grouped: is_in_plain_parens(&out),
                };
                match self.choice(&token, &definitions, &mut work, behind, depth, place)? {
                    Some(tokens) => out.extend(tokens),
                    None => {
                        let others = others(&definitions);
                        out.push(PpToken { others, ..token });
                    }
                }
                continue;
            };
            if definition.params.is_none() {
                let hide = with_name(token.hide.clone(), &token.text);
                push_back(&mut work, self.substitute(definition, &[], &hide, depth)?);
                continue;
            }
            let pulled = self.next;
            match self.peek(&work, behind) {
                Some(open) if *open.text == *b"(" => {}
                _ => {
                    out.push(token);
                    continue;
                }
            }
            let (args, close) = self.arguments(&mut work, behind)?;
            let Some(args) = fitted(args, definition) else {
                self.next = pulled;
                return Err(GivenUp);
            };
            let hide = with_name(intersection(&token.hide, &close), &token.text);
            push_back(&mut work, self.substitute(definition, &args, &hide, depth)?);
        }
        Ok(out)
    }

    /// `##`: glues the last token of `out` to the first of `right`. A name that would be a macro's in some build is none to go on with.
    fn paste(&mut self, out: &mut Vec<PpToken<'a>>, right: Vec<PpToken<'a>>) -> Result<(), GivenUp> {
        let mut right = right.into_iter();
        if let (Some(second), Some(first)) = (right.next(), out.last_mut()) {
            let text = [&*first.text, &*second.text].concat();
            if first.others.is_some() || second.others.is_some() {
                let mut others: Vec<Box<[u8]>> = Vec::new();
                for left in texts(first) {
                    others.extend(texts(&second).map(|right| [left, right].concat().into()));
                }
                let acts = |name: &[u8]| {
                    let definitions = self.visible.definitions(name, self.at);
                    definitions
                        .iter()
                        .any(|definition| hazard(definition) != Hazard::None)
                };
                if others.len() <= OTHERS_LIMIT && others.iter().any(|name| acts(name)) {
                    self.undecided = true;
                    return Err(GivenUp);
                }
                first.others = (others.len() <= OTHERS_LIMIT).then(|| others.into());
            }
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

    fn peek(&self, work: &[PpToken<'a>], behind: Behind) -> Option<PpToken<'a>> {
        match (work.last(), behind) {
            (Some(token), _) => Some(token.clone()),
            (None, Behind::RawText) => self.tokens.get(self.next).map(|t| self.raw(*t)),
            (None, Behind::Nothing) => None,
        }
    }

    fn pull(&mut self, work: &mut Vec<PpToken<'a>>, behind: Behind) -> Option<PpToken<'a>> {
        let token = self.peek(work, behind)?;
        if work.pop().is_none() {
            self.next += 1;
        }
        Some(token)
    }

    /// The arguments of an invocation whose `(` is next, and the hide set of its `)`.
    fn arguments(
        &mut self,
        work: &mut Vec<PpToken<'a>>,
        behind: Behind,
    ) -> Result<(Vec<Vec<PpToken<'a>>>, Hide), GivenUp> {
        self.pull(work, behind);
        let mut args = vec![Vec::new()];
        let mut depth = 0;
        loop {
            self.steps += 1;
            // A directive among the arguments is undefined behaviour, and compilers differ.
            let token = self.pull(work, behind).filter(|t| t.kind != TokenKind::Directive);
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
                    self.run(arg.into_iter().rev().collect(), Behind::Nothing, depth + 1)?
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
                self.paste(&mut out, operand)?;
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
        others: None,
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

/// Whether every bracket among `tokens` has its partner there.
pub fn are_balanced(tokens: &[PpToken<'_>]) -> bool {
    let mut open = Vec::new();
    for token in tokens {
        match &*token.text {
            text @ (b"(" | b"[" | b"{") => open.push(text[0]),
            text @ (b")" | b"]" | b"}") if !closes(open.pop(), text) => return false,
            _ => {}
        }
    }
    open.is_empty()
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

/// All texts that `token` may have.
fn texts<'t>(token: &'t PpToken<'_>) -> impl Iterator<Item = &'t [u8]> {
    let others = token.others.iter().flat_map(|others| others.iter());
    std::iter::once(&*token.text).chain(others.map(|text| &**text))
}

/// The other texts of a token that depends on the build; none but its own for most.
type Others = Option<Rc<[Box<[u8]>]>>;

/// More texts than this are not told apart.
const OTHERS_LIMIT: usize = 16;

/// What a name may stand for that has these `definitions`, as far as it is one token.
fn others(definitions: &[&Definition]) -> Others {
    let single = definitions
        .iter()
        .filter_map(|definition| match definition.body.as_slice() {
            [only] => Some(only.text.clone()),
            _ => None,
        });
    let texts: Vec<Box<[u8]>> = single.collect();
    (!texts.is_empty()).then(|| texts.into())
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
        let facts = read_facts(text, &tokens, base::Language::C);
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
