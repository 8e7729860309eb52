//! Random programs of C++: values travel through objects, references, lambdas, containers and virtual calls.
//!
//! A program has a few classes that derive from each other and stand in each other, functions that take and give
//! references, pointers, copies and whatever can be called, and a `main` that makes objects, changes them by all
//! of this, and observes some of what is left. Every variable has a value before it is read, what is assigned is cut down before
//! it could overflow, indices are inside, and loops end. Classes that have nothing to do with each other share the names of
//! their members and functions, so that whoever goes by names alone takes the wrong ones.

mod blocks;
mod classes;
mod containers;
mod functions;
mod statements;
mod values;

use super::suite::{Program, SourceText};
use crate::oracle::rng::Rng;
use classes::Class;
use functions::Signature;

/// How deep blocks stand in each other.
const DEEPEST: usize = 3;

/// What every program may use.
const PRELUDE: &str = include_str!("prelude.txt");

/// Names that can be used at a place, by what they are.
#[derive(Clone, Debug, Default)]
struct Scope {
    depth: usize,
    /// Numbers that can be read.
    values: Vec<String>,
    /// Numbers that can be assigned, too.
    ints: Vec<String>,
    /// Pointers to `int`.
    int_pointers: Vec<String>,
    /// Objects, each with its class.
    objects: Vec<(String, usize)>,
    /// Pointers to objects, smart ones included.
    pointers: Vec<(String, usize)>,
    /// Containers of `int` with an index from 0; they are never empty.
    rows: Vec<String>,
    /// The same of objects.
    shelves: Vec<(String, usize)>,
    /// `std::map<int, int>`
    maps: Vec<String>,
    /// What can be called with an `int` and returns one.
    callables: Vec<String>,
    /// The class whose function this is; of what stands before the object is made or in a `static` one, none.
    this: Option<usize>,
}

struct Generator {
    rng: Rng,
    names: usize,
    classes: Vec<Class>,
    functions: Vec<Signature>,
    lines: Vec<String>,
    indent: usize,
}

/// The program that belongs to `seed`.
#[must_use]
pub fn program(seed: u64) -> Program {
    let mut g = Generator {
        rng: Rng::new(seed ^ 0x00c1_a55e),
        names: 0,
        classes: Vec::new(),
        functions: Vec::new(),
        lines: Vec::new(),
        indent: 0,
    };
    for _ in 0..2 + g.rng.below(3) {
        g.class();
    }
    let scope = g.globals();
    for _ in 0..3 + g.rng.below(4) {
        g.function(&scope);
    }
    g.main(scope);
    Program {
        name: format!("objects {seed}"),
        files: vec![SourceText {
            name: "objects.cpp".to_owned(),
            text: format!("{PRELUDE}{}\n", g.lines.join("\n")),
        }],
    }
}

impl Generator {
    fn line(&mut self, text: &str) {
        self.lines
            .push(format!("{:indent$}{text}", "", indent = self.indent * 4));
    }

    /// `head {`, what `inside` writes, and `}` with what follows it.
    fn braced(&mut self, head: &str, tail: &str, inside: impl FnOnce(&mut Self)) {
        self.line(head);
        self.line("{");
        self.indent += 1;
        inside(self);
        self.indent -= 1;
        self.line(&format!("}}{tail}"));
    }

    /// A name that the program does not have yet.
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn globals(&mut self) -> Scope {
        let mut scope = Scope::default();
        for _ in 0..2 {
            let name = self.fresh("global");
            let start = self.rng.range(0, 9);
            self.line(&format!("static int {name} = {start};"));
            scope.ints.push(name);
        }
        if self.rng.chance(50) {
            let class = self.rng.below(self.classes.len());
            let name = self.fresh("shared");
            let start = self.rng.range(0, 9);
            let ty = self.classes[class].name.clone();
            self.line(&format!("static {ty} {name}({start});"));
            scope.objects.push((name, class));
        }
        scope
    }

    fn main(&mut self, mut scope: Scope) {
        self.braced("int main()", "", |g| {
            for which in 0..3 {
                let name = g.fresh("k");
                g.line(&format!("int {name} = input({which});"));
                scope.ints.push(name);
            }
            for _ in 0..2 + g.rng.below(2) {
                let class = g.rng.below(g.classes.len());
                g.declare_object(&mut scope, class);
            }
            for _ in 0..8 + g.rng.below(8) {
                g.statement(&mut scope);
            }
            for _ in 0..3 {
                let value = g.observed(&scope);
                g.line(&format!("observe({value});"));
                g.statement(&mut scope);
            }
            g.line("return 0;");
        });
    }
}
