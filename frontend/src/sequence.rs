//! Which functions a macro calls, where it stays unexpanded, and that it does so after it has its arguments.
//!
//! A macro that is left as it is may call anything, before or after its arguments, and these as often as it likes: a task in a call
//! among the arguments is then at no certain place. Of a macro like `#define CHECK(...) do { int e = __VA_ARGS__; if (e) fail(e); } while (0)`
//! more can be said: the argument is evaluated once at most, a statement ends before anything is called, and what is called is `fail`. So a
//! task in any other function is in the argument's call.
//!
//! All definitions that a name may have must be so, with the macros in them. What is not plainly so is left unknown.

use crate::directive::{BodyToken, Definition};
use crate::lower::is_library_type;
use crate::macros::Visible;
use crate::shape::is_keyword;
use crate::token::TokenKind;
use base::looks_like_macro;
use library::symbols::{calls_nothing, is_builtin};
use std::collections::BTreeSet;

/// Tokens that are looked at for one macro.
const STEP_LIMIT: usize = 4_000;
/// Macros nested deeper than this are not looked into.
const DEPTH_LIMIT: usize = 12;

/// Who knows what a name may mean.
pub trait Meanings<'m> {
    /// The definitions that `name` may have at `offset` of the text; `None` when there may be others, too.
    fn definitions(&self, name: &[u8], offset: u32) -> Option<Vec<&'m Definition>>;
    /// Whether the definitions of `name` are other ones at other places of the text.
    fn have_an_order(&self, name: &[u8]) -> bool;
    /// Whether a function of this name is declared or defined.
    fn is_function(&self, name: &[u8]) -> bool;
}

impl<'m> Meanings<'m> for Visible<'m> {
    fn definitions(&self, name: &[u8], offset: u32) -> Option<Vec<&'m Definition>> {
        Some(Visible::definitions(self, name, offset))
    }
    fn have_an_order(&self, name: &[u8]) -> bool {
        self.is_own(name)
    }
    fn is_function(&self, name: &[u8]) -> bool {
        Visible::is_function(self, name)
    }
}

/// The functions that the macro `name`, called with arguments at `offset`, may call once it has its arguments; `None` when that is not
/// known, or it may call something before.
pub fn called_after_arguments(
    name: &[u8],
    offset: u32,
    visible: &Visible<'_>,
) -> Option<BTreeSet<Box<[u8]>>> {
    // Before the answer is looked up: definitions of the file itself have an order.
    if visible.is_own(name) {
        return None;
    }
    if let Some(known) = visible.called.borrow().get(name) {
        return known.clone();
    }
    let placed = visible.placed();
    let found = called_after_arguments_by(visible, name, offset);
    if visible.placed() == placed {
        visible.called.borrow_mut().insert(name.into(), found.clone());
    }
    found
}

/// The same by what `meanings` knows.
pub fn called_after_arguments_by<'m>(
    meanings: &impl Meanings<'m>,
    name: &[u8],
    offset: u32,
) -> Option<BTreeSet<Box<[u8]>>> {
    if meanings.have_an_order(name) {
        return None;
    }
    let definitions = meanings.definitions(name, offset)?;
    // Where none is in force it is a function.
    let mut all = BTreeSet::from([Box::from(name)]);
    for definition in &definitions {
        if definition.params.is_none() && !is_closed(definition) {
            return None;
        }
        let mut scan = Scan {
            meanings,
            offset,
            calls: BTreeSet::new(),
            open: false,
            steps: 0,
            within: vec![name],
        };
        scan.body(definition, true).ok()?;
        // Written without parameters, it may have come before an argument all the same: `M (x)`.
        if definition.params.is_none() && !scan.calls.is_empty() {
            return None;
        }
        all.append(&mut scan.calls);
    }
    (!definitions.is_empty()).then_some(all)
}

/// The functions that the macro `name` may call at all, before its arguments or after them, by what `meanings` knows; `None` when that is
/// not known.
pub fn called_at_all_by<'m>(meanings: &impl Meanings<'m>, name: &[u8]) -> Option<BTreeSet<Box<[u8]>>> {
    let mut all = BTreeSet::from([Box::from(name)]);
    // The macros within, and whether a bracket follows.
    let mut within: BTreeSet<(&[u8], bool)> = BTreeSet::new();
    let own = meanings.definitions(name, 0)?;
    let mut work = Vec::from_iter(own.into_iter().map(|definition| (definition, true)));
    let mut steps = 0;
    if work.is_empty() {
        return None;
    }
    while let Some((definition, bracket)) = work.pop() {
        let body = &definition.body;
        let text = |at: usize| body.get(at).map_or(&b""[..], |token| &*token.text);
        let is_param = |name: &[u8]| {
            let params = definition.params.as_ref();
            params.is_some_and(|params| params.names.iter().any(|param| **param == *name))
        };
        // Without parameters of its own, the bracket is behind what it ends with: `#define M fail` and `M(x)`.
        let is_open = bracket && definition.params.is_none();
        let last = body.len().checked_sub(1).filter(|_| is_open);
        if last.is_some_and(|last| matches!(text(last), b")" | b"]")) {
            return None;
        }
        for (at, token) in body.iter().enumerate() {
            steps += 1;
            if steps > STEP_LIMIT || token.kind == TokenKind::Directive {
                return None;
            }
            let called = text(at + 1) == b"(" || last == Some(at);
            let before = at.checked_sub(1).map_or(&b""[..], text);
            match &*token.text {
                b"##" => return None,
                b"(" if may_call_value(body, at) => return None,
                b"asm" | b"__asm__" => return None,
                _ if token.kind != TokenKind::Ident || before == b"#" || is_keyword(&token.text) => {}
                name if is_param(name) || matches!(before, b"->" | b".") => {
                    if called {
                        return None;
                    }
                }
                name => {
                    let definitions = meanings.definitions(name, 0)?;
                    let is_macro = !definitions.is_empty();
                    if is_macro && within.insert((name, called)) {
                        work.extend(definitions.into_iter().map(|definition| (definition, called)));
                    }
                    if !called || is_macro && !meanings.is_function(name) {
                        continue;
                    }
                    let text = std::str::from_utf8(name).ok()?;
                    if !is_macro && looks_like_macro(name) {
                        return None;
                    }
                    if !calls_nothing(text) {
                        all.insert(name.into());
                    }
                }
            }
        }
    }
    Some(all)
}

/// It is not known in which order a macro makes its calls.
struct NoOrder;

struct Scan<'v, M> {
    meanings: &'v M,
    offset: u32,
    calls: BTreeSet<Box<[u8]>>,
    /// An argument stands in the statement at hand.
    open: bool,
    steps: usize,
    /// The macros whose replacement lists are being read.
    within: Vec<&'v [u8]>,
}

impl<'a: 'v, 'v, M: Meanings<'a>> Scan<'v, M> {
    /// Reads a replacement list; `outer` when its parameters are the arguments in question.
    fn body(&mut self, definition: &'a Definition, outer: bool) -> Result<(), NoOrder> {
        let body = &definition.body;
        let text = |at: usize| body.get(at).map_or(&b""[..], |token| &*token.text);
        let params = definition.params.as_ref().map_or(&[][..], |params| &params.names);
        let param = |token: &BodyToken| params.iter().position(|name| *name == token.text);
        let mut used = BTreeSet::new();
        for (at, token) in body.iter().enumerate() {
            self.steps += 1;
            if self.steps > STEP_LIMIT || token.kind == TokenKind::Directive {
                return Err(NoOrder);
            }
            let called = text(at + 1) == b"(";
            let before = at.checked_sub(1).map_or(&b""[..], text);
            match &*token.text {
                b"##" => return Err(NoOrder),
                b";" => self.open = false,
                b"(" if may_call_value(body, at) => return Err(NoOrder),
                b"while" if (text(at + 1), text(at + 2), text(at + 3)) == (b"(", b"0", b")") => {}
                b"for" | b"while" | b"goto" | b"switch" | b"case" | b"default" | b"break" | b"continue"
                | b"asm" | b"__asm__" => return Err(NoOrder),
                _ if token.kind != TokenKind::Ident || before == b"#" || is_keyword(&token.text) => {}
                _ if param(token).is_some() => {
                    if called {
                        return Err(NoOrder);
                    }
                    // A parameter of a macro within is not looked at: what is given to it is.
                    if outer {
                        if !used.insert(param(token)) || !self.calls.is_empty() {
                            return Err(NoOrder);
                        }
                        self.open = true;
                    }
                }
                name => {
                    let given = if called { arguments(body, at + 1) } else { &[] };
                    self.name(name, called)?;
                    // What a macro within makes of an argument is not known.
                    let handed = given.iter().any(|token| param(token).is_some());
                    if outer
                        && handed
                        && !self
                            .meanings
                            .definitions(name, self.offset)
                            .ok_or(NoOrder)?
                            .is_empty()
                    {
                        return Err(NoOrder);
                    }
                }
            }
        }
        Ok(())
    }

    /// Looks into what `name` stands for.
    fn name(&mut self, name: &'a [u8], called: bool) -> Result<(), NoOrder> {
        let definitions = self.meanings.definitions(name, self.offset).ok_or(NoOrder)?;
        if definitions.is_empty() || self.within.contains(&name) {
            return if called { self.call(name) } else { Ok(()) };
        }
        if self.within.len() > DEPTH_LIMIT || self.meanings.have_an_order(name) {
            return Err(NoOrder);
        }
        self.within.push(name);
        for definition in definitions {
            match (&definition.params, called) {
                // Its replacement list and the parentheses may make a call of something.
                (None, true) => return Err(NoOrder),
                (Some(_), false) => {}
                _ => self.body(definition, false)?,
            }
        }
        self.within.pop();
        // Where no definition is in force it is a function.
        if called && self.meanings.is_function(name) {
            self.call(name)?;
        }
        Ok(())
    }

    fn call(&mut self, name: &[u8]) -> Result<(), NoOrder> {
        let text = std::str::from_utf8(name).map_err(|_| NoOrder)?;
        if calls_nothing(text) {
            return Ok(());
        }
        let known = self.meanings.is_function(name) || base::is_mpi(text) || is_builtin(text);
        if self.open || !known || looks_like_macro(name) {
            return Err(NoOrder);
        }
        self.calls.insert(name.into());
        Ok(())
    }
}

/// Whether the bracket at `open` may call what the one in front of it, or an index, gives: a pointer, and not a cast.
fn may_call_value(body: &[BodyToken], open: usize) -> bool {
    let Some(close) = open.checked_sub(1) else {
        return false;
    };
    match &*body[close].text {
        b"]" => true,
        b")" => {
            let words = body[..close]
                .iter()
                .rev()
                .map(|token| &*token.text)
                .take_while(|word| *word != b"(");
            let words: Vec<&[u8]> = words.collect();
            // With a type's own word in it, or a star at the end, the brackets hold a type: `(const char *)(x)`, `(size_t)(x)`, `(type *)(x)`.
            let is_pointer = words.first() == Some(&&b"*"[..]);
            let is_type = |word: &[u8]| {
                is_library_type(word)
                    || matches!(
                        word,
                        b"char"
                            | b"short"
                            | b"int"
                            | b"long"
                            | b"float"
                            | b"double"
                            | b"void"
                            | b"const"
                            | b"signed"
                            | b"unsigned"
                            | b"struct"
                    )
            };
            let is_name = |word: &[u8]| {
                word == b"*"
                    || word
                        .iter()
                        .all(|&byte| byte == b'_' || byte.is_ascii_alphanumeric())
            };
            let is_cast = is_pointer || words.iter().any(|word| is_type(word));
            !words.iter().all(|word| is_name(word)) || !is_cast
        }
        _ => false,
    }
}

/// Whether a bracket behind the replacement list calls nothing that this ends with.
fn is_closed(definition: &Definition) -> bool {
    let last = definition.body.last();
    last.is_none_or(|last| matches!(&*last.text, b";" | b"}") || last.kind == TokenKind::Number)
}

/// The tokens between the bracket at `open` and its partner.
fn arguments(body: &[BodyToken], open: usize) -> &[BodyToken] {
    let mut depth = 0_usize;
    for (at, token) in body.iter().enumerate().skip(open) {
        match &*token.text {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return &body[open + 1..at];
        }
    }
    &body[open..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::read_facts;
    use crate::macros::Macros;
    use crate::token::lex;
    use crate::{Source, parse};
    use base::Language;

    /// What `M(x)` calls after it has its argument, by the text of a header.
    fn of(header: &str) -> Option<String> {
        let header = format!("int fail(int); int enter(void);\n{header}");
        let source = |path, text: &'static str| Source {
            path,
            text: text.as_bytes(),
        };
        let user = "#include \"m.h\"\nvoid f(void) { M(g(1)); }\n";
        let header = Source {
            path: "m.h",
            text: header.as_bytes(),
        };
        let macros = Macros::gather([header, source("a.c", user)]);
        let facts = read_facts(user.as_bytes(), &lex(user.as_bytes()), Language::C);
        let visible = Visible::new("a.c", &facts, &macros);
        let found = called_after_arguments(b"M", 30, &visible)?;
        let _ = parse(&source("a.c", user), &macros);
        let names = found
            .iter()
            .map(|name| String::from_utf8_lossy(name).into_owned());
        Some(Vec::from_iter(names).join(" "))
    }

    #[test]
    fn checks_of_a_call_are_known() {
        let one = "#define M(...) do { int e = __VA_ARGS__; if (LIKELY(e)) return fail(e); } while (0)\n\
                   #define LIKELY(x) (__builtin_expect(!!(x), 1))\n";
        assert_eq!(of(one).as_deref(), Some("M fail"));
        let hint = "#ifdef A\n#define M(x) __builtin_expect(!!(x), 0)\n#else\n#define M(x) (x)\n#endif\n";
        assert_eq!(of(hint).as_deref(), Some("M"));
        assert_eq!(of("#define M(x) (x)\n").as_deref(), Some("M"));
        assert_eq!(of("#define M(x) ((const char *)(x))\n").as_deref(), Some("M"));
        assert_eq!(of("#define M(x) ((size_t)(x))\n").as_deref(), Some("M"));
        assert_eq!(of("#define M(t, x) ((t *)(x))\n").as_deref(), Some("M"));
        assert_eq!(of("#define M(t, x) ((t)(x))\n"), None);
        let line =
            "#ifdef A\n#define M if (depth > 0) { lines[depth - 1] = __LINE__; }\n#else\n#define M\n#endif\n";
        assert_eq!(of(line).as_deref(), Some("M"));
        let two = "#ifdef A\n#define M(x) e = x; fail(1)\n#else\n#define M(x) do { x; enter(); } while (0)\n#endif\n";
        assert_eq!(of(two).as_deref(), Some("M enter fail"));
    }

    #[test]
    fn whatever_may_call_before_or_again_is_not() {
        for body in [
            "do { enter(); e = x; } while (0)",
            "do { x; x; } while (0)",
            "do { e = x + fail(1); } while (0)",
            "do { e = x; } while (e)",
            "for (;;) { x; }",
            "fail(x)",
            "twice(x)",
            "do { x; unknown(1); } while (0)",
            "do { x; (*enter)(); } while (0)",
            "do { x; table[1](); } while (0)",
            "do { x; (enter)(); } while (0)",
            "do { x; (*(int (*)(int))enter)(1); } while (0)",
            "do { x; FAIL(1); } while (0)",
            "do { x; fa##il(1); } while (0)",
            "x(1)",
        ] {
            let header = format!("#define M(x) {body}\n#define twice(x) ((x) + (x))\n");
            assert_eq!(of(&header), None, "{body}");
        }
        assert_eq!(of("#define M fail\n"), None);
        assert_eq!(of("#define M enter();\n"), None);
        let other = "#ifdef A\n#define M(x) x\n#else\n#define M(x) (enter(), x)\n#endif\n";
        assert_eq!(of(other), None);
    }

    #[test]
    fn whom_a_macro_may_call_at_all() {
        let of = |header: &str| {
            let header = format!("int fail(int); int enter(int);\n{header}");
            let source = |path, text| Source { path, text };
            let macros = Macros::gather([source("m.h", header.as_bytes())]);
            let facts = read_facts(b"", &[], Language::C);
            let facts = crate::facts::FileFacts {
                includes: ["m.h".to_owned()].into(),
                ..facts
            };
            let visible = Visible::new("a.c", &facts, &macros);
            let found = called_at_all_by(&visible, b"M")?;
            let names = found
                .iter()
                .map(|name| String::from_utf8_lossy(name).into_owned());
            Some(Vec::from_iter(names).join(" "))
        };
        for (header, expected) in [
            (
                "#define M(x) (enter(1), (x), fail((int)(x)))",
                Some("M enter fail"),
            ),
            ("#define M(x) for (;;) { x; fail(1); }", Some("M fail")),
            ("#define M fail", Some("M fail")),
            ("#define OTHER fail\n#define M(x) OTHER(x)", Some("M fail")),
            ("#define SELF WORLD\n#define M(x) enter(SELF, x)", Some("M enter")),
            ("#define OTHER table[1]\n#define M(x) OTHER(x)", None),
            ("#define OTHER (fail)\n#define M(x) OTHER(x)", None),
            ("#define PICK(a) fail\n#define M(x) PICK(1)(x)", None),
            ("#define DO(f, x) f(x)\n#define M(x) DO(fail, x)", None),
            ("#define M(x) (x)(1)", None),
        ] {
            assert_eq!(of(header).as_deref(), expected, "{header}");
        }
    }
}
