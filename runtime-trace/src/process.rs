//! The file of the process: made at its first event, and anew in a child that was forked.

#![expect(unsafe_code, reason = "the file is mapped to memory")]

use crate::functions;
use crate::modules::{Module, module_of};
use crate::system::{self, File, NoFile, PAGE, PATH, Undisturbed, give_back, memory};
use calltrace::task::{
    ADDRESS_BITS, FUNCTIONS, FUNCTIONS_AT, MAGIC, MODULE, MODULES, MODULES_AT, OTHERS, TEXT, VERSION, WORDS,
    header, lost, module,
};
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// How far the process is.
mod state {
    pub(super) const NEW: u32 = 0;
    pub(super) const OPENING: u32 = 1;
    pub(super) const OPEN: u32 = 2;
    pub(super) const OFF: u32 = 3;
}

static STATE: AtomicU32 = AtomicU32::new(state::NEW);
static FILE: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());
/// A page that is zero in a child that was forked.
static GUARD: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());
/// Which file of processes with this number it is.
static IMAGE: AtomicU32 = AtomicU32::new(0);
static MODULES_LOCKED: AtomicBool = AtomicBool::new(false);

/// Turns that are waited for another thread that opens the file. It takes less than a millisecond, unless the process was forked meanwhile.
const PATIENCE: u32 = 10_000;

/// More programs one after the other, or files of other jobs in the same directory, have no room.
const IMAGES: u32 = 10_000;

/// The variable that names the directory.
const DIRECTORY: &CStr = c"HINDMOST_TRACE";

/// The words of the file; none before it is open.
fn file() -> &'static [AtomicU64] {
    let file = FILE.load(Ordering::Acquire);
    if file.is_null() {
        return &[];
    }
    // SAFETY: the mapping has so many words and stays, but in a child that was forked, where only its one thread had it.
    unsafe { std::slice::from_raw_parts(file, WORDS) }
}

fn set(words: &[AtomicU64], at: usize, value: u64) {
    if let Some(word) = words.get(at) {
        word.store(value, Ordering::Release);
    }
}

/// Whether the process is the one that opened its file, and no child of it.
fn is_own() -> bool {
    let guard = GUARD.load(Ordering::Acquire);
    // SAFETY: the page is mapped and never given back.
    !guard.is_null() && unsafe { &*guard }.load(Ordering::Relaxed) != 0
}

/// Whether somebody has asked for a trace.
pub(crate) fn is_wanted() -> bool {
    system::variable(DIRECTORY).is_some()
}

/// Opens the file of the process if it is not. Whether there is one. Signals are blocked.
pub(crate) fn open() -> bool {
    for _ in 0..PATIENCE {
        match STATE.load(Ordering::Acquire) {
            state::OPEN if is_own() => return true,
            state::OFF => return false,
            from @ (state::OPEN | state::NEW) => {
                let taken = STATE.compare_exchange(from, state::OPENING, Ordering::AcqRel, Ordering::Relaxed);
                if taken.is_ok() {
                    let made = make(from == state::OPEN);
                    if let Err(why) = made {
                        complain(why);
                    }
                    let next = if made == Ok(true) { state::OPEN } else { state::OFF };
                    STATE.store(next, Ordering::Release);
                    return next == state::OPEN;
                }
            }
            _ => {
                // SAFETY: it has no arguments.
                unsafe { libc::sched_yield() };
            }
        }
    }
    false
}

/// Makes the file; not, if nobody has asked for a trace.
fn make(is_forked: bool) -> Result<bool, &'static [u8]> {
    let Some(directory) = system::variable(DIRECTORY) else {
        return Ok(false);
    };
    let before = file();
    MODULES_LOCKED.store(false, Ordering::Relaxed);
    let (words, image) = create(directory)?;
    set(words, header::VERSION, VERSION);
    set(words, header::PID, system::pid().into());
    set(words, header::IMAGE, image.into());
    set(words, header::STARTED, system::now());
    if let Some(rank) = RANKS.iter().find_map(|name| system::number(name)) {
        set(words, header::RANK, u64::from(rank) + 1);
    }
    if let Some(size) = SIZES.iter().find_map(|name| system::number(name)) {
        set(words, header::SIZE, size.into());
    }
    let mut host = [0_u8; TEXT * 8];
    // SAFETY: the name is written into so many bytes.
    unsafe { libc::gethostname(host.as_mut_ptr().cast(), host.len()) };
    text(words, header::HOST, TEXT, until_zero(&host));
    let job = JOBS.iter().find_map(|name| system::variable(name));
    text(words, header::JOB, TEXT, job.unwrap_or_default());
    if is_forked {
        inherit(before, words);
    }
    let guard = guard().ok_or(&b"there is no memory for it"[..])?;
    if !functions::prepare() {
        return Err(b"there is no memory for it");
    }
    guard.store(1, Ordering::Relaxed);
    set(words, header::MAGIC, MAGIC);
    IMAGE.store(image, Ordering::Relaxed);
    FILE.store(words.as_ptr().cast_mut(), Ordering::Release);
    if is_forked && !before.is_empty() {
        // SAFETY: the child has one thread, which is here, and nobody else knows the mapping.
        unsafe { give_back(before.as_ptr().cast_mut().cast(), WORDS * 8) };
    }
    Ok(true)
}

/// Rank and size as launchers tell them, what an MPI sets before what a batch system does.
const RANKS: [&CStr; 7] = [
    c"PMIX_RANK",
    c"OMPI_COMM_WORLD_RANK",
    c"PMI_RANK",
    c"MV2_COMM_WORLD_RANK",
    c"FLUX_TASK_RANK",
    c"SLURM_PROCID",
    c"RANK",
];
const SIZES: [&CStr; 6] = [
    c"OMPI_COMM_WORLD_SIZE",
    c"PMI_SIZE",
    c"MV2_COMM_WORLD_SIZE",
    c"FLUX_JOB_SIZE",
    c"SLURM_NTASKS",
    c"WORLD_SIZE",
];
const JOBS: [&CStr; 4] = [
    c"HINDMOST_RECORD_JOB",
    c"PMIX_NAMESPACE",
    c"SLURM_JOB_ID",
    c"PMI_JOBID",
];

fn guard() -> Option<&'static AtomicU64> {
    if GUARD.load(Ordering::Acquire).is_null() {
        let page = memory(PAGE)?;
        system::wipe_on_fork(page);
        GUARD.store(page.cast(), Ordering::Release);
    }
    // SAFETY: the page was mapped above, now or earlier, and is never given back.
    Some(unsafe { &*GUARD.load(Ordering::Acquire) })
}

fn create(directory: &[u8]) -> Result<(&'static [AtomicU64], u32), &'static [u8]> {
    let mut name = Name::of(directory);
    // Another host of the job than the one that started it has no such directory yet. Whatever fails here fails again below.
    // SAFETY: the name ends with a zero.
    unsafe { libc::mkdir(name.bytes.as_ptr().cast(), 0o700) };
    for image in 0..IMAGES {
        name = Name::of(directory);
        name.push_process(image).push(b".task");
        match File::create(name.finish().ok_or(&b"its directory's name is too long"[..])?) {
            Ok(file) => {
                let words = file.map(0, WORDS).ok_or_else(|| {
                    file.remove();
                    &b"there is no room for its file"[..]
                })?;
                return Ok((words, image));
            }
            Err(NoFile::IsThere) => {}
            Err(NoFile::Refused) => {
                return Err(
                    b"its file could not be made (does HINDMOST_TRACE name a directory that can be written?)",
                );
            }
        }
    }
    Err(b"all names for its file are taken")
}

/// The name of the trace of a thread.
pub(crate) fn trace_name(thread: u32) -> Option<[u8; PATH]> {
    name_of_thread(thread, b".trace")
}

/// The name of its stamps.
pub(crate) fn stamps_name(thread: u32) -> Option<[u8; PATH]> {
    name_of_thread(thread, b".stamps")
}

fn name_of_thread(thread: u32, extension: &[u8]) -> Option<[u8; PATH]> {
    let mut name = Name::of(system::variable(DIRECTORY)?);
    name.push_process(IMAGE.load(Ordering::Relaxed));
    name.push(b"-").push_number(thread).push(extension);
    name.finish()
}

/// The name of the list of functions that were left as they were.
pub(crate) fn list_name() -> Option<[u8; PATH]> {
    let mut name = Name::of(system::variable(DIRECTORY)?);
    name.push_process(IMAGE.load(Ordering::Relaxed));
    name.push(b".left");
    name.finish()
}

/// A number for a thread that begins; none if there are too many.
pub(crate) fn next_thread() -> Option<u32> {
    const MOST: u64 = 1 << 20;
    let words = file();
    let number = words.get(header::THREADS)?.fetch_add(1, Ordering::AcqRel);
    if number >= MOST {
        lose(lost::THREADS);
        return None;
    }
    Some(number as u32)
}

/// Something is missing.
pub(crate) fn lose(what: u64) {
    if let Some(word) = file().get(header::LOST) {
        word.fetch_or(what, Ordering::Relaxed);
    }
}

/// A new number for the function at this address.
pub(crate) fn add_function(address: usize) -> u32 {
    let _undisturbed = Undisturbed::begin();
    let words = file();
    let module = module_of(address);
    let number = module.and_then(|module| number_of(words, &module));
    let base = module.map_or(0, |module| module.base);
    let Some(count) = words.get(header::FUNCTIONS) else {
        return OTHERS;
    };
    let before = count.fetch_add(1, Ordering::AcqRel);
    if before >= FUNCTIONS as u64 - 1 {
        count.store(FUNCTIONS as u64 - 1, Ordering::Relaxed);
        lose(lost::FUNCTIONS);
        return OTHERS;
    }
    let relative = match number {
        Some(_) => address.wrapping_sub(base),
        None => address,
    };
    let of_module = number.map_or(0, |number| number as u64 + 1);
    let place = of_module << ADDRESS_BITS | relative as u64 & ((1 << ADDRESS_BITS) - 1);
    set(words, FUNCTIONS_AT + before as usize, place);
    before as u32 + 1
}

/// The number of a module, from 0; none if there are too many.
fn number_of(words: &[AtomicU64], found: &Module) -> Option<usize> {
    while MODULES_LOCKED
        .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {
        std::hint::spin_loop();
    }
    let number = number_of_alone(words, found);
    MODULES_LOCKED.store(false, Ordering::Release);
    number
}

fn number_of_alone(words: &[AtomicU64], found: &Module) -> Option<usize> {
    let get = |at: usize| words.get(at).map_or(0, |word| word.load(Ordering::Relaxed));
    let count = get(header::MODULES) as usize;
    let is_same = |number: &usize| {
        let at = MODULES_AT + number * MODULE;
        get(at + module::BASE) == found.base as u64
            && get(at + module::PATH_LENGTH) == found.path().len() as u64
            && get(at + module::ID_LENGTH) == found.id().len() as u64
            && same(words, at + module::ID, found.id())
            && same(words, at + module::PATH, found.path())
    };
    if let Some(known) = (0..count.min(MODULES)).find(is_same) {
        return Some(known);
    }
    if count >= MODULES {
        lose(lost::MODULES);
        return None;
    }
    let at = MODULES_AT + count * MODULE;
    set(words, at + module::BASE, found.base as u64);
    set(words, at + module::ID_LENGTH, found.id().len() as u64);
    text(words, at + module::ID, module::ID_MOST / 8, found.id());
    set(words, at + module::PATH_LENGTH, found.path().len() as u64);
    text(words, at + module::PATH, module::PATH_MOST / 8, found.path());
    set(words, header::MODULES, count as u64 + 1);
    Some(count)
}

/// What a child knows of its parent's functions: their numbers stay what they were.
fn inherit(before: &[AtomicU64], words: &[AtomicU64]) {
    let get = |at: usize| before.get(at).map_or(0, |word| word.load(Ordering::Relaxed));
    let (modules, functions) = (get(header::MODULES) as usize, get(header::FUNCTIONS) as usize);
    for at in MODULES_AT..MODULES_AT + modules.min(MODULES) * MODULE {
        set(words, at, get(at));
    }
    for at in FUNCTIONS_AT..FUNCTIONS_AT + functions.min(FUNCTIONS) {
        set(words, at, get(at));
    }
    set(words, header::MODULES, modules as u64);
    set(words, header::FUNCTIONS, functions as u64);
    set(words, header::FORKED_FROM, get(header::PID));
}

/// Stores text in at most `room` words.
fn text(words: &[AtomicU64], at: usize, room: usize, text: &[u8]) {
    for (index, part) in text.chunks(8).take(room).enumerate() {
        set(words, at + index, word_of(part));
    }
}

fn same(words: &[AtomicU64], at: usize, text: &[u8]) -> bool {
    let mut parts = text.chunks(8).enumerate();
    parts.all(|(index, part)| {
        let word = words.get(at + index);
        word.is_some_and(|word| word.load(Ordering::Relaxed) == word_of(part))
    })
}

fn word_of(part: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(bytes)
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default()
}

/// A path that is written piece by piece.
struct Name {
    bytes: [u8; PATH],
    used: usize,
}

impl Name {
    fn of(directory: &[u8]) -> Self {
        let mut name = Self {
            bytes: [0; PATH],
            used: 0,
        };
        name.push(directory);
        name
    }

    fn push(&mut self, text: &[u8]) -> &mut Self {
        if let Some(room) = self.bytes.get_mut(self.used..) {
            room.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
        }
        self.used += text.len();
        self
    }

    fn push_number(&mut self, number: u32) -> &mut Self {
        let mut digits = [0; 10];
        let (mut at, mut left) = (digits.len(), number);
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                return self.push(&digits[at..]);
            }
        }
    }

    fn push_process(&mut self, image: u32) -> &mut Self {
        self.push(b"/hindmost-").push_number(system::pid());
        self.push(b"-").push_number(image)
    }

    /// The path with a zero behind it; none if it is too long.
    fn finish(&self) -> Option<[u8; PATH]> {
        (self.used < PATH).then_some(self.bytes)
    }
}

/// Says in one line on the program's standard error why there is no trace.
pub(crate) fn complain(why: &[u8]) {
    let mut line = Name::of(b"hindmost: nothing is traced of process ");
    line.push_number(system::pid()).push(b": ").push(why).push(b"\n");
    let length = line.used.min(PATH);
    // SAFETY: so many bytes are there. A program whose standard error is gone goes on all the same.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), length) };
}
