//! Dynamic dependences: what every executed piece of a run rests on.
//!
//! A *piece* is one execution of an assignment, a condition, a call, a return or a jump. It rests on
//!
//! * the pieces that wrote what it reads, through variables, members, pointers and results of calls;
//! * the piece that decided that it runs: the condition of the branch or loop around it, the call of its function, or,
//!   where a jump before it would have passed it by, the last condition that could have led to such a jump, and
//!   the jump itself: who leaves a `break` out changes what runs, whether it was taken or not. A jump back to a label passes by
//!   nothing that is on every way from there: that runs later, as what stands behind a loop does.
//!
//! External functions have no memory here: what they return rests on the call, and on the argument where it is known
//! that it does. So the lines that a piece rests on, near or far, are the least that a slice may hold.

use super::Machine;
use crate::oracle::ast::{Case, Expr, Lvalue, Program, Stmt};
use crate::oracle::layout::Lines;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

/// A piece, numbered in the order of execution.
pub type PieceId = u32;

/// The start of the program, on which everything rests, is on no line.
const START: u32 = 0;

#[derive(Clone, Debug)]
struct Piece {
    line: u32,
    rests: Vec<PieceId>,
}

/// Everything that was executed in a run.
#[derive(Clone, Debug, Default)]
pub struct Dependences {
    pieces: Vec<Piece>,
    /// By event.
    stops: Vec<PieceId>,
}

impl Dependences {
    /// The lines that event number `event` rests on, each with the chain of lines that leads to it, nearest first.
    #[must_use]
    pub fn slice(&self, event: usize) -> BTreeMap<u32, Vec<u32>> {
        let mut lines = BTreeMap::new();
        let Some(&from) = self.stops.get(event) else {
            return lines;
        };
        let mut by: BTreeMap<PieceId, PieceId> = BTreeMap::from([(from, from)]);
        let mut queue = VecDeque::from([from]);
        while let Some(piece) = queue.pop_front() {
            let line = self.pieces[piece as usize].line;
            lines.entry(line).or_insert_with(|| {
                let mut chain = vec![line];
                let mut at = piece;
                while at != from {
                    at = by[&at];
                    chain.push(self.pieces[at as usize].line);
                }
                chain.reverse();
                chain.dedup();
                chain
            });
            for &on in &self.pieces[piece as usize].rests {
                by.entry(on).or_insert_with(|| {
                    queue.push_back(on);
                    piece
                });
            }
        }
        lines.remove(&START);
        lines
    }
}

/// A way to leave a statement before its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Break,
    Continue,
    Return,
    Label(String),
}

/// What is known while the program runs.
#[derive(Debug)]
pub(super) struct Trace<'a> {
    lines: &'a Lines,
    found: Dependences,
    /// Who wrote a cell last.
    writers: BTreeMap<usize, PieceId>,
    /// Who decided that what runs now runs, innermost last.
    control: Vec<PieceId>,
    /// What the value computed last rests on.
    value: Vec<PieceId>,
    /// The statement that runs, for what has no line of its own.
    line: u32,
    /// The last conditions, in this call, that could have led to a jump of each kind.
    guards: BTreeMap<Way, PieceId>,
    /// The last jump.
    jump: Option<PieceId>,
    /// The labels after which what runs is reached on every way, as no branch and no loop stands between: where among those who decided the
    /// jumps stand that led there.
    straight: BTreeMap<String, Range<usize>>,
}

impl<'a> Trace<'a> {
    pub(super) fn new(lines: &'a Lines) -> Self {
        Self {
            lines,
            found: Dependences {
                pieces: vec![Piece {
                    line: START,
                    rests: Vec::new(),
                }],
                stops: Vec::new(),
            },
            writers: BTreeMap::new(),
            control: vec![0],
            value: Vec::new(),
            line: 0,
            guards: BTreeMap::new(),
            jump: None,
            straight: BTreeMap::new(),
        }
    }

    pub(super) fn finish(self) -> Dependences {
        self.found
    }

    fn piece(&mut self, line: u32, mut rests: Vec<PieceId>) -> PieceId {
        rests.extend(self.control.last());
        rests.sort_unstable();
        rests.dedup();
        self.found.pieces.push(Piece { line, rests });
        u32::try_from(self.found.pieces.len() - 1).unwrap_or(PieceId::MAX)
    }

    fn line_of(&self, e: &Expr) -> u32 {
        self.lines.of_expr(e).unwrap_or(self.line)
    }
}

/// The calls of the interpreter. Without a trace they do nothing.
impl Machine<'_> {
    /// A global has its first value.
    pub(super) fn trace_global(&mut self, program: &Program, index: usize, cells: std::ops::Range<usize>) {
        if let Some(trace) = &mut self.trace
            && let Some(line) = trace.lines.of_global(&program.globals[index])
        {
            let piece = trace.piece(line, Vec::new());
            trace.writers.extend(cells.map(|cell| (cell, piece)));
        }
    }

    /// The value computed next rests on nothing yet.
    pub(super) fn trace_constant(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.value.clear();
        }
    }

    /// Takes away what the last value rests on, to be given back with [`Self::trace_also`].
    pub(super) fn trace_take(&mut self) -> Vec<PieceId> {
        self.trace
            .as_mut()
            .map(|trace| std::mem::take(&mut trace.value))
            .unwrap_or_default()
    }

    /// The last value rests on these too.
    pub(super) fn trace_also(&mut self, on: Vec<PieceId>) {
        if let Some(trace) = &mut self.trace {
            trace.value.extend(on);
        }
    }

    /// The last value rests on what a cell holds.
    pub(super) fn trace_read(&mut self, cell: usize) {
        if let Some(trace) = &mut self.trace {
            trace.value.extend(trace.writers.get(&cell));
        }
    }

    /// The last value rests on where a place is.
    pub(super) fn trace_place(&mut self, place: &Lvalue) {
        if self.trace.is_none() {
            return;
        }
        if let Lvalue::Arrow(name, _) | Lvalue::Deref(name) = place
            && let Ok((_, cell)) = self.slot(name)
        {
            self.trace_read(cell);
        }
    }

    /// What an expression just wrote to a cell rests on the last value.
    pub(super) fn trace_write(&mut self, e: &Expr, cell: usize) {
        if let Some(trace) = &mut self.trace {
            let line = trace.line_of(e);
            self.trace_write_at(line, cell);
        }
    }

    /// What the statement that runs just wrote to a cell rests on the last value.
    pub(super) fn trace_declare(&mut self, cell: usize) {
        if let Some(trace) = &self.trace {
            let line = trace.line;
            self.trace_write_at(line, cell);
        }
    }

    fn trace_write_at(&mut self, line: u32, cell: usize) {
        if let Some(trace) = &mut self.trace {
            let value = std::mem::take(&mut trace.value);
            let piece = trace.piece(line, value);
            trace.writers.insert(cell, piece);
            trace.value.push(piece);
        }
    }

    /// A condition whose value was just computed decides what runs until [`Self::trace_release`]; a constant decides
    /// nothing.
    pub(super) fn trace_decide(&mut self, e: &Expr) {
        if let Some(trace) = &mut self.trace {
            if matches!(e, Expr::Int(_)) {
                trace.control.extend(trace.control.last().copied());
                return;
            }
            let line = trace.line_of(e);
            let value = std::mem::take(&mut trace.value);
            let piece = trace.piece(line, value);
            trace.value.push(piece);
            trace.control.push(piece);
        }
    }

    /// The innermost decision decides no longer.
    pub(super) fn trace_release(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.control.pop();
        }
    }

    /// How many decisions there are.
    pub(super) fn trace_depth(&self) -> usize {
        self.trace.as_ref().map_or(0, |trace| trace.control.len())
    }

    /// Back to so many decisions.
    pub(super) fn trace_back_to(&mut self, depth: usize) {
        if let Some(trace) = &mut self.trace {
            trace.control.truncate(depth);
        }
    }

    /// The condition that was decided last is that of a branch or loop with these statements in it.
    pub(super) fn trace_guard(&mut self, bodies: &[&[Stmt]]) {
        if let Some(trace) = &mut self.trace
            && let Some(&piece) = trace.control.last()
        {
            let mut ways = BTreeMap::new();
            bodies
                .iter()
                .for_each(|body| leaving(body, trace.lines, &mut ways));
            trace.guards.extend(ways.into_keys().map(|way| (way, piece)));
        }
    }

    /// What runs next would not if one of these statements had been left by a jump (other than `continue`, when
    /// `rounds` is set: that goes to the next round).
    pub(super) fn trace_passed(&mut self, stmts: &[Stmt], rounds: bool) {
        let Some(trace) = &mut self.trace else {
            return;
        };
        let mut ways = BTreeMap::new();
        leaving(stmts, trace.lines, &mut ways);
        if rounds {
            ways.remove(&Way::Continue);
        }
        for (label, landed) in &trace.straight {
            // Nor does a jump back decide what runs behind it.
            if ways.remove(&Way::Label(label.clone())).is_some()
                && let Some(before) = landed.start.checked_sub(1)
            {
                let before = trace.control[before];
                let end = landed.end.min(trace.control.len());
                trace.control[landed.start.min(end)..end].fill(before);
            }
        }
        let Some(guard) = ways.keys().filter_map(|way| trace.guards.get(way)).max().copied() else {
            return;
        };
        trace.control.push(guard);
        for line in ways.into_values().flatten() {
            let piece = trace.piece(line, Vec::new());
            if let Some(top) = trace.control.last_mut() {
                *top = piece;
            }
        }
    }

    /// A jump or a return; the last value is what is returned.
    pub(super) fn trace_jump(&mut self) {
        if let Some(trace) = &mut self.trace {
            let value = std::mem::take(&mut trace.value);
            let piece = trace.piece(trace.line, value);
            trace.value.push(piece);
            trace.jump = Some(piece);
        }
    }

    /// What runs next runs because of the last jump, which led to this label.
    pub(super) fn trace_landed(&mut self, label: &str) {
        if let Some(trace) = &mut self.trace
            && let Some(piece) = trace.jump
        {
            trace.control.push(piece);
            if let Some(landed) = trace.straight.get_mut(label) {
                landed.end = trace.control.len();
            }
        }
    }

    /// What runs next runs because of a condition behind the label, or because the label was come to.
    pub(super) fn trace_led(&mut self, label: &str) {
        if let Some(trace) = &mut self.trace {
            let depth = trace.control.len();
            trace.straight.insert(label.to_owned(), depth..depth);
        }
    }

    /// A loop begins or a switch: its own jumps are nobody else's. Gives what [`Self::trace_leave`] needs.
    pub(super) fn trace_into(&mut self, continues: bool) -> Vec<Option<PieceId>> {
        let ways = [Way::Break, Way::Continue];
        let ways = &ways[..1 + usize::from(continues)];
        let take = |trace: &mut Trace<'_>| ways.iter().map(|way| trace.guards.remove(way)).collect();
        self.trace.as_mut().map(take).unwrap_or_default()
    }

    /// The loop or switch is over.
    pub(super) fn trace_leave(&mut self, before: Vec<Option<PieceId>>) {
        if let Some(trace) = &mut self.trace {
            for (way, piece) in [Way::Break, Way::Continue].into_iter().zip(before) {
                trace.guards.remove(&way);
                trace.guards.extend(piece.map(|piece| (way, piece)));
            }
        }
    }

    /// A statement begins; gives the line of the one around it.
    pub(super) fn trace_statement(&mut self, stmt: &Stmt) -> u32 {
        let Some(trace) = &mut self.trace else {
            return 0;
        };
        let around = trace.line;
        trace.line = trace.lines.of_stmt(stmt).unwrap_or(around);
        around
    }

    /// A statement begins, and with it perhaps a branch or a loop; gives what [`Self::trace_behind`] needs.
    pub(super) fn trace_inside(&mut self, stmt: &Stmt) -> BTreeMap<String, Range<usize>> {
        let Some(trace) = &mut self.trace else {
            return BTreeMap::new();
        };
        match stmt {
            Stmt::Again(..) | Stmt::Block(_) | Stmt::OneLine(_) | Stmt::Macro(..) => trace.straight.clone(),
            _ => std::mem::take(&mut trace.straight),
        }
    }

    /// It is over.
    pub(super) fn trace_behind(&mut self, around: BTreeMap<String, Range<usize>>) {
        if let Some(trace) = &mut self.trace {
            trace.straight = around;
        }
    }

    /// A statement is over.
    pub(super) fn trace_line(&mut self, line: u32) {
        if let Some(trace) = &mut self.trace {
            trace.line = line;
        }
    }

    /// A call of a function of the program, whose arguments rest on these; gives what [`Self::trace_returned`] needs.
    pub(super) fn trace_call(&mut self, line: Option<u32>, args: &[Vec<PieceId>]) -> Call {
        let mut call = Call::default();
        if let Some(trace) = &mut self.trace {
            call.line = trace.line;
            let line = line.unwrap_or(trace.line);
            let value = std::mem::take(&mut trace.value);
            let piece = trace.piece(line, value);
            trace.control.push(piece);
            call.args = args.iter().map(|on| trace.piece(line, on.clone())).collect();
            call.guards = std::mem::take(&mut trace.guards);
        }
        call
    }

    /// A parameter holds argument number `index` of the call.
    pub(super) fn trace_parameter(&mut self, call: &Call, index: usize, cell: usize) {
        if let Some(trace) = &mut self.trace
            && let Some(&piece) = call.args.get(index)
        {
            trace.writers.insert(cell, piece);
        }
    }

    /// The call is over; the last value is what it returned.
    pub(super) fn trace_returned(&mut self, call: Call, depth: usize) {
        if let Some(trace) = &mut self.trace {
            trace.control.truncate(depth);
            trace.guards = call.guards;
            trace.line = call.line;
        }
    }

    /// A call of an external function, at an event: what it returns and writes rests on it and on the given.
    pub(super) fn trace_external(&mut self, line: Option<u32>, args: &[Vec<PieceId>], matters: bool) {
        if let Some(trace) = &mut self.trace {
            let line = line.unwrap_or(trace.line);
            let all = args.concat();
            let stop = trace.piece(line, all.clone());
            trace.found.stops.push(stop);
            let result = trace.piece(line, if matters { all } else { Vec::new() });
            trace.value = vec![result];
        }
    }

    /// The external function writes to a cell.
    pub(super) fn trace_result(&mut self, cell: usize) {
        if let Some(trace) = &mut self.trace
            && let [piece] = trace.value[..]
        {
            trace.writers.insert(cell, piece);
        }
    }

    /// An event at a statement or step without a call; the value computed last belongs to it.
    pub(super) fn trace_stop(&mut self, e: Option<&Expr>) {
        if let Some(trace) = &mut self.trace {
            let line = e.map_or(trace.line, |e| trace.line_of(e));
            let value = trace.value.clone();
            let stop = trace.piece(line, value);
            trace.found.stops.push(stop);
        }
    }

    /// Where an expression stands, when that is traced.
    pub(super) fn trace_line_of(&self, e: &Expr) -> Option<u32> {
        self.trace.as_ref().map(|trace| trace.line_of(e))
    }
}

/// A call in progress.
#[derive(Debug, Default)]
pub(super) struct Call {
    args: Vec<PieceId>,
    guards: BTreeMap<Way, PieceId>,
    line: u32,
}

/// The ways in which statements may be left before their end, with the lines of the jumps.
fn leaving(stmts: &[Stmt], lines: &Lines, ways: &mut BTreeMap<Way, BTreeSet<u32>>) {
    for stmt in stmts {
        let mut add = |way: Way| {
            ways.entry(way).or_default().extend(lines.of_stmt(stmt));
        };
        match stmt {
            Stmt::Break => add(Way::Break),
            Stmt::Continue => add(Way::Continue),
            Stmt::Return(_) => add(Way::Return),
            Stmt::GotoAgain(label) | Stmt::GotoEnd(label) => add(Way::Label(label.clone())),
            Stmt::If(_, yes, no) => {
                leaving(yes, lines, ways);
                leaving(no.as_deref().unwrap_or_default(), lines, ways);
            }
            Stmt::While(_, body) | Stmt::Do(body, _) | Stmt::ForMacro(_, _, body) => {
                within(body, &[Way::Break, Way::Continue], lines, ways);
            }
            Stmt::For(parts) => within(&parts.body, &[Way::Break, Way::Continue], lines, ways),
            Stmt::Switch(_, cases) => {
                for Case { body, .. } in cases {
                    within(body, &[Way::Break], lines, ways);
                }
            }
            Stmt::Again(label, body, _) | Stmt::Until(label, body) => {
                within(body, &[Way::Label(label.clone())], lines, ways);
            }
            Stmt::TwoEntries(parts) => {
                leaving(&parts.first, lines, ways);
                leaving(&parts.second, lines, ways);
            }
            Stmt::Block(body) | Stmt::OneLine(body) | Stmt::Macro(_, body) => leaving(body, lines, ways),
            Stmt::Expr(..) | Stmt::Decl(..) | Stmt::AddMacro(..) => {}
        }
    }
}

/// The same, but for the ways that end in the statement around.
fn within(body: &[Stmt], own: &[Way], lines: &Lines, ways: &mut BTreeMap<Way, BTreeSet<u32>>) {
    let mut inner = BTreeMap::new();
    leaving(body, lines, &mut inner);
    for (way, at) in inner {
        if !own.contains(&way) {
            ways.entry(way).or_default().extend(at);
        }
    }
}
