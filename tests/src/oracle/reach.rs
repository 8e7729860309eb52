//! Which loops can come round again from a place: on the way out of a loop there is no next iteration.
//!
//! The execution index follows the syntax: what stands in a loop's body is in the loop. Control flow sees it otherwise:
//! from `if (c) { f(); break; }` nothing leads back, so that `f()` comes after every iteration of the loop. For one task
//! the two agree: who is on the way out sees no later iteration. For two, the one that is leaving in its second iteration
//! is behind the one that is in its fifth; but a judge may also call them incomparable.

use super::ast::{Expr, Program, Stmt};

/// Loops around a place in its function, as a set of nesting depths, outermost loop in bit 0.
pub type Loops = u64;

/// By site: the loops around it that can come round again after it.
#[must_use]
pub fn coming_round(program: &Program, sites: usize) -> Vec<Loops> {
    let mut walk = Walk {
        found: vec![0; sites],
    };
    for function in &program.functions {
        walk.list(&function.body, &Ways::default(), 0);
    }
    walk.found
}

/// Where the ways out of a statement lead: the loops that can come round again on each.
#[derive(Clone, Debug, Default)]
struct Ways {
    next: Loops,
    on_break: Loops,
    on_continue: Loops,
    labels: Vec<(String, Loops)>,
}

impl Ways {
    fn with_next(&self, next: Loops) -> Self {
        Self { next, ..self.clone() }
    }

    fn label(&self, name: &str) -> Loops {
        let known = self.labels.iter().rev().find(|(label, _)| label == name);
        known.map_or(0, |(_, loops)| *loops)
    }
}

struct Walk {
    found: Vec<Loops>,
}

impl Walk {
    /// From the start of `stmts`, `depth` loops deep.
    fn list(&mut self, stmts: &[Stmt], ways: &Ways, depth: u32) -> Loops {
        let mut next = ways.next;
        for stmt in stmts.iter().rev() {
            next = self.stmt(stmt, &ways.with_next(next), depth);
        }
        next
    }

    /// From the start of a loop whose header is `header`. It goes round until nothing new is reached.
    fn cycle(
        &mut self,
        body: &[Stmt],
        header: &[&Expr],
        ways: &Ways,
        label: Option<&str>,
        depth: u32,
    ) -> Loops {
        let own = 1 << depth.min(63);
        let mut reached = ways.next;
        loop {
            let round = reached | own;
            let mut inner = Ways {
                next: round,
                on_break: if label.is_some() { ways.on_break } else { ways.next },
                on_continue: if label.is_some() { ways.on_continue } else { round },
                labels: ways.labels.clone(),
            };
            if let Some(label) = label {
                inner.labels.push((label.to_owned(), round));
            }
            let again = (self.list(body, &inner, depth + 1) & !own) | ways.next;
            for e in header {
                self.sites(e, again | own);
            }
            if again == reached {
                return reached;
            }
            reached = again;
        }
    }

    fn stmt(&mut self, stmt: &Stmt, ways: &Ways, depth: u32) -> Loops {
        match stmt {
            Stmt::Expr(e, site) => {
                self.site(*site, ways.next);
                self.sites(e, ways.next)
            }
            Stmt::AddMacro(_, _, site) => {
                self.site(*site, ways.next);
                ways.next
            }
            Stmt::Decl(_, _, Some(e), _) => self.sites(e, ways.next),
            Stmt::Decl(_, _, None, _) => ways.next,
            Stmt::If(cond, yes, no) => {
                let other = match no {
                    Some(no) => self.list(no, ways, depth),
                    None => ways.next,
                };
                let reached = self.list(yes, ways, depth) | other;
                self.sites(cond, reached)
            }
            Stmt::While(cond, body) | Stmt::Do(body, cond) | Stmt::ForMacro(_, cond, body) => {
                self.cycle(body, &[cond], ways, None, depth)
            }
            Stmt::For(parts) => {
                let header: Vec<&Expr> = parts.cond.iter().chain(&parts.step).collect();
                let reached = self.cycle(&parts.body, &header, ways, None, depth);
                self.site(parts.step_site, reached | 1 << depth.min(63));
                self.site(parts.init_site, reached);
                match &parts.init {
                    Some(super::ast::ForInit::Decl(_, _, e) | super::ast::ForInit::Expr(e)) => {
                        self.sites(e, reached)
                    }
                    None => reached,
                }
            }
            Stmt::Switch(value, cases) => {
                // A `break` of the tree's own ends a case; one inside would be the enclosing loop's.
                let mut fallen = ways.next;
                let mut reached = 0;
                for case in cases.iter().rev() {
                    let next = if case.falls { fallen } else { ways.next };
                    fallen = self.list(&case.body, &ways.with_next(next), depth);
                    reached |= fallen;
                }
                self.sites(value, reached)
            }
            Stmt::Break => ways.on_break,
            Stmt::Continue => ways.on_continue,
            Stmt::Return(value) => value.as_ref().map_or(0, |e| self.sites(e, 0)),
            Stmt::Again(label, body, cond) => self.cycle(body, &[cond], ways, Some(label), depth),
            Stmt::GotoAgain(label) | Stmt::GotoEnd(label) => ways.label(label),
            Stmt::Until(label, body) => {
                let mut inner = ways.clone();
                inner.labels.push((label.clone(), ways.next));
                self.list(body, &inner, depth)
            }
            Stmt::TwoEntries(parts) => {
                // Its own iterations are not counted: no verdict about them is held against an index.
                let mut again = ways.next;
                for _ in 0..2 {
                    let after = self.sites(&parts.again, ways.next | again);
                    let second = self.list(&parts.second, &ways.with_next(after), depth);
                    again = self.list(&parts.first, &ways.with_next(second), depth) | second;
                }
                self.sites(&parts.enter, again)
            }
            Stmt::Block(body) | Stmt::OneLine(body) => self.list(body, ways, depth),
            Stmt::Macro(twice, body) => {
                let once = self.list(body, ways, depth);
                if *twice {
                    self.list(body, &ways.with_next(once), depth)
                } else {
                    once
                }
            }
        }
    }

    fn site(&mut self, site: usize, loops: Loops) {
        if let Some(known) = self.found.get_mut(site) {
            *known |= loops;
        }
    }

    /// All calls in `e`, which leads on to `loops`; the same set, for the statement before.
    fn sites(&mut self, e: &Expr, loops: Loops) -> Loops {
        match e {
            Expr::Call { args, site, .. } => {
                self.site(*site, loops);
                for arg in args {
                    self.sites(arg, loops);
                }
            }
            Expr::Not(e) | Expr::Set(_, _, e) => {
                self.sites(e, loops);
            }
            Expr::Bin(_, a, b) | Expr::Logic(_, a, b) | Expr::Comma(a, b) => {
                self.sites(a, loops);
                self.sites(b, loops);
            }
            Expr::Choose(c, a, b) => {
                for e in [c, a, b] {
                    self.sites(e, loops);
                }
            }
            Expr::Int(_)
            | Expr::Real(..)
            | Expr::Get(_)
            | Expr::Addr(_)
            | Expr::Word(_)
            | Expr::Step { .. } => {}
        }
        loops
    }
}
