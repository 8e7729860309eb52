//! What happens to a thread: it enters functions and leaves them.

use std::num::NonZeroU32;

/// A function, by the number that its trace gives it: from 1 to [`Function::LAST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function(NonZeroU32);

impl Function {
    /// The largest number: two of them and a block's number share a word of the model.
    pub const LAST: u32 = (1 << 24) - 1;

    /// The function with this number; none if it is 0 or above [`Function::LAST`].
    #[inline]
    pub const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(number) if number.get() <= Self::LAST => Some(Self(number)),
            _ => None,
        }
    }

    /// Its number.
    pub const fn number(self) -> u32 {
        self.0.get()
    }
}

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// The thread enters this function.
    Enter(Function),
    /// It leaves the function that it entered last and has not left.
    Exit,
}

/// An event as a number of 24 bits: 0 for [`Event::Exit`], else the function's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol(pub(crate) u32);

impl From<Event> for Symbol {
    fn from(event: Event) -> Self {
        match event {
            Event::Enter(function) => Self(function.number()),
            Event::Exit => Self(0),
        }
    }
}

impl Symbol {
    /// The symbol with this number; none if no function has it.
    pub(crate) fn new(number: u32) -> Option<Self> {
        (number <= Function::LAST).then_some(Self(number))
    }

    /// The event.
    #[inline]
    pub(crate) fn event(self) -> Event {
        Function::new(self.0).map_or(Event::Exit, Event::Enter)
    }
}
