//! Trees against an independent, slow oracle: the same stacks in plain maps of paths.

use stacktree::{Granularity, Label, LabelKind, NodeId, Number, Stack, TaskSet, Tree, merge};
use std::collections::{BTreeMap, BTreeSet};

/// The next number of a fixed sequence, below a bound.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % below
    }
}

const NAMES: [&str; 7] = ["main", "solve", "operator<<", "größe", "", "MPI_Wait", "x;y\"\\|"];

fn frame(dice: &mut Dice) -> Label<&'static str> {
    let value = match dice.roll(6) {
        0 => Some(Number::Float(f64::from(dice.roll(3)) - 1.0)),
        1 => Some(Number::Unread),
        2 | 3 => Some(Number::Int(i128::from(dice.roll(3)) - 1)),
        _ => None,
    };
    Label {
        kind: if dice.roll(30) == 0 {
            LabelKind::Unreadable
        } else {
            LabelKind::Frame
        },
        function: NAMES[dice.roll(7) as usize],
        file: (dice.roll(2) == 0).then_some("a.c"),
        line: dice.roll(3),
        column: dice.roll(2),
        module: (dice.roll(4) == 0).then_some("libmpi.so"),
        pc: (dice.roll(4) == 0).then(|| dice.roll(2).into()),
        inexact: dice.roll(20) == 0,
        inlined: dice.roll(20) == 0,
        straight: dice.roll(20) == 0,
        values: value.map(|value| ("it", value)).into_iter().collect(),
    }
}

/// Stacks that begin alike now and then, as those of a job do.
fn stacks(dice: &mut Dice) -> Vec<Stack<'static>> {
    let mut stacks: Vec<Stack<'static>> = Vec::new();
    for _ in 0..dice.roll(40) {
        let mut frames = match dice.roll(3) {
            0 => Vec::new(),
            _ if stacks.is_empty() => Vec::new(),
            _ => {
                let like = &stacks[dice.roll(stacks.len() as u32) as usize].frames;
                like[..dice.roll(like.len() as u32 + 1) as usize].to_vec()
            }
        };
        for _ in 0..dice.roll(4) {
            frames.push(frame(dice));
        }
        let task = [dice.roll(6), dice.roll(100_000), u32::MAX][dice.roll(3) as usize % 3];
        stacks.push(Stack { task, frames });
    }
    stacks
}

/// For each path the tasks that pass through it, those that end there, and how many stacks pass.
type Paths = BTreeMap<Vec<Label<String>>, (BTreeSet<u32>, BTreeSet<u32>, u64)>;

fn owned(label: &Label<&str>) -> Label<String> {
    Label {
        kind: label.kind,
        function: label.function.to_owned(),
        file: label.file.map(str::to_owned),
        line: label.line,
        column: label.column,
        module: label.module.map(str::to_owned),
        pc: label.pc,
        inexact: label.inexact,
        inlined: label.inlined,
        straight: label.straight,
        values: label
            .values
            .iter()
            .map(|&(name, value)| (name.to_owned(), value))
            .collect(),
    }
}

fn oracle(stacks: &[Stack<'_>], granularity: Granularity) -> Paths {
    let mut paths = Paths::new();
    paths.insert(Vec::new(), Default::default());
    for stack in stacks {
        let path: Vec<Label<String>> = stack
            .frames
            .iter()
            .map(|frame| owned(&frame.at(granularity)))
            .collect();
        for length in 0..=path.len() {
            let entry = paths.entry(path[..length].to_vec()).or_default();
            entry.0.insert(stack.task);
            entry.2 += 1;
        }
        paths.entry(path).or_default().1.insert(stack.task);
    }
    paths
}

fn paths_of(tree: &Tree) -> Paths {
    let parents = tree.parents();
    let mut paths: Vec<Vec<Label<String>>> = Vec::new();
    let mut all = Paths::new();
    for node in tree.nodes() {
        let mut path = match node {
            NodeId::ROOT => Vec::new(),
            _ => paths[parents[node.index()].index()].clone(),
        };
        path.extend(tree.label(node).as_ref().map(owned));
        assert_eq!(tree.path(node).len(), path.len());
        let set = |tasks: &TaskSet| tasks.iter().collect::<BTreeSet<u32>>();
        let entry = (set(&tree.tasks(node)), set(tree.ends(node)), tree.stacks(node));
        assert!(all.insert(path.clone(), entry).is_none(), "a path is there once");
        paths.push(path);
    }
    all
}

fn coarsened(tree: &Tree, granularity: Granularity) -> Tree {
    tree.relabelled(|_, label| label.at(granularity))
}

#[test]
fn a_tree_holds_what_the_stacks_hold() {
    for seed in 0..300 {
        let stacks = stacks(&mut Dice(seed));
        let tree = Tree::new(&stacks);
        assert_eq!(
            paths_of(&tree),
            oracle(&stacks, Granularity::Point),
            "seed {seed}"
        );
        for granularity in [
            Granularity::Function,
            Granularity::Line,
            Granularity::Module,
            Granularity::Pc,
            Granularity::Point,
        ] {
            let coarse = coarsened(&tree, granularity);
            assert_eq!(
                paths_of(&coarse),
                oracle(&stacks, granularity),
                "seed {seed}, by {granularity:?}"
            );
        }
    }
}

#[test]
fn merging_is_associative_and_commutative() {
    for seed in 0..300 {
        let mut dice = Dice(seed);
        let stacks = stacks(&mut dice);
        let mut parts: Vec<Vec<Stack<'_>>> = vec![Vec::new(); 1 + dice.roll(6) as usize];
        let count = parts.len() as u32;
        for stack in &stacks {
            parts[dice.roll(count) as usize].push(stack.clone());
        }
        let whole = Tree::new(&stacks);
        let mut trees: Vec<Tree> = parts.iter().map(|part| Tree::new(part)).collect();
        assert_eq!(merge(&trees), whole, "seed {seed}: all at once");
        // Any two at a time, in any order, in any nesting.
        while trees.len() > 1 {
            let a = trees.swap_remove(dice.roll(trees.len() as u32) as usize);
            let b = trees.swap_remove(dice.roll(trees.len() as u32) as usize);
            let both = merge(&[&a, &b]);
            assert_eq!(both, merge(&[&b, &a]), "seed {seed}: in either order");
            trees.push(both);
        }
        assert_eq!(trees[0], whole, "seed {seed}: two by two");
        for part in &parts {
            let part = Tree::new(part);
            let places = part.places_in(&whole);
            for node in part.nodes() {
                let place = places[node.index()].expect("every part is in the whole");
                let labels = |tree: &Tree, node: NodeId| -> Vec<Label<String>> {
                    tree.path(node)
                        .iter()
                        .filter_map(|&n| tree.label(n))
                        .map(|label| owned(&label))
                        .collect()
                };
                assert_eq!(labels(&part, node), labels(&whole, place), "seed {seed}");
            }
        }
    }
}

#[test]
fn many_trees_are_merged_as_few_are() {
    let parts: Vec<Tree> = (0..300u64)
        .map(|seed| Tree::new(&stacks(&mut Dice(seed))))
        .collect();
    let mut one_by_one = Tree::default();
    for part in &parts {
        one_by_one = merge(&[&one_by_one, part]);
    }
    assert_eq!(merge(&parts), one_by_one);
    assert_eq!(merge::<Tree>(&[]), Tree::default());
}

#[test]
fn bytes_come_back_as_they_were() {
    for seed in 0..300 {
        let tree = Tree::new(&stacks(&mut Dice(seed)));
        let bytes = tree.to_bytes();
        assert_eq!(Tree::from_bytes(&bytes).as_ref(), Ok(&tree), "seed {seed}");
    }
}

#[test]
fn damaged_bytes_are_refused_or_read_as_a_sound_tree() {
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let mut bytes = Tree::new(&stacks(&mut dice)).to_bytes();
        for _ in 0..1 + dice.roll(3) {
            let at = dice.roll(bytes.len() as u32) as usize;
            match dice.roll(3) {
                0 => bytes.truncate(at),
                1 => bytes[at] = dice.roll(256) as u8,
                _ => bytes.insert(at, dice.roll(256) as u8),
            }
            if bytes.is_empty() {
                break;
            }
        }
        if let Ok(tree) = Tree::from_bytes(&bytes) {
            // Whatever was read can be used: it merges with itself, and is read again as it is.
            assert_eq!(paths_of(&tree).len(), tree.len(), "seed {seed}");
            assert_eq!(merge(&[&tree, &Tree::default()]).len(), tree.len(), "seed {seed}");
            assert_eq!(Tree::from_bytes(&tree.to_bytes()), Ok(tree), "seed {seed}");
        }
    }
    for bytes in [
        &b""[..],
        b"HTR",
        b"HTR1\0\0\0\0\0",
        b"HTR2\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        assert!(Tree::from_bytes(bytes).is_err(), "{bytes:?}");
    }
}

#[test]
fn a_very_deep_stack_needs_no_deep_recursion() {
    let frames = vec![
        Label {
            function: "f",
            ..Label::default()
        };
        200_000
    ];
    let stack = |task| Stack {
        task,
        frames: frames.clone(),
    };
    let tree = merge(&[Tree::new(&[stack(1)]), Tree::new(&[stack(2)])]);
    assert_eq!(tree.len(), 200_001);
    assert_eq!(
        Tree::from_bytes(&tree.to_bytes()).as_ref().map(Tree::len),
        Ok(200_001)
    );
    assert_eq!(coarsened(&tree, Granularity::Function).len(), 200_001);
}
