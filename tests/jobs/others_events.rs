//! Events that other tools recorded: archives that OTF2's own library writes (`plans/archive.py`) and its own tool prints, with clocks that are apart, in causal order; and what is said of files that are none.

use crate::events::check_order;
use crate::hindmost::{hindmost, out, run, said};
use crate::waits::RANKS;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An archive, and what was counted as it was written.
fn archive(seed: u64) -> (PathBuf, Value) {
    let directory = out().join(format!("archive-{seed}"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/plans/archive.py");
    let mut command = Command::new("/usr/bin/python3");
    command.arg(script).arg(&directory);
    let output = run(command.args([seed.to_string(), RANKS.to_string()]));
    let counted = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    (directory.join("traces.otf2"), counted)
}

fn printed(archive: &Path, options: &[&str]) -> PathBuf {
    let output = run(Command::new("otf2-print").args(options).arg(archive));
    assert!(output.status.success(), "{}", said(&output));
    let file = archive.with_extension(format!("{}.txt", options.len()));
    std::fs::write(&file, output.stdout).unwrap();
    file
}

fn timeline(options: &[&str], file: &Path) -> Output {
    run(hindmost().arg("timeline").args(options).arg(file))
}

fn lines(file: &Path) -> Vec<Value> {
    let output = timeline(&["--export", "jsonl"], file);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn archives_of_otf2_are_put_into_causal_order() {
    for seed in 0..6 {
        let (archive, counted) = archive(seed);
        // By the clocks alone some messages would be received before they are sent.
        assert!(counted["backwards"].as_u64().unwrap() > 0, "{counted}");
        let lines = lines(&printed(&archive, &["--show-all"]));
        assert_eq!(
            (&lines[0]["untied"], &lines[0]["left_out"]),
            (&0.into(), &0.into()),
            "{}",
            lines[0]
        );
        assert_eq!(lines[0]["ranks"].as_array().unwrap().len(), RANKS);
        assert_eq!(lines[0]["ranks"][RANKS - 1]["host"], "node2");
        let events = &lines[1..];
        check_order(events);
        check_fences(events);
        let received = events.iter().filter(|event| event.get("from").is_some());
        assert_eq!(received.count() as u64, counted["messages"].as_u64().unwrap());
        // Each call once, and nothing of what is no call of MPI.
        let of = |step: &str| events.iter().filter(|event| event["step"] == step).count();
        assert_eq!(of("begins"), of("ends"));
        assert!(
            events
                .iter()
                .all(|event| event["operation"].as_str().unwrap().starts_with("MPI_"))
        );
        // Times from the beginning on say the same.
        let offset = self::lines(&printed(&archive, &["--show-all", "--timestamps=offset"]));
        assert_eq!(offset, lines);
        let _ = std::fs::remove_dir_all(archive.parent().unwrap());
    }
}

/// Nobody leaves a fence that ends an epoch, each second one, before all have entered it.
fn check_fences(events: &[Value]) {
    let mut entered: BTreeMap<u64, usize> = BTreeMap::new();
    let mut left = 0;
    for event in events
        .iter()
        .filter(|event| event["operation"] == "MPI_Win_fence")
    {
        if let Some(number) = event["enters"].as_u64() {
            *entered.entry(number).or_default() += 1;
        } else if let Some(number) = event["leaves"].as_u64().filter(|number| number % 2 == 0) {
            assert_eq!(entered[&number], RANKS, "{event}");
            left += 1;
        }
    }
    assert!(left > 0 && left % RANKS == 0, "{left}");
}

#[test]
fn a_file_is_shown_as_a_job_is() {
    let (archive, _) = archive(100);
    let file = printed(&archive, &["--show-all"]);
    let text = timeline(&[], &file);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("events before") && text.contains("leaves MPI_Barrier, number "),
        "{text}"
    );
    let page = timeline(&["--export", "html"], &file);
    assert!(
        page.status.success() && page.stdout.starts_with(b"<!"),
        "{}",
        said(&page)
    );
    // What is piped is read, too.
    let piped = run(Command::new("sh").arg("-c").arg(format!(
        "{} timeline --export jsonl - <{}",
        hindmost().get_program().display(),
        file.display()
    )));
    assert_eq!(
        piped.stdout,
        timeline(&["--export", "jsonl"], &file).stdout,
        "{}",
        said(&piped)
    );
    // A condition over it comes true where the lines say so.
    let until = |condition: &str, options: &[&str]| {
        run(hindmost()
            .args(["until", condition, "--recordings"])
            .arg(&file)
            .args(options))
    };
    let output = until("rank 1 has sent tag 4 to 2 3 times", &["--again"]);
    let said_of = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let sends = lines(&file)
        .into_iter()
        .filter(|event| event["rank"] == 1 && event["to"] == 2 && event["tag"] == 4);
    assert_eq!(
        said_of.matches("has come true").count(),
        sends.count() / 3,
        "{said_of}"
    );
    assert!(
        said_of.contains("at ") && said_of.contains("rank 1    enters MPI_Send to rank 2 (tag 4)"),
        "{said_of}"
    );
    assert_eq!(until("rank 1 has sent tag 999", &[]).status.code(), Some(1));
    for (output, what) in [
        (
            until("rank 1 has sent tag 4", &["--stop"]),
            "no tasks that could be stopped",
        ),
        (timeline(&["--follow"], &file), "there as a whole"),
        (timeline(&[], &archive), "otf2-print --show-all"),
        (
            timeline(&[], &printed(&archive, &[])),
            ":3: events without the definitions",
        ),
    ] {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(what), "{text:?} is not {what:?}");
    }
    let _ = std::fs::remove_dir_all(archive.parent().unwrap());
}

/// Another job's trace, of a tool that knows flows alone.
#[test]
fn flows_of_chromes_format_put_ranks_into_order() {
    let file = out().join("flows.json");
    // Rank 1 receives five microseconds before rank 0 sends, by its clock.
    let text = r#"[{"ph":"M","name":"process_name","pid":70,"args":{"name":"worker, rank 1"}},
{"ph":"M","name":"process_name","pid":80,"args":{"name":"worker, rank 0"}},
{"ph":"X","name":"take","pid":70,"tid":1,"ts":10,"dur":5},
{"ph":"f","bp":"e","name":"parcel","cat":"x","id":"a","pid":70,"tid":1,"ts":14},
{"ph":"X","name":"give","pid":80,"tid":1,"ts":18,"dur":5},
{"ph":"s","name":"parcel","cat":"x","id":"a","pid":80,"tid":1,"ts":19},
"#;
    std::fs::write(&file, text).unwrap();
    let lines = lines(&file);
    let told = |event: &Value| {
        let part = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", event["rank"], part("step"), part("operation"))
    };
    let order = Vec::from_iter(lines[1..].iter().map(told));
    let place = |what: &str| {
        order
            .iter()
            .position(|each| each == what)
            .unwrap_or_else(|| panic!("{what}: {order:?}"))
    };
    assert!(
        place("0 signals parcel") < place("1 completes parcel"),
        "{order:?}"
    );
    assert!(place("1 begins take") < place("0 begins give"), "{order:?}");
    let received = lines[1..]
        .iter()
        .find(|event| event.get("from").is_some())
        .unwrap();
    assert_eq!(
        (&received["local_ns"], &received["time_ns"]),
        (&14_000.into(), &19_000.into()),
        "{received}"
    );
    std::fs::write(&file, text.replace("\"ts\":19", "\"ts\":\"soon\"")).unwrap();
    let output = timeline(&[], &file);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("flows.json:6: ") && text.contains("without a time"),
        "{text}"
    );
}
