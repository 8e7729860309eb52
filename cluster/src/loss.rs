//! Why a host has not answered.

use base::clean;
use nodes::MessageError;
use std::fmt;
use std::time::Duration;

/// How far a host came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// It has said nothing yet: it may be down, or hang while we log in.
    Nothing,
    /// A shell runs there; the probe is not there yet.
    Shell,
    /// The probe was started.
    Probe,
    /// The probe was asked which tasks there are, or has said so.
    Tasks,
    /// The probe was looking at them.
    Look,
}

/// Why there is no answer of a host.
#[derive(Debug)]
pub enum Loss {
    /// The program that reaches it could not be started.
    NotStarted {
        /// The program.
        program: String,
        /// Why.
        why: std::io::Error,
    },
    /// It was not heard of in time.
    Silent {
        /// How far it came.
        reached: Reached,
        /// For how long it was waited for.
        waited: Duration,
        /// How long the slowest of the others took, where it was given up since they had all answered.
        others: Option<Duration>,
    },
    /// The connection ended.
    Ended {
        /// How far it came.
        reached: Reached,
        /// The last that was said on standard error.
        said: String,
    },
    /// It is no machine that the probe runs on.
    OtherMachine {
        /// What it says that it is.
        machine: String,
    },
    /// Nowhere could the probe be put and run.
    NoPlace,
    /// Its probe is of another version.
    OtherVersion {
        /// That one.
        version: u32,
    },
    /// What it sent is no answer.
    Garbage {
        /// What it is.
        why: MessageError,
    },
    /// Before the probe began, it sent more text than any greeting has.
    Talkative,
    /// What it sent is out of turn.
    OutOfTurn,
    /// The probe says that it cannot.
    Failed {
        /// Why.
        why: String,
    },
}

impl Loss {
    /// Whether the same host may answer if it is asked once more.
    pub fn may_pass(&self) -> bool {
        match self {
            Loss::Silent { .. } | Loss::Ended { .. } | Loss::Failed { .. } => true,
            Loss::NotStarted { .. }
            | Loss::OtherMachine { .. }
            | Loss::NoPlace
            | Loss::OtherVersion { .. }
            | Loss::Garbage { .. }
            | Loss::Talkative
            | Loss::OutOfTurn => false,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::NotStarted { program, why } => write!(f, "{} cannot be started: {why}", clean(program)),
            Loss::Silent {
                reached,
                waited,
                others,
            } => {
                let what = match reached {
                    Reached::Nothing => "it did not answer",
                    Reached::Shell => "it let us in, but the probe did not begin",
                    Reached::Probe | Reached::Tasks => "the probe did not answer",
                    Reached::Look => "the probe did not come to an end",
                };
                write!(f, "{what} within {}", seconds(*waited))?;
                match others {
                    Some(others) => write!(f, ", and the others took no longer than {}", seconds(*others)),
                    None => Ok(()),
                }
            }
            Loss::Ended { reached, said } => {
                let what = match reached {
                    Reached::Nothing => "it could not be reached",
                    Reached::Shell => "the connection ended before the probe began",
                    Reached::Probe | Reached::Tasks => "the connection ended",
                    Reached::Look => "the connection ended while the probe looked",
                };
                f.write_str(what)?;
                if !said.is_empty() {
                    write!(f, " ({})", clean(said))?;
                }
                Ok(())
            }
            Loss::OtherMachine { machine } => {
                write!(f, "it is {}, and the probe runs on Linux on x86-64", clean(machine))
            }
            Loss::NoPlace => f.write_str(
                "the probe could not be put and run anywhere there (/dev/shm, XDG_RUNTIME_DIR, TMPDIR, /tmp, HOME): they are full, or nothing may be run from them",
            ),
            Loss::OtherVersion { version } => {
                write!(f, "the probe that is installed there is of another version ({version})")
            }
            Loss::Garbage { why } => write!(f, "it sent {why}"),
            Loss::Talkative => f.write_str("it sent a long text in place of an answer"),
            Loss::OutOfTurn => f.write_str("it sent an answer that was not asked for"),
            Loss::Failed { why } => f.write_str(&clean(why)),
        }
    }
}

impl std::error::Error for Loss {}

fn seconds(time: Duration) -> String {
    if time < Duration::from_millis(100) {
        return format!("{} ms", time.as_millis());
    }
    let tenths = (time.as_secs_f64() * 10.0).round() / 10.0;
    format!("{tenths} s")
}
