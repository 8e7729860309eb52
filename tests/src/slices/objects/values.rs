//! Numbers: what a place can read.

use super::classes::Member;
use super::{Generator, Scope};

impl Generator {
    /// A number without an effect, short enough to stand in another.
    pub(super) fn atom(&mut self, scope: &Scope) -> String {
        for _ in 0..4 {
            let found = match self.rng.below(10) {
                0..=2 => self.some(&scope.ints),
                3 => self.some(&scope.values),
                4 => self.member_of_some(scope),
                5 => self.some(&scope.int_pointers).map(|p| format!("*{p}")),
                6 => self.element(scope),
                7 => self.some(&scope.maps).map(|m| format!("{m}[1]")),
                8 => self.getter(scope),
                _ => Some(self.rng.range(0, 9).to_string()),
            };
            if let Some(found) = found {
                return found;
            }
        }
        self.rng.range(0, 9).to_string()
    }

    /// A number to hand over, cut down: what is changed by it then grows slowly, whatever it is.
    pub(super) fn given(&mut self, scope: &Scope) -> String {
        let atom = self.atom(scope);
        match atom.parse::<i64>() {
            Ok(_) => atom,
            Err(_) => format!("{atom} % 97"),
        }
    }

    /// A number, cut down.
    pub(super) fn value(&mut self, scope: &Scope) -> String {
        if self.rng.chance(25)
            && let Some(call) = self.call_with_value(scope)
        {
            return format!("{call} % 97");
        }
        let left = self.atom(scope);
        if self.rng.chance(40) {
            return format!("{left} % 97");
        }
        let right = self.atom(scope);
        let op = *self.rng.pick(&["+", "-", "+", "^"]);
        format!("({left} {op} {right}) % 97")
    }

    pub(super) fn condition(&mut self, scope: &Scope) -> String {
        let left = self.atom(scope);
        let right = self.atom(scope);
        match self.rng.below(4) {
            0 => format!("{left} > {right}"),
            1 => format!("{left} % 2 == 0"),
            2 => format!("{left} != {right}"),
            _ => format!("({left} + {right}) % 3 == 1"),
        }
    }

    /// What the program observes: most often what an object holds.
    pub(super) fn observed(&mut self, scope: &Scope) -> String {
        let found = match self.rng.below(6) {
            0 => self.element(scope),
            1 => self.getter(scope),
            2 => self.some(&scope.ints),
            3 => self.some(&scope.callables).map(|f| format!("{f}(2)")),
            _ => self.member_of_some(scope),
        };
        found.unwrap_or_else(|| self.rng.pick(&scope.ints).clone())
    }

    pub(super) fn some(&mut self, names: &[String]) -> Option<String> {
        (!names.is_empty()).then(|| self.rng.pick(names).clone())
    }

    /// An object that can be changed: by its name, through a pointer, in a container.
    pub(super) fn object(&mut self, scope: &Scope) -> Option<(String, usize)> {
        let mut all = scope.objects.clone();
        all.extend(
            scope
                .pointers
                .iter()
                .map(|(p, class)| (format!("(*{p})"), *class)),
        );
        for (shelf, class) in &scope.shelves {
            let index = self.rng.below(2);
            all.push((format!("{shelf}[{index}]"), *class));
        }
        (!all.is_empty()).then(|| self.rng.pick(&all).clone())
    }

    /// A member of some object, which can be assigned.
    pub(super) fn member_of_some(&mut self, scope: &Scope) -> Option<String> {
        let (object, class) = self.object(scope)?;
        let members = self.members(class);
        let member = self.rng.pick(&members).clone();
        Some(match object.strip_prefix("(*") {
            Some(pointer) => format!("{}->{member}", pointer.trim_end_matches(')')),
            None => format!("{object}.{member}"),
        })
    }

    fn getter(&mut self, scope: &Scope) -> Option<String> {
        let (object, class) = self.object(scope)?;
        let kind = *self
            .rng
            .pick(&[Member::Get, Member::Seen, Member::Convert, Member::Look]);
        self.has(class, kind).then(|| match kind {
            Member::Get => format!("{object}.get()"),
            Member::Seen => format!("{object}.seen()"),
            Member::Look => format!("{object}[1]"),
            _ => format!("static_cast<int>({object})"),
        })
    }

    /// An element of a container of numbers, which can be assigned.
    pub(super) fn element(&mut self, scope: &Scope) -> Option<String> {
        let row = self.some(&scope.rows)?;
        Some(match self.rng.below(4) {
            0 => format!("{row}.back()"),
            1 => format!("{row}.at(1)"),
            2 => format!("{row}[0]"),
            _ => {
                let index = self.some(&scope.ints).unwrap_or_else(|| "2".to_owned());
                format!("{row}[wrap({index}, {row}.size())]")
            }
        })
    }

    /// A call that gives a number and may do more.
    fn call_with_value(&mut self, scope: &Scope) -> Option<String> {
        let k = self.given(scope);
        match self.rng.below(5) {
            0 => self.some(&scope.callables).map(|f| format!("{f}({k})")),
            1 => {
                let f = self.some(&scope.callables)?;
                let how = *self.rng.pick(&["apply", "apply_any"]);
                Some(format!("{how}({f}, {k})"))
            }
            2 => {
                let (object, class) = self.object(scope)?;
                self.has(class, Member::Call).then(|| format!("{object}({k})"))
            }
            3 => {
                let (object, class) = self.object(scope)?;
                self.has(class, Member::Slot).then(|| format!("{object}.slot()"))
            }
            _ => self.call_of_function(scope, true),
        }
    }
}
