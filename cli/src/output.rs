//! Standard output and standard error: styles where a terminal wants them, no panic when the reader goes away.

use engine::{Answer, Certainty, Findings, MapProgress, Outcome};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use project::{Failure, Listener};
use report::clean;
use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// What was asked for was found or done.
    Done,
    /// Somebody is named, and it is not proven.
    Probable,
    /// Nobody is named.
    Undecided,
    /// There is no result.
    Error,
    /// An alarm was given and not taken back.
    Alarmed,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::Done => 0,
            Status::Undecided => 1,
            Status::Error => 2,
            Status::Probable => 3,
            Status::Alarmed => 4,
        })
    }
}

/// The status that an answer stands for.
pub(crate) fn status_of(findings: &Findings<'_>) -> Status {
    let Some(answer) = &findings.answer else {
        return Status::Error;
    };
    match (&answer.finding, answer.outcome) {
        (Some(found), _) if found.certainty == Certainty::Proven => Status::Done,
        (Some(_), _) => Status::Probable,
        (None, Outcome::NothingReadable) => Status::Error,
        (None, _) => Status::Undecided,
    }
}

/// Why there is no answer: every task has its reason, and usually it is the same.
pub(crate) fn nothing_readable(answer: &Answer) -> Failure {
    match &answer.unreadable[..] {
        [] => Failure::new("the job has no task"),
        [only] => Failure::new(format!("task {}: {}", only.task, only.error)),
        [first, more @ ..] => Failure::new(format!(
            "no task could be read and placed: {}: {} (and {} more)",
            first.task,
            first.error,
            more.len()
        )),
    }
}

/// Prints text that may carry styles; they are dropped when standard output is no terminal or `NO_COLOR` is set.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    ignore_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Text for a file: what only a terminal understands is left out.
pub(crate) fn without_styles(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Prints plain text.
pub(crate) fn print_plain(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    ignore_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints bytes as they are.
pub(crate) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    ignore_closed(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Prints a patch: byte for byte to whatever applies it. On a terminal it is read by a person, and the lines of a source are not to act there.
pub(crate) fn print_patch(patch: &[u8]) -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return print_bytes(patch);
    }
    let text = String::from_utf8_lossy(patch);
    let shown = text.lines().map(|line| {
        let fields = line.split('\t').map(clean);
        Vec::from_iter(fields).join("\t") + "\n"
    });
    print_plain(&String::from_iter(shown))
}

/// Whoever reads the output (`head`, a pager) may stop reading: that is no error of ours.
fn ignore_closed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Prints a warning.
pub(crate) fn warn(message: &str) {
    // There is nowhere left to report that standard error is gone.
    let _ = writeln!(anstream::stderr(), "hindmost: warning: {}", clean(message));
}

/// Says what was done, on standard error: standard output has the result.
pub(crate) fn note(message: &str) {
    // There is nowhere left to report that standard error is gone.
    let _ = writeln!(anstream::stderr(), "hindmost: {}", clean(message));
}

/// Prints an error on one line, and a line with what to do about it.
pub(crate) fn error(error: &anyhow::Error) {
    let (causes, hint) = in_words(error);
    let mut err = anstream::stderr();
    let _ = writeln!(err, "hindmost: error: {}", clean(&causes));
    if let Some(hint) = hint {
        let _ = writeln!(err, "hint: {}", clean(hint));
    }
}

/// An error with its causes, on one line, and what the user can do.
pub(crate) fn in_words(error: &anyhow::Error) -> (String, Option<&str>) {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let hint = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<Failure>().and_then(Failure::advice));
    (causes.join(": "), hint)
}

/// Says on standard error what should be known at once.
pub(crate) struct Terminal {
    /// With a bar, when standard error is a terminal.
    progress: bool,
}

impl Terminal {
    /// With a bar while maps are made.
    pub(crate) fn new() -> Self {
        Self::showing(true)
    }

    /// With a bar only if it is wanted.
    pub(crate) fn showing(progress: bool) -> Self {
        Self { progress }
    }
}

impl Listener for Terminal {
    fn warn(&self, message: &str) {
        warn(message);
    }

    fn making(&self, files: usize) -> Box<dyn Fn(MapProgress) + Sync + '_> {
        let bar = if self.progress {
            ProgressBar::new(2 * files as u64)
        } else {
            ProgressBar::hidden()
        };
        let bar = bar.with_finish(ProgressFinish::AndClear);
        // The template is a constant; without it the bar is plainer, and that is all.
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Box::new(move |step| match step {
            MapProgress::Gathered(_) | MapProgress::Parsed(_) => bar.inc(1),
            MapProgress::Analysing => bar.set_message("analysing loops"),
        })
    }
}
