//! The registers of one frame, by DWARF number (System V ABI, x86-64): what is known, and nothing else.

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

/// Registers of one frame. A register is absent when its value at that point is not known: callees were free to
/// overwrite it and did not save it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    general: [Option<u64>; GENERAL],
    /// xmm0 to xmm15. Only the innermost frame has them: no callee preserves them.
    vector: Option<Box<[u8; 256]>>,
}

impl Registers {
    /// The registers of a stopped task.
    pub(crate) fn of_task(raw: &libc::user_regs_struct, vector: Option<Box<[u8; 256]>>) -> Registers {
        let general = [
            raw.rax, raw.rdx, raw.rcx, raw.rbx, raw.rsi, raw.rdi, raw.rbp, raw.rsp, raw.r8, raw.r9, raw.r10,
            raw.r11, raw.r12, raw.r13, raw.r14, raw.r15, raw.rip,
        ];
        Registers {
            general: general.map(Some),
            vector,
        }
    }

    /// The registers of a thread of a core file, in the kernel's order: that of `user_regs_struct`.
    pub(crate) fn of_core(words: &[u64; 27]) -> Registers {
        // rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.
        const PLACES: [usize; GENERAL] = [10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16];
        Registers {
            general: PLACES.map(|place| Some(words[place])),
            vector: None,
        }
    }

    /// Adds xmm0 to xmm15.
    pub(crate) fn set_vectors(&mut self, vector: Box<[u8; 256]>) {
        self.vector = Some(vector);
    }

    /// A general register, if known.
    pub(crate) fn get(&self, register: u16) -> Option<u64> {
        self.general.get(usize::from(register)).copied().flatten()
    }

    /// Sets or forgets a general register; others are ignored.
    pub(crate) fn set(&mut self, register: u16, value: Option<u64>) {
        if let Some(place) = self.general.get_mut(usize::from(register)) {
            *place = value;
        }
    }

    /// The bytes of a register of any kind, lowest first, if known.
    pub(crate) fn bytes(&self, register: u16) -> Option<Vec<u8>> {
        if let Some(value) = self.get(register) {
            return Some(value.to_le_bytes().to_vec());
        }
        let start = usize::from(register.checked_sub(XMM0)?) * 16;
        Some(self.vector.as_ref()?.get(start..start + 16)?.to_vec())
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
