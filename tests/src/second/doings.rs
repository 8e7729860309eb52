//! What a function does and where, for two readings of it that share the lowering but not the text.

use ir::{Callee, ExprKind, Function, LoopKind, StmtKind};

/// What a function does and where, in order of place.
pub fn doings(function: &Function) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |span: base::Span, what: String| found.push((span.line, span.column, what));
    for expr in function.exprs.iter() {
        match &expr.kind {
            ExprKind::Call { callee, args } => {
                let name = match callee {
                    Callee::Named(name) => name.to_string(),
                    Callee::Macro(called) => format!("macro {}", called.name),
                    Callee::Indirect(_) => "pointer".to_owned(),
                };
                add(expr.span, format!("calls {name} with {}", args.len()));
            }
            ExprKind::Assign { .. } => add(expr.span, "assigns".to_owned()),
            ExprKind::Step { .. } => add(expr.span, "steps".to_owned()),
            _ => {}
        }
    }
    for stmt in function.stmts.iter() {
        match &stmt.kind {
            StmtKind::Loop { kind, cond, .. } => {
                let once = *kind == LoopKind::DoWhile
                    && cond.is_some_and(|cond| function.exprs[cond].kind == ExprKind::Int(0));
                if !once {
                    add(stmt.span, format!("loops by {kind:?}"));
                }
            }
            StmtKind::If { .. } => add(stmt.span, "asks".to_owned()),
            StmtKind::Return(_) => add(stmt.span, "returns".to_owned()),
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => add(stmt.span, "jumps".to_owned()),
            _ => {}
        }
    }
    for local in function.locals.iter() {
        add(local.span, format!("has {} of type {:?}", local.name, local.ty));
    }
    found.sort();
    found
        .into_iter()
        .map(|(line, column, what)| format!("{line}:{column} {what}"))
        .collect()
}

/// Whether a function depends on the build, or holds macros: then the two readings differ by right.
pub fn has_alternatives(function: &Function) -> bool {
    let macros = |kind: &ExprKind| {
        matches!(
            kind,
            ExprKind::Call {
                callee: Callee::Macro(_),
                ..
            }
        )
    };
    let arms = function
        .stmts
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Alternatives(_)));
    arms || function.exprs.iter().any(|expr| macros(&expr.kind))
}
