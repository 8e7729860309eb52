//! Programs that call, from a seed.

use calltrace::{Event, Function};

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }
}

/// How a program calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Nested loops of one count: a stencil.
    Loops,
    /// A recursion that meets other depths each time: a cycle of multigrid.
    Recursion,
    /// Loops whose counts come from data, branches mostly the same: a solver on unstructured meshes.
    Data,
    /// Nothing follows from anything: no code can be short.
    Random,
}

impl Shape {
    pub const ALL: [Self; 4] = [Self::Loops, Self::Recursion, Self::Data, Self::Random];

    /// Whether branches follow from data, and the same may come again: not where nothing does.
    pub fn is_irregular(self) -> bool {
        matches!(self, Self::Recursion | Self::Data)
    }

    pub fn of(seed: u64) -> Self {
        Self::ALL[(seed % 4) as usize]
    }
}

struct Program {
    rng: Rng,
    events: Vec<Event>,
    most: usize,
}

/// So many events of a program, at most: it may stop in the middle of its calls, as a job that hangs.
pub fn events(shape: Shape, seed: u64, most: usize) -> Vec<Event> {
    let mut program = Program {
        rng: Rng(seed),
        events: Vec::new(),
        most,
    };
    while program.events.len() < most {
        match shape {
            Shape::Loops => program.call(1, |program| program.stencil(2, 7)),
            Shape::Recursion => program.call(1, |program| program.cycle(0)),
            Shape::Data => program.call(1, Program::solve),
            Shape::Random => program.anything(0),
        }
    }
    program.events.truncate(most);
    program.events
}

impl Program {
    fn call(&mut self, function: u32, body: impl FnOnce(&mut Self)) {
        let function = Function::new(function).expect("numbers begin at 1");
        self.events.push(Event::Enter(function));
        if self.events.len() < self.most {
            body(self);
        }
        self.events.push(Event::Exit);
    }

    fn leaf(&mut self, function: u32) {
        self.call(function, |_| ());
    }

    fn stencil(&mut self, function: u32, count: u32) {
        for _ in 0..count {
            match count {
                1 => self.leaf(function),
                _ => self.call(function, |program| program.stencil(function + 1, count - 1)),
            }
        }
    }

    fn cycle(&mut self, level: u32) {
        self.leaf(10 + level);
        let visits = if level < 6 { self.rng.below(3) } else { 0 };
        for _ in 0..visits {
            self.call(20, |program| program.cycle(level + 1));
            self.leaf(30);
        }
        for _ in 0..3 {
            self.call(40 + level, |program| program.leaf(60));
        }
    }

    fn solve(&mut self) {
        for row in 0..100 {
            let entries = 1 + self.rng.below(6);
            self.call(100 + row % 3, |program| {
                for _ in 0..entries {
                    program.leaf(110);
                    if program.rng.below(8) == 0 {
                        let rare = program.rng.below(300) as u32;
                        program.call(200 + rare, |program| program.leaf(111));
                    }
                }
            });
        }
    }

    fn anything(&mut self, depth: u32) {
        let function = 1 + self.rng.below(60_000) as u32;
        self.call(function, |program| {
            while depth < 40 && program.rng.below(2) == 0 {
                program.anything(depth + 1);
            }
        });
    }
}
