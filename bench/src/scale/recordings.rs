//! What the recordings of a host's tasks take on their way to who asks, and how much of that is their models.

use nodes::{FromNode, NodeRecordings, RecordedPart, TaskRecording};
use recording::model::{END, STATES_AT};
use std::path::Path;

/// Measures the recordings of a directory, as those of one host.
pub(crate) fn measure(directory: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "recording") {
            files.push(std::fs::read(path).map_err(failed)?);
        }
    }
    if files.is_empty() {
        return Err(format!("{}: there is no recording", directory.display()));
    }
    let whole = sent(&files)?;
    for file in &mut files {
        let end = file.len().min(END * 8);
        file.get_mut(STATES_AT * 8..end).unwrap_or_default().fill(0);
    }
    let without = sent(&files)?;
    let each = |bytes: usize| bytes / files.len();
    println!(
        "{} tasks, bytes of each on the way: {}, of them its model: {}",
        files.len(),
        each(whole),
        each(whole.saturating_sub(without))
    );
    Ok(())
}

/// How many bytes a host sends for files.
fn sent(files: &[Vec<u8>]) -> Result<usize, String> {
    let mut all = NodeRecordings::default();
    for file in files {
        all.add(&TaskRecording {
            file: file.into(),
            ..TaskRecording::default()
        });
    }
    let part = RecordedPart {
        bytes: all.to_bytes(),
        last: true,
        ..RecordedPart::default()
    };
    let frame = FromNode::Recorded(part).to_bytes();
    frame.map(|frame| frame.len()).map_err(|error| error.to_string())
}
