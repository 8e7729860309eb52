//! Functions of programs that nobody has prepared.
//!
//! Where somebody asks for it (`HINDMOST_TRACE_REWRITE` names files), the first instructions of a function and those before each of its ends become jumps to where they are executed with a
//! call of the tracer, while it has one thread: before the program begins, or when it loads the file. Return addresses stay what they are, so that unwinders, exceptions and debuggers see nothing of
//! it. What cannot be rewritten for certain is left as it is, and listed in a file beside the traces.
//!
//! - `code`: the functions of a file, and every address that something may lead to.
//! - `plan`: which instructions make room, or why a function is left alone.
//! - `islands`: room for far jumps near those for which there is only room for short ones.
//! - `moved`: these instructions elsewhere.
//! - `later`: files that the program loads later.

#![expect(unsafe_code, reason = "code and data are read where they are loaded")]

mod code;
mod islands;
pub(crate) mod later;
mod moved;
mod plan;

use crate::patch::{JUMP, Room, Writable};
use crate::process::{self, complain};
use crate::system::{self, Undisturbed};
use code::{Code, Piece};
use islands::Islands;
use moved::{At, encoded, most_bytes};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, SymbolFlags, elf};
use plan::{Calls, Plan, Reach, Unsafe, plan};
use runtime_loader::{Loaded, Part, with_file_of};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, OsStr};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// The variable that names files whose functions are rewritten, with colons between.
const FILES: &CStr = c"HINDMOST_TRACE_REWRITE";
/// In place of a name: all files that can be.
const ALL: &[u8] = b"all";

/// Names of libraries that the tracer itself calls, or that are executed while they would be changed; and of the recorder, whose calls are no program's.
const NEVER: [&str; 8] = [
    "libc.so",
    "libc-",
    "ld-linux",
    "libpthread",
    "libdl",
    "libgcc_s",
    "libruntime_trace",
    "libhindmost",
];

/// Functions that are called by no call, or before there is anything to tell.
const NO_FUNCTIONS: [&str; 6] = [
    "_start",
    "_init",
    "_fini",
    "deregister_tm_clones",
    "register_tm_clones",
    "_dl_relocate_static_pie",
];

/// A file that is loaded and was asked for.
struct Wanted {
    /// By its name, and not as one of all.
    is_named: bool,
    base: usize,
    path: PathBuf,
    build_id: Option<Vec<u8>>,
    parts: Vec<Part>,
}

impl Wanted {
    /// An address in it.
    fn address(&self) -> usize {
        let code = self.parts.iter().find(|part| part.is_code);
        code.map_or(self.base, |part| part.start)
    }
}

/// What became of a file.
struct Rewritten {
    path: PathBuf,
    functions: usize,
    left: Vec<(String, Unsafe)>,
}

/// Rewrites the functions of all files that were asked for and are there.
pub(crate) fn rewrite() {
    later::rewrite_new();
}

/// The names that were asked for; none if nothing is to be rewritten.
fn names() -> BTreeSet<&'static [u8]> {
    let names = system::variable(FILES).unwrap_or_default();
    let names = names.split(|&byte| byte == b':').filter(|name| !name.is_empty());
    BTreeSet::from_iter(names)
}

/// Rewrites these files, and adds to the list what was left as it was.
fn rewrite_all(all: &[Wanted]) {
    let mut list = String::new();
    for wanted in all {
        match rewrite_file(wanted) {
            Ok(rewritten) => list.push_str(&rewritten.list()),
            Err(why) => {
                let what = format!("{} is left as it is: {why}", wanted.path.display());
                if wanted.is_named {
                    complain(what.as_bytes());
                }
                list.push_str(&what);
                list.push('\n');
            }
        }
    }
    if list.is_empty() {
        return;
    }
    let name = {
        let _undisturbed = Undisturbed::begin();
        process::open().then(process::list_name).flatten()
    };
    let name = name.and_then(|name| Some(CStr::from_bytes_until_nul(&name).ok()?.to_bytes().to_vec()));
    if let Some(name) = name {
        let file = File::options()
            .create(true)
            .append(true)
            .open(OsStr::from_bytes(&name));
        if file.and_then(|mut file| file.write_all(list.as_bytes())).is_err() {
            complain(b"the list of functions that were left as they were could not be written");
        }
    }
}

impl Rewritten {
    /// A line about the file, and one for each function that was left as it was.
    fn list(&self) -> String {
        let mut text = format!(
            "{}: {} of {} functions were left as they were\n",
            self.path.display(),
            self.left.len(),
            self.functions
        );
        for (name, why) in &self.left {
            let _ = writeln!(text, "{name}: {why}");
        }
        text
    }
}

/// The files that are loaded and have these names.
fn wanted(names: &BTreeSet<&[u8]>) -> Vec<Wanted> {
    let mut found = Vec::new();
    let _: Option<()> = runtime_loader::find_map(|loaded| {
        let path = if loaded.name.is_empty() {
            let mut path = [0; 4096];
            system::path_of_program(&mut path).to_vec()
        } else {
            loaded.name.to_vec()
        };
        let path = PathBuf::from(std::ffi::OsString::from_vec(path));
        let name = path.file_name().unwrap_or_default();
        let is_named = names.contains(name.as_bytes());
        // What has no directory is in no file: the kernel's own.
        let is_file = path.parent().is_some_and(|parent| !parent.as_os_str().is_empty());
        let never = || is_never(&name.to_string_lossy(), &loaded);
        if is_named || names.contains(ALL) && is_file && !never() {
            found.push(Wanted {
                is_named,
                base: loaded.base,
                path,
                build_id: loaded.build_id().map(<[u8]>::to_vec),
                parts: loaded.parts().collect(),
            });
        }
        None
    });
    found
}

/// Whether it is a file that is executed while it would be changed: by its name, or because it has what does that, under whatever names.
fn is_never(name: &str, file: &Loaded<'_>) -> bool {
    let own = [
        rewrite_file as *const () as usize,
        libc::mprotect as *const () as usize,
    ];
    NEVER.iter().any(|never| name.starts_with(never)) || own.into_iter().any(|own| file.contains(own))
}

fn rewrite_file(wanted: &Wanted) -> Result<Rewritten, String> {
    let name = wanted
        .path
        .file_name()
        .map(OsStr::to_string_lossy)
        .unwrap_or_default();
    if with_file_of(wanted.address(), |file| is_never(&name, &file)) != Some(false) {
        return Err("the tracer itself calls it".to_owned());
    }
    let mut of_code = wanted.parts.iter().filter(|part| part.is_code);
    let (Some(part), None) = (of_code.next(), of_code.next()) else {
        return Err("its code has several parts".to_owned());
    };
    let symbols = Symbols::read(wanted)?;
    let data = wanted
        .parts
        .iter()
        .map(|part| (part.start as u64, bytes_of(part)));
    let data = Vec::from_iter(data);
    let code = Code::new(part.start as u64, bytes_of(part), symbols.pieces, &data);
    let (plans, mut left) = plans(&code, &symbols.stubs);
    let mut islands = Islands::new(code.filling(), &plans);
    let plans = plans.into_iter().filter_map(|plan| match islands.reach(&plan) {
        Ok(jumps) => Some((plan, jumps)),
        Err(why) => {
            let piece = code.piece_at(plan.function);
            left.extend(piece.map(|piece| (code.pieces[piece].name.clone(), why)));
            None
        }
    });
    let plans = Vec::from_iter(plans);
    if !system::has_one_thread() {
        return Err("another thread runs, which might execute it meanwhile".to_owned());
    }
    let functions = plans.len() + left.len();
    let _undisturbed = Undisturbed::begin();
    put(part, &plans)?;
    Ok(Rewritten {
        path: wanted.path.clone(),
        functions,
        left,
    })
}

/// A part of a file that is loaded with the program.
fn bytes_of(part: &Part) -> &'static [u8] {
    // SAFETY: the loader has mapped it to be read, and does not unload it before the program has begun.
    unsafe { std::slice::from_raw_parts(part.start as *const u8, part.bytes) }
}

/// What a file's symbols say.
struct Symbols {
    /// All functions and pieces of functions.
    pieces: Vec<Piece>,
    /// Sections of jumps into other files.
    stubs: Vec<std::ops::Range<u64>>,
}

impl Symbols {
    fn read(wanted: &Wanted) -> Result<Self, String> {
        let file = File::open(&wanted.path).map_err(|error| error.to_string())?;
        let file = object::ReadCache::new(file);
        let file: ElfFile64<'_, object::Endianness, &object::ReadCache<File>> =
            ElfFile64::parse(&file).map_err(|error| error.to_string())?;
        if file.build_id().ok().flatten() != wanted.build_id.as_deref() {
            return Err("its file is not the one that runs".to_owned());
        }
        // By address: the longest symbol there, and whether it may be rewritten.
        let mut found: BTreeMap<u64, (u64, String)> = BTreeMap::new();
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let SymbolFlags::Elf { st_info, .. } = symbol.flags() else {
                continue;
            };
            let is_function = [elf::STT_FUNC, elf::STT_GNU_IFUNC].contains(&st_info.st_type());
            if !is_function || symbol.size() == 0 || symbol.address() == 0 {
                continue;
            }
            let start = symbol.address().wrapping_add(wanted.base as u64);
            let name = symbol.name().unwrap_or_default();
            let name = match st_info.st_type() {
                // It is called while the program is put together.
                elf::STT_GNU_IFUNC => NO_FUNCTIONS[0],
                _ => name,
            };
            let known = found.entry(start).or_insert((0, name.to_owned()));
            known.0 = known.0.max(symbol.size());
        }
        if found.is_empty() {
            return Err("it has no symbols of functions".to_owned());
        }
        let stubs = file.sections().filter(|section| {
            section
                .name()
                .is_ok_and(|name| name.starts_with(".plt") || name == ".iplt")
        });
        let stubs = stubs.map(|section| {
            let start = section.address().wrapping_add(wanted.base as u64);
            start..start.wrapping_add(section.size())
        });
        Ok(Self {
            stubs: stubs.collect(),
            pieces: pieces(found),
        })
    }
}

/// Pieces with the functions that they are of: one that was put elsewhere has the name of its function with `.cold` behind it.
fn pieces(found: BTreeMap<u64, (u64, String)>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (number, (start, (size, name))) in found.into_iter().enumerate() {
        // Where one symbol begins within another, both are left alone: the first goes on in the second.
        if let Some(last) = pieces.last_mut() {
            last.code.end = last.code.end.min(start);
        }
        pieces.push(Piece {
            code: start..start.saturating_add(size),
            name,
            function: number,
        });
    }
    let by_name = BTreeMap::from_iter(
        pieces
            .iter()
            .enumerate()
            .map(|(at, piece)| (piece.name.clone(), at)),
    );
    for piece in &mut pieces {
        if let Some((of, _)) = piece.name.split_once(".cold")
            && let Some(&function) = by_name.get(of)
        {
            piece.function = function;
        }
    }
    pieces
}

/// How all functions are rewritten, and why some are not.
fn plans(code: &Code<'_>, stubs: &[std::ops::Range<u64>]) -> (Vec<Plan>, Vec<(String, Unsafe)>) {
    let mut functions: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, piece) in code.pieces.iter().enumerate() {
        // The function itself first, wherever its other pieces are.
        functions
            .entry(piece.function)
            .or_insert_with(|| vec![piece.function]);
        if at != piece.function
            && let Some(pieces) = functions.get_mut(&piece.function)
        {
            pieces.push(at);
        }
    }
    let begins = |piece: usize| code.pieces[piece].code.start;
    let mut shared = BTreeSet::new();
    for jump in &code.jumps {
        let [from, to] = [jump.from, jump.to].map(|address| code.piece_at(address));
        let Some(to) = to else { continue };
        let function = code.pieces[to].function;
        let is_own = from.is_some_and(|from| code.pieces[from].function == function);
        if !is_own && (to != function || jump.to != begins(to)) {
            shared.insert(function);
            shared.extend(from.map(|from| code.pieces[from].function));
        }
    }
    let is_entry = |address: u64| {
        let begins = |piece: usize| code.pieces[piece].function == piece && begins(piece) == address;
        code.piece_at(address).is_some_and(begins) || stubs.iter().any(|stubs| stubs.contains(&address))
    };
    let calls = if system::has_shadow_stack() {
        Calls::StayWhereTheyAre
    } else {
        Calls::CanBeMoved
    };
    let (mut plans, mut left) = (Vec::new(), Vec::new());
    for (function, pieces) in functions {
        let name = &code.pieces[function].name;
        if NO_FUNCTIONS.contains(&name.as_str()) || name.contains(".cold") {
            continue;
        }
        let planned = if shared.contains(&function) {
            Err(Unsafe::JumpedInto)
        } else {
            plan(code, &pieces, &is_entry, calls)
        };
        match planned {
            Ok(plan) => plans.push(plan),
            Err(why) => left.push((name.clone(), why)),
        }
    }
    (plans, left)
}

/// Puts jumps into the code: of each plan with where its windows jump from far, in their order.
fn put(part: &Part, plans: &[(Plan, Vec<u64>)]) -> Result<(), String> {
    let address = size_of::<u64>();
    let windows = plans.iter().flat_map(|(plan, _)| plan.windows());
    let bytes = windows.map(|window| most_bytes(window) + address);
    let mut room = Room::new(part.start, bytes.sum()).ok_or("there is no memory near its code")?;
    let mut jumps: Vec<(u64, Vec<u8>)> = Vec::new();
    for (plan, from) in plans {
        for (number, (window, &from)) in plan.windows().zip(from).enumerate() {
            let what = match number {
                0 => At::Beginning,
                _ => At::End,
            };
            // The function's address stands in front of what is executed at its beginning.
            let to = (room.next() + address) as u64;
            let code = encoded(window, what, to, room.near).map_err(|error| error.to_string())?;
            if code.len() > most_bytes(window)
                || !room.push(&plan.function.to_le_bytes())
                || !room.push(&code)
            {
                return Err("its code is longer elsewhere than was thought".to_owned());
            }
            let far = |distance: u64| i32::try_from(distance as i64).ok();
            let distance =
                far(to.wrapping_sub(from + JUMP as u64)).ok_or("there is no memory near its code")?;
            jumps.push((from, [&[0xe9], &distance.to_le_bytes()[..]].concat()));
            if window.reach == Reach::Short {
                let distance = from.wrapping_sub(window.start + Reach::Short.bytes());
                jumps.push((window.start, vec![0xeb, distance as u8]));
            }
        }
    }
    let forbidden = || "the system forbids to change it: compile it with -finstrument-functions".to_owned();
    if !room.make_code() {
        return Err(forbidden());
    }
    let mut code = Writable::new(part.start, part.start + part.bytes - 1).ok_or_else(forbidden)?;
    for (at, bytes) in jumps {
        if let Some(place) = code.at(at as usize, bytes.len()) {
            place.copy_from_slice(&bytes);
        }
    }
    Ok(())
}
