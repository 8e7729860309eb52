//! Ranks with threads, and calls with wrong arguments: what the answer says besides who is the hindmost.

use crate::hindmost::{compile, hindmost, hung, my_turn, run, said};
use corpus::{Mpi, Program, Stall};
use serde_json::Value;

/// The answer of a job of four ranks, of which rank 1 hangs at `place` in step 5.
fn answer(program: Program, mpi: Mpi, level: &str, place: &str) -> Value {
    let exe = compile(program, mpi, level);
    let stall = Stall {
        rank: 1,
        iteration: 5,
        place,
    };
    let job = hung(&exe, mpi, 4, stall);
    let mut find = hindmost();
    find.args(["find", "--format", "json", "--launcher"])
        .arg(job.launcher().to_string());
    let output = run(&mut find);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{mpi:?} {level} {place}: {}", said(&output)))
}

fn class_of<'a>(answer: &'a Value, ranks: &str) -> &'a Value {
    let mut classes = answer["classes"].as_array().unwrap().iter();
    let found = classes.find(|class| class["ranks"] == ranks);
    found.unwrap_or_else(|| panic!("no class of ranks {ranks} in {answer:#}"))
}

fn argument<'a>(call: &'a Value, role: &str) -> &'a Value {
    let mut arguments = call["arguments"].as_array().unwrap().iter();
    let found = arguments.find(|argument| argument["role"] == role);
    found.unwrap_or_else(|| panic!("no {role} in {call:#}"))
}

#[test]
fn a_worker_thread_that_hangs_is_what_its_task_does() {
    let _turn = my_turn();
    for (mpi, level) in [(Mpi::OpenMpi, "-O0"), (Mpi::OpenMpi, "-O2"), (Mpi::Mpich, "-O2")] {
        let answer = answer(Program::Hybrid, mpi, level, "worker");
        let hindmost = &answer["hindmost"][0];
        assert_eq!(hindmost["ranks"], "1", "{answer:#}");
        assert_eq!(hindmost["activity"], "joining", "{answer:#}");
        let threads = class_of(&answer, "1")["threads"].as_array().unwrap();
        let (first, others) = threads.split_first().unwrap();
        assert_eq!(first["activity"], "computing", "{threads:#?}");
        let innermost = first["frames"].as_array().unwrap().last().unwrap();
        let line = Program::Hybrid.stall_line("worker").unwrap();
        assert_eq!(innermost["function"], "mix_share", "{threads:#?}");
        assert_eq!(innermost["line"], line, "{threads:#?}");
        let idle = others.iter().find(|group| group["library"] == "libgomp").unwrap();
        assert_eq!(
            (&idle["activity"], &idle["threads"]),
            (&"helper".into(), &1.into())
        );
    }
}

#[test]
fn a_main_thread_is_not_taken_for_its_workers() {
    let _turn = my_turn();
    let answer = answer(Program::Hybrid, Mpi::OpenMpi, "-O2", "main_thread");
    let hindmost = &answer["hindmost"][0];
    assert_eq!(
        (&hindmost["ranks"], &hindmost["activity"]),
        (&"1".into(), &"computing".into())
    );
    let threads = class_of(&answer, "1")["threads"].as_array().unwrap();
    assert!(
        threads.iter().all(|group| group["activity"] == "helper"),
        "{threads:#?}"
    );
}

#[test]
fn a_thread_that_is_behind_those_of_other_ranks_is_named_where_all_main_threads_wait() {
    let _turn = my_turn();
    for (mpi, level, place) in [
        (Mpi::OpenMpi, "-O0", "before_sum"),
        (Mpi::OpenMpi, "-O2", "pack"),
        (Mpi::OpenMpi, "-O2", "lost_parcel"),
        (Mpi::Mpich, "-O2", "before_sum"),
    ] {
        let answer = answer(Program::Courier, mpi, level, place);
        assert_eq!(answer["outcome"], "all-equal", "{answer:#}");
        // The threads are what the main threads wait for, so that the rank is named, and it is proven.
        assert_eq!(
            (&answer["named"], &answer["proven"], &answer["by"]),
            (&"1".into(), &true.into(), &"order".into()),
            "{answer:#}"
        );
        let behind = class_of(&answer, "0-3")["threads_behind"].as_array().unwrap();
        let [found] = &behind[..] else {
            panic!("{behind:#?}")
        };
        assert_eq!(
            (&found["ranks"], &found["line"]),
            (&"1".into(), &Program::Courier.stall_line(place).unwrap().into()),
            "{found:#}"
        );
        let ahead = found["ahead"].as_str().unwrap();
        assert_eq!(ahead, "ranks 0,2-3", "{found:#}");
    }
}

#[test]
fn a_receive_from_a_wrong_rank_or_with_a_wrong_tag_is_told() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        // Of the pair neither can go on; only one of them waits for what does not come.
        for (place, source, tag) in [("wrong_tag", 0, 99), ("wrong_peer", 3, 7)] {
            let answer = answer(Program::Hybrid, mpi, "-O0", place);
            assert_eq!(answer["hindmost"][0]["ranks"], "0-1", "{answer:#}");
            assert_eq!(answer["hindmost"][0]["callee"], "MPI_Recv", "{answer:#}");
            let calls = class_of(&answer, "0-1")["calls"].as_array().unwrap();
            let of_rank = |rank: &str| calls.iter().find(|call| call["ranks"] == rank).unwrap();
            let (other, wrong) = (of_rank("0"), of_rank("1"));
            assert_eq!(argument(wrong, "source")["value"], source, "{wrong:#}");
            assert_eq!(argument(wrong, "receive-tag")["value"], tag, "{wrong:#}");
            assert_eq!(
                argument(wrong, "communicator")["name"],
                "MPI_COMM_WORLD",
                "{wrong:#}"
            );
            assert_eq!(argument(other, "source")["value"], 1, "{other:#}");
            assert_eq!(argument(other, "receive-tag")["value"], 7, "{other:#}");
        }
    }
}

#[test]
fn an_optimised_build_says_no_value_that_it_may_show_wrongly() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let answer = answer(Program::Hybrid, mpi, "-O2", "wrong_tag");
        let call = &class_of(&answer, "0-1")["call"];
        // `source` and `tag` are assigned twice; debug info may show either value.
        for (role, text) in [("source", "source"), ("receive-tag", "tag")] {
            let argument = argument(call, role);
            assert_eq!(argument["text"], text, "{call:#}");
            assert!(argument.get("value").is_none(), "{call:#}");
        }
        assert_eq!(argument(call, "count")["value"], 1, "{call:#}");
    }
}
