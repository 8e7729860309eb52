//! ParLOT's code (its section 2.3.3), the baseline: LZ on 16-bit values, then zero elimination on bytes.
//!
//! Its text leaves open how a length is told from a value. As in its released encoder, the place of a match follows from the three values before, so that a
//! reader knows by itself when a length comes; the value that ended the match follows the length.

use calltrace::Event;

const HASHES: usize = 4096;
const HISTORY: usize = 1 << 16;

/// Events as ParLOT's 16-bit values.
pub fn symbols(events: &[Event]) -> Vec<u16> {
    let value = |event: &Event| match event {
        Event::Enter(function) => u16::try_from(function.number()).expect("ParLOT has 16 bits"),
        Event::Exit => 0,
    };
    events.iter().map(value).collect()
}

/// What both sides know.
struct Window {
    seen: Vec<u16>,
    last: Vec<Option<usize>>,
}

impl Window {
    fn new() -> Self {
        Self {
            seen: Vec::new(),
            last: vec![None; HASHES],
        }
    }

    fn hash(&self) -> Option<usize> {
        let [a, b, c] = *self.seen.last_chunk::<3>()?;
        Some((usize::from(a) << 6 ^ usize::from(b) << 3 ^ usize::from(c)) % HASHES)
    }

    /// Where the last three values stood before, if the next may be found there.
    fn place(&self) -> Option<usize> {
        let place = self.last[self.hash()?]?;
        let same = self.seen[place - 3..place] == self.seen[self.seen.len() - 3..];
        (same && self.seen.len() - place < HISTORY).then_some(place)
    }

    fn push(&mut self, value: u16) {
        if let Some(hash) = self.hash() {
            self.last[hash] = Some(self.seen.len());
        }
        self.seen.push(value);
    }
}

/// The bytes of these values.
pub fn encoded(values: &[u16]) -> Vec<u8> {
    let mut window = Window::new();
    let mut out: Vec<u16> = Vec::new();
    let mut at = 0;
    while at < values.len() {
        if let Some(place) = window.place() {
            let mut length = 0;
            while at < values.len()
                && length < u16::MAX
                && values[at] == window.seen[place + usize::from(length)]
            {
                window.push(values[at]);
                at += 1;
                length += 1;
            }
            out.push(length);
        }
        if let Some(&value) = values.get(at) {
            out.push(value);
            window.push(value);
            at += 1;
        }
    }
    without_zeros(&out)
}

fn without_zeros(values: &[u16]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut out = Vec::new();
    for group in bytes.chunks(8) {
        let bits = group
            .iter()
            .enumerate()
            .map(|(bit, &byte)| u8::from(byte != 0) << bit);
        out.push(bits.sum());
        out.extend(group.iter().filter(|&&byte| byte != 0));
    }
    out
}

/// So many values of these bytes: the last group of bytes may seem to hold more zeros.
pub fn decoded(bytes: &[u8], count: usize) -> Vec<u16> {
    let mut rest = bytes.iter();
    let mut all = Vec::new();
    while let Some(bits) = rest.next() {
        let byte = |bit: u8| (bits >> bit & 1 != 0).then(|| *rest.next().expect("bits tell how many follow"));
        all.extend((0..8).map(byte).map(Option::unwrap_or_default));
    }
    let mut values = all
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let mut window = Window::new();
    while window.seen.len() < count {
        if let Some(place) = window.place() {
            let Some(length) = values.next() else { break };
            for offset in 0..usize::from(length) {
                window.push(window.seen[place + offset]);
            }
        }
        let Some(value) = values.next() else { break };
        window.push(value);
    }
    window.seen.truncate(count);
    window.seen
}
