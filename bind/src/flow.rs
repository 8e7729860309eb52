//! The flow of all machine code of a program or shared object: which instruction may follow which.
//!
//! Functions are what the unwind tables describe (`.eh_frame`): every piece of code that a compiler makes has an entry there, also
//! in a stripped file. Pieces between which code jumps into the middle are one function. A jump to the first instruction of
//! another function is a tail call: it leaves. What cannot be decoded for certain is left out, function by function: jumps to
//! computed addresses whose table is not found, tables of exceptions in an unknown form, calls of `setjmp` and its like.
//!
//! More ways than there are make tasks look unordered. Fewer would make an order wrong, so a way is never left out; where one may
//! not exist, because a call may never return, it is marked.

use crate::elf::Image;
use crate::landing::{LandingPad, landing_pads};
use crate::registers::{Copies, compared, copies, effects, preserved_number};
use gimli::UnwindSection as _;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpKind, Register};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget};
use progress_map::{
    BoundVariable, CodeBlock, CodeWay, Encoding, MachineCode, RegisterChange, RegisterEffect,
};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// So many instructions of one piece of code are decoded at most.
const MOST_INSTRUCTIONS: usize = 400_000;
/// So many entries a table of jumps has at most.
const MOST_ENTRIES: usize = 100_000;

/// The code of a program or shared object, of the functions that call something.
pub(crate) fn machine_code(image: &Image<'_>) -> MachineCode {
    let Some(frames) = frames(image) else {
        return MachineCode::default();
    };
    let file = File {
        image,
        names: Names::new(image),
        frames,
    };
    let pieces = pieces(&file);
    assemble(&file, &pieces)
}

/// Rounds of decoding; in each, code is found that only another piece leads to.
const MOST_ROUNDS: usize = 8;

/// Decodes all pieces. What only other pieces jump to is found once these are decoded.
fn pieces(file: &File<'_, '_>) -> Vec<Option<Piece>> {
    let mut entered: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); file.frames.len()];
    let decoded = |entered: &[BTreeSet<u64>], at: usize| decode(file, &file.frames[at], &entered[at]);
    let all = (0..file.frames.len()).into_par_iter();
    let mut pieces: Vec<Option<Piece>> = all.map(|at| decoded(&entered, at)).collect();
    for _ in 0..MOST_ROUNDS {
        let mut changed = BTreeSet::new();
        for (at, piece) in pieces.iter().enumerate() {
            for target in piece.iter().flat_map(Piece::targets) {
                if let Some(other) = file.frame_at(target).filter(|&other| other != at)
                    && pieces[other]
                        .as_ref()
                        .is_some_and(|other| !other.steps.contains_key(&target))
                    && entered[other].insert(target)
                {
                    changed.insert(other);
                }
            }
        }
        if changed.is_empty() {
            break;
        }
        for at in changed {
            pieces[at] = decoded(&entered, at);
        }
    }
    pieces
}

/// A piece of code that has an entry of its own in the unwind tables.
struct Frame {
    code: Range<u64>,
    /// Where its table of exceptions is.
    exceptions: Option<u64>,
}

struct File<'i, 'a> {
    image: &'i Image<'a>,
    names: Names,
    /// Sorted, not overlapping.
    frames: Vec<Frame>,
}

impl File<'_, '_> {
    fn frame_at(&self, address: u64) -> Option<usize> {
        let after = self.frames.partition_point(|frame| frame.code.start <= address);
        let at = after.checked_sub(1)?;
        self.frames[at].code.contains(&address).then_some(at)
    }
}

/// The pieces of code; `None` without unwind tables, or when they are damaged.
fn frames(image: &Image<'_>) -> Option<Vec<Frame>> {
    let section = image.file.section_by_name(".eh_frame")?;
    let mut bases = gimli::BaseAddresses::default().set_eh_frame(section.address());
    for (name, set) in [
        (".text", gimli::BaseAddresses::set_text as fn(_, _) -> _),
        (".got", gimli::BaseAddresses::set_got),
    ] {
        if let Some(section) = image.file.section_by_name(name) {
            bases = set(bases, section.address());
        }
    }
    // The stubs of the linkage table have one entry together, and are functions of other files.
    let is_stubs = |name: &str| name.starts_with(".plt");
    let stubs = { image.file.sections() }.filter(|section| section.name().is_ok_and(is_stubs));
    let stubs = stubs.map(|section| section.address()..section.address().saturating_add(section.size()));
    let stubs: Vec<Range<u64>> = stubs.collect();
    let table = gimli::EhFrame::new(section.data().ok()?, gimli::LittleEndian);
    let mut entries = table.entries(&bases);
    let mut found = Vec::new();
    while let Some(entry) = entries.next().ok()? {
        if let gimli::CieOrFde::Fde(partial) = entry {
            let entry = partial.parse(gimli::EhFrame::cie_from_offset).ok()?;
            let exceptions = match entry.lsda() {
                None => None,
                Some(gimli::Pointer::Direct(address)) => Some(address),
                // Read from somewhere at run time: not by any compiler here.
                Some(gimli::Pointer::Indirect(_)) => return None,
            };
            let start = entry.initial_address();
            let code = start..start.saturating_add(entry.len());
            let is_stub = stubs.iter().any(|stubs| stubs.contains(&start));
            if image.is_code(start) && !code.is_empty() && !is_stub {
                found.push(Frame { code, exceptions });
            }
        }
    }
    found.sort_by_key(|frame| (frame.code.start, frame.code.end));
    let disjoint = found
        .windows(2)
        .all(|pair| pair[0].code.end <= pair[1].code.start);
    disjoint.then_some(found)
}

/// Names of functions, where they decide how control flows.
struct Names {
    /// By the address of the cell that the dynamic linker fills with the function's address.
    cells: BTreeMap<u64, String>,
    /// Addresses of functions that may return more than once.
    returns_twice: BTreeSet<u64>,
    /// First addresses of the rarely executed pieces of functions.
    cold: BTreeSet<u64>,
}

/// Functions to whose calls control may come back later.
fn returns_twice(name: &str) -> bool {
    let plain = name.split('@').next().unwrap_or_default().trim_start_matches('_');
    matches!(
        plain,
        "setjmp" | "sigsetjmp" | "savectx" | "vfork" | "getcontext" | "swapcontext" | "returns_twice"
    )
}

impl Names {
    fn new(image: &Image<'_>) -> Self {
        let mut names = Self {
            cells: BTreeMap::new(),
            returns_twice: BTreeSet::new(),
            cold: BTreeSet::new(),
        };
        for symbol in image.file.symbols().chain(image.file.dynamic_symbols()) {
            let Ok(name) = symbol.name() else { continue };
            if returns_twice(name) && symbol.address() != 0 {
                names.returns_twice.insert(symbol.address());
            }
            if name.contains(".cold") {
                names.cold.insert(symbol.address());
            }
        }
        let symbols = image.file.dynamic_symbol_table();
        for (address, relocation) in image.file.dynamic_relocations().into_iter().flatten() {
            if let RelocationTarget::Symbol(index) = relocation.target()
                && let Some(symbols) = &symbols
                && let Ok(symbol) = object::ObjectSymbolTable::symbol_by_index(symbols, index)
                && let Ok(name) = symbol.name()
            {
                names.cells.insert(address, name.to_owned());
            }
        }
        names
    }

    /// The name of the function that a stub of the linkage table leads to.
    fn of_stub(&self, image: &Image<'_>, address: u64) -> Option<&str> {
        let bytes = image.bytes_from(address)?;
        let mut decoder = Decoder::with_ip(64, &bytes[..bytes.len().min(32)], address, DecoderOptions::NONE);
        // `endbr64` may stand in front of the jump.
        for _ in 0..2 {
            let instruction = decoder.decode();
            if instruction.is_jmp_near_indirect() {
                return self.of_cell(&instruction);
            }
        }
        None
    }

    /// The name of the function whose address an instruction reads.
    fn of_cell(&self, instruction: &Instruction) -> Option<&str> {
        let reads = instruction.op0_kind() == OpKind::Memory && instruction.is_ip_rel_memory_operand();
        let cell = reads.then(|| instruction.ip_rel_memory_address())?;
        self.cells.get(&cell).map(String::as_str)
    }
}

/// What an instruction calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Callee {
    /// A function of this file.
    Here(u64),
    /// A function of MPI, which returns.
    Returns,
    Unknown,
}

/// One instruction that is reached.
struct Step {
    end: u64,
    /// It may go on to the next one.
    falls: bool,
    call: Option<Callee>,
    /// Where it may jump to.
    jumps: Vec<u64>,
    /// It may jump to an address that is computed, and no table of jumps.
    jumps_anywhere: bool,
    /// It returns to the caller.
    returns: bool,
    effects: Vec<(u8, RegisterEffect)>,
    copies: Copies,
}

/// A piece of code, decoded.
struct Piece {
    steps: BTreeMap<u64, Step>,
    pads: Vec<LandingPad>,
}

impl Piece {
    /// Where it leads other than by going on.
    fn targets(&self) -> impl Iterator<Item = u64> + '_ {
        let jumps = self.steps.values().flat_map(|step| &step.jumps).copied();
        jumps.chain(self.pads.iter().map(|pad| pad.pad))
    }
}

/// Decodes what is reached of a piece from its start and from where it is `entered`; `None` if it cannot be told what is.
fn decode(file: &File<'_, '_>, frame: &Frame, entered: &BTreeSet<u64>) -> Option<Piece> {
    let pads = match frame.exceptions {
        None => Vec::new(),
        Some(address) => landing_pads(file.image, address, frame.code.start)?,
    };
    let length = usize::try_from(frame.code.end - frame.code.start).ok()?;
    let bytes = file.image.code_at(frame.code.start, length)?;
    let mut piece = Piece {
        steps: BTreeMap::new(),
        pads,
    };
    let mut work = vec![frame.code.start];
    work.extend(entered);
    let inside = |address: &u64| frame.code.contains(address);
    work.extend(piece.pads.iter().map(|pad| pad.pad).filter(inside));
    let mut tables = Tables::default();
    loop {
        while let Some(start) = work.pop() {
            run(file, frame, bytes, start, &mut piece, &mut tables, &mut work)?;
        }
        // Which tables there are is known when all code is.
        if !tables.resolve(file, frame, &mut piece, &mut work)? {
            break;
        }
    }
    // Instructions that overlap were not all meant.
    let mut last = 0;
    for (&address, step) in &piece.steps {
        if address < last {
            return None;
        }
        last = step.end;
    }
    Some(piece)
}

/// Decodes from `start` until control leaves the run of instructions.
fn run(
    file: &File<'_, '_>,
    frame: &Frame,
    bytes: &[u8],
    start: u64,
    piece: &mut Piece,
    tables: &mut Tables,
    work: &mut Vec<u64>,
) -> Option<()> {
    let offset = usize::try_from(start - frame.code.start).ok()?;
    let mut decoder = Decoder::with_ip(64, bytes.get(offset..)?, start, DecoderOptions::NONE);
    let mut factory = InstructionInfoFactory::new();
    let mut before: Option<Instruction> = None;
    while decoder.can_decode() && !piece.steps.contains_key(&decoder.ip()) {
        let instruction = decoder.decode();
        if instruction.is_invalid() || piece.steps.len() >= MOST_INSTRUCTIONS {
            return None;
        }
        if let Some(before) = before
            && let Some(step) = piece.steps.get_mut(&before.ip())
        {
            step.copies.compared = compared(&before, &instruction);
        }
        tables.note(file, &instruction);
        let mut step = step(file, &instruction, tables)?;
        if step.call.is_none() {
            step.effects = effects(&mut factory, &instruction);
            step.copies = copies(&mut factory, &instruction);
        }
        work.extend(step.jumps.iter().filter(|target| frame.code.contains(target)));
        let falls = step.falls;
        piece.steps.insert(instruction.ip(), step);
        if !falls {
            return Some(());
        }
        before = Some(instruction);
    }
    Some(())
}

/// Where control goes from an instruction; `None` if that is not known.
fn step(file: &File<'_, '_>, instruction: &Instruction, tables: &mut Tables) -> Option<Step> {
    let mut step = Step {
        end: instruction.next_ip(),
        falls: true,
        call: None,
        jumps: Vec::new(),
        jumps_anywhere: false,
        returns: false,
        effects: Vec::new(),
        copies: Copies::default(),
    };
    match instruction.flow_control() {
        FlowControl::Next | FlowControl::Interrupt => {}
        FlowControl::Call if instruction.is_call_near() => {
            let target = instruction.near_branch_target();
            step.call = Some(callee(file, target)?);
        }
        // A system call.
        FlowControl::Call => {}
        FlowControl::IndirectCall => {
            let name = file.names.of_cell(instruction);
            step.call = Some(match name {
                Some(name) if returns_twice(name) => return None,
                Some(name) if is_mpi(name) => Callee::Returns,
                _ => Callee::Unknown,
            });
        }
        FlowControl::ConditionalBranch => step.jumps.push(instruction.near_branch_target()),
        FlowControl::UnconditionalBranch => {
            step.falls = false;
            step.jumps.push(instruction.near_branch_target());
        }
        FlowControl::Return => (step.falls, step.returns) = (false, true),
        // `ud2` and the like.
        FlowControl::Exception => step.falls = false,
        FlowControl::IndirectBranch => {
            step.falls = false;
            if file.names.of_cell(instruction).is_none() {
                step.jumps_anywhere = true;
                tables.jumps.push(instruction.ip());
            }
        }
        FlowControl::XbeginXabortXend => return None,
    }
    Some(step)
}

/// Whom a call of an address calls; `None` for what may return twice.
fn callee(file: &File<'_, '_>, target: u64) -> Option<Callee> {
    if file.names.returns_twice.contains(&target) {
        return None;
    }
    if file
        .frame_at(target)
        .is_some_and(|at| file.frames[at].code.start == target)
    {
        return Some(Callee::Here(target));
    }
    match file.names.of_stub(file.image, target) {
        Some(name) if returns_twice(name) => None,
        Some(name) if is_mpi(name) => Some(Callee::Returns),
        _ => Some(Callee::Unknown),
    }
}

/// Whether a name is that of a function of MPI that returns.
fn is_mpi(name: &str) -> bool {
    let name = name.split('@').next().unwrap_or_default();
    base::is_mpi(name) && base::mpi_name(name) != "MPI_Abort"
}

/// Tables of jumps: what a `switch` becomes.
#[derive(Default)]
struct Tables {
    /// Addresses of data that instructions compute or use as a table.
    relative: BTreeSet<u64>,
    absolute: BTreeSet<u64>,
    /// Jumps to computed addresses.
    jumps: Vec<u64>,
    /// Where the tables that are known lead.
    targets: BTreeSet<u64>,
}

impl Tables {
    fn note(&mut self, file: &File<'_, '_>, instruction: &Instruction) {
        let is_data = |address: &u64| !file.image.is_code(*address) && file.image.is_loaded(*address);
        if instruction.mnemonic() == iced_x86::Mnemonic::Lea && instruction.is_ip_rel_memory_operand() {
            self.relative
                .extend(Some(instruction.ip_rel_memory_address()).filter(is_data));
        }
        let has_memory = (0..instruction.op_count()).any(|at| instruction.op_kind(at) == OpKind::Memory);
        if has_memory
            && instruction.memory_base() == Register::None
            && instruction.memory_index() != Register::None
            && instruction.memory_index_scale() == 8
        {
            self.absolute
                .extend(Some(instruction.memory_displacement64()).filter(is_data));
        }
    }

    /// Finds where jumps to computed addresses lead. Whether there is more to decode; `None` if a table cannot be told from what
    /// follows it.
    fn resolve(
        &mut self,
        file: &File<'_, '_>,
        frame: &Frame,
        piece: &mut Piece,
        work: &mut Vec<u64>,
    ) -> Option<bool> {
        if self.jumps.is_empty() {
            return Some(false);
        }
        let mut targets = BTreeSet::new();
        // Where another table or a text begins, this one has ended.
        let next = |table: u64| {
            let data = [&self.relative, &self.absolute];
            let next = data.map(|data| data.range(table + 1..).next().copied());
            next.into_iter().flatten().min().unwrap_or(u64::MAX)
        };
        for &table in &self.relative {
            let entry = |bytes: [u8; 4]| table.wrapping_add_signed(i32::from_le_bytes(bytes).into());
            entries(file, frame, table..next(table), &entry, &mut targets)?;
        }
        for &table in &self.absolute {
            entries(file, frame, table..next(table), &u64::from_le_bytes, &mut targets)?;
        }
        for &jump in &self.jumps {
            if let Some(step) = piece.steps.get_mut(&jump) {
                step.jumps = targets.iter().copied().collect();
                step.jumps_anywhere = targets.is_empty();
            }
        }
        if targets == self.targets {
            return Some(false);
        }
        work.extend(targets.iter().filter(|target| frame.code.contains(target)));
        self.targets = targets;
        Some(true)
    }
}

/// Reads a table of jumps up to the first entry that leads out of the function.
fn entries<const N: usize>(
    file: &File<'_, '_>,
    frame: &Frame,
    table: Range<u64>,
    target: &dyn Fn([u8; N]) -> u64,
    found: &mut BTreeSet<u64>,
) -> Option<()> {
    let Some(bytes) = file.image.bytes_from(table.start) else {
        return Some(());
    };
    let length = usize::try_from(table.end - table.start).unwrap_or(usize::MAX);
    let bytes = &bytes[..length.min(bytes.len())];
    let belongs = |address: u64| {
        let cold = || {
            let at = file.frame_at(address)?;
            Some(file.names.cold.contains(&file.frames[at].code.start))
        };
        frame.code.contains(&address) || cold().unwrap_or(false)
    };
    for (at, entry) in bytes.as_chunks::<N>().0.iter().enumerate() {
        let address = target(*entry);
        if !belongs(address) {
            return Some(());
        }
        if at == MOST_ENTRIES {
            return None;
        }
        found.insert(address);
    }
    Some(())
}

/// Puts the pieces together to functions, and these into one graph.
fn assemble(file: &File<'_, '_>, pieces: &[Option<Piece>]) -> MachineCode {
    let functions = functions(file, pieces);
    let mut leaves = Leaves {
        file,
        pieces,
        function_of: &functions,
        returns: BTreeMap::new(),
    };
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (piece, &function) in functions.iter().enumerate() {
        members.entry(function).or_default().push(piece);
    }
    let mut parts: Vec<FunctionBlocks> = Vec::new();
    for members in members.values() {
        let whole: Option<Vec<(&Frame, &Piece)>> = members
            .iter()
            .map(|&at| Some((&file.frames[at], pieces[at].as_ref()?)))
            .collect();
        let Some(whole) = whole else { continue };
        let calls = whole
            .iter()
            .any(|(_, piece)| piece.steps.values().any(|step| step.call.is_some()));
        if calls {
            let again = leaves.may_be_entered_again(functions[members[0]], members);
            parts.extend(blocks(&whole, again, &mut |callee| leaves.returns(callee)));
        }
    }
    number(parts)
}

/// For each piece, the first piece of its function: those are one between which code jumps into the middle.
fn functions(file: &File<'_, '_>, pieces: &[Option<Piece>]) -> Vec<usize> {
    let mut sets = petgraph::unionfind::UnionFind::<usize>::new(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        let Some(piece) = piece else { continue };
        for target in piece.targets() {
            if let Some(other) = file.frame_at(target).filter(|&other| other != at) {
                let begins = file.frames[other].code.start;
                // A rarely executed piece is one of its function whether or not it comes back.
                if target != begins || file.names.cold.contains(&begins) {
                    sets.union(at, other);
                }
            }
        }
    }
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    (0..pieces.len())
        .map(|at| *first.entry(sets.find(at)).or_insert(at))
        .collect()
}

/// What becomes of a function's frame in the end.
struct Leaves<'f, 'i, 'a> {
    file: &'f File<'i, 'a>,
    pieces: &'f [Option<Piece>],
    /// By piece.
    function_of: &'f [usize],
    /// By piece: whether it returns to its caller somewhere.
    returns: BTreeMap<usize, bool>,
}

impl Leaves<'_, '_, '_> {
    /// Whether a call may come back.
    fn returns(&mut self, callee: Callee) -> bool {
        match callee {
            Callee::Returns => true,
            Callee::Unknown => false,
            Callee::Here(address) => self.file.frame_at(address).is_some_and(|at| {
                let pieces = self.pieces;
                let has_return = || {
                    let mut steps = pieces[at].iter().flat_map(|piece| piece.steps.values());
                    steps.any(|step| step.returns)
                };
                *self.returns.entry(at).or_insert_with(has_return)
            }),
        }
    }

    /// Whether tail calls may lead from a function to itself: its frame would then be that of a later call.
    fn may_be_entered_again(&self, function: usize, members: &[usize]) -> bool {
        let mut seen = BTreeSet::new();
        let mut work = members.to_vec();
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            // Of what is not decoded it is not known where it leads.
            let Some(piece) = &self.pieces[at] else {
                return true;
            };
            for step in piece.steps.values() {
                if step.jumps_anywhere {
                    return true;
                }
                for &target in &step.jumps {
                    match self.file.frame_at(target) {
                        Some(other) if self.function_of[other] == self.function_of[at] => work.push(other),
                        Some(other) if self.function_of[other] == function => return true,
                        Some(other) => work.push(other),
                        // A stub leads to another file, which does not jump back.
                        None if self.file.names.of_stub(self.file.image, target).is_some() => {}
                        None => return true,
                    }
                }
            }
        }
        false
    }
}

/// The blocks of one function, with ways between addresses at which blocks begin.
struct FunctionBlocks {
    blocks: Vec<Range<u64>>,
    ways: Vec<(u64, u64, bool)>,
    changes: Vec<(u64, u8, RegisterEffect)>,
}

/// What the instructions of a function do to registers that calls preserve, where copies in other registers are looked through: `j = i + 1; if (j == n) break;
/// i = j` adds one to `i`, wherever `j` is. Copies are followed as long as control comes from one instruction to the next.
fn with_copies(
    whole: &[(&Frame, &Piece)],
    jumped_to: &BTreeSet<u64>,
) -> BTreeMap<u64, Vec<(u8, RegisterEffect)>> {
    let mut found: BTreeMap<u64, Vec<(u8, RegisterEffect)>> = BTreeMap::new();
    for (_, piece) in whole {
        // By register: which one that calls preserve it was made of, what was added, and whether in 32 bits.
        let mut copied: [Option<(u8, i64, bool)>; 16] = [None; 16];
        let mut follows = None;
        for (&address, step) in &piece.steps {
            if follows != Some(address) || jumped_to.contains(&address) {
                copied = [None; 16];
            }
            follows = step.falls.then_some(step.end);
            let origin = |copied: &[Option<(u8, i64, bool)>; 16], register: u8| {
                let itself = preserved_number(register).map(|_| (register, 0, false));
                copied[usize::from(register)].or(itself)
            };
            let mut effects = step.effects.clone();
            let made = step.copies.copy.and_then(|copy| {
                let (from, add, half) = origin(&copied, copy.from)?;
                Some((copy.to, (from, add.checked_add(copy.add)?, half || copy.half)))
            });
            if let Some((to, (from, add, half))) = made
                && let (Some(to), Some(from)) = (preserved_number(to), preserved_number(from))
            {
                let effect = match (to == from, add) {
                    (true, 0) => RegisterEffect::Other,
                    (true, step) => RegisterEffect::Add { step, half },
                    (false, add) => RegisterEffect::Copy { from, add, half },
                };
                if let Some((_, known)) = effects.iter_mut().find(|(register, _)| *register == to) {
                    *known = effect;
                }
            }
            for &(register, bound) in &step.copies.compared {
                let of = origin(&copied, register).and_then(|(from, ..)| preserved_number(from));
                effects.extend(of.map(|register| (register, bound)));
            }
            // A call preserves some registers and leaves anything in the others.
            let changed = if step.call.is_some() {
                !PRESERVED
            } else {
                step.copies.changed
            };
            for register in (0..16u8).filter(|register| changed >> register & 1 == 1) {
                copied[usize::from(register)] = None;
                for known in &mut copied {
                    if known.is_some_and(|(from, ..)| from == register) {
                        *known = None;
                    }
                }
            }
            if let Some((to, (from, add, half))) = made.filter(|(to, (from, ..))| to != from) {
                copied[usize::from(to)] = Some((from, add, half));
            }
            if !effects.is_empty() {
                found.insert(address, effects);
            }
        }
    }
    found
}

/// One bit for each register that calls preserve, by the numbers of the instruction set: rbx, rsp, rbp, r12 to r15.
const PRESERVED: u16 = 0b1111_0000_0011_1000;

/// Cuts a function into blocks; `None` if a way leads into the middle of an instruction. `again`: it may be entered anew without having
/// been left.
fn blocks(
    whole: &[(&Frame, &Piece)],
    again: bool,
    returns: &mut dyn FnMut(Callee) -> bool,
) -> Option<FunctionBlocks> {
    let find = |address: u64| whole.iter().find_map(|(_, piece)| piece.steps.get(&address));
    let inside = |address: u64| whole.iter().any(|(frame, _)| frame.code.contains(&address));
    let steps = || whole.iter().flat_map(|(_, piece)| &piece.steps);
    let mut jumped_to: BTreeSet<u64> = BTreeSet::new();
    for (_, step) in steps() {
        jumped_to.extend(step.jumps.iter().filter(|&&target| inside(target)));
    }
    for (frame, piece) in whole {
        jumped_to.extend(piece.pads.iter().map(|pad| pad.pad).filter(|&pad| inside(pad)));
        jumped_to.insert(frame.code.start);
    }
    if jumped_to.iter().any(|&target| find(target).is_none()) {
        return None;
    }
    let effects = with_copies(whole, &jumped_to);
    let effects_at = |address: u64| effects.get(&address).map_or(&[][..], Vec::as_slice);
    // What is only set or compared matters for registers alone that are counted with somewhere.
    let counted: BTreeSet<u8> = effects
        .values()
        .flatten()
        .filter(|(_, effect)| effect.counts())
        .map(|&(register, _)| register)
        .collect();
    let matters = |address: u64| {
        effects_at(address)
            .iter()
            .any(|(register, _)| counted.contains(register))
    };
    let mut found = FunctionBlocks {
        blocks: Vec::new(),
        ways: Vec::new(),
        changes: Vec::new(),
    };
    let starts = Vec::from_iter(whole.iter().map(|(frame, _)| frame.code.start));
    for (_, piece) in whole {
        let mut start = None;
        let mut follows = None;
        for (&address, step) in &piece.steps {
            let begin = *start.get_or_insert(address);
            debug_assert!(follows.is_none_or(|follows| follows == address) || begin == address);
            let next = find(step.end);
            let ends = !step.falls
                || step.call.is_some()
                || !step.jumps.is_empty()
                || jumped_to.contains(&step.end)
                || matters(address)
                || next.is_none()
                || matters(step.end);
            follows = Some(step.end);
            if !ends {
                continue;
            }
            start = None;
            found.blocks.push(begin..step.end);
            for &(register, effect) in effects_at(address)
                .iter()
                .filter(|(register, _)| counted.contains(register))
            {
                found.changes.push((begin, register, effect));
            }
            if step.falls && next.is_some() {
                let certain = match step.call {
                    None => true,
                    Some(callee) => !jumped_to.contains(&step.end) || returns(callee),
                };
                found.ways.push((begin, step.end, certain));
            }
            let targets = step.jumps.iter().copied().filter(|&target| inside(target));
            found.ways.extend(targets.map(|target| (begin, target, true)));
            let leaves = !step.falls && step.jumps.iter().all(|&target| !inside(target));
            if again && leaves {
                found
                    .ways
                    .extend(starts.iter().map(|&entry| (begin, entry, true)));
            }
            if step.call.is_some() {
                let within = step.end - 1;
                let pads = { piece.pads.iter() }.filter(|pad| pad.calls.contains(&within) && inside(pad.pad));
                found.ways.extend(pads.map(|pad| (begin, pad.pad, true)));
            }
        }
    }
    Some(found)
}

/// Notes where a register that is counted with holds a variable of 32 bits with a sign: the language forbids that it leaves its type.
pub(crate) fn note_signed(code: &mut MachineCode, variables: &[BoundVariable]) {
    let mut found = Vec::new();
    for variable in variables
        .iter()
        .filter(|variable| variable.encoding == Encoding::Signed(4))
    {
        for location in variable.locations.iter().filter(|_| variable.path.is_empty()) {
            // DW_OP_reg0 to DW_OP_reg31, and nothing else.
            let [operation @ 0x50..=0x6f] = location.expression[..] else {
                continue;
            };
            let register = operation - 0x50;
            let first = code.blocks.partition_point(|block| block.end < location.start);
            let blocks = (first..).zip(&code.blocks[first..]);
            for (at, _) in { blocks }.take_while(|(_, block)| block.start <= location.end) {
                let Ok(block) = u32::try_from(at) else { break };
                let mut changes = code.changes_of(block).iter();
                if changes.any(|change| change.register == register && change.effect.counts()) {
                    let effect = RegisterEffect::Bounded {
                        half: true,
                        steps: true,
                    };
                    found.push(RegisterChange {
                        block,
                        register,
                        effect,
                    });
                }
            }
        }
    }
    code.changes.extend(found);
    code.changes.sort_unstable();
    code.changes.dedup();
}

/// Numbers the blocks of all functions.
fn number(functions: Vec<FunctionBlocks>) -> MachineCode {
    let mut ranges: Vec<(u64, u64, usize)> = Vec::new();
    for (function, blocks) in functions.iter().enumerate() {
        ranges.extend(
            blocks
                .blocks
                .iter()
                .map(|block| (block.start, block.end, function)),
        );
    }
    ranges.sort_unstable();
    let mut first: Vec<Option<u32>> = vec![None; functions.len()];
    let mut blocks = Vec::with_capacity(ranges.len());
    for (number, &(start, end, function)) in (0u32..).zip(&ranges) {
        let function = *first[function].get_or_insert(number);
        blocks.push(CodeBlock { start, end, function });
    }
    let block = |address: u64| {
        let at = blocks.binary_search_by_key(&address, |block| block.start).ok()?;
        u32::try_from(at).ok()
    };
    let mut ways: Vec<CodeWay> = Vec::new();
    let mut changes: Vec<RegisterChange> = Vec::new();
    for function in &functions {
        for &(from, to, certain) in &function.ways {
            if let (Some(from), Some(to)) = (block(from), block(to)) {
                ways.push(CodeWay { from, to, certain });
            }
        }
        for &(at, register, effect) in &function.changes {
            if let Some(block) = block(at) {
                changes.push(RegisterChange {
                    block,
                    register,
                    effect,
                });
            }
        }
    }
    ways.sort_unstable();
    ways.dedup();
    changes.sort_unstable();
    changes.dedup();
    MachineCode {
        blocks,
        ways,
        changes,
    }
}
