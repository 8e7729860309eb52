//! The environment that a program was started with, out of its core.
//!
//! At the far end of the main stack stand, in this order: `argc`, the pointers of `argv` and a null, the pointers of
//! the environment and a null, the auxiliary vector. The core's notes repeat that vector, so it can be found by its
//! bytes, and what stands before it is the environment; neither symbols nor debug info of the C library are needed.

use super::file::Core;

/// More variables than `execve` takes: a chain of pointers that goes on longer is no environment.
const MOST: usize = 1 << 20;

/// More bytes than `execve` takes, whatever its limits: pointers that all lead to one long text are no environment.
const MOST_BYTES: usize = 8 << 20;

/// The variables, each ended by a zero byte, as `/proc/PID/environ` gives them; `None` when they cannot be found.
pub(crate) fn of(core: &Core) -> Option<Vec<u8>> {
    let vector = auxiliary_address(core)?;
    let end = vector.checked_sub(8)?;
    if core.word(end)? != 0 {
        return None;
    }
    let mut pointers = Vec::new();
    let mut at = end;
    loop {
        at = at.checked_sub(8)?;
        match core.word(at)? {
            0 => break,
            pointer => pointers.push(pointer),
        }
        if pointers.len() > MOST {
            return None;
        }
    }
    let mut environment = Vec::new();
    for pointer in pointers.into_iter().rev() {
        // A program may have set its variables anew in place; one that is no text any more is left out.
        let Some(bytes) = core.bytes_at(pointer) else {
            continue;
        };
        let bytes = &bytes[..bytes.len().min(MOST_BYTES)];
        if let Some(length) = bytes.iter().position(|&byte| byte == 0) {
            if environment.len() + length > MOST_BYTES {
                return None;
            }
            environment.extend_from_slice(&bytes[..=length]);
        }
    }
    Some(environment)
}

/// Where the auxiliary vector stands on the stack.
fn auxiliary_address(core: &Core) -> Option<u64> {
    let mut wanted = Vec::new();
    for &(kind, value) in &core.notes.auxiliary {
        wanted.extend(kind.to_le_bytes());
        wanted.extend(value.to_le_bytes());
    }
    // Two entries could be anywhere by chance.
    if core.notes.auxiliary.len() < 4 {
        return None;
    }
    // The random bytes that the kernel passes lie on the same stack, further out.
    let random = core.notes.auxiliary(libc::AT_RANDOM)?;
    let segment = core
        .segments
        .iter()
        .find(|segment| (segment.address..segment.address.saturating_add(segment.size)).contains(&random))?;
    let stack = core.bytes.get(segment.file.clone())?;
    let last = stack.len().checked_sub(wanted.len())?;
    // It is aligned, and near the end of a stack that may be large.
    let offset = (0..=last / 8).rev().map(|word| word * 8);
    let offset = offset
        .into_iter()
        .find(|&offset| stack[offset..].starts_with(&wanted))?;
    segment.address.checked_add(offset as u64)
}
