//! What `hindmost watch` writes when it gives an alarm.

use crate::args::Format;
use crate::output;
use crate::page;
use crate::watch_args::WatchArgs;
use project::{JobMap, SourceFinder};
use runtime_probe::Job;
use snapshot::{Header, Task};
use std::path::PathBuf;
use std::process::Command;

/// Writes the report, says so, and runs what the user wants to be run. `why` is the reason of the alarm, a sentence without its full stop.
pub(crate) fn write(
    args: &WatchArgs,
    found: &JobMap,
    job: &Job,
    (header, records): (&Header, &[Task]),
    why: &str,
) -> anyhow::Result<()> {
    let mut answer = engine::answer(&found.map, records, job.missing.clone());
    answer
        .warnings
        .extend(found.warnings.iter().chain(&job.notes).cloned());
    if let Some(why) = &found.none {
        answer.explain_no_map(why);
    }
    let finder = SourceFinder::new(found.path.as_deref(), &found.reader);
    project::check_advice(&mut answer, &finder);
    answer.advise(engine::Origin::Live);
    finder.fill(&found.map, &mut answer, None);
    let options = args.shape.options();
    let tree = engine::order_tree(
        &found.map,
        &engine::job_tree(&found.map, records, &job.missing, &options),
        &options,
    );
    let text = format!(
        "{why}\n\n{}\n{}",
        report::answer_text(&answer),
        report::tree_text(
            &tree,
            report::TreeText {
                below_answer: true,
                ..report::TreeText::default()
            }
        )
    );
    let path = |ending: &str| -> PathBuf {
        let mut path = args.report.clone().into_os_string();
        path.push(ending);
        path.into()
    };
    project::write_atomically(&path(".snapshot"), snapshot::write(header, records).as_bytes())?;
    project::write_atomically(&path(".json"), report::answer_json(&answer, None).as_bytes())?;
    project::write_atomically(
        &path(".tree.json"),
        report::tree_json(&tree, &answer.warnings).as_bytes(),
    )?;
    let page = page::html(&found.map, &tree, (Some(&answer), None), &[], &[], &finder);
    project::write_atomically(&path(".html"), page.as_bytes())?;
    project::write_atomically(&path(".txt"), output::without_styles(&text).as_bytes())?;
    output::print_answer(&answer, None, Format::Text)?;
    output::note(&format!(
        "ALARM: {why}: the report is in {} and {}",
        path(".txt").display(),
        path(".html").display()
    ));
    if let Some(command) = &args.run {
        let status = Command::new("sh")
            .args(["-c", command])
            .env("HINDMOST_REPORT", &args.report)
            .env("HINDMOST_ALARM", why)
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => output::warn(&format!("--run: {status}")),
            Err(error) => output::warn(&format!("--run: {error}")),
        }
    }
    Ok(())
}
