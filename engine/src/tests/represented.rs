//! What a few tasks of each kind answer for all is what all of them answer for themselves.

use super::alike::{job, programs};
use crate::{Analysis, Answer, Representatives};
use base::{Random, RankSet};
use snapshot::Task;

fn chosen(tasks: &[Task]) -> Option<Representatives> {
    Representatives::of(|take| tasks.iter().cloned().for_each(take))
}

/// Nearly always as the tasks of a large job are: each with a rank of its own, in their order.
fn tasks_of(random: &mut Random, program: &super::alike::Program) -> Vec<Task> {
    let mut tasks = job(random, program, 80);
    if random.below(8) > 0 {
        // A host may begin anywhere, and a rank that was not seen leaves a hole.
        let mut rank = random.below(50) as u32;
        for task in &mut tasks {
            rank += 1 + u32::from(random.below(4) == 0);
            (task.rank, task.task) = (Some(rank), rank.to_string());
        }
    }
    tasks
}

#[test]
fn a_few_of_each_kind_answer_as_all_do() {
    let programs = programs();
    let (mut left_out, mut answered, mut not_all) = (0, 0, 0);
    for seed in 0..600 {
        let mut random = Random(seed);
        let program = &programs[random.below(programs.len())];
        let tasks = tasks_of(&mut random, program);
        let missing = RankSet::from_iter((0..random.below(2) as u32).map(|at| 400 + at));
        let Some(few) = chosen(&tasks) else {
            let ranks = Vec::from_iter(tasks.iter().map(|task| task.rank));
            let speak_for_themselves = ranks.contains(&None) || ranks.windows(2).any(|two| two[0] >= two[1]);
            assert!(speak_for_themselves, "seed {seed}");
            continue;
        };
        assert_eq!(
            Vec::from_iter(few.ranks().iter()),
            Vec::from_iter(tasks.iter().filter_map(|task| task.rank))
        );
        left_out += tasks.len() - few.tasks().len();
        let all = Analysis::new(&program.map, &tasks, missing.clone()).one_by_one();
        let all = all.answer();
        let of_few = || Analysis::represented(&program.map, &few, missing.clone());
        let Some(of_all) = of_few().answer_of_all() else {
            not_all += 1;
            // What is left out then is whom tasks wait for, and the processes of those that could not be read.
            let told = |answer: &Answer| {
                let classes = all
                    .unreadable
                    .is_empty()
                    .then(|| format!("{:#?}", answer.classes));
                format!("{classes:?} {:#?} {:#?}", answer.halted, answer.hosts)
            };
            assert_eq!(told(&of_few().answer()), told(&all), "seed {seed}");
            continue;
        };
        answered += 1;
        assert_eq!(
            format!("{of_all:#?}"),
            format!("{all:#?}"),
            "seed {seed}: {tasks:#?}"
        );
    }
    assert!(
        left_out > 2_000 && answered > 200 && not_all > 30,
        "{left_out} {answered} {not_all}"
    );
}

#[test]
fn who_has_something_of_its_own_to_say_is_not_spoken_for() {
    let plain = |rank: u32| Task {
        task: rank.to_string(),
        rank: Some(rank),
        pid: Some(100 + rank),
        ..Task::default()
    };
    let with = |change: &dyn Fn(&mut Task)| {
        let mut tasks = Vec::from_iter((0..20).map(plain));
        change(&mut tasks[7]);
        chosen(&tasks).is_some()
    };
    assert!(with(&|_| ()));
    assert!(!with(&|task| task.rank = None));
    assert!(!with(&|task| task.rank = Some(6)));
    assert!(!with(&|task| task.task = "first".to_owned()));
    assert!(!with(&|task| task.pid = None));
    assert!(!with(&|task| task.told = vec!["recv".to_owned()]));
    let told = snapshot::Thread {
        told: vec!["recv".to_owned()],
        ..snapshot::Thread::default()
    };
    assert!(!with(&|task| task.threads = vec![told.clone()]));
}
