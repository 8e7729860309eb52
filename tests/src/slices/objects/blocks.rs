//! Statements that hold others: branches, loops, exceptions, guards.

use super::{Generator, Scope};

impl Generator {
    /// Some statements with a scope of their own.
    pub(super) fn several(&mut self, scope: &Scope, most: usize) {
        let mut inner = scope.clone();
        inner.depth += 1;
        for _ in 0..1 + self.rng.below(most) {
            self.statement(&mut inner);
        }
    }

    pub(super) fn block(&mut self, scope: &Scope) -> bool {
        let condition = self.condition(scope);
        match self.rng.below(8) {
            0 | 1 => {
                self.braced(&format!("if ({condition})"), "", |g| g.several(scope, 3));
                if self.rng.chance(50) {
                    self.braced("else", "", |g| g.several(scope, 2));
                }
            }
            2 | 3 => self.counting(scope),
            4 => {
                let Some(place) = self.place(scope) else {
                    return false;
                };
                let (guard, k) = (self.fresh("guard"), self.given(scope));
                self.line("{");
                self.indent += 1;
                self.line(&format!("Guard {guard}({place}, {k});"));
                self.several(scope, 2);
                self.indent -= 1;
                self.line("}");
            }
            5 => self.switching(scope),
            _ => self.trying(scope, &condition),
        }
        true
    }

    fn counting(&mut self, scope: &Scope) {
        let i = self.fresh("i");
        let most = self.rng.range(2, 4);
        let mut inner = scope.clone();
        inner.values.push(i.clone());
        self.braced(&format!("for (int {i} = 0; {i} < {most}; {i}++)"), "", |g| {
            g.several(&inner, 2);
            if g.rng.chance(30) {
                let condition = g.condition(&inner);
                let jump = *g.rng.pick(&["break;", "continue;"]);
                g.line(&format!("if ({condition})"));
                g.line(&format!("    {jump}"));
                g.several(&inner, 1);
            }
        });
    }

    fn switching(&mut self, scope: &Scope) {
        let value = self.atom(scope);
        self.braced(&format!("switch ({value} % 3)"), "", |g| {
            for case in ["case 0: {", "case 1: {", "default: {"] {
                g.line(case);
                g.indent += 1;
                g.several(scope, 2);
                g.indent -= 1;
                g.line("}");
                if g.rng.chance(70) {
                    g.line("break;");
                }
            }
        });
    }

    fn trying(&mut self, scope: &Scope, condition: &str) {
        let inner = scope.clone();
        let thrown = self.given(scope);
        let object = self.rng.chance(40);
        self.braced("try", "", |g| {
            g.several(&inner, 2);
            g.line(&format!("if ({condition})"));
            if object {
                g.line(&format!("    throw Failure({thrown});"));
            } else {
                g.line(&format!("    throw static_cast<int>({thrown});"));
            }
            g.several(&inner, 2);
        });
        let e = self.fresh("e");
        let (caught, value) = match object {
            true => (format!("const Failure &{e}"), format!("{e}.code")),
            false => (format!("int {e}"), e),
        };
        self.braced(&format!("catch ({caught})"), "", |g| {
            let mut inner = scope.clone();
            inner.values.push(value.clone());
            if let Some(place) = g.place(scope) {
                g.line(&format!("{place} += {value};"));
            }
            g.several(&inner, 1);
        });
    }
}
