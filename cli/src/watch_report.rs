//! What `hindmost watch` writes when it gives an alarm.

use crate::output;
use crate::watch_args::WatchArgs;
use engine::recorded::Waiting;
use engine::{Analysis, Circumstances, Origin};
use project::{JobMap, SourceFinder, Wish};
use report::{Form, Names, TreeText};
use runtime_probe::Job;
use snapshot::{Header, Task};
use std::path::PathBuf;
use std::process::Command;

/// Writes the report, says so, and runs what the user wants to be run. `why` is the reason of the alarm, a sentence without its full stop.
pub(crate) fn write(
    args: &WatchArgs,
    found: &JobMap,
    job: &Job,
    (header, records, waiting): (&Header, &[Task], Option<Waiting>),
    why: &str,
) -> anyhow::Result<()> {
    // Names in it go to a file and to the environment of a command: a null byte would keep that from being started.
    let why = report::clean(why);
    let analysis = Analysis::new(&found.map, records, job.missing.clone());
    let mut findings = project::findings_of(
        analysis,
        &Wish {
            answer: true,
            explain: None,
            tree: Some(args.shape.options()),
        },
    )?;
    if let Some(answer) = &mut findings.answer {
        answer.under(Circumstances {
            ended: job.ended.clone(),
            no_map: found.none.as_ref(),
            waiting,
            warnings: found.warnings.iter().chain(&job.notes).cloned().collect(),
            ..Circumstances::of(records, true)
        });
    }
    findings.seen.clone_from(header);
    let finder = SourceFinder::new(found.path.as_deref(), &found.reader);
    project::advise(&mut findings, Origin::Live, &finder);
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
    project::write_atomically(&path(".snapshot"), snapshot::write(header, records).as_bytes())?;
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
