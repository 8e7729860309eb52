//! What two readings of C++ differ in by right: the compiler has made calls and tests of what the text says in one word, and keeps no place for some of them.

use super::Item;

const BY_ITSELF: &str = "what the compiler does by itself with objects";
const ELEMENTS: &str = "what is initialised element by element";
const OPERATOR: &str = "an operator or function of a class that the text does not know";
const TYPE: &str = "an object of a type that the text takes for one with a constructor";
const ITERATOR: &str = "the position of an iterator, which the text counts";
const ELSEWHERE: &str = "the same at another place of the line, or of the list of bases";
const NAMELESS: &str = "an element whose array one of them does not name";

/// Functions of gcc's runtime that stand in no source.
const OF_RUNTIME: &str = "__cxa_";
/// Types that text in C++ may call like functions, as far as they are no classes of the program.
const TYPES: [&str; 6] = ["bool", "char", "double", "int", "string", "vector"];

/// Takes out of what only the compiler (`theirs`) and only the text (`ours`) have of a function what has such a cause; a cause for each.
pub(super) fn take(theirs: &mut Vec<Item>, ours: &mut Vec<Item>) -> Vec<&'static str> {
    let mut causes = Vec::new();
    of_lives(theirs, ours, &mut causes);
    of_elements(theirs, ours, &mut causes);
    take_if(ours, &mut causes, ITERATOR, |item| {
        ["index(", "position("]
            .iter()
            .any(|start| item.what.contains(start))
    });
    let is_unknown = |item: &Item| item.what == "a call through a pointer";
    let changes = |item: &Item| {
        let mut ways = ["changed", "assigned", "stepped"].iter();
        ways.any(|way| item.what.contains(way))
    };
    let is_operator = |item: &Item| called(item).is_some_and(|name| name.starts_with("operator"));
    take_pairs(theirs, ours, &mut causes, NAMELESS, |theirs, ours| {
        let is_nameless = [theirs, ours].iter().any(|item| item.what.contains("something"));
        is_nameless
            && theirs.column == ours.column
            && theirs.line == ours.line
            && changes(theirs)
            && changes(ours)
    });
    take_pairs(theirs, ours, &mut causes, ELSEWHERE, |theirs, ours| {
        let is_near = theirs.line.abs_diff(ours.line) < 8;
        theirs.what == ours.what && (theirs.line == ours.line || is_near && called(theirs).is_some())
    });
    take_pairs(theirs, ours, &mut causes, OPERATOR, |theirs, ours| {
        let is_one = is_operator(ours) && changes(theirs) || is_operator(theirs) && changes(ours);
        let is_function = called(theirs).is_some() && (is_unknown(ours) || called(ours).is_some());
        theirs.line == ours.line && (is_one || is_function)
    });
    take_if(ours, &mut causes, OPERATOR, is_operator);
    take_if(ours, &mut causes, TYPE, |item| {
        let begins = item.what.starts_with("the initialiser of ");
        begins || called(item).is_some_and(|name| TYPES.contains(&name))
    });
    causes
}

/// `delete p` is a call through a pointer in the text, and a test, a destructor and a call by the compiler; `new`, bases, exceptions and the ends of scopes are calls by the
/// compiler alone.
fn of_lives(theirs: &mut Vec<Item>, ours: &mut Vec<Item>, causes: &mut Vec<&'static str>) {
    let lines = |items: &[Item], is: fn(&Item) -> bool| {
        Vec::from_iter(items.iter().filter(|item| is(item)).map(|item| item.line))
    };
    let (ends, made) = (lines(theirs, is_end), lines(theirs, is_beginning));
    take_if(theirs, causes, BY_ITSELF, |item| {
        let is_called = |name: &str| name.starts_with('~') || is_memory(name) || name.starts_with(OF_RUNTIME);
        called(item).is_some_and(is_called)
            || item.what == "an if" && ends.contains(&item.line)
            || item.what == "the initialiser of "
            || item.what == "what a pointer points to assigned" && made.contains(&item.line)
    });
    take_if(ours, causes, BY_ITSELF, |item| {
        item.what == "a call through a pointer" && ends.contains(&item.line)
    });
}

/// An initialiser of many elements is one thing in the text and an assignment of each by the compiler.
fn of_elements(theirs: &mut Vec<Item>, ours: &mut Vec<Item>, causes: &mut Vec<&'static str>) {
    let initialised = ours.iter().filter_map(|item| {
        let name = item.what.strip_prefix("the initialiser of ")?;
        Some((name.to_owned(), item.line))
    });
    let is_element = |item: &Item, name: &str, line: u32| {
        let written = item.what.strip_suffix(" assigned").unwrap_or_default();
        written.starts_with("an element of ") && written.ends_with(&format!(" {name}")) && item.line >= line
    };
    let written = initialised.filter(|(name, line)| {
        let mut all = theirs.iter();
        all.any(|item| is_element(item, name, *line))
    });
    let written = Vec::from_iter(written);
    take_if(theirs, causes, ELEMENTS, |item| {
        written.iter().any(|(name, line)| is_element(item, name, *line))
    });
    take_if(ours, causes, ELEMENTS, |item| {
        let name = item.what.strip_prefix("the initialiser of ");
        name.is_some_and(|name| written.contains(&(name.to_owned(), item.line)))
    });
}

/// The function that an item calls.
fn called(item: &Item) -> Option<&str> {
    item.what.strip_prefix("a call of ")
}

/// Whether a function gives or takes the memory of objects.
fn is_memory(name: &str) -> bool {
    name.starts_with("operator new") || name.starts_with("operator delete")
}

/// Whether an item is a part of the end of an object.
fn is_end(item: &Item) -> bool {
    called(item).is_some_and(|name| name.starts_with('~') || name.starts_with("operator delete"))
}

/// Whether an item is the memory of a new object.
fn is_beginning(item: &Item) -> bool {
    called(item).is_some_and(|name| name.starts_with("operator new"))
}

fn take_if(
    items: &mut Vec<Item>,
    causes: &mut Vec<&'static str>,
    cause: &'static str,
    has: impl Fn(&Item) -> bool,
) {
    let before = items.len();
    items.retain(|item| !has(item));
    causes.extend(std::iter::repeat_n(cause, before - items.len()));
}

/// Takes one of each out wherever two belong together, as one difference.
fn take_pairs(
    theirs: &mut Vec<Item>,
    ours: &mut Vec<Item>,
    causes: &mut Vec<&'static str>,
    cause: &'static str,
    belong: impl Fn(&Item, &Item) -> bool,
) {
    theirs.retain(|item| {
        let other = ours.iter().position(|other| belong(item, other));
        if let Some(other) = other {
            ours.swap_remove(other);
            causes.push(cause);
        }
        other.is_none()
    });
}
