//! Runs a program and records what a debugger would see at every place where a task can be stopped.
//!
//! A run ends when the program does or when the event budget is spent: what was recorded by then is a prefix of a
//! real run, so endless programs are as good as others.
//!
//! **What a debugger sees.** The values of all variables of every frame, by name. Of two variables of one name it
//! shows the innermost whose block contains the position, also before its declaration was executed; an
//! uninitialised variable shows what was left in its memory, here the value of its last incarnation.

use super::ast::{Expr, MEMBERS, Op, Program, Stmt, Ty};
use super::externals;
use super::layout::Lines;
use super::rng::Rng;
use super::truth::IndexStep;
use std::collections::BTreeMap;

mod depend;
mod eval;
mod exec;
mod record;

pub use depend::{Dependences, PieceId};

/// A value as a debugger records it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    /// An integer.
    Int(i64),
    /// An integer above `i64::MAX`, or an address.
    Unsigned(u64),
    /// A floating-point number.
    Real(f64),
}

/// One call on the stack when an event was recorded.
#[derive(Clone, Debug)]
pub struct FrameView {
    /// Index of the function in the program.
    pub function: usize,
    /// The call in progress, or the statement.
    pub site: usize,
    /// What a debugger shows.
    pub values: Vec<(String, Seen)>,
}

/// A moment of a run.
#[derive(Clone, Debug)]
pub struct Event {
    /// When, in events since the start.
    pub time: usize,
    /// Outermost first.
    pub frames: Vec<FrameView>,
    /// The external function that the task is in; none when it is stopped in a statement without a call.
    pub leaf: Option<String>,
    /// The structural execution index.
    pub index: Vec<IndexStep>,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Seed of the external functions.
    pub seed: u64,
    /// The rank that `MPI_Comm_rank` reports.
    pub rank: u32,
    /// Whether external functions return other values on other ranks.
    pub diverse: bool,
    /// The most events to record.
    pub budget: usize,
    /// Which of several unsequenced operands goes first.
    pub evaluation: Evaluation,
    /// Record only what C itself sees, as the logging build does.
    pub c_view: bool,
}

/// The order in which operands are evaluated that C leaves unsequenced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// Any, and another one each time.
    Random,
    /// As clang does it, and the logging build.
    LeftToRight,
    /// As gcc does it on x86-64: arguments from the last to the first, other operands from left to right.
    ArgumentsReversed,
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// What is wrong with the program.
    pub reason: String,
}

/// Why execution does not go on.
enum Halt {
    /// The budget is spent.
    Budget,
    /// The program is wrong; a shrinking step may make it so.
    Invalid(String),
}

type Run<T> = Result<T, Halt>;

/// Where execution goes after a statement.
#[derive(Debug, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
    Return,
    Again(String),
    End(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Int(i128),
    Real(f64),
    /// The index of a cell.
    Address(usize),
    /// The index of a function.
    Function(usize),
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    ty: Ty,
    value: Value,
    known: bool,
}

#[derive(Clone, Debug)]
struct Slot {
    name: String,
    ty: Ty,
    cell: usize,
    /// Its declaration was executed: from here on C sees it.
    declared: bool,
}

struct Activation {
    function: usize,
    site: usize,
    scopes: Vec<Vec<Slot>>,
    result: Option<Value>,
}

struct Machine<'a> {
    program: &'a Program,
    setting: Setting,
    run: u64,
    cells: Vec<Cell>,
    globals: Vec<Slot>,
    frames: Vec<Activation>,
    events: Vec<Event>,
    path: Vec<IndexStep>,
    calls: Vec<u64>,
    broadcasts: u64,
    fuel: u64,
    order: Rng,
    statics: BTreeMap<(usize, String), usize>,
    left_over: BTreeMap<(usize, String), Vec<Value>>,
    trace: Option<depend::Trace<'a>>,
}

/// Runs `program` as one rank.
///
/// # Errors
/// When the program uses what it did not declare, reads what it did not set, or computes what C leaves undefined.
pub fn run(program: &Program, setting: Setting) -> Result<Vec<Event>, Invalid> {
    Ok(execute(program, setting, None)?.0)
}

/// The same, with what every event rests on; `lines` are those of this very program.
///
/// # Errors
/// As [`run`].
pub fn run_traced(
    program: &Program,
    setting: Setting,
    lines: &Lines,
) -> Result<(Vec<Event>, Dependences), Invalid> {
    execute(program, setting, Some(depend::Trace::new(lines)))
}

fn execute(
    program: &Program,
    setting: Setting,
    trace: Option<depend::Trace<'_>>,
) -> Result<(Vec<Event>, Dependences), Invalid> {
    let mut machine = Machine {
        program,
        setting,
        run: externals::run_seed(setting.seed, if setting.diverse { setting.rank } else { 0 }),
        cells: Vec::new(),
        globals: Vec::new(),
        frames: Vec::new(),
        events: Vec::new(),
        path: Vec::new(),
        calls: vec![0; externals::PROTOTYPES.len()],
        broadcasts: 0,
        fuel: 400_000,
        order: Rng::new(setting.seed ^ 0x0bde),
        statics: BTreeMap::new(),
        left_over: BTreeMap::new(),
        trace,
    };
    for (index, global) in program.globals.iter().enumerate() {
        let cell = machine.allocate(global.ty, None);
        for at in cell..machine.cells.len() {
            machine.cells[at].known = true;
        }
        if global.ty != Ty::Struct {
            let wrapped = machine.converted(Value::Int(i128::from(global.init)), global.ty);
            machine.cells[cell].value = wrapped.unwrap_or(Value::Int(0));
            machine.trace_global(program, index, cell..machine.cells.len());
        }
        machine.globals.push(Slot {
            name: global.name.clone(),
            ty: global.ty,
            cell,
            declared: true,
        });
    }
    let main = program.functions.len().checked_sub(1).ok_or(Invalid {
        reason: "there is no function".to_owned(),
    })?;
    let argc = vec![("argc".to_owned(), Ty::Int, Value::Int(1))];
    match machine.enter(main, argc, &depend::Call::default()) {
        Ok(_) | Err(Halt::Budget) => {
            let dependences = machine.trace.map(depend::Trace::finish);
            Ok((machine.events, dependences.unwrap_or_default()))
        }
        Err(Halt::Invalid(reason)) => Err(Invalid { reason }),
    }
}

fn invalid<T>(reason: impl Into<String>) -> Run<T> {
    Err(Halt::Invalid(reason.into()))
}

fn width(ty: Ty) -> usize {
    match ty {
        Ty::Struct => MEMBERS.len(),
        Ty::Array(n) => usize::from(n),
        _ => 1,
    }
}

impl Machine<'_> {
    /// Cells for a variable of type `ty`, holding what is left over, or zero.
    fn allocate(&mut self, ty: Ty, left_over: Option<&[Value]>) -> usize {
        let first = self.cells.len();
        let cells = match ty {
            Ty::Struct => MEMBERS.iter().map(|(_, ty)| *ty).collect(),
            Ty::Array(n) => vec![Ty::Int; usize::from(n)],
            other => vec![other],
        };
        for (at, ty) in cells.into_iter().enumerate() {
            let zero = match ty {
                Ty::Float | Ty::Double => Value::Real(0.0),
                _ => Value::Int(0),
            };
            let value = left_over.and_then(|values| values.get(at)).copied();
            self.cells.push(Cell {
                ty,
                value: value.unwrap_or(zero),
                known: false,
            });
        }
        first
    }

    /// Opens a scope with all variables that `stmts` declare, none of them declared yet.
    fn open_scope(&mut self, stmts: &[Stmt]) {
        let mut slots = Vec::new();
        self.hoist(stmts, &mut slots);
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.push(slots);
        }
    }

    fn hoist(&mut self, stmts: &[Stmt], slots: &mut Vec<Slot>) {
        for stmt in stmts {
            match stmt {
                Stmt::Decl(ty, name, _, is_static) => {
                    let cell = self.storage(*ty, name, *is_static);
                    slots.push(Slot {
                        name: name.clone(),
                        ty: *ty,
                        cell,
                        declared: false,
                    });
                }
                Stmt::OneLine(body) => self.hoist(body, slots),
                _ => {}
            }
        }
    }

    fn storage(&mut self, ty: Ty, name: &str, is_static: bool) -> usize {
        let function = self.frames.last().map_or(0, |frame| frame.function);
        let key = (function, name.to_owned());
        if !is_static {
            let left_over = self.left_over.get(&key).cloned();
            return self.allocate(ty, left_over.as_deref());
        }
        if let Some(&cell) = self.statics.get(&key) {
            return cell;
        }
        let cell = self.allocate(ty, None);
        self.statics.insert(key, cell);
        cell
    }

    fn close_scope(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let function = frame.function;
        for slot in frame.scopes.pop().unwrap_or_default() {
            let values = (slot.cell..slot.cell + width(slot.ty))
                .map(|at| self.cells[at].value)
                .collect();
            self.left_over.insert((function, slot.name), values);
        }
    }

    /// Runs function `function` in a new frame.
    fn enter(
        &mut self,
        function: usize,
        args: Vec<(String, Ty, Value)>,
        call: &depend::Call,
    ) -> Run<Option<Value>> {
        if self.frames.len() > 60 {
            return invalid("recursion without bound");
        }
        self.frames.push(Activation {
            function,
            site: 0,
            scopes: Vec::new(),
            result: None,
        });
        let mut slots = Vec::new();
        for (index, (name, ty, value)) in args.into_iter().enumerate() {
            let cell = self.allocate(ty, None);
            self.trace_parameter(call, index, cell);
            self.cells[cell].value = self.converted(value, ty)?;
            self.cells[cell].known = true;
            slots.push(Slot {
                name,
                ty,
                cell,
                declared: true,
            });
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.push(slots);
        }
        let program = self.program;
        self.path.push(IndexStep::Frame);
        self.block(&program.functions[function].body)?;
        self.path.pop();
        Ok(self.frames.pop().and_then(|frame| frame.result))
    }

    fn slot(&self, name: &str) -> Run<(Ty, usize)> {
        let Some(frame) = self.frames.last() else {
            return invalid("no frame");
        };
        let slots = frame.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        slots
            .chain(&self.globals)
            .find(|slot| slot.declared && slot.name == name)
            .map(|slot| (slot.ty, slot.cell))
            .ok_or_else(|| Halt::Invalid(format!("'{name}' is not declared")))
    }

    fn burn(&mut self) -> Run<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Halt::Budget)?;
        Ok(())
    }

    /// Whether the second of two unsequenced operands goes first.
    fn flip(&mut self) -> bool {
        self.setting.evaluation == Evaluation::Random && self.order.chance(50)
    }

    /// `value` stored in type `ty`.
    fn converted(&self, value: Value, ty: Ty) -> Run<Value> {
        let wrap = |bits: u32, signed: bool, value: i128| {
            let modulus = 1i128 << bits;
            let low = value.rem_euclid(modulus);
            if signed && low >= modulus / 2 {
                low - modulus
            } else {
                low
            }
        };
        Ok(match (ty, value) {
            (Ty::IntPtr | Ty::StructPtr, Value::Address(_)) | (Ty::Function, Value::Function(_)) => value,
            (Ty::IntPtr | Ty::StructPtr | Ty::Function, _) | (_, Value::Address(_) | Value::Function(_)) => {
                return invalid("not an address");
            }
            (Ty::Struct | Ty::Array(_), _) => return invalid("an aggregate is not a value"),
            (Ty::Double, Value::Int(value)) => Value::Real(value as f64),
            (Ty::Double, Value::Real(_)) => value,
            (Ty::Float, Value::Int(value)) => Value::Real(f64::from(value as f32)),
            (Ty::Float, Value::Real(value)) => Value::Real(f64::from(value as f32)),
            (Ty::Int | Ty::Long, Value::Int(value)) => {
                let bits = if ty == Ty::Int { 32 } else { 64 };
                if wrap(bits, true, value) != value {
                    return invalid("signed overflow");
                }
                Value::Int(value)
            }
            (Ty::Unsigned, Value::Int(value)) => Value::Int(wrap(32, false, value)),
            (Ty::Size, Value::Int(value)) => Value::Int(wrap(64, false, value)),
            (Ty::Byte, Value::Int(value)) => Value::Int(wrap(8, false, value)),
            (_, Value::Real(value)) => self.converted(Value::Int(value as i128), ty)?,
        })
    }
}
