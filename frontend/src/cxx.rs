//! What a C++ file tells the other files: its classes, which of its functions take references, its operators.
//!
//! Works on tokens, like the facts of C, and reads declarations only: what stands in bodies of functions is skipped. It
//! errs on the side of knowing too little: a function of which nothing is known is taken to change its arguments.

use crate::asked::Recorder;
use crate::macros::is_shouted;
use crate::token::{Token, TokenKind};
use std::collections::{BTreeMap, BTreeSet};

/// Which arguments of a function it may change, and what it gives to its caller to change.
#[derive(Clone, Debug, Default)]
struct References {
    /// Bit `i` for argument `i`, the last bit for all from there on.
    mask: u32,
    /// How many arguments some declaration of it takes; the largest number where there is no end to them.
    reach: u32,
    /// Whether all functions of the name are accessors to one member.
    gives: Gives,
}

impl References {
    fn merge(&mut self, other: Self) {
        self.mask |= other.mask;
        self.reach = self.reach.max(other.reach);
        let gives = std::mem::take(&mut self.gives);
        self.gives = gives.and(other.gives);
    }
}

/// What functions of one name give to their callers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Gives {
    /// No function of the name was seen yet.
    #[default]
    Nothing,
    /// Each is a member function `T &name() { return member; }`, or its twin for constant objects, with this type and member.
    Member(Box<Accessor>),
    /// Some function of the name is anything else.
    Other,
}

/// A member function that gives access to a member, and does nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Accessor {
    /// The words of the member's type.
    ty: Box<[u8]>,
    /// The member.
    member: Box<[u8]>,
    /// Some function of the name returns a reference through which callers may change the member.
    changes: bool,
}

impl Gives {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, known) | (known, Self::Nothing) => known,
            (Self::Member(mut one), Self::Member(other))
                if (&one.ty, &one.member) == (&other.ty, &other.member) =>
            {
                one.changes |= other.changes;
                Self::Member(one)
            }
            _ => Self::Other,
        }
    }
}

/// Declarations of C++ files.
#[derive(Clone, Debug, Default)]
pub struct CxxFacts {
    /// Classes and structures with a body.
    classes: BTreeSet<Box<[u8]>>,
    /// Functions declared or defined, by unqualified name (`~A` and `operator+` are names), and which of their arguments
    /// they take by a reference through which they may change them.
    functions: BTreeMap<Box<[u8]>, References>,
    /// Data members that belong to an object.
    members: BTreeSet<Box<[u8]>>,
    /// Data members that belong to a class.
    statics: BTreeSet<Box<[u8]>>,
    /// Variables outside classes and functions.
    globals: BTreeSet<Box<[u8]>>,
    /// Functions that a pointer to a base class may lead to.
    virtuals: BTreeSet<Box<[u8]>>,
    /// Typedefs and aliases of plain names: the words of the type, separated by blanks.
    pub typedefs: BTreeMap<Box<[u8]>, BTreeSet<Box<[u8]>>>,
}

impl CxxFacts {
    /// Reads the declarations among the `tokens` of `text`.
    pub fn read(text: &[u8], tokens: &[Token]) -> Self {
        let mut reader = Reader {
            text,
            facts: Self::default(),
            open: Vec::new(),
        };
        let code: Vec<Token> = tokens
            .iter()
            .filter(|t| t.kind != TokenKind::Directive)
            .copied()
            .collect();
        reader.read(&code);
        reader.facts
    }

    /// Adds what another file declares.
    pub fn merge(&mut self, other: &Self) {
        self.classes.extend(other.classes.iter().cloned());
        self.members.extend(other.members.iter().cloned());
        self.statics.extend(other.statics.iter().cloned());
        self.globals.extend(other.globals.iter().cloned());
        self.virtuals.extend(other.virtuals.iter().cloned());
        for (name, references) in &other.functions {
            let known = self.functions.entry(name.clone()).or_default();
            known.merge(references.clone());
        }
    }

    /// Whether nothing of C++ is declared here.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.classes.is_empty()
    }

    /// Everything that others may ask about, by name: what it is and, of a function, its references.
    pub fn each(&self, say: &mut dyn FnMut(&[u8], u8, u32)) {
        // Whoever adds a field has to decide here whether other files see it.
        let Self {
            classes,
            functions,
            members,
            statics,
            globals,
            virtuals,
            // Moved to the typedefs of the file.
            typedefs: _,
        } = self;
        for (what, names) in (0u8..).zip([classes, members, statics, globals, virtuals]) {
            names.iter().for_each(|name| say(name, what, 0));
        }
        for (name, References { mask, reach, gives }) in functions {
            say(name, u8::MAX, *mask);
            say(name, u8::MAX - 1, *reach);
            match gives {
                Gives::Nothing => {}
                Gives::Other => say(name, u8::MAX - 2, 0),
                Gives::Member(accessor) => {
                    say(name, u8::MAX - 2, 1 + u32::from(accessor.changes));
                    let words = [&*accessor.member, b" ", &*accessor.ty].concat();
                    // Each part of the words says where it stands, for what is said may be heard in any order.
                    for (at, part) in (0u8..64).zip(words.chunks(4)) {
                        let mut bytes = [0; 4];
                        bytes[..part.len()].copy_from_slice(part);
                        say(name, 64 + at, u32::from_le_bytes(bytes));
                    }
                }
            }
        }
    }

    /// The functions declared here.
    pub fn function_names(&self) -> impl Iterator<Item = &[u8]> {
        self.functions.keys().map(|name| &**name)
    }
}

/// Questions about declarations of C++ files, with a note of the names asked about.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// The declarations.
    pub facts: &'a CxxFacts,
    /// Who takes the notes.
    pub asked: &'a Recorder,
}

impl Declared<'_> {
    /// Whether a class of this name has a body here.
    pub fn is_class(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.classes.contains(name)
    }

    /// Whether a function of this name is declared here.
    pub fn is_function(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.functions.contains_key(name)
    }

    /// Whether the function may change its argument `index` through a reference, as far as this file declares it. One that takes
    /// fewer arguments is another function of the name.
    pub fn by_reference(&self, name: &[u8], index: usize) -> Option<bool> {
        self.asked.note(name);
        let References { mask, reach, .. } = self.facts.functions.get(name)?;
        ((index as u32) < *reach).then_some(mask & bit(index) != 0)
    }

    /// The member that functions of this name give their callers a reference to, as far as this file declares them: all of them do
    /// that, and nothing else. `Some(None)` if some function of the name does anything else.
    pub fn accessed(&self, name: &[u8]) -> Option<Option<&[u8]>> {
        self.asked.note(name);
        let is_virtual = self.facts.virtuals.contains(name);
        match &self.facts.functions.get(name)?.gives {
            Gives::Nothing => None,
            Gives::Member(accessor) if accessor.changes && !is_virtual => Some(Some(&accessor.member)),
            Gives::Member(_) | Gives::Other => Some(None),
        }
    }

    /// Whether some variable of this name belongs to no object: a global, or a static member.
    pub fn is_outside_objects(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.statics.contains(name) || self.facts.globals.contains(name)
    }

    /// Whether objects of some class have a member of this name.
    pub fn is_member(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.members.contains(name)
    }

    /// Whether a variable of this name is declared outside classes and functions.
    pub fn is_global(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.globals.contains(name)
    }

    /// Whether some class has a static member of this name, and none an ordinary one.
    pub fn is_static_member(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.statics.contains(name) && !self.facts.members.contains(name)
    }

    /// Whether a pointer to a base class may lead to a function of this name.
    pub fn is_virtual(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.virtuals.contains(name)
    }
}

fn bit(index: usize) -> u32 {
    1 << index.min(31)
}

/// What an open brace is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A namespace or `extern "C"`.
    Namespace,
    /// A class, structure or union.
    Class,
    /// Anything else: its tokens declare nothing for others.
    Other,
}

struct Reader<'t> {
    text: &'t [u8],
    facts: CxxFacts,
    open: Vec<Open>,
}

impl<'t> Reader<'t> {
    fn word(&self, token: Token) -> &'t [u8] {
        token.text(self.text)
    }

    fn read(&mut self, code: &[Token]) {
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
        let mut at = 0;
        while at < head.len() {
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
            self.facts.functions.entry(name).or_default().merge(references);
        }
    }

    /// Whether the name at `at`, which a parenthesis follows, may be that of a function. What no type stands before is a
    /// constructor, of a class that is known, or a macro's invocation, such as a test framework's `TEST(a, b) {`.
    fn may_be_declared(&self, head: &[Token], at: usize) -> bool {
        let name = head[at].text(self.text);
        match at.checked_sub(1).map(|before| head[before].text(self.text)) {
            None => self.facts.classes.contains(name),
            // Behind one invocation stands another, or the name of a function whose type the first one makes.
            Some(b")") => !is_shouted(name),
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
        let gives = Gives::Nothing;
        References { mask, reach, gives }
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
            self.facts.members.extend(names);
        }
    }
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
fn closing(text: &[u8], head: &[Token], open: usize) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::lex;

    fn facts(text: &str) -> CxxFacts {
        CxxFacts::read(text.as_bytes(), &lex(text.as_bytes()))
    }

    #[test]
    fn accessors() {
        let accessed = |text: &str, name: &str| {
            let asked = Recorder::default();
            let facts = Declared {
                facts: &facts(text),
                asked: &asked,
            };
            facts.accessed(name.as_bytes()).flatten().map(<[u8]>::to_vec)
        };
        let gives = |text: &str| accessed(text, "n").is_some();
        assert_eq!(
            accessed("class A { int &n() { return m; } int m; };", "n"),
            Some(b"m".to_vec())
        );
        for text in [
            "struct A { inline const int &n() const { return m; } int &n() noexcept { return this->m; } };",
            "struct A { unsigned long n() const { return m; } unsigned long &n() { return m; } };",
            "template <class T> struct A { T &n() { return m; } }; struct B { T &n() { return m; } };",
        ] {
            assert!(gives(text), "{text}");
        }
        for text in [
            // Another member, more than that, another type, an argument, no member of an object, nothing that can be changed.
            "struct A { int &n() { return m; } }; struct B { int &n() { return k; } };",
            "struct A { int &n() { m++; return m; } };",
            "struct A { int &n() { return m; } }; int n(int);",
            "struct A { char n() const { return m; } int &n() { return m; } };",
            "struct A { int &n(int i) { return m; } };",
            "struct A { static int &n() { return m; } };",
            "struct A { int n() { return m; } };",
            "struct A { int &n() const { return m; } };",
            "struct A { virtual int &n() { return m; } };",
            "int &n() { return m; }",
            "struct A { int &n(); }; int &A::n() { return m; }",
            "struct A { int &n() { return p->m; } };",
            "struct A { int *&n() { return m; } };",
        ] {
            assert!(!gives(text), "{text}");
        }
    }

    #[test]
    fn references_that_may_change_their_argument() {
        let facts = facts(
            "namespace n { void f(int a, int &b, const T &c, std::vector<int> &d, T &&e); \
             class A : public B { A(int &x) : y(x) { g(i); } virtual int h(int, bool &) const { } \
             A &operator+=(A &other); template <class... Args> void all(int, Args &&...args); \
             int n = 0, *p; static int count; bool operator()(int &i); }; }",
        );
        let asked = Recorder::default();
        let facts = Declared {
            facts: &facts,
            asked: &asked,
        };
        let by = |name: &str, index: usize| facts.by_reference(name.as_bytes(), index);
        assert_eq!(
            (0..5).map(|i| by("f", i)).collect::<Vec<_>>(),
            [false, true, false, true, true].map(Some)
        );
        assert_eq!(by("A", 0), Some(true));
        assert_eq!((by("h", 0), by("h", 1)), (Some(false), Some(true)));
        assert_eq!(by("operator+=", 0), Some(true));
        assert_eq!(by("operator()", 0), Some(true));
        assert_eq!(
            (by("all", 0), by("all", 1), by("all", 9)),
            (Some(false), Some(true), Some(true))
        );
        assert_eq!(by("g", 0), None);
        assert!(facts.is_virtual(b"h") && !facts.is_virtual(b"f"));
        assert!(facts.is_member(b"n") && facts.is_member(b"p") && facts.is_static_member(b"count"));
        assert!(facts.is_class(b"A") && !facts.is_class(b"B"));
    }
}
