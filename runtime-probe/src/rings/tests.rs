use super::*;
use recording::layout::{MAGIC, VERSION, WORDS, header};
use std::time::Instant;

/// More than are kept open.
const COUNT: u64 = 700;
const CAPACITY: u64 = 64;

fn put(file: &File, words: &[(usize, u64)]) {
    for &(index, value) in words {
        file.write_all_at(&value.to_le_bytes(), index as u64 * 8).unwrap();
    }
}

/// What a rank of so many has recorded, in a file with room that was never used.
fn record(path: &Path, rank: u64, of: u64) {
    let recording = File::create_new(path).unwrap();
    recording.set_len(WORDS as u64 * 8).unwrap();
    put(
        &recording,
        &[
            (header::MAGIC, MAGIC),
            (header::VERSION, VERSION),
            (header::PID, rank + 1),
            (header::BIRTH, 5),
            (header::RANK, rank + 1),
            (header::SIZE, of),
        ],
    );
    let ring = File::create_new(path.with_extension(ring::EXTENSION)).unwrap();
    ring.set_len(ring::words(CAPACITY) as u64 * 8).unwrap();
    put(
        &ring,
        &[
            (ring::header::MAGIC, ring::MAGIC),
            (ring::header::VERSION, ring::VERSION),
            (ring::header::PID, rank + 1),
            (ring::header::BIRTH, 5),
            (ring::header::CAPACITY, CAPACITY),
        ],
    );
}

/// Writes the events of these numbers, of no operation.
fn write(path: &Path, numbers: std::ops::Range<u64>) {
    let ring = File::options()
        .write(true)
        .open(path.with_extension(ring::EXTENSION))
        .unwrap();
    for number in numbers.clone() {
        let at = ring::HEADER + (number % CAPACITY) as usize * ring::SLOT;
        put(
            &ring,
            &[
                (at + ring::slot::TIME, 1000 * number),
                (at + ring::slot::WHAT, 1 | u64::from(u32::MAX) << 32),
                (at + ring::slot::SEQUENCE, number + 1),
            ],
        );
    }
    put(&ring, &[(ring::header::WRITTEN, numbers.end)]);
}

/// How many rings this process has open, and the most memory that it had, in kilobytes.
fn open_rings_and_memory() -> (usize, u64) {
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    let names = open.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
    let rings = names.filter(|name| name.extension().is_some_and(|ending| ending == ring::EXTENSION));
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let most = most.split_whitespace().next().unwrap().parse().unwrap();
    (rings.count(), most)
}

/// However many tasks there are, all are read, and no more rings stay open than a process may have. `HINDMOST_RINGS=100000` makes so many, and prints what it takes.
#[test]
fn of_very_many_rings_a_few_stay_open_and_all_are_read() {
    let count = std::env::var("HINDMOST_RINGS").map_or(COUNT, |count| count.parse().unwrap());
    let directory = std::env::temp_dir().join(format!("hindmost-rings-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let paths = Vec::from_iter((0..count).map(|rank| directory.join(format!("{rank}.recording"))));
    for (rank, path) in (0..).zip(&paths) {
        record(path, rank, count);
        write(path, 0..3);
    }
    let mut rings = Rings::default();
    let portion = Portion {
        events: u64::MAX,
        with_files: false,
    };
    let (_, before) = open_rings_and_memory();
    for (what, expected) in [
        ("the first time", 3 * count),
        ("nothing is new", 0),
        ("one has more", 2),
    ] {
        if expected == 2 {
            // One that is not kept open.
            write(paths.last().unwrap(), 3..5);
        }
        let begun = Instant::now();
        let new = rings.read(paths.clone(), portion, |_| true);
        let took = begun.elapsed();
        let events = new.iter().map(|new| new.events.events.len() as u64).sum::<u64>();
        assert_eq!(events, expected, "{what}");
        drop(new);
        let (open, memory) = open_rings_and_memory();
        assert!(open <= MOST_OPEN, "{open} rings are open");
        println!(
            "{what}: {took:?}, {open} rings open, {} KB more at most",
            memory - before
        );
    }
    assert_eq!(rings.recordings().count() as u64, count);
    std::fs::remove_dir_all(directory).unwrap();
}
