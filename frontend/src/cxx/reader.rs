//! Reads declarations of C++.

use super::{Accessor, CxxFacts, Gives, References, bit};
use crate::token::{Token, TokenKind};
use base::looks_like_macro;

/// What an open brace is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A namespace or `extern "C"`.
    Namespace,
    /// `namespace std`, to which programs add functions for their own classes.
    Standard,
    /// A class, structure or union.
    Class,
    /// Anything else: its tokens declare nothing for others.
    Other,
}

pub(super) struct Reader<'t> {
    text: &'t [u8],
    pub(super) facts: CxxFacts,
    open: Vec<Open>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            facts: CxxFacts::default(),
            open: Vec::new(),
        }
    }

    fn word(&self, token: Token) -> &'t [u8] {
        token.text(self.text)
    }

    pub(super) fn read(&mut self, code: &[Token]) {
        // The tokens of the declaration at hand.
        let mut head: Vec<Token> = Vec::new();
        for (at, token) in code.iter().enumerate() {
            let word = self.word(*token);
            let inside_other = self.open.last() == Some(&Open::Other);
            match word {
                b"{" => {
                    let open = if inside_other {
                        Open::Other
                    } else {
                        self.head(&head, code.get(at + 1..).unwrap_or_default())
                    };
                    self.open.push(open);
                    if open != Open::Other {
                        head.clear();
                    }
                }
                b"}" => {
                    let closed = self.open.pop();
                    let outer = self.open.last() != Some(&Open::Other);
                    // `int a{1}, b;` goes on behind its brace; a function does not.
                    if outer && (closed != Some(Open::Other) || head.iter().any(|t| self.word(*t) == b"(")) {
                        head.clear();
                    }
                }
                _ if inside_other => {}
                b";" => {
                    self.declaration(&head);
                    head.clear();
                }
                b":" if head.len() == 1
                    && matches!(self.word(head[0]), b"public" | b"private" | b"protected") =>
                {
                    head.clear();
                }
                _ => head.push(*token),
            }
        }
    }

    /// What the brace opens that follows `head`; notes the function or class that it begins. `body` stands behind the brace.
    fn head(&mut self, head: &[Token], body: &[Token]) -> Open {
        let head = without_template(head, |token| token.text(self.text));
        let word = |t: &Token| t.text(self.text);
        if head.iter().any(|t| word(t) == b"namespace") && head.last().is_some_and(|t| word(t) == b"std") {
            return Open::Standard;
        }
        if head.iter().any(|t| word(t) == b"namespace")
            || head.last().is_some_and(|t| t.kind == TokenKind::Str)
        {
            return Open::Namespace;
        }
        let key = head
            .iter()
            .position(|t| matches!(word(t), b"class" | b"struct" | b"union"));
        if let Some(key) = key
            && !head.iter().any(|t| word(t) == b"enum")
        {
            let rest = &head[key + 1..];
            if !rest.iter().any(|t| word(t) == b"(") {
                let names = rest
                    .iter()
                    .take_while(|t| !matches!(word(t), b":" | b"<" | b"final"));
                let name = names.filter(|t| t.kind == TokenKind::Ident).last();
                self.facts.classes.extend(name.map(|t| word(t).into()));
                return Open::Class;
            }
        }
        if head.iter().any(|t| word(t) == b"(") {
            self.functions(head, body);
        } else {
            self.variables(head);
        }
        Open::Other
    }

    /// What a function gives its callers: `head` stands before its brace, `body` behind it, and its name is at `name`.
    fn gives(&self, head: &[Token], name: usize, body: &[Token]) -> Gives {
        let words = |tokens: &[Token]| Vec::from_iter(tokens.iter().map(|t| self.word(*t)));
        let member = match &words(body.get(..6).unwrap_or(body))[..] {
            [b"return", member, b";", b"}", ..] => *member,
            [b"return", b"this", b"->", member, b";", b"}"] => *member,
            _ => return Gives::Other,
        };
        let [ty @ .., last] = &words(&head[..name])[..] else {
            return Gives::Other;
        };
        let is_word = |word: &&[u8]| {
            word.iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        // `T &`, or `T` and `const T &` for constant objects.
        let is_reference = *last == b"&";
        let mut ty = Vec::from_iter(ty.iter().copied());
        if !is_reference {
            ty.push(last);
        }
        ty.retain(|word| *word != b"inline");
        let is_fixed = ty.contains(&&b"const"[..]);
        ty.retain(|word| *word != b"const");
        let after = words(head.get(name + 1..).unwrap_or_default());
        let of_constant = match &after[..] {
            [b"(", b")"] | [b"(", b")", b"noexcept"] => false,
            [b"(", b")", b"const"] | [b"(", b")", b"const", b"noexcept"] => true,
            _ => return Gives::Other,
        };
        let is_plain = !ty.is_empty() && ty.iter().all(is_word) && !ty.contains(&&b"static"[..]);
        // What is changed in an object that is constant is another matter.
        let is_twin = is_fixed || !is_reference;
        if self.open.last() != Some(&Open::Class) || !is_plain || !is_word(&member) || of_constant && !is_twin
        {
            return Gives::Other;
        }
        Gives::Member(Box::new(Accessor {
            ty: ty.join(&b' ').into(),
            member: member.into(),
            changes: is_reference && !is_fixed,
        }))
    }

    /// Notes what a declaration that ends in `;` declares.
    fn declaration(&mut self, head: &[Token]) {
        let head = without_template(head, |token| token.text(self.text));
        let word = |t: &Token| t.text(self.text);
        let Some(first) = head.first().map(word) else {
            return;
        };
        // The standard library's number types are C's, in a namespace. Of another scope the last part alone would say too little.
        let words = |tokens: &[Token]| -> Option<Box<[u8]>> {
            let mut left = tokens;
            let mut words = Vec::new();
            while let [first, behind @ ..] = left {
                left = match behind {
                    [scope, behind @ ..] if word(first) == b"std" && word(scope) == b"::" => behind,
                    _ if first.kind == TokenKind::Ident || word(first) == b"*" => {
                        words.push(word(first));
                        behind
                    }
                    _ => return None,
                };
            }
            Some(words.join(&b' ').into())
        };
        match first {
            b"typedef" => {
                if let [_, ty @ .., name] = head
                    && name.kind == TokenKind::Ident
                    && let Some(ty) = words(ty)
                {
                    let all = self.facts.typedefs.entry(word(name).into()).or_default();
                    all.insert(ty);
                }
            }
            b"using" => {
                if let [_, name, equals, ty @ ..] = head
                    && word(equals) == b"="
                    && let Some(ty) = words(ty)
                {
                    let all = self.facts.typedefs.entry(word(name).into()).or_default();
                    all.insert(ty);
                }
            }
            b"friend" | b"static_assert" => {}
            _ if head.iter().any(|t| word(t) == b"(") => self.functions(head, &[]),
            _ => self.variables(head),
        }
    }

    /// Notes every name before a parenthesis that is not inside another; `body` is what stands behind the brace, if there is one.
    fn functions(&mut self, head: &[Token], body: &[Token]) {
        let word = |at: usize| head.get(at).map(|t| t.text(self.text)).unwrap_or_default();
        let is_virtual = (0..head.len()).any(|at| matches!(word(at), b"virtual" | b"override" | b"final"));
        let mut found: Vec<(Box<[u8]>, References)> = Vec::new();
        // What goes on behind a brace is a constructor's list of members: `: a{1}, b(2) {`.
        let mut at = if word(0) == b"," { head.len() } else { 0 };
        // Members that a constructor initialises are no functions, though a parenthesis follows them as well.
        while at < head.len() && !self.begins_initialisers(head, at) {
            let mut name: Vec<u8> = Vec::new();
            let name_at = at;
            if word(at) == b"operator" {
                // `operator()(int)`, `operator+(…)`, `operator double() const`.
                name.extend(b"operator");
                at += 1;
                if word(at) == b"(" && word(at + 1) == b")" {
                    name.extend(b"()");
                    at += 2;
                }
                while at < head.len() && word(at) != b"(" {
                    name.extend(word(at));
                    at += 1;
                }
            } else if head[at].kind == TokenKind::Ident
                && word(at + 1) == b"("
                && self.may_be_declared(head, at)
            {
                if at > 0 && word(at - 1) == b"~" {
                    name.push(b'~');
                }
                name.extend(word(at));
                at += 1;
            }
            if word(at) == b"(" {
                let close = closing(self.text, head, at);
                if !name.is_empty() {
                    let references = self.references(head.get(at + 1..close).unwrap_or_default());
                    let gives = self.gives(head, name_at, body);
                    found.push((name.into(), References { gives, ..references }));
                }
                at = close;
            }
            at += 1;
        }
        for (name, references) in found {
            if is_virtual {
                self.facts.virtuals.insert(name.clone());
            }
            if self.open.last() == Some(&Open::Standard) {
                self.facts.in_std.insert(name.clone());
            }
            self.facts.functions.entry(name).or_default().merge(references);
        }
    }

    /// Whether the members that a constructor initialises begin at `at`. Behind `public` and its like, declarations go on.
    fn begins_initialisers(&self, head: &[Token], at: usize) -> bool {
        let word = |at: usize| head[at].text(self.text);
        word(at) == b":" && at > 0 && matches!(word(at - 1), b")" | b"noexcept" | b"try")
    }

    /// Whether the name at `at`, which a parenthesis follows, may be that of a function. What no type stands before is a
    /// constructor, of a class that is known, or a macro's invocation, such as a test framework's `TEST(a, b) {`.
    fn may_be_declared(&self, head: &[Token], at: usize) -> bool {
        let name = head[at].text(self.text);
        match at.checked_sub(1).map(|before| head[before].text(self.text)) {
            None => self.facts.classes.contains(name),
            // Behind one invocation stands another, or the name of a function whose type the first one makes.
            Some(b")") => !looks_like_macro(name),
            Some(_) => true,
        }
    }

    /// Which of the parameters between the parentheses are references that are not `const`. In `const char *&`, that is said of the
    /// characters.
    fn references(&self, parameters: &[Token]) -> References {
        let (mut mask, mut index, mut depth) = (0, 0, 0i32);
        let (mut reference, mut fixed, mut pack, mut endless) = (false, false, false, false);
        let mut end = |index: usize, reference: bool, fixed: bool, pack: bool| {
            if reference && !fixed {
                mask |= if pack {
                    u32::MAX << index.min(31)
                } else {
                    bit(index)
                };
            }
        };
        for token in parameters {
            match token.text(self.text) {
                b"(" | b"[" | b"{" | b"<" => depth += 1,
                b")" | b"]" | b"}" | b">" => depth -= 1,
                b">>" => depth -= 2,
                b"&" | b"&&" if depth <= 0 => reference = true,
                b"const" if depth <= 0 => fixed = true,
                b"*" if depth <= 0 => fixed = false,
                b"..." => (pack, endless) = (true, true),
                b"," if depth <= 0 => {
                    end(index, reference, fixed, pack);
                    index += 1;
                    (reference, fixed, pack) = (false, false, false);
                }
                _ => {}
            }
        }
        end(index, reference, fixed, pack);
        let reach = match parameters {
            _ if endless => u32::MAX,
            [] => 0,
            _ => index as u32 + 1,
        };
        References {
            mask,
            reach,
            changes_only_one: mask & bit(0) != 0 && (endless || reach == 1),
            gives: Gives::Nothing,
        }
    }

    /// Notes the members or variables that a declaration declares.
    fn variables(&mut self, head: &[Token]) {
        let word = |t: &Token| t.text(self.text);
        let fixed = head.iter().any(|t| word(t) == b"static");
        let mut depth = 0i32;
        let mut last: Option<&Token> = None;
        let mut names: Vec<Box<[u8]>> = Vec::new();
        let mut value = false;
        for token in head {
            match word(token) {
                b"(" | b"[" | b"{" | b"<" => depth += 1,
                b")" | b"]" | b"}" | b">" => depth -= 1,
                b">>" => depth -= 2,
                b"," if depth <= 0 => {
                    names.extend(last.take().map(|t| word(t).into()));
                    value = false;
                }
                b"=" | b":" if depth <= 0 => value = true,
                _ if depth <= 0 && !value && token.kind == TokenKind::Ident => last = Some(token),
                _ => {}
            }
        }
        names.extend(last.map(|t| word(t).into()));
        if self.open.last() != Some(&Open::Class) {
            self.facts.globals.extend(names);
        } else if fixed {
            self.facts.statics.extend(names);
        } else {
            if !is_of_numbers(head.iter().map(word), &names) {
                self.facts.objects.extend(names.iter().cloned());
            }
            if has_thread(head.iter().map(word), &names) {
                self.facts.threads.extend(names.iter().cloned());
            }
            self.facts.members.extend(names);
        }
    }
}

/// Whether the type that a declaration begins with is a number of the language; `names` are what it declares.
fn is_of_numbers<'t>(words: impl Iterator<Item = &'t [u8]>, names: &[Box<[u8]>]) -> bool {
    let is_declared =
        |word: &&[u8]| names.iter().any(|name| **name == **word) || matches!(*word, b"*" | b"&");
    let mut of_type = words.take_while(|word| !is_declared(word)).peekable();
    let is_word = |word: &[u8]| {
        matches!(
            word,
            b"bool"
                | b"char"
                | b"short"
                | b"int"
                | b"long"
                | b"signed"
                | b"unsigned"
                | b"float"
                | b"double"
                | b"const"
                | b"volatile"
                | b"mutable"
        )
    };
    of_type.peek().is_some() && of_type.all(is_word)
}

/// Whether the type of a declaration names threads (`std::thread`, `vector<jthread>`); `names` are what it declares, which may be called so
/// as well.
fn has_thread<'t>(words: impl Iterator<Item = &'t [u8]>, names: &[Box<[u8]>]) -> bool {
    let is_thread = |word: &[u8]| library::standard::is_thread(&String::from_utf8_lossy(word));
    let declared = names.iter().filter(|name| is_thread(name)).count();
    words.filter(|word| is_thread(word)).count() > declared
}

/// `head` without the `template <…>` in front of it; `text` gives the text of a token.
pub(crate) fn without_template<'h, 't, T>(mut head: &'h [T], text: impl Fn(&'h T) -> &'t [u8]) -> &'h [T] {
    while let [template, open, ..] = head
        && text(template) == b"template"
        && text(open) == b"<"
    {
        let mut depth = 0i32;
        let end = head.iter().position(|token| {
            match text(token) {
                b"<" => depth += 1,
                b">" => depth -= 1,
                b">>" => depth -= 2,
                _ => return false,
            }
            depth <= 0
        });
        head = &head[end.map_or(head.len(), |end| end + 1)..];
    }
    head
}

/// The index of the parenthesis that closes the one at `open`, or the end.
pub(super) fn closing(text: &[u8], head: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in head.iter().enumerate().skip(open) {
        match token.text(text) {
            b"(" => depth += 1,
            b")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    head.len()
}
