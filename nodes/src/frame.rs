//! Frames: the pieces that a stream between front and node is made of.
//!
//! ```text
//! magic "HMF1" | kind u8 | stored u32 | plain u32 | checksum u32 | stored bytes: deflate of the plain ones
//! ```
//!
//! Numbers are little-endian. The checksum is the CRC-32 of all of the header before it and of the stored bytes: what is cut off, altered on its way, or made by something else is
//! an error, and never another message. How much is read and how much it becomes is bounded by what the header says, which is looked at before the rest.

use crate::lines::NotLines;
use base::most_decompressed;
use miniz_oxide::{deflate, inflate};
use std::fmt;

/// What every frame begins with.
pub const MAGIC: &[u8; 4] = b"HMF1";

const HEADER: usize = 17;

/// No frame has more bytes than this, on its way or afterwards: a map of the largest programs, or the stacks of thousands of tasks.
pub const LARGEST: u32 = 256 << 20;

/// zlib's usual level: what is sent is made once and costs milliseconds.
const LEVEL: u8 = 6;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The probe is there.
    Hello = 1,
    /// Which tasks are meant.
    Select = 2,
    /// The tasks that there are.
    Found = 3,
    /// The map that the probe reads variables by.
    Map = 4,
    /// Look at the tasks.
    Look = 5,
    /// What they were seen at.
    Report = 6,
    /// Why the node cannot do what it was asked for.
    Failure = 7,
    /// A map beside those that were sent: a job may be of several programs.
    FurtherMap = 8,
    /// Which nodes answer together.
    Plan = 9,
    /// The tasks that there are on several nodes.
    FoundThere = 10,
    /// What several nodes were seen at, or a piece of it.
    Piece = 11,
    /// There will be no other question.
    End = 12,
    /// What have the tasks recorded?
    Recordings = 13,
    /// What those of a node have.
    Recorded = 14,
    /// Where the node may find a map that it reads variables by.
    MapFile = 15,
    /// The node has not found one there.
    MapsWanted = 16,
    /// What have they written to their rings of events since?
    Events = 17,
}

impl Kind {
    const ALL: [Kind; 17] = [
        Kind::Hello,
        Kind::Select,
        Kind::Found,
        Kind::Map,
        Kind::Look,
        Kind::Report,
        Kind::Failure,
        Kind::FurtherMap,
        Kind::Plan,
        Kind::FoundThere,
        Kind::Piece,
        Kind::End,
        Kind::Recordings,
        Kind::Recorded,
        Kind::MapFile,
        Kind::MapsWanted,
        Kind::Events,
    ];

    fn of_number(number: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|&kind| kind as u8 == number)
    }
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it holds.
    pub kind: Kind,
    /// Its bytes, as they were before they were compressed.
    pub bytes: Vec<u8>,
}

/// Why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// They begin with something else.
    NoFrame,
    /// Of a kind that is not known.
    UnknownKind(u8),
    /// It says that it has so many bytes, which is more than is read.
    TooLarge(u32),
    /// Its bytes are not those that were sent.
    Altered,
    /// They are no deflate stream of as many bytes as the frame says.
    NotInflated,
    /// The stream ended within it.
    Cut,
    /// They were to come as lines of text.
    NotLines(NotLines),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::NoFrame => f.write_str("something else than a frame"),
            FrameError::UnknownKind(kind) => write!(f, "a frame of the unknown kind {kind}"),
            FrameError::TooLarge(bytes) => write!(f, "a frame of {bytes} bytes, more than are read"),
            FrameError::Altered => f.write_str("a frame that was altered on its way (its checksum is wrong)"),
            FrameError::NotInflated => f.write_str("a frame that cannot be inflated"),
            FrameError::Cut => f.write_str("a frame that is cut off"),
            FrameError::NotLines(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FrameError {}

impl Frame {
    /// The frame as it is sent.
    ///
    /// # Errors
    /// It is larger than any that is read.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FrameError> {
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let plain = length(&self.bytes);
        let stored = deflate::compress_to_vec(&self.bytes, LEVEL);
        if let Some(too_large) = [plain, length(&stored)]
            .into_iter()
            .find(|&bytes| bytes > LARGEST)
        {
            return Err(FrameError::TooLarge(too_large));
        }
        let mut out = Vec::with_capacity(HEADER + stored.len());
        out.extend(MAGIC);
        out.push(self.kind as u8);
        out.extend(length(&stored).to_le_bytes());
        out.extend(plain.to_le_bytes());
        out.extend(checksum(&out, &stored).to_le_bytes());
        out.extend(stored);
        Ok(out)
    }
}

fn checksum(header: &[u8], stored: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(stored);
    hasher.finalize()
}

/// Reads frames from a stream, however it is cut into pieces.
#[derive(Clone, Debug)]
pub struct Reader {
    bytes: Vec<u8>,
    /// What of them was read. It is let go when more comes, not frame by frame.
    read: usize,
    most: u32,
}

impl Default for Reader {
    fn default() -> Self {
        Reader::with_most(LARGEST)
    }
}

impl Reader {
    /// One that reads no frame of more bytes, stored or inflated.
    pub fn with_most(most: u32) -> Self {
        Reader {
            bytes: Vec::new(),
            read: 0,
            most,
        }
    }

    /// From the next frame on, one may have so many bytes.
    pub fn expect(&mut self, most: u32) {
        self.most = most;
    }

    /// Takes the next piece of the stream.
    pub fn push(&mut self, piece: &[u8]) {
        self.bytes.drain(..self.read);
        self.read = 0;
        self.bytes.extend_from_slice(piece);
    }

    /// How many bytes wait for more.
    pub fn waiting(&self) -> usize {
        self.bytes.len() - self.read
    }

    /// The next frame; `None` while it is not there as a whole. To be asked after each piece, so that no more is kept than one frame and a piece.
    ///
    /// # Errors
    /// What is there is no frame. Nothing that follows in the stream can be believed.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameError> {
        let waiting = &self.bytes[self.read..];
        let known = waiting.len().min(MAGIC.len());
        if waiting[..known] != MAGIC[..known] {
            return Err(FrameError::NoFrame);
        }
        let Some(header) = waiting.first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let number =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let kind = Kind::of_number(header[4]).ok_or(FrameError::UnknownKind(header[4]))?;
        let (stored, plain, sum) = (number(5), number(9), number(13));
        let most_plain = most_decompressed(stored.into()).min(self.most.into());
        if stored > self.most {
            return Err(FrameError::TooLarge(stored));
        }
        if u64::from(plain) > most_plain {
            return Err(FrameError::TooLarge(plain));
        }
        let end = HEADER + stored as usize;
        let Some(content) = waiting.get(HEADER..end) else {
            return Ok(None);
        };
        if checksum(&header[..13], content) != sum {
            return Err(FrameError::Altered);
        }
        let bytes = inflate::decompress_to_vec_with_limit(content, plain as usize);
        let bytes = bytes.ok().filter(|bytes| bytes.len() == plain as usize);
        let bytes = bytes.ok_or(FrameError::NotInflated)?;
        self.read += end;
        Ok(Some(Frame { kind, bytes }))
    }

    /// The end of the stream.
    ///
    /// # Errors
    /// It is within a frame.
    pub fn finish(&self) -> Result<(), FrameError> {
        match self.waiting() {
            0 => Ok(()),
            _ => Err(FrameError::Cut),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: Kind, text: &str) -> Frame {
        Frame {
            kind,
            bytes: text.as_bytes().to_vec(),
        }
    }

    #[test]
    fn frames_are_read_as_they_were_sent_in_pieces_of_any_size() {
        let sent = [
            frame(Kind::Hello, "hello"),
            frame(Kind::Map, ""),
            frame(Kind::Report, &"MPI_Recv ".repeat(5000)),
        ];
        let stream = sent.iter().flat_map(|frame| frame.to_bytes().unwrap());
        let stream = Vec::from_iter(stream);
        assert!(stream.len() < 1000, "{}", stream.len());
        for size in [1, 7, 16, 17, 18, 100, stream.len()] {
            let mut reader = Reader::default();
            let mut read = Vec::new();
            for piece in stream.chunks(size) {
                reader.push(piece);
                while let Some(frame) = reader.next_frame().unwrap() {
                    read.push(frame);
                }
            }
            assert_eq!((&read[..], reader.finish()), (&sent[..], Ok(())), "{size}");
        }
    }

    #[test]
    fn what_was_altered_or_cut_is_never_another_frame() {
        let sent = frame(Kind::Report, "ranks 0-3 wait in MPI_Recv");
        let bytes = sent.to_bytes().unwrap();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut altered = bytes.clone();
                altered[at] ^= 1 << bit;
                let mut reader = Reader::default();
                reader.push(&altered);
                // A length that became larger waits for more.
                let read = reader.next_frame();
                assert!(matches!(read, Err(_) | Ok(None)), "{at} {bit}: {read:?}");
            }
            let mut reader = Reader::default();
            reader.push(&bytes[..at]);
            assert_eq!(reader.next_frame(), Ok(None));
            assert_eq!(reader.finish().is_err(), at > 0);
        }
    }

    #[test]
    fn a_frame_is_bounded_by_what_its_header_says() {
        let bytes = frame(Kind::Report, &"a".repeat(5000)).to_bytes().unwrap();
        let mut reader = Reader::with_most(4999);
        reader.push(&bytes[..HEADER]);
        assert_eq!(reader.next_frame(), Err(FrameError::TooLarge(5000)));
        reader.expect(5000);
        reader.push(&bytes[HEADER..]);
        assert!(matches!(reader.next_frame(), Ok(Some(_))));

        let mut reader = Reader::default();
        reader.push(b"Welcome to node7!\n");
        assert_eq!(reader.next_frame(), Err(FrameError::NoFrame));
    }
}
