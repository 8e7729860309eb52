//! The next step in words.

use engine::NextStep;

/// What to do next, as a sentence without its full stop.
pub(crate) fn words(step: &NextStep) -> String {
    match step {
        NextStep::Attach {
            pid,
            rank: Some(rank),
        } => {
            format!("gdb -p {pid} looks into rank {rank}, on the host that it runs on")
        }
        NextStep::Attach { pid, rank: None } => format!("gdb -p {pid} looks into it"),
        NextStep::Resume { pid } => format!("kill -CONT {pid} lets it go on, on the host that it runs on"),
        NextStep::OtherJob { pid, command } => {
            format!("hindmost find {pid} looks at the job that {command} runs on this host")
        }
        NextStep::LookTwice => {
            "hindmost find --twice 2s, with the same arguments, tells who moves and who does not".to_owned()
        }
        NextStep::Advice(advice) => advice.to_string(),
    }
}
