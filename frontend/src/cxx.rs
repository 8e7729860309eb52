//! What a C++ file tells the other files: its classes, which of its functions take references, its operators.
//!
//! Works on tokens, like the facts of C, and reads declarations only: what stands in bodies of functions is skipped. It
//! errs on the side of knowing too little: a function of which nothing is known is taken to change its arguments.

mod reader;

use reader::Reader;
pub(crate) use reader::without_template;

use crate::asked::Recorder;
use crate::token::{Token, TokenKind};
use std::collections::{BTreeMap, BTreeSet};

/// Which arguments of a function it may change, and what it gives to its caller to change.
#[derive(Clone, Debug, Default)]
struct References {
    /// Bit `i` for argument `i`, the last bit for all from there on.
    mask: u32,
    /// How many arguments some declaration of it takes; the largest number where there is no end to them.
    reach: u32,
    /// Some declaration of it takes one argument, and may change that: an operator that is a member takes the right operand alone.
    changes_only_one: bool,
    /// Whether all functions of the name are accessors to one member.
    gives: Gives,
}

impl References {
    fn merge(&mut self, other: Self) {
        self.mask |= other.mask;
        self.reach = self.reach.max(other.reach);
        self.changes_only_one |= other.changes_only_one;
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
    /// Those of them that some class declares with another type than a number of the language.
    objects: BTreeSet<Box<[u8]>>,
    /// Those of them that some class declares as threads, or as something made of threads.
    threads: BTreeSet<Box<[u8]>>,
    /// Data members that belong to a class.
    statics: BTreeSet<Box<[u8]>>,
    /// Variables outside classes and functions.
    globals: BTreeSet<Box<[u8]>>,
    /// Functions that a pointer to a base class may lead to.
    virtuals: BTreeSet<Box<[u8]>>,
    /// Functions that the program has in the namespace of the standard library.
    in_std: BTreeSet<Box<[u8]>>,
    /// Typedefs and aliases of plain names: the words of the type, separated by blanks.
    pub typedefs: BTreeMap<Box<[u8]>, BTreeSet<Box<[u8]>>>,
}

impl CxxFacts {
    /// Reads the declarations among the `tokens` of `text`.
    pub fn read(text: &[u8], tokens: &[Token]) -> Self {
        let mut reader = Reader::new(text);
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
        self.objects.extend(other.objects.iter().cloned());
        self.threads.extend(other.threads.iter().cloned());
        self.statics.extend(other.statics.iter().cloned());
        self.globals.extend(other.globals.iter().cloned());
        self.virtuals.extend(other.virtuals.iter().cloned());
        self.in_std.extend(other.in_std.iter().cloned());
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
            objects,
            threads,
            statics,
            globals,
            virtuals,
            in_std,
            // Moved to the typedefs of the file.
            typedefs: _,
        } = self;
        for (what, names) in (0u8..).zip([
            classes, members, statics, globals, virtuals, objects, threads, in_std,
        ]) {
            names.iter().for_each(|name| say(name, what, 0));
        }
        for (name, references) in functions {
            let References {
                mask,
                reach,
                changes_only_one,
                gives,
            } = references;
            say(name, u8::MAX, *mask);
            say(name, u8::MAX - 1, *reach);
            say(name, u8::MAX - 3, (*changes_only_one).into());
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

    /// Whether a function of this name is declared here in the namespace of the standard library.
    pub fn is_in_std(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.in_std.contains(name)
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

    /// Whether some function of the name takes one argument alone, and may change it through a reference, as far as this file declares it.
    pub fn changes_only_argument(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        let of_name = self.facts.functions.get(name);
        of_name.is_some_and(|references| references.changes_only_one)
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

    /// Whether some class has a member of this name that is no number.
    pub fn is_object_member(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.objects.contains(name)
    }

    /// Whether some class has a member of this name that is a thread, or is made of threads.
    pub fn is_thread_member(&self, name: &[u8]) -> bool {
        self.asked.note(name);
        self.facts.threads.contains(name)
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
             int n = 0, *p; static int count; bool operator()(int &i); unsigned long long big[3]; mutable V at; T x = {1}; }; }",
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
        assert!(facts.changes_only_argument(b"operator+=") && !facts.changes_only_argument(b"h"));
        assert!(facts.is_virtual(b"h") && !facts.is_virtual(b"f"));
        assert!(facts.is_member(b"n") && facts.is_member(b"p") && facts.is_static_member(b"count"));
        let is_object = |name: &&str| facts.is_object_member(name.as_bytes());
        assert_eq!(
            Vec::from_iter(["n", "p", "big", "at", "x"].iter().filter(|name| is_object(name))),
            [&"at", &"x"]
        );
        assert!(facts.is_class(b"A") && !facts.is_class(b"B"));
    }

    #[test]
    fn members_that_a_constructor_initialises_are_no_functions() {
        let is_function = |text: &str| facts(text).functions.contains_key(&b"f"[..]);
        for text in [
            "struct A { A(int g) : f(g) {} B f; };",
            "struct A { explicit A(int g) noexcept : e(1), f(g) { f(); } B f; };",
            "struct A { A(int g) : e{1}, f(g), k{2} {} B f; };",
            "struct A { A(int g) try : f(g) { } catch (...) { } B f; };",
            "A::A(int g) : f(g) {}",
        ] {
            assert!(!is_function(text), "{text}");
        }
        for text in [
            "struct A { A(int g) : e(g) {} B f(int); };",
            "struct A { A(int g) : e{g} {} void f() {} };",
            "class A { MACRO(x) public: void f(); };",
        ] {
            assert!(is_function(text), "{text}");
        }
    }
}
