//! The next step in words.

use crate::clean::clean;
use engine::NextStep;

/// What to do next, as a sentence without its full stop.
pub(crate) fn words(step: &NextStep) -> String {
    match step {
        NextStep::Attach {
            pid,
            rank: Some(rank),
            host,
        } => format!("gdb -p {pid} looks into rank {rank}, on {}", name_of(host)),
        NextStep::Attach {
            pid,
            rank: None,
            host,
        } if host.is_empty() => format!("gdb -p {pid} looks into it"),
        NextStep::Attach {
            pid,
            rank: None,
            host,
        } => {
            format!("gdb -p {pid} looks into it, on {}", name_of(host))
        }
        NextStep::Resume { pid, host } => format!("kill -CONT {pid} lets it go on, on {}", name_of(host)),
        NextStep::OtherJob { pid, command } => {
            format!("hindmost find {pid} looks at the job that {command} runs on this host")
        }
        NextStep::LookTwice => {
            "hindmost find --twice 2s, with the same arguments, tells who moves and who does not".to_owned()
        }
        NextStep::Advice(advice) => advice.to_string(),
    }
}

/// A host in words; without a name where all tasks are on one.
fn name_of(host: &str) -> String {
    if host.is_empty() {
        "the host that it runs on".to_owned()
    } else {
        format!("host {}", clean(host))
    }
}
