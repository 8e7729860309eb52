//! The baseline: the rules of SC'09 as printed, by line number and syntax tree.
//!
//! Tuples of line displacements with an iteration token per loop and a branch token per arm (section 4.1, Figure 3: an
//! arm begins on the line of its condition), compared lexicographically (Def. 3.4). Loop-order variables by the
//! published algorithm (section 4.2), which counts definitions and does not ask whether every iteration makes one.
//! It reads the program's tree where the paper reads ROSE's; of a moment it sees what every judge sees.

use super::{Judge, Question, Unknown, Verdict};
use crate::oracle::ast::{Expr, ForInit, Lvalue, Op, Part, Program, Stmt, Ty, visit_stmts};
use crate::oracle::case::Case;
use crate::oracle::layout::{Level, LevelKind};
use snapshot::{Frame, Value};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What to do in a loop for which the algorithm finds no variable. The paper does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingVariable {
    /// Give up.
    Stop,
    /// Compare what is inside as if both were in the same iteration.
    Skip,
}

/// The rules of the paper.
#[derive(Clone, Copy, Debug)]
pub struct Paper(pub MissingVariable);

/// The variable of each loop, and whether it grows.
type Variables = BTreeMap<usize, (String, bool)>;

impl Judge for Paper {
    fn judge(&self, case: &Case, questions: &[Question]) -> Result<Vec<Vec<Verdict>>, String> {
        let variables = variables(&case.program);
        let levels = &case.layout.levels;
        let answer = |question: &Question| {
            let record = |moment| case.record(moment, question.view);
            let tasks: Vec<snapshot::Task> = question.moments.iter().copied().map(record).collect();
            let verdict = |&(a, b): &(usize, usize)| {
                self.stacks(levels, &variables, &tasks[a].frames, &tasks[b].frames)
            };
            question.pairs.iter().map(verdict).collect()
        };
        Ok(questions.iter().map(answer).collect())
    }
}

impl Paper {
    fn stacks(&self, levels: &[Level], variables: &Variables, a: &[Frame], b: &[Frame]) -> Verdict {
        for (x, y) in a.iter().zip(b) {
            let (Some(p), Some(q)) = (x.line, y.line) else {
                continue;
            };
            if x.function != y.function {
                return Verdict::Unknown(Unknown::plain("different functions"));
            }
            let (left, right) = (chain(levels, p), chain(levels, q));
            let verdict = self.tuples(variables, (&left, p, x), (&right, q, y));
            if verdict != Verdict::Equal {
                return verdict;
            }
        }
        if a.len() == b.len() {
            Verdict::Equal
        } else {
            Verdict::Unknown(Unknown::plain("a prefix"))
        }
    }

    fn tuples(
        &self,
        variables: &Variables,
        (left, p, x): (&[Level], u32, &Frame),
        (right, q, y): (&[Level], u32, &Frame),
    ) -> Verdict {
        let displacement = |a: u32, b: u32| match a.cmp(&b) {
            Ordering::Less => Verdict::Before,
            Ordering::Equal => Verdict::Equal,
            Ordering::Greater => Verdict::After,
        };
        for depth in 0..left.len().max(right.len()) {
            let (a, b) = (left.get(depth), right.get(depth));
            let (Some(a), Some(b)) = (a, b) else {
                return displacement(a.map_or(p, |level| level.first), b.map_or(q, |level| level.first));
            };
            if (a.first, a.last, a.kind) != (b.first, b.last, b.kind) {
                if a.kind == LevelKind::Arm && b.kind == LevelKind::Arm {
                    return Verdict::Incomparable;
                }
                return displacement(a.first, b.first);
            }
            let LevelKind::Loop(index) = a.kind else { continue };
            let Some((name, up)) = variables.get(&index) else {
                if self.0 == MissingVariable::Skip {
                    continue;
                }
                return Verdict::Unknown(Unknown::plain("a loop without variable"));
            };
            let (Some(Value::Integer(v)), Some(Value::Integer(w))) = (x.values.get(name), y.values.get(name))
            else {
                return Verdict::Unknown(Unknown::plain("a value is missing"));
            };
            match if *up { v.cmp(w) } else { w.cmp(v) } {
                Ordering::Less => return Verdict::Before,
                Ordering::Greater => return Verdict::After,
                Ordering::Equal => {}
            }
        }
        displacement(p, q)
    }
}

/// The levels around a line, outermost first.
fn chain(levels: &[Level], line: u32) -> Vec<Level> {
    let mut chain: Vec<Level> = Vec::new();
    for level in levels {
        let inside = chain
            .last()
            .is_none_or(|outer| outer.first <= level.first && level.last <= outer.last);
        // Of two arms on one line the paper's rules see the first.
        let second_arm =
            level.kind == LevelKind::Arm && chain.last().is_some_and(|l| l.kind == LevelKind::Arm);
        if inside && !second_arm && level.first <= line && line <= level.last {
            chain.push(*level);
        }
    }
    chain
}

/// What the algorithm knows of one candidate in one loop.
#[derive(Default)]
struct Candidate {
    updates: usize,
    conditional: bool,
    up: Option<bool>,
    bad: bool,
}

/// The first variable that the algorithm accepts for each loop.
fn variables(program: &Program) -> Variables {
    let mut found = Variables::new();
    let mut loops = 0;
    let globals = program
        .globals
        .iter()
        .filter(|g| g.ty == Ty::Int)
        .map(|g| g.name.clone());
    let globals: BTreeSet<String> = globals.collect();
    for function in &program.functions {
        let mut body = function.body.clone();
        let outside = Outside::of(&mut body, &globals);
        visit_stmts(&mut body, &mut |part| {
            let Part::Stmt(stmt) = part else { return };
            if !matches!(
                stmt,
                Stmt::While(..) | Stmt::Do(..) | Stmt::For(_) | Stmt::ForMacro(..)
            ) {
                return;
            }
            if let Some(variable) = variable_of(stmt, &outside) {
                found.insert(loops, variable);
            }
            loops += 1;
        });
    }
    found
}

/// Definitions and address uses of a function's integer variables.
struct Outside {
    starts: BTreeMap<String, usize>,
    refused: BTreeSet<String>,
}

impl Outside {
    fn of(body: &mut [Stmt], globals: &BTreeSet<String>) -> Self {
        let mut outside = Self {
            starts: globals.iter().map(|name| (name.clone(), 0)).collect(),
            refused: BTreeSet::new(),
        };
        visit_stmts(body, &mut |part| match part {
            Part::Stmt(Stmt::Decl(ty, name, init, _)) => outside.declare(*ty, name, init.as_ref()),
            Part::Stmt(Stmt::For(parts)) => {
                if let Some(ForInit::Decl(ty, name, init)) = &parts.init {
                    outside.declare(*ty, name, Some(init));
                }
            }
            Part::Stmt(Stmt::ForMacro(name, ..)) => outside.declare(Ty::Int, name, Some(&Expr::Int(0))),
            Part::Expr(Expr::Addr(Lvalue::Var(name))) => {
                outside.refused.insert(name.clone());
            }
            Part::Expr(Expr::Set(Lvalue::Var(name), None, value)) => match **value {
                Expr::Int(_) => *outside.starts.entry(name.clone()).or_default() += 1,
                // Its own use makes it an update, which the loop looks at.
                ref value if uses(value, name) => {}
                _ => {
                    outside.refused.insert(name.clone());
                }
            },
            _ => {}
        });
        outside
    }

    fn declare(&mut self, ty: Ty, name: &str, init: Option<&Expr>) {
        let integer = matches!(ty, Ty::Int | Ty::Long | Ty::Unsigned | Ty::Size | Ty::Byte);
        if !integer || !matches!(init, Some(Expr::Int(_))) {
            self.refused.insert(name.to_owned());
        }
        *self.starts.entry(name.to_owned()).or_default() += 1;
    }

    /// Def. 4.2: exactly one definition reaches the loop from outside, and it is a constant.
    fn unambiguous(&self, name: &str) -> bool {
        self.starts.get(name) == Some(&1) && !self.refused.contains(name)
    }
}

fn uses(e: &Expr, name: &str) -> bool {
    match e {
        Expr::Get(Lvalue::Var(known)) => known == name,
        Expr::Bin(_, a, b) => uses(a, name) || uses(b, name),
        _ => false,
    }
}

fn variable_of(stmt: &Stmt, outside: &Outside) -> Option<(String, bool)> {
    let mut candidates: BTreeMap<String, Candidate> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut note = |name: &str, up: Option<bool>| {
        if !order.iter().any(|known| known == name) {
            order.push(name.to_owned());
        }
        let candidate = candidates.entry(name.to_owned()).or_default();
        candidate.updates += 1;
        candidate.bad |= up.is_none() || candidate.up.is_some_and(|known| Some(known) != up);
        candidate.up = up;
    };
    let mut alone = vec![stmt.clone()];
    if let Stmt::For(parts) = &mut alone[0] {
        parts.init = None;
    }
    if let Stmt::ForMacro(name, ..) = &alone[0] {
        note(name, Some(true));
    }
    let mut branches = Vec::new();
    visit_stmts(&mut alone, &mut |part| match part {
        Part::Expr(Expr::Step {
            place: Lvalue::Var(name),
            up,
            ..
        }) => note(name, Some(*up)),
        Part::Expr(Expr::Set(Lvalue::Var(name), op, value)) => note(name, direction(name, *op, value)),
        Part::Stmt(Stmt::AddMacro(name, ..)) => note(name, Some(true)),
        // A definition that does not use the variable itself.
        Part::Stmt(Stmt::Decl(_, name, ..)) => note(name, None),
        Part::Stmt(Stmt::For(parts)) => {
            if let Some(ForInit::Decl(_, name, _)) = &parts.init {
                note(name, None);
            }
        }
        Part::Stmt(branch @ Stmt::If(..)) => branches.push(branch.clone()),
        _ => {}
    });
    // Def. 4.3: with a second update in a branch, two definitions from inside reach a use.
    visit_stmts(&mut branches, &mut |part| {
        if let Part::Expr(
            Expr::Step {
                place: Lvalue::Var(name),
                ..
            }
            | Expr::Set(Lvalue::Var(name), ..),
        ) = part
            && let Some(candidate) = candidates.get_mut(name.as_str())
        {
            candidate.conditional = true;
        }
    });
    order.into_iter().find_map(|name| {
        let candidate = &candidates[&name];
        let ambiguous = candidate.conditional && candidate.updates > 1;
        let accepted = !candidate.bad && !ambiguous && outside.unambiguous(&name);
        accepted.then_some((name, candidate.up?))
    })
}

/// The basic monotonic statements: x + c, x - c, x * c, x / c.
fn direction(name: &str, op: Option<Op>, value: &Expr) -> Option<bool> {
    let (op, by) = match (op, value) {
        (Some(op), Expr::Int(by)) => (op, *by),
        (None, Expr::Bin(op, a, b)) => match (&**a, &**b) {
            (Expr::Get(Lvalue::Var(known)), Expr::Int(by)) if known == name => (*op, *by),
            _ => return None,
        },
        _ => return None,
    };
    match op {
        Op::Add => Some(by > 0),
        Op::Sub => Some(by < 0),
        Op::Mul if by > 0 => Some(true),
        Op::Div if by > 0 => Some(false),
        _ => None,
    }
}
