//! What the C shim calls. Every function does nothing unless a recording is open in this process.

use crate::file;
use crate::recorder::{Call, NeighbourCounts, NeighbourRanks, New, Outcome, Peers, Recorder, Teller};
use crate::wishes;
use crate::words::Words;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

static RECORDER: OnceLock<Recorder> = OnceLock::new();
/// The process that opened the recording: a child that was forked from it shares the mapping, and must leave it alone.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// Who is told of events.
static TELLER: OnceLock<Teller> = OnceLock::new();

/// Who is told of what happens in calls of MPI from now on: to be said before [`hindmost_open`].
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_tell(teller: Option<Teller>) {
    if let Some(teller) = teller {
        // The first one stays.
        let _ = TELLER.set(teller);
    }
}

/// The call, of which [`hindmost_enter`] has been told, is known to who is told of events.
///
/// # Safety
///
/// `call` points to the call that [`hindmost_enter`] has filled.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_entered(call: *const Call) {
    if let Some(recorder) = recorder() {
        // SAFETY: the caller's promise.
        recorder.tell_begun(unsafe { &*call });
    }
}

pub(crate) fn recorder() -> Option<&'static Recorder> {
    (OWNER.load(Ordering::Acquire) != 0).then(|| RECORDER.get())?
}

/// In a child that was forked: it is another process.
extern "C" fn forked() {
    OWNER.store(0, Ordering::Release);
}

/// Makes the recording of this process, if `HINDMOST_RECORD` names a directory; once. `names` are the operations, each ended by a newline.
///
/// # Safety
///
/// `names` is null, or points to `length` bytes.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_open(names: *const u8, length: usize) {
    if RECORDER.get().is_some() || names.is_null() {
        return;
    }
    let Some(directory) = std::env::var_os("HINDMOST_RECORD").filter(|name| !name.is_empty()) else {
        return;
    };
    // SAFETY: the caller's promise.
    let names = unsafe { std::slice::from_raw_parts(names, length) };
    let words = match file::create(Path::new(&directory), names) {
        Ok(words) => words,
        Err(why) => {
            // A program whose standard error is gone goes on all the same.
            let pid = std::process::id();
            // All ranks of a job may say so at once: what is written in one piece stays one line.
            let line = format!("hindmost: nothing is recorded of process {pid}: {why}\n");
            let _ = std::io::stderr().write_all(line.as_bytes());
            return;
        }
    };
    let index: Vec<AtomicU64> = (0..Recorder::index_words()).map(|_| AtomicU64::new(0)).collect();
    let index = Words::new(Vec::leak(index));
    let mut recorder = wishes::fulfilled(Recorder::new(words, index), Path::new(&directory));
    if let Some(teller) = TELLER.get() {
        recorder = recorder.with_teller(*teller);
    }
    if RECORDER.set(recorder).is_ok() {
        OWNER.store(std::process::id(), Ordering::Release);
        // SAFETY: `forked` stores one word.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    }
}

/// How far the task is: 1 in `MPI_Init`, 2 after it, 3 in `MPI_Finalize`, 4 after it, 5 in `MPI_Abort`.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_stage(stage: u64) {
    if let Some(recorder) = recorder() {
        recorder.stage(stage);
    }
}

/// MPI is about to be initialised, or a session of it.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_begin() {
    if let Some(recorder) = recorder() {
        recorder.begins_with(threads_now());
    }
}

/// How many threads the process has; 0 if that is not known.
fn threads_now() -> u64 {
    std::fs::read_dir("/proc/self/task").map_or(0, |threads| threads.count() as u64)
}

/// The rank in the world, and its size; whether the world was spawned, if `is_spawned` is not 0.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_world(rank: u32, size: u32, is_spawned: u32) {
    if let Some(recorder) = recorder() {
        let spawned = match is_spawned {
            0 => 0,
            _ => file::number_of_world(),
        };
        recorder.world(rank, size, spawned);
        // The ranks of a spawned world are others than those of the first.
        if spawned == 0 {
            wishes::follow(recorder, rank, size);
        }
    }
}

/// Whether threads may call MPI at the same time: `MPI_THREAD_MULTIPLE` was provided, if `is_shared` is not 0.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_share(is_shared: u32) {
    if let Some(recorder) = recorder() {
        recorder.share(is_shared != 0);
        if is_shared != 0 {
            recorder.shares_with(threads_now());
        }
    }
}

/// The row of the calling thread plus one, for [`Call::thread`]; 0 if nothing is recorded of it.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_thread() -> u32 {
    let Some(recorder) = recorder() else {
        return 0;
    };
    // SAFETY: gettid has no arguments and always succeeds.
    let tid = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
    let row = recorder.thread(tid, |tid| Path::new(&format!("/proc/self/task/{tid}")).exists());
    if row != 0 {
        recorder.stack_is(row, crate::paths::own_stack());
    }
    row
}

/// A call begins. Returns 0 if nothing is recorded, so that the shim calls nothing else for it.
///
/// # Safety
///
/// `call` points to a call; `requests` is null, or points to `count` handles.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_enter(call: *mut Call, requests: *const u64, count: usize) -> u32 {
    let Some(recorder) = recorder() else {
        return 0;
    };
    // SAFETY: the caller's promise.
    let (call, requests) = unsafe { (&mut *call, list(requests, count)) };
    recorder.enter(call, requests);
    1
}

/// Among whom the call, which has begun, divides what it gives.
///
/// # Safety
///
/// `call` points to the call that [`hindmost_enter`] has filled.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_peers(call: *const Call) -> Peers {
    let recorder = recorder();
    // SAFETY: the caller's promise.
    recorder.map_or_else(Peers::default, |recorder| recorder.peers(unsafe { &*call }))
}

/// How many neighbours the task has in the topology of the communicator of the call, which has begun.
///
/// # Safety
///
/// `call` points to the call that [`hindmost_enter`] has filled.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_neighbours(call: *const Call) -> NeighbourCounts {
    let recorder = recorder();
    // SAFETY: the caller's promise.
    recorder.map_or_else(NeighbourCounts::default, |recorder| {
        recorder.neighbour_counts(unsafe { &*call })
    })
}

/// The call, which has begun, gives these portions and takes those behind them: the bytes of each plus one, 0 if they are not known. If `request` is not 0, the call has prepared that one, and they are
/// given and taken each time that it is started.
///
/// # Safety
///
/// `call` points to the call that [`hindmost_enter`] has filled; `portions` is null, or points to `given` and `taken` words.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_divide(
    call: *const Call,
    request: u64,
    portions: *const u64,
    given: usize,
    taken: usize,
) {
    if let Some(recorder) = recorder() {
        // SAFETY: the caller's promise.
        let (call, portions) = unsafe { (&*call, list(portions, given.saturating_add(taken))) };
        match request {
            0 => recorder.divide(call, portions, given),
            request => recorder.divide_at_start(request, portions, given),
        }
    }
}

/// The call ends: `outcome` is 0 if it is done, 1 if it asked and the answer was no, 2 after an error, 3 if it has started what a request completes.
///
/// # Safety
///
/// `call` points to the call that [`hindmost_enter`] has filled.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_leave(call: *const Call, outcome: u32) {
    let Some(recorder) = recorder() else {
        return;
    };
    let outcome = match outcome {
        0 => Outcome::Done,
        1 => Outcome::Unanswered,
        3 => Outcome::Started,
        _ => Outcome::Failed,
    };
    // SAFETY: the caller's promise.
    recorder.leave(unsafe { &*call }, outcome);
}

/// The call has made a request: one under way, or, if `persistent` is not 0, one that can be started.
///
/// # Safety
///
/// `call` points to the call that [`hindmost_enter`] has filled.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_request(call: *const Call, handle: u64, persistent: u32) {
    if let Some(recorder) = recorder() {
        // SAFETY: the caller's promise.
        let call = unsafe { &*call };
        match persistent {
            0 => recorder.start(call, handle),
            _ => recorder.prepare(call, handle),
        }
    }
}

/// The call, a matched probe, has taken a message, which has this handle until [`hindmost_free`] says that it is received.
///
/// # Safety
///
/// `call` points to the call that [`hindmost_enter`] has filled.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_take(call: *const Call, message: u64) {
    if let Some(recorder) = recorder() {
        // SAFETY: the caller's promise.
        recorder.take(unsafe { &*call }, message);
    }
}

/// A prepared request is started.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_activate(handle: u64) {
    if let Some(recorder) = recorder() {
        recorder.activate(handle);
    }
}

/// A request is complete. What was received is told by `source` and `tag`, if `source` is a rank.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_complete(handle: u64, source: i64, tag: i64) {
    if let Some(recorder) = recorder() {
        recorder.complete(handle, (source >= 0).then_some((source, tag)));
    }
}

/// The program asks for the operation of a request to be cancelled. Returns 0 if MPI is not to be asked, too.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_cancel(handle: u64) -> u32 {
    recorder().map_or(1, |recorder| u32::from(recorder.cancel(handle)))
}

/// The operation of a request was cancelled.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_cancelled(handle: u64) {
    if let Some(recorder) = recorder() {
        recorder.cancelled(handle);
    }
}

/// A request is freed.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_free(handle: u64) {
    if let Some(recorder) = recorder() {
        recorder.free(handle);
    }
}

/// Whether a status is needed to know what one of these requests received.
///
/// # Safety
///
/// `requests` is null, or points to `count` handles.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_open_requests(requests: *const u64, count: usize) -> u32 {
    // SAFETY: the caller's promise.
    let requests = unsafe { list(requests, count) };
    recorder().map_or(0, |recorder| u32::from(recorder.any_open(requests)))
}

/// The task gives a signal (`recording::layout::signal`) to peers, ranks of a window.
///
/// # Safety
///
/// `peers` is null, or points to `count` ranks.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_signal(window: u64, signal: u32, peers: *const u32, count: usize) {
    if let Some(recorder) = recorder() {
        // SAFETY: the caller's promise.
        recorder.signal(window, i64::from(signal), unsafe { list(peers, count) });
    }
}

/// The same to the peers of the open epoch that waits for `of`.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_signal_epoch(window: u64, of: u32, signal: u32) {
    if let Some(recorder) = recorder() {
        recorder.signal_epoch(window, i64::from(of), i64::from(signal));
    }
}

/// An epoch begins that waits for a signal of each of these peers.
///
/// # Safety
///
/// `call` points to a call; `peers` is null, or points to `count` ranks.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_epoch(call: *const Call, signal: u32, peers: *const u32, count: usize) {
    if let Some(recorder) = recorder() {
        // SAFETY: the caller's promise.
        let (call, peers) = unsafe { (&*call, list(peers, count)) };
        recorder.begin_epoch(call, i64::from(signal), peers);
    }
}

/// Writes the first handles of what the open epoch waits for; how many there are.
///
/// # Safety
///
/// `handles` is null, or points to room for `most` of them.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_epoch_handles(
    window: u64,
    signal: u32,
    handles: *mut u64,
    most: usize,
) -> usize {
    let Some(recorder) = recorder() else {
        return 0;
    };
    let found = recorder.epoch_handles(window, i64::from(signal));
    if !handles.is_null() {
        let count = found.len().min(most);
        // SAFETY: the caller's promise; the list is not the caller's.
        unsafe { std::ptr::copy_nonoverlapping(found.as_ptr(), handles, count) };
    }
    found.len()
}

/// All that the open epoch waits for has come.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_epoch_is_met(window: u64, signal: u32) {
    if let Some(recorder) = recorder() {
        recorder.epoch_is_met(window, i64::from(signal));
    }
}

/// The open epoch ends; if `is_met` is 0, by an error.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_epoch_ends(window: u64, signal: u32, is_met: u32) {
    if let Some(recorder) = recorder() {
        recorder.end_epoch(window, i64::from(signal), is_met != 0);
    }
}

/// A call that asked for the lock of a part of a window has returned; `how` is a word of `recording::layout::signal`.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_lock(window: u64, target: i64, how: u32) {
    if let Some(recorder) = recorder() {
        recorder.lock(window, target, i64::from(how));
    }
}

/// The lock of a part is given back, or, if `target` is no rank, that of all parts.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_unlock(window: u64, target: i64) {
    if let Some(recorder) = recorder() {
        recorder.unlock(window, target);
    }
}

/// A communicator, window or file, as the shim describes it.
#[repr(C)]
#[derive(Debug)]
pub struct Described {
    /// See [`New`].
    pub handle: u64,
    /// See [`New`].
    pub parent: u64,
    /// See [`New`].
    pub made_by: u64,
    /// See [`New`].
    pub ordinal: u64,
    /// The members, as ranks of the world, negative if of another one.
    pub members: *const i32,
    /// Those of the remote group.
    pub remote: *const i32,
    /// Of whom the task takes in operations among neighbours, as ranks of the world, negative for `MPI_PROC_NULL`.
    pub sources: *const i32,
    /// To whom it gives.
    pub destinations: *const i32,
    /// How many members.
    pub size: u32,
    /// How many of the remote group.
    pub remote_size: u32,
    /// See [`New`].
    pub kind: u32,
    /// See [`New`].
    pub by_all: u32,
    /// See [`New`].
    pub rank: u32,
    /// How many sources.
    pub source_count: u32,
    /// How many destinations.
    pub destination_count: u32,
    /// The neighbours are known, if it is not 0.
    pub has_neighbours: u32,
}

/// A communicator, window or file is there.
///
/// # Safety
///
/// `described` points to a description, and its lists to as many ranks as it says.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub unsafe extern "C" fn hindmost_communicator(described: *const Described) {
    let Some(recorder) = recorder() else {
        return;
    };
    // SAFETY: the caller's promise.
    let (described, [members, remote, sources, destinations]) = unsafe {
        let described = &*described;
        let lists = [
            (described.members, described.size),
            (described.remote, described.remote_size),
            (described.sources, described.source_count),
            (described.destinations, described.destination_count),
        ];
        (
            described,
            lists.map(|(first, count)| list(first.cast::<u32>(), count as usize)),
        )
    };
    let ranks = |list: &[u32]| -> Vec<u32> {
        let known = |rank: &u32| {
            if (*rank as i32) < 0 {
                recording::layout::UNKNOWN_MEMBER
            } else {
                *rank
            }
        };
        list.iter().map(known).collect()
    };
    let (sources, destinations) = (ranks(sources), ranks(destinations));
    let neighbours = NeighbourRanks {
        sources: &sources,
        destinations: &destinations,
    };
    recorder.add_communicator(&New {
        handle: described.handle,
        kind: described.kind,
        parent: described.parent,
        by_all: described.by_all != 0,
        made_by: described.made_by,
        ordinal: described.ordinal,
        rank: described.rank,
        members: &ranks(members),
        remote: &ranks(remote),
        neighbours: (described.has_neighbours != 0).then_some(neighbours),
    });
}

/// A communicator, window or file is freed.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "called from C")]
pub extern "C" fn hindmost_communicator_freed(handle: u64, kind: u32) {
    if let Some(recorder) = recorder() {
        recorder.remove_communicator(handle, kind);
    }
}

/// # Safety
///
/// `first` is null, or points to `count` values that nobody changes for as long as the result is used.
#[expect(unsafe_code, reason = "lists come from C")]
pub(crate) unsafe fn list<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(first, count) }
}
