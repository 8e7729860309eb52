//! Places that a compiler has left for calls, and that cost next to nothing until there are calls.
//!
//! gcc (`-pg -mfentry -mnop-mcount -mrecord-mcount -minstrument-return=nop5 -mrecord-return`) leaves five bytes at the beginning and before each end of a function, and lists them in two sections of the program.
//! clang (`-fxray-instrument`) leaves *sleds* of eleven bytes and lists them in one (LLVM's `compiler-rt/lib/xray/xray_x86_64.cpp`). Where this process is traced they become calls, before the
//! program begins and while it has one thread: nobody executes what is being changed.
//!
//! A function's frame is told by where its return address stands. That is the same at its beginning and at each of its ends, so that no end needs to name its function.

#![expect(unsafe_code, reason = "the program's code is changed")]

use crate::process::{self, complain};
use crate::shadow::Entry;
use crate::system::{self, PAGE};
use crate::thread::{Call, call};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection};
use std::arch::global_asm;

/// What a place is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A function begins.
    Begin,
    /// It ends; the same place in what it calls last follows.
    End,
    /// It ends, and the sled is its return instruction.
    Return,
}

/// A place, relative to where the program is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    address: u64,
    kind: Kind,
}

/// Who made the places: what stands there tells how they are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Gcc,
    Clang,
}

/// Bytes of a call.
const CALL: usize = 5;
/// Bytes of a place of clang's.
const SLED: usize = 11;

/// What stands at a place that nobody has changed.
const NOTHING: [u8; CALL] = [0x0f, 0x1f, 0x44, 0, 0];
const JUMP_OVER: [u8; 2] = [0xeb, 9];
const RETURN: u8 = 0xc3;

/// The loader calls it before the program's own.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = at_start;

extern "C" fn at_start() {
    if !process::is_wanted() {
        return;
    }
    if let Err(why) = fill() {
        complain(why);
    }
}

/// Makes calls of all places of the program.
fn fill() -> Result<(), &'static [u8]> {
    let Ok(file) = std::fs::File::open("/proc/self/exe") else {
        return Ok(());
    };
    let file = object::ReadCache::new(file);
    let Ok(program) = Program::parse(&file) else {
        return Ok(());
    };
    let base = runtime_loader::find_map(|loaded| Some(loaded.base)).unwrap_or(0);
    let of_gcc = within_code(base, of_gcc(&program, base), CALL);
    let of_clang = within_code(base, of_clang(&program, base), SLED);
    if of_gcc.is_empty() && of_clang.is_empty() {
        return Ok(());
    }
    if !system::has_one_thread() {
        return Err(b"another thread runs before the program begins, so that its code is left as it is");
    }
    let _undisturbed = system::Undisturbed::begin();
    let near = Near::new(base, of_gcc.iter().chain(&of_clang))
        .ok_or(&b"there is no memory near its code, which is left as it is"[..])?;
    for (by, sites) in [(By::Gcc, of_gcc), (By::Clang, of_clang)] {
        if sites.is_empty() {
            continue;
        }
        let bytes = match by {
            By::Gcc => CALL,
            By::Clang => SLED,
        };
        let mut code = Writable::new(base, &sites, bytes).ok_or(
            &b"its code cannot be changed (the system forbids it, or it has several parts): compile it with -finstrument-functions"[..],
        )?;
        for site in &sites {
            let at = base + site.address as usize;
            if let Some(place) = code.at(at, bytes) {
                change(by, site.kind, at, near, place);
            }
        }
    }
    Ok(())
}

/// Whether all of these bytes are code of the program.
fn is_code(first: usize, last: usize) -> bool {
    runtime_loader::find_map(|program| Some(program.is_code(first, last))) == Some(true)
}

/// The places of so many bytes that lie in the program's code: no other sums with them overflow, nor is anything else changed.
fn within_code(base: usize, mut sites: Vec<Site>, bytes: usize) -> Vec<Site> {
    sites.retain(|site| {
        let first = base.wrapping_add(site.address as usize);
        let last = first.wrapping_add(bytes - 1);
        is_code(first, last)
    });
    sites
}

/// Puts a call at a place, if there stands what its compiler puts there.
fn change(by: By, kind: Kind, at: usize, near: Near, place: &mut [u8]) {
    let is_empty = match (by, kind) {
        (By::Gcc, _) => place == NOTHING,
        (By::Clang, Kind::Return) => place[0] == RETURN,
        (By::Clang, _) => place.starts_with(&JUMP_OVER),
    };
    let target = match kind {
        Kind::Begin => near.begin,
        Kind::End | Kind::Return => near.end,
    };
    let Ok(distance) = i32::try_from(target.wrapping_sub(at + CALL) as isize) else {
        return;
    };
    if !is_empty {
        return;
    }
    place[0] = 0xe8;
    place[1..CALL].copy_from_slice(&distance.to_le_bytes());
    if by == By::Clang {
        match kind {
            Kind::Return => place[CALL] = RETURN,
            Kind::Begin | Kind::End => {
                place[CALL..CALL + 2].copy_from_slice(&[0xeb, (SLED - CALL - 2) as u8]);
            }
        }
    }
}

/// A file of which only what is needed is read.
type Program<'a> = ElfFile64<'a, object::Endianness, &'a object::ReadCache<std::fs::File>>;

/// A section's address in the file, and its bytes as they are in memory. It need not be aligned.
fn section(program: &Program<'_>, base: usize, name: &str) -> Option<(u64, &'static [u8])> {
    let section = program.section_by_name(name)?;
    let address = base + section.address() as usize;
    if section.address() == 0 {
        return None;
    }
    let is_loaded =
        |address: usize| runtime_loader::find_map(|loaded| Some(loaded.contains(address))) == Some(true);
    let last = address
        .checked_add(usize::try_from(section.size()).ok()?)?
        .checked_sub(1)?;
    if !is_loaded(address) || !is_loaded(last) {
        return None;
    }
    // SAFETY: the section lies in the program, whose parts are in memory and stay.
    let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, section.size() as usize) };
    Some((section.address(), bytes))
}

fn of_gcc(program: &Program<'_>, base: usize) -> Vec<Site> {
    let mut sites = Vec::new();
    for (name, kind) in [("__mcount_loc", Kind::Begin), ("__return_loc", Kind::End)] {
        let (_, bytes) = section(program, base, name).unwrap_or_default();
        let (words, _) = bytes.as_chunks();
        sites.extend(words.iter().map(|word| Site {
            address: u64::from_le_bytes(*word).wrapping_sub(base as u64),
            kind,
        }));
    }
    sites
}

/// A row is a place and its function, both relative to where they are told, then its kind, a byte that is not ours, and the row's version (LLVM's `XRaySledEntry`).
fn of_clang(program: &Program<'_>, base: usize) -> Vec<Site> {
    const ROW: usize = 32;
    const VERSION: u8 = 2;
    let Some((start, bytes)) = section(program, base, "xray_instr_map") else {
        return Vec::new();
    };
    let (rows, _) = bytes.as_chunks::<ROW>();
    let sites = rows.iter().enumerate().filter_map(|(number, row)| {
        let place = u64::from_le_bytes(*row.first_chunk()?);
        let kind = match row[16] {
            0 | 3 => Kind::Begin,
            1 => Kind::Return,
            2 => Kind::End,
            _ => return None,
        };
        let address = (start + (number * ROW) as u64).wrapping_add(place);
        (row[18] == VERSION).then_some(Site { address, kind })
    });
    sites.collect()
}

/// Two jumps to here from near the program: a call reaches no further than two gigabytes.
#[derive(Clone, Copy)]
struct Near {
    begin: usize,
    end: usize,
}

impl Near {
    fn new<'s>(base: usize, sites: impl Iterator<Item = &'s Site>) -> Option<Self> {
        const JUMP: usize = 16;
        const FURTHEST: usize = 1 << 30;
        let lowest = base + usize::try_from(sites.map(|site| site.address).min()?).ok()?;
        // Below the program: above it grows its heap.
        let below = (1..FURTHEST >> 16).map(|step| (lowest & !0xffff).checked_sub(step << 16));
        let mut page = below.map_while(|at| at).find_map(system::memory_at)?;
        let here = [begins as *const () as usize, ends as *const () as usize];
        for (jump, target) in page.bytes().chunks_mut(JUMP).zip(here) {
            // jmp *0(%rip), and the address.
            jump[..6].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
            jump[6..14].copy_from_slice(&target.to_le_bytes());
        }
        let begin = page.make_code()?;
        Some(Self {
            begin,
            end: begin + JUMP,
        })
    }
}

/// The program's code while it is changed: read and execute again when it is dropped.
struct Writable {
    start: usize,
    bytes: usize,
}

impl Writable {
    /// The pages of these places; none if there are no places, or the system forbids it.
    fn new(base: usize, sites: &[Site], longest: usize) -> Option<Self> {
        let address = |site: &Site| base + site.address as usize;
        let (first, last) = (sites.iter().map(address).min()?, sites.iter().map(address).max()?);
        let start = first & !(PAGE - 1);
        let bytes = (last + longest).next_multiple_of(PAGE) - start;
        // Between two parts of code may lie data, which has to stay writable.
        if !is_code(first, last + longest - 1) {
            return None;
        }
        // SAFETY: all of it is the program's code, which has one thread, and that is here.
        let is_writable = unsafe { system::protect(start, bytes, libc::PROT_READ | libc::PROT_WRITE) };
        is_writable.then_some(Self { start, bytes })
    }

    fn at(&mut self, at: usize, bytes: usize) -> Option<&mut [u8]> {
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

unsafe extern "C" {
    #[link_name = "hindmost_trace_begins"]
    fn begins();
    #[link_name = "hindmost_trace_ends"]
    fn ends();
}

// A place is reached with all registers in use that carry arguments or results. Callers of functions of the same file may know that others are not touched by
// these, and may leave the stack unaligned; so nothing that a call can change is changed here.
macro_rules! called_at_a_place {
    ($name:literal, $rust:ident) => {
        global_asm!(
            ".pushsection .text",
            ".p2align 4",
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            ".cfi_startproc",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "push rax",
            "push rcx",
            "push rdx",
            "push rsi",
            "push rdi",
            "push r8",
            "push r9",
            "push r10",
            "push r11",
            "sub rsp, 256",
            "and rsp, -16",
            "movups [rsp], xmm0",
            "movups [rsp + 16], xmm1",
            "movups [rsp + 32], xmm2",
            "movups [rsp + 48], xmm3",
            "movups [rsp + 64], xmm4",
            "movups [rsp + 80], xmm5",
            "movups [rsp + 96], xmm6",
            "movups [rsp + 112], xmm7",
            "movups [rsp + 128], xmm8",
            "movups [rsp + 144], xmm9",
            "movups [rsp + 160], xmm10",
            "movups [rsp + 176], xmm11",
            "movups [rsp + 192], xmm12",
            "movups [rsp + 208], xmm13",
            "movups [rsp + 224], xmm14",
            "movups [rsp + 240], xmm15",
            "mov rdi, [rbp + 8]",
            "lea rsi, [rbp + 16]",
            "call {rust}",
            "movups xmm0, [rsp]",
            "movups xmm1, [rsp + 16]",
            "movups xmm2, [rsp + 32]",
            "movups xmm3, [rsp + 48]",
            "movups xmm4, [rsp + 64]",
            "movups xmm5, [rsp + 80]",
            "movups xmm6, [rsp + 96]",
            "movups xmm7, [rsp + 112]",
            "movups xmm8, [rsp + 128]",
            "movups xmm9, [rsp + 144]",
            "movups xmm10, [rsp + 160]",
            "movups xmm11, [rsp + 176]",
            "movups xmm12, [rsp + 192]",
            "movups xmm13, [rsp + 208]",
            "movups xmm14, [rsp + 224]",
            "movups xmm15, [rsp + 240]",
            "lea rsp, [rbp - 72]",
            "pop r11",
            "pop r10",
            "pop r9",
            "pop r8",
            "pop rdi",
            "pop rsi",
            "pop rdx",
            "pop rcx",
            "pop rax",
            "pop rbp",
            ".cfi_def_cfa rsp, 8",
            ".cfi_same_value rbp",
            "ret",
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            rust = sym $rust,
        );
    };
}

called_at_a_place!("hindmost_trace_begins", begins_at);
called_at_a_place!("hindmost_trace_ends", ends_at);

/// A mark that some compilers put where indirect calls may come to; the place is behind it.
const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

extern "C" fn begins_at(behind: usize, frame: usize) {
    let place = behind - CALL;
    // SAFETY: in front of a program's function there is code, or the head of its file.
    let before = unsafe { ((place - ENDBR64.len()) as *const [u8; ENDBR64.len()]).read() };
    let function = if before == ENDBR64 {
        place - ENDBR64.len()
    } else {
        place
    };
    call(Call::Begin(Entry { function, frame }), frame);
}

extern "C" fn ends_at(_: usize, frame: usize) {
    call(Call::End { frame }, frame);
}
