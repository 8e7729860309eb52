//! Numbers of functions by their addresses.
//!
//! An open-addressed table that is only ever filled, and emptied as a whole when a file is unloaded, because another one's functions may come to the same addresses. One word holds an address and
//! its number, so that threads and signal handlers find and fill slots without a lock. Two that meet a new function at the same moment may give it two numbers: both mean that function.

use crate::process;
use crate::system::memory;
use calltrace::task::{FUNCTIONS, OTHERS};
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

const SLOT_BITS: u32 = 18;
const SLOTS: usize = 1 << SLOT_BITS;
/// Bits of a number in a slot; the address stands above: those of a program have 47.
const NUMBER_BITS: u32 = 17;
/// 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

const _: () = assert!(FUNCTIONS == 1 << NUMBER_BITS && SLOTS >= 2 * FUNCTIONS);

static TABLE: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());

/// The other way round: the address of each number from 0 to [`OTHERS`]; 0 where it is not known, or stands for many. `quick` reads it where numbers are foretold.
pub(crate) static ADDRESSES: AtomicPtr<AtomicUsize> = AtomicPtr::new(std::ptr::null_mut());

/// Makes the tables, once for a process and those that are forked from it. Whether there are any.
pub(crate) fn prepare() -> bool {
    if !TABLE.load(Ordering::Acquire).is_null() {
        return true;
    }
    let (Some(table), Some(addresses)) = (memory(SLOTS * 8), memory((OTHERS as usize + 1) * 8)) else {
        return false;
    };
    ADDRESSES.store(addresses.cast(), Ordering::Release);
    TABLE.store(table.cast(), Ordering::Release);
    true
}

fn addresses() -> &'static [AtomicUsize] {
    let addresses = ADDRESSES.load(Ordering::Acquire);
    if addresses.is_null() {
        return &[];
    }
    #[expect(unsafe_code, reason = "the table is a mapping")]
    // SAFETY: as in `table`.
    unsafe {
        std::slice::from_raw_parts(addresses, OTHERS as usize + 1)
    }
}

#[inline]
fn table() -> &'static [AtomicU64] {
    let table = TABLE.load(Ordering::Acquire);
    if table.is_null() {
        return &[];
    }
    #[expect(unsafe_code, reason = "the table is a mapping")]
    // SAFETY: `prepare` has mapped so many words, which are never given back.
    unsafe {
        std::slice::from_raw_parts(table, SLOTS)
    }
}

/// The number of the function at this address, from 1.
#[inline]
pub(crate) fn number(address: usize) -> u32 {
    let table = table();
    let mut at = start(address);
    // The table is never full: there are twice as many slots as numbers.
    for _ in 0..SLOTS {
        let Some(slot) = table.get(at) else { break };
        let slot = slot.load(Ordering::Relaxed);
        if slot >> NUMBER_BITS == address as u64 {
            return (slot & (FUNCTIONS as u64 - 1)) as u32;
        }
        if slot == 0 {
            return new(table, address);
        }
        at = (at + 1) % SLOTS;
    }
    OTHERS
}

#[inline]
fn start(address: usize) -> usize {
    ((address as u64).wrapping_mul(SPREAD) >> (64 - SLOT_BITS)) as usize
}

#[cold]
fn new(table: &[AtomicU64], address: usize) -> u32 {
    let number = process::add_function(address);
    if number == OTHERS || address as u64 >> (64 - NUMBER_BITS) != 0 {
        return OTHERS;
    }
    let filled = (address as u64) << NUMBER_BITS | u64::from(number);
    let mut at = start(address);
    for _ in 0..SLOTS {
        let Some(slot) = table.get(at) else { break };
        if slot
            .compare_exchange(0, filled, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
        {
            break;
        }
        at = (at + 1) % SLOTS;
    }
    if let Some(known) = addresses().get(number as usize) {
        known.store(address, Ordering::Release);
    }
    number
}

/// Forgets which addresses have numbers.
pub(crate) fn forget() {
    for slot in table() {
        // Most were never touched, and need not be.
        if slot.load(Ordering::Relaxed) != 0 {
            slot.store(0, Ordering::Relaxed);
        }
    }
    for address in addresses() {
        if address.load(Ordering::Relaxed) != 0 {
            address.store(0, Ordering::Relaxed);
        }
    }
}
