//! [`Map::to_bytes`].

use super::columns::{Budget, ColumnsOut, Packing};
use super::strings::{Interner, Sink};
use super::{
    bound, calls, choices, flow, handed, heads, loops, macros, merges, mpi, passed, record, scopes, sites,
    variables,
};
use crate::error::Tag;
use crate::{Binding, Map};
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};
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

    /// The same bytes, deflated by so many threads (by fewer where they cannot be had).
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
    let mut strings = Interner::default();
    let drafts = write_static(map, &mut strings);
    strings.settle();
    sections.strings(super::STRINGS, &strings);
    drop(drafts);
    for (tag, columns) in write_static(map, &mut strings) {
        sections.columns(tag, columns);
    }
    for binding in map.bindings() {
        let mut strings = Interner::default();
        drop(write_binding(binding, &mut strings));
        strings.settle();
        let mut written = write_binding(binding, &mut strings).into_iter();
        if let Some((tag, columns)) = written.next() {
            sections.columns(tag, columns);
        }
        sections.strings(super::BOUND_STRINGS, &strings);
        for (tag, columns) in written {
            sections.columns(tag, columns);
        }
    }
    let paths: usize = map.files.iter().map(|file| file.path.len()).sum();
    let packed = pack(sections.list, packing, threads);
    (record::write(&packed), sections.memory + paths as u64)
}

/// The bytes of each section, by so many threads.
fn pack(sections: Vec<(Tag, ColumnsOut)>, packing: Packing, threads: usize) -> Vec<(Tag, Vec<u8>)> {
    let places = Vec::from_iter(sections.iter().map(|&(tag, _)| (tag, OnceLock::new())));
    let left = Mutex::new(sections.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((index, (_, columns))) = next() {
            places[index].1.get_or_init(|| columns.pack(packing));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Without them this thread does it all.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let bytes = |place: OnceLock<Vec<u8>>| place.into_inner().unwrap_or_default();
    places
        .into_iter()
        .map(|(tag, place)| (tag, bytes(place)))
        .collect()
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

/// The sections of the static half but for its strings.
fn write_static<'a>(map: &'a Map, strings: &mut Interner<'a>) -> Vec<(Tag, ColumnsOut)> {
    let mut sections = Vec::new();
    let mut files = ColumnsOut::new();
    heads::write_files(&mut files, &map.files);
    sections.push((super::FILES, files));
    let blocks = blocks(map);
    let mut sink = Sink::new(strings);
    heads::write_heads(&mut sink, &map.functions, &blocks);
    sections.push((super::HEADS, sink.columns));
    for block in blocks {
        let mut sink = Sink::new(strings);
        for function in &map.functions.as_slice()[block] {
            let counts = [
                function.points.len(),
                function.edges.len(),
                function.scopes.len(),
                function.loops.len(),
            ];
            for count in counts {
                sink.columns.at(flow::COUNT).size(count);
            }
            scopes::write_scopes(&mut sink, function);
            flow::write_points(&mut sink, function);
            flow::write_edges(&mut sink, function);
            loops::write_loops(&mut sink, function);
        }
        sections.push((super::BODY, sink.columns));
    }
    let mut sink = Sink::new(strings);
    heads::write_diagnostics(&mut sink, &map.diagnostics);
    sections.push((super::DIAGNOSTICS, sink.columns));
    if !map.mpi_calls.is_empty() {
        let mut sink = Sink::new(strings);
        mpi::write_calls(&mut sink, &map.functions, &map.mpi_calls);
        sections.push((super::MPI_CALLS, sink.columns));
    }
    if !map.handed.is_empty() {
        let mut sink = Sink::new(strings);
        handed::write_handed(&mut sink, &map.functions, &map.handed);
        sections.push((super::HANDED, sink.columns));
    }
    if !map.choices.is_empty() {
        let mut columns = ColumnsOut::new();
        choices::write_choices(&mut columns, &map.choices);
        sections.push((super::CHOICES, columns));
    }
    for (tag, macros) in [(super::MACROS, &map.macros), (super::MAY_CALL, &map.may_call)] {
        if !macros.is_empty() {
            let mut sink = Sink::new(strings);
            macros::write_macros(&mut sink, macros);
            sections.push((tag, sink.columns));
        }
    }
    sections
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
fn write_binding<'a>(binding: &'a Binding, strings: &mut Interner<'a>) -> Vec<(Tag, ColumnsOut)> {
    let mut sections = Vec::new();
    let mut sink = Sink::new(strings);
    bound::write_build(&mut sink, binding);
    sections.push((super::BUILD, sink.columns));
    let mut rows = ColumnsOut::new();
    bound::write_rows(&mut rows, &binding.rows);
    sections.push((super::ROWS, rows));
    let mut sink = Sink::new(strings);
    bound::write_functions(&mut sink, &binding.functions);
    sections.push((super::BOUND_FUNCTIONS, sink.columns));
    let mut sink = Sink::new(strings);
    bound::write_inlines(&mut sink, &binding.inlines);
    sections.push((super::INLINES, sink.columns));
    let mut sink = Sink::new(strings);
    variables::write_variables(&mut sink, binding);
    sections.push((super::VARIABLES, sink.columns));
    let mut sink = Sink::new(strings);
    calls::write_calls(&mut sink, &binding.calls);
    sections.push((super::CALLS, sink.columns));
    if !binding.merges.is_empty() {
        let mut columns = ColumnsOut::new();
        merges::write_merges(&mut columns, &binding.merges);
        sections.push((super::MERGES, columns));
    }
    if !binding.mpi_calls.is_empty() {
        let mut sink = Sink::new(strings);
        passed::write_passed(&mut sink, &binding.mpi_calls);
        sections.push((super::PASSED, sink.columns));
    }
    if !binding.sites.is_empty() {
        let mut sink = Sink::new(strings);
        sites::write_sites(&mut sink, &binding.sites);
        sections.push((super::SITES, sink.columns));
    }
    sections
}
