//! Hide sets: the macro names that a token may not be expanded as any more. Tokens share them, and most have none.
//!
//! A macro's whole expansion goes through [`union`], token by token, and nearly always one of the two sets holds the other:
//! then it is shared and nothing is copied.

use std::rc::Rc;

/// A hide set.
pub type Hide = Option<Rc<[Rc<[u8]>]>>;

/// The set and `name`.
pub fn with_name(hide: Hide, name: &[u8]) -> Hide {
    let names = hide.as_deref().unwrap_or_default();
    if names.iter().any(|other| **other == *name) {
        return hide;
    }
    Some(names.iter().cloned().chain([name.into()]).collect())
}

/// What is in either set.
pub fn union(one: Hide, other: &Hide) -> Hide {
    match (one, other) {
        (None, other) => other.clone(),
        (one, None) => one,
        (Some(one), Some(other)) => {
            if holds(other, &one) {
                return Some(other.clone());
            }
            if holds(&one, other) {
                return Some(one);
            }
            let new = other.iter().filter(|name| !one.contains(name));
            Some(one.iter().chain(new).cloned().collect())
        }
    }
}

/// What is in both sets.
pub fn intersection(one: &Hide, other: &Hide) -> Hide {
    let (one, other) = (one.as_ref()?, other.as_ref()?);
    if holds(other, one) {
        return Some(one.clone());
    }
    Some(one.iter().filter(|name| other.contains(name)).cloned().collect())
}

/// Whether every name of `part` is in `whole`.
fn holds(whole: &Rc<[Rc<[u8]>]>, part: &Rc<[Rc<[u8]>]>) -> bool {
    Rc::ptr_eq(whole, part)
        || part
            .iter()
            .all(|name| whole.iter().any(|other| Rc::ptr_eq(name, other) || name == other))
}
