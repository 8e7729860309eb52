//! Small functions whose code and source are walked together; and random ones, whose code is made from the source by copying and joining, so that it
//! is known what each instruction stands for.

use super::*;
use crate::meetings::tests::function;
use base::Random;
use progress_map::PointKind;

/// A function and its code.
struct Given {
    function: Function,
    handlers: BTreeSet<PointId>,
    required: IdVec<PointId, bool>,
    code: Vec<Instruction>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Instruction {
    /// The points that it may be, if it calls.
    calls: Option<BTreeSet<usize>>,
    /// Where it leads: behind, by a jump, by an exception.
    ways: [Option<usize>; 3],
}

fn point(number: usize) -> PointId {
    PointId::from_index(number)
}

fn call(points: &[usize], behind: usize) -> Instruction {
    Instruction {
        calls: Some(points.iter().copied().collect()),
        ways: [Some(behind), None, None],
    }
}

fn branch(behind: usize, jump: usize) -> Instruction {
    Instruction {
        calls: None,
        ways: [Some(behind), Some(jump), None],
    }
}

fn returns() -> Instruction {
    Instruction::default()
}

/// A function in which all calls are required and no exception is caught.
fn plain(calls: &[&str], edges: &[(usize, usize)], code: Vec<Instruction>) -> Given {
    let function = function(calls, edges);
    Given {
        required: function.points.iter().map(|point| point.kind.is_call()).collect(),
        handlers: BTreeSet::new(),
        function,
        code,
    }
}

/// The pairs of instructions and points that are found.
fn found(given: &Given) -> Option<BTreeSet<(usize, usize)>> {
    let ways = given.code.iter().map(|each| (each.calls.is_some(), each.ways));
    let pairs = stand_ins(
        &Copy {
            code: &Code::of_ways(&Vec::from_iter(ways)),
            inside: &|_| true,
            is_inlined: false,
        },
        &Source {
            function: &given.function,
            handlers: &given.handlers,
            required: &given.required,
            may_begin_anew: &[],
        },
        |step| Fit {
            points: given.code[step]
                .calls
                .iter()
                .flatten()
                .copied()
                .map(point)
                .collect(),
            is_own: true,
            ..Fit::default()
        },
    )?;
    Some(
        pairs
            .into_iter()
            .map(|(step, point)| (step, point.index()))
            .collect(),
    )
}

/// `if (…) { first(); second(); } else { first(); third(); }`, each arm with code of its own.
fn arms() -> Given {
    let code = vec![
        branch(1, 4),
        call(&[1, 3], 2),
        call(&[2], 3),
        returns(),
        call(&[1, 3], 5),
        call(&[4], 6),
        returns(),
    ];
    plain(
        &["first", "second", "first", "third"],
        &[(0, 1), (0, 3), (1, 2), (3, 4), (2, 5), (4, 5)],
        code,
    )
}

#[test]
fn how_the_code_goes_on_tells_a_call() {
    let pairs = [(1, 1), (2, 2), (4, 3), (5, 4)];
    assert_eq!(found(&arms()), Some(pairs.into()));
}

#[test]
fn a_call_that_may_not_come_back_may_be_any() {
    // What lies behind the call is reached by a jump, too: the call may end the program.
    let mut given = arms();
    given.code[0] = branch(7, 4);
    given.code.push(branch(1, 5));
    let pairs = [(1, 1), (2, 2), (4, 1), (4, 3), (5, 4)];
    let found = found(&given);
    assert!(found.is_none_or(|found| found.is_superset(&pairs.into())));
}

#[test]
fn only_an_exception_leads_to_a_handler() {
    // try { first(); } catch (…) { second(); } second();
    let mut given = plain(
        &["first", "", "second", "second"],
        &[(0, 1), (1, 2), (2, 3), (1, 4), (3, 4), (4, 5)],
        vec![call(&[1], 1), call(&[3, 4], 2), returns(), call(&[3, 4], 1)],
    );
    given.function.points[point(2)].kind = PointKind::Eval;
    given.required[point(2)] = false;
    given.code[0].ways[2] = Some(3);
    given.handlers = [point(2)].into();
    assert_eq!(found(&given), Some([(0, 1), (1, 4), (3, 3)].into()));
    // Where nothing is known of handlers, code that only an exception leads to cannot be what a task does next.
    given.handlers.clear();
    assert_eq!(found(&given), None);
}

#[test]
fn code_of_any_length_is_gone_through() {
    // More instructions in a row than a stack has room for calls.
    let count = 100_000;
    let mut code = vec![call(&[1], 1)];
    code.extend((2..count).map(|next| Instruction {
        calls: None,
        ways: [Some(next), None, None],
    }));
    code.extend([call(&[2], count), returns()]);
    let given = plain(&["first", "second"], &[(0, 1), (1, 2), (2, 3)], code);
    assert_eq!(found(&given), Some([(0, 1), (count - 1, 2)].into()));
}

#[test]
fn code_that_contradicts_the_source_tells_nothing() {
    // first(); second(); in the other order.
    let code = vec![call(&[2], 1), call(&[1], 2), returns()];
    let given = plain(&["first", "second"], &[(0, 1), (1, 2), (2, 3)], code);
    assert_eq!(found(&given), None);
}

/// A random function: calls of two names, some of which may leave no instruction, and handlers of exceptions out of calls.
fn random_source(random: &mut Random) -> Given {
    let count = 3 + random.below(7);
    let last = count + 1;
    let names = Vec::from_iter((0..count).map(|_| ["first", "second"][random.below(2)]));
    let is_handler = Vec::from_iter((0..=last).map(|at| at > 1 && at < last && random.below(4) == 0));
    let is_plain = Vec::from_iter((0..=last).map(|at| is_handler[at] || random.below(4) == 0));
    let mut edges = BTreeSet::new();
    for (from, &from_is_plain) in is_plain.iter().enumerate().take(last) {
        let (mut on, mut caught) = (BTreeSet::new(), None);
        for _ in 0..3 {
            let back = random.below(5) == 0;
            let to = if back {
                1 + random.below(last)
            } else {
                from + 1 + random.below(last - from)
            };
            if !is_handler[to] && on.len() < 2 {
                on.insert(to);
            } else if is_handler[to] && !from_is_plain && from > 0 {
                caught = Some(to);
            }
        }
        if on.is_empty() {
            on.insert(last);
        }
        edges.extend(on.into_iter().chain(caught).map(|to| (from, to)));
    }
    let mut given = plain(&names, &Vec::from_iter(edges), Vec::new());
    given.handlers = (0..=last).filter(|&at| is_handler[at]).map(point).collect();
    for at in (1..last).map(point) {
        if is_plain[at.index()] {
            given.function.points[at].kind = PointKind::Eval;
            given.required[at] = false;
        }
        given.required[at] &= random.below(4) > 0;
    }
    given
}

/// What an instruction of made code is.
#[derive(Clone, Copy)]
struct Made {
    point: usize,
    calls: bool,
}

/// Makes the code of a function: each point is copied some times, calls that need not be there may go, and copies that do the same are joined. Gives
/// what each instruction stands for.
fn compile(given: &mut Given, random: &mut Random) -> BTreeSet<(usize, usize)> {
    let points = given.function.points.len();
    let mut made = Vec::new();
    let mut copies: Vec<Vec<usize>> = Vec::new();
    for at in 0..points {
        let first = made.len();
        for _ in 0..1 + random.below(3) {
            let here = point(at);
            let calls = given.function.points[here].kind.is_call();
            let calls = calls && (given.required[here] || random.below(2) == 0);
            made.push(Made { point: at, calls });
        }
        copies.push((first..made.len()).collect());
    }
    let ways = Vec::from_iter(made.iter().map(|from| {
        let mut ways = [None; 3];
        for &(_, to) in given
            .function
            .edges
            .iter()
            .filter(|edge| edge.0 == point(from.point))
        {
            let copies = &copies[to.index()];
            let copy = Some(copies[random.below(copies.len())]);
            let caught = given.handlers.contains(&to);
            let place = if caught { 2 } else { usize::from(ways[0].is_some()) };
            // Without an instruction that calls, nothing throws.
            ways[place] = copy.filter(|_| !caught || from.calls);
        }
        ways
    }));
    let class_of = joined(given, &made, &ways, random);
    // Behind each call there is an instruction of its own, so that the call is known to come back.
    let classes = 1 + class_of.iter().max().unwrap();
    given.code = vec![Instruction::default(); classes];
    let mut truth = BTreeSet::new();
    let is_reached = reached(made.len(), |at| ways[at]);
    for (at, each) in made.iter().enumerate() {
        let class = class_of[at];
        let [behind, jump, pad] = ways[at].map(|way| way.map(|way| class_of[way]));
        if each.calls && is_reached[at] {
            truth.insert((class, each.point));
        }
        if given.code[class].ways != [None; 3] {
            continue;
        }
        let alike = alike(&given.function, each.point);
        given.code[class].calls = each.calls.then_some(alike);
        given.code[class].ways = [behind, jump, pad];
        if each.calls {
            let resume = given.code.len();
            given.code.push(Instruction {
                calls: None,
                ways: [None, behind.or(Some(resume)), None],
            });
            given.code[resume].ways[0] = jump;
            given.code[class].ways = [Some(resume), None, pad];
        }
    }
    take_out_unreached(&mut given.code);
    truth
}

/// The calls of the function that a point calls.
fn alike(function: &Function, at: usize) -> BTreeSet<usize> {
    let name = function.points[point(at)].kind.callee();
    let same = function
        .points
        .iter_enumerated()
        .filter(|(_, each)| each.kind.callee() == name);
    same.map(|(id, _)| id.index()).collect()
}

/// By copy, the number of those that it is joined with: they do the same, and go on to what is joined. The entry has the first.
fn joined(given: &Given, made: &[Made], ways: &[[Option<usize>; 3]], random: &mut Random) -> Vec<usize> {
    // Of copies that could be joined some are not.
    let apart = Vec::from_iter(made.iter().map(|_| random.below(2)));
    let kind = |at: usize| {
        let each = made[at];
        let name = given.function.points[point(each.point)].kind.callee();
        (
            at != 0,
            each.calls.then_some(name),
            each.point == given.function.points.len() - 1,
            apart[at],
        )
    };
    let mut class_of = numbered(made.len(), kind);
    loop {
        let next = numbered(made.len(), |at| {
            (class_of[at], ways[at].map(|way| way.map(|way| class_of[way])))
        });
        if next == class_of {
            return class_of;
        }
        class_of = next;
    }
}

/// Numbers what is equal alike, in the order of first appearance.
fn numbered<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    let number = |at| {
        let next = numbers.len();
        *numbers.entry(key(at)).or_insert(next)
    };
    (0..count).map(number).collect()
}

#[test]
fn copied_and_joined_code_stands_for_what_it_was_made_of() {
    const SEED: u64 = 0x0057_a9d5;
    let mut random = Random(SEED);
    let (mut told, mut fewer) = (0, 0);
    for case in 0..6000 {
        let mut given = random_source(&mut random);
        let truth = compile(&mut given, &mut random);
        let Some(found) = found(&given) else {
            panic!(
                "seed {SEED:#x}, case {case}: nothing is told of {:?} {:?}",
                given.function, given.code
            );
        };
        let missing = Vec::from_iter(truth.difference(&found));
        assert!(
            missing.is_empty(),
            "seed {SEED:#x}, case {case}: {missing:?} of {truth:?} in {:?} {:?}",
            given.function,
            given.code
        );
        told += truth.len();
        let most = |step: usize| given.code[step].calls.as_ref().map_or(0, BTreeSet::len);
        let at_most: usize = BTreeSet::from_iter(truth.iter().map(|pair| pair.0))
            .into_iter()
            .map(most)
            .sum();
        fewer += at_most - found.len();
    }
    assert!(
        told > 10_000 && fewer > told / 4,
        "{told} pairs, {fewer} less than by name"
    );
}

/// Takes out of a code the calls that are not reached from its entry, as no decoder would find them.
fn take_out_unreached(code: &mut [Instruction]) {
    let seen = reached(code.len(), |at| code[at].ways);
    for (each, seen) in code.iter_mut().zip(seen) {
        each.calls = each.calls.take().filter(|_| seen);
    }
}

/// Which of so many nodes are reached from the first.
fn reached(count: usize, ways: impl Fn(usize) -> [Option<usize>; 3]) -> Vec<bool> {
    let (mut seen, mut work) = (vec![false; count], vec![0]);
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            work.extend(ways(at).into_iter().flatten());
        }
    }
    seen
}
