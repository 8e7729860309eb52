//! Which loops keep a readable order variable in a build.
//!
//! A hung task stands in calls: what counts is whether a variable of each loop around a call can be read *at that call's return
//! address, from an outer frame*. Debug info lists the calls of optimised code; in code that was not optimised every
//! variable has one place, and the beginnings of the rows that have a call on them stand for the calls.

use base::Confidence;
use bind::{BindError, Program, readable_from_outside};
use progress_map::{
    Across, Binding, BoundVariable, FileId, Function, FunctionId, FunctionInstance, LocationRange, LoopId,
    Lov, Map, PointId, Term,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a build keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Every loop of the build that calls something, by file and line.
    pub loops: Vec<CheckedLoop>,
    /// Pairs of a call and a loop around it that has a variable in the source.
    pub pairs: usize,
    /// Those where one of the variables can be read.
    pub readable: usize,
}

impl Check {
    /// How many loops have this state.
    pub fn count(&self, state: LoopState) -> usize {
        self.loops.iter().filter(|each| each.state == state).count()
    }

    /// How many loops have a variable in the source, which a build can keep or lose.
    pub fn with_variables(&self) -> usize {
        self.loops.len() - self.count(LoopState::Unordered)
    }

    /// How many loops keep no variable at some call: a task that hangs there has no iteration, and that may block the answer.
    pub fn blocking(&self) -> usize {
        self.loops.len() - self.count(LoopState::Kept)
    }

    /// Notes which loops can be given a counter: `lines_of` says of a file and lines of it at which of them that is so.
    pub fn check_advice(&mut self, lines_of: &mut dyn FnMut(&str, &[u32]) -> BTreeSet<u32>) {
        let mut lines: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for each in self.loops.iter().filter(|each| each.state != LoopState::Kept) {
            lines.entry(each.file.clone()).or_default().push(each.line);
        }
        let counted: BTreeMap<String, BTreeSet<u32>> = lines
            .into_iter()
            .map(|(file, lines)| {
                let counted = lines_of(&file, &lines);
                (file, counted)
            })
            .collect();
        for each in &mut self.loops {
            each.can_be_counted = counted
                .get(&each.file)
                .is_some_and(|lines| lines.contains(&each.line));
        }
    }

    /// The share of those that keep one at every call, in per cent; all when there are none.
    pub fn kept_percent(&self) -> f64 {
        match self.with_variables() {
            0 => 100.0,
            all => 100.0 * self.count(LoopState::Kept) as f64 / all as f64,
        }
    }
}

/// A loop with calls, in all its copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLoop {
    /// Its file, as the map names it.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// `while`, `do`, `for` or `goto`.
    pub statement: &'static str,
    /// Its function.
    pub function: String,
    /// The compiler was free to move its code, in some copy of it.
    pub optimised: bool,
    /// What becomes of it.
    pub state: LoopState,
    /// Its calls, by line.
    pub calls: Vec<CheckedCall>,
    /// The variables that order it in the source, best first.
    pub variables: Vec<String>,
    /// Its text is of a form that `counters` changes; whoever can read it says so ([`Check::check_advice`]).
    pub can_be_counted: bool,
}

/// What becomes of a loop's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoopState {
    /// At no call can any be read.
    Lost,
    /// At some calls one can be read.
    Partly,
    /// At every call one can be read.
    Kept,
    /// It has none in the source.
    Unordered,
}

/// The calls on one line of a loop, in all copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedCall {
    /// The line of the call.
    pub line: u32,
    /// How many call instructions there are.
    pub sites: usize,
    /// At how many of them a variable can be read.
    pub readable: usize,
    /// At how many of the others one is in a register that calls may overwrite. gcc leaves it there when it sees that the callee does
    /// not (`-fipa-ra`, part of `-O2`); nothing tells a debugger so.
    pub unsafe_register: usize,
    /// The variables that can be read at one of them at least.
    pub variables: BTreeSet<String>,
}

/// Checks a build, to which `map` is bound.
///
/// # Errors
/// When the build's debug info cannot be read.
pub fn check(map: &Map, program: &Program<'_>) -> Result<Check, BindError> {
    let Some(binding) = &map.binding else {
        return Ok(Check::default());
    };
    let described = bind::call_sites(program)?;
    let index = Index::new(map, binding);
    let mut found: BTreeMap<(FunctionId, LoopId), Found> = BTreeMap::new();
    for address in index.sites(&described) {
        for level in index.levels(address) {
            index.look(address, &level, &mut found);
        }
    }
    let mut check = Check::default();
    for ((id, looped), Found { optimised, calls }) in found {
        let function = &map.functions[id];
        let in_loop = &function.loops[looped];
        let calls = Vec::from_iter(calls.into_values());
        let sites: usize = calls.iter().map(|call| call.sites).sum();
        let readable: usize = calls.iter().map(|call| call.readable).sum();
        let state = match (in_loop.lovs.is_empty(), readable) {
            (true, _) => LoopState::Unordered,
            (false, 0) => LoopState::Lost,
            (false, some) if some == sites => LoopState::Kept,
            (false, _) => LoopState::Partly,
        };
        if state != LoopState::Unordered {
            check.pairs += sites;
            check.readable += readable;
        }
        let view = crate::loops::loop_view(function, looped);
        check.loops.push(CheckedLoop {
            file: map.files[function.file].path.clone(),
            line: in_loop.span.line,
            statement: view.statement,
            function: function.name.clone(),
            optimised,
            state,
            calls,
            variables: in_loop.lovs.iter().map(|lov| lov.name.clone()).collect(),
            can_be_counted: false,
        });
    }
    check
        .loops
        .sort_by(|a, b| (&a.file, a.line, &a.function).cmp(&(&b.file, b.line, &b.function)));
    Ok(check)
}

/// How a variable can be read at a call, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Readability {
    Readable,
    UnsafeRegister,
    None,
}

/// What was found of one loop.
#[derive(Default)]
struct Found {
    optimised: bool,
    /// By line.
    calls: BTreeMap<u32, CheckedCall>,
}

/// A function or inlined call at an address, and where in it the address stands.
struct Level {
    instance: FunctionInstance,
    function: FunctionId,
    line: u32,
    column: u32,
}

/// The binding, ready for lookups.
struct Index<'m> {
    map: &'m Map,
    binding: &'m Binding,
    /// The inlined calls of each function.
    inlined: BTreeMap<u32, Vec<u32>>,
    variables: BTreeMap<(FunctionInstance, &'m str), Vec<&'m BoundVariable>>,
}

impl<'m> Index<'m> {
    fn new(map: &'m Map, binding: &'m Binding) -> Self {
        let mut index = Self {
            map,
            binding,
            inlined: BTreeMap::new(),
            variables: BTreeMap::new(),
        };
        for (number, inline) in (0..).zip(&binding.inlines) {
            if let Some(function) = binding.index_at(inline.start) {
                index.inlined.entry(function).or_default().push(number);
            }
        }
        for variable in &binding.variables {
            let key = (variable.instance, variable.name.as_str());
            index.variables.entry(key).or_default().push(variable);
        }
        index
    }

    /// Addresses inside calls: those that are described, and in unoptimised functions those with a call on their row.
    fn sites(&self, described: &[u64]) -> BTreeSet<u64> {
        let mut sites: BTreeSet<u64> = described.iter().map(|after| after.wrapping_sub(1)).collect();
        for row in &self.binding.rows {
            let function = self.binding.function_at(row.start);
            if let Some(function) = function.filter(|function| !function.optimised)
                && let Some(id) = function.function
                && self.file_of(id) == row.file
                && !calls_exactly_at(&self.map.functions[id], row.line, row.column).is_empty()
            {
                sites.insert(row.start);
            }
        }
        sites
    }

    fn file_of(&self, id: FunctionId) -> Result<FileId, u32> {
        Ok(self.map.functions[id].file)
    }

    /// What is open at an address, outermost first; without what the map does not hold.
    fn levels(&self, address: u64) -> Vec<Level> {
        let Some(at) = self.binding.index_at(address) else {
            return Vec::new();
        };
        let inlines = self.inlined.get(&at).map_or(&[][..], Vec::as_slice);
        let open = self.binding.inlined_among(inlines, address);
        let row = self.binding.row_at(address);
        let mut levels = Vec::new();
        for depth in 0..=open.len() {
            let (instance, function) = match depth.checked_sub(1) {
                None => {
                    let function = self.binding.functions[at as usize].function;
                    (FunctionInstance::Concrete(at), function)
                }
                Some(outer) => {
                    let number = open[outer];
                    let function = self.binding.inlines[number as usize].function;
                    (FunctionInstance::Inlined(number), function)
                }
            };
            let place = match open.get(depth) {
                Some(&inner) => {
                    let call = &self.binding.inlines[inner as usize];
                    Some((call.call_file, call.call_line, call.call_column))
                }
                None => row.map(|row| (row.file, row.line, row.column)),
            };
            if let (Some(function), Some((file, line, column))) = (function, place)
                && file == self.file_of(function)
            {
                levels.push(Level {
                    instance,
                    function,
                    line,
                    column,
                });
            }
        }
        levels
    }

    /// Notes what can be read of the loops around a call.
    fn look(&self, address: u64, level: &Level, found: &mut BTreeMap<(FunctionId, LoopId), Found>) {
        let function = &self.map.functions[level.function];
        if function.confidence == Confidence::Partial {
            return;
        }
        let code = self.binding.function_at(address);
        for looped in loops_around(function, level.line, level.column) {
            let lovs = &function.loops[looped].lovs;
            let by_access = |wanted: Readability| {
                let found = lovs
                    .iter()
                    .filter(move |lov| self.access(address, level, lov) == wanted);
                BTreeSet::from_iter(found.map(|lov| lov.name.clone()))
            };
            let readable = by_access(Readability::Readable);
            let found = found.entry((level.function, looped)).or_default();
            found.optimised |= code.is_none_or(|code| code.optimised);
            let call = found.calls.entry(level.line).or_insert(CheckedCall {
                line: level.line,
                sites: 0,
                readable: 0,
                unsafe_register: 0,
                variables: BTreeSet::new(),
            });
            call.sites += 1;
            call.readable += usize::from(!readable.is_empty());
            if readable.is_empty() && !by_access(Readability::UnsafeRegister).is_empty() {
                call.unsafe_register += 1;
            }
            call.variables.extend(readable);
        }
    }

    /// How a variable can be read, with what its comparison across tasks needs.
    fn access(&self, address: u64, level: &Level, lov: &Lov) -> Readability {
        let terms = [&lov.start, &lov.step].into_iter().flatten();
        let needed = match lov.across {
            Across::Relative => Vec::from_iter(terms.flat_map(Term::variables)),
            _ => Vec::new(),
        };
        let names = needed
            .into_iter()
            .map(|(name, _)| name)
            .chain([lov.name.as_str()]);
        let worst = names.map(|name| self.access_of(address, level, name)).max();
        worst.unwrap_or(Readability::None)
    }

    fn access_of(&self, address: u64, level: &Level, name: &str) -> Readability {
        let holds = |&(start, end): &(u64, u64)| (start..end).contains(&address);
        let own = self.variables.get(&(level.instance, name));
        let anywhere = self
            .variables
            .get(&(FunctionInstance::Anywhere(level.function), name));
        let in_scope = own
            .into_iter()
            .chain(anywhere)
            .flatten()
            .filter(|variable| variable.scope.is_empty() || variable.scope.iter().any(holds));
        let innermost = in_scope.min_by_key(|variable| match variable.scope.as_slice() {
            [] => u64::MAX,
            scope => scope.iter().map(|(start, end)| end.saturating_sub(*start)).sum(),
        });
        let here = |location: &&LocationRange| holds(&(location.start, location.end));
        match innermost.and_then(|variable| variable.locations.iter().find(here)) {
            None => Readability::None,
            Some(here) if readable_from_outside(&here.expression, self.binding) => Readability::Readable,
            Some(_) => Readability::UnsafeRegister,
        }
    }
}

/// The loops around the calls that a position may stand for: those that are around all of them.
fn loops_around(function: &Function, line: u32, column: u32) -> BTreeSet<LoopId> {
    let calls = calls_at(function, line, column);
    let mut loops = calls
        .into_iter()
        .map(|call| BTreeSet::from_iter(function.loops_around(call)));
    let first = loops.next().unwrap_or_default();
    loops.fold(first, |all, other| all.intersection(&other).copied().collect())
}

/// The calls that a position may stand for; by the line when no call begins at the column.
fn calls_at(function: &Function, line: u32, column: u32) -> Vec<PointId> {
    let at = Vec::from_iter(function.calls_beginning_at(line, column));
    if at.is_empty() {
        function.calls_on(line).collect()
    } else {
        at
    }
}

/// The calls that a position stands for: by the line only where it has no column.
fn calls_exactly_at(function: &Function, line: u32, column: u32) -> Vec<PointId> {
    match column {
        0 => calls_at(function, line, column),
        _ => function.calls_beginning_at(line, column).collect(),
    }
}
