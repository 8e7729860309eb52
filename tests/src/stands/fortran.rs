//! Random programs of Fortran: loops that count, that wait for something and that end by a jump, `select`, `block`, named constructs, labels, modules, `common`,
//! procedures in modules, in the program and by themselves. They call `stand` everywhere, and do the same each time they run.

use crate::oracle::rng::Rng;
use crate::stands::{NEXT_FILE, SUBROUTINES, Source};
use base::Language;
use std::fmt::Write as _;

/// Statements are nested so deep at most.
const DEEPEST: usize = 4;

/// The program of a seed.
#[must_use]
pub fn generate_fortran(seed: u64) -> Source {
    let mut writer = Writer {
        random: Rng::new(seed),
        ..Writer::new()
    };
    Source {
        name: format!("seed {seed} of Fortran"),
        seed,
        language: Language::Fortran,
        text: format!("{SUBROUTINES}{}", writer.program()),
    }
}

/// Where a procedure stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Module,
    /// Within the main program.
    Program,
    Alone,
}

struct Writer {
    random: Rng,
    /// How many names have been given.
    names: u32,
    /// The procedures that may be called: of a number that is only read, and one that is changed.
    procedures: Vec<String>,
    /// The functions of one number that is only read, and whether each stands by itself, so that who calls it has to say what it is.
    functions: Vec<(String, bool)>,
    /// Variables of the module.
    shared: Vec<String>,
    /// What the procedure at hand declares.
    locals: Vec<String>,
    commons: Vec<String>,
    body: String,
    /// How many more statements it may have.
    budget: u32,
    home: Home,
}

/// What a statement may use.
#[derive(Clone)]
struct Context {
    numbers: Vec<String>,
    /// The names of the loops around, outermost first.
    loops: Vec<String>,
    depth: usize,
    /// A label may be jumped to that stands behind all.
    may_return: bool,
}

impl Context {
    fn deeper(&self) -> Self {
        let depth = self.depth + 1;
        Self {
            depth,
            ..self.clone()
        }
    }

    fn with(&self, number: &str) -> Self {
        let mut inner = self.deeper();
        inner.numbers.push(number.to_owned());
        inner
    }
}

impl Writer {
    fn new() -> Self {
        Self {
            random: Rng::new(0),
            names: 0,
            procedures: Vec::new(),
            functions: Vec::new(),
            shared: Vec::new(),
            locals: Vec::new(),
            commons: Vec::new(),
            body: String::new(),
            budget: 0,
            home: Home::Module,
        }
    }

    fn program(&mut self) -> String {
        let in_module: String = (0..2 + self.random.below(2))
            .map(|_| self.procedure(Home::Module))
            .collect();
        // What stands alone is declared nowhere, and called by its name.
        let alone: String = (0..1 + self.random.below(2))
            .map(|_| self.procedure(Home::Alone))
            .collect();
        let alone_functions = self.functions.iter().filter(|(_, is_alone)| *is_alone);
        let external: String = alone_functions
            .map(|(name, _)| format!("  integer, external :: {name}\n"))
            .collect();
        let within: String = (0..1 + self.random.below(2))
            .map(|_| self.procedure(Home::Program))
            .collect();
        self.begin(Home::Program, 30);
        let context = Context {
            numbers: vec!["hide(1)".to_owned()],
            loops: Vec::new(),
            depth: 0,
            may_return: false,
        };
        let count = 4 + self.random.below(4);
        self.block(&context, count);
        let main = self.declared("");
        let shared: String = self
            .shared
            .iter()
            .map(|name| format!("  integer :: {name} = 0\n"))
            .collect();
        // The compiler sees what one file has; its variables are named by others as well.
        let [behind_module, behind_procedures] = [self.between(), self.between()];
        format!(
            "module work\n  implicit none\n  integer, external :: hide\n{shared}contains\n{in_module}end module work\n{behind_module}{alone}{behind_procedures}program main\n  use work\n  implicit none\n{external}{main}  call report()\ncontains\n{within}end program main\n"
        )
    }

    /// What stands between two parts of a program: they may be in files of their own.
    fn between(&mut self) -> &'static str {
        if self.random.chance(50) { NEXT_FILE } else { "\n" }
    }

    fn begin(&mut self, home: Home, budget: u32) {
        self.home = home;
        self.budget = budget;
        self.body.clear();
        self.locals.clear();
        self.commons.clear();
    }

    /// The declarations of the procedure at hand, and its body.
    fn declared(&mut self, first: &str) -> String {
        let mut text = first.to_owned();
        for local in &self.locals {
            let _ = writeln!(text, "  {local}");
        }
        for name in &self.commons {
            let _ = writeln!(text, "  integer :: {name}\n  common /c_{name}/ {name}");
        }
        text + &self.body
    }

    fn procedure(&mut self, home: Home) -> String {
        let budget = 8 + self.random.below(10) as u32;
        self.begin(home, budget);
        let name = self.name("p");
        let is_function = self.random.chance(30);
        let context = Context {
            numbers: vec!["n".to_owned()],
            loops: Vec::new(),
            depth: 0,
            may_return: true,
        };
        if is_function {
            // Whoever returns early has a value as well.
            self.line(&context, &format!("{name} = mod(n, 7)"));
        }
        let count = 2 + self.random.below(3);
        self.block(&context, count);
        let mut head = String::new();
        if home == Home::Alone {
            head.push_str("  use work\n");
        }
        // A function as well as its variable may have any attribute that a caller has to know; without one any procedure may change its arguments.
        let reads = if home == Home::Alone && self.random.chance(50) {
            ""
        } else {
            ", intent(in)"
        };
        let _ = writeln!(head, "  integer{reads} :: n");
        if is_function {
            let text = self.declared(&head);
            self.functions.push((name.clone(), home == Home::Alone));
            let around = if home == Home::Alone { "" } else { "recursive " };
            return format!("{around}integer function {name}(n)\n{text}end function {name}\n\n");
        }
        let _ = writeln!(head, "  integer, intent(inout) :: k");
        let _ = writeln!(self.body, "  k = k + 1");
        let text = self.declared(&head);
        self.procedures.push(name.clone());
        format!("subroutine {name}(n, k)\n{text}end subroutine {name}\n\n")
    }

    fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    fn local(&mut self) -> String {
        let name = self.name("i");
        self.locals.push(format!("integer :: {name}"));
        name
    }

    fn line(&mut self, context: &Context, text: &str) {
        let _ = writeln!(self.body, "{}{text}", "  ".repeat(context.depth + 1));
    }

    fn number(&mut self, context: &Context) -> String {
        let number = self.random.pick(&context.numbers).clone();
        match self.random.below(3) {
            0 => format!("hide({})", self.random.range(1, 4)),
            1 => format!("{number} + {}", self.random.range(1, 3)),
            _ => number,
        }
    }

    fn condition(&mut self, context: &Context) -> String {
        let number = self.number(context);
        let by = self.random.range(2, 3);
        match self.random.below(3) {
            0 => format!("mod({number}, {by}) == 0"),
            1 => format!("{number} > {by}"),
            _ => format!("mod({number}, {by}) == 1 .and. {number} < 40"),
        }
    }

    fn block(&mut self, context: &Context, count: usize) {
        for _ in 0..count {
            self.statement(context);
        }
    }

    fn inner(&mut self, context: &Context) {
        let count = 1 + self.random.below(3);
        self.block(context, count);
    }

    fn statement(&mut self, context: &Context) {
        if self.budget == 0 || context.depth >= DEEPEST {
            return self.line(context, "call stand()");
        }
        self.budget -= 1;
        match self.random.weighted(&[14, 12, 8, 8, 10, 6, 10, 5, 4, 4, 4, 5, 4]) {
            0 => self.line(context, "call stand()"),
            1 => self.counted(context),
            2 => self.waiting(context),
            3 => self.endless(context),
            4 => self.branches(context),
            5 => self.cases(context),
            6 => self.call(context),
            7 => self.of_function(context),
            8 => self.shared_counter(context),
            9 => self.common_counter(context),
            10 => self.scope(context),
            11 => self.leave(context),
            _ => self.library(context),
        }
    }

    fn counted(&mut self, context: &Context) {
        let variable = self.local();
        let name = self.name("l");
        let bounds = match self.random.below(5) {
            0 => "3, 1, -1".to_owned(),
            1 => format!("1, 7, {}", self.random.range(2, 4)),
            2 => format!("hide(1), hide({})", self.random.range(1, 3)),
            3 => format!("{}, {}", self.random.range(-1, 1), self.random.range(0, 2)),
            _ => format!("1, {}", self.random.range(2, 3)),
        };
        self.line(context, &format!("{name}: do {variable} = {bounds}"));
        let mut inner = context.with(&variable);
        inner.loops.push(name.clone());
        self.inner(&inner);
        self.line(context, &format!("end do {name}"));
    }

    fn waiting(&mut self, context: &Context) {
        let variable = self.local();
        let (limit, step) = (self.random.range(2, 4), self.random.range(1, 2));
        self.line(context, &format!("{variable} = 0"));
        self.line(context, &format!("do while ({variable} < {limit})"));
        // Whoever leaves or goes on with a loop around would not count.
        let inner = Context {
            loops: Vec::new(),
            ..context.with(&variable)
        };
        let is_first = self.random.chance(50);
        let count = format!("{variable} = {variable} + {step}");
        if is_first {
            self.line(&inner, &count);
        }
        self.inner(&inner);
        if !is_first {
            self.line(&inner, &count);
        }
        self.line(context, "end do");
    }

    fn endless(&mut self, context: &Context) {
        let (variable, name) = (self.local(), self.name("l"));
        self.line(context, &format!("{variable} = 0"));
        self.line(context, &format!("{name}: do"));
        let mut inner = context.with(&variable);
        self.line(&inner, &format!("{variable} = {variable} + 1"));
        let limit = self.random.range(2, 4);
        self.line(&inner, &format!("if ({variable} > {limit}) exit {name}"));
        inner.loops.push(name.clone());
        self.inner(&inner);
        self.line(context, &format!("end do {name}"));
    }

    fn branches(&mut self, context: &Context) {
        let condition = self.condition(context);
        self.line(context, &format!("if ({condition}) then"));
        self.inner(&context.deeper());
        if self.random.chance(30) {
            let condition = self.condition(context);
            self.line(context, &format!("else if ({condition}) then"));
            self.inner(&context.deeper());
        }
        if self.random.chance(60) {
            self.line(context, "else");
            self.inner(&context.deeper());
        }
        self.line(context, "end if");
    }

    fn cases(&mut self, context: &Context) {
        let number = self.number(context);
        self.line(context, &format!("select case (mod({number}, 5))"));
        for case in ["case (0)", "case (1:2)", "case default"] {
            self.line(context, case);
            self.inner(&context.deeper());
        }
        self.line(context, "end select");
    }

    fn call(&mut self, context: &Context) {
        if self.procedures.is_empty() {
            return self.line(context, "call stand()");
        }
        let name = self.random.pick(&self.procedures).clone();
        let number = self.number(context);
        let changed = self.local();
        self.line(context, &format!("{changed} = 0"));
        self.line(context, &format!("call {name}({number}, {changed})"));
    }

    fn of_function(&mut self, context: &Context) {
        if self.functions.is_empty() {
            return self.line(context, "call stand()");
        }
        let (name, is_alone) = self.random.pick(&self.functions).clone();
        let number = self.number(context);
        let result = self.local();
        let declaration = format!("integer, external :: {name}");
        // What is within the program is told what the program calls.
        let is_told = !is_alone || self.home == Home::Program || self.locals.contains(&declaration);
        if !is_told {
            self.locals.push(declaration);
        }
        let call = format!("{name}({number})");
        if self.random.chance(50) {
            self.line(context, &format!("if ({call} >= 0) call stand()"));
        } else {
            self.line(context, &format!("{result} = {call} + {call}"));
        }
    }

    fn shared_counter(&mut self, context: &Context) {
        // Only there: nobody else sets it back.
        let name = self.name("m");
        self.shared.push(name.clone());
        self.line(context, &format!("{name} = 0"));
        self.line(context, &format!("do while ({name} < 3)"));
        self.line(&context.deeper(), "call stand()");
        self.line(&context.deeper(), &format!("{name} = {name} + 1"));
        self.line(&context.deeper(), "call stand()");
        self.line(context, "end do");
    }

    fn common_counter(&mut self, context: &Context) {
        let name = self.name("c");
        self.commons.push(name.clone());
        self.line(context, &format!("do {name} = 1, 3"));
        self.line(&context.deeper(), "call stand()");
        self.line(context, "end do");
    }

    fn scope(&mut self, context: &Context) {
        // At times of the name of another one.
        let variable = if self.random.chance(30) {
            self.local()
        } else {
            self.name("i")
        };
        self.line(context, "block");
        let inner = context.deeper();
        self.line(&inner, &format!("integer :: {variable}"));
        self.line(&inner, &format!("do {variable} = 1, 2"));
        self.inner(&inner.with(&variable));
        self.line(&inner, "end do");
        self.line(context, "end block");
    }

    fn leave(&mut self, context: &Context) {
        let condition = self.condition(context);
        let how = match (context.loops.is_empty(), context.may_return) {
            (false, _) if self.random.chance(80) => {
                let name = self.random.pick(&context.loops).clone();
                let word = if self.random.chance(50) { "cycle" } else { "exit" };
                format!("{word} {name}")
            }
            (_, true) if self.random.chance(30) => "return".to_owned(),
            _ => "call stand()".to_owned(),
        };
        self.line(context, &format!("if ({condition}) {how}"));
        self.line(context, "call stand()");
    }

    fn library(&mut self, context: &Context) {
        let (text, array) = (self.name("t"), self.name("a"));
        self.locals.push(format!("character(len=12) :: {text}"));
        self.locals.push(format!("integer :: {array}(4)"));
        let number = self.number(context);
        self.line(context, &format!("{array} = {number}"));
        self.line(context, &format!("write ({text}, '(i0)') sum({array})"));
        self.line(context, &format!("if (len_trim({text}) > 0) call stand()"));
    }
}
