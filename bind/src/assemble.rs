//! Puts the binding together, and says what is missing from it.

use crate::calls::bind_calls;
use crate::debug::{Debug, Missing};
use crate::elf::{Identity, Image};
use crate::expression::Refusal;
use crate::flow;
use crate::functions::{identify, layout};
use crate::handed;
use crate::lines::{RawRow, UnitFiles, rows};
use crate::merged::{Build, merges};
use crate::moved;
use crate::optimised::{at_two, gcc, llvm, rearranged};
use crate::passed::{bind_mpi_calls, callee_names};
use crate::paths::{PathId, match_files};
use crate::range;
use crate::sites::bind_sites;
use crate::sources::producer;
use crate::stack::Frames;
use crate::trouble::{Outcome, Trouble};
use crate::variables::{Bound, Context, bind_variables};
use crate::walk::{Forest, walk};
use crate::wanted::{add_handed, global_names, wanted};
use crate::{hidden, steady};
use base::{Diagnostic, IdVec, Severity, Span};
use progress_map::{Binding, FileId, FunctionId, Map, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Makes the binding of `map` to one executable.
pub(crate) fn assemble(
    map: &Map,
    image: &Image<'_>,
    debug: &Debug<'_>,
    identity: Identity,
    path: &str,
) -> (Binding, Vec<Diagnostic>) {
    let mut report = Report {
        map,
        path,
        diagnostics: Vec::new(),
    };
    let mut wanted = wanted(map);
    let only_handed = add_handed(map, &mut wanted);
    let mut files = UnitFiles::new(debug);
    let (raw_rows, damaged_programs) = rows(image, &mut files);
    let forest = walk(image, &mut files, debug, &global_names(&wanted));
    let paths = files.paths.paths;
    let matching = match_files(&map.files, &paths);
    let other = other_files(&raw_rows, &forest.nodes, &paths, &matching.files);
    let file_of = |path: PathId| matching.files[path].ok_or_else(|| other.number(&paths[path]));

    let first_row = |address: u64| row_at(&raw_rows, address).map(|row| (row.path, row.line));
    let identified = identify(map, &forest, &matching.files, first_row);
    let call_file = |path: Option<PathId>| match path {
        Some(path) => file_of(path),
        None => Err(other.number(NO_FILE)),
    };
    let frames = Frames::new(image, debug, &forest);
    let laid_out = layout(&forest, &identified.functions, call_file, |id| {
        frames.of(id).base()
    });
    let context = Context {
        image,
        debug,
        forest: &forest,
        identified: &identified.functions,
        pieces: &laid_out.pieces,
        frames: &frames,
    };
    let Bound {
        variables,
        indices,
        qualified,
        mut outcomes,
    } = bind_variables(&context, &wanted);

    report.debug_info(debug, &forest.damaged, damaged_programs);
    report.files(
        &matching.ambiguous,
        matching.files.iter().flatten().next().is_none(),
    );
    report.functions(&identified.elsewhere, laid_out.contested.len());

    let mut producers = debug.units.ids().map(|unit| producer(debug, unit));
    let position = |id: FunctionId, address: u64| {
        let row = row_at(&raw_rows, address)?;
        let is_there = matching.files[row.path] == Some(map.functions[id].file);
        is_there.then_some((row.line, row.column))
    };
    let names = callee_names(debug, &forest);
    let (mpi_calls, on_entry) = bind_mpi_calls(debug, &forest, &frames, &names);
    let build = Build {
        map,
        image,
        debug,
        names: &names,
        forest: &forest,
        identified: &identified.functions,
    };
    let merges = merges(&build, position);
    let sites = bind_sites(map, &names, &forest, &identified.functions, position);
    let mut binding = Binding {
        build_id: identity.build_id,
        text_hash: identity.text_hash,
        executable: path.to_owned(),
        producer: producers
            .find(|producer| !producer.is_empty())
            .unwrap_or_default(),
        rows: bound_rows(debug, &forest, &raw_rows, file_of),
        other_files: other.0,
        linkage_names: in_order_of_number(laid_out.linkage_names),
        functions: laid_out.functions,
        inlines: laid_out.inlines,
        variables,
        calls: Vec::new(),
        merges,
        mpi_calls,
        sites,
        code: flow::machine_code(image),
    };
    let lent = handed::lend(map, &mut binding, &only_handed);
    outcomes.retain(|outcome| !only_handed.contains(&(outcome.function, outcome.name.as_str())));
    for outcome in &mut outcomes {
        outcome.readable |= lent.contains(&(outcome.function, outcome.name.clone()));
    }
    report.variables(&outcomes, &forest);
    flow::note_signed(&mut binding.code, &binding.variables);
    only_asked_leaf_calls(map, &mut binding);
    report.hidden(hidden::withhold(map, &mut binding, &wanted, &qualified));
    report.steady(steady::withhold(map, &mut binding));
    report.moved(moved::withhold(map, &mut binding, compiler(debug)));
    range::add(&mut binding, indices);
    binding.calls = bind_calls(
        debug,
        &forest,
        &frames,
        &laid_out.pieces,
        &binding.variables,
        on_entry,
    );
    (binding, report.diagnostics)
}

/// Stands for the file of an inlined call that names none.
const NO_FILE: &str = "??";

/// The row of the code at an address.
fn row_at(rows: &[RawRow], address: u64) -> Option<&RawRow> {
    let after = rows.partition_point(|row| row.start <= address);
    let row = rows.get(after.checked_sub(1)?)?;
    (address < row.end).then_some(row)
}

/// The rows as the binding has them, each with whether a statement may be taken to begin there: that is so for all code of a unit
/// that clang has left in the order of the source, and for none of one in which gcc has not even left the beginnings in order.
fn bound_rows(
    debug: &Debug<'_>,
    forest: &Forest,
    rows: &[RawRow],
    file_of: impl Fn(PathId) -> Result<FileId, u32>,
) -> Vec<Row> {
    let mut in_order: IdVec<_, bool> = debug.units.ids().map(|unit| llvm(debug, unit)).collect();
    for node in forest.nodes.iter().filter(|node| node.optimised) {
        in_order[node.die.unit] = false;
    }
    let rearranged: IdVec<_, bool> = debug.units.ids().map(|unit| rearranged(debug, unit)).collect();
    let bound = rows.iter().map(|row| {
        let unit = debug.whole(row.unit);
        let begins = row.statement && !rearranged[unit];
        bound_row(row, file_of(row.path), begins || in_order[unit])
    });
    bound.collect()
}

/// Who made the code, as far as it matters to what its variables show.
fn compiler(debug: &Debug<'_>) -> moved::Compiler {
    if !debug.units.ids().all(|unit| gcc(debug, unit)) {
        moved::Compiler::Other
    } else if debug.units.ids().all(|unit| at_two(debug, unit)) {
        moved::Compiler::GccAtTwo
    } else {
        moved::Compiler::Gcc
    }
}

fn bound_row(row: &RawRow, file: Result<FileId, u32>, statement: bool) -> Row {
    Row {
        start: row.start,
        end: row.end,
        file,
        line: row.line,
        column: row.column,
        statement,
    }
}

/// Files that the map does not hold, sorted.
struct OtherFiles(Vec<String>);

impl OtherFiles {
    fn number(&self, path: &str) -> u32 {
        let found = self.0.binary_search_by(|other| other.as_str().cmp(path));
        // Every path that is asked for was put in by `other_files`.
        u32::try_from(found.unwrap_or_default()).unwrap_or(u32::MAX)
    }
}

fn in_order_of_number(names: BTreeMap<String, u32>) -> Vec<String> {
    let mut names = Vec::from_iter(names);
    names.sort_unstable_by_key(|&(_, number)| number);
    names.into_iter().map(|(name, _)| name).collect()
}

fn other_files(
    rows: &[RawRow],
    nodes: &IdVec<crate::walk::NodeId, crate::walk::Node>,
    paths: &IdVec<PathId, String>,
    files: &IdVec<PathId, Option<FileId>>,
) -> OtherFiles {
    let mut used: IdVec<PathId, bool> = paths.iter().map(|_| false).collect();
    for row in rows {
        used[row.path] = true;
    }
    let mut nameless = false;
    for call in nodes.iter().filter_map(|node| node.call) {
        match call.path {
            Some(path) => used[path] = true,
            None => nameless = true,
        }
    }
    let mut other = Vec::from_iter(
        paths
            .iter_enumerated()
            .filter(|&(path, _)| used[path] && files[path].is_none())
            .map(|(_, spelling)| spelling.clone()),
    );
    other.extend(nameless.then(|| NO_FILE.to_owned()));
    other.sort();
    other.dedup();
    OtherFiles(other)
}

/// Collects what the user should know.
struct Report<'r> {
    map: &'r Map,
    path: &'r str,
    diagnostics: Vec<Diagnostic>,
}

impl Report<'_> {
    fn whole(&mut self, severity: Severity, message: String) {
        self.diagnostics.push(Diagnostic {
            severity,
            subject: self.path.to_owned(),
            span: Span::default(),
            message,
        });
    }

    fn at(&mut self, severity: Severity, function: FunctionId, message: String) {
        let function = &self.map.functions[function];
        self.diagnostics.push(Diagnostic {
            severity,
            subject: self.map.files[function.file].path.clone(),
            span: function.span,
            message,
        });
    }

    fn debug_info(&mut self, debug: &Debug<'_>, damaged_units: &[String], damaged_programs: usize) {
        for (which, what) in [
            (Missing::File, "is not there"),
            (Missing::OtherBuild, "is of another compilation"),
            (Missing::Damaged, "is damaged"),
        ] {
            let names = debug.missing.iter().filter(|&&(_, why)| why == which);
            let names = Vec::from_iter(names.map(|(name, _)| name));
            if let Some(first) = names.first() {
                let message = format!(
                    "the functions of {} sources are missing: their debug info (first of all '{first}') {what}",
                    names.len()
                );
                self.whole(Severity::Warning, message);
            }
        }
        let bad = Vec::from_iter(debug.bad_units.iter().chain(damaged_units));
        if let Some(first) = bad.first() {
            let message = format!(
                "{} units of the debug info are damaged, the first by: {first}",
                bad.len()
            );
            self.whole(Severity::Warning, message);
        }
        if damaged_programs > 0 {
            let message = format!("{damaged_programs} line tables are damaged and were read in part");
            self.whole(Severity::Warning, message);
        }
        if let Some(name) = &debug.without {
            let message = format!(
                "part of the debug info is in a supplementary file ('{name}', made by dwz), which is not there: what \
                 it describes is missing"
            );
            self.whole(Severity::Warning, message);
        }
    }

    fn files(&mut self, ambiguous: &[FileId], none: bool) {
        for &file in ambiguous {
            let path = self.map.files[file].path.clone();
            let message = "several sources of the executable fit this path, so none was taken: make the map with \
                           absolute paths";
            self.diagnostics
                .push(Diagnostic::warning(path, Span::default(), message));
        }
        if none && ambiguous.is_empty() && !self.map.files.is_empty() {
            let message =
                "none of the map's sources is in the debug info: wrong executable, or moved sources?";
            self.whole(Severity::Warning, message.to_owned());
        }
    }

    fn functions(&mut self, elsewhere: &[(FunctionId, u32)], contested: usize) {
        for &(function, line) in elsewhere {
            let name = &self.map.functions[function].name;
            let message = format!(
                "the executable has '{name}' on line {line}, not here: it was built from another version of this \
                 source; rebuild it or make the map again"
            );
            self.at(Severity::Warning, function, message);
        }
        if contested > 0 {
            let message = format!(
                "{contested} pieces of code belong to more than one function (folded by the linker): they count as \
                 unknown functions"
            );
            self.whole(Severity::Warning, message);
        }
    }

    fn steady(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} variables that stay are not read from registers that code changes, or that hold a counter: an optimising \
                 compiler may go on naming them"
            );
            self.whole(Severity::Note, message);
        }
    }

    fn hidden(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} variables in memory are not read, because nobody but the program's own code is seen to know where they are: an optimising \
                 compiler may keep them elsewhere"
            );
            self.whole(Severity::Note, message);
        }
    }

    fn moved(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} variables in registers are not read behind the place of their update: an optimising compiler \
                 may have moved it"
            );
            self.whole(Severity::Note, message);
        }
    }

    fn variables(&mut self, outcomes: &[Outcome], forest: &Forest) {
        if forest.nodes.is_empty() {
            let message = "the debug info has no functions, only lines: compile with -g, not with -g1 or -gline-tables-only";
            self.whole(Severity::Warning, message.to_owned());
            return;
        }
        let is_missing =
            |outcome: &Outcome| !outcome.readable && outcome.trouble.iter().eq([&Trouble::NotFound]);
        if !outcomes.is_empty() && outcomes.iter().all(is_missing) {
            let message = "none of the variables that the map lists is in the debug info: compile with -g, not with -g1";
            self.whole(Severity::Warning, message.to_owned());
            return;
        }
        let mut partly: BTreeMap<Refusal, usize> = BTreeMap::new();
        for outcome in outcomes {
            if outcome.readable {
                for trouble in &outcome.trouble {
                    if let Trouble::Location(refusal) = trouble {
                        *partly.entry(*refusal).or_default() += 1;
                    }
                }
                continue;
            }
            let function = &self.map.functions[outcome.function].name;
            let reasons = Vec::from_iter(outcome.trouble.iter().map(ToString::to_string));
            let (severity, reason) = if reasons.is_empty() {
                (Severity::Note, "it was optimised out".to_owned())
            } else {
                (Severity::Warning, reasons.join("; "))
            };
            let message = format!(
                "'{}' of {function} cannot be read in this build: {reason}",
                outcome.name
            );
            self.at(severity, outcome.function, message);
        }
        for (refusal, count) in partly {
            let message = format!("{count} variables cannot be read at some addresses: {refusal}");
            self.whole(Severity::Note, message);
        }
    }
}

/// Leaves out the calls of leaves that nobody asks about: of functions without a decisive call.
fn only_asked_leaf_calls(map: &Map, binding: &mut Binding) {
    let deciding: BTreeSet<FunctionId> = map.decisive.iter().map(|call| call.function).collect();
    let code = &mut binding.code;
    let asked = binding
        .functions
        .iter()
        .filter(|bound| bound.function.is_some_and(|id| deciding.contains(&id)));
    let blocks = asked.filter_map(|bound| code.block_at(bound.start));
    let asked: BTreeSet<u32> = blocks.map(|block| code.blocks[block as usize].function).collect();
    let blocks = &code.blocks;
    code.leaf_calls
        .retain(|call| asked.contains(&blocks[call.block as usize].function));
}
