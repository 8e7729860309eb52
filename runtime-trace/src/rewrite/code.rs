//! The code of a file that is loaded: its functions, and every address that a jump may lead to.
//!
//! An address is *met* if an instruction of the code names it as where it jumps or calls, if data hold it, or if it is an entry of what may be a table of jumps: words of 32 bits
//! relative to an address of data that the code computes. More may be met than is ever jumped to; what is not met is reached from the instruction before it alone, or by an exception
//! that lands there, and there nothing is gone on to from before.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use std::collections::BTreeSet;
use std::ops::Range;

/// Entries of a table of jumps, at most.
const MOST_ENTRIES: usize = 1 << 16;

/// A function, or a piece of one that its compiler has put elsewhere because it is rarely executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where its code is.
    pub(super) code: Range<u64>,
    /// Its symbol.
    pub(super) name: String,
    /// The first piece of its function, itself included.
    pub(super) function: usize,
}

/// A jump from one piece of code to another, or a call of it behind its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Jump {
    pub(super) from: u64,
    pub(super) to: u64,
}

/// The code of a file.
pub(super) struct Code<'a> {
    /// Where it is loaded.
    start: u64,
    bytes: &'a [u8],
    /// Sorted, and none overlaps another.
    pub(super) pieces: Vec<Piece>,
    met: Bits,
    /// Of what is met, what no instruction jumps to or calls itself: entries of tables and what data hold.
    met_by_data: Bits,
    /// Addresses of code that an instruction computes.
    computed: BTreeSet<u64>,
    /// Jumps to other pieces than the one that they are in.
    pub(super) jumps: Vec<Jump>,
}

impl<'a> Code<'a> {
    /// The code that is loaded from `start` on, with its pieces, and all parts of the file that may hold data: linkers may put some between code.
    pub(super) fn new(start: u64, bytes: &'a [u8], pieces: Vec<Piece>, data: &[(u64, &[u8])]) -> Self {
        let mut code = Self {
            start,
            bytes,
            pieces,
            met: Bits::new(bytes.len()),
            met_by_data: Bits::new(bytes.len()),
            computed: BTreeSet::new(),
            jumps: Vec::new(),
        };
        let mut tables = BTreeSet::new();
        code.look_through(&mut tables);
        for &(_, bytes) in data {
            let (words, _) = bytes.as_chunks();
            for word in words {
                code.meet_by_data(u64::from_le_bytes(*word));
            }
        }
        for table in tables {
            code.follow(table, data);
        }
        code
    }

    /// Notes where all instructions lead.
    fn look_through(&mut self, tables: &mut BTreeSet<u64>) {
        let end = self.start + self.bytes.len() as u64;
        let mut begins = Vec::from_iter(self.pieces.iter().map(|piece| piece.code.start));
        begins.push(end);
        let mut at = self.start;
        // What lies between pieces is looked through as well: stubs, and functions without a size.
        for next in begins {
            for instruction in instructions(self.bytes, self.start, at..next) {
                self.note(&instruction, tables);
            }
            at = next;
        }
    }

    fn note(&mut self, instruction: &Instruction, tables: &mut BTreeSet<u64>) {
        match instruction.flow_control() {
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch | FlowControl::Call
                if instruction.near_branch_target() != 0 =>
            {
                let (from, to) = (instruction.ip(), instruction.near_branch_target());
                if let Some(at) = self.offset(to) {
                    self.met.set(at);
                }
                let begins = self.piece_at(to).map(|piece| self.pieces[piece].code.start);
                let is_call = instruction.flow_control() == FlowControl::Call;
                if self.piece_at(from) != self.piece_at(to) && !(is_call && begins == Some(to)) {
                    self.jumps.push(Jump { from, to });
                }
            }
            _ => {}
        }
        if instruction.mnemonic() == Mnemonic::Lea && instruction.is_ip_rel_memory_operand() {
            let address = instruction.ip_rel_memory_address();
            if let Some(at) = self.offset(address) {
                self.met.set(at);
                self.computed.insert(address);
            }
            tables.insert(address);
        }
    }

    /// Meets what a table at this address would lead to, up to the first word that leads out of the code.
    fn follow(&mut self, table: u64, data: &[(u64, &[u8])]) {
        let found = data
            .iter()
            .find_map(|&(start, bytes)| bytes.get(usize::try_from(table.checked_sub(start)?).ok()?..));
        let (words, _) = found.unwrap_or_default().as_chunks();
        for word in words.iter().take(MOST_ENTRIES) {
            let address = table.wrapping_add_signed(i32::from_le_bytes(*word).into());
            if self.offset(address).is_none() {
                return;
            }
            self.meet_by_data(address);
        }
    }

    fn meet_by_data(&mut self, address: u64) {
        if let Some(at) = self.offset(address) {
            self.met.set(at);
            self.met_by_data.set(at);
        }
    }

    fn offset(&self, address: u64) -> Option<usize> {
        let offset = usize::try_from(address.checked_sub(self.start)?).ok()?;
        (offset < self.bytes.len()).then_some(offset)
    }

    /// Whether something may lead to this address other than the instruction before it.
    pub(super) fn is_met(&self, address: u64) -> bool {
        self.offset(address).is_some_and(|at| self.met.get(at))
    }

    /// Whether a computed jump may lead into this code behind its first instruction.
    pub(super) fn may_be_computed(&self, code: &Range<u64>) -> bool {
        let inside = code.start + 1..code.end;
        let mut addresses = inside.clone().filter_map(|address| self.offset(address));
        self.computed.range(inside.clone()).next().is_some() || addresses.any(|at| self.met_by_data.get(at))
    }

    /// The piece that an address is in.
    pub(super) fn piece_at(&self, address: u64) -> Option<usize> {
        let at = self.pieces.partition_point(|piece| piece.code.start <= address);
        let at = at.checked_sub(1)?;
        self.pieces[at].code.contains(&address).then_some(at)
    }

    /// Instructions of a piece, and behind them what only fills up the room to the next one.
    pub(super) fn instructions(&self, piece: usize) -> Vec<Instruction> {
        let code = self.pieces[piece].code.clone();
        let end = self.start + self.bytes.len() as u64;
        let next = self.pieces.get(piece + 1).map_or(end, |next| next.code.start);
        let all = instructions(self.bytes, self.start, code.start..next);
        let is_own = |instruction: &Instruction| instruction.ip() < code.end || is_filling(instruction);
        all.take_while(is_own).collect()
    }
}

impl Code<'_> {
    /// Where there is only filling that nothing leads to, behind pieces that nothing goes on from.
    pub(super) fn filling(&self) -> Vec<Range<u64>> {
        let all = (0..self.pieces.len()).filter_map(|piece| {
            let end = self.pieces[piece].code.end;
            let instructions = self.instructions(piece);
            let own = instructions.partition_point(|instruction| instruction.ip() < end);
            let last = instructions.get(own.checked_sub(1)?)?;
            let goes_on = !matches!(
                last.flow_control(),
                FlowControl::Return | FlowControl::UnconditionalBranch | FlowControl::IndirectBranch
            );
            if goes_on || last.next_ip() != end {
                return None;
            }
            let until = instructions.last()?.next_ip();
            let until = (end..until)
                .find(|address| self.is_met(*address))
                .unwrap_or(until);
            Some(end..until)
        });
        all.collect()
    }
}

/// Whether an instruction does nothing, or ends the program, so that compilers fill room up with it.
pub(super) fn is_filling(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3)
}

/// The instructions in a range of code, one behind the other.
fn instructions(bytes: &[u8], start: u64, range: Range<u64>) -> impl Iterator<Item = Instruction> {
    let of = |address: u64| (address.saturating_sub(start) as usize).min(bytes.len());
    let bytes = bytes.get(of(range.start)..of(range.end)).unwrap_or_default();
    let mut decoder = Decoder::with_ip(64, bytes, range.start, DecoderOptions::NONE);
    std::iter::from_fn(move || decoder.can_decode().then(|| decoder.decode()))
}

/// A bit for each byte of code.
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn set(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn get(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 != 0
    }
}
