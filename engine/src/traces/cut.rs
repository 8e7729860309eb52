//! What part of a thread's trace is looked at: its functions by their names, and its calls by which of a function they are.
//!
//! Calls of a function are counted for each thread from 1, in the order in which they begin. A piece that is *within* calls of a function has these calls with all that they called; of calls of the
//! function within each other the outermost one counts. A piece *from* a call *until* another begins with the first and ends in front of the second, wherever in the tree these stand: what was
//! entered before is not in it, and neither is its end. So an iteration of a loop is what lies from one call of a function to the next.

use super::Step;
use calltrace::{Event, Function};
use std::fmt;
use std::ops::RangeInclusive;

/// Some calls of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Its name as people read it, with or without its arguments' types.
    pub function: String,
    /// Which of its calls, from 1.
    pub numbers: RangeInclusive<u64>,
}

/// Why a text does not name calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCalls {
    /// There is no name in front of the numbers.
    NoName,
    /// The numbers are not A or A-B, from 1, with A not behind B.
    Numbers,
}

impl fmt::Display for NoCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoName => "there is no function's name in front of the numbers",
            Self::Numbers => "calls are counted from 1: FUNCTION:3 is the third one, FUNCTION:3-5 are three",
        })
    }
}

impl std::error::Error for NoCalls {}

impl Calls {
    /// The calls that `FUNCTION`, `FUNCTION:A` or `FUNCTION:A-B` names; without numbers those of `all`.
    ///
    /// # Errors
    /// It names none.
    pub fn parse(text: &str, all: RangeInclusive<u64>) -> Result<Self, NoCalls> {
        let numbered = text.rsplit_once(':').filter(|(before, numbers)| {
            // Names of C++ have colons of their own.
            !before.ends_with(':') && numbers.starts_with(|first: char| first.is_ascii_digit())
        });
        let (function, numbers) = match numbered {
            None => (text, all),
            Some((function, numbers)) => {
                let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
                let number = |text: &str| text.parse().map_err(|_| NoCalls::Numbers);
                let (first, last) = (number(first)?, number(last)?);
                if first == 0 || first > last {
                    return Err(NoCalls::Numbers);
                }
                (function, first..=last)
            }
        };
        if function.is_empty() {
            return Err(NoCalls::NoName);
        }
        Ok(Self {
            function: function.to_owned(),
            numbers,
        })
    }

    /// Whether they are calls of the function with this name.
    fn are_of(&self, name: &str) -> bool {
        is_called(name, &self.function)
    }
}

/// Whether a function with this readable name is meant where it is called so, with or without its arguments' types.
pub(super) fn is_called(name: &str, called: &str) -> bool {
    let rest = name.strip_prefix(called);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
}

/// Which piece of each thread's trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Only what is within these calls.
    pub within: Option<Calls>,
    /// Only from the first of these calls on.
    pub from: Option<Calls>,
    /// Only what is in front of the first of these calls.
    pub until: Option<Calls>,
}

/// What the names of functions decide.
pub struct Wanted<'a> {
    /// Functions that are not left out. What others call counts as called by who called them.
    pub is_kept: &'a dyn Fn(&str) -> bool,
    /// The piece of the trace.
    pub cut: Cut,
}

impl Wanted<'_> {
    /// All that there is.
    #[must_use]
    pub fn all() -> Self {
        Self {
            is_kept: &|_| true,
            cut: Cut::default(),
        }
    }
}

impl Cut {
    /// The names that it goes by.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let all = [&self.within, &self.from, &self.until];
        all.into_iter().flatten().map(|calls| calls.function.as_str())
    }

    /// What a function of this name is to it.
    pub(super) fn marks(&self, name: &str) -> Marks {
        let is = |calls: &Option<Calls>| calls.as_ref().is_some_and(|calls| calls.are_of(name));
        Marks {
            within: is(&self.within),
            from: is(&self.from),
            until: is(&self.until),
        }
    }
}

/// What a function is to a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    within: bool,
    from: bool,
    until: bool,
}

/// A function of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The job's number of it; 0 for one that is left out.
    pub(super) number: u32,
    pub(super) marks: Marks,
}

/// Goes through a thread's events and leaves out what is not looked at.
pub(super) struct Cutter<'a> {
    cut: &'a Cut,
    functions: &'a [Known],
    /// Of each function that the thread is in, whether its call is kept.
    kept: Vec<bool>,
    /// The call that the thread is within: how many functions it was in before it, and whether it is one that is looked at.
    within: Option<(usize, bool)>,
    /// How many calls there were so far of each of the three.
    counts: [u64; 3],
}

impl<'a> Cutter<'a> {
    pub(super) fn new(cut: &'a Cut, functions: &'a [Known]) -> Self {
        Self {
            cut,
            functions,
            kept: Vec::new(),
            within: None,
            counts: [0; 3],
        }
    }

    /// The event with the job's number of its function, if it is looked at.
    pub(super) fn step(&mut self, event: Event) -> Option<Step> {
        match event {
            Event::Enter(function) => {
                let known = self.known(function);
                self.count(known.marks);
                let is_kept = known.number != 0 && self.is_inside();
                self.kept.push(is_kept);
                is_kept.then_some(Step::Enter(known.number))
            }
            Event::Exit => {
                let was_kept = self.kept.pop()?;
                if self.within.is_some_and(|(depth, _)| depth == self.kept.len()) {
                    self.within = None;
                }
                was_kept.then_some(Step::Exit)
            }
        }
    }

    /// Whether the innermost call that the thread is in is kept, or it is in none.
    pub(super) fn is_kept(&self) -> bool {
        self.kept.last().copied().unwrap_or(true)
    }

    /// Whether the thread is in the piece that is looked at.
    pub(super) fn is_inside(&self) -> bool {
        let Cut { within, from, until } = self.cut;
        let [_, begun, ended] = self.counts;
        (within.is_none() || self.within.is_some_and(|(_, is_looked_at)| is_looked_at))
            && from.as_ref().is_none_or(|from| begun >= *from.numbers.start())
            && until.as_ref().is_none_or(|until| ended < *until.numbers.start())
    }

    fn count(&mut self, marks: Marks) {
        let [within, from, until] = &mut self.counts;
        *from += u64::from(marks.from);
        *until += u64::from(marks.until);
        if marks.within && self.within.is_none() {
            *within += 1;
            let numbers = self.cut.within.as_ref().map(|calls| &calls.numbers);
            let is_looked_at = numbers.is_some_and(|numbers| numbers.contains(within));
            self.within = Some((self.kept.len(), is_looked_at));
        }
    }

    /// One that the file of the process has no name for (it was killed between the two, or there was no room) is the last.
    fn known(&self, function: Function) -> Known {
        let index = function.number() as usize - 1;
        self.functions.get(index).copied().unwrap_or(Known {
            number: u32::MAX,
            marks: Marks::default(),
        })
    }
}

#[cfg(test)]
mod tests;
