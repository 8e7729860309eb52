//! Files that a program loads later.
//!
//! `dlopen` goes through here, so that a file is rewritten before its caller knows of it. The loader looks at who calls: a name without a directory is looked for where the caller's file says,
//! and names may stand for its place. Where that can matter the C library's function is jumped to, as if nobody stood between, and what it loads is rewritten when the next file comes.
//!
//! Code is rewritten while functions of the thread may be executed in it: constructors call `dlopen`, too. A call is the last of the instructions that are replaced, so that what it returns to is
//! there as it was.

use super::{names, rewrite_all, wanted};
use runtime_loader::{find_map, with_file_of};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::sync::Mutex;

/// The files that were looked at, by where they are loaded.
static KNOWN: Mutex<BTreeSet<(usize, PathBuf)>> = Mutex::new(BTreeSet::new());

/// Rewrites what was asked for, is loaded, and was not looked at.
pub(crate) fn rewrite_new() {
    let names = names();
    if names.is_empty() {
        return;
    }
    // Who holds it looks at them now, or was left behind by a fork: neither is waited for.
    let Ok(mut known) = KNOWN.try_lock() else {
        return;
    };
    let mut new = wanted(&names);
    new.retain(|wanted| known.insert((wanted.base, wanted.path.clone())));
    rewrite_all(&new);
}

/// Forgets files that are not loaded any more: others, or the same, may come to their addresses.
pub(crate) fn forget_gone() {
    let Ok(mut known) = KNOWN.try_lock() else {
        return;
    };
    if known.is_empty() {
        return;
    }
    let mut bases = BTreeSet::new();
    let _: Option<()> = find_map(|loaded| {
        bases.insert(loaded.base);
        None
    });
    known.retain(|(base, _)| bases.contains(base));
}

/// Whether what is loaded by this name is the same whoever loads it, and may be rewritten: then the tracer may call `dlopen` itself.
///
/// # Safety
///
/// The name is null or ends with a zero.
#[expect(unsafe_code, reason = "a name of C")]
pub(crate) unsafe fn is_anybodys(name: *const c_char, caller: usize) -> bool {
    if name.is_null() || names().is_empty() {
        return false;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    !name.contains(&b'$')
        && (name.contains(&b'/') || with_file_of(caller, |file| file.has_search_path()) == Some(false))
}
