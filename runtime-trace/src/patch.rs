//! Code of the program while it is changed, and memory near it that its calls and jumps reach.

#![expect(unsafe_code, reason = "the program's code is changed")]

use crate::stubs;
use crate::system::{self, MemoryAt, PAGE};
use runtime_loader::with_file_of;

/// Bytes of a call or jump to what is near.
pub(crate) const JUMP: usize = 5;

/// Bytes of a jump to anywhere, with its address.
const FAR_JUMP: usize = 16;
/// A call reaches no further than two gigabytes, and the code that calls is large, too.
const FURTHEST: usize = 1 << 30;
/// Steps in which room is looked for.
const STEP: usize = 1 << 16;

/// Where places of the program are to call: jumps to here from near them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// A function begins at the place.
    pub(crate) begin: usize,
    /// A function begins whose address stands in front of the place.
    pub(crate) begin_elsewhere: usize,
    /// A function ends.
    pub(crate) end: usize,
}

/// Memory near the program's code that becomes code itself.
pub(crate) struct Room {
    memory: MemoryAt,
    /// The jumps at its beginning.
    pub(crate) near: Near,
    used: usize,
}

impl Room {
    /// So many bytes of room near code that begins here, behind the jumps; none if there is none.
    pub(crate) fn new(lowest: usize, bytes: usize) -> Option<Self> {
        let here = stubs::all();
        let bytes = (here.len() * FAR_JUMP + bytes).next_multiple_of(PAGE);
        // Below the program: above it grows its heap. One that is loaded far below has no room there but far above.
        let below =
            (1..FURTHEST / STEP).map_while(|step| (lowest & !(STEP - 1)).checked_sub(step * STEP + bytes));
        let above = (0..FURTHEST / 2 / STEP)
            .map_while(|step| (lowest & !(STEP - 1)).checked_add(FURTHEST + FURTHEST / 2 - step * STEP));
        let mut memory = below.chain(above).find_map(|at| system::memory_at(at, bytes))?;
        for (jump, target) in memory.bytes().chunks_mut(FAR_JUMP).zip(here) {
            // jmp *0(%rip), and the address.
            jump[..6].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
            jump[6..14].copy_from_slice(&target.to_le_bytes());
        }
        let [begin, begin_elsewhere, end] = std::array::from_fn(|at| memory.start() + at * FAR_JUMP);
        Some(Self {
            memory,
            near: Near {
                begin,
                begin_elsewhere,
                end,
            },
            used: here.len() * FAR_JUMP,
        })
    }

    /// Where the next bytes will stand.
    pub(crate) fn next(&self) -> usize {
        self.memory.start() + self.used
    }

    /// Puts bytes there. Whether there is room.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        let Some(room) = self.memory.bytes().get_mut(self.used..self.used + bytes.len()) else {
            return false;
        };
        room.copy_from_slice(bytes);
        self.used += bytes.len();
        true
    }

    /// Makes code of it, for ever. Whether the system lets that be.
    pub(crate) fn make_code(self) -> bool {
        self.memory.make_code()
    }
}

/// A file's code while it is changed: read and execute again when it is dropped.
pub(crate) struct Writable {
    start: usize,
    bytes: usize,
}

impl Writable {
    /// The pages of these bytes; none if they are not code of one part of one file, or the system forbids it.
    pub(crate) fn new(first: usize, last: usize) -> Option<Self> {
        let start = first & !(PAGE - 1);
        let bytes = (last + 1).next_multiple_of(PAGE) - start;
        // Between two parts of code may lie data, which has to stay writable.
        if with_file_of(first, |file| file.is_code(first, last)) != Some(true) {
            return None;
        }
        // SAFETY: all of it is code of a process that has one thread, and that is here.
        let is_writable = unsafe { system::protect(start, bytes, libc::PROT_READ | libc::PROT_WRITE) };
        is_writable.then_some(Self { start, bytes })
    }

    pub(crate) fn at(&mut self, at: usize, bytes: usize) -> Option<&mut [u8]> {
        if at < self.start || at + bytes > self.start + self.bytes {
            return None;
        }
        // SAFETY: the bytes lie in pages that are writable as long as this lives, and nobody else has them: no two places overlap, and one is looked at at a time.
        Some(unsafe { std::slice::from_raw_parts_mut(at as *mut u8, bytes) })
    }
}

impl Drop for Writable {
    fn drop(&mut self) {
        // SAFETY: as in `new`.
        unsafe { system::protect(self.start, self.bytes, libc::PROT_READ | libc::PROT_EXEC) };
    }
}
