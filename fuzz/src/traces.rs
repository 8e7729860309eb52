//! Traces of calls, and streams of events as traces.

use calltrace::layout::{BLOCK, HEADER, LONGEST_TOKEN, QUEUE, ROOM};
use calltrace::{Encoder, Event, Function, Refused, Stamps, Tables, Task, Trace, encode, packed};
use progress_map::generate::Rng;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A few bytes may stand for 2^28 expected events.
const READ: usize = 20_000;

/// Any bytes are a trace or an error; what is read of one can be written and read again. Any bytes as calls can be written and read.
pub(crate) fn trace(bytes: &[u8]) {
    let calls = calls_of(bytes);
    let of_calls = written(&calls);
    assert_eq!(read_back(&of_calls), calls);
    let again_and_again = repeated(&calls);
    assert!(written(&again_and_again) == written_by(&again_and_again, Way::Counts));
    let whole = packed::whole(&of_calls, 1).expect("it was just written");
    let trace = Trace::of(&[], &whole).expect("it was just packed");
    assert!(trace.events().eq(calls.iter().copied().map(Ok)));
    packed_file(bytes, &of_calls);
    if let Ok(stamps) = Stamps::of(bytes, &[]) {
        let all = Vec::from_iter(stamps.all().take(READ));
        let order = all.iter().flatten().map(|stamp| (stamp.behind, stamp.time));
        assert!(order.is_sorted());
    }
    if let Ok(task) = Task::read(bytes) {
        let mut known = task.functions.iter().flatten().filter_map(|place| place.module);
        assert!(known.all(|module| module < task.modules.len()));
    }
    let Ok(trace) = Trace::read(bytes) else {
        return;
    };
    let mut events = trace.events();
    let good: Vec<Event> = events.by_ref().map_while(Result::ok).take(READ).collect();
    assert_eq!(events.next_event(), good.len() as u64);
    assert_eq!(read_back(&written(&good)), good);
    let queued = trace.queued(&events).count();
    assert!(queued <= QUEUE);
    let middle = good.len() / 2;
    let from: Vec<Event> = trace
        .from(middle as u64)
        .map_while(Result::ok)
        .take(100)
        .collect();
    assert!(from.starts_with(&good[middle..(middle + 100).min(good.len())]));
    for block in 0..trace.blocks() {
        let _ = trace.from_block(block).take(1_000).filter(Result::is_err).count();
    }
}

/// Any bytes may stand where blocks were packed; what is good of them can be packed again.
fn packed_file(bytes: &[u8], trace: &[u8]) {
    let Ok(ours) = Trace::of(trace, bytes) else { return };
    let read = Vec::from_iter(ours.events().take(READ));
    for block in 0..ours.blocks() {
        let _ = ours.from_block(block).take(1_000).filter(Result::is_err).count();
    }
    let length = packed::Packed::read(bytes).length;
    let again = Trace::of(trace, &bytes[..length]).expect("nothing behind it counts");
    assert!(again.events().take(READ).eq(read));
}

/// Traces of one block and of several.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let seed = |name: &str, count: usize, functions: usize| {
        let mut rng = Rng(count as u64);
        let bytes: Vec<u8> = (0..count).map(|_| rng.below(functions) as u8).collect();
        (name.to_owned(), written(&calls_of(&bytes)))
    };
    let packed = |name: &str, (_, trace): (String, Vec<u8>)| {
        let whole = packed::whole(&trace, 1).expect("it was just written");
        (name.to_owned(), whole)
    };
    vec![
        packed("packed", seed("", 20_000, 200)),
        packed("packed-blocks", seed("", 90_000, 256)),
        seed("regular", 500, 2),
        seed("irregular", 20_000, 200),
        seed("blocks", 90_000, 256),
    ]
}

/// Each byte is an entry, or an exit where there is something to leave.
fn calls_of(bytes: &[u8]) -> Vec<Event> {
    let mut depth = 0_u32;
    let mut state = 0_u32;
    let event = |&byte: &u8| {
        state = state.wrapping_mul(31).wrapping_add(u32::from(byte));
        match Function::new(state % (1 << (byte % 24))) {
            Some(function) if byte % 2 == 1 || depth == 0 => {
                depth += 1;
                Some(Event::Enter(function))
            }
            _ => {
                depth = depth.checked_sub(1)?;
                Some(Event::Exit)
            }
        }
    };
    bytes.iter().take(READ * 2).filter_map(event).collect()
}

/// The same calls as turns of a loop.
fn repeated(calls: &[Event]) -> Vec<Event> {
    const TURNS: usize = 40;
    let entered = calls.iter().filter(|&&event| event != Event::Exit).count();
    let open = 2 * entered - calls.len();
    let turn = calls
        .iter()
        .copied()
        .chain(std::iter::repeat_n(Event::Exit, open));
    let turn = Vec::from_iter(turn);
    let most = turn.len() * TURNS;
    turn.into_iter().cycle().take(most.min(READ)).collect()
}

/// How events are recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Each for itself.
    Records,
    /// Those that were foretold are counted.
    Counts,
}

fn written(events: &[Event]) -> Vec<u8> {
    written_by(events, Way::Records)
}

fn written_by(events: &[Event], way: Way) -> Vec<u8> {
    let header = [const { AtomicU64::new(0) }; HEADER];
    encode::describe(&header);
    let most = events.len() / (ROOM / LONGEST_TOKEN - 1) + 1;
    let blocks: Vec<OnceLock<Box<[AtomicU64; BLOCK]>>> = (0..most).map(|_| OnceLock::new()).collect();
    let mut tables = Box::<Tables>::default();
    let mut encoder = Encoder::new(&mut tables);
    let mut free = blocks.iter();
    for &event in events {
        if way == Way::Counts && encoder.open_lane().is_some_and(|lane| lane.count(event)) {
            continue;
        }
        if encoder.record(event) == Err(Refused::NeedsBlock) {
            let block = free.next().expect("each block has room for so many tokens");
            let block = block.get_or_init(|| Box::new([const { AtomicU64::new(0) }; BLOCK]));
            encoder.begin(block).expect("there are few blocks");
            encoder.record(event).expect("a new block has room");
        }
    }
    let begun = blocks
        .iter()
        .map_while(OnceLock::get)
        .flat_map(|block| block.iter());
    let words = header.iter().chain(begun);
    words
        .flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes())
        .collect()
}

fn read_back(bytes: &[u8]) -> Vec<Event> {
    let trace = Trace::read(bytes).expect("it was just written");
    trace
        .events()
        .map(|event| event.expect("it was just written"))
        .collect()
}
