//! The registers of one frame, by DWARF number (System V ABI, x86-64): what is known, and nothing else.
//!
//! A value may be unknown for two reasons, which lead to different things: callees have overwritten it (it is gone), or the thread
//! was read in its sleep, where the kernel shows only some registers (a stop would show it).

use crate::evaluate::Unknown;
use crate::state::Call;

/// Number of general registers that are followed from frame to frame, the program counter included.
pub(crate) const GENERAL: usize = 17;
/// The base pointer.
pub(crate) const RBP: u16 = 6;
/// The stack pointer.
pub(crate) const RSP: u16 = 7;
/// The program counter; DWARF calls the column "return address".
pub(crate) const RIP: u16 = 16;
/// DWARF number of xmm0.
const XMM0: u16 = 17;

/// What is known of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Content {
    /// Its value.
    Known(u64),
    /// Callees were free to overwrite it and did not save it.
    #[default]
    Unsaved,
    /// It is as it was when the thread fell asleep, and was not read: nobody stopped the thread.
    Unread,
}

impl Content {
    fn value(self) -> Option<u64> {
        match self {
            Content::Known(value) => Some(value),
            Content::Unsaved | Content::Unread => None,
        }
    }
}

impl From<Option<u64>> for Content {
    fn from(value: Option<u64>) -> Self {
        value.map_or(Content::Unsaved, Content::Known)
    }
}

/// xmm0 to xmm15. Only the innermost frame has them: no callee preserves them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Vectors {
    Known(Box<[u8; 256]>),
    #[default]
    Unsaved,
    Unread,
}

/// Registers of one frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    general: [Content; GENERAL],
    vector: Vectors,
}

impl Registers {
    /// The registers of a stopped task.
    pub(crate) fn of_task(raw: &libc::user_regs_struct, vector: Option<Box<[u8; 256]>>) -> Registers {
        let general = [
            raw.rax, raw.rdx, raw.rcx, raw.rbx, raw.rsi, raw.rdi, raw.rbp, raw.rsp, raw.r8, raw.r9, raw.r10,
            raw.r11, raw.r12, raw.r13, raw.r14, raw.r15, raw.rip,
        ];
        Registers {
            general: general.map(Content::Known),
            vector: vector.map_or(Vectors::Unsaved, Vectors::Known),
        }
    }

    /// The registers of a thread that sleeps in a system call, as far as the kernel shows them: where it is, its stack, and
    /// what it gave to the call, which the call leaves as it is.
    pub(crate) fn of_sleeper(call: &Call) -> Registers {
        // rdi, rsi, rdx, r10, r8, r9: where a call finds its arguments.
        const ARGUMENTS: [u16; 6] = [5, 4, 1, 10, 8, 9];
        let mut registers = Registers {
            general: [Content::Unread; GENERAL],
            vector: Vectors::Unread,
        };
        let [stack_pointer, program_counter] = call.registers;
        registers.set(RSP, Some(stack_pointer));
        registers.set(RIP, Some(program_counter));
        for (register, value) in ARGUMENTS.into_iter().zip(call.arguments) {
            registers.set(register, Some(value));
        }
        registers
    }

    /// The registers of a thread of a core file, in the kernel's order: that of `user_regs_struct`.
    pub(crate) fn of_core(words: &[u64; 27]) -> Registers {
        // rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.
        const PLACES: [usize; GENERAL] = [10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16];
        Registers {
            general: PLACES.map(|place| Content::Known(words[place])),
            vector: Vectors::Unsaved,
        }
    }

    /// Adds xmm0 to xmm15.
    pub(crate) fn set_vectors(&mut self, vector: Box<[u8; 256]>) {
        self.vector = Vectors::Known(vector);
    }

    /// A general register, if known.
    pub(crate) fn get(&self, register: u16) -> Option<u64> {
        self.content(register).value()
    }

    /// What is known of a general register; of others nothing is.
    pub(crate) fn content(&self, register: u16) -> Content {
        self.general
            .get(usize::from(register))
            .copied()
            .unwrap_or_default()
    }

    /// A general register, or why it is not known.
    pub(crate) fn require(&self, register: u16) -> Result<u64, Unknown> {
        match self.content(register) {
            Content::Known(value) => Ok(value),
            Content::Unsaved => Err(Unknown::NotSaved(register)),
            Content::Unread => Err(Unknown::NotRead(register)),
        }
    }

    /// Sets or forgets a general register; others are ignored.
    pub(crate) fn set(&mut self, register: u16, value: Option<u64>) {
        self.put(register, value.into());
    }

    /// The same for what another frame knows of it.
    pub(crate) fn put(&mut self, register: u16, content: Content) {
        if let Some(place) = self.general.get_mut(usize::from(register)) {
            *place = content;
        }
    }

    /// The bytes of a register of any kind, lowest first, or why they are not known.
    pub(crate) fn bytes(&self, register: u16) -> Result<Vec<u8>, Unknown> {
        let Some(number) = register.checked_sub(XMM0).map(usize::from) else {
            return Ok(self.require(register)?.to_le_bytes().to_vec());
        };
        match &self.vector {
            Vectors::Known(bytes) => {
                let value = bytes.get(number * 16..number * 16 + 16);
                value.map(<[u8]>::to_vec).ok_or(Unknown::NotSaved(register))
            }
            Vectors::Unread if number < 16 => Err(Unknown::NotRead(register)),
            Vectors::Unread | Vectors::Unsaved => Err(Unknown::NotSaved(register)),
        }
    }
}

/// Whether a function must preserve the register for its caller (rbx, rbp, r12 to r15).
pub(crate) fn callee_saved(register: u16) -> bool {
    matches!(register, 3 | RBP | 12..=15)
}

/// The assembler's name of a register, for messages.
pub(crate) fn name(register: u16) -> String {
    const NAMES: [&str; GENERAL] = [
        "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14", "r15", "rip",
    ];
    match NAMES.get(usize::from(register)) {
        Some(name) => (*name).to_owned(),
        None if (XMM0..XMM0 + 16).contains(&register) => format!("xmm{}", register - XMM0),
        None => format!("register {register}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleeper_shows_where_it_is_and_what_it_passed() {
        let registers = Registers::of_sleeper(&Call {
            number: 0,
            arguments: [3, 0x7000, 8, 4, 5, 6],
            registers: [0x7ff0, 0x40_1000],
        });
        let known = [
            (RSP, 0x7ff0),
            (RIP, 0x40_1000),
            (5, 3),
            (4, 0x7000),
            (1, 8),
            (10, 4),
            (8, 5),
            (9, 6),
        ];
        for (register, value) in known {
            assert_eq!(registers.require(register), Ok(value), "{}", name(register));
        }
        // rax, rcx, rbx, rbp, r11 to r15, and a vector register.
        for register in [0, 2, 3, RBP, 11, 12, 13, 14, 15, XMM0 + 15] {
            assert_eq!(registers.bytes(register), Err(Unknown::NotRead(register)));
        }
        assert_eq!(registers.bytes(XMM0 + 16), Err(Unknown::NotSaved(XMM0 + 16)));
        assert_eq!(Registers::default().bytes(3), Err(Unknown::NotSaved(3)));
    }
}
