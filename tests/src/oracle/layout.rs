//! From the tree to C text, and where in that text every call stands.
//!
//! One walk writes both texts. The *clean* one is what the analysis sees. The *logging* one has the same lines, but
//! every call first says where it stands and where the visible variables live (`harness.c` keeps the shadow stack);
//! arguments go through temporaries, so that they are evaluated from left to right as the interpreter does.
//!
//! Positions are measured ones, not wished ones. Both gcc 12 and clang 14 number what comes out of a macro by the
//! first byte of the invocation. A call that is itself an argument of a call stands at its own first byte for
//! clang, but at the outermost such call for gcc, line and column.

use super::ast::{Function, Program, Ty};
use super::externals;

pub use lines::Lines;

mod expr;
mod lines;
mod stmt;

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
    /// Where everything stands.
    pub lines: Lines,
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
        lines: clean.lines,
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
    lines: Lines,
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
            lines: Lines::default(),
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
            w.lines.global(global, w.line);
            w.put(if global.is_static { "static " } else { "" });
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
            Ty::Function => format!("int (*{name})(int, int)"),
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
}
