//! Tokens as events, some at a time.

use super::Damage;
use crate::blocks::{Blocks, Cursor, Head};
use crate::event::{Event, Symbol};
use crate::layout::{LONG_RUN, LONGEST_RUN, code};
use crate::model::{Choice, Chosen, Model, Tables};

/// Events that are decoded ahead: few enough to stay where they are quick to reach.
const AHEAD: usize = 1024;

/// The events of a trace; nothing comes behind a [`Damage`].
#[derive(Debug)]
pub struct Events<'a> {
    cursor: Cursor<'a>,
    /// The block that is read.
    block: usize,
    /// The expected events that it ends with.
    run: u32,
    /// Where the next token begins.
    at: usize,
    model: Model<Box<Tables>>,
    /// Expected events before `then`.
    left: u32,
    then: Then,
    /// Events that are decoded, and which of them comes next.
    ahead: Vec<Symbol>,
    next: usize,
    event: u64,
    depth: u64,
}

/// What comes behind the run of expected events.
#[derive(Debug, Clone, Copy)]
enum Then {
    TokenFollows,
    Chosen(Chosen),
    Literal(Symbol),
    BlockEnds,
    Damaged(Damage),
    Over,
}

impl<'a> Events<'a> {
    pub(super) fn new(blocks: &'a Blocks<'a>, block: usize) -> Self {
        let mut events = Self {
            cursor: Cursor::new(blocks),
            block,
            run: 0,
            at: 0,
            model: Model::new(Box::default()),
            left: 0,
            then: Then::Over,
            ahead: Vec::with_capacity(AHEAD),
            next: 0,
            event: 0,
            depth: 0,
        };
        match events.enter(block) {
            Ok(Some(head)) => (events.event, events.depth) = (head.first, head.depth),
            Ok(None) => {}
            Err(damage) => events.then = Then::Damaged(damage),
        }
        events
    }

    /// The number of the event that comes next, counted from 0.
    pub fn next_event(&self) -> u64 {
        self.event
    }

    /// How many functions the thread is in before the next event.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// The event that came last, where all of them were read.
    pub(super) fn last(&self) -> Symbol {
        self.model.last()
    }

    /// Goes to the beginning of a block, if there is one.
    fn enter(&mut self, block: usize) -> Result<Option<Head>, Damage> {
        let head = self.cursor.enter(block)?;
        if let Some(head) = head {
            if head.count > LONGEST_RUN {
                return Err(Damage::Frame { block });
            }
            (self.block, self.at, self.run) = (block, 0, head.count);
            self.then = Then::TokenFollows;
            // There are `BLOCKS` blocks at most, which 16 bits hold.
            self.model.begin((block + 1) as u16);
        }
        Ok(head)
    }

    /// Decodes some events of this block, or goes to the next one. Only called when all that were decoded are taken.
    #[cold]
    fn decode(&mut self) -> Result<(), Damage> {
        self.ahead.clear();
        self.next = 0;
        while self.ahead.len() < AHEAD {
            if self.left > 0 {
                let count = self.left.min((AHEAD - self.ahead.len()) as u32);
                self.left -= count;
                self.model.pass_expected(count, &mut self.ahead);
                continue;
            }
            let symbol = match self.then {
                Then::TokenFollows => {
                    if let Err(damage) = self.token() {
                        self.then = Then::Damaged(damage);
                    }
                    continue;
                }
                Then::Chosen(choice) => self.model.chosen(choice),
                Then::Literal(symbol) => symbol,
                // What comes before is taken first.
                _ if !self.ahead.is_empty() => break,
                Then::Damaged(damage) => {
                    self.then = Then::Over;
                    return Err(damage);
                }
                Then::BlockEnds => {
                    self.next_block()?;
                    continue;
                }
                Then::Over => break,
            };
            self.then = Then::TokenFollows;
            self.model.learn(symbol);
            self.ahead.push(symbol);
        }
        Ok(())
    }

    /// Reads the token at `at`, or takes the run that the block ends with.
    fn token(&mut self) -> Result<(), Damage> {
        let tokens = self.cursor.bytes();
        let damage = Damage::Token {
            block: self.block,
            at: self.at,
        };
        let Some((&first, mut rest)) = tokens[self.at..].split_first() else {
            (self.left, self.then) = (self.run, Then::BlockEnds);
            return Ok(());
        };
        self.left = u32::from(first >> code::BITS);
        if self.left == LONG_RUN {
            self.left += number(&mut rest).ok_or(damage)?;
        }
        self.then = match Choice::of(first) {
            Choice::Literal => Then::Literal(number(&mut rest).and_then(Symbol::new).ok_or(damage)?),
            Choice::Chosen(choice) => Then::Chosen(choice),
        };
        self.at = tokens.len() - rest.len();
        Ok(())
    }

    fn next_block(&mut self) -> Result<(), Damage> {
        let Some(head) = self.enter(self.block + 1)? else {
            self.then = Then::Over;
            return Ok(());
        };
        if (head.first, head.depth) != (self.event, self.depth) {
            return Err(Damage::DoesNotFollow { block: self.block });
        }
        Ok(())
    }

    /// Nothing comes any more.
    fn end(&mut self) {
        self.ahead.clear();
        (self.next, self.left, self.then) = (0, 0, Then::Over);
    }
}

impl Iterator for Events<'_> {
    type Item = Result<Event, Damage>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.ahead.len()
            && let Err(damage) = self.decode()
        {
            self.end();
            return Some(Err(damage));
        }
        let event = self.ahead.get(self.next)?.event();
        self.next += 1;
        self.depth = match event {
            Event::Enter(_) => self.depth + 1,
            Event::Exit => match self.depth.checked_sub(1) {
                Some(depth) => depth,
                None => {
                    let damage = Damage::NothingToLeave { event: self.event };
                    self.end();
                    return Some(Err(damage));
                }
            },
        };
        self.event += 1;
        Some(Ok(event))
    }
}

/// A number of at most 28 bits in LEB128.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
