//! Which calls keep their place: those of functions with effects.

use library::symbols::is_builtin;
use progress_map::{Map, PointKind};
use std::collections::BTreeMap;

/// Which functions certainly have effects: their calls keep their order, and none is left out or made twice.
pub(crate) struct Effects {
    /// By the names of functions of the map.
    of_name: BTreeMap<String, bool>,
}

impl Effects {
    pub(crate) fn new(map: &Map) -> Self {
        let mut callers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut with: Vec<&str> = Vec::new();
        let mut of_name: BTreeMap<String, bool> = BTreeMap::new();
        for function in &map.functions {
            of_name.insert(function.name.clone(), false);
            for point in &function.points {
                match &point.kind {
                    PointKind::Call(name) if base::is_mpi(name) => with.push(&function.name),
                    PointKind::Call(name) => callers.entry(name).or_default().push(&function.name),
                    PointKind::IndirectCall => with.push(&function.name),
                    _ => {}
                }
            }
        }
        while let Some(name) = with.pop() {
            if let Some(has) = of_name.get_mut(name)
                && !std::mem::replace(has, true)
            {
                with.extend(callers.get(name).into_iter().flatten());
            }
        }
        // Where one call of a constructor is left out, another may be there that the source does not show.
        for function in &map.functions {
            if function.is_constructor() {
                of_name.insert(function.name.clone(), false);
            }
        }
        // Of several functions of one name any may be meant.
        let mut several: BTreeMap<&str, usize> = BTreeMap::new();
        for function in &map.functions {
            *several.entry(&function.name).or_default() += 1;
        }
        for (name, count) in several {
            if count > 1 {
                of_name.insert(name.to_owned(), false);
            }
        }
        Self { of_name }
    }

    /// Whether the map holds a function of this name.
    pub(crate) fn is_in_map(&self, name: &str) -> bool {
        self.of_name.contains_key(name)
    }

    /// Whether a function certainly has effects. A function that the map does not hold counts as having some, because a compiler has to
    /// assume it, too.
    pub(crate) fn of_name(&self, name: &str) -> bool {
        let known = self.of_name.get(name).copied();
        let is_builtin = || is_builtin(name) || base::is_operator(name);
        let is_pure = || library::function(name).is_some_and(|row| row.pure);
        known.unwrap_or_else(|| !is_builtin() && !is_pure())
    }

    /// Whether a call of this kind has effects for certain.
    pub(crate) fn has(&self, kind: &PointKind) -> bool {
        match kind {
            PointKind::Call(name) => self.of_name(name),
            kind => *kind == PointKind::IndirectCall,
        }
    }
}
