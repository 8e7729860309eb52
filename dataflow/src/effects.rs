//! What an expression writes, and whether it does anything at all.

use base::IdVec;
use ir::{Expr, ExprId, ExprKind, Function, LocalId, Name, VarRef};

/// What an assignment writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A parameter or local variable.
    Local(LocalId),
    /// A variable at file scope.
    Global(Name),
    /// A member of a structure reached by a path.
    Member(Box<MemberPath>),
    /// Memory that we do not name: through a pointer or a subscript.
    Memory,
}

/// A member of a structure reached by a path over a plain variable. Few assignments write one, so it stands apart: every
/// point of a program has room for a [`Target`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberPath {
    /// The whole path as the source writes it: `s->a.step`.
    pub path: Name,
    /// The variable that the path starts from.
    pub root: VarRef,
    /// The last member's name.
    pub member: Name,
}

impl MemberPath {
    /// What the path leads over: the variable that it starts from, and the members before the last. After a change of one of them the
    /// path leads to another object.
    pub fn way(&self) -> Vec<Target> {
        let text = self.path.as_str();
        let root = match &self.root {
            VarRef::Local(local) => Target::Local(*local),
            VarRef::Global(name) => Target::Global(*name),
        };
        let mut way = vec![root];
        // The first part is the variable, the last one the member itself.
        let mut ends: Vec<usize> = (0..text.len())
            .filter(|&at| text[at..].starts_with("->") || text[at..].starts_with('.'))
            .collect();
        if !ends.is_empty() {
            ends.remove(0);
        }
        for end in ends {
            let part = &text[..end];
            let member = part.rsplit(['.', '>']).next().unwrap_or(part);
            way.push(Target::Member(Box::new(MemberPath {
                path: part.into(),
                root: self.root.clone(),
                member: member.into(),
            })));
        }
        way
    }
}

/// What an lvalue expression names.
pub fn target_of(function: &Function, id: ExprId) -> Target {
    match &function.exprs[id].kind {
        ExprKind::Var(VarRef::Local(local)) => Target::Local(*local),
        ExprKind::Var(VarRef::Global(name)) => Target::Global(*name),
        ExprKind::Field { name, .. } => match path(function, id) {
            Some((path, root)) => Target::Member(Box::new(MemberPath {
                path: path.into(),
                root,
                member: *name,
            })),
            None => Target::Memory,
        },
        ExprKind::Cast(_, inner) => target_of(function, *inner),
        _ => Target::Memory,
    }
}

/// The text of a member path over a plain variable, and that variable.
pub(crate) fn path(function: &Function, id: ExprId) -> Option<(String, VarRef)> {
    match &function.exprs[id].kind {
        ExprKind::Var(var) => Some((variable_name(function, var).to_owned(), var.clone())),
        ExprKind::Field { base, name, arrow } => {
            let (base, root) = path(function, function.object(*base))?;
            Some((format!("{base}{}{name}", if *arrow { "->" } else { "." }), root))
        }
        _ => None,
    }
}

/// A variable's name in the source.
pub(crate) fn variable_name<'a>(function: &'a Function, var: &'a VarRef) -> &'a str {
    match var {
        VarRef::Local(local) => &function.locals[*local].name,
        VarRef::Global(name) => name,
    }
}

/// For every expression, whether evaluating it calls or writes anything.
pub(crate) fn effects(function: &Function) -> IdVec<ExprId, bool> {
    // Children stand before parents, so one pass suffices.
    let mut effects: IdVec<ExprId, bool> = IdVec::new();
    for expr in &function.exprs {
        let own = matches!(
            expr.kind,
            ExprKind::Assign { .. } | ExprKind::Step { .. } | ExprKind::Call { .. } | ExprKind::Throw(_)
        );
        let mut any = own;
        each_child(expr, |child| any |= effects.get(child).copied().unwrap_or(true));
        effects.push(any);
    }
    effects
}

/// The operands of an expression, in source order.
pub fn children(expr: &Expr) -> Vec<ExprId> {
    let mut found = Vec::new();
    each_child(expr, |child| found.push(child));
    found
}

/// Visits the operands of an expression, in source order: passes over all expressions of a program need no list of each.
pub(crate) fn each_child(expr: &Expr, mut visit: impl FnMut(ExprId)) {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str | ExprKind::Var(_) => {}
        ExprKind::Constant | ExprKind::Unseen | ExprKind::BuildChoice => {}
        ExprKind::Throw(value) => value.iter().for_each(|&value| visit(value)),
        ExprKind::Unary(_, a)
        | ExprKind::Deref(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Cast(_, a)
        | ExprKind::Field { base: a, .. }
        | ExprKind::Captured { object: a, .. }
        | ExprKind::Step { target: a, .. } => visit(*a),
        ExprKind::Binary(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index { base: a, index: b }
        | ExprKind::Assign {
            target: a, value: b, ..
        } => {
            visit(*a);
            visit(*b);
        }
        ExprKind::Conditional(a, b, c) => {
            visit(*a);
            visit(*b);
            visit(*c);
        }
        ExprKind::Call { callee, args } => {
            if let ir::Callee::Indirect(pointer) = callee {
                visit(*pointer);
            }
            args.iter().copied().for_each(&mut visit);
            if let ir::Callee::Macro(called) = callee {
                called.writes.iter().copied().for_each(visit);
            }
        }
        ExprKind::List(items) | ExprKind::Unknown(items) => items.iter().copied().for_each(visit),
    }
}
