//! Classes: members, bases, parts, and functions that work on them.

use super::{Generator, Scope};

/// A class that has been written.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) name: String,
    pub(super) base: Option<usize>,
    /// Numbers of its own.
    own: Vec<&'static str>,
    /// A member that is an object.
    part: Option<usize>,
    functions: Vec<Member>,
}

/// Member functions that a class may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// `void inc(int)`
    Inc,
    /// `void set(int)`
    Set,
    /// `virtual void step(int)`
    Step,
    /// `int get() const`
    Get,
    /// `virtual int seen() const`
    Seen,
    /// `int &slot()`
    Slot,
    /// Returns its own object.
    Chain,
    /// `operator+=`
    Plus,
    /// `operator<<`
    Shift,
    /// `operator()`
    Call,
    /// `operator[]`
    Look,
    /// `operator int`
    Convert,
    /// `operator++`
    Increment,
}

/// What a class has or has not; `Step`, `Seen` and `Inc` are in all.
const OPTIONAL: [Member; 10] = [
    Member::Set,
    Member::Get,
    Member::Slot,
    Member::Chain,
    Member::Plus,
    Member::Shift,
    Member::Call,
    Member::Look,
    Member::Convert,
    Member::Increment,
];

/// The numbers of a class by how many bases it has: those of unrelated classes have the same names.
const NUMBERS: [[&str; 2]; 4] = [
    ["n", "other"],
    ["left", "right"],
    ["more", "last"],
    ["far", "near"],
];

impl Generator {
    /// Whether a class or one of its bases has such a function.
    pub(super) fn has(&self, class: usize, member: Member) -> bool {
        let Class { functions, base, .. } = &self.classes[class];
        functions.contains(&member) || base.is_some_and(|base| self.has(base, member))
    }

    /// The numbers in an object, those of its bases first.
    pub(super) fn members(&self, class: usize) -> Vec<String> {
        let Class { own, base, .. } = &self.classes[class];
        let mut found = base.map_or_else(Vec::new, |base| self.members(base));
        found.extend(own.iter().map(|name| (*name).to_owned()));
        found
    }

    /// Whether one class is the other or derives from it.
    pub(super) fn derives(&self, class: usize, from: usize) -> bool {
        class == from
            || self.classes[class]
                .base
                .is_some_and(|base| self.derives(base, from))
    }

    fn level(&self, class: usize) -> usize {
        self.classes[class].base.map_or(0, |base| 1 + self.level(base))
    }

    pub(super) fn class(&mut self) {
        let count = self.classes.len();
        let base = (count > 0 && self.rng.chance(60)).then(|| self.rng.below(count));
        let part = (count > 0 && self.rng.chance(40)).then(|| self.rng.below(count));
        let level = base.map_or(0, |base| 1 + self.level(base));
        let name = self.fresh("Class");
        let functions = OPTIONAL.into_iter().filter(|_| self.rng.chance(45)).collect();
        self.classes.push(Class {
            name: name.clone(),
            base,
            own: NUMBERS[level.min(NUMBERS.len() - 1)].to_vec(),
            part,
            functions,
        });
        let this = count;
        let head = match base {
            Some(base) => format!("struct {name} : {} {{", self.classes[base].name),
            None => format!("struct {name} {{"),
        };
        self.line(&head);
        self.indent += 1;
        self.members_and_constructors(this);
        self.functions_of(this);
        self.indent -= 1;
        self.line("};");
        self.line("");
    }

    fn members_and_constructors(&mut self, this: usize) {
        let Class {
            name,
            base,
            own,
            part,
            ..
        } = self.classes[this].clone();
        let by_default = self.rng.chance(30);
        for (at, member) in own.iter().enumerate() {
            let start = if by_default && at == 1 { " = 4" } else { "" };
            self.line(&format!("int {member}{start};"));
        }
        if let Some(part) = part {
            let ty = self.classes[part].name.clone();
            self.line(&format!("{ty} part{this};"));
        }
        let of_base = |value: &str| base.map(|base| format!("{}({value})", self.classes[base].name));
        let listed = self.rng.chance(50).then(|| format!("{}(start)", own[0]));
        let list = Vec::from_iter(of_base("start").into_iter().chain(listed.clone()));
        let copies = Vec::from_iter(
            of_base("from")
                .into_iter()
                .chain(part.map(|_| format!("part{this}(from.part{this})"))),
        );
        let after = |list: Vec<String>| match list.join(", ") {
            empty if empty.is_empty() => empty,
            list => format!(" : {list}"),
        };
        let copied = self.rng.chance(25);
        self.braced(
            &format!("explicit {name}(int start = 1){}", after(list)),
            "",
            |g| {
                if listed.is_none() {
                    g.line(&format!("{} = start;", own[0]));
                }
                if !by_default {
                    g.line(&format!("{} = 2;", own[1]));
                }
            },
        );
        if copied {
            self.copying(this, &own, &after(copies));
        }
        if base.is_none() {
            self.line(&format!("virtual ~{name}() {{}}"));
        }
    }

    /// A constructor and an operator that copy.
    fn copying(&mut self, this: usize, own: &[&str], list: &str) {
        let Class { name, base, part, .. } = self.classes[this].clone();
        let assign = |g: &mut Self| {
            for member in own {
                g.line(&format!("{member} = from.{member};"));
            }
        };
        self.braced(&format!("{name}(const {name} &from){list}"), "", assign);
        self.braced(&format!("{name} &operator=(const {name} &from)"), "", |g| {
            if let Some(base) = base {
                let base = g.classes[base].name.clone();
                g.line(&format!("{base}::operator=(from);"));
            }
            if part.is_some() {
                g.line(&format!("part{this} = from.part{this};"));
            }
            assign(g);
            g.line("return *this;");
        });
    }

    /// What the functions of a class can use.
    fn inside(&self, this: usize, constant: bool) -> Scope {
        let mut scope = Scope {
            depth: 1,
            this: Some(this),
            ..Scope::default()
        };
        let members = self.members(this);
        if constant {
            scope.values = members;
        } else {
            scope.ints = members;
            let part = self.classes[this].part;
            scope.objects = part
                .into_iter()
                .map(|part| (format!("part{this}"), part))
                .collect();
        }
        scope
    }

    fn functions_of(&mut self, this: usize) {
        let Class {
            name,
            base,
            functions,
            ..
        } = self.classes[this].clone();
        let overrides = base.is_none() || self.rng.chance(70);
        let (before, after) = match base {
            None => ("virtual ", ""),
            Some(_) => ("", " override"),
        };
        if overrides {
            self.braced(&format!("{before}void step(int k){after}"), "", |g| {
                if let Some(base) = base
                    && g.rng.chance(50)
                {
                    let base = g.classes[base].name.clone();
                    g.line(&format!("{base}::step(k);"));
                }
                g.change(this, 2);
            });
            self.braced(&format!("{before}int seen() const{after}"), "", |g| g.read(this));
        }
        self.braced("void inc(int k)", "", |g| {
            if g.rng.chance(30) {
                g.line("step(k);");
            }
            g.change(this, 2);
        });
        for member in functions {
            self.function_of(this, &name, member);
        }
    }

    fn function_of(&mut self, this: usize, name: &str, member: Member) {
        let own = self.classes[this].own[0];
        let (head, end) = match member {
            Member::Set => ("void set(int k)".to_owned(), None),
            Member::Get => return self.braced("int get() const", "", |g| g.read(this)),
            Member::Convert => return self.braced("explicit operator int() const", "", |g| g.read(this)),
            Member::Slot => ("int &slot()".to_owned(), Some(own.to_owned())),
            Member::Look => {
                return self.braced("int &operator[](int k)", "", |g| {
                    let other = g.classes[this].own[1];
                    g.line("if (k % 2 == 0)");
                    g.line(&format!("    return {own};"));
                    g.line(&format!("return {other};"));
                });
            }
            Member::Chain => (format!("{name} &chain(int k)"), Some("*this".to_owned())),
            Member::Plus => (format!("{name} &operator+=(int k)"), Some("*this".to_owned())),
            Member::Shift => (format!("{name} &operator<<(int k)"), Some("*this".to_owned())),
            Member::Increment => (format!("{name} &operator++()"), Some("*this".to_owned())),
            Member::Call => ("int operator()(int k)".to_owned(), Some(own.to_owned())),
            Member::Inc | Member::Step | Member::Seen => return,
        };
        self.braced(&head, "", |g| {
            if member == Member::Increment {
                g.line(&format!("{own}++;"));
            } else if member == Member::Set {
                g.line(&format!("{own} = k;"));
            } else if member != Member::Slot || g.rng.chance(30) {
                g.change_with(this, 1, member != Member::Slot);
            }
            if let Some(end) = end {
                g.line(&format!("return {end};"));
            }
        });
    }

    fn change(&mut self, this: usize, count: usize) {
        self.change_with(this, count, true);
    }

    /// Statements of a function that changes its object, with a parameter `k` or without.
    fn change_with(&mut self, this: usize, count: usize, given: bool) {
        let mut scope = self.inside(this, false);
        if given {
            scope.ints.push("k".to_owned());
        }
        for _ in 0..1 + self.rng.below(count) {
            self.statement(&mut scope);
        }
        let own = self.classes[this].own.clone();
        let member = *self.rng.pick(&own);
        let value = if given { "k" } else { "1" };
        self.line(&format!("{member} += {value};"));
    }

    /// Statements of a function that reads its object.
    fn read(&mut self, this: usize) {
        let scope = self.inside(this, true);
        let value = self.value(&scope);
        self.line(&format!("int result = {value};"));
        if self.rng.chance(40) {
            let (condition, value) = (self.condition(&scope), self.value(&scope));
            self.line(&format!("if ({condition})"));
            self.line(&format!("    result += {value};"));
        }
        let own = self.classes[this].own[0];
        self.line(&format!("return result + {own} % 97;"));
    }
}
