//! What a function does, as a list that two parsers should agree on.

use base::Span;
use ir::{Callee, ExprId, ExprKind, Function, LoopKind, StmtId, StmtKind, VarRef};
use std::collections::BTreeSet;

/// A loop, assignment or call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// What it is, in words.
    pub what: String,
    /// It stands in an arm of `#if`, or of a macro that means one thing in some builds and another in others.
    pub optional: bool,
}

/// The items of a function.
#[derive(Debug, Default)]
pub struct Items {
    /// All of them.
    pub items: Vec<Item>,
    /// Lines on which a macro is called that was not expanded.
    pub macro_lines: BTreeSet<u32>,
    /// The text of each `?:` whose condition is of constants alone.
    pub decided: Vec<Span>,
}

impl Items {
    /// Takes one item like `item` out, wherever it stands; whether there was one.
    pub fn take(&mut self, item: &Item) -> bool {
        let like =
            |other: &Item| (other.line, other.column) == (item.line, item.column) && other.what == item.what;
        let found = self.items.iter().position(like);
        if let Some(index) = found {
            self.items.swap_remove(index);
        }
        found.is_some()
    }
}

/// How closely functions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What has an effect: loops, jumps, assignments, calls.
    Effects,
    /// Every operator too. The tolerant parser computes what macros make constant, so this is for texts without macros.
    Operators,
}

/// What `function` does.
pub fn items(function: &Function, detail: Detail) -> Items {
    let mut walk = Walk {
        function,
        detail,
        found: Items::default(),
        optional: 0,
    };
    walk.statement(function.body);
    walk.found
}

struct Walk<'f> {
    function: &'f Function,
    detail: Detail,
    found: Items,
    /// How many conditional groups are around.
    optional: usize,
}

impl Walk<'_> {
    fn push(&mut self, at: Span, what: String) {
        self.found.items.push(Item {
            line: at.line,
            column: at.column,
            what,
            optional: self.optional > 0,
        });
    }

    fn statement(&mut self, id: StmtId) {
        let function = self.function;
        let statement = &function.stmts[id];
        match &statement.kind {
            StmtKind::Expr(value) | StmtKind::ComputedGoto(value) | StmtKind::Case(value) => {
                self.expr(*value)
            }
            StmtKind::Decl { local, init } => {
                if let Some(init) = init {
                    self.expr(*init);
                    let name = &function.locals[*local].name;
                    self.push(function.locals[*local].span, format!("the initialiser of {name}"));
                }
            }
            StmtKind::Block(all) | StmtKind::Group(all) => all.iter().for_each(|id| self.statement(*id)),
            StmtKind::Alternatives(arms) => {
                self.optional += 1;
                arms.iter().for_each(|id| self.statement(*id));
                self.optional -= 1;
            }
            StmtKind::Try { body, handlers, .. } => {
                self.statement(*body);
                handlers.iter().for_each(|id| self.statement(*id));
            }
            StmtKind::Throw(value) => value.iter().for_each(|id| self.expr(*id)),
            StmtKind::If {
                cond, then, other, ..
            } => {
                // An arm of `#if` that ends within a statement is one with a condition that the build decides.
                let of_build = usize::from(self.asks_the_build(*cond));
                self.optional += of_build;
                self.expr(*cond);
                self.push(statement.span, "an if".to_owned());
                self.statement(*then);
                self.optional -= of_build;
                other.iter().for_each(|id| self.statement(*id));
            }
            StmtKind::Loop {
                kind,
                init,
                cond,
                step,
                body,
                ..
            } => {
                // `do … while (0)` is a macro's way to be one statement.
                let once = *kind == LoopKind::DoWhile
                    && cond.is_some_and(|cond| function.exprs[cond].kind == ExprKind::Int(0));
                if !once {
                    self.push(statement.span, format!("a {kind:?} loop"));
                }
                init.iter().for_each(|id| self.statement(*id));
                cond.iter().chain(step).for_each(|id| self.expr(*id));
                self.statement(*body);
            }
            StmtKind::Switch { value, body } => {
                self.expr(*value);
                self.push(statement.span, "a switch".to_owned());
                self.statement(*body);
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|id| self.expr(*id));
                self.push(statement.span, "a return".to_owned());
            }
            StmtKind::Goto(name) => self.push(statement.span, format!("goto {name}")),
            StmtKind::Label(name) => self.push(statement.span, format!("label {name}")),
            StmtKind::Break => self.push(statement.span, "a break".to_owned()),
            StmtKind::Continue => self.push(statement.span, "a continue".to_owned()),
            StmtKind::Default | StmtKind::Empty => {}
            StmtKind::Unknown(parts) => parts.iter().for_each(|id| self.expr(*id)),
        }
    }

    /// Whether a condition begins with the choice that stands for a build's configuration.
    fn asks_the_build(&self, id: ExprId) -> bool {
        match &self.function.exprs[id].kind {
            ExprKind::BuildChoice => true,
            ExprKind::And(first, _) | ExprKind::Or(first, _) => self.asks_the_build(*first),
            _ => false,
        }
    }

    /// Whether an expression is made of numbers alone.
    fn is_constant(&self, id: ExprId) -> bool {
        match &self.function.exprs[id].kind {
            ExprKind::Int(_) => true,
            ExprKind::Unary(_, of) => self.is_constant(*of),
            ExprKind::Binary(_, left, right) => self.is_constant(*left) && self.is_constant(*right),
            _ => false,
        }
    }

    fn expr(&mut self, id: ExprId) {
        let expr = &self.function.exprs[id];
        let at = expr.span;
        let mut children: Vec<ExprId> = Vec::new();
        if self.detail == Detail::Operators {
            let operator = match &expr.kind {
                ExprKind::Unary(operator, _) => Some(format!("{operator:?}")),
                ExprKind::Binary(operator, ..) => Some(format!("{operator:?}")),
                ExprKind::And(..) => Some("and".to_owned()),
                ExprKind::Or(..) => Some("or".to_owned()),
                ExprKind::Conditional(..) => Some("a choice".to_owned()),
                ExprKind::Cast(ty, _) => Some(format!("a cast to {ty:?}")),
                ExprKind::Deref(_) => Some("an indirection".to_owned()),
                ExprKind::AddressOf(_) => Some("an address".to_owned()),
                ExprKind::Index { .. } => Some("a subscript".to_owned()),
                ExprKind::Field { name, .. } => Some(format!("a member {name}")),
                _ => None,
            };
            if let Some(operator) = operator {
                let (line, column) = (expr.span.end_line, expr.span.end_column);
                self.push(at, format!("{operator} up to {line}:{column}"));
            }
        }
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str
            | ExprKind::Var(_)
            | ExprKind::Constant
            | ExprKind::Unseen
            | ExprKind::BuildChoice => {}
            ExprKind::Throw(value) => children.extend(value),
            ExprKind::Unary(_, one)
            | ExprKind::Deref(one)
            | ExprKind::AddressOf(one)
            | ExprKind::Cast(_, one)
            | ExprKind::Field { base: one, .. }
            | ExprKind::Captured { object: one, .. } => children.push(*one),
            ExprKind::Binary(_, left, right)
            | ExprKind::And(left, right)
            | ExprKind::Or(left, right)
            | ExprKind::Comma(left, right)
            | ExprKind::Index {
                base: left,
                index: right,
            } => children.extend([*left, *right]),
            ExprKind::Conditional(cond, then, other) => {
                if self.is_constant(*cond) {
                    self.found.decided.push(at);
                }
                children.extend([*cond, *then, *other]);
            }
            ExprKind::Assign { op, target, value } => {
                let sign = if op.is_some() { "changed" } else { "assigned" };
                self.push(at, format!("{} {sign}", self.name(*target)));
                children.extend([*target, *value]);
            }
            ExprKind::Step { target, up, .. } => {
                let way = if *up { "stepped up" } else { "stepped down" };
                self.push(at, format!("{} {way}", self.name(*target)));
                children.push(*target);
            }
            ExprKind::Call { callee, args } => {
                match callee {
                    Callee::Named(name) => self.push(at, format!("a call of {name}")),
                    Callee::Indirect(pointer) => {
                        self.push(at, "a call through a pointer".to_owned());
                        children.push(*pointer);
                    }
                    Callee::Macro(_) => {
                        self.found.macro_lines.insert(at.line);
                    }
                }
                children.extend(args);
                if let Callee::Macro(called) = callee {
                    children.extend(&called.writes);
                }
            }
            ExprKind::List(all) | ExprKind::Unknown(all) => children.extend(all),
        }
        let of_build = match &expr.kind {
            ExprKind::And(first, _) | ExprKind::Conditional(first, ..) => {
                usize::from(self.asks_the_build(*first))
            }
            _ => 0,
        };
        self.optional += of_build;
        for child in children {
            self.expr(child);
        }
        self.optional -= of_build;
    }

    /// The variable or member that an expression writes to, as far as both parsers name it the same.
    fn name(&self, id: ExprId) -> String {
        match &self.function.exprs[id].kind {
            ExprKind::Var(VarRef::Local(local)) => self.function.locals[*local].name.clone(),
            ExprKind::Var(VarRef::Global(name)) => name.to_string(),
            ExprKind::Field { name, .. } => format!("member {name}"),
            ExprKind::Index { base, .. } => format!("an element of {}", self.name(*base)),
            ExprKind::Deref(_) => "what a pointer points to".to_owned(),
            _ => "something".to_owned(),
        }
    }
}
