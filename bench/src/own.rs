//! What a benchmark's own process has cost so far, as Linux tells it.

use std::time::Duration;

/// User and system time. Linux counts it in hundredths of a second.
pub fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in brackets may hold blanks; after it come fields, of which these are the 12th and 13th.
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = [11, 12].map(|at| fields.get(at).and_then(|field| field.parse::<u64>().ok()));
    Duration::from_millis(ticks.into_iter().flatten().sum::<u64>() * 10)
}

/// The most memory, in megabytes.
pub fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
