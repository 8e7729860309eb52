//! [`Map::from_bytes`], and a [`Reader`] that decodes no more than it is asked for.

use super::columns::{Budget, Columns};
use super::heads::Head;
use super::record::{self, Stored};
use super::strings::{Source, Strings};
use super::{
    FunctionHead, bound, calls, choices, code, decisive, flow, handed, handlers, heads, inner_steps,
    iterated, loops, macros, merges, mpi, passed, passed_constants, pointer_calls, scopes, shown, sites,
    tail_jumps, variables,
};
use crate::error::{ReadError, Tag};
use crate::{Binding, File, FileId, Function, FunctionId, Map, validate};
use base::{Diagnostic, Id, IdVec};

impl Map {
    /// Reads a map as [`Map::to_bytes`] writes it. A map that is returned keeps every promise of its types that
    /// [`Map::validate`] checks, so no id in it is out of range.
    ///
    /// # Errors
    /// Each variant of [`ReadError`] says which bytes it means.
    pub fn from_bytes(bytes: &[u8]) -> Result<Map, ReadError> {
        Reader::new(bytes)?.map()
    }
}

/// A map's bytes with checksums verified and nothing decoded yet.
///
/// Every method decodes anew what it returns; [`Reader::map`] is the one to call for everything.
pub struct Reader<'a> {
    sections: Vec<Stored<'a>>,
    length: usize,
}

/// Files and function heads: what it takes to find a function.
pub struct Index {
    /// As [`Map::files`].
    pub files: IdVec<FileId, File>,
    functions: IdVec<FunctionId, Head>,
    strings: Strings,
    /// How many functions each `BODY` section holds.
    blocks: Vec<usize>,
    /// What reading the rest may still take.
    budget: Budget,
}

impl Index {
    /// How many functions the map has.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether the map has no function.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// A function without its body.
    pub fn head(&self, id: FunctionId) -> Option<FunctionHead<'_>> {
        Some(self.functions.get(id)?.with(&self.strings))
    }

    /// The functions of the map without their bodies.
    pub fn heads(&self) -> impl Iterator<Item = (FunctionId, FunctionHead<'_>)> {
        let heads = self.functions.iter_enumerated();
        heads.map(|(id, head)| (id, head.with(&self.strings)))
    }

    /// The functions of that name or linkage name, in the file given or in any.
    pub fn find(&self, name: &str, file: Option<FileId>) -> Vec<FunctionId> {
        self.heads()
            .filter(|(_, head)| head.name == name || head.linkage_name == Some(name))
            .filter(|(_, head)| file.is_none_or(|file| head.file == file))
            .map(|(id, _)| id)
            .collect()
    }
}

impl<'a> Reader<'a> {
    /// Verifies the record: header, section table and all checksums.
    ///
    /// # Errors
    /// Anything but exactly one record that is whole and of a version that this crate reads.
    pub fn new(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let sections = record::parse(bytes)?;
        let known = |tag: Tag| super::STATIC.contains(&tag) || super::BOUND.contains(&tag);
        for (index, stored) in sections.iter().enumerate() {
            let section = stored.section;
            if stored.required && !known(section.tag) {
                return Err(ReadError::Unknown { section });
            }
            // The sections of a binding begin with its build; each library adds another round of them.
            let mut earlier = sections[..index].iter().rev().map(|earlier| earlier.section.tag);
            let repeats = if super::BOUND.contains(&section.tag) {
                earlier
                    .take_while(|&tag| tag != super::BUILD)
                    .any(|tag| tag == section.tag)
            } else {
                known(section.tag) && section.tag != super::BODY && earlier.any(|tag| tag == section.tag)
            };
            if repeats {
                return Err(ReadError::Repeated { section });
            }
        }
        let length = bytes.len();
        Ok(Self { sections, length })
    }

    /// Whether the map is tied to a build.
    pub fn is_bound(&self) -> bool {
        self.section(super::BUILD).is_ok()
    }

    /// The whole map.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn map(&self) -> Result<Map, ReadError> {
        self.map_of(self.read_index()?, &|_| true)
    }

    /// The map of `index`, with the bodies of only those functions that `wanted` picks by their heads: the others stand in it without
    /// points. What the map says of calls in these is left out too. To be asked about the functions that were wanted, and not
    /// to be written or bound.
    ///
    /// # Errors
    /// See [`ReadError`]; of functions that were not wanted only the heads are looked at.
    pub fn map_of(
        &self,
        mut index: Index,
        wanted: &dyn Fn(&FunctionHead<'_>) -> bool,
    ) -> Result<Map, ReadError> {
        let mut budget = std::mem::replace(&mut index.budget, Budget::new(0));
        let wanted = Vec::from_iter(index.heads().map(|(_, head)| wanted(&head)));
        let mut functions = Vec::with_capacity(wanted.len());
        for block in 0..index.blocks.len() {
            self.read_block(&index, block, &wanted, &mut budget, |function| {
                functions.push(function);
            })?;
        }
        let diagnostics = self.read_diagnostics(&index.strings, &mut budget)?;
        let bindings = self.read_bindings(&mut budget)?;
        let functions: IdVec<FunctionId, Function> = functions.into();
        let span = |id: FunctionId| functions.get(id).map(|function| function.span);
        let strings = &index.strings;
        let mpi_calls = self.optional(super::MPI_CALLS, strings, &mut budget, |source| {
            mpi::read_calls(source, &span)
        })?;
        let handed = self.optional(super::HANDED, strings, &mut budget, |source| {
            handed::read_handed(source, &span)
        })?;
        let choices = self.optional(super::CHOICES, strings, &mut budget, |source| {
            choices::read_choices(source.columns)
        })?;
        let decisive = self.optional(super::DECISIVE, strings, &mut budget, |source| {
            decisive::read_decisive(source.columns)
        })?;
        let (address_taken, pointer_calls) =
            self.optional(super::POINTER_CALLS, strings, &mut budget, |source| {
                pointer_calls::read_pointer_calls(source.columns)
            })?;
        let handlers = self.optional(super::HANDLERS, strings, &mut budget, |source| {
            handlers::read_handlers(source.columns)
        })?;
        let passed_constants = self.optional(super::PASSED_CONSTANTS, strings, &mut budget, |source| {
            passed_constants::read_passed_constants(source.columns)
        })?;
        let shown = self.optional(super::SHOWN, strings, &mut budget, |source| {
            shown::read_shown(source, &span)
        })?;
        let iterated = self.optional(super::ITERATED, strings, &mut budget, |source| {
            iterated::read_iterated(source, &span)
        })?;
        let inner_steps = self.optional(super::INNER_STEPS, strings, &mut budget, |source| {
            inner_steps::read_inner_steps(source.columns)
        })?;
        let macros = self.optional(super::MACROS, strings, &mut budget, macros::read_macros)?;
        let may_call = self.optional(super::MAY_CALL, strings, &mut budget, macros::read_macros)?;
        let mut bindings = bindings.into_iter();
        let mut map = Map {
            files: index.files,
            functions,
            diagnostics,
            mpi_calls,
            handed,
            choices,
            decisive,
            address_taken,
            pointer_calls,
            handlers,
            passed_constants,
            shown,
            iterated,
            inner_steps,
            macros,
            may_call,
            binding: bindings.next(),
            libraries: bindings.collect(),
        };
        leave_out(&mut map, &wanted);
        map.validate()?;
        Ok(map)
    }

    /// Files and function heads.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn index(&self) -> Result<Index, ReadError> {
        let index = self.read_index()?;
        validate::files(&index.files)?;
        for (id, head) in index.heads() {
            validate::head(id, &head, index.files.len())?;
        }
        Ok(index)
    }

    /// One function with its body; `None` when `index` has no such function. Inflates one `BODY` section.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn function(&self, index: &Index, id: FunctionId) -> Result<Option<Function>, ReadError> {
        let mut first = 0;
        for (block, &count) in index.blocks.iter().enumerate() {
            if id.index() < first + count {
                let mut wanted = vec![false; index.len()];
                wanted[id.index()] = true;
                let mut found = None;
                let mut budget = Budget::new(self.length);
                let place = id.index() - first;
                let mut at = 0;
                self.read_block(index, block, &wanted, &mut budget, |function| {
                    if at == place {
                        found = Some(function);
                    }
                    at += 1;
                })?;
                if let Some(function) = &found {
                    validate::function(id, function, index.files.len())?;
                }
                return Ok(found);
            }
            first += count;
        }
        Ok(None)
    }

    /// The bindings, the program's first and then those of libraries; nothing of the static half is decoded but the heads
    /// that they refer to. Empty when the map is not bound.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn bindings(&self) -> Result<Vec<Binding>, ReadError> {
        if !self.is_bound() {
            return Ok(Vec::new());
        }
        let index = self.read_index()?;
        let bindings = self.read_bindings(&mut Budget::new(self.length))?;
        for binding in &bindings {
            validate::binding(binding, index.files.len(), index.functions.len())?;
        }
        Ok(bindings)
    }

    /// What could not be analysed.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn diagnostics(&self) -> Result<Vec<Diagnostic>, ReadError> {
        let mut budget = Budget::new(self.length);
        let strings = Strings::read(self.columns(super::STRINGS, &mut budget)?)?;
        self.read_diagnostics(&strings, &mut budget)
    }

    fn section(&self, tag: Tag) -> Result<Stored<'a>, ReadError> {
        let mut sections = self.sections.iter().copied();
        let found = sections.find(|stored| stored.section.tag == tag);
        found.ok_or(ReadError::Missing { tag })
    }

    fn columns(&self, tag: Tag, budget: &mut Budget) -> Result<Columns<'a>, ReadError> {
        let stored = self.section(tag)?;
        Columns::parse(stored.section, stored.bytes, budget)
    }

    fn source<'b>(
        &self,
        tag: Tag,
        strings: &'b Strings,
        budget: &'b mut Budget,
    ) -> Result<Source<'a, 'b>, ReadError> {
        Ok(Source {
            columns: self.columns(tag, budget)?,
            strings,
            budget,
            skipping: false,
        })
    }

    /// What `read` makes of a section that a map need not have; nothing where it is not there.
    fn optional<T: Default>(
        &self,
        tag: Tag,
        strings: &Strings,
        budget: &mut Budget,
        read: impl FnOnce(Source<'_, '_>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        if self.section(tag).is_err() {
            return Ok(T::default());
        }
        read(self.source(tag, strings, budget)?)
    }

    fn read_index(&self) -> Result<Index, ReadError> {
        let mut budget = Budget::new(self.length);
        let strings = Strings::read(self.columns(super::STRINGS, &mut budget)?)?;
        let files = heads::read_files(self.columns(super::FILES, &mut budget)?, &mut budget)?;
        let (functions, blocks) = heads::read_heads(self.source(super::HEADS, &strings, &mut budget)?)?;
        let bodies = self
            .sections
            .iter()
            .filter(|stored| stored.section.tag == super::BODY);
        if bodies.count() != blocks.len() {
            return Err(ReadError::Missing { tag: super::BODY });
        }
        Ok(Index {
            files,
            functions,
            strings,
            blocks,
            budget,
        })
    }

    /// The functions of a `BODY` section, with the bodies of those that are `wanted` of all functions of the map.
    fn read_block(
        &self,
        index: &Index,
        block: usize,
        wanted: &[bool],
        budget: &mut Budget,
        mut each: impl FnMut(Function),
    ) -> Result<(), ReadError> {
        let mut bodies = self
            .sections
            .iter()
            .filter(|stored| stored.section.tag == super::BODY);
        let Some(stored) = bodies.nth(block) else {
            return Err(ReadError::Missing { tag: super::BODY });
        };
        let first: usize = index.blocks[..block].iter().sum();
        let range = first..first + index.blocks[block];
        let mut heads = index.functions.as_slice()[range.clone()]
            .iter()
            .map(|head| head.with(&index.strings));
        let Some(last) = range.clone().rev().find(|&at| wanted[at]) else {
            heads.for_each(|head| each(head.function()));
            return Ok(());
        };
        let mut source = Source {
            columns: Columns::parse(stored.section, stored.bytes, budget)?,
            strings: &index.strings,
            budget,
            skipping: false,
        };
        // Columns are read from their start: who is in front of a wanted function must be read, if not kept.
        for (at, head) in (first..=last).zip(heads.by_ref()) {
            source.skipping = !wanted[at];
            let [points, edges, scopes, loops] = flow::read_counts(&mut source)?;
            let scopes = scopes::read_scopes(&mut source, head.span, scopes)?;
            let points = flow::read_points(&mut source, head.span, &scopes, points)?;
            let edges = flow::read_edges(&mut source, points.len(), edges)?;
            let loops = loops::read_loops(&mut source, head.span, &scopes, &points, loops)?;
            each(if wanted[at] {
                Function {
                    points,
                    edges,
                    scopes,
                    loops,
                    ..head.function()
                }
            } else {
                head.function()
            });
        }
        if last + 1 == range.end {
            source.columns.finish()?;
        }
        heads.for_each(|head| each(head.function()));
        Ok(())
    }

    fn read_diagnostics(&self, strings: &Strings, budget: &mut Budget) -> Result<Vec<Diagnostic>, ReadError> {
        heads::read_diagnostics(self.source(super::DIAGNOSTICS, strings, budget)?)
    }

    /// Every round of the sections of a binding.
    fn read_bindings(&self, budget: &mut Budget) -> Result<Vec<Binding>, ReadError> {
        let begins = |stored: &Stored<'_>| stored.section.tag == super::BUILD;
        let Some(first) = self.sections.iter().position(begins) else {
            return Ok(Vec::new());
        };
        let rounds = self.sections[first..].chunk_by(|_, next| !begins(next));
        let part = |sections: &[Stored<'a>]| Reader {
            sections: sections.to_vec(),
            length: self.length,
        };
        rounds.map(|round| part(round).read_binding(budget)).collect()
    }

    fn read_binding(&self, budget: &mut Budget) -> Result<Binding, ReadError> {
        let strings = Strings::read(self.columns(super::BOUND_STRINGS, budget)?)?;
        let build = bound::read_build(self.source(super::BUILD, &strings, budget)?)?;
        let rows = bound::read_rows(self.columns(super::ROWS, budget)?)?;
        let functions = bound::read_functions(self.source(super::BOUND_FUNCTIONS, &strings, budget)?)?;
        let inlines = bound::read_inlines(self.source(super::INLINES, &strings, budget)?)?;
        let mut binding = Binding {
            rows,
            functions,
            inlines,
            ..build
        };
        let variables = self.source(super::VARIABLES, &strings, budget)?;
        binding.variables = variables::read_variables(variables, &binding)?;
        // Maps of earlier versions have none.
        if self.section(super::CALLS).is_ok() {
            binding.calls = calls::read_calls(self.source(super::CALLS, &strings, budget)?)?;
        }
        if self.section(super::MERGES).is_ok() {
            binding.merges = merges::read_merges(self.columns(super::MERGES, budget)?)?;
        }
        if self.section(super::PASSED).is_ok() {
            binding.mpi_calls = passed::read_passed(self.source(super::PASSED, &strings, budget)?)?;
        }
        if self.section(super::SITES).is_ok() {
            binding.sites = sites::read_sites(self.source(super::SITES, &strings, budget)?)?;
        }
        if self.section(super::CODE).is_ok() {
            binding.code = code::read_code(self.columns(super::CODE, budget)?)?;
        }
        if self.section(super::TAIL_JUMPS).is_ok() {
            binding.tail_jumps = Some(tail_jumps::read_tail_jumps(
                self.columns(super::TAIL_JUMPS, budget)?,
            )?);
        }
        Ok(binding)
    }
}

/// Takes out what the map says of functions that were not wanted. A function that the map does not have stays, to be refused.
fn leave_out(map: &mut Map, wanted: &[bool]) {
    let stays = |id: FunctionId| wanted.get(id.index()) != Some(&false);
    map.mpi_calls.retain(|call| stays(call.function));
    map.handed.retain(|each| stays(each.function));
    map.choices.retain(|choice| stays(choice.function));
    map.decisive.retain(|call| stays(call.function));
    map.address_taken.retain(|taken| stays(taken.function));
    map.passed_constants.retain(|each| stays(each.function));
    map.pointer_calls.retain(|call| stays(call.function));
    map.handlers.retain(|handler| stays(handler.function));
    map.shown.retain(|each| stays(each.function));
    map.iterated.retain(|each| stays(each.function));
    map.inner_steps
        .retain(|each| stays(each.function) && stays(each.callee));
    for binding in map.binding.iter_mut().chain(&mut map.libraries) {
        binding.merges.retain(|merge| stays(merge.function));
    }
}
