//! Tasks of several programs, or builds, that are made of the same source: what orders the tasks of one orders none of another.

use super::{answer, map, tasks};
use crate::{Analysis, TreeOptions, Wanted};
use base::RankSet;
use progress_map::{Binding, Map};
use snapshot::Task;

const SOURCE: &str = "\
int main(void) {
    for (int step = 0; step < 9; step++) {
        compute(step);
        exchange(step);
    }
}
";

fn build(executable: &str, id: u8) -> Map {
    Map {
        binding: Some(Binding {
            executable: executable.to_owned(),
            build_id: vec![id],
            ..Binding::default()
        }),
        ..map(SOURCE)
    }
}

/// Ranks 0 and 1 run what has build 1, ranks 2 and 3 another program.
fn two_programs(other: &str) -> Vec<Task> {
    let mut tasks = tasks(&["main:4 step=5", "main:3 step=5", "main:4 step=1", "main:3 step=1"]);
    for (at, task) in tasks.iter_mut().enumerate() {
        (task.program, task.build) = match at {
            0 | 1 => ("/bin/air".into(), "01".into()),
            _ => (other.into(), "02".into()),
        };
    }
    tasks
}

#[test]
fn a_task_of_another_program_has_no_place_in_the_order() {
    for (other, why) in [
        (
            "/bin/sea",
            "it runs sea, and the map is of air: nothing but MPI orders tasks of different programs",
        ),
        (
            "/opt/air",
            "it runs another build of air: nothing but MPI orders tasks of different builds",
        ),
    ] {
        let tasks = two_programs(other);
        let named = |executable: &str, id| {
            let answer = answer(&build(executable, id), &tasks, RankSet::default());
            let outside = answer.classes.iter().filter(|class| class.outside.is_some());
            let outside = Vec::from_iter(outside.map(|class| class.who.ranks.clone()));
            let whose = RankSet::union(&outside).to_string();
            let behind = answer.classes[answer.hindmost[0].class].who.ranks.to_string();
            (behind, whose, answer.unreadable[0].error.clone())
        };
        assert_eq!(
            named("/bin/air", 1),
            ("1".to_owned(), "2-3".to_owned(), why.to_owned())
        );
        let (behind, outside, _) = named(other, 2);
        assert_eq!((&behind[..], &outside[..]), ("3", "0-1"));
    }
    // A map that is of no build, as one of sources, is of all that was read by it.
    let one = answer(&map(SOURCE), &two_programs("/bin/sea"), RankSet::default());
    assert_eq!(one.classes[one.hindmost[0].class].who.ranks.to_string(), "3");
}

#[test]
fn the_tree_orders_no_branch_of_another_program() {
    let map = build("/bin/air", 1);
    let tasks = two_programs("/bin/sea");
    let wanted = Wanted {
        tree: Some(TreeOptions::default()),
        ..Wanted::default()
    };
    let found = Analysis::new(&map, &tasks, RankSet::default()).findings(&wanted);
    let tree = found.tree.unwrap();
    let hindmost = tree.classes.iter().filter(|class| class.hindmost);
    let named = Vec::from_iter(hindmost.map(|class| RankSet::from(&class.tasks).to_string()));
    assert!(!named.iter().any(|ranks| ranks.contains('3')), "{named:?}");
    let text = Vec::from_iter(tree.nodes.iter().map(|node| node.function.as_str()));
    assert!(
        text.iter().any(|function| function.starts_with("it runs sea")),
        "{text:?}"
    );
}
