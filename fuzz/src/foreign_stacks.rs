//! Stacks of other tools, all the way to an answer and to a tree, which is then written and read once more.

use crate::seeds;
use base::RankSet;
use engine::{Analysis, Findings, TreeOptions, Wanted};
use foreign::Format;
use report::json::TreeJson;
use report::{DotColors, Form, Names, PageSets, TreeText};

/// Any text is tasks or an error with a line; what is read is answered and drawn, and our own `.dot` of it is read again.
pub(crate) fn foreign_stacks(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let format = foreign::format_of(&text);
    let mut tasks = match foreign::read(format, &text, "rank3", foreign::rank_of_name("rank3")) {
        Ok(tasks) => tasks,
        Err(error) => {
            assert!(error.line > 0 && !error.reason.is_empty(), "{error:?}");
            assert!(error.line <= text.lines().count() + 1, "{error:?}");
            return;
        }
    };
    if format == Format::Snapshot {
        return;
    }
    assert!(!tasks.is_empty());
    // What a reader takes from a text is never much more than the text: a few ranks may stand for many.
    let is_read = |task: &snapshot::Task| task.error.is_none();
    assert!(format == Format::Dot || tasks.iter().all(is_read));
    if tasks.len() > 200 {
        tasks.truncate(200);
    }
    engine::distrust_innermost_lines(&seeds::SMALL, &mut tasks);
    let wanted = Wanted {
        answer: true,
        explain: None,
        tree: Some(TreeOptions::default()),
    };
    let findings = Analysis::new(&seeds::SMALL, &tasks, RankSet::default()).findings(&wanted);
    let written = |form| report::write(&findings, form, &|_| None).unwrap_or_default();
    let said = written(Form::Answer(Names::Short));
    let strange = said
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\u{1b}'));
    assert_eq!(strange, None, "{said:?}");

    let tree = findings.tree.as_ref().unwrap();
    assert_eq!(tree.nodes[0].tasks.len(), tasks.len() as u64);
    let json = written(Form::TreeJson);
    let read: TreeJson<'_> = serde_json::from_str(&json).unwrap();
    let again = Findings {
        tree: Some(read.tree(&PageSets::default()).unwrap()),
        ..findings.clone()
    };
    assert_eq!(report::write(&again, Form::TreeJson, &|_| None).unwrap(), json);
    let _ = written(Form::Tree(TreeText::default()));
    let dot = written(Form::Dot(DotColors::default()));
    let again = foreign::read(Format::Dot, &dot, "", None);
    // Ranks without a stack are told apart, and are no stacks when the file is read again.
    let ranks = |tasks: &[snapshot::Task]| -> RankSet {
        let with_stack = tasks.iter().filter(|task| !task.frames.is_empty());
        with_stack.filter_map(|task| task.rank).collect()
    };
    if tree.names.are_ranks() {
        match &again {
            Ok(again) => {
                assert_eq!(ranks(again), ranks(&tasks), "{dot}");
                let reasons = again.iter().filter_map(|task| task.error.as_deref());
                // What STATview's parser cannot take is written differently.
                let written = |text: &str| report::clean(text).replace('"', "'").replace('\\', "/");
                let said = Vec::from_iter(tree.nodes.iter().map(|node| written(&node.function)));
                for reason in reasons {
                    assert!(said.iter().any(|text| text == reason), "{reason}\n{dot}");
                }
            }
            Err(error) => assert!(ranks(&tasks).is_empty(), "{error}\n{dot}"),
        }
    }
}
