//! Places that a compiler has left for calls, and that cost next to nothing until there are calls.
//!
//! gcc (`-pg -mfentry -mnop-mcount -mrecord-mcount -minstrument-return=nop5 -mrecord-return`) leaves five bytes at the beginning and before each end of a function, and lists them in two sections of the program.
//! clang (`-fxray-instrument`) leaves *sleds* of eleven bytes and lists them in one (LLVM's `compiler-rt/lib/xray/xray_x86_64.cpp`). Where this process is traced they become calls, before the
//! program begins and while it has one thread: nobody executes what is being changed.
//!
//! A function's frame is told by where its return address stands. That is the same at its beginning and at each of its ends, so that no end needs to name its function.

#![expect(unsafe_code, reason = "the lists of places are read where they are loaded")]

use crate::patch::{JUMP, Near, Room, Writable};
use crate::process::{self, complain};
use crate::rewrite::rewrite;
use crate::system;
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection};

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
const CALL: usize = JUMP;
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
    rewrite();
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
    let lowest = of_gcc
        .iter()
        .chain(&of_clang)
        .map(|site| base + site.address as usize)
        .min();
    let room = lowest.and_then(|lowest| Room::new(lowest, 0));
    let room = room.ok_or(&b"there is no memory near its code, which is left as it is"[..])?;
    let near = room.near;
    if !room.make_code() {
        return Err(FORBIDDEN);
    }
    for (by, sites) in [(By::Gcc, of_gcc), (By::Clang, of_clang)] {
        if sites.is_empty() {
            continue;
        }
        let bytes = match by {
            By::Gcc => CALL,
            By::Clang => SLED,
        };
        let addresses = sites.iter().map(|site| base + site.address as usize);
        let (first, last) = (
            addresses.clone().min().unwrap_or(base),
            addresses.max().unwrap_or(base),
        );
        let mut code = Writable::new(first, last + bytes - 1).ok_or(FORBIDDEN)?;
        for site in &sites {
            let at = base + site.address as usize;
            if let Some(place) = code.at(at, bytes) {
                change(by, site.kind, at, near, place);
            }
        }
    }
    Ok(())
}

const FORBIDDEN: &[u8] = b"its code cannot be changed (the system forbids it, or it has several parts): compile it with -finstrument-functions";

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
