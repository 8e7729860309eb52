//! Whom a call by name may mean.

use dataflow::{FunctionIndex, FunctionInfo, Program};
use ir::{Function, FunctionKind, Language};
use std::collections::BTreeMap;

/// The functions of a program by name, as calls see them.
pub(crate) struct Callees<'p, 'u> {
    program: &'p Program<'u>,
    /// `static` functions of headers: each file that includes one has it.
    in_headers: BTreeMap<&'u str, Vec<FunctionIndex>>,
    /// What evaluates the default arguments of functions, by their name.
    defaults: BTreeMap<&'u str, Vec<FunctionIndex>>,
    /// Whether a part of the program is in Fortran, and another is not.
    is_mixed: bool,
}

impl<'p, 'u> Callees<'p, 'u> {
    pub(crate) fn new(program: &'p Program<'u>) -> Self {
        let mut in_headers: BTreeMap<&'u str, Vec<FunctionIndex>> = BTreeMap::new();
        let mut defaults: BTreeMap<&'u str, Vec<FunctionIndex>> = BTreeMap::new();
        for (id, info) in program.functions.iter_enumerated() {
            if info.function.kind == FunctionKind::DefaultArguments {
                defaults.entry(&info.function.name).or_default().push(id);
                continue;
            }
            let path = &program.units[info.unit].path;
            let extension = path.rsplit_once('.').map(|(_, extension)| extension);
            if info.function.is_static
                && extension.is_some_and(|extension| extension.starts_with(['h', 'H', 'i']))
            {
                in_headers.entry(&info.function.name).or_default().push(id);
            }
        }
        let is_fortran = |info: &FunctionInfo<'_>| info.function.language == Language::Fortran;
        let in_fortran = program.functions.iter().filter(|info| is_fortran(info)).count();
        Callees {
            program,
            in_headers,
            defaults,
            is_mixed: in_fortran > 0 && in_fortran < program.functions.len(),
        }
    }

    /// The functions that a call by `name` from a file may mean; none if it is a function without source.
    pub(crate) fn of(&self, unit: usize, name: &str) -> Vec<FunctionIndex> {
        let known: Vec<FunctionIndex> = self.program.callees(unit, name).collect();
        if known.is_empty() {
            let in_headers = self.in_headers.get(name).cloned();
            in_headers.unwrap_or_else(|| self.in_other_language(unit, name).collect())
        } else {
            known
        }
    }

    /// The functions that a call by `name` may mean in another language: compilers of Fortran end the names of procedures that stand by themselves by an underscore.
    fn in_other_language(&self, unit: usize, name: &str) -> impl Iterator<Item = FunctionIndex> {
        let of = |name: &str, is_wanted: fn(&Function) -> bool| {
            let all = self.program.callees(unit, name);
            Vec::from_iter(all.filter(|&id| is_wanted(self.program.functions[id].function)))
        };
        let mut found = Vec::new();
        if self.is_mixed {
            let is_of_fortran = |function: &Function| {
                function.language == Language::Fortran && function.linkage_name.is_none()
            };
            found = of(&format!("{name}_"), |function| {
                function.language != Language::Fortran
            });
            found.extend(
                name.strip_suffix('_')
                    .into_iter()
                    .flat_map(|name| of(name, is_of_fortran)),
            );
        }
        found.into_iter()
    }

    /// What evaluates the default arguments of functions of this name.
    pub(crate) fn defaults(&self, name: &str) -> &[FunctionIndex] {
        self.defaults.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether the source of some function that may be meant is there.
    pub(crate) fn any(&self, unit: usize, name: &str) -> bool {
        self.program.callees(unit, name).next().is_some()
            || self.in_headers.contains_key(name)
            || self.in_other_language(unit, name).next().is_some()
    }
}
