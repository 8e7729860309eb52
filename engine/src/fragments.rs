//! What single compilations have read of their files, and the map of a program out of what all of them have read.
//!
//! A file may come from several compilations: a header from all that include it, a source that is compiled in two ways. Mostly they have read the
//! same. Where they have not, since the meaning of a macro or the file itself was another one, the functions that differ are known in part only, and
//! of all else both readings count.

use crate::reuse::Reuse;
use crate::{Map, MapProgress, Parser, SourceFile, sources};
use base::{Cause, Confidence, Doubt, FileKind};
use ir::{ClassHead, Function, Language, Reading, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// How the units of fragments are laid out: only fragments with this number can be read.
pub const FRAGMENT_LAYOUT: u32 = ir::packed::LAYOUT;

/// What a compilation reads of `files`, its source and headers: one packed unit for each. The other parameters are those of
/// [`map_preprocessed`](crate::map_preprocessed).
pub fn units_of_compilation(
    files: Vec<SourceFile>,
    preprocess: &(dyn Fn(&str) -> Vec<Vec<u8>> + Sync),
    reuse: Option<Reuse<'_>>,
) -> Vec<Vec<u8>> {
    let (mut units, macros) = sources::parse(files, preprocess, Parser::Tolerant, reuse, &|_| {});
    units.iter_mut().for_each(frontend::macro_calls(&macros));
    units.iter().map(ir::packed::pack).collect()
}

/// What the compilations of a program have read, one unit for each file.
#[derive(Clone, Debug)]
pub struct ProgramUnits(Vec<Unit>);

impl ProgramUnits {
    /// All readings together; nothing if one of `packed` is no packed unit.
    #[must_use]
    pub fn of(packed: impl IntoIterator<Item = Vec<u8>>) -> Option<Self> {
        read(packed).map(Self)
    }

    /// The files that were read, by their paths.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|unit| unit.path.as_str())
    }

    /// The map of the program: nothing was analysed before.
    #[must_use]
    pub fn map(&self, progress: &(dyn Fn(MapProgress) + Sync)) -> Map {
        progress(MapProgress::Analysing);
        lov::analyse(&self.0)
    }
}

/// The units of all that compilations have read, one for each file, in the order of their paths; nothing if one of `packed` is no packed unit.
fn read(packed: impl IntoIterator<Item = Vec<u8>>) -> Option<Vec<Unit>> {
    let readings = BTreeSet::from_iter(packed);
    let mut by_path: BTreeMap<String, Vec<Unit>> = BTreeMap::new();
    for bytes in readings {
        let unit = ir::packed::unpack(&bytes).ok()?;
        by_path.entry(unit.path.clone()).or_default().push(unit);
    }
    Some(Vec::from_iter(by_path.into_values().filter_map(joined)))
}

/// What compilations have read of files in languages that no front end reads from their text: Fortran.
#[derive(Clone, Debug, Default)]
pub struct CompiledUnits(Vec<Unit>);

impl CompiledUnits {
    /// Those among `packed`; nothing if one of these is no packed unit.
    #[must_use]
    pub fn of(packed: impl IntoIterator<Item = Vec<u8>>) -> Option<Self> {
        let mut units = read(packed)?;
        units.retain(|unit| is_unread(&unit.path) || is_of_fortran(unit));
        Some(Self(units))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the file of this path, as the map names it, is among them: with these contents, if `hash` says which.
    #[must_use]
    pub fn has(&self, path: &str, hash: Option<&[u8; 32]>) -> bool {
        let mut units = self.0.iter();
        units.any(|unit| unit.path == path && hash.is_none_or(|hash| unit.content_hash == *hash))
    }

    /// What tells them from any others.
    #[must_use]
    pub fn packed(&self) -> Vec<Vec<u8>> {
        self.0.iter().map(ir::packed::pack).collect()
    }

    pub(crate) fn into_units(self) -> Vec<Unit> {
        self.0
    }
}

/// Whether no front end reads the text of such a file, as far as its name tells.
#[must_use]
pub fn is_unread(path: &str) -> bool {
    FileKind::of(path).is_some_and(|kind| !kind.is_c_or_cxx())
}

fn is_of_fortran(unit: &Unit) -> bool {
    let mut functions = unit.functions.iter();
    functions.any(|function| function.language == Language::Fortran)
}

/// One unit of all readings of a file.
fn joined(mut readings: Vec<Unit>) -> Option<Unit> {
    // The one that knows most functions first: the others may have been told less.
    readings.sort_by_key(|unit| std::cmp::Reverse(unit.functions.len()));
    let mut readings = readings.into_iter();
    let mut unit = readings.next()?;
    let others = Vec::from_iter(readings);
    for other in &others {
        doubt_differing_functions(&mut unit, other);
        join_names(&mut unit, other);
        // What a macro calls is known only if all say the same of it.
        unit.macros.retain(|each| other.macros.contains(each));
        unit.attributes.extend(other.attributes.iter().copied());
    }
    unit.attributes.sort_unstable();
    unit.attributes.dedup();
    frontend::join_file_scope(&mut unit, others);
    Some(unit)
}

/// Marks the functions that `other` does not have, or has otherwise, and adds those that only `other` has, marked.
fn doubt_differing_functions(unit: &mut Unit, other: &Unit) {
    let place = |function: &Function| (function.span, function.name.clone());
    let mut of_other = BTreeMap::from_iter(other.functions.iter().map(|each| (place(each), each)));
    for function in &mut unit.functions {
        let differs = match of_other.remove(&place(function)) {
            Some(same) => alone(same) != alone(function),
            None => !is_made_on_demand(function),
        };
        if differs {
            doubt(function);
        }
    }
    for function in of_other.into_values() {
        let mut added = function.clone();
        if !is_made_on_demand(&added) {
            doubt(&mut added);
        }
        unit.functions.push(added);
    }
    unit.functions.sort_by_key(|function| function.span);
}

/// Whether a compilation may do without a function and mean nothing by that: the compiler of C++ has read of templates what the file uses.
fn is_made_on_demand(function: &Function) -> bool {
    function.language == Language::Cxx && function.reading == Reading::Exactly
}

/// The bytes of a function by itself.
fn alone(function: &Function) -> Vec<u8> {
    let functions = vec![function.clone()];
    ir::packed::pack(&Unit {
        functions,
        ..Unit::default()
    })
}

fn doubt(function: &mut Function) {
    if function.confidence != Confidence::Partial {
        function.confidence = Confidence::Partial;
        function.confidence_reason = Some(Doubt::at(Cause::CompiledDifferently, function.span.line));
    }
}

/// Lets `unit` know the classes and names of `other`, too.
fn join_names(unit: &mut Unit, other: &Unit) {
    let names = &mut unit.names;
    for class in &other.names.classes {
        match names
            .classes
            .iter_mut()
            .find(|known| known.name == class.name && *known != class)
        {
            // They may derive from more than either says.
            Some(known) => {
                *known = ClassHead {
                    name: class.name.clone(),
                    bases: None,
                    has_library_base: known.has_library_base || class.has_library_base,
                    has_arrow: known.has_arrow || class.has_arrow,
                    is_local: known.is_local || class.is_local,
                };
            }
            None => names.classes.push(class.clone()),
        }
    }
    names.classes.sort();
    names.classes.dedup();
    for (ours, theirs) in [
        (&mut names.aliases, &other.names.aliases),
        (&mut names.namespaces, &other.names.namespaces),
    ] {
        ours.extend(theirs.iter().cloned());
        ours.sort();
        ours.dedup();
    }
    names.in_part |= other.names.in_part;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map_sources;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
        }
    }

    fn units(files: &[SourceFile]) -> Vec<Vec<u8>> {
        units_of_compilation(files.to_vec(), &|_| Vec::new(), None)
    }

    fn map(compilations: &[&[SourceFile]]) -> Map {
        let all = compilations.iter().flat_map(|files| units(files));
        ProgramUnits::of(all).unwrap().map(&|_| {})
    }

    const HEADER: &str = "static inline int twice(int n)\n{\n    return SCALE(n);\n}\n";
    const MAIN: &str = "#include \"n.h\"\nint main(void)\n{\n    int i;\n    for (i = 0; i < 9; i++)\n        work(twice(i));\n    return 0;\n}\n";
    const WORK: &str = "#include \"n.h\"\nint work(int n)\n{\n    return twice(n);\n}\n";

    #[test]
    fn compilations_together_give_the_map_of_all_files() {
        let scale = file("scale.h", "#define SCALE(n) ((n) * 2)\n");
        let header = file("n.h", &format!("#include \"scale.h\"\n{HEADER}"));
        let (main, work) = (file("a.c", MAIN), file("b.c", WORK));
        let parts = map(&[
            &[main.clone(), header.clone(), scale.clone()],
            &[work.clone(), header.clone(), scale.clone()],
        ]);
        let whole = map_sources(vec![main, work, header, scale], &|_| {});
        assert!(parts.to_bytes() == whole.to_bytes());
    }

    #[test]
    fn a_function_that_compilations_read_differently_is_known_in_part() {
        let header = file("n.h", &format!("#include \"scale.h\"\n{HEADER}"));
        let (main, work) = (file("a.c", MAIN), file("b.c", WORK));
        // As with two directories of generated headers.
        let one = file("x/scale.h", "#define SCALE(n) ((n) * 2)\n");
        let other = file(
            "y/scale.h",
            "static int count;\n#define SCALE(n) (count += (n))\n",
        );
        let parts = map(&[&[main, header.clone(), one], &[work, header, other]]);
        let of = |name: &str| {
            let function = parts.functions.iter().find(|each| each.name == name).unwrap();
            (
                function.confidence,
                function.confidence_reason.as_ref().map(|doubt| doubt.cause),
            )
        };
        assert_eq!(
            of("twice"),
            (Confidence::Partial, Some(Cause::CompiledDifferently))
        );
        assert_eq!(of("main"), (Confidence::Clean, None));
        assert_eq!(of("work"), (Confidence::Clean, None));
    }

    #[test]
    fn a_header_that_was_changed_in_between_is_known_in_part() {
        let before = file("n.h", "static int last(void)\n{\n    return 1;\n}\n");
        let after = file(
            "n.h",
            "static int last(void)\n{\n    return 2;\n}\nstatic int more(void) { return 3; }\n",
        );
        let parts = map(&[&[file("a.c", MAIN), before], &[file("b.c", WORK), after]]);
        let partial = parts
            .functions
            .iter()
            .filter(|each| each.confidence == Confidence::Partial);
        assert_eq!(
            Vec::from_iter(partial.map(|each| each.name.as_str())),
            ["last", "more"]
        );
    }

    #[test]
    fn a_template_that_a_compilation_does_not_use_is_known_all_the_same() {
        let read = |text| {
            let mut unit = ir::packed::unpack(&units(&[file("n.hpp", text)])[0]).unwrap();
            for function in &mut unit.functions {
                function.reading = Reading::Exactly;
            }
            unit
        };
        let one = read("int last()\n{\n    return 1;\n}\nint more() { return 3; }\n");
        let other = read("int last()\n{\n    return 2;\n}\n");
        for readings in [vec![one.clone(), other.clone()], vec![other, one]] {
            let unit = joined(readings).unwrap();
            let known = unit
                .functions
                .iter()
                .map(|each| (each.name.as_str(), each.confidence));
            assert_eq!(
                Vec::from_iter(known),
                [("last", Confidence::Partial), ("more", Confidence::Clean)]
            );
        }
    }

    #[test]
    fn classes_that_differ_derive_from_anything() {
        let one = file("c.h", "class A : public B { int f(); };\n");
        let other = file("c.h", "class A : public C { int f(); };\n");
        let read = |file| ir::packed::unpack(&units(&[file])[0]).unwrap();
        let unit = joined(vec![read(one), read(other)]).unwrap();
        assert_eq!(unit.names.classes.len(), 1);
        assert_eq!(unit.names.classes[0].bases, None);
    }

    #[test]
    fn bytes_that_are_no_unit_give_no_map() {
        let mut all = units(&[file("a.c", MAIN)]);
        all.push(vec![0xff; 9]);
        assert!(ProgramUnits::of(all).is_none());
    }
}
