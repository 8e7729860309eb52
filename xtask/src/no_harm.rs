//! The campaign that shows that the probe does no harm: the tests of its safety, with many more attempts.

use crate::command::{self, cargo};
use crate::setup;
use anyhow::Result;

/// Runs them and prints their counts.
pub fn run(snapshots: u32, kills: u32, looks: u32) -> Result<()> {
    setup::ensure()?;
    command::run(
        cargo()
            .env("HINDMOST_SNAPSHOTS", snapshots.to_string())
            .env("HINDMOST_KILLS", kills.to_string())
            .env("HINDMOST_LOOKS", looks.to_string())
            .env("HINDMOST_STARVED", kills.to_string())
            .args([
                "test",
                "--release",
                "--package",
                "runtime-probe",
                "--test",
                "live",
            ])
            .args(["--", "safety::", "calls::", "--nocapture", "--test-threads", "1"]),
    )
}
