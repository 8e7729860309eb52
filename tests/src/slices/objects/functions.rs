//! Functions that are no members: what they take, and calls of them.

use super::{Generator, Scope};

/// A function that has been written.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    name: String,
    takes: Takes,
    gives_value: bool,
}

/// What a function takes besides a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Reference(usize),
    Pointer(usize),
    Copy(usize),
    Constant(usize),
    Number,
    Row,
    Shelf(usize),
    /// Any class: a template.
    Any,
    /// A pair of objects, one of which it returns by reference.
    Either(usize),
}

impl Generator {
    pub(super) fn function(&mut self, globals: &Scope) {
        let name = self.fresh("work");
        let class = self.rng.below(self.classes.len());
        let takes = match self.rng.below(10) {
            0 | 1 => Takes::Reference(class),
            2 => Takes::Pointer(class),
            3 => Takes::Copy(class),
            4 => Takes::Constant(class),
            5 => Takes::Number,
            6 => Takes::Row,
            7 => Takes::Shelf(class),
            8 => Takes::Any,
            _ => Takes::Either(class),
        };
        let gives_value = match takes {
            Takes::Copy(_) | Takes::Constant(_) => true,
            Takes::Either(_) => false,
            _ => self.rng.chance(40),
        };
        let ty = self.classes[class].name.clone();
        let mut scope = globals.clone();
        scope.depth = 1;
        scope.ints.push("k".to_owned());
        let parameter = match takes {
            Takes::Either(_) => return self.either(&name, class),
            Takes::Reference(_) => format!("{ty} &o"),
            Takes::Pointer(_) => format!("{ty} *o"),
            Takes::Copy(_) => format!("{ty} o"),
            Takes::Constant(_) => format!("const {ty} &o"),
            Takes::Number => "int &o".to_owned(),
            Takes::Row => "std::vector<int> &o".to_owned(),
            Takes::Shelf(_) => format!("std::vector<{ty}> &o"),
            Takes::Any => "T &o".to_owned(),
        };
        let o = "o".to_owned();
        match takes {
            Takes::Reference(_) | Takes::Copy(_) => scope.objects.push((o, class)),
            Takes::Pointer(_) => scope.pointers.push((o, class)),
            Takes::Constant(_) => scope
                .values
                .extend(self.members(class).iter().map(|m| format!("o.{m}"))),
            Takes::Number => scope.ints.push(o),
            Takes::Row => scope.rows.push(o),
            Takes::Shelf(_) => scope.shelves.push((o, class)),
            Takes::Any | Takes::Either(_) => {}
        }
        let before = if takes == Takes::Any {
            "template <class T> "
        } else {
            ""
        };
        let result = if gives_value { "int" } else { "void" };
        self.braced(
            &format!("{before}static {result} {name}({parameter}, int k)"),
            "",
            |g| {
                if takes == Takes::Any {
                    let call = *g.rng.pick(&["o.inc(k);", "o.step(k);"]);
                    g.line(call);
                }
                for _ in 0..1 + g.rng.below(3) {
                    g.statement(&mut scope);
                }
                if gives_value {
                    if g.rng.chance(30) {
                        let (condition, value) = (g.condition(&scope), g.value(&scope));
                        g.line(&format!("if ({condition})"));
                        g.line(&format!("    return {value};"));
                    }
                    let value = g.value(&scope);
                    g.line(&format!("return {value};"));
                }
            },
        );
        self.line("");
        self.functions.push(Signature {
            name,
            takes,
            gives_value,
        });
    }

    /// A function that chooses one of two objects.
    fn either(&mut self, name: &str, class: usize) {
        let ty = self.classes[class].name.clone();
        self.braced(
            &format!("static {ty} &{name}({ty} &o, {ty} &p, int k)"),
            "",
            |g| {
                let condition = *g.rng.pick(&["k % 2 == 0", "k > 3", "o.n > p.n + k"]);
                g.line(&format!("if ({condition})"));
                g.line("    return p;");
                g.line("return o;");
            },
        );
        self.line("");
        self.functions.push(Signature {
            name: name.to_owned(),
            takes: Takes::Either(class),
            gives_value: false,
        });
    }

    /// A call of some function, if there is what it takes; one that gives a number, or any.
    pub(super) fn call_of_function(&mut self, scope: &Scope, with_value: bool) -> Option<String> {
        // Members are written before all functions, and call none.
        let callable = scope.this.is_none() && !self.functions.is_empty();
        let function = callable.then(|| self.rng.pick(&self.functions).clone())?;
        if with_value && !function.gives_value {
            return None;
        }
        let k = self.given(scope);
        let name = &function.name;
        Some(match function.takes {
            Takes::Reference(class) | Takes::Copy(class) | Takes::Constant(class) => {
                let (object, _) = self.object_of(scope, class)?;
                format!("{name}({object}, {k})")
            }
            Takes::Pointer(class) => {
                let (object, _) = self.object_of(scope, class)?;
                format!("{name}(&{object}, {k})")
            }
            Takes::Any => {
                let (object, _) = self.object(scope)?;
                format!("{name}({object}, {k})")
            }
            Takes::Number => format!("{name}({}, {k})", self.place(scope)?),
            Takes::Row => {
                let rows = Vec::from_iter(
                    scope
                        .rows
                        .iter()
                        .filter(|row| row.starts_with("row") || *row == "o")
                        .cloned(),
                );
                format!("{name}({}, {k})", self.some(&rows)?)
            }
            Takes::Shelf(class) => {
                let fits = scope
                    .shelves
                    .iter()
                    .filter(|(name, of)| *of == class && (name.starts_with("shelf") || name == "o"));
                let shelves = Vec::from_iter(fits.map(|(name, _)| name.clone()));
                format!("{name}({}, {k})", self.some(&shelves)?)
            }
            Takes::Either(class) => {
                let (a, _) = self.object_of(scope, class)?;
                let (b, _) = self.object_of(scope, class)?;
                format!("{name}({a}, {b}, {k}).inc({k})")
            }
        })
    }

    /// An object that is of a class or derives from it.
    pub(super) fn object_of(&mut self, scope: &Scope, class: usize) -> Option<(String, usize)> {
        (0..4).find_map(|_| self.object(scope).filter(|(_, of)| self.derives(*of, class)))
    }
}
