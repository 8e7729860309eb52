//! The rules of the order, each on the smallest map that shows it. Whole programs judge it in the `tests` crate.

use base::{Confidence, Id, IdVec, Span};
use progress::{ExecutionPoint, Frame, Order, Reason, Relation, Value, classify};
use progress_map::generate::{self, bare_function};
use progress_map::{
    Across, Cut, Direction, File, Function, Grounds, Loop, LoopId, LoopSource, Lov, LovClass, Map, Moves,
    Point, PointId, PointKind, Provenance, ProvenanceKind, Refusal, Refused, Scope, ScopeId, ScopeKind,
    Storage, Term, Unsequenced,
};

fn p(index: usize) -> PointId {
    PointId::from_index(index)
}

fn l(index: usize) -> LoopId {
    LoopId::from_index(index)
}

/// A map of one function `f` in `f.c`: entry, the given points (kind, line, column, loop), exit.
fn map(points: &[(PointKind, u32, u32, Option<usize>)], edges: &[(usize, usize)], loops: Vec<Loop>) -> Map {
    let last = points.len() + 1;
    let whole = Span {
        line: 1,
        column: 1,
        end_line: 99,
        end_column: 2,
    };
    let point = |kind: PointKind, span: Span, in_loop: Option<usize>| Point {
        kind,
        span,
        scope: ScopeId::from_index(0),
        innermost_loop: in_loop.map(l),
        unsequenced: Vec::new(),
    };
    let mut all: IdVec<PointId, Point> = IdVec::new();
    all.push(point(PointKind::Entry, whole, None));
    for (kind, line, column, in_loop) in points {
        let span = Span {
            line: *line,
            column: *column,
            end_line: *line,
            end_column: column + 4,
        };
        all.push(point(kind.clone(), span, *in_loop));
    }
    all.push(point(PointKind::Exit, whole, None));
    let mut edges: Vec<(PointId, PointId)> = edges.iter().map(|&(a, b)| (p(a), p(b))).collect();
    edges.push((p(0), p(1)));
    edges.sort_unstable();
    assert!(edges.iter().all(|&(a, b)| a.index() <= last && b.index() <= last));
    let function = Function {
        points: all,
        edges,
        scopes: vec![Scope {
            parent: None,
            kind: ScopeKind::Function,
            line: 1,
            end_line: 99,
        }]
        .into(),
        loops: loops.into(),
        ..bare_function("f", Id::from_index(0), whole)
    };
    Map {
        files: vec![File {
            path: "src/f.c".into(),
            hash: [0; 32],
        }]
        .into(),
        functions: vec![function].into(),
        ..Map::default()
    }
}

fn a_loop(parent: Option<usize>, header: usize, lovs: Vec<Lov>) -> Loop {
    Loop {
        parent: parent.map(l),
        source: LoopSource::While,
        span: Span {
            line: 2,
            column: 1,
            end_line: 9,
            end_column: 2,
        },
        header: p(header),
        reducible: true,
        lovs,
        refused: Vec::new(),
    }
}

fn lov(name: &str, class: LovClass, across: Across, cut: Cut, updates: &[usize]) -> Lov {
    Lov {
        class,
        across,
        cut,
        updates: updates.iter().map(|&at| p(at)).collect(),
        start: None,
        ..generate::lov(name)
    }
}

/// A stack of one frame in `f`.
fn at(task: &str, rank: u32, line: u32, values: &[(&str, i128)]) -> ExecutionPoint {
    let values = values
        .iter()
        .map(|&(name, value)| (name.to_owned(), Value::Int(value)))
        .collect();
    let frame = Frame {
        function: "f".into(),
        file: Some("f.c".into()),
        line: Some(line),
        values,
        ..Frame::default()
    };
    ExecutionPoint {
        task: task.into(),
        rank: Some(rank),
        pid: None,
        frames: vec![frame],
        beneath: None,
        incomplete: None,
    }
}

/// Compares both ways round and checks that the answers mirror each other.
fn relation(map: &Map, a: &ExecutionPoint, b: &ExecutionPoint) -> Relation {
    let order = Order::new(map);
    let (a, b) = (order.locate(a), order.locate(b));
    let forth = order.compare(&a, &b).relation;
    assert_eq!(order.compare(&b, &a).relation, forth.reversed());
    forth
}

fn eval(line: u32, in_loop: Option<usize>) -> (PointKind, u32, u32, Option<usize>) {
    (PointKind::Eval, line, 5, in_loop)
}

/// `while (c /*2*/) { a /*3*/; it++ /*4*/; b /*5*/; } after /*6*/`
fn middle_update(cut: Cut) -> Map {
    let lov = lov("it", LovClass::Strict, Across::SameSequence, cut, &[3]);
    map(
        &[
            eval(2, Some(0)),
            eval(3, Some(0)),
            eval(4, Some(0)),
            eval(5, Some(0)),
            eval(6, None),
        ],
        &[(1, 2), (2, 3), (3, 4), (4, 1), (1, 5), (5, 6)],
        vec![a_loop(None, 1, vec![lov])],
    )
}

#[test]
fn a_change_in_the_middle_of_the_body_is_said() {
    let map = middle_update(Cut::Header {
        offsets: vec![(p(4), 1)],
        per_iteration: 1,
    });
    let order = Order::new(&map);
    let behind = order.locate(&at("x", 0, 5, &[("it", 1)]));
    let ahead = order.locate(&at("y", 1, 3, &[("it", 1)]));
    let say = |a, b| progress::sentence(&map, &order.compare(a, b), a, b);
    assert_eq!(
        say(&behind, &ahead),
        "task x has it=1 after its change at f.c:4, task y has it=1 before it: an earlier iteration of the loop at f.c:2"
    );
    assert_eq!(
        say(&ahead, &behind),
        "task y has it=1 before its change at f.c:4, task x has it=1 after it: a later iteration of the loop at f.c:2"
    );
}

#[test]
fn equal_values_on_two_sides_of_the_update_are_two_iterations() {
    // The trap: b with it=1 belongs to the first iteration, a with it=1 to the second.
    let header = Cut::Header {
        offsets: vec![(p(4), 1)],
        per_iteration: 1,
    };
    for cut in [Cut::Updates, header] {
        let map = middle_update(cut);
        assert_eq!(
            relation(&map, &at("x", 0, 5, &[("it", 1)]), &at("y", 1, 3, &[("it", 1)])),
            Relation::Before
        );
        assert_eq!(
            relation(&map, &at("x", 0, 3, &[("it", 1)]), &at("y", 1, 5, &[("it", 2)])),
            Relation::Before
        );
        assert_eq!(
            relation(&map, &at("x", 0, 3, &[("it", 7)]), &at("y", 1, 3, &[("it", 7)])),
            Relation::Equal
        );
        assert_eq!(
            relation(&map, &at("x", 0, 3, &[("it", 7)]), &at("y", 1, 6, &[])),
            Relation::Before
        );
    }
}

/// One of them may be back from the call, and the other may not have made it.
#[test]
fn two_instructions_beside_a_call_are_not_one_place() {
    let call = PointKind::Call("g".into());
    let map = map(
        &[eval(2, None), (call, 3, 5, None), eval(4, None)],
        &[(1, 2), (2, 3)],
        Vec::new(),
    );
    let at = |line: u32, pc: Option<u64>| {
        let mut point = at("x", 0, line, &[]);
        point.frames[0].pc = pc;
        let start = Frame {
            function: "_start".into(),
            pc: pc.map(|_| 1),
            ..Frame::default()
        };
        point.frames.insert(0, start);
        point
    };
    assert_eq!(
        undecided(&map, &at(3, Some(0x10)), &at(3, Some(0x20))),
        "call-under-way"
    );
    for (one, other) in [
        (at(3, Some(0x10)), at(3, Some(0x10))),
        (at(3, None), at(3, None)),
        (at(2, Some(0x10)), at(2, Some(0x20))),
    ] {
        assert_eq!(relation(&map, &one, &other), Relation::Equal);
    }
}

#[test]
fn inside_a_macro_the_callee_decides_nothing() {
    // `TWICE(x)` may call f for the first time in one task and for the second in the other.
    let inside = |kind: PointKind| {
        let call = (kind, 3, 5, None);
        let map = map(
            &[call, eval(4, None), eval(5, None)],
            &[(1, 2), (2, 3), (3, 4)],
            Vec::new(),
        );
        let stack = |task: &str, rank, line| {
            let mut point = at(task, rank, 3, &[]);
            point.frames.extend(at(task, rank, line, &[]).frames);
            point
        };
        relation(&map, &stack("x", 0, 4), &stack("y", 1, 5))
    };
    assert_eq!(inside(PointKind::Call("f".into())), Relation::Before);
    assert_eq!(inside(PointKind::MacroCall("TWICE".into())), Relation::Unknown);
}

#[test]
fn on_the_line_of_the_update_equal_values_decide_nothing() {
    let map = middle_update(Cut::Updates);
    // it=1 on line 4 is before the second update or after the first: either side of a with it=1.
    assert_eq!(
        relation(&map, &at("x", 0, 4, &[("it", 1)]), &at("y", 1, 3, &[("it", 1)])),
        Relation::Unknown
    );
    assert_eq!(
        relation(&map, &at("x", 0, 4, &[("it", 1)]), &at("y", 1, 3, &[("it", 3)])),
        Relation::Before
    );
}

#[test]
fn without_a_value_nothing_inside_the_loop_is_said() {
    let map = middle_update(Cut::Updates);
    assert_eq!(
        relation(&map, &at("x", 0, 3, &[]), &at("y", 1, 5, &[("it", 4)])),
        Relation::Unknown
    );
    assert_eq!(
        relation(&map, &at("x", 0, 3, &[]), &at("y", 1, 6, &[])),
        Relation::Before
    );
}

#[test]
fn an_inner_loop_never_speaks_before_an_outer_one() {
    // while (more()) while (j < n) { a; j++; }: the outer loop has no variable.
    let inner = lov("j", LovClass::Strict, Across::SameSequence, Cut::Updates, &[4]);
    let map = map(
        &[
            eval(2, Some(0)),
            eval(3, Some(1)),
            eval(4, Some(1)),
            eval(5, Some(1)),
        ],
        &[(1, 2), (2, 3), (3, 4), (4, 2), (2, 1), (1, 5)],
        vec![a_loop(None, 1, vec![]), a_loop(Some(0), 2, vec![inner])],
    );
    assert_eq!(
        relation(&map, &at("x", 0, 4, &[("j", 1)]), &at("y", 1, 4, &[("j", 2)])),
        Relation::Unknown
    );
    assert_eq!(
        relation(&map, &at("x", 0, 4, &[("j", 1)]), &at("x2", 0, 4, &[("j", 2)])),
        Relation::Unknown
    );
}

#[test]
fn a_weak_variable_orders_moments_of_one_task_only() {
    let weak = lov("k", LovClass::Weak, Across::Nothing, Cut::Updates, &[3]);
    let map = map(
        &[
            eval(2, Some(0)),
            eval(3, Some(0)),
            eval(4, Some(0)),
            eval(5, Some(0)),
        ],
        &[(1, 2), (2, 3), (2, 4), (3, 4), (4, 1), (1, 5)],
        vec![a_loop(None, 1, vec![weak])],
    );
    let early = |rank| at("early", rank, 5, &[("k", 1)]);
    let late = at("late", 0, 3, &[("k", 2)]);
    assert_eq!(relation(&map, &early(0), &late), Relation::Before);
    assert_eq!(relation(&map, &early(1), &late), Relation::Unknown);
    assert_eq!(
        relation(&map, &at("a", 0, 5, &[("k", 2)]), &late),
        Relation::Unknown
    );
}

#[test]
fn a_relative_variable_counts_its_steps() {
    // for (i = rank; …; i += size)
    let mut relative = lov("i", LovClass::Strict, Across::Relative, Cut::Updates, &[3]);
    let variable = |name: &str| {
        let storage = Storage::Local {
            name: name.into(),
            line: 1,
        };
        Some(Term::Variable {
            name: name.into(),
            storage,
            negated: false,
        })
    };
    relative.direction = Direction::SignOfStep;
    (relative.start, relative.step) = (variable("rank"), variable("size"));
    let map = map(
        &[eval(2, Some(0)), eval(3, Some(0)), eval(4, Some(0))],
        &[(1, 2), (2, 3), (3, 1), (1, 4)],
        vec![a_loop(None, 1, vec![relative])],
    );
    let task = |rank: u32, i: i128, size: i128| {
        at(
            "t",
            rank,
            3,
            &[("i", i), ("rank", i128::from(rank)), ("size", size)],
        )
    };
    assert_eq!(relation(&map, &task(0, 8, 4), &task(3, 11, 4)), Relation::Equal);
    assert_eq!(relation(&map, &task(0, 12, 4), &task(3, 11, 4)), Relation::After);
    assert_eq!(relation(&map, &task(0, 8, 4), &task(0, 12, 4)), Relation::Before);
    assert_eq!(relation(&map, &task(0, 8, 0), &task(3, 11, 0)), Relation::Unknown);
    assert_eq!(relation(&map, &task(0, 8, 4), &task(3, 12, 4)), Relation::Unknown);
}

#[test]
fn arms_of_a_branch_have_no_order_and_the_condition_may_be_the_jump_behind_one() {
    let map = map(
        &[
            (PointKind::Branch, 2, 5, None),
            eval(3, None),
            eval(5, None),
            eval(7, None),
        ],
        &[(1, 2), (1, 3), (2, 4), (3, 4), (4, 5)],
        vec![],
    );
    assert_eq!(
        relation(&map, &at("x", 0, 3, &[]), &at("y", 1, 5, &[])),
        Relation::Incomparable
    );
    // Compilers give the jump that leaves an arm the position of the decision.
    assert_eq!(
        relation(&map, &at("x", 0, 2, &[]), &at("y", 1, 5, &[])),
        Relation::Unknown
    );
    assert_eq!(
        relation(&map, &at("x", 0, 2, &[]), &at("y", 1, 7, &[])),
        Relation::Before
    );
    assert_eq!(
        relation(&map, &at("x", 0, 7, &[]), &at("y", 1, 5, &[])),
        Relation::After
    );
}

#[test]
fn a_task_that_spins_in_the_condition_of_a_loop_is_in_front_of_its_body() {
    let map = map(
        &[
            (PointKind::Branch, 2, 5, Some(0)),
            eval(3, Some(0)),
            eval(4, Some(0)),
            eval(5, None),
        ],
        &[(1, 2), (2, 3), (3, 1), (1, 4), (4, 5)],
        vec![a_loop(
            None,
            1,
            vec![lov(
                "i",
                LovClass::Strict,
                Across::SameSequence,
                Cut::Updates,
                &[3],
            )],
        )],
    );
    let spinning = at("x", 0, 2, &[("i", 7)]);
    assert_eq!(
        relation(&map, &spinning, &at("y", 1, 3, &[("i", 7)])),
        Relation::Before
    );
    assert_eq!(relation(&map, &spinning, &at("y", 1, 5, &[])), Relation::Before);
}

#[test]
fn several_points_on_a_line_must_agree() {
    let map = map(
        &[eval(2, None), (PointKind::Eval, 2, 20, None), eval(3, None)],
        &[(1, 2), (2, 3), (3, 4)],
        vec![],
    );
    assert_eq!(
        relation(&map, &at("x", 0, 2, &[]), &at("y", 1, 2, &[])),
        Relation::Unknown
    );
    assert_eq!(
        relation(&map, &at("x", 0, 2, &[]), &at("y", 1, 3, &[])),
        Relation::Before
    );
    let column = |task: &str, rank, column| {
        let mut point = at(task, rank, 2, &[]);
        point.frames[0].column = Some(column);
        point
    };
    assert_eq!(
        relation(&map, &column("x", 0, 5), &column("y", 1, 20)),
        Relation::Before
    );
}

#[test]
fn operands_that_c_may_exchange_have_no_order() {
    let mut map = map(
        &[
            (PointKind::Call("g".into()), 2, 5, None),
            (PointKind::Call("h".into()), 2, 15, None),
        ],
        &[(1, 2), (2, 3)],
        vec![],
    );
    let function = Id::from_index(0);
    for operand in 0..2 {
        let point: &mut Point = &mut map.functions[function].points[p(operand as usize + 1)];
        point.unsequenced = vec![Unsequenced { group: 0, operand }];
    }
    let inside = |task: &str, callee: &str| {
        let mut point = at(task, 0, 2, &[]);
        point.frames.push(Frame {
            function: callee.into(),
            ..Frame::default()
        });
        point
    };
    assert_eq!(
        relation(&map, &inside("x", "g"), &inside("y", "h")),
        Relation::Unknown
    );
    assert_eq!(
        relation(&map, &inside("x", "g"), &inside("y", "g")),
        Relation::Equal
    );
}

#[test]
fn a_function_that_was_not_understood_orders_nothing() {
    let mut map = middle_update(Cut::Updates);
    map.functions[Id::from_index(0)].confidence = Confidence::Partial;
    assert_eq!(
        relation(&map, &at("x", 0, 3, &[("it", 1)]), &at("y", 1, 6, &[])),
        Relation::Unknown
    );
}

#[test]
fn classes_name_the_least_progressed() {
    let map = middle_update(Cut::Updates);
    let order = Order::new(&map);
    let mut tasks: Vec<_> = (0..8).map(|rank| at("t", rank, 5, &[("it", 41)])).collect();
    tasks[3] = at("t", 3, 5, &[("it", 40)]);
    tasks[5] = at("t", 5, 6, &[]);
    let located: Vec<_> = tasks.iter().map(|task| order.locate(task)).collect();
    let classes = classify(&order, &located);
    let members: Vec<_> = classes
        .classes
        .iter()
        .map(|class| class.members.clone())
        .collect();
    assert_eq!(members, [vec![3], vec![0, 1, 2, 4, 6, 7], vec![5]]);
    assert_eq!(classes.hindmost(), [0]);
    // One unreadable value among the candidates, and nobody is named.
    tasks[6] = at("t", 6, 5, &[]);
    let located: Vec<_> = tasks.iter().map(|task| order.locate(task)).collect();
    let classes = classify(&order, &located);
    assert!(classes.hindmost().is_empty());
    assert_eq!(classes.undecided.len(), 1);
    // All alike: nobody is behind.
    let located: Vec<_> = (0..4).map(|rank| order.locate(&at("t", rank, 6, &[]))).collect();
    assert!(classify(&order, &located).hindmost().is_empty());
}

/// The word for why nothing is decided, both ways round; of a loop without variables also what each of them lacks.
fn undecided(map: &Map, a: &ExecutionPoint, b: &ExecutionPoint) -> String {
    let order = Order::new(map);
    let (a, b) = (order.locate(a), order.locate(b));
    let (forth, back) = (order.compare(&a, &b), order.compare(&b, &a));
    let reason = forth.unknown_because().expect("nothing is decided");
    assert_eq!(back.unknown_because().map(Reason::code), Some(reason.code()));
    match reason {
        Reason::NoVariable { silent, .. } => {
            let each = silent.iter().map(|each| format!("{}: {}", each.name, each.why));
            format!("{} ({})", reason.code(), Vec::from_iter(each).join("; "))
        }
        reason => reason.code().to_owned(),
    }
}

/// One that is undecided for its first task, against a task that has a place.
fn obstacle(map: &Map, one: &ExecutionPoint) -> String {
    undecided(map, one, &at("y", 1, 6, &[]))
}

#[test]
fn who_has_no_place_is_unknown_for_the_reason_that_keeps_it_from_having_one() {
    let map = middle_update(Cut::Updates);
    let one = at("x", 0, 3, &[("it", 1)]);
    let with = |change: fn(&mut ExecutionPoint)| {
        let mut changed = one.clone();
        change(&mut changed);
        obstacle(&map, &changed)
    };
    assert_eq!(with(|x| x.frames.clear()), "stack-empty");
    assert_eq!(
        with(|x| x.incomplete = Some("cut off".to_owned())),
        "stack-incomplete"
    );
    assert_eq!(
        with(|x| x.frames[0].function = "g".to_owned()),
        "stack-not-in-map"
    );
    assert_eq!(with(|x| x.frames[0].line = None), "frame-without-line");
    assert_eq!(with(|x| x.frames[0].line = Some(77)), "frame-at-no-point");
    assert_eq!(with(|x| x.frames[0].inexact = true), "frame-in-mixed-code");
    // Nothing on line 3 calls `f`.
    assert_eq!(
        with(|x| {
            let again = x.frames[0].clone();
            x.frames.push(again);
        }),
        "call-not-found"
    );
}

#[test]
fn what_lines_and_functions_leave_open() {
    let one_line = map(
        &[eval(2, None), (PointKind::Eval, 2, 20, None), eval(6, None)],
        &[(1, 2), (2, 3), (3, 4)],
        vec![],
    );
    let both = (at("x", 0, 2, &[]), at("y", 1, 2, &[]));
    assert_eq!(undecided(&one_line, &both.0, &both.1), "line-of-several-points");

    let mut partial = middle_update(Cut::Updates);
    partial.functions[Id::from_index(0)].confidence = Confidence::Partial;
    assert_eq!(
        obstacle(&partial, &at("x", 0, 3, &[("it", 1)])),
        "function-read-in-part"
    );

    let call = (PointKind::Call("g".into()), 3, 5, None);
    let calls = map(
        &[eval(2, None), call, eval(6, None)],
        &[(1, 2), (2, 3), (3, 4)],
        vec![],
    );
    let mut inside = at("x", 0, 3, &[]);
    inside.frames.push(Frame {
        function: "g".into(),
        ..Frame::default()
    });
    assert_eq!(undecided(&calls, &inside, &at("y", 1, 3, &[])), "call-under-way");
}

#[test]
fn what_a_loop_leaves_open() {
    let of = |found: Vec<Lov>| {
        let points = [
            eval(2, Some(0)),
            eval(3, Some(0)),
            eval(4, Some(0)),
            eval(5, Some(0)),
            eval(6, None),
        ];
        let edges = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 5), (5, 6)];
        map(&points, &edges, vec![a_loop(None, 1, found)])
    };
    let plain = || lov("it", LovClass::Strict, Across::SameSequence, Cut::Updates, &[3]);
    let why = |map: &Map, a: &[(&str, i128)], b: &[(&str, i128)]| {
        undecided(map, &at("x", 0, 3, a), &at("y", 1, 5, b))
    };

    assert_eq!(why(&of(vec![]), &[], &[]), "loop-without-variable ()");
    assert_eq!(
        why(&of(vec![plain()]), &[], &[("it", 1)]),
        "loop-without-variable (it: its value was not recorded)"
    );
    let apart = Lov {
        across: Across::Nothing,
        grounds: Grounds {
            moves: Moves::EveryCycle,
            provenance: Some(Provenance::at(ProvenanceKind::Memory, 9)),
            unseen: None,
        },
        ..plain()
    };
    assert_eq!(
        why(&of(vec![apart]), &[("it", 1)], &[("it", 2)]),
        "loop-without-variable (it: its values on different tasks cannot be compared (every cycle changes it; its values differ by task: \
         it is read from memory at line 9))"
    );
    let weak = Lov {
        class: LovClass::Weak,
        ..plain()
    };
    assert_eq!(
        why(&of(vec![weak]), &[("it", 2)], &[("it", 2)]),
        "loop-without-variable (it: it is 2 on both, but not every iteration changes it)"
    );
    let counted = |start: Term, step: Term| Lov {
        across: Across::Relative,
        start: Some(start),
        step: Some(step),
        ..plain()
    };
    let by_two = of(vec![counted(Term::Constant(0), Term::Constant(2))]);
    assert_eq!(
        why(&by_two, &[("it", 3)], &[("it", 4)]),
        "loop-without-variable (it: 3 is not a whole number of steps of 2 from its start 0)"
    );
    let by_nothing = of(vec![counted(Term::Constant(0), Term::Constant(0))]);
    assert_eq!(
        why(&by_nothing, &[("it", 3)], &[("it", 4)]),
        "loop-without-variable (it: its step is 0)"
    );
    let from_a_fraction = of(vec![counted(Term::Float(0.5), Term::Constant(1))]);
    assert_eq!(
        why(&from_a_fraction, &[("it", 3)], &[("it", 4)]),
        "loop-without-variable (it: steps of a floating-point variable cannot be counted exactly)"
    );

    let refused = Loop {
        refused: vec![Refused {
            name: "n".to_owned(),
            why: Refusal::MovesBothWays,
        }],
        ..a_loop(None, 1, vec![])
    };
    let mut map = of(vec![]);
    map.functions[Id::from_index(0)].loops[l(0)] = refused;
    assert_eq!(
        why(&map, &[], &[]),
        "loop-without-variable (n: it moves both ways)"
    );
    map.functions[Id::from_index(0)].loops[l(0)].reducible = false;
    assert_eq!(why(&map, &[], &[]), "loop-irreducible");
}
