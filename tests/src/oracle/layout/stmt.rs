//! Statements.

use super::{LevelKind, Writer};
use crate::oracle::ast::{Case, Expr, For, ForInit, Stmt, Ty};

impl Writer {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.margin();
            self.stmt(stmt);
            self.end_line();
        }
    }

    /// `{`, the statements, `}`.
    fn braces(&mut self, stmts: &[Stmt]) {
        self.put("{");
        self.end_line();
        self.indent += 1;
        self.scopes.push(Vec::new());
        self.stmts(stmts);
        self.scopes.pop();
        self.indent -= 1;
        self.margin();
        self.put("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let (line, _) = self.here();
        self.lines.stmt(stmt, line);
        match stmt {
            Stmt::Expr(e, site) => {
                self.stop_and_do(e, *site);
                self.put(";");
            }
            Stmt::Decl(ty, name, init, is_static) => {
                if *is_static {
                    self.put("static ");
                }
                // The name is not yet usable in the logging of its own initialiser, though C has it in scope.
                let known = self.scopes.last().cloned().unwrap_or_default();
                self.declare(*ty, name);
                let with = self
                    .scopes
                    .last_mut()
                    .map(|scope| std::mem::replace(scope, known));
                if let Some(e) = init {
                    self.put(" = ");
                    self.expr(e, None);
                }
                if let (Some(scope), Some(with)) = (self.scopes.last_mut(), with) {
                    *scope = with;
                }
                self.put(";");
            }
            Stmt::If(cond, yes, no) => {
                let branch = self.open(LevelKind::Branch);
                // Figure 3 of the paper: the THEN node spans the condition line too.
                let arm = self.open(LevelKind::Arm);
                self.put("if (");
                self.expr(cond, None);
                self.put(") ");
                self.braces(yes);
                self.close(arm);
                if let Some(no) = no {
                    self.put(" else ");
                    let arm = self.open(LevelKind::Arm);
                    self.braces(no);
                    self.close(arm);
                }
                self.close(branch);
            }
            Stmt::While(cond, body) => {
                let level = self.open(LevelKind::Loop(0));
                self.put("while (");
                self.expr(cond, None);
                self.put(") ");
                self.braces(body);
                self.close(level);
            }
            Stmt::Do(body, cond) => {
                let level = self.open(LevelKind::Loop(0));
                self.put("do ");
                self.braces(body);
                self.put(" while (");
                self.expr(cond, None);
                self.put(");");
                self.close(level);
            }
            Stmt::For(parts) => self.for_stmt(parts),
            Stmt::ForMacro(name, bound, body) => {
                let level = self.open(LevelKind::Loop(0));
                self.in_macro(|w| {
                    w.put(&format!("FOR_UP({name}, "));
                    w.expr(bound, None);
                    w.put(") ");
                });
                self.scopes.push(vec![(name.clone(), Ty::Int)]);
                self.braces(body);
                self.scopes.pop();
                self.close(level);
            }
            Stmt::Switch(value, cases) => self.switch(value, cases),
            Stmt::Break => self.put("break;"),
            Stmt::Continue => self.put("continue;"),
            Stmt::Return(None) => self.put("return;"),
            Stmt::Return(Some(e)) => {
                self.put("return ");
                self.expr(e, None);
                self.put(";");
            }
            Stmt::Again(label, body, cond) => {
                self.put(&format!("{label}: "));
                self.braces(body);
                self.end_line();
                self.margin();
                self.put("if (");
                self.expr(cond, None);
                self.put(&format!(") goto {label};"));
            }
            Stmt::GotoAgain(label) | Stmt::GotoEnd(label) => self.put(&format!("goto {label};")),
            Stmt::Until(label, body) => {
                self.braces(body);
                self.put(&format!(" {label}: ;"));
            }
            Stmt::TwoEntries(parts) => {
                self.put("if (");
                self.expr(&parts.enter, None);
                self.put(&format!(") goto mid_{};", parts.name));
                self.end_line();
                self.margin();
                self.put(&format!("top_{}: ", parts.name));
                self.braces(&parts.first);
                self.end_line();
                self.margin();
                self.put(&format!("mid_{}: ", parts.name));
                self.braces(&parts.second);
                self.end_line();
                self.margin();
                self.put("if (");
                self.expr(&parts.again, None);
                self.put(&format!(") goto top_{};", parts.name));
            }
            Stmt::Block(body) => self.braces(body),
            Stmt::OneLine(body) => {
                self.flat += 1;
                for (index, stmt) in body.iter().enumerate() {
                    if index > 0 {
                        self.put(" ");
                    }
                    self.stmt(stmt);
                }
                self.flat -= 1;
            }
            Stmt::Macro(twice, body) => self.in_macro(|w| {
                w.put(if *twice { "TWICE(" } else { "DO(" });
                w.flat += 1;
                for (index, stmt) in body.iter().enumerate() {
                    if index > 0 {
                        w.put(" ");
                    }
                    w.stmt(stmt);
                }
                w.flat -= 1;
                // The macro has the last semicolon.
                if w.text.ends_with(';') {
                    w.text.pop();
                    w.column -= 1;
                }
                w.put(");");
            }),
            Stmt::AddMacro(name, by, site) => {
                self.mark(*site, None);
                let visible = self.visible();
                self.log(&format!("hx_stop({site}{visible}); "));
                self.put(&format!("ADD({name}, {by});"));
                self.log(&format!(" hx_stop({site}{visible});"));
            }
        }
    }

    fn for_stmt(&mut self, parts: &For) {
        let level = self.open(LevelKind::Loop(0));
        self.put("for (");
        self.scopes.push(Vec::new());
        match &parts.init {
            Some(ForInit::Decl(ty, name, e)) => {
                self.mark(parts.init_site, None);
                self.declare(*ty, name);
                let scope = self.scopes.pop().unwrap_or_default();
                self.put(" = ");
                if !e.has_call() {
                    // C has the name in scope already: it would log the new variable as an older one of this name.
                    self.scopes.push(vec![(name.clone(), Ty::Function)]);
                    let visible = self.visible();
                    self.scopes.pop();
                    self.log(&format!("({{ hx_stop({}{visible}); ", parts.init_site));
                }
                self.expr(e, None);
                if !e.has_call() {
                    self.log("; })");
                }
                self.scopes.push(scope);
            }
            Some(ForInit::Expr(e)) => self.stop_and_do(e, parts.init_site),
            None => {}
        }
        self.put(";");
        self.spread(parts.spread, "     ");
        if let Some(cond) = &parts.cond {
            self.expr(cond, None);
        }
        self.put(";");
        self.spread(parts.spread, "     ");
        if let Some(step) = &parts.step {
            self.stop_and_do(step, parts.step_site);
        }
        self.put(") ");
        self.braces(&parts.body);
        self.scopes.pop();
        self.close(level);
    }

    fn switch(&mut self, value: &Expr, cases: &[Case]) {
        let branch = self.open(LevelKind::Branch);
        self.put("switch (");
        self.expr(value, None);
        self.put(") {");
        self.end_line();
        for (index, case) in cases.iter().enumerate() {
            self.margin();
            let arm = self.open(LevelKind::Arm);
            if index + 1 == cases.len() {
                self.put("default: ");
            } else {
                self.put(&format!("case {index}: "));
            }
            self.braces(&case.body);
            if !case.falls {
                self.put(" break;");
            }
            self.close(arm);
            self.end_line();
        }
        self.margin();
        self.put("}");
        self.close(branch);
    }

    pub(super) fn spread(&mut self, spread: bool, margin: &str) {
        if spread && self.flat == 0 {
            self.break_line();
            self.put(&"  ".repeat(self.indent));
            self.put(margin);
        } else {
            self.put(" ");
        }
    }

    fn in_macro(&mut self, write: impl FnOnce(&mut Self)) {
        let outer = self.invocation;
        self.invocation = Some(self.here());
        write(self);
        self.invocation = outer;
    }
}
