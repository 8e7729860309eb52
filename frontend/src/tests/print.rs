//! The ir as text: one statement a line, with its position; `'` marks what comes out of a macro.

use base::{Confidence, Id};
use ir::{Callee, Expr, ExprId, ExprKind, Function, LoopKind, StmtId, StmtKind, Type, UnaryOp, Unit, VarRef};
use std::fmt::Write;

/// Everything in `unit`.
pub fn unit(unit: &Unit) -> String {
    let mut out = String::new();
    for global in &unit.globals {
        let flag = |on: bool, text: &'static str| if on { text } else { "" };
        let initial = global.initial.map(|v| format!(" = {v}")).unwrap_or_default();
        let _ = writeln!(
            out,
            "{} global {}: {}{initial}{}{}{}",
            global.span,
            global.name,
            ty(global.ty),
            flag(global.is_static, " static"),
            flag(global.is_extern, " extern"),
            flag(global.address_taken, " &"),
        );
    }
    if !unit.address_taken_functions.is_empty() {
        let _ = writeln!(out, "address taken: {}", unit.address_taken_functions.join(" "));
    }
    for function in &unit.functions {
        out += &self::function(function);
    }
    for diagnostic in &unit.diagnostics {
        let _ = writeln!(out, "{diagnostic}");
    }
    out
}

/// One function.
pub fn function(f: &Function) -> String {
    let mut printer = Printer {
        f,
        out: String::new(),
    };
    let params: Vec<_> = f
        .locals
        .ids()
        .take(f.params)
        .map(|id| printer.local_with_type(id))
        .collect();
    let confidence = match f.confidence {
        Confidence::Clean => String::new(),
        other => format!(
            " {other:?}: {}",
            f.confidence_reason
                .as_ref()
                .map_or_else(|| "?".to_owned(), ToString::to_string)
        ),
    };
    let fixed = if f.is_static { "static " } else { "" };
    let sign = if f.kind.is_macro() { "#" } else { "" };
    let _ = writeln!(
        printer.out,
        "{fixed}fn {sign}{}({}){confidence}",
        f.linkage_name.as_deref().unwrap_or(&f.name),
        params.join(", ")
    );
    let StmtKind::Block(statements) = &f.stmts[f.body].kind else {
        panic!("the body is no block");
    };
    for statement in statements {
        printer.stmt(*statement, 1);
    }
    printer.out
}

struct Printer<'f> {
    f: &'f Function,
    out: String,
}

impl Printer<'_> {
    /// A local's name, with a number when the function has several of that name.
    fn local(&self, id: ir::LocalId) -> String {
        let name = &self.f.locals[id].name;
        let same: Vec<_> = self
            .f
            .locals
            .ids()
            .filter(|other| self.f.locals[*other].name == *name)
            .collect();
        match same.iter().position(|other| *other == id) {
            Some(at) if same.len() > 1 => format!("{name}#{}", at + 1),
            _ => name.clone(),
        }
    }

    fn local_with_type(&self, id: ir::LocalId) -> String {
        let local = &self.f.locals[id];
        let address = if local.address_taken { "&" } else { "" };
        let fixed = if local.is_static { " static" } else { "" };
        format!("{}{address}:{}{fixed}", self.local(id), ty(local.ty))
    }

    fn stmts(&mut self, ids: &[StmtId], depth: usize) {
        for id in ids {
            self.stmt(*id, depth);
        }
    }

    fn stmt(&mut self, id: StmtId, depth: usize) {
        let stmt = &self.f.stmts[id];
        let mark = if stmt.from_macro { "'" } else { "" };
        let head = match &stmt.kind {
            StmtKind::Expr(e) => self.expr(*e),
            StmtKind::Decl { local, init } => {
                let init = init.map(|e| format!(" = {}", self.expr(e))).unwrap_or_default();
                format!(
                    "decl {}@{}{init}",
                    self.local_with_type(*local),
                    self.f.locals[*local].span
                )
            }
            StmtKind::Block(_) => "block".to_owned(),
            StmtKind::Group(_) => "group".to_owned(),
            StmtKind::If {
                cond, else_line: 0, ..
            } => format!("if {}", self.expr(*cond)),
            StmtKind::If { cond, else_line, .. } => format!("if {} else@{else_line}", self.expr(*cond)),
            StmtKind::Loop {
                kind,
                cond,
                step,
                divided,
                ..
            } => {
                let kind = match kind {
                    LoopKind::While => "while",
                    LoopKind::DoWhile => "do-while",
                    LoopKind::For => "for",
                };
                let show = |e: &Option<ExprId>| e.map_or("-".to_owned(), |e| self.expr(e));
                let divided = if *divided { " divided" } else { "" };
                format!("{kind} {} step {}{divided}", show(cond), show(step))
            }
            StmtKind::Switch { value, .. } => format!("switch {}", self.expr(*value)),
            StmtKind::Case(e) => format!("case {}", self.expr(*e)),
            StmtKind::Default => "default".to_owned(),
            StmtKind::Label(name) => format!("label {name}"),
            StmtKind::Goto(name) => format!("goto {name}"),
            StmtKind::ComputedGoto(e) => format!("goto *{}", self.expr(*e)),
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::Return(e) => format!("return {}", e.map(|e| self.expr(e)).unwrap_or_default()),
            StmtKind::Try { .. } => "try".to_owned(),
            StmtKind::Throw(e) => format!("throw {}", e.map(|e| self.expr(e)).unwrap_or_default()),
            StmtKind::Alternatives(_) => "alternatives".to_owned(),
            StmtKind::Empty => "empty".to_owned(),
            StmtKind::Unknown(parts) => format!("unknown {}", self.list(parts)),
        };
        let _ = writeln!(
            self.out,
            "{:w$}{}{mark} {}",
            "",
            stmt.span,
            head.trim_end(),
            w = 2 * depth
        );
        match &stmt.kind {
            StmtKind::Block(ids) | StmtKind::Group(ids) | StmtKind::Alternatives(ids) => {
                self.stmts(ids, depth + 1)
            }
            StmtKind::If { then, other, .. } => {
                self.stmt(*then, depth + 1);
                self.stmts(other.as_slice(), depth + 1);
            }
            StmtKind::Loop { init, body, .. } => {
                self.stmts(init.as_slice(), depth + 2);
                self.stmt(*body, depth + 1);
            }
            StmtKind::Switch { body, .. } => self.stmt(*body, depth + 1),
            StmtKind::Try { body, handlers, .. } => {
                self.stmt(*body, depth + 1);
                self.stmts(handlers, depth + 1);
            }
            _ => {}
        }
    }

    fn list(&self, ids: &[ExprId]) -> String {
        ids.iter().map(|e| self.expr(*e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, id: ExprId) -> String {
        let Expr {
            kind,
            span,
            from_macro,
        } = &self.f.exprs[id];
        let mark = if *from_macro { "'" } else { "" };
        let text = match kind {
            ExprKind::Int(v) => v.to_string(),
            ExprKind::Float(v) => format!("{v:?}"),
            ExprKind::Str => "\"\"".to_owned(),
            ExprKind::Var(VarRef::Local(local)) => self.local(*local),
            ExprKind::Var(VarRef::Global(name)) => format!("@{name}"),
            ExprKind::BuildChoice => "build choice".to_owned(),
            ExprKind::Unseen => "unseen".to_owned(),
            ExprKind::Constant => "const".to_owned(),
            ExprKind::Unary(op, e) => {
                let op = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                    UnaryOp::Not => "!",
                };
                format!("{op}{}", self.expr(*e))
            }
            ExprKind::Binary(op, l, r) => format!("({} {op:?} {})", self.expr(*l), self.expr(*r)),
            ExprKind::And(l, r) => format!("({} && {})", self.expr(*l), self.expr(*r)),
            ExprKind::Or(l, r) => format!("({} || {})", self.expr(*l), self.expr(*r)),
            ExprKind::Conditional(c, t, e) => {
                format!("({} ? {} : {})", self.expr(*c), self.expr(*t), self.expr(*e))
            }
            ExprKind::Comma(l, r) => format!("({}, {})", self.expr(*l), self.expr(*r)),
            ExprKind::Assign { op, target, value } => {
                let op = op.map(|op| format!("{op:?}")).unwrap_or_default();
                format!("{} {op}= {}", self.expr(*target), self.expr(*value))
            }
            ExprKind::Step { target, up, prefix } => {
                let op = if *up { "++" } else { "--" };
                let target = self.expr(*target);
                if *prefix {
                    format!("{op}{target}")
                } else {
                    format!("{target}{op}")
                }
            }
            ExprKind::Call { callee: called, args } => {
                let callee = match called {
                    Callee::Named(name) => name.to_string(),
                    Callee::Macro(called) => format!("MACRO {}", called.name),
                    Callee::Indirect(e) => format!("[{}]", self.expr(*e)),
                };
                let writes: &[ir::ExprId] = match called {
                    Callee::Macro(called) => &called.writes,
                    _ => &[],
                };
                let all = [&args[..], writes].concat();
                format!("{callee}@{span}{mark}({})", self.list(&all))
            }
            ExprKind::Field { base, name, arrow } => {
                format!("{}{}{name}", self.expr(*base), if *arrow { "->" } else { "." })
            }
            ExprKind::Throw(e) => format!("throw {}", e.map(|e| self.expr(e)).unwrap_or_default()),
            ExprKind::Captured { object, name } => format!("{}->{name} (captured)", self.expr(*object)),
            ExprKind::Index { base, index } => format!("{}[{}]", self.expr(*base), self.expr(*index)),
            ExprKind::Deref(e) => format!("*{}", self.expr(*e)),
            ExprKind::AddressOf(e) => format!("&{}", self.expr(*e)),
            ExprKind::Cast(to, e) => format!("({}){}", ty(*to), self.expr(*e)),
            ExprKind::List(parts) => format!("{{{}}}", self.list(parts)),
            ExprKind::Unknown(parts) => format!("unknown[{}]", self.list(parts)),
        };
        debug_assert!(id.index() < self.f.exprs.len());
        text
    }
}

fn ty(ty: Type) -> String {
    match ty {
        Type::Int { signed, bits } => {
            let sign = match signed {
                Some(true) => "i",
                Some(false) => "u",
                None => "int",
            };
            format!("{sign}{}", bits.map(|b| b.to_string()).unwrap_or_default())
        }
        Type::Float { bits } => format!("f{bits}"),
        Type::Pointer => "ptr".to_owned(),
        Type::Array => "array".to_owned(),
        Type::Aggregate => "struct".to_owned(),
        Type::Unknown => "?".to_owned(),
    }
}
