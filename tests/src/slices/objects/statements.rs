//! Statements: every way to make, name and change objects and numbers.

use super::classes::Member;
use super::{DEEPEST, Generator, Scope};

impl Generator {
    /// A place that a number can be assigned to.
    pub(super) fn place(&mut self, scope: &Scope) -> Option<String> {
        match self.rng.below(6) {
            0..=2 => self.some(&scope.ints),
            3 => self.element(scope),
            4 => self.some(&scope.int_pointers).map(|p| format!("*{p}")),
            _ => self.member_of_some(scope),
        }
    }

    /// One statement; where it needs what the scope does not have, an assignment.
    pub(super) fn statement(&mut self, scope: &mut Scope) {
        let written = match self.rng.below(20) {
            0 | 1 => self.assign(scope),
            2..=6 => self.call_of_member(scope),
            7 | 8 => self.call_statement(scope),
            9 | 10 => self.alias(scope),
            11 => self.declare(scope),
            12 => self.lambda(scope),
            13 | 14 => self.change_container(scope),
            15 => self.copy(scope),
            16 => self.through_member_pointer(scope),
            _ => scope.depth < DEEPEST && self.block(scope),
        };
        if !written && !self.assign(scope) {
            self.line(";");
        }
    }

    fn assign(&mut self, scope: &Scope) -> bool {
        let Some(place) = self.place(scope) else {
            return false;
        };
        let value = self.value(scope);
        let op = *self.rng.pick(&["=", "=", "+=", "-="]);
        // gcc with sanitizers reads the left side of `x += f()` before the call, which may change it.
        let may_call = value.ends_with(") % 97") && (value.starts_with("(*") || !value.starts_with('('));
        let op = if may_call { "=" } else { op };
        self.line(&format!("{place} {op} {value};"));
        true
    }

    /// A call of a member function that changes its object.
    fn call_of_member(&mut self, scope: &Scope) -> bool {
        let Some((object, class)) = self.object(scope) else {
            return false;
        };
        let k = self.given(scope);
        let member = *self.rng.pick(&[
            Member::Inc,
            Member::Step,
            Member::Set,
            Member::Slot,
            Member::Chain,
            Member::Plus,
            Member::Shift,
            Member::Call,
            Member::Look,
            Member::Increment,
        ]);
        if !matches!(member, Member::Inc | Member::Step) && !self.has(class, member) {
            self.line(&format!("{object}.inc({k});"));
            return true;
        }
        let text = match member {
            Member::Step => format!("{object}.step({k});"),
            Member::Set => format!("{object}.set({k});"),
            // A constant: what else is read there may be changed by `slot`, and gcc does not keep the order of C++17.
            Member::Slot => format!("{object}.slot() += 3;"),
            Member::Chain => format!("{object}.chain({k}).inc(1);"),
            Member::Plus => format!("{object} += {k};"),
            Member::Shift => format!("{object} << {k} << 1;"),
            Member::Call => format!("{object}({k});"),
            Member::Look => format!("{object}[{k}] += 2;"),
            Member::Increment => format!("++{object};"),
            _ => format!("{object}.inc({k});"),
        };
        self.line(&text);
        true
    }

    fn call_statement(&mut self, scope: &Scope) -> bool {
        let Some(call) = self.call_of_function(scope, false) else {
            return false;
        };
        self.line(&format!("{call};"));
        true
    }

    /// Another name for what there is.
    fn alias(&mut self, scope: &mut Scope) -> bool {
        let Some((object, class)) = self.object(scope) else {
            return false;
        };
        let name = self.fresh("r");
        // A name of the object's own class or of one of its bases.
        let mut seen_as = class;
        while let Some(base) = self.classes[seen_as].base
            && self.rng.chance(50)
        {
            seen_as = base;
        }
        let ty = self.classes[seen_as].name.clone();
        match self.rng.below(6) {
            0 => {
                self.line(&format!("{ty} &{name} = {object};"));
                scope.objects.push((name, seen_as));
            }
            1 => {
                self.line(&format!("auto &{name} = {object};"));
                scope.objects.push((name, class));
            }
            2 => {
                self.line(&format!("{ty} *{name} = &{object};"));
                if let Some((other, _)) = self.object_of(scope, seen_as) {
                    let condition = self.condition(scope);
                    self.line(&format!("if ({condition})"));
                    self.line(&format!("    {name} = &{other};"));
                }
                scope.pointers.push((name, seen_as));
            }
            3 => {
                let members = self.members(class);
                let member = self.rng.pick(&members).clone();
                self.line(&format!("int &{name} = {object}.{member};"));
                scope.ints.push(name);
            }
            4 => {
                let Some(place) = self.place(scope) else {
                    return false;
                };
                self.line(&format!("int *{name} = &{place};"));
                scope.int_pointers.push(name);
            }
            _ => {
                let Some((other, _)) = self.object_of(scope, seen_as) else {
                    return false;
                };
                let condition = self.condition(scope);
                self.line(&format!(
                    "{ty} &{name} = {condition} ? static_cast<{ty} &>({object}) : static_cast<{ty} &>({other});"
                ));
                scope.objects.push((name, seen_as));
            }
        }
        true
    }

    pub(super) fn declare_object(&mut self, scope: &mut Scope, class: usize) {
        let ty = self.classes[class].name.clone();
        let name = self.fresh("o");
        let k = self.given(scope);
        match self.rng.below(5) {
            0 => self.line(&format!("{ty} {name};")),
            1 => self.line(&format!("{ty} {name}{{{k}}};")),
            2 => self.line(&format!("auto {name} = {ty}({k});")),
            _ => self.line(&format!("{ty} {name}({k});")),
        }
        scope.objects.push((name, class));
    }

    /// A container, a smart pointer, a box, a number.
    fn declare(&mut self, scope: &mut Scope) -> bool {
        let class = self.rng.below(self.classes.len());
        // What a member function makes is of a class before its own: otherwise making one might never end.
        if scope.this.is_some_and(|this| class >= this) {
            return false;
        }
        let ty = self.classes[class].name.clone();
        let k = self.given(scope);
        match self.rng.below(9) {
            0 => self.declare_object(scope, class),
            1 | 2 => {
                let name = self.fresh("row");
                let start = *self.rng.pick(&["(3, 2)", " = {1, 2, 3}", "{4, 5}"]);
                self.line(&format!("std::vector<int> {name}{start};"));
                // So that references to its elements stay what they are.
                self.line(&format!("{name}.reserve(4000);"));
                scope.rows.push(name);
            }
            3 => {
                let name = self.fresh("shelf");
                self.line(&format!("std::vector<{ty}> {name}(2);"));
                self.line(&format!("{name}.reserve(1000);"));
                scope.shelves.push((name, class));
            }
            4 => {
                let name = self.fresh("some");
                let kind = *self.rng.pick(&["std::array<int, 3>", "std::deque<int>"]);
                self.line(&format!("{kind} {name}{{1, 2, 3}};"));
                scope.rows.push(name);
            }
            5 => {
                let name = self.fresh("u");
                match self.rng.below(3) {
                    0 => self.line(&format!("auto {name} = std::make_unique<{ty}>({k});")),
                    1 => self.line(&format!("std::shared_ptr<{ty}> {name}(new {ty}({k}));")),
                    _ => self.line(&format!("{ty} *{name} = new {ty}({k});")),
                }
                scope.pointers.push((name, class));
            }
            6 => {
                let name = self.fresh("box");
                self.line(&format!("Box<{ty}> {name}{{{ty}({k})}};"));
                scope.objects.push((format!("{name}.open()"), class));
            }
            7 => {
                let name = self.fresh("map");
                self.line(&format!("std::map<int, int> {name};"));
                self.line(&format!("{name}[1] = {k};"));
                scope.maps.push(name);
            }
            _ => {
                let name = self.fresh("x");
                let value = self.value(scope);
                self.line(&format!("int {name} = {value};"));
                scope.ints.push(name);
            }
        }
        true
    }

    /// A lambda, by value or by reference, and perhaps what holds it.
    fn lambda(&mut self, scope: &mut Scope) -> bool {
        let name = self.fresh("f");
        let capture = if self.rng.chance(60) { "&" } else { "=" };
        let mut inner = scope.clone();
        inner.depth = DEEPEST;
        if capture == "=" {
            inner = self.read_only(&inner);
        }
        let a = self.fresh("a");
        inner.ints.push(a.clone());
        let kind = if self.rng.chance(30) {
            "std::function<int(int)>"
        } else {
            "auto"
        };
        self.line(&format!("{kind} {name} = [{capture}](int {a}) {{"));
        self.indent += 1;
        if capture == "&" || self.rng.chance(40) {
            self.statement(&mut inner);
        }
        let value = self.value(&inner);
        self.line(&format!("return {value};"));
        self.indent -= 1;
        self.line("};");
        scope.callables.push(name);
        true
    }

    /// What a lambda can do with what it has copied: nothing but read it.
    fn read_only(&self, scope: &Scope) -> Scope {
        let mut values = scope.values.clone();
        values.extend(scope.ints.iter().cloned());
        for (object, class) in &scope.objects {
            // What a box opens to is no constant.
            if !object.contains('(') {
                values.extend(self.members(*class).iter().map(|m| format!("{object}.{m}")));
            }
        }
        for (pointer, class) in &scope.pointers {
            // A smart pointer may not be copied.
            if pointer.starts_with('r') {
                values.extend(self.members(*class).iter().map(|m| format!("{pointer}->{m}")));
            }
        }
        Scope {
            depth: scope.depth,
            this: scope.this,
            values,
            int_pointers: scope.int_pointers.clone(),
            ..Scope::default()
        }
    }

    fn copy(&mut self, scope: &mut Scope) -> bool {
        let Some((object, class)) = self.object(scope) else {
            return false;
        };
        let ty = self.classes[class].name.clone();
        let name = self.fresh("c");
        let same = |g: &mut Self| (0..4).find_map(|_| g.object(scope).filter(|(_, of)| *of == class));
        match self.rng.below(4) {
            0 => {
                self.line(&format!("{ty} {name} = {object};"));
                scope.objects.push((name, class));
            }
            1 => {
                self.line(&format!("auto {name} = std::move({object});"));
                scope.objects.push((name, class));
            }
            which => {
                let Some((other, _)) = same(self) else {
                    return false;
                };
                if which == 2 {
                    self.line(&format!("{other} = {object};"));
                } else {
                    self.line(&format!("std::swap({other}, {object});"));
                }
            }
        }
        true
    }

    fn through_member_pointer(&mut self, scope: &Scope) -> bool {
        let Some((object, class)) = self.object(scope) else {
            return false;
        };
        let ty = self.classes[class].name.clone();
        let name = self.fresh("m");
        let k = self.given(scope);
        if self.rng.chance(50) {
            let members = self.members(class);
            let member = self.rng.pick(&members).clone();
            self.line(&format!("int {ty}::*{name} = &{ty}::{member};"));
            self.line(&format!("{object}.*{name} += {k};"));
        } else {
            let function = *self.rng.pick(&["inc", "step"]);
            self.line(&format!("void ({ty}::*{name})(int) = &{ty}::{function};"));
            self.line(&format!("({object}.*{name})({k});"));
        }
        true
    }
}
