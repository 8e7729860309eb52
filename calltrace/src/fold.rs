//! Traces as folded call trees, of which equal parts are there once.
//!
//! A *shape* is a call with what it called, in order, or a loop: a sequence of shapes that was repeated, and how often. Shapes of all threads that are compared stand in one
//! [`Forest`], where equal ones have one number: whether two threads did the same in a piece is one comparison, and a million equal iterations take the room of one.
//!
//! Repetitions are found as they come: behind each call of one function, sequences of at most [`LONGEST_BODY`] shapes that stand twice become a loop, and a loop with its body behind it
//! has one turn more. Loops within loops fold first, as their ends come first (after Ketterlin and Clauss, "Prediction and trace compression of data access addresses through nested
//! loop recognition", CGO 2008, without its arithmetic).

use crate::event::Event;

/// Shapes of the longest loop body that is looked for.
pub const LONGEST_BODY: usize = 24;

/// A shape, by its number in its [`Forest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape(u32);

/// What a shape is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View<'f> {
    /// A call.
    Call(Call<'f>),
    /// These shapes, so many times.
    Loop {
        /// How often, at least 2.
        turns: u64,
        /// What is repeated.
        body: &'f [Shape],
    },
}

/// A call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'f> {
    /// The function, by the number that its events have; 0 is the thread itself.
    pub function: u32,
    /// The trace ends within the call.
    pub is_open: bool,
    /// What it called.
    pub called: &'f [Shape],
}

/// The kinds of a shape's first word; of a loop the number of turns follows in two words.
const CALL: u32 = 0;
const OPEN_CALL: u32 = 1;
const LOOP: u32 = 2;
/// What loops repeat: no shape of its own.
const BODY: u32 = 3;

/// Shapes, each there once.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    /// For each shape its kind, two numbers, and its parts.
    parts: Vec<Shape>,
    starts: Vec<usize>,
    /// Calls within each shape, itself included.
    calls: Vec<u64>,
    /// Numbers of shapes plus one by the hash of their words; a power of two of them.
    table: Vec<u32>,
}

impl Forest {
    /// No shapes.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many shapes there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Calls within a shape, itself included.
    pub fn calls(&self, shape: Shape) -> u64 {
        self.calls.get(shape.0 as usize).copied().unwrap_or(0)
    }

    /// What a shape of this forest is.
    pub fn view(&self, shape: Shape) -> View<'_> {
        let (kind, [low, high], parts) = self.words(shape);
        match kind {
            LOOP => View::Loop {
                turns: u64::from(high) << 32 | u64::from(low),
                body: parts.first().map_or(&[], |body| self.words(*body).2),
            },
            _ => View::Call(Call {
                function: low,
                is_open: kind == OPEN_CALL,
                called: parts,
            }),
        }
    }

    /// A call of this forest; of a loop, which is none, one of the thread without calls.
    pub fn call(&self, shape: Shape) -> Call<'_> {
        match self.view(shape) {
            View::Call(call) => call,
            View::Loop { .. } => Call {
                function: 0,
                is_open: false,
                called: &[],
            },
        }
    }

    fn words(&self, shape: Shape) -> (u32, [u32; 2], &[Shape]) {
        let number = shape.0 as usize;
        let start = self.starts.get(number).copied().unwrap_or(self.parts.len());
        let end = self.starts.get(number + 1).copied().unwrap_or(self.parts.len());
        match self.parts.get(start..end) {
            Some([kind, low, high, parts @ ..]) => (kind.0, [low.0, high.0], parts),
            _ => (CALL, [0, 0], &[]),
        }
    }

    fn intern(&mut self, kind: u32, [low, high]: [u32; 2], parts: &[Shape], calls: u64) -> Shape {
        if self.table.len() < 2 * (self.starts.len() + 1) {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = hash(kind, [low, high], parts) as usize & mask;
        while let Some(known) = self.table[at].checked_sub(1) {
            if self.words(Shape(known)) == (kind, [low, high], parts) {
                return Shape(known);
            }
            at = (at + 1) & mask;
        }
        let new = self.starts.len() as u32;
        self.table[at] = new + 1;
        self.starts.push(self.parts.len());
        self.parts.extend([Shape(kind), Shape(low), Shape(high)]);
        self.parts.extend_from_slice(parts);
        self.calls.push(calls);
        Shape(new)
    }

    fn grow(&mut self) {
        let size = (4 * (self.starts.len() + 1)).next_power_of_two();
        self.table = vec![0; size];
        for number in 0..self.starts.len() as u32 {
            let (kind, numbers, parts) = self.words(Shape(number));
            let mut at = hash(kind, numbers, parts) as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = number + 1;
        }
    }

    fn sum(&self, parts: &[Shape]) -> u64 {
        parts
            .iter()
            .fold(0, |sum: u64, part| sum.saturating_add(self.calls(*part)))
    }

    fn add_call(&mut self, function: u32, is_open: bool, called: &[Shape]) -> Shape {
        let kind = if is_open { OPEN_CALL } else { CALL };
        let within = self.sum(called);
        self.intern(
            kind,
            [function, 0],
            called,
            within.saturating_add(u64::from(function != 0)),
        )
    }

    fn add_loop(&mut self, body: Shape, turns: u64) -> Shape {
        let calls = self.calls(body).saturating_mul(turns);
        self.intern(LOOP, [turns as u32, (turns >> 32) as u32], &[body], calls)
    }
}

fn hash(kind: u32, [low, high]: [u32; 2], parts: &[Shape]) -> u64 {
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let words = [kind, low, high]
        .into_iter()
        .chain(parts.iter().map(|part| part.0));
    let hash = words.fold(0_u64, |hash, word| {
        (hash.rotate_left(23) ^ u64::from(word)).wrapping_mul(SPREAD)
    });
    hash ^ hash >> 32
}

/// What a call that is not over has called: a shape, or a loop that may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    /// The shape; of a loop its body.
    shape: Shape,
    /// Turns of a loop; 1 for a shape.
    turns: u64,
}

/// Makes the shape of one thread from its events.
#[derive(Debug)]
pub struct Builder<'f> {
    forest: &'f mut Forest,
    /// The calls that are not over, with what they called, outermost first: the thread itself.
    open: Vec<(u32, Vec<Part>)>,
    spare: Vec<Vec<Part>>,
}

impl<'f> Builder<'f> {
    /// A thread that has called nothing.
    pub fn new(forest: &'f mut Forest) -> Self {
        Self {
            forest,
            open: vec![(0, Vec::new())],
            spare: Vec::new(),
        }
    }

    /// The next event. An exit that fits no entry is left out.
    pub fn add(&mut self, event: Event) {
        match event {
            Event::Enter(function) => self.enter(function.number()),
            Event::Exit => self.exit(),
        }
    }

    /// The thread enters a function.
    pub fn enter(&mut self, function: u32) {
        let called = self.spare.pop().unwrap_or_default();
        self.open.push((function, called));
    }

    /// It leaves the function that it entered last.
    pub fn exit(&mut self) {
        if self.open.len() > 1 {
            self.close(false);
        }
    }

    /// The shape of the thread: a call of function 0.
    pub fn finish(mut self) -> Shape {
        while self.open.len() > 1 {
            self.close(true);
        }
        let (function, mut called) = self.open.pop().unwrap_or_default();
        let called = self.resolve(&mut called, 0);
        self.forest.add_call(function, true, &called)
    }

    fn close(&mut self, is_open: bool) {
        let Some((function, mut called)) = self.open.pop() else {
            return;
        };
        let shapes = self.resolve(&mut called, 0);
        self.spare.push(called);
        let shape = self.forest.add_call(function, is_open, &shapes);
        if let Some((_, parts)) = self.open.last_mut() {
            parts.push(Part { shape, turns: 1 });
        }
        self.fold();
    }

    /// Takes the parts from here on as shapes.
    fn resolve(&mut self, parts: &mut Vec<Part>, from: usize) -> Vec<Shape> {
        let taken = parts.drain(from..).map(|part| match part.turns {
            1 => part.shape,
            turns => self.forest.add_loop(part.shape, turns),
        });
        taken.collect()
    }

    /// Folds what stands at the end of the innermost call.
    fn fold(&mut self) {
        let Some(mut parts) = self.open.last_mut().map(|(_, parts)| std::mem::take(parts)) else {
            return;
        };
        while self.fold_once(&mut parts) {}
        if let Some((_, place)) = self.open.last_mut() {
            *place = parts;
        }
    }

    fn fold_once(&mut self, parts: &mut Vec<Part>) -> bool {
        let count = parts.len();
        for length in 1..=LONGEST_BODY.min(count.saturating_sub(1)) {
            let from = count - length;
            if self.is_turn_of(parts[from - 1], &parts[from..]) {
                parts[from - 1].turns = parts[from - 1].turns.saturating_add(1);
                parts.truncate(from);
                return true;
            }
            if from >= length
                && parts[count - 1] == parts[from - 1]
                && parts[from - length..from] == parts[from..]
            {
                let body = self.resolve(parts, from);
                parts.truncate(from - length);
                let calls = self.forest.sum(&body);
                let body = self.forest.intern(BODY, [0, 0], &body, calls);
                parts.push(Part {
                    shape: body,
                    turns: 2,
                });
                return true;
            }
        }
        false
    }

    /// Whether these parts are one more turn of a loop.
    fn is_turn_of(&self, part: Part, turn: &[Part]) -> bool {
        if part.turns == 1 {
            return false;
        }
        let body = self.forest.words(part.shape).2;
        body.len() == turn.len()
            && body.iter().zip(turn).rev().all(|(shape, part)| match part.turns {
                1 => *shape == part.shape,
                turns => {
                    let (kind, [low, high], parts) = self.forest.words(*shape);
                    kind == LOOP && u64::from(high) << 32 | u64::from(low) == turns && *parts == [part.shape]
                }
            })
    }
}

/// The calls in a sequence of shapes in their order, each with how often it follows itself; loops are unrolled.
#[derive(Clone, Debug)]
pub struct Unrolled<'f> {
    forest: &'f Forest,
    /// What is left of sequences, outermost first, with the turns that are left of the loop that each is the body of.
    left: Vec<(&'f [Shape], usize, u64)>,
}

impl<'f> Unrolled<'f> {
    /// The calls of these shapes.
    pub fn new(forest: &'f Forest, shapes: &'f [Shape]) -> Self {
        Self {
            forest,
            left: vec![(shapes, 0, 1)],
        }
    }
}

impl Iterator for Unrolled<'_> {
    type Item = (Shape, u64);

    fn next(&mut self) -> Option<(Shape, u64)> {
        loop {
            let (shapes, at, turns) = self.left.last_mut()?;
            let Some(&shape) = shapes.get(*at) else {
                (*at, *turns) = (0, turns.saturating_sub(1));
                if *turns == 0 {
                    self.left.pop();
                }
                continue;
            };
            *at += 1;
            match self.forest.view(shape) {
                View::Call(_) => return Some((shape, 1)),
                // A loop of one call need not be gone through.
                View::Loop { turns, body: &[only] } if matches!(self.forest.view(only), View::Call(_)) => {
                    return Some((only, turns));
                }
                View::Loop { body: [], .. } => {}
                View::Loop { turns, body } => self.left.push((body, 0, turns)),
            }
        }
    }
}
