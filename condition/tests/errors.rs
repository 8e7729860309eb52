//! What a user is told of a text that is no condition: the place, and what is wrong there.

use condition::{Condition, Error};

fn is_call(name: &str) -> bool {
    matches!(name, "MPI_Send" | "MPI_Allreduce" | "MPI_Win_fence")
}

fn error(text: &str) -> Error {
    match Condition::parse(text, &is_call) {
        Ok(condition) => panic!("{text} is read as {condition}"),
        Err(error) => error,
    }
}

/// The mark stands below what is named here, and its sentence has these words.
#[track_caller]
fn check(text: &str, at: &str, words: &str) {
    let error = error(text);
    assert_eq!(&text[error.at.clone()], at, "{text}: {error}");
    let shown = error.shown(text);
    let mark = shown.lines().nth(1).unwrap_or_default();
    assert_eq!(mark.find('^'), Some(error.at.start), "{shown}");
    assert!(shown.contains(words), "{shown}");
}

#[test]
fn errors_point_at_their_place() {
    check("", "", "'rank', 'ranks', 'any', 'all', a number, 'not' or '('");
    check("rank x in MPI", "x", "no rank");
    check("rank 1", "", "'in', 'outside' or 'has'");
    check("rank 1 is in MPI", "is", "'in', 'outside' or 'has'");
    check("rank 1 in Allreduc", "Allreduc", "no function MPI_Allreduc that");
    check("rank 1 in", "", "a function of MPI");
    check("ranks 1 - 3 in MPI", "-", "'in', 'outside' or 'has'");
    check("ranks 3- in MPI", "3-", "without spaces");
    check("all rank in MPI", "rank", "'ranks' or 'of'");
    check("any ranks in MPI", "ranks", "'rank' or 'of'");
    check("0 ranks in MPI", "0", "at least 1");
    check("3 of 1-2 in MPI", "3", "3 of 2 ranks there can never be");
    check("rank 1 has sent 0 times", "0", "at least 1");
    check("rank 1 has sent 3", "", "'times'");
    check("rank 1 has sent tag x", "x", "no whole number");
    check("rank 1 has sent from 2", "from", "'and', 'or' or the end");
    check("rank 1 in MPI for 5", "5", "no time");
    check("rank 1 in MPI for 99999999999h", "99999999999h", "no time");
    check(
        "rank 1 has sent since and rank 1 in MPI",
        "since",
        "behind an 'and'",
    );
    check(
        "(rank 1 in MPI and rank 2 in MPI) or rank 1 has sent since",
        "since",
        "behind an 'and'",
    );
    check("(rank 1 in MPI", "", "')'");
    check("rank 1 in MPI)", ")", "the end");
    check("rank 1 in MPI rank 2 in MPI", "rank", "the end");
}

#[test]
fn what_is_too_large_is_no_condition() {
    check(&"(".repeat(100_000)[..1000], "(", "too deep");
    let many = vec!["rank 1 in MPI"; 300].join(" and ");
    check(&many, "rank", "256 facts");
    assert!(error(&"x".repeat(100_000)).to_string().contains("100000 bytes"));
}

#[test]
fn names_are_taken_as_people_write_them() {
    let read = |text: &str| Condition::parse(text, &is_call).unwrap().to_string();
    assert_eq!(
        read("RANK 3 in ALLREDUCE AND any rank has sent to rank 3 tag 7 since"),
        "rank 3 in MPI_Allreduce and any rank has sent tag 7 to 3 since"
    );
    assert_eq!(
        read("not ranks 0-2,4 in mpi_win_fence for 2s or all of 4 outside"),
        "not ranks 0-2,4 in MPI_Win_fence for 2000000000ns or rank 4 outside"
    );
}

#[test]
fn ranks_that_no_job_has_are_named() {
    let text = "rank 9 in MPI and any rank has sent to 3-5";
    let condition = Condition::parse(text, &is_call).unwrap();
    assert_eq!(condition.ranks_beyond(4).to_string(), "4-5,9");
    assert!(condition.ranks_beyond(10).is_empty());
}
