//! Who is named, how surely, and by which witness.
//!
//! The order of the code names the classes that are behind all others, and that is proven if it has a place for all. Where it names nobody, or some who were seen have no
//! place in it, MPI may prove that the
//! others wait for somebody. Where nothing is proven, what a person
//! would look at first is named as probable: of the classes that may be the hindmost, the one that alone is outside of any call that waits
//! for other tasks; or else the one that is alone where the others stand together. What the order does know narrows the choice: a
//! class that is ahead of another is never named.

use crate::alike::KindId;
use crate::answer::{Activity, Certainty, Finding, Grounds, Outcome, TaskClass, UndecidedPair, Witness};
use crate::assemble::{JobView, first_task};
use crate::beneath::is_at_entry;
use crate::blocking::is_test;
use crate::frames::FrameView;
use crate::state::{Halted, HaltedBy};
use crate::waits::{Member, NotEntered};
use crate::{Relation, Who, thread_alone};
use snapshot::Task;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How many calls of the others are named.
const CALLS: usize = 3;

/// Who is to be looked at, if anybody is.
pub(crate) fn of(
    job: &JobView<'_>,
    classes: &[TaskClass],
    halted: &[Halted],
    (members, not_entered): (&[Vec<Member<'_>>], &[NotEntered]),
    (outcome, undecided): (Outcome, &[UndecidedPair]),
) -> Option<Finding> {
    let who = |named: &[usize]| Who::of_all(named.iter().map(|&at| &classes[at].who));
    let behind = (outcome == Outcome::Named).then(|| behind(job, classes));
    if behind
        .as_ref()
        .is_some_and(|found| found.certainty == Certainty::Proven)
    {
        return behind;
    }
    if let Some(finding) = cannot_run(classes, halted) {
        return Some(finding);
    }
    if outcome == Outcome::AllEqual
        && let Some(finding) = by_threads(classes)
    {
        return Some(finding);
    }
    if let Some(finding) = held_up(job, classes, (members, not_entered)) {
        return Some(narrowed(classes, finding, (outcome, undecided)));
    }
    if let Some(finding) = at_entry(job, classes, members) {
        return Some(finding);
    }
    if behind.is_none()
        && let Some(finding) = thread_alone::of(classes, doubt(classes, &[], outcome, undecided.first()))
    {
        return Some(finding);
    }
    let mut found = probable(classes);
    if let Some(behind) = behind {
        // Nobody who is merely alone is put before those whom the order names.
        let stands_out = |(named, grounds): &(Vec<usize>, Grounds)| {
            let has_no_place = |&at: &usize| classes[at].outside.is_some();
            matches!(grounds, Grounds::AloneOutside { .. }) && named.iter().any(has_no_place)
        };
        found = found.filter(stands_out);
        if found.is_none() {
            return Some(behind);
        }
    }
    let Some((named, grounds)) = found else {
        return alone_though_ahead(classes);
    };
    let pair = decisive(classes, &named, undecided);
    Some(Finding {
        certainty: Certainty::Probable,
        by: Witness::State,
        doubt: Some(doubt(classes, &named, outcome, pair)),
        remedy: pair.and_then(|pair| pair.advice.clone()),
        who: who(&named),
        classes: named,
        grounds,
    })
}

/// Those whom the order names: behind all others that have a place in it. Who was seen and has none may be further behind.
fn behind(job: &JobView<'_>, classes: &[TaskClass]) -> Finding {
    let named = job.hindmost_classes().to_vec();
    let outside = classes.iter().find(|class| class.outside.is_some());
    let doubt = match (outside, job.unseen) {
        (Some(class), _) => {
            let reason = class.outside.as_deref().unwrap_or_default();
            let has = if class.who.count() == 1 { "has" } else { "have" };
            let may_be = "no place in the order and may be further behind";
            Some(format!("{} {has} {may_be} ({reason})", class.who))
        }
        (None, 0) => None,
        (None, 1) => Some("one task could not be read and may be further behind".to_owned()),
        (None, count) => Some(format!(
            "{count} tasks could not be read and may be further behind"
        )),
    };
    Finding {
        certainty: match doubt {
            None => Certainty::Proven,
            Some(_) => Certainty::Probable,
        },
        by: Witness::Order,
        who: Who::of_all(named.iter().map(|&at| &classes[at].who)),
        classes: named,
        grounds: Grounds::Behind,
        doubt,
        remedy: None,
    }
}

/// Tasks that cannot run, where the order names nobody: nobody who waits for them will ever go on. They are the only ones that stand in the
/// way where all the others wait.
fn cannot_run(classes: &[TaskClass], halted: &[Halted]) -> Option<Finding> {
    let who = Who::of_all(halted.iter().map(|halted| &halted.who));
    let total: u64 = classes.iter().map(|class| class.who.count()).sum();
    // A job that is stopped as a whole is nobody's fault; its state is said all the same.
    if who.count() == 0 || who.count() >= total {
        return None;
    }
    let holds = |class: &TaskClass| halted.iter().any(|halted| halted.who.meets(&class.who));
    let named = Vec::from_iter((0..classes.len()).filter(|&at| holds(&classes[at])));
    // In the classes that hold them, the tasks beside them are at the same point, and wait or not as they do.
    let others_wait = classes
        .iter()
        .filter(|class| class.who.count() > who.in_common(&class.who))
        .all(class_waits);
    // What the kernel waits for may come at any moment.
    let may_pass = halted
        .iter()
        .any(|halted| matches!(halted.why, HaltedBy::Kernel(_)));
    let doubt = match (others_wait, may_pass) {
        (false, _) => Some("some of the others do not wait for anybody, either"),
        (true, true) => Some("what it waits for in the kernel may come"),
        (true, false) => None,
    };
    Some(Finding {
        certainty: match doubt {
            None => Certainty::Proven,
            Some(_) => Certainty::Probable,
        },
        by: Witness::State,
        classes: named,
        who,
        grounds: Grounds::CannotRun,
        doubt: doubt.map(str::to_owned),
        remedy: None,
    })
}

/// Where all main threads wait at one point for threads of their own, the tasks whose threads are behind their counterparts. Where
/// different threads are behind in different tasks, nobody is behind as a whole.
fn by_threads(classes: &[TaskClass]) -> Option<Finding> {
    let [all] = classes else { return None };
    let [first, others @ ..] = &all.threads_behind[..] else {
        return None;
    };
    let is_one = others.iter().all(|other| other.who == first.who);
    is_one.then(|| Finding {
        certainty: Certainty::Proven,
        by: Witness::Order,
        classes: vec![0],
        who: first.who.clone(),
        grounds: Grounds::ThreadsBehind {
            first: first.first.clone(),
        },
        doubt: None,
        remedy: None,
    })
}

/// Among more classes nobody looks for chains.
const FEW: usize = 400;

/// Those of whom MPI proves that the others wait for them, where the order names nobody: each is behind all that are not named, by MPI
/// alone or by a chain through what the order does know.
fn held_up(
    job: &JobView<'_>,
    classes: &[TaskClass],
    (members, not_entered): (&[Vec<Member<'_>>], &[NotEntered]),
) -> Option<Finding> {
    let proven = |fact: &&NotEntered| fact.certainty == waitgraph::Certainty::Proven;
    let facts = Vec::from_iter(not_entered.iter().filter(proven));
    if facts.is_empty() || classes.len() > FEW {
        return None;
    }
    let ordered = job.classes.classes.len();
    let by_code = |who: usize, whom: usize| {
        let relation = |a, b| job.verdict(a, b).relation;
        if who.max(whom) >= ordered {
            false
        } else if who < whom {
            relation(who, whom) == Relation::Before
        } else {
            relation(whom, who) == Relation::After
        }
    };
    let by_mpi = |who: usize, whom: usize| facts.iter().any(|fact| (fact.who, fact.whom) == (who, whom));
    let mut ahead: Vec<Vec<usize>> = Vec::new();
    for who in 0..classes.len() {
        let is_behind = |&whom: &usize| whom != who && (by_mpi(who, whom) || by_code(who, whom));
        ahead.push((0..classes.len()).filter(is_behind).collect());
    }
    let is_last = |&class: &usize| !ahead.iter().any(|ahead| ahead.contains(&class));
    let named = Vec::from_iter((0..classes.len()).filter(is_last));
    let is_behind_the_rest = |&class: &usize| reached(&ahead, class) + named.len() == classes.len() + 1;
    let who = Who::of_all(named.iter().map(|&at| &classes[at].who));
    let total: u64 = classes.iter().map(|class| class.who.count()).sum();
    // Of several that nothing tells apart none stands out if they are many.
    let stand_out = match named[..] {
        [] => false,
        [_] => true,
        _ => 2 * who.count() <= total,
    };
    if !stand_out || !named.iter().all(is_behind_the_rest) {
        return None;
    }
    let waiting =
        Vec::from_iter((0..classes.len()).filter(|&class| facts.iter().any(|fact| fact.whom == class)));
    // If the named tasks are inside MPI as well, a task of the others may be stuck there by itself, in the operation that the named ones have left:
    // then nothing is proven.
    let mut inside = waiting.iter().flat_map(|&class| &members[class]);
    let is_lost_inside = classes.iter().all(class_waits) && !inside.all(|member| turns(job, member.task));
    let waiting = Vec::from_iter(waiting.iter().map(|&class| &classes[class]));
    Some(Finding {
        certainty: if is_lost_inside {
            Certainty::Probable
        } else {
            Certainty::Proven
        },
        by: Witness::Mpi,
        who,
        classes: named,
        grounds: Grounds::NotEntered {
            calls: calls(waiting.iter().copied()),
            waiting: waiting.iter().map(|class| class.who.count()).sum(),
        },
        doubt: is_lost_inside
            .then(|| "all are inside of MPI, and one of those that wait there may be lost in it".to_owned()),
        remedy: None,
    })
}

/// How many classes a chain leads to, with the one that it begins at; `ahead` has those that each is behind.
fn reached(ahead: &[Vec<usize>], class: usize) -> usize {
    let mut reached = vec![class];
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        let further = ahead[at].iter().filter(|class| !reached.contains(class));
        let further = Vec::from_iter(further.copied());
        reached.extend(further);
        next += 1;
    }
    reached.len()
}

/// Whether a task was seen at two places of what MPI does inside: it goes round there, and looks for what it waits for.
fn turns(job: &JobView<'_>, now: &Task) -> bool {
    let places = |task: &Task| Vec::from_iter(task.frames.iter().map(|frame| frame.pc));
    let mut same = job.before(now);
    same.any(|before| places(before) != places(now))
}

/// Of several classes that others wait for, those that do not wait themselves, if there are some: whom a person would look at first. Then it is
/// only probable.
fn narrowed(
    classes: &[TaskClass],
    finding: Finding,
    (outcome, undecided): (Outcome, &[UndecidedPair]),
) -> Finding {
    let (waiting, outside): (Vec<usize>, Vec<usize>) = finding
        .classes
        .iter()
        .partition(|&&class| class_waits(&classes[class]));
    if waiting.is_empty() || outside.is_empty() {
        return finding;
    }
    let pair = decisive(classes, &outside, undecided);
    let rest = classes.iter().enumerate().filter(|(at, _)| !outside.contains(at));
    Finding {
        certainty: Certainty::Probable,
        by: finding.by,
        who: Who::of_all(outside.iter().map(|&class| &classes[class].who)),
        grounds: Grounds::AloneOutside {
            others_in: calls(rest.map(|(_, class)| class)),
        },
        doubt: Some(doubt(classes, &outside, outcome, pair)),
        remedy: pair.and_then(|pair| pair.advice.clone()),
        classes: outside,
    }
}

/// Those that are in MPI, but not where it waits, if all others wait and these are few.
fn at_entry(job: &JobView<'_>, classes: &[TaskClass], members: &[Vec<Member<'_>>]) -> Option<Finding> {
    let all_wait = classes.iter().all(class_waits);
    let (mut named, mut tasks) = (Vec::new(), Vec::new());
    let mut known: BTreeMap<KindId, bool> = BTreeMap::new();
    let mut comes_or_goes = |member: &Member<'_>| {
        let of_kind = known.entry(member.like.kind);
        *of_kind.or_insert_with(|| is_at_entry(member.task))
    };
    for (class, members) in members.iter().enumerate().filter(|_| all_wait) {
        let of_class = members.iter().filter(|member| comes_or_goes(member));
        let come_or_go = Vec::from_iter(of_class.map(|member| member.task));
        if !come_or_go.is_empty() {
            named.push(class);
            tasks.extend(come_or_go);
        }
    }
    let first = *tasks.first()?;
    let who = job.who_of(tasks.iter().copied());
    let total: u64 = classes.iter().map(|class| class.who.count()).sum();
    stand_out(&who, total).then(|| Finding {
        certainty: Certainty::Probable,
        by: Witness::State,
        classes: named,
        who,
        grounds: Grounds::AtEntry {
            first: first_task(first),
            others_in: calls(classes.iter()),
        },
        doubt: Some("who comes to a call, or leaves it, may go on at once".to_owned()),
        remedy: None,
    })
}

/// The only ones that do not wait for others, where they are ahead of somebody and of the possible hindmost none stands out: if anybody is to come
/// on, it is by what these do.
fn alone_though_ahead(classes: &[TaskClass]) -> Option<Finding> {
    let named = Vec::from_iter((0..classes.len()).filter(|&at| !class_waits(&classes[at])));
    let who = Who::of_all(named.iter().map(|&at| &classes[at].who));
    let total: u64 = classes.iter().map(|class| class.who.count()).sum();
    let others = classes.iter().enumerate().filter(|(at, _)| !named.contains(at));
    let others_in = calls(others.map(|(_, class)| class));
    stand_out(&who, total).then(|| Finding {
        certainty: Certainty::Probable,
        by: Witness::State,
        classes: named,
        who,
        grounds: Grounds::AloneOutside { others_in },
        doubt: Some("others are behind in the code, and nothing tells whom they wait for".to_owned()),
        remedy: None,
    })
}

/// Those among the possible hindmost that stand out.
fn probable(classes: &[TaskClass]) -> Option<(Vec<usize>, Grounds)> {
    let may_be = |class: &&TaskClass| class.is_candidate || class.outside.is_some();
    let total: u64 = classes.iter().map(|class| class.who.count()).sum();
    let count =
        |classes: &[(usize, &TaskClass)]| -> u64 { classes.iter().map(|(_, class)| class.who.count()).sum() };
    let possible = Vec::from_iter(classes.iter().enumerate().filter(|(_, class)| may_be(class)));
    let (waiting, outside): (Vec<_>, Vec<_>) = possible.iter().partition(|(_, class)| class_waits(class));
    let others_wait = classes.iter().any(class_waits);
    let others = |named: &[usize], counts: &dyn Fn(&TaskClass) -> bool| {
        let rest = classes.iter().enumerate();
        let rest = rest.filter(|(at, class)| !named.contains(at) && counts(class));
        calls(rest.map(|(_, class)| class))
    };
    // Several classes outside are named as long as they are fewer than the rest: of more, none stands out.
    let stand_out = match outside[..] {
        [] => false,
        [_] => true,
        _ => 2 * count(&outside) <= total,
    };
    if others_wait && stand_out {
        let mut named = outside.clone();
        named.sort_by_key(|(_, class)| class.who.count());
        let named = Vec::from_iter(named.into_iter().map(|(at, _)| at));
        let others_in = others(&named, &class_waits);
        return Some((named, Grounds::AloneOutside { others_in }));
    }
    // All of them wait, or all of them compute.
    let alike = if outside.is_empty() { waiting } else { outside };
    let mut by_size = by_stack(alike);
    by_size.sort_by_key(|group| count(group));
    match &by_size[..] {
        [fewest, next, ..] if count(fewest) < count(next) && 2 * count(fewest) < total => {
            let named = Vec::from_iter(fewest.iter().map(|&(at, _)| at));
            let others_in = others(&named, &|_| true);
            Some((named, Grounds::AloneElsewhere { others_in }))
        }
        _ => None,
    }
}

/// Classes whose stacks a reader sees as one, together: they differ only in what a library does below the program, and so none of them stands out.
fn by_stack(classes: Vec<(usize, &TaskClass)>) -> Vec<Vec<(usize, &TaskClass)>> {
    let mut groups: Vec<(Vec<FrameView>, Vec<_>)> = Vec::new();
    for (at, class) in classes {
        let unfolded = |frame: &FrameView| FrameView {
            folded: 0,
            ..frame.clone()
        };
        let stack = Vec::from_iter(class.frames.iter().map(unfolded));
        match groups.iter_mut().find(|(known, _)| *known == stack) {
            Some((_, group)) => group.push((at, class)),
            None => groups.push((stack, vec![(at, class)])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Whether the tasks of a class wait for others.
fn class_waits(class: &TaskClass) -> bool {
    waits(&class.position.activity)
}

/// Whether who does this is in a call that returns when others have done their part, or in one that asks whether they have: programs ask
/// that again and again while they wait.
pub(crate) fn waits(activity: &Activity) -> bool {
    match activity {
        Activity::Blocked(_) => true,
        Activity::Inside(call) => is_test(call),
        Activity::Computing | Activity::Joining(_) => false,
    }
}

/// Whether these are so few of all tasks that they stand out.
pub(crate) fn stand_out(who: &Who, total: u64) -> bool {
    match who.count() {
        0 => false,
        1 => total > 1,
        count => 2 * count <= total,
    }
}

/// The calls that classes are in, those of most tasks first.
fn calls<'c>(classes: impl Iterator<Item = &'c TaskClass>) -> Vec<String> {
    calls_of(classes.map(|class| (&class.position.activity, class.who.count())))
}

/// The calls that so many tasks are in, those of most first.
pub(crate) fn calls_of<'c>(doing: impl Iterator<Item = (&'c Activity, u64)>) -> Vec<String> {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for (activity, tasks) in doing {
        let (Activity::Blocked(call) | Activity::Inside(call)) = activity else {
            continue;
        };
        match counts.iter_mut().find(|(known, _)| known == call) {
            Some((_, count)) => *count += tasks,
            None => counts.push((call, tasks)),
        }
    }
    counts.sort_by_key(|&(_, count)| Reverse(count));
    let names = counts.into_iter().take(CALLS);
    names.map(|(name, _)| name.to_owned()).collect()
}

/// The open question that matters: the one between a class that is named and the largest other one.
fn decisive<'u>(
    classes: &[TaskClass],
    named: &[usize],
    undecided: &'u [UndecidedPair],
) -> Option<&'u UndecidedPair> {
    let is_about = |pair: &&UndecidedPair| named.contains(&pair.a) != named.contains(&pair.b);
    let size_of_other = |pair: &&UndecidedPair| {
        let other = if named.contains(&pair.a) { pair.b } else { pair.a };
        classes.get(other).map(|class| class.who.count())
    };
    undecided.iter().filter(is_about).max_by_key(size_of_other)
}

/// What keeps the finding from being proven.
fn doubt(classes: &[TaskClass], named: &[usize], outcome: Outcome, pair: Option<&UndecidedPair>) -> String {
    if outcome == Outcome::Branches {
        return "the program gives the branches on which the tasks stand no order".to_owned();
    }
    if let Some(pair) = pair {
        return pair.reason.clone();
    }
    let of_named = named.iter().find_map(|&at| classes[at].outside.clone());
    let of_others = || {
        let mut reasons = classes
            .iter()
            .filter_map(|class| Some((&class.who, class.outside.as_ref()?)));
        let (who, reason) = reasons.next()?;
        Some(format!("{who}: {reason}"))
    };
    of_named
        .or_else(of_others)
        .unwrap_or_else(|| "nothing orders the tasks".to_owned())
}
