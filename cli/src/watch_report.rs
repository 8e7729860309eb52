//! What `hindmost watch` writes when it gives an alarm.

use crate::output;
use crate::watch_args::WatchArgs;
use engine::Origin;
use project::{JobMap, LookedAt, Seen, SourceFinder, Wish};
use report::{Form, Names, TreeText};
use std::path::PathBuf;
use std::process::Command;

/// Writes the report, says so, and runs what the user wants to be run. `why` is the reason of the alarm, a sentence without its full stop.
pub(crate) fn write(args: &WatchArgs, found: &JobMap, seen: &Seen, why: &str) -> anyhow::Result<()> {
    // Names in it go to a file and to the environment of a command: a null byte would keep that from being started.
    let why = report::clean(why);
    let wish = Wish {
        answer: true,
        explain: None,
        tree: Some(args.shape.options()),
    };
    let how = LookedAt {
        origin: Origin::Live,
        main_threads_alone: false,
        silent_of_motion: false,
    };
    let finder = SourceFinder::new(found.path.as_deref(), &found.reader);
    let mut findings = seen.findings(found, None, &wish, how, &finder)?;
    finder.fill(&mut findings);
    let written = |form| report::write(&findings, form, &|path| finder.read(path)).unwrap_or_default();
    let answer = written(Form::Answer(Names::Short));
    let tree = written(Form::Tree(TreeText {
        below_answer: true,
        ..TreeText::default()
    }));
    let text = format!("{why}\n\n{answer}\n{tree}");
    let path = |ending: &str| -> PathBuf {
        let mut path = args.report.clone().into_os_string();
        path.push(ending);
        path.into()
    };
    project::write_atomically(
        &path(".snapshot"),
        snapshot::write(&seen.header, &seen.records).as_bytes(),
    )?;
    let files = [
        (".json", written(Form::AnswerJson)),
        (".tree.json", written(Form::TreeJson)),
        (".html", written(Form::Page)),
        (".txt", output::without_styles(&text)),
    ];
    for (ending, text) in files {
        project::write_atomically(&path(ending), text.as_bytes())?;
    }
    output::print(&answer)?;
    output::note(&format!(
        "ALARM: {why}: the report is in {} and {}",
        path(".txt").display(),
        path(".html").display()
    ));
    if let Some(command) = &args.run {
        let status = Command::new("sh")
            .args(["-c", command])
            .env("HINDMOST_REPORT", &args.report)
            .env("HINDMOST_ALARM", &*why)
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => output::warn(&format!("--run: {status}")),
            Err(error) => output::warn(&format!("--run: {error}")),
        }
    }
    Ok(())
}
