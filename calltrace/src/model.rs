//! What is expected next.
//!
//! A *match* follows the events behind the last place where the same context stood, as ParLOT's LZ stage does (its section 2.3.3): it foresees whole
//! iterations. Until a match has been right [`TRUSTED`] times, and where there is none, the *long* context (a hash of the last seven events) tells what followed it
//! last, which is the finite-context method of value prediction: it foresees what branches. An event that is foreseen is *expected* and costs no byte. Others are
//! told as what else followed the long context, or the *short* one of the last two events, before their number is written. Nothing is searched: each event
//! touches a handful of words.
//!
//! Each entry tells the block that made it, so that a new block begins with empty tables without clearing them: that would take longer than a call may.

use crate::event::Symbol;
use crate::layout::code;
use std::ops::DerefMut;

const LONG_BITS: u32 = 14;
const SHORT_BITS: u32 = 12;
const LONG: usize = 1 << LONG_BITS;
const SHORT: usize = 1 << SHORT_BITS;
/// 2^64 divided by the golden ratio: its products spread over the upper bits (Knuth, vol. 3, section 6.4).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
const SYMBOL_BITS: u32 = 24;
const SYMBOL_MASK: u64 = (1 << SYMBOL_BITS) - 1;

/// Events that a match can look back.
const HISTORY: u32 = 1 << 16;
/// How often a match must have been right before it is believed more than the long context.
const TRUSTED: u32 = 16;

/// The memory of an encoder: 544 KiB, all zero at first.
#[derive(Debug, Clone)]
pub struct Tables {
    choices: [u64; LONG + SHORT],
    /// Where each long context stood last, by the number of its next event.
    places: [u64; LONG],
    /// The last events, each at its number.
    history: [u32; HISTORY as usize],
}

impl Tables {
    /// Empty tables.
    pub const fn new() -> Self {
        Self {
            choices: [0; LONG + SHORT],
            places: [0; LONG],
            history: [0; HISTORY as usize],
        }
    }
}

impl Default for Tables {
    fn default() -> Self {
        Self::new()
    }
}

/// A choice that names an event which was not expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    OtherOfLong,
    FirstOfShort,
    SecondOfShort,
}

/// How an event that was not expected is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Chosen(Chosen),
    Literal,
}

impl Choice {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Chosen(Chosen::OtherOfLong) => code::OTHER_OF_LONG,
            Self::Chosen(Chosen::FirstOfShort) => code::FIRST_OF_SHORT,
            Self::Chosen(Chosen::SecondOfShort) => code::SECOND_OF_SHORT,
            Self::Literal => code::LITERAL,
        }
    }

    /// What the first byte of a token tells.
    pub(crate) const fn of(byte: u8) -> Self {
        match byte & code::LITERAL {
            code::OTHER_OF_LONG => Self::Chosen(Chosen::OtherOfLong),
            code::FIRST_OF_SHORT => Self::Chosen(Chosen::FirstOfShort),
            code::SECOND_OF_SHORT => Self::Chosen(Chosen::SecondOfShort),
            _ => Self::Literal,
        }
    }
}

/// What followed a context, the last first; exits where nothing did.
#[derive(Debug, Clone, Copy)]
struct Choices {
    first: u32,
    second: u32,
}

/// The tables at one moment of a block.
#[derive(Debug)]
pub(crate) struct Model<T> {
    tables: T,
    now: Now,
}

/// The moment.
#[derive(Debug, Clone, Copy, Default)]
struct Now {
    /// The block's number plus one.
    mark: u16,
    /// The last events, the latest in the lowest bits: older ones are shifted out.
    long: u64,
    short: u64,
    /// How many events the block has, modulo 2^32.
    events: u32,
    following: Option<Match>,
}

/// Where the same events stood before.
#[derive(Debug, Clone, Copy)]
struct Match {
    /// The number of the event that it foresees.
    next: u32,
    /// How often it was right.
    right: u32,
}

impl<T: DerefMut<Target = Tables>> Model<T> {
    /// The model of a block that has not begun.
    pub(crate) fn new(tables: T) -> Self {
        Self {
            tables,
            now: Now::default(),
        }
    }

    /// Forgets everything: the block with this mark begins.
    pub(crate) fn begin(&mut self, mark: u16) {
        self.now = Now {
            mark,
            ..Now::default()
        };
    }

    /// The event that costs nothing.
    #[inline]
    pub(crate) fn expected(&self) -> Symbol {
        self.now.expected(&self.tables)
    }

    /// Goes on behind an event that was expected: no choice changes.
    #[inline]
    pub(crate) fn pass(&mut self, symbol: Symbol) {
        self.now.pass(&mut self.tables, symbol);
    }

    /// Goes on behind so many expected events, and tells them.
    pub(crate) fn pass_expected(&mut self, count: u32, events: &mut Vec<Symbol>) {
        // A copy stays in registers.
        let mut now = self.now;
        let tables = &mut *self.tables;
        events.extend((0..count).map(|_| {
            let symbol = now.expected(tables);
            now.pass(tables, symbol);
            symbol
        }));
        self.now = now;
    }

    /// The event that happened last in this block; an exit if none did.
    pub(crate) fn last(&self) -> Symbol {
        Symbol((self.now.short & SYMBOL_MASK) as u32)
    }

    /// How an event that was not expected is told.
    #[inline]
    pub(crate) fn choice(&self, symbol: Symbol) -> Choice {
        let short = self.now.choices(&self.tables, self.now.short_at());
        match symbol.0 {
            number if number == self.other_of_long() => Choice::Chosen(Chosen::OtherOfLong),
            number if number == short.first => Choice::Chosen(Chosen::FirstOfShort),
            number if number == short.second => Choice::Chosen(Chosen::SecondOfShort),
            _ => Choice::Literal,
        }
    }

    /// The event that a choice tells.
    pub(crate) fn chosen(&self, choice: Chosen) -> Symbol {
        let short = || self.now.choices(&self.tables, self.now.short_at());
        Symbol(match choice {
            Chosen::OtherOfLong => self.other_of_long(),
            Chosen::FirstOfShort => short().first,
            Chosen::SecondOfShort => short().second,
        })
    }

    /// Learns from an event that was not expected, and goes on behind it.
    #[inline]
    pub(crate) fn learn(&mut self, symbol: Symbol) {
        self.prefer(self.now.long_at(), symbol);
        self.prefer(self.now.short_at(), symbol);
        self.pass(symbol);
    }

    /// What followed the long context and is not what was expected.
    fn other_of_long(&self) -> u32 {
        let long = self.now.choices(&self.tables, self.now.long_at());
        if self.expected() == Symbol(long.first) {
            long.second
        } else {
            long.first
        }
    }

    fn prefer(&mut self, at: usize, symbol: Symbol) {
        let before = self.now.choices(&self.tables, at).first;
        if before != symbol.0 {
            self.tables.choices[at] = u64::from(self.now.mark) << (2 * SYMBOL_BITS)
                | u64::from(before) << SYMBOL_BITS
                | u64::from(symbol.0);
        }
    }
}

impl Now {
    #[inline]
    fn expected(&self, tables: &Tables) -> Symbol {
        Symbol(match self.following {
            Some(found) if found.right >= TRUSTED => found.foresees(tables),
            _ => self.choices(tables, self.long_at()).first,
        })
    }

    #[inline]
    fn pass(&mut self, tables: &mut Tables, symbol: Symbol) {
        let following = self.following.filter(|found| found.foresees(tables) == symbol.0);
        tables.history[(self.events % HISTORY) as usize] = symbol.0;
        self.events = self.events.wrapping_add(1);
        self.long = (self.long << 9) ^ (u64::from(symbol.0).wrapping_mul(SPREAD) >> 40);
        self.short = (self.short << SYMBOL_BITS | u64::from(symbol.0)) & ((1 << (2 * SYMBOL_BITS)) - 1);
        let at = self.long_at();
        self.following = match following {
            Some(found) => Some(Match {
                next: found.next.wrapping_add(1),
                right: found.right.saturating_add(1),
            }),
            None => self.place(tables, at).map(|next| Match { next, right: 0 }),
        };
        tables.places[at] = u64::from(self.mark) << 32 | u64::from(self.events);
    }

    /// Where this context stood last, if the events behind it are still known.
    #[inline]
    fn place(&self, tables: &Tables, at: usize) -> Option<u32> {
        let entry = tables.places[at];
        let place = entry as u32;
        let known = entry >> 32 == u64::from(self.mark) && self.events.wrapping_sub(place) < HISTORY;
        known.then_some(place)
    }

    #[inline]
    fn choices(&self, tables: &Tables, at: usize) -> Choices {
        let entry = tables.choices[at];
        if entry >> (2 * SYMBOL_BITS) == u64::from(self.mark) {
            Choices {
                first: (entry & SYMBOL_MASK) as u32,
                second: (entry >> SYMBOL_BITS & SYMBOL_MASK) as u32,
            }
        } else {
            Choices { first: 0, second: 0 }
        }
    }

    #[inline]
    fn long_at(&self) -> usize {
        (self.long.wrapping_mul(SPREAD) >> (64 - LONG_BITS)) as usize
    }

    #[inline]
    fn short_at(&self) -> usize {
        LONG + (self.short.wrapping_mul(SPREAD) >> (64 - SHORT_BITS)) as usize
    }
}

impl Match {
    #[inline]
    fn foresees(self, tables: &Tables) -> u32 {
        tables.history[(self.next % HISTORY) as usize]
    }
}
