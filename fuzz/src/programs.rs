//! Programs, their unwind tables, the stacks of their tasks, and their cores.

use crate::seeds;
use engine::Map;
use runtime_probe::hostile;
use snapshot::Task;
use std::sync::LazyLock;

/// A program of which the values of maps are read: bytes that the probe takes for its code.
static PROGRAM: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| seeds::built().map(|(_, bytes)| bytes).next());

/// Any bytes are bound or refused, and a binding keeps the rules of maps.
pub(crate) fn bind(bytes: &[u8]) {
    let mut map = seeds::SMALL.clone();
    let program = ::bind::Program {
        executable: bytes,
        ..::bind::Program::default()
    };
    let bound = ::bind::bind_program(&mut map, &program, "program");
    assert_eq!(map.binding.is_some(), bound.is_ok());
    if let Err(error) = &bound {
        assert!(!error.to_string().is_empty());
    }
    let _ = ::bind::identity(bytes);
    carry(bytes);
    let _ = ::bind::needs(bytes, None);
    let _ = engine::executable_sources(&program);
    // As the separate debug file of itself.
    let _ = ::bind::needs(bytes, Some(bytes));
    if bound.is_err() {
        return;
    }
    assert_eq!(map.validate(), Ok(()));
    assert_eq!(::bind::check(&map, bytes), Ok(()));
    assert_eq!(Map::from_bytes(&map.to_bytes()).as_ref(), Ok(&map));
    let _ = engine::check(&map, &program).map(|check| report::check_text(&check, "program"));
    if ::bind::bind_library(&mut map, &program, "program").is_ok() {
        assert_eq!(map.validate(), Ok(()));
    }
}

/// Any bytes carry a map or are refused, and no byte moves but those of the header and behind the sections.
fn carry(bytes: &[u8]) {
    let _ = embed::section(bytes, embed::UNITS).map(|found| {
        let fragments = embed::fragment::read(found.unwrap_or_default(), engine::FRAGMENT_LAYOUT);
        let _ = engine::ProgramUnits::of(fragments.flatten()).map(|units| units.map(&|_| {}));
        // What was not read of it is not missed.
        let outline = outlined(bytes);
        assert_eq!(embed::section(&outline, embed::UNITS), Ok(found));
        assert_eq!(
            engine::identity(&outline).map_err(|error| error.to_string()),
            engine::identity(bytes).map_err(|error| error.to_string())
        );
    });
    if let Ok(with) = embed::with_section(bytes, embed::MAP, b"content", embed::Kind::Joined) {
        assert_eq!(embed::section(&with, embed::MAP), Ok(Some(&b"content"[..])));
    }
}

/// What is read of a program before anybody asks for its debug info.
fn outlined(bytes: &[u8]) -> Vec<u8> {
    let mut outline = vec![0; bytes.len()];
    for step in embed::outline::STEPS {
        for part in step(&outline) {
            let part = part.start.min(bytes.len())..part.end.min(bytes.len());
            outline[part.clone()].copy_from_slice(&bytes[part]);
        }
    }
    outline
}

/// Two bytes with the length of a stack, the stack, and the file whose code its frames are in: frames or none, and as many
/// as such a stack can hold.
pub(crate) fn unwind(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first_chunk() else {
        return;
    };
    let (stack, file) = rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len()));
    let frames = hostile::stacks(file, stack, &Map::default());
    // A frame takes a word of the stack, but for a few.
    let most = stack.len() / 8 + 64;
    assert!(frames.is_none_or(|frames| frames.len() <= most));
}

/// What the probe reads by a binding that came from a file: the values of its variables in frames that are made up.
pub(crate) fn with_binding(map: &Map) {
    if map.binding.is_none() {
        return;
    }
    if let Some(program) = PROGRAM.as_deref() {
        let stack: Vec<u8> = (0..96u64)
            .flat_map(|word| (0x7ffc_0000_0000 + 8 * word).to_le_bytes())
            .collect();
        // As text, since what is no number is unlike itself.
        let frames = |map: &Map| format!("{:?}", hostile::stacks(program, &stack, map));
        assert_eq!(
            frames(&map.for_probe()),
            frames(map),
            "what is sent of it is enough"
        );
    }
}

/// Any bytes are a core, cut off or not, or none; one that is has a record which says what it lacks.
pub(crate) fn core(bytes: &[u8]) {
    let Some(core) = hostile::core(bytes) else {
        return;
    };
    let _ = (
        core.executable(),
        core.executable_build_id(),
        core.signal(),
        core.job_size(),
    );
    let _ = runtime_probe::libraries_of_cores(&[&core]);
    let records = runtime_probe::take_cores(&Map::default(), &[core]);
    assert_eq!(records.len(), 1);
    let record: &Task = &records[0];
    assert!(!record.frames.is_empty() || record.error.is_some());
    let text = snapshot::write(&snapshot::Header::default(), &records);
    assert!(snapshot::read(&text).is_ok(), "{text}");
}
