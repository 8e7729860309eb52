//! From the tree to C text, and where in that text every call stands.
//!
//! One walk writes both texts. The *clean* one is what the analysis sees. The *logging* one has the same lines, but
//! every call first says where it stands and where the visible variables live (`harness.c` keeps the shadow stack);
//! arguments go through temporaries, so that they are evaluated from left to right as the interpreter does.
//!
//! Positions are measured ones, not wished ones. Both gcc 12 and clang 14 number what comes out of a macro by the
//! first byte of the invocation. A call that is itself an argument of a call stands at its own first byte for
//! clang, but at the outermost such call for gcc, line and column.

use super::ast::{Case, Expr, For, ForInit, Function, MEMBERS, Op, Place, Program, Stmt, Ty};
use super::externals;

/// The name of the source file that every frame carries.
pub const FILE: &str = "clean.c";

/// How compilers number the calls of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// Nested calls stand at the outermost call.
    Gcc,
    /// Every call stands at its first byte.
    Clang,
}

/// A line and a column, both from 1.
pub type Position = (u32, u32);

/// A place where a task can be stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// As clang numbers it.
    pub own: Position,
    /// As gcc numbers it.
    pub outer: Position,
}

impl Site {
    /// The position that `compiler` gives to the site.
    #[must_use]
    pub fn position(&self, compiler: Compiler) -> Position {
        match compiler {
            Compiler::Gcc => self.outer,
            Compiler::Clang => self.own,
        }
    }
}

/// A level of the paper's tuple (SC'09 section 4.1), for the baseline judge.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// What it is.
    pub kind: LevelKind,
    /// First line.
    pub first: u32,
    /// Last line.
    pub last: u32,
}

/// What a [`Level`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelKind {
    /// A function definition.
    Function,
    /// A loop statement, numbered in tree order through the program.
    Loop(usize),
    /// An `if` or `switch`.
    Branch,
    /// One arm of it.
    Arm,
}

/// A program as text.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The text that the analysis sees.
    pub clean: String,
    /// The same lines, with logging.
    pub logging: String,
    /// By the numbers of [`Program::number`].
    pub sites: Vec<Site>,
    /// Levels, parents before children.
    pub levels: Vec<Level>,
}

/// Writes `program`, whose calls are numbered below `sites`.
#[must_use]
pub fn lay_out(program: &Program, sites: usize) -> Layout {
    let clean = Writer::write(program, sites, false);
    let logging = Writer::write(program, sites, true);
    Layout {
        clean: clean.text,
        logging: logging.text,
        sites: clean.sites,
        levels: clean.levels,
    }
}

struct Writer {
    text: String,
    line: u32,
    column: u32,
    indent: usize,
    /// Greater than zero while everything goes on one line.
    flat: u32,
    /// The start of the macro invocation that is being written.
    invocation: Option<Position>,
    logging: bool,
    sites: Vec<Site>,
    levels: Vec<Level>,
    loops: usize,
    /// What C sees, outermost scope first.
    scopes: Vec<Vec<(String, Ty)>>,
}

impl Writer {
    fn write(program: &Program, sites: usize, logging: bool) -> Self {
        let mut w = Self {
            text: String::new(),
            line: 1,
            column: 1,
            indent: 0,
            flat: 0,
            invocation: None,
            logging,
            sites: vec![Site::default(); sites],
            levels: Vec::new(),
            loops: 0,
            scopes: vec![Vec::new()],
        };
        w.put("#include <mpi.h>");
        w.end_line();
        w.put("#include <stddef.h>");
        w.end_line();
        for (name, arity) in externals::PROTOTYPES {
            let args = vec!["int"; *arity].join(", ");
            w.put(&format!("extern int {name}({args});"));
            w.end_line();
        }
        for line in [
            "#define DO(x) do { x; } while (0)",
            "#define TWICE(x) x; x",
            "#define ADD(v, k) do { (v) += (k); } while (0)",
            "#define FOR_UP(v, n) for (int v = 0; v < (n); v++)",
            "struct state { int step; int count; double time; };",
        ] {
            w.put(line);
            w.end_line();
        }
        for global in &program.globals {
            w.declare(global.ty, &global.name);
            if global.ty != Ty::Struct {
                w.put(&format!(" = {}", global.init));
            }
            w.put(";");
            w.end_line();
        }
        for function in &program.functions {
            w.function(function);
        }
        w
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += u32::try_from(text.len()).unwrap_or(0);
    }

    /// Text that only the logging build has: it takes no room in the columns of the clean one.
    fn log(&mut self, text: &str) {
        if self.logging {
            self.text.push_str(text);
        }
    }

    fn break_line(&mut self) {
        self.text.push('\n');
        self.line += 1;
        self.column = 1;
    }

    fn end_line(&mut self) {
        if self.flat == 0 {
            self.break_line();
        } else {
            self.put(" ");
        }
    }

    fn margin(&mut self) {
        if self.flat == 0 {
            self.put(&"  ".repeat(self.indent));
        }
    }

    fn here(&self) -> Position {
        self.invocation.unwrap_or((self.line, self.column))
    }

    fn open(&mut self, kind: LevelKind) -> usize {
        let kind = match kind {
            LevelKind::Loop(_) => {
                self.loops += 1;
                LevelKind::Loop(self.loops - 1)
            }
            other => other,
        };
        let first = self.line;
        self.levels.push(Level {
            kind,
            first,
            last: first,
        });
        self.levels.len() - 1
    }

    fn close(&mut self, level: usize) {
        self.levels[level].last = self.line;
    }

    fn declare(&mut self, ty: Ty, name: &str) {
        let text = match ty {
            Ty::Int => format!("int {name}"),
            Ty::Long => format!("long {name}"),
            Ty::Unsigned => format!("unsigned {name}"),
            Ty::Size => format!("size_t {name}"),
            Ty::Byte => format!("unsigned char {name}"),
            Ty::Float => format!("float {name}"),
            Ty::Double => format!("double {name}"),
            Ty::IntPtr => format!("int *{name}"),
            Ty::Struct => format!("struct state {name}"),
            Ty::StructPtr => format!("struct state *{name}"),
            Ty::Array(n) => format!("int {name}[{n}]"),
        };
        self.put(&text);
        if let Some(scope) = self.scopes.last_mut() {
            scope.retain(|(known, _)| known != name);
            scope.push((name.to_owned(), ty));
        }
    }

    fn function(&mut self, function: &Function) {
        self.break_line();
        let level = self.open(LevelKind::Function);
        let result = if function.returns { "int" } else { "void" };
        self.put(&format!("{result} {}(", function.name));
        self.scopes.push(Vec::new());
        if function.name == "main" {
            self.put("int argc, char **argv");
            if let Some(scope) = self.scopes.last_mut() {
                scope.push(("argc".to_owned(), Ty::Int));
            }
        } else if function.params.is_empty() {
            self.put("void");
        }
        for (index, (name, ty)) in function.params.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            self.declare(*ty, name);
        }
        self.put(") {");
        self.log(&format!(
            " int hx_frame __attribute__((cleanup(hx_leave))) = hx_enter(\"{}\");",
            function.name
        ));
        self.break_line();
        self.indent = 1;
        self.stmts(&function.body);
        self.indent = 0;
        self.put("}");
        self.scopes.pop();
        self.close(level);
        self.break_line();
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
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
                self.declare(*ty, name);
                let scope = self.scopes.pop().unwrap_or_default();
                self.put(" = ");
                self.expr(e, None);
                self.scopes.push(scope);
            }
            Some(ForInit::Expr(e)) => self.expr(e, None),
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

    fn spread(&mut self, spread: bool, margin: &str) {
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

    /// An expression for its effect; when it has no call, a task can be stopped before and after.
    fn stop_and_do(&mut self, e: &Expr, site: usize) {
        self.mark(site, None);
        if e.has_call() {
            self.expr(e, None);
        } else {
            let visible = self.visible();
            self.log(&format!("({{ hx_stop({site}{visible}); (void) ("));
            self.expr(e, None);
            self.log(&format!("); hx_stop({site}{visible}); }})"));
        }
    }

    /// Records that `site` stands here; `outer` is the call whose argument it is.
    fn mark(&mut self, site: usize, outer: Option<Position>) {
        let own = self.here();
        if let Some(known) = self.sites.get_mut(site) {
            *known = Site {
                own,
                outer: outer.unwrap_or(own),
            };
        }
    }

    fn place(&mut self, place: &Place) {
        let text = match place {
            Place::Var(name) => name.clone(),
            Place::Dot(name, member) => format!("{name}.{member}"),
            Place::Arrow(name, member) => format!("{name}->{member}"),
            Place::Deref(name) => format!("*{name}"),
        };
        self.put(&text);
    }

    fn operand(&mut self, e: &Expr) {
        let plain = matches!(
            e,
            Expr::Int(_) | Expr::Real(..) | Expr::Get(_) | Expr::Call { .. } | Expr::Word(_) | Expr::Not(_)
        );
        self.put(if plain { "" } else { "(" });
        self.expr(e, None);
        self.put(if plain { "" } else { ")" });
    }

    fn expr(&mut self, e: &Expr, outer: Option<Position>) {
        match e {
            Expr::Int(value) => self.put(&value.to_string()),
            Expr::Real(value, single) => self.put(&format!("{value:?}{}", if *single { "f" } else { "" })),
            Expr::Get(place) => self.place(place),
            Expr::Addr(place) => {
                self.put("&");
                self.place(place);
            }
            Expr::Word(word) => self.put(word),
            Expr::Not(e) => {
                self.put("!");
                self.operand(e);
            }
            Expr::Bin(op, a, b) => {
                if self.logging && a.has_call() && b.has_call() {
                    self.left_to_right(*op, a, b);
                } else {
                    self.operand(a);
                    self.put(&format!(" {} ", symbol(*op)));
                    self.operand(b);
                }
            }
            Expr::Logic(and, a, b) => {
                self.operand(a);
                self.put(if *and { " &&" } else { " ||" });
                // Two calls in one condition are worth two lines.
                self.spread(a.has_call() && b.has_call(), "    ");
                self.operand(b);
            }
            Expr::Choose(c, a, b) => {
                self.operand(c);
                self.put(" ? ");
                self.operand(a);
                self.put(" :");
                self.spread(a.has_call() && b.has_call(), "    ");
                self.operand(b);
            }
            Expr::Comma(a, b) => {
                self.expr(a, None);
                self.put(", ");
                self.expr(b, None);
            }
            Expr::Set(place, op, value) => {
                self.place(place);
                self.put(&format!(" {}= ", op.map_or("", symbol)));
                self.expr(value, None);
            }
            Expr::Step { place, up, prefix } => {
                let sign = if *up { "++" } else { "--" };
                // `*p++` would move the pointer.
                let (left, right) = if matches!(place, Place::Deref(_)) {
                    ("(", ")")
                } else {
                    ("", "")
                };
                self.put(if *prefix { sign } else { "" });
                self.put(left);
                self.place(place);
                self.put(right);
                self.put(if *prefix { "" } else { sign });
            }
            Expr::Call {
                name,
                args,
                site,
                spread,
            } => self.call(name, args, *site, *spread, outer),
        }
    }

    /// `a op b` with the order of evaluation fixed, for the logging build.
    fn left_to_right(&mut self, op: Op, a: &Expr, b: &Expr) {
        self.put("({ __auto_type left = ");
        self.operand(a);
        self.put("; __auto_type right = ");
        self.operand(b);
        self.put(&format!("; left {} right; }})", symbol(op)));
    }

    fn call(&mut self, name: &str, args: &[Expr], site: usize, spread: bool, outer: Option<Position>) {
        self.mark(site, outer);
        let at = outer.unwrap_or(self.here());
        if self.logging {
            self.log("({ ");
            for (index, arg) in args.iter().enumerate() {
                self.log(&format!("__auto_type a{site}_{index} = ("));
                self.expr(arg, Some(at));
                self.log("); ");
                if index + 1 < args.len() {
                    self.spread(spread, "    ");
                }
            }
            let names: Vec<String> = (0..args.len()).map(|i| format!("a{site}_{i}")).collect();
            let visible = self.visible();
            self.log(&format!(
                "hx_at({site}{visible}); {name}({}); }})",
                names.join(", ")
            ));
            return;
        }
        self.put(&format!("{name}("));
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                self.put(",");
                self.spread(spread, "    ");
            }
            // Only what is itself a call takes the outer call's place.
            let outer = matches!(arg, Expr::Call { .. }).then_some(at);
            self.expr(arg, outer);
        }
        self.put(")");
    }

    /// `, "i", 'i', &i, …` for every variable that C sees here, and the end mark.
    fn visible(&self) -> String {
        let mut seen: Vec<&str> = Vec::new();
        let mut list = String::new();
        for (name, ty) in self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()) {
            if seen.contains(&name.as_str()) {
                continue;
            }
            seen.push(name);
            let code = |ty: &Ty| match ty {
                Ty::Int => Some('i'),
                Ty::Long => Some('l'),
                Ty::Unsigned => Some('u'),
                Ty::Size => Some('z'),
                Ty::Byte => Some('c'),
                Ty::Float => Some('f'),
                Ty::Double => Some('d'),
                Ty::IntPtr | Ty::Struct | Ty::StructPtr | Ty::Array(_) => None,
            };
            match ty {
                Ty::Struct | Ty::StructPtr => {
                    let dot = if *ty == Ty::Struct { "." } else { "->" };
                    for (member, ty) in &MEMBERS {
                        if let Some(code) = code(ty) {
                            list.push_str(&format!(
                                ", \"{name}{dot}{member}\", '{code}', &{name}{dot}{member}"
                            ));
                        }
                    }
                }
                ty => {
                    if let Some(code) = code(ty) {
                        list.push_str(&format!(", \"{name}\", '{code}', &{name}"));
                    }
                }
            }
        }
        list.push_str(", (char *) 0");
        list
    }
}

fn symbol(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
        Op::Shl => "<<",
        Op::And => "&",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::Eq => "==",
        Op::Ne => "!=",
    }
}
