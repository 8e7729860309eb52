//! Hide sets: the macro names that a token may not be expanded as any more. Tokens share them, and most have none.

use std::rc::Rc;

/// A hide set.
pub type Hide = Option<Rc<Vec<Vec<u8>>>>;

/// The set and `name`.
pub fn with_name(hide: Hide, name: &[u8]) -> Hide {
    let mut names = hide.map_or_else(Vec::new, Rc::unwrap_or_clone);
    names.push(name.to_owned());
    Some(Rc::new(names))
}

/// What is in either set.
pub fn union(one: Hide, other: &Hide) -> Hide {
    match (one, other) {
        (None, other) => other.clone(),
        (one, None) => one,
        (Some(one), Some(other)) => {
            let mut names = Rc::unwrap_or_clone(one);
            names.extend(other.iter().cloned());
            names.sort_unstable();
            names.dedup();
            Some(Rc::new(names))
        }
    }
}

/// What is in both sets.
pub fn intersection(one: &Hide, other: &Hide) -> Hide {
    let (one, other) = (one.as_ref()?, other.as_ref()?);
    let both: Vec<_> = one.iter().filter(|name| other.contains(name)).cloned().collect();
    Some(Rc::new(both))
}
