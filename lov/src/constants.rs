//! Numbers that the source gives names to: constants at file scope, of namespaces and of classes.

use ir::{Global, Type, Unit, VarRef};
use std::collections::BTreeMap;

/// Variables outside functions that keep one number: a compiler that knows it need not store it anywhere, so that nothing could be read.
pub(crate) struct Constants<'u> {
    /// By name, where all that have the name agree: specialisations of a template, and constants of several namespaces, may differ.
    by_name: BTreeMap<&'u str, Option<i64>>,
}

impl<'u> Constants<'u> {
    /// Those of all files.
    pub(crate) fn of(units: &'u [Unit]) -> Self {
        let mut by_name: BTreeMap<&str, Option<i64>> = BTreeMap::new();
        for global in units.iter().flat_map(|unit| &unit.globals) {
            let value = global.initial.filter(|&value| keeps(global, value));
            let known = by_name.entry(&global.name).or_insert(value);
            *known = known.filter(|_| *known == value);
        }
        Self { by_name }
    }

    /// The number that a variable keeps.
    pub(crate) fn value(&self, variable: &VarRef) -> Option<i64> {
        match variable {
            VarRef::Global(name) => *self.by_name.get(name.as_str())?,
            VarRef::Local(_) => None,
        }
    }
}

/// Whether a variable always has this number, which a narrow type does not cut off.
fn keeps(global: &Global, value: i64) -> bool {
    let fits = match global.ty {
        Type::Int { bits: Some(64..), .. } => true,
        Type::Int { bits: Some(32..), .. } => i32::try_from(value).is_ok(),
        _ => false,
    };
    global.is_constant && fits
}
