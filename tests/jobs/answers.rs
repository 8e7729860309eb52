//! Every program, hung at every place it offers: rank, line and iteration of the hindmost must be the ones that the
//! job was started with.
//!
//! The line comes from the mark in the source. The job is asked twice: as nobody prepared it, and with the map of the
//! build. All places are tried under Open MPI at `-O2`; the other three combinations get those places where MPI or
//! optimisation could make a difference.

use crate::hindmost::{bound_map, compile, hindmost, hung, my_turn, named};
use corpus::{Mpi, Program, Stall};
use serde_json::{Value, json};
use std::process::Command;

/// One hung job and what is to be said of it.
struct Case {
    place: &'static str,
    /// The function in which the rank hangs.
    function: &'static str,
    /// In which iteration, as the program counts them.
    iteration: u32,
    /// The variable that tells it, and its value there.
    variable: &'static str,
    value: f64,
    /// Who is the hindmost when it is not the stalled rank alone, as a function of it and of the number of ranks:
    /// ranks that wait at the very line where another waits in vain cannot be told from it.
    ranks: fn(u32, u32) -> String,
}

const fn case(place: &'static str, function: &'static str, variable: &'static str, iteration: u32) -> Case {
    Case {
        place,
        function,
        iteration,
        variable,
        value: iteration as f64,
        ranks: |stalled, _| stalled.to_string(),
    }
}

const POISSON: [Case; 6] = [
    case("get_norm", "get_norm", "it", 41),
    case("lost_row", "exchange_band", "it", 41),
    case("lost_norm", "get_norm", "it", 41),
    case("converged", "handle_converged", "it", 41),
    case("before_update", "poisson", "it", 41),
    case("after_update", "poisson", "it", 41),
];

const RING: [Case; 5] = [
    case("send", "send_token", "step", 41),
    case("lost_token", "wait_for_both", "step", 41),
    // Its turn to report comes when the step is its rank, modulo the number of ranks.
    case("report", "report", "step", 40),
    case("before_barrier", "circulate", "step", 41),
    case("after_barrier", "circulate", "step", 41),
];

const MULTIGRID: [Case; 5] = [
    case("coarsen", "coarsen", "level", 3),
    case("lost_point", "exchange", "level", 3),
    case("before_update", "setup", "level", 3),
    case("after_update", "setup", "level", 3),
    case("smooth", "smooth", "mg->cycle", 5),
];

const ADI: [Case; 6] = [
    case("x_solve", "x_solve", "step", 41),
    // The pipeline goes up: whoever is above the rank waits at the same receive.
    Case {
        ranks: |stalled, ranks| format!("{stalled}-{}", ranks - 1),
        ..case("lost_plane", "z_solve", "step", 41)
    },
    case("report", "report", "step", 41),
    case("before_updates", "advance", "step", 41),
    // Of the two counters gcc keeps only `t` in a place that it tells here; between the updates it is the older one.
    Case {
        variable: "t",
        value: 40.0 * 1e-4,
        ..case("between_updates", "advance", "step", 41)
    },
    Case {
        variable: "t",
        value: 41.0 * 1e-4,
        ..case("after_updates", "advance", "step", 41)
    },
];

const RELAX: [Case; 5] = [
    case("smooth", "smooth", "this->sweep", 41),
    case("lost_end", "exchange", "this->sweep", 41),
    case("before_sum", "relax", "this->sweep", 41),
    case("weigh", "operator()", "this->sweep", 41),
    // Every sixteenth sweep throws.
    case("caught", "relax", "this->sweep", 47),
];

fn check(program: Program, mpi: Mpi, level: &str, cases: &[Case]) {
    let _turn = my_turn();
    let (ranks, stalled) = (8, 5);
    let exe = compile(program, mpi, level);
    let map = bound_map(&exe, &[program.source(), corpus::directory().join("stall.c")]);
    let mut wrong = Vec::new();
    for case in cases {
        let rank = if case.place == "report" && program == Program::Ring {
            case.iteration % ranks
        } else {
            stalled
        };
        let job = hung(
            &exe,
            mpi,
            ranks,
            Stall {
                rank,
                iteration: case.iteration,
                place: case.place,
            },
        );
        let mut find = hindmost();
        find.args([
            "find",
            "--format",
            "json",
            "--launcher",
            &job.launcher().to_string(),
        ]);
        let mut judged = |how: &str, find: &mut Command| {
            if let Err(reason) = named(find).and_then(|answer| judge(&answer, program, case, rank, ranks)) {
                wrong.push(format!("{} ({how}): {reason}", case.place));
            }
        };
        judged("unprepared", &mut find);
        judged("map of the build", find.arg("--map").arg(&map));
    }
    assert!(
        wrong.is_empty(),
        "{program:?} {mpi:?} {level}:\n{}",
        wrong.join("\n")
    );
}

fn judge(answer: &Value, program: Program, case: &Case, rank: u32, ranks: u32) -> Result<(), String> {
    let line = program
        .stall_line(case.place)
        .map_err(|error| error.to_string())?;
    let expect = |what: &str, found: &Value, expected: Value| {
        if *found == expected {
            Ok(())
        } else {
            Err(format!(
                "{what} is {found}, not {expected}: {:#}",
                answer["hindmost"]
            ))
        }
    };
    expect("the number of tasks", &answer["tasks"], ranks.into())?;
    let hindmost = &answer["hindmost"][0];
    expect("another hindmost", &answer["hindmost"][1], Value::Null)?;
    expect("the rank", &hindmost["ranks"], (case.ranks)(rank, ranks).into())?;
    expect("the function", &hindmost["function"], case.function.into())?;
    expect("the line", &hindmost["line"], line.into())?;
    let value = &hindmost["values"][case.variable];
    if value
        .as_f64()
        .is_none_or(|value| (value - case.value).abs() > 1e-9)
    {
        expect(case.variable, value, json!(case.value))?;
    }

    // Everybody is in exactly one class.
    let mut seen = Vec::new();
    for class in answer["classes"].as_array().into_iter().flatten() {
        let ranks: base::RankSet = class["ranks"]
            .as_str()
            .unwrap_or_default()
            .parse()
            .map_err(|error| format!("{error}"))?;
        seen.extend(ranks.iter());
    }
    seen.sort_unstable();
    if seen != Vec::from_iter(0..ranks) {
        return Err(format!("the classes hold the ranks {seen:?}"));
    }
    Ok(())
}

#[test]
fn poisson_openmpi_o2() {
    check(Program::Poisson, Mpi::OpenMpi, "-O2", &POISSON);
}

#[test]
fn poisson_openmpi_o0() {
    check(Program::Poisson, Mpi::OpenMpi, "-O0", &POISSON[..2]);
}

#[test]
fn poisson_mpich_o2() {
    check(Program::Poisson, Mpi::Mpich, "-O2", &POISSON[..4]);
}

#[test]
fn poisson_mpich_o0() {
    check(Program::Poisson, Mpi::Mpich, "-O0", &POISSON[5..]);
}

#[test]
fn ring_openmpi_o2() {
    check(Program::Ring, Mpi::OpenMpi, "-O2", &RING);
}

#[test]
fn ring_openmpi_o0() {
    check(Program::Ring, Mpi::OpenMpi, "-O0", &RING[4..]);
}

#[test]
fn ring_mpich_o2() {
    check(Program::Ring, Mpi::Mpich, "-O2", &RING[..3]);
}

#[test]
fn ring_mpich_o0() {
    check(Program::Ring, Mpi::Mpich, "-O0", &RING[1..2]);
}

#[test]
fn multigrid_openmpi_o2() {
    check(Program::Multigrid, Mpi::OpenMpi, "-O2", &MULTIGRID);
}

#[test]
fn multigrid_openmpi_o0() {
    check(Program::Multigrid, Mpi::OpenMpi, "-O0", &MULTIGRID[2..]);
}

#[test]
fn multigrid_mpich_o2() {
    check(Program::Multigrid, Mpi::Mpich, "-O2", &MULTIGRID[3..]);
}

#[test]
fn multigrid_mpich_o0() {
    check(Program::Multigrid, Mpi::Mpich, "-O0", &MULTIGRID[1..2]);
}

#[test]
fn adi_openmpi_o2() {
    check(Program::Adi, Mpi::OpenMpi, "-O2", &ADI);
}

#[test]
fn adi_openmpi_o0() {
    check(Program::Adi, Mpi::OpenMpi, "-O0", &ADI[4..]);
}

#[test]
fn adi_mpich_o2() {
    check(Program::Adi, Mpi::Mpich, "-O2", &ADI[..2]);
}

#[test]
fn adi_mpich_o0() {
    check(Program::Adi, Mpi::Mpich, "-O0", &ADI[5..]);
}

#[test]
fn relax_openmpi_o2() {
    check(Program::Relax, Mpi::OpenMpi, "-O2", &RELAX);
}

#[test]
fn relax_openmpi_o0() {
    check(Program::Relax, Mpi::OpenMpi, "-O0", &RELAX[..1]);
}

#[test]
fn relax_mpich_o2() {
    check(Program::Relax, Mpi::Mpich, "-O2", &RELAX[..2]);
}

#[test]
fn relax_mpich_o0() {
    check(Program::Relax, Mpi::Mpich, "-O0", &RELAX[2..3]);
}

/// With the linker's optimisation nearly all is inlined into `main`, and shown by lines that are mixed and by no variable. What decides is the code: which
/// register or slot counts the iterations, which call an instruction can be, and that who goes round without coming to MPI is in no iteration of its own.
#[test]
fn all_is_in_main() {
    let _turn = my_turn();
    let programs = [
        (
            Program::Multigrid,
            &["coarsen", "lost_point", "before_update"][..],
        ),
        (Program::Adi, &["x_solve", "report", "between_updates"]),
    ];
    for (program, places) in programs {
        let exe = compile(program, Mpi::OpenMpi, "-O3 -flto");
        for &place in places {
            let job = hung(
                &exe,
                Mpi::OpenMpi,
                4,
                Stall {
                    rank: 2,
                    iteration: 3,
                    place,
                },
            );
            let launcher = job.launcher().to_string();
            let answer = named(hindmost().args(["find", "--format", "json", "--launcher", &launcher]));
            let answer = answer.unwrap_or_else(|reason| panic!("{program:?}, {place}: {reason}"));
            let hindmost = &answer["hindmost"][0];
            assert_eq!(answer["proven"], true, "{program:?}, {place}");
            assert_eq!(hindmost["ranks"], "2", "{program:?}, {place}: {hindmost:#}");
            let line = program
                .stall_line(place)
                .unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(hindmost["line"], line, "{program:?}, {place}");
        }
    }
}
