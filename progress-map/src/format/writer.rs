//! [`Map::to_bytes`].

use super::columns::{Budget, ColumnsOut, Packing};
use super::strings::{Interner, Numbers, Sink};
use super::{
    bound, calls, choices, code, decisive, flow, handed, handlers, heads, inner_steps, iterated, loops,
    macros, merges, mpi, passed, passed_constants, pointer_calls, record, scopes, shown, sites, tail_jumps,
    variables,
};
use crate::error::Tag;
use crate::{Binding, Function, Map};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A `BODY` section ends with the function that reaches so many points. Larger sections gain little in size (each
/// column's Huffman codes take under a hundred bytes), smaller ones let a reader inflate less for one function.
const BLOCK_POINTS: usize = 16_384;

impl Map {
    /// The map as a file. Equal maps give equal bytes.
    ///
    /// A map that breaks a promise of its types (see [`Map::validate`]) gives bytes too, which [`Map::from_bytes`]
    /// refuses.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_by(1)
    }

    /// The same bytes, written and deflated by so many threads (by fewer where they cannot be had).
    pub fn to_bytes_by(&self, threads: usize) -> Vec<u8> {
        let (bytes, memory) = write(self, Packing::Deflate, threads);
        // A map that repeats itself beyond all measure would go over the reader's budget: then it is stored at length.
        if Budget::new(bytes.len()).allows(memory) {
            bytes
        } else {
            write(self, Packing::Verbatim, 1).0
        }
    }
}

/// The record, and how many bytes a reader's budget is charged for it.
pub(crate) fn write(map: &Map, packing: Packing, threads: usize) -> (Vec<u8>, u64) {
    let mut sections = Sections::default();
    let parts = parts(map);
    let mut strings = Interner::default();
    let counted = side_by_side(&parts, threads, |part| {
        let mut strings = Interner::default();
        drop(write_part(map, part, Numbers::Counting(&mut strings)));
        strings
    });
    counted.into_iter().for_each(|part| strings.join(part));
    strings.settle();
    sections.strings(super::STRINGS, &strings);
    let written = side_by_side(&parts, threads, |part| {
        write_part(map, part, Numbers::Settled(&strings))
    });
    for (tag, columns) in written {
        sections.columns(tag, columns);
    }
    for binding in map.bindings() {
        let mut strings = Interner::default();
        drop(write_binding(binding, Numbers::Counting(&mut strings)));
        strings.settle();
        let mut written = write_binding(binding, Numbers::Settled(&strings)).into_iter();
        if let Some((tag, columns)) = written.next() {
            sections.columns(tag, columns);
        }
        sections.strings(super::BOUND_STRINGS, &strings);
        for (tag, columns) in written {
            sections.columns(tag, columns);
        }
    }
    let paths: usize = map.files.iter().map(|file| file.path.len()).sum();
    let packed = side_by_side(&sections.list, threads, |(tag, columns)| {
        (*tag, columns.pack(packing))
    });
    (record::write(&packed), sections.memory + paths as u64)
}

/// What `work` makes of each of `parts`, in their order, by so many threads (by fewer where they cannot be had).
fn side_by_side<P: Sync, T: Send + Sync>(
    parts: &[P],
    threads: usize,
    work: impl Fn(&P) -> T + Sync,
) -> Vec<T> {
    let places = Vec::from_iter(parts.iter().map(|_| OnceLock::new()));
    let next = AtomicUsize::new(0);
    let run = || {
        let taken = || next.fetch_add(1, Ordering::Relaxed);
        let left = std::iter::repeat_with(taken).map_while(|at| Some((parts.get(at)?, places.get(at)?)));
        for (part, place) in left {
            let _ = place.set(work(part));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(parts.len()) {
            // Without them this thread does it all.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    places.into_iter().filter_map(OnceLock::into_inner).collect()
}

#[derive(Default)]
struct Sections {
    list: Vec<(Tag, ColumnsOut)>,
    memory: u64,
}

impl Sections {
    fn columns(&mut self, tag: Tag, columns: ColumnsOut) {
        self.memory += columns.len() as u64;
        self.list.push((tag, columns));
    }

    fn strings(&mut self, tag: Tag, strings: &Interner<'_>) {
        self.memory += strings.copied();
        self.columns(tag, strings.columns());
    }
}

/// A section of the static half, other than its strings.
enum Part {
    Files,
    Heads,
    Body(Range<usize>),
    Diagnostics,
    MpiCalls,
    Handed,
    Choices,
    Decisive,
    PointerCalls,
    Handlers,
    PassedConstants,
    Shown,
    Iterated,
    InnerSteps,
    Macros,
    MayCall,
}

/// The sections of the static half, in their order.
fn parts(map: &Map) -> Vec<Part> {
    let mut parts = vec![Part::Files, Part::Heads];
    parts.extend(blocks(map).into_iter().map(Part::Body));
    parts.push(Part::Diagnostics);
    let others = [
        (Part::MpiCalls, map.mpi_calls.is_empty()),
        (Part::Handed, map.handed.is_empty()),
        (Part::Choices, map.choices.is_empty()),
        (Part::Decisive, map.decisive.is_empty()),
        (
            Part::PointerCalls,
            map.address_taken.is_empty() && map.pointer_calls.is_empty(),
        ),
        (Part::Handlers, map.handlers.is_empty()),
        (Part::PassedConstants, map.passed_constants.is_empty()),
        (Part::Shown, map.shown.is_empty()),
        (Part::Iterated, map.iterated.is_empty()),
        (Part::InnerSteps, map.inner_steps.is_empty()),
        (Part::Macros, map.macros.is_empty()),
        (Part::MayCall, map.may_call.is_empty()),
    ];
    parts.extend(
        others
            .into_iter()
            .filter(|(_, empty)| !empty)
            .map(|(part, _)| part),
    );
    parts
}

fn write_part<'a>(map: &'a Map, part: &Part, numbers: Numbers<'a, '_>) -> (Tag, ColumnsOut) {
    let mut sink = Sink::new(numbers);
    let tag = match part {
        Part::Files => {
            heads::write_files(&mut sink.columns, &map.files);
            super::FILES
        }
        Part::Heads => {
            heads::write_heads(&mut sink, &map.functions, &blocks(map));
            super::HEADS
        }
        Part::Body(block) => {
            for function in map.functions.as_slice().get(block.clone()).into_iter().flatten() {
                write_body(&mut sink, function);
            }
            super::BODY
        }
        Part::Diagnostics => {
            heads::write_diagnostics(&mut sink, &map.diagnostics);
            super::DIAGNOSTICS
        }
        Part::MpiCalls => {
            mpi::write_calls(&mut sink, &map.functions, &map.mpi_calls);
            super::MPI_CALLS
        }
        Part::Handed => {
            handed::write_handed(&mut sink, &map.functions, &map.handed);
            super::HANDED
        }
        Part::Choices => {
            choices::write_choices(&mut sink.columns, &map.choices);
            super::CHOICES
        }
        Part::Decisive => {
            decisive::write_decisive(&mut sink.columns, &map.decisive);
            super::DECISIVE
        }
        Part::PointerCalls => {
            pointer_calls::write_pointer_calls(&mut sink.columns, &map.address_taken, &map.pointer_calls);
            super::POINTER_CALLS
        }
        Part::Handlers => {
            handlers::write_handlers(&mut sink.columns, &map.handlers);
            super::HANDLERS
        }
        Part::PassedConstants => {
            passed_constants::write_passed_constants(&mut sink.columns, &map.passed_constants);
            super::PASSED_CONSTANTS
        }
        Part::Shown => {
            shown::write_shown(&mut sink, &map.functions, &map.shown);
            super::SHOWN
        }
        Part::Iterated => {
            iterated::write_iterated(&mut sink, &map.functions, &map.iterated);
            super::ITERATED
        }
        Part::InnerSteps => {
            inner_steps::write_inner_steps(&mut sink.columns, &map.inner_steps);
            super::INNER_STEPS
        }
        Part::Macros => {
            macros::write_macros(&mut sink, &map.macros);
            super::MACROS
        }
        Part::MayCall => {
            macros::write_macros(&mut sink, &map.may_call);
            super::MAY_CALL
        }
    };
    (tag, sink.columns)
}

fn write_body<'a>(sink: &mut Sink<'a, '_>, function: &'a Function) {
    let counts = [
        function.points.len(),
        function.edges.len(),
        function.scopes.len(),
        function.loops.len(),
    ];
    for count in counts {
        sink.columns.at(flow::COUNT).size(count);
    }
    scopes::write_scopes(sink, function);
    flow::write_points(sink, function);
    flow::write_edges(sink, function);
    loops::write_loops(sink, function);
}

/// The runs of functions that share a `BODY` section.
fn blocks(map: &Map) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let (mut start, mut points) = (0, 0);
    for (index, function) in map.functions.iter().enumerate() {
        points += function.points.len();
        if points >= BLOCK_POINTS {
            blocks.push(start..index + 1);
            (start, points) = (index + 1, 0);
        }
    }
    if start < map.functions.len() {
        blocks.push(start..map.functions.len());
    }
    blocks
}

/// The sections of the binding but for its strings.
fn write_binding<'a>(binding: &'a Binding, mut numbers: Numbers<'a, '_>) -> Vec<(Tag, ColumnsOut)> {
    let mut sections = Vec::new();
    let mut sink = Sink::new(numbers.again());
    bound::write_build(&mut sink, binding);
    sections.push((super::BUILD, sink.columns));
    let mut rows = ColumnsOut::new();
    bound::write_rows(&mut rows, &binding.rows);
    sections.push((super::ROWS, rows));
    let mut sink = Sink::new(numbers.again());
    bound::write_functions(&mut sink, &binding.functions);
    sections.push((super::BOUND_FUNCTIONS, sink.columns));
    let mut sink = Sink::new(numbers.again());
    bound::write_inlines(&mut sink, &binding.inlines);
    sections.push((super::INLINES, sink.columns));
    let mut sink = Sink::new(numbers.again());
    variables::write_variables(&mut sink, binding);
    sections.push((super::VARIABLES, sink.columns));
    let mut sink = Sink::new(numbers.again());
    calls::write_calls(&mut sink, &binding.calls);
    sections.push((super::CALLS, sink.columns));
    if !binding.merges.is_empty() {
        let mut columns = ColumnsOut::new();
        merges::write_merges(&mut columns, &binding.merges);
        sections.push((super::MERGES, columns));
    }
    if !binding.mpi_calls.is_empty() {
        let mut sink = Sink::new(numbers.again());
        passed::write_passed(&mut sink, &binding.mpi_calls);
        sections.push((super::PASSED, sink.columns));
    }
    if !binding.sites.is_empty() {
        let mut sink = Sink::new(numbers.again());
        sites::write_sites(&mut sink, &binding.sites);
        sections.push((super::SITES, sink.columns));
    }
    if !binding.code.blocks.is_empty() {
        let mut columns = ColumnsOut::new();
        code::write_code(&mut columns, &binding.code);
        sections.push((super::CODE, columns));
    }
    if let Some(jumps) = &binding.tail_jumps {
        let mut columns = ColumnsOut::new();
        tail_jumps::write_tail_jumps(&mut columns, jumps);
        sections.push((super::TAIL_JUMPS, columns));
    }
    sections
}
