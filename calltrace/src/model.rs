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
use crate::task::OTHERS;
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

/// Events that are foretold at once, at most.
pub(crate) const FORETOLD: usize = 256;
/// What stands behind events that were foretold. It is the number of the functions that have none of their own, which is never known to be the one expected.
pub const UNTOLD: u32 = OTHERS;

/// The memory of an encoder: 546 KiB, all zero at first.
#[derive(Debug, Clone)]
pub struct Tables {
    long: [Long; LONG],
    short: [u64; SHORT],
    /// The last events, each at its number.
    history: [u32; HISTORY as usize],
    /// The events that a match foretells, and [`UNTOLD`] behind them.
    foretold: [u32; FORETOLD + 1],
}

/// What is known of a long context: both are looked at together.
#[derive(Debug, Clone, Copy)]
struct Long {
    /// What followed it.
    choices: u64,
    /// Where it stood last, by the number of its next event.
    place: u64,
}

impl Tables {
    /// Empty tables.
    pub const fn new() -> Self {
        Self {
            long: [Long { choices: 0, place: 0 }; LONG],
            short: [0; SHORT],
            history: [0; HISTORY as usize],
            foretold: [UNTOLD; FORETOLD + 1],
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
    #[inline(always)]
    pub(crate) fn expected(&self) -> Symbol {
        self.now.expected(&self.tables)
    }

    /// Goes on behind an event that was expected: no choice changes.
    #[inline(always)]
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

    /// Foretells the next events, if a match is believed: as many as it was right, [`FORETOLD`] at most, but no more than `most`. How many they are.
    pub(crate) fn foretell(&mut self, most: u32) -> u32 {
        let Some(found) = self.now.following.filter(|found| found.right >= TRUSTED) else {
            return 0;
        };
        let count = found.right.min(FORETOLD as u32).min(most);
        let Tables {
            history, foretold, ..
        } = &mut *self.tables;
        // A match that reaches what it foretells itself goes round.
        let period = self.now.period(found);
        let mut at = 0;
        for symbol in foretold.iter_mut().take(count as usize) {
            *symbol = history[(found.next.wrapping_add(at) % HISTORY) as usize];
            at = if at + 1 == period { 0 } else { at + 1 };
        }
        foretold[count as usize % foretold.len()] = UNTOLD;
        count
    }

    /// The first so many of the events that were foretold last; of one more the last is [`UNTOLD`].
    pub(crate) fn foretold(&self, count: u32) -> &[u32] {
        self.tables.foretold.get(..count as usize).unwrap_or_default()
    }

    /// Goes on behind so many events that were foretold: all becomes as if [`Model::pass`] had been told of each.
    pub(crate) fn pass_foretold(&mut self, count: u32) {
        let mut now = self.now;
        let Some(found) = &mut now.following else {
            return;
        };
        let period = self.now.period(*found);
        found.next = found.next.wrapping_add(count);
        found.right = found.right.saturating_add(count);
        let Tables {
            history,
            foretold,
            long,
            ..
        } = &mut *self.tables;
        // The same contexts come again after each period, since more events than a context has were right before. Where each stood last is all that stays.
        let (before, last) = foretold
            .split_at_checked(count as usize)
            .map_or_else(Default::default, |(passed, _)| {
                passed.split_at(passed.len().saturating_sub(period as usize))
            });
        for &symbol in before {
            history[(now.events % HISTORY) as usize] = symbol;
            now.step(Symbol(symbol));
        }
        for &symbol in last {
            history[(now.events % HISTORY) as usize] = symbol;
            now.step(Symbol(symbol));
            long[now.long_at()].place = now.as_place();
        }
        self.now = now;
    }

    /// The event that happened last in this block; an exit if none did.
    pub(crate) fn last(&self) -> Symbol {
        Symbol((self.now.short & SYMBOL_MASK) as u32)
    }

    /// How an event that was not expected is told.
    #[inline]
    pub(crate) fn choice(&self, symbol: Symbol) -> Choice {
        let short = self.now.short(&self.tables);
        match symbol.0 {
            number if number == self.other_of_long() => Choice::Chosen(Chosen::OtherOfLong),
            number if number == short.first => Choice::Chosen(Chosen::FirstOfShort),
            number if number == short.second => Choice::Chosen(Chosen::SecondOfShort),
            _ => Choice::Literal,
        }
    }

    /// The event that a choice tells.
    pub(crate) fn chosen(&self, choice: Chosen) -> Symbol {
        let short = || self.now.short(&self.tables);
        Symbol(match choice {
            Chosen::OtherOfLong => self.other_of_long(),
            Chosen::FirstOfShort => short().first,
            Chosen::SecondOfShort => short().second,
        })
    }

    /// Learns from an event that was not expected, and goes on behind it.
    #[inline]
    pub(crate) fn learn(&mut self, symbol: Symbol) {
        let (long, short) = (self.now.long_at(), self.now.short_at());
        self.now.prefer(&mut self.tables.long[long].choices, symbol);
        self.now.prefer(&mut self.tables.short[short], symbol);
        self.pass(symbol);
    }

    /// What followed the long context and is not what was expected.
    fn other_of_long(&self) -> u32 {
        let long = self.now.long(&self.tables);
        if self.expected() == Symbol(long.first) {
            long.second
        } else {
            long.first
        }
    }
}

impl Now {
    #[inline(always)]
    fn expected(&self, tables: &Tables) -> Symbol {
        Symbol(match self.following {
            Some(found) if found.right >= TRUSTED => found.foresees(tables),
            _ => self.long(tables).first,
        })
    }

    #[inline(always)]
    fn pass(&mut self, tables: &mut Tables, symbol: Symbol) {
        let following = self.following.filter(|found| found.foresees(tables) == symbol.0);
        tables.history[(self.events % HISTORY) as usize] = symbol.0;
        self.step(symbol);
        let at = self.long_at();
        self.following = match following {
            Some(found) => Some(Match {
                next: found.next.wrapping_add(1),
                right: found.right.saturating_add(1),
            }),
            None => self.place(tables, at).map(|next| Match { next, right: 0 }),
        };
        tables.long[at].place = self.as_place();
    }

    /// The contexts behind one more event.
    #[inline]
    fn step(&mut self, symbol: Symbol) {
        self.events = self.events.wrapping_add(1);
        self.long = (self.long << 9) ^ (u64::from(symbol.0).wrapping_mul(SPREAD) >> 40);
        self.short = (self.short << SYMBOL_BITS | u64::from(symbol.0)) & ((1 << (2 * SYMBOL_BITS)) - 1);
    }

    /// This moment as where a context stands.
    #[inline]
    fn as_place(&self) -> u64 {
        u64::from(self.mark) << 32 | u64::from(self.events)
    }

    /// How many events lie between what a match foresees and what happens; not 0.
    #[inline]
    fn period(&self, found: Match) -> u32 {
        self.events.wrapping_sub(found.next)
    }

    /// Where this context stood last, if the events behind it are still known.
    #[inline(always)]
    fn place(&self, tables: &Tables, at: usize) -> Option<u32> {
        let entry = tables.long[at].place;
        let place = entry as u32;
        let known = entry >> 32 == u64::from(self.mark) && self.events.wrapping_sub(place) < HISTORY;
        known.then_some(place)
    }

    /// What followed the long context.
    #[inline]
    fn long(&self, tables: &Tables) -> Choices {
        self.choices(tables.long[self.long_at()].choices)
    }

    /// What followed the short one.
    #[inline]
    fn short(&self, tables: &Tables) -> Choices {
        self.choices(tables.short[self.short_at()])
    }

    #[inline]
    fn choices(&self, entry: u64) -> Choices {
        if entry >> (2 * SYMBOL_BITS) == u64::from(self.mark) {
            Choices {
                first: (entry & SYMBOL_MASK) as u32,
                second: (entry >> SYMBOL_BITS & SYMBOL_MASK) as u32,
            }
        } else {
            Choices { first: 0, second: 0 }
        }
    }

    /// Makes this the first choice of a context.
    fn prefer(&self, entry: &mut u64, symbol: Symbol) {
        let before = self.choices(*entry).first;
        if before != symbol.0 {
            *entry = u64::from(self.mark) << (2 * SYMBOL_BITS)
                | u64::from(before) << SYMBOL_BITS
                | u64::from(symbol.0);
        }
    }

    #[inline]
    fn long_at(&self) -> usize {
        (self.long.wrapping_mul(SPREAD) >> (64 - LONG_BITS)) as usize
    }

    #[inline]
    fn short_at(&self) -> usize {
        (self.short.wrapping_mul(SPREAD) >> (64 - SHORT_BITS)) as usize
    }
}

impl Match {
    #[inline]
    fn foresees(self, tables: &Tables) -> u32 {
        tables.history[(self.next % HISTORY) as usize]
    }
}
