//! A core file as the kernel writes them, made by hand: what a real one holds of the machine does not belong in a test.

/// Where the program's image lies: what the core calls the kernel's own library, the only code that a core holds.
const IMAGE: u64 = 0x7fff_0000_0000;
/// Where the stack of a task begins.
pub(super) const STACK: u64 = 0x7ffc_0000_0000;
const PAGE: usize = 4096;

/// A core of one process with two threads, whose only code is `image`, as linked at its own addresses.
pub(super) fn with_image(image: &[u8]) -> Vec<u8> {
    // What is at the foot of a main stack: the environment and the auxiliary vector.
    let auxiliary = words(&[
        33,
        IMAGE,
        6,
        4096,
        3,
        0x40_0040,
        25,
        STACK + 0x700,
        9,
        0x40_1000,
        0,
        0,
    ]);
    let mut stack = vec![0; 0x800];
    for (index, word) in stack.chunks_exact_mut(8).enumerate().take(64) {
        let index = index as u64;
        let value = if index.is_multiple_of(2) {
            IMAGE + 0x180 + 8 * (index % 20)
        } else {
            STACK + 8 * index
        };
        word.copy_from_slice(&value.to_le_bytes());
    }
    let variable = b"PMIX_RANK=3\0";
    stack[0x710..0x710 + variable.len()].copy_from_slice(variable);
    let foot = [words(&[1, STACK + 0x720, 0, STACK + 0x710, 0]), auxiliary.clone()].concat();
    stack[0x600..0x600 + foot.len()].copy_from_slice(&foot);

    let path = b"/bin/true\0";
    let files = [words(&[1, PAGE as u64, 0x40_0000, 0x40_8000, 0]), path.to_vec()].concat();
    let mut notes = Vec::new();
    for (kind, content) in [
        (1, status(4711, 6)),
        (3, about(4711)),
        (6, auxiliary),
        (0x4649_4c45, files),
        (1, status(4712, 0)),
    ] {
        notes.extend(
            [5u32, content.len() as u32, kind]
                .iter()
                .flat_map(|word| word.to_le_bytes()),
        );
        notes.extend(b"CORE\0\0\0\0");
        notes.extend(&content);
        notes.resize(notes.len().next_multiple_of(4), 0);
    }

    const SEGMENTS: usize = 3;
    let notes_at = 64 + 56 * SEGMENTS;
    let stack_at = notes_at + notes.len();
    let image_at = stack_at + stack.len();
    let mut core = b"\x7fELF\x02\x01\x01".to_vec();
    core.resize(16, 0);
    // A core of x86-64; its program headers follow.
    core.extend([4, 0, 62, 0, 1, 0, 0, 0]);
    core.extend(words(&[0, 64, 0]));
    core.extend([0, 0, 0, 0, 64, 0, 56, 0, SEGMENTS as u8, 0, 0, 0, 0, 0, 0, 0]);
    let mut segment = |kind: u32, flags: u32, at: usize, address: u64, size: usize| {
        core.extend(kind.to_le_bytes());
        core.extend(flags.to_le_bytes());
        core.extend(words(&[at as u64, address, 0, size as u64, size as u64, 1]));
    };
    segment(4, 0, notes_at, 0, notes.len());
    segment(1, 6, stack_at, STACK, stack.len());
    segment(1, 5, image_at, IMAGE, image.len());
    core.extend(notes);
    core.extend(stack);
    core.extend(image);
    core
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// `NT_PRSTATUS` of a thread that stands in the image.
fn status(tid: u32, signal: u8) -> Vec<u8> {
    let mut status = vec![0; 336];
    status[12] = signal;
    status[32..36].copy_from_slice(&tid.to_le_bytes());
    let mut put = |register: usize, value: u64| {
        status[112 + 8 * register..][..8].copy_from_slice(&value.to_le_bytes());
    };
    put(4, STACK + 0x40);
    put(16, IMAGE + 0x1a0);
    put(17, 0x33);
    put(19, STACK + 0x10);
    status
}

/// `NT_PRPSINFO`.
fn about(pid: u32) -> Vec<u8> {
    let mut about = vec![0; 136];
    about[24..28].copy_from_slice(&pid.to_le_bytes());
    about
}
