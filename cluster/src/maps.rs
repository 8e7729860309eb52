//! The maps that hosts read variables by, as they are told of them: whole, or by the files that have them, where a host may see the same as this one.

use nodes::{FrameError, MapFile, MapPlace, ToNode};
use std::path::PathBuf;
use std::sync::Arc;

/// A map that hosts are to have.
pub struct SentMap {
    /// Its bytes, as far as a probe reads them.
    pub bytes: Vec<u8>,
    /// A file that has at least as much of it, if there is one, and blake3 of all that is in that.
    pub file: Option<(PathBuf, [u8; 32])>,
}

/// Maps, as they are sent.
#[derive(Clone)]
pub struct MapFrames {
    /// All of them.
    pub(crate) whole: Arc<[u8]>,
    /// Where they lie, if that is worth saying.
    pub(crate) by_file: Option<Arc<[u8]>>,
}

/// A host that must be sent them after all answers once more. Fewer bytes than this, as they travel, are there sooner than that.
const WORTH_LOOKING_FOR: usize = 64 << 10;

impl MapFrames {
    /// Of maps.
    ///
    /// # Errors
    /// One is too large to be sent.
    pub fn of(maps: Vec<SentMap>) -> Result<Self, FrameError> {
        let places = std::iter::once(MapPlace::First).chain(std::iter::repeat(MapPlace::Further));
        let (mut whole, mut by_file) = (Vec::new(), Some(Vec::new()));
        for (place, SentMap { bytes, file }) in places.zip(maps) {
            let file = file.filter(|(file, _)| file.is_absolute());
            let file = file.and_then(|(file, hash)| Some((file.into_os_string().into_string().ok()?, hash)));
            whole.extend(ToNode::Map { place, bytes }.to_bytes()?);
            by_file = match (by_file, file) {
                (Some(mut frames), Some((path, hash))) => {
                    frames.extend(ToNode::MapFile(MapFile { place, path, hash }).to_bytes()?);
                    Some(frames)
                }
                _ => None,
            };
        }
        let is_worth_it = whole.len() >= WORTH_LOOKING_FOR;
        Ok(MapFrames {
            whole: whole.into(),
            by_file: by_file.filter(|_| is_worth_it).map(Arc::from),
        })
    }
}
