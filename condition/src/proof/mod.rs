//! Proof by definition: conditions and streams that are made up, and an evaluator that follows the definitions of the crate's head over the whole stream at each item.

mod made_up;
mod oracle;

use crate::event::Event;
use crate::syntax::Condition;
use crate::watch::{Holds, Watch};

/// Where choices come from: a number below the one that is given, which is between 1 and 2^16.
pub type Choices<'c> = dyn FnMut(usize) -> usize + 'c;

/// An item of a made-up stream.
#[derive(Clone, Copy, Debug)]
struct Item {
    time: i64,
    /// None of a moment at which nothing happens.
    event: Option<Event<'static>>,
}

/// Makes up a condition and a stream by these choices, and asks that the condition, written and read again, is the same, and that it comes true where its definition
/// says. Gives how often it has come true.
///
/// # Panics
/// It is not so.
pub fn agree(choices: &mut Choices<'_>) -> usize {
    let size = 1 + choices(4) as u32;
    let condition = made_up::condition(choices);
    let text = condition.to_string();
    let again = Condition::parse(&text, &|name| made_up::CALLS.contains(&name));
    assert_eq!(again.as_ref(), Ok(&condition), "{text}");
    let items = made_up::items(choices, size);
    let mut watch = Watch::new(&condition, size);
    let watched = Vec::from_iter(items.iter().map(|item| match &item.event {
        Some(event) => watch.observe(event),
        None => watch.pass(item.time),
    }));
    let expected = oracle::holds(&condition.formula, &items, size);
    assert_eq!(watched, expected, "{text}\n{size} ranks: {items:#?}");
    watched.iter().filter(|holds| **holds == Holds::ComesTrue).count()
}
