//! The wire form of an answer and of an explanation.

use super::awaited::{AwaitedOut, awaited_out};
use super::call::{CallOut, TaskCallOut, call_out, task_call_out};
use super::explanation::{ExplanationOut, explanation_out};
use super::motion::{MotionOut, motion_out};
use super::threads::{ThreadsBehindOut, ThreadsOut, threads_behind_out, threads_out};
use super::{VERSION, document, value};
use engine::{
    Activity, Answer, Certainty, ClassState, Explanation, FrameView, Grounds, Halted, HaltedBy, Outcome,
    Position, Relation, RunState, StateGroup, Trouble, Who, Witness,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// An answer as JSON, with the explanation of two tasks if one was asked for.
pub fn answer_json(answer: &Answer, explanation: Option<&Explanation>) -> String {
    document(&answer_out(answer, explanation))
}

/// The wire form, for documents that hold an answer among other things.
pub(crate) fn answer_out<'a>(answer: &'a Answer, explanation: Option<&'a Explanation>) -> AnswerOut<'a> {
    AnswerOut {
        schema: "hindmost-answer",
        version: VERSION,
        tasks: answer.tasks,
        decided: answer.outcome == Outcome::Named,
        outcome: outcome(answer.outcome),
        proven: (answer.finding.as_ref()).is_some_and(|found| found.certainty == Certainty::Proven),
        by: answer.finding.as_ref().map(|found| witness(found.by)),
        named: (answer.finding.as_ref()).map_or_else(String::new, |found| found.who.ranks.to_string()),
        awaited: { answer.awaited.as_ref() }.map(|awaited| awaited_out(answer, awaited)),
        halted: answer.halted.iter().map(halted_out).collect(),
        probable: probable(answer),
        hindmost: (0..answer.hindmost.len())
            .map(|at| hindmost(answer, at))
            .collect(),
        classes: (0..answer.classes.len()).map(|at| class(answer, at)).collect(),
        undecided: answer
            .undecided
            .iter()
            .map(|pair| UndecidedOut {
                a: pair.a,
                b: pair.b,
                reason: &pair.reason,
                reason_code: pair.unknown_because.code(),
                advice: pair.advice.as_ref().map(ToString::to_string),
            })
            .collect(),
        unreadable: answer
            .unreadable
            .iter()
            .map(|task| UnreadableOut {
                task: &task.task,
                rank: task.rank,
                pid: task.pid,
                error: &task.error,
                class: task.class,
            })
            .collect(),
        missing_ranks: answer.missing_ranks.to_string(),
        ended_ranks: { &answer.ended_ranks }
            .iter()
            .next()
            .map(|_| answer.ended_ranks.to_string()),
        assumptions: &answer.assumptions,
        warnings: &answer.warnings,
        trouble: answer.trouble().as_ref().map(trouble_out),
        next: answer.next.as_ref().map(crate::next::words),
        motion: answer.motion.as_ref().map(motion_out),
        explanation: explanation.map(explanation_out),
    }
}

#[derive(Serialize)]
pub(crate) struct AnswerOut<'a> {
    schema: &'static str,
    version: u32,
    tasks: usize,
    decided: bool,
    outcome: &'static str,
    proven: bool,
    by: Option<&'static str>,
    named: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    awaited: Option<AwaitedOut<'a>>,
    halted: Vec<HaltedOut>,
    probable: Vec<ProbableOut<'a>>,
    hindmost: Vec<HindmostOut<'a>>,
    classes: Vec<ClassOut<'a>>,
    undecided: Vec<UndecidedOut<'a>>,
    unreadable: Vec<UnreadableOut<'a>>,
    missing_ranks: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_ranks: Option<String>,
    assumptions: &'a [String],
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<TroubleOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    motion: Option<MotionOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ExplanationOut<'a>>,
}

#[derive(Serialize)]
struct HaltedOut {
    ranks: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<String>,
    why: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    sentence: String,
}

fn halted_out(halted: &Halted) -> HaltedOut {
    HaltedOut {
        ranks: halted.who.ranks.to_string(),
        tasks: halted.who.names.clone(),
        why: match &halted.why {
            HaltedBy::Signal => "signal",
            HaltedBy::Tracer(_) => "tracer",
            HaltedBy::Kernel(_) => "kernel",
            HaltedBy::Ended => "ended",
        },
        pid: halted.pid,
        sentence: crate::state::halted(halted),
    }
}

#[derive(Serialize)]
struct StateOut<'a> {
    words: String,
    groups: Vec<StateGroupOut<'a>>,
    pids: &'a [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ms: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_ms_since: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_held_by: Option<u32>,
}

#[derive(Serialize)]
struct StateGroupOut<'a> {
    tasks: u64,
    run: RunState,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_call: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_channel: Option<&'a str>,
}

fn state_out<'a>(state: &'a ClassState, who: &Who) -> StateOut<'a> {
    let group = |group: &'a StateGroup| StateGroupOut {
        tasks: group.tasks,
        run: group.run,
        system_call: group.system_call.as_deref(),
        wait_channel: group.wait_channel.as_deref(),
    };
    StateOut {
        words: crate::state::of_class(state, who),
        groups: state.groups.iter().map(group).collect(),
        pids: &state.pids,
        cpu_ms: state.cpu_ms,
        cpu_ms_since: state.cpu_ms_since,
        lock_held_by: state.lock.as_ref().map(|holder| holder.thread),
    }
}

#[derive(Serialize)]
struct ProbableOut<'a> {
    class: usize,
    ranks: String,
    count: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    function: &'a str,
    file: &'a str,
    line: u32,
    activity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<&'a str>,
    grounds: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<&'a str>,
}

#[derive(Serialize)]
struct HindmostOut<'a> {
    class: usize,
    ranks: String,
    count: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    function: &'a str,
    file: &'a str,
    line: u32,
    activity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallOut<'a>>,
    values: BTreeMap<&'a str, serde_json::Value>,
    iteration: Vec<LoopValueOut<'a>>,
    reason: String,
    behind: Vec<BehindOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unordered: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct LoopValueOut<'a> {
    function: &'a str,
    variable: &'a str,
    value: serde_json::Value,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    differs: bool,
}

#[derive(Serialize)]
struct BehindOut<'a> {
    class: usize,
    ranks: String,
    reason: &'a str,
}

#[derive(Serialize)]
struct ClassOut<'a> {
    ranks: String,
    count: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    relation_to_hindmost: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    outside: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<StateOut<'a>>,
    relations: Vec<RelationOut<'a>>,
    frames: Vec<FrameOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<TaskCallOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads: Vec<ThreadsOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads_behind: Vec<ThreadsBehindOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unordered: Option<&'a str>,
}

#[derive(Serialize)]
struct RelationOut<'a> {
    class: usize,
    relation: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
pub(super) struct FrameOut<'a> {
    function: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    values: BTreeMap<&'a str, serde_json::Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    missing: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    differing: &'a [String],
    inlined: bool,
    module: Option<&'a str>,
    #[serde(skip_serializing_if = "is_zero")]
    folded: usize,
}

#[derive(Serialize)]
struct UndecidedOut<'a> {
    a: usize,
    b: usize,
    reason: &'a str,
    reason_code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

#[derive(Serialize)]
struct UnreadableOut<'a> {
    task: &'a str,
    rank: Option<u32>,
    pid: Option<u32>,
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<usize>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Named => "named",
        Outcome::NothingReadable => "nothing-readable",
        Outcome::NotPlaced => "not-placed",
        Outcome::Alone => "alone",
        Outcome::AllEqual => "all-equal",
        Outcome::Branches => "branches",
        Outcome::Undecided => "undecided",
    }
}

#[derive(Serialize)]
struct TroubleOut {
    kind: &'static str,
    ranks: String,
    sentence: String,
}

fn trouble_out(trouble: &Trouble) -> TroubleOut {
    TroubleOut {
        kind: crate::trouble::word(&trouble.kind),
        ranks: trouble.who.ranks.to_string(),
        sentence: crate::trouble::sentence(trouble),
    }
}

/// The word for a witness.
fn witness(by: Witness) -> &'static str {
    match by {
        Witness::Order => "order",
        Witness::Mpi => "mpi",
        Witness::State => "state",
    }
}

/// The word for what a finding goes by.
fn grounds(of: &Grounds) -> &'static str {
    match of {
        Grounds::Behind => "behind",
        Grounds::CannotRun => "cannot-run",
        Grounds::OnlyOneLeft => "only-one-left",
        Grounds::NotEntered { .. } => "not-entered",
        Grounds::AloneOutside { .. } => "alone-outside",
        Grounds::AloneElsewhere { .. } => "alone-elsewhere",
        Grounds::AtEntry { .. } => "at-entry",
        Grounds::ThreadsBehind { .. } => "threads-behind",
    }
}

/// The classes of a finding that is not proven.
fn probable(answer: &Answer) -> Vec<ProbableOut<'_>> {
    let found = answer.finding.as_ref();
    let Some(found) = found.filter(|found| found.certainty == Certainty::Probable) else {
        return Vec::new();
    };
    let out = |&at: &usize| {
        let class = &answer.classes[at];
        let (activity, callee) = activity(&class.position.activity);
        // Of a class that comes or goes, some tasks may wait.
        let who = match (&found.grounds, &found.classes[..]) {
            (Grounds::AtEntry { .. }, [_]) => &found.who,
            _ => &class.who,
        };
        ProbableOut {
            class: at,
            ranks: who.ranks.to_string(),
            count: who.count(),
            tasks: &who.names,
            function: &class.position.function,
            file: &class.position.file,
            line: class.position.line,
            activity,
            callee,
            grounds: grounds(&found.grounds),
            doubt: found.doubt.as_deref(),
        }
    };
    found.classes.iter().map(out).collect()
}

/// The word for an activity, and the function called.
pub(super) fn activity(activity: &Activity) -> (&'static str, Option<&str>) {
    match activity {
        Activity::Computing => ("computing", None),
        Activity::Blocked(callee) => ("blocked", Some(callee)),
        Activity::Inside(callee) => ("inside", Some(callee)),
        Activity::Joining(callee) => ("joining", Some(callee)),
    }
}

fn hindmost(answer: &Answer, at: usize) -> HindmostOut<'_> {
    let found = &answer.hindmost[at];
    let class = &answer.classes[found.class];
    let position = &class.position;
    let (activity, callee) = activity(&position.activity);
    let behind: Vec<BehindOut<'_>> = found
        .ahead
        .iter()
        .map(|link| BehindOut {
            class: link.other,
            ranks: answer.classes[link.other].who.ranks.to_string(),
            reason: &link.reason,
        })
        .collect();
    let reasons: Vec<String> = found
        .ahead
        .iter()
        .map(|link| format!("behind {}: {}", answer.classes[link.other].who, link.reason))
        .collect();
    HindmostOut {
        class: found.class,
        ranks: class.who.ranks.to_string(),
        count: class.who.count(),
        tasks: &class.who.names,
        function: &position.function,
        file: &position.file,
        line: position.line,
        activity,
        callee,
        call: position.call.as_ref().map(call_out),
        // Outermost first, so that of one name the innermost stays.
        values: class.frames.iter().flat_map(frame_values).collect(),
        iteration: iteration(position),
        reason: if reasons.is_empty() {
            "the only task".to_owned()
        } else {
            reasons.join("; ")
        },
        behind,
        unordered: class.unordered.as_deref(),
    }
}

pub(super) fn iteration(position: &Position) -> Vec<LoopValueOut<'_>> {
    let values = position.iteration.iter();
    values
        .map(|of| LoopValueOut {
            function: &of.function,
            variable: &of.variable,
            value: value(of.value),
            differs: of.differs,
        })
        .collect()
}

fn frame_values(frame: &FrameView) -> impl Iterator<Item = (&str, serde_json::Value)> {
    frame.values.iter().map(|(name, of)| (name.as_str(), value(*of)))
}

fn class(answer: &Answer, at: usize) -> ClassOut<'_> {
    let class = &answer.classes[at];
    let has = |relation: Relation| class.links.iter().any(|link| link.relation == relation);
    let settled = answer
        .finding
        .as_ref()
        .filter(|finding| finding.settles_what_is_open());
    let relation_to_hindmost = if let Some(finding) = settled {
        match finding.classes.contains(&at) {
            true => "hindmost",
            false => "ahead",
        }
    } else if answer.hindmost.iter().any(|hindmost| hindmost.class == at) {
        "hindmost"
    } else if class.is_candidate {
        "candidate"
    } else if has(Relation::Before) {
        "ahead"
    } else if class.outside.is_some() || has(Relation::Unknown) {
        "unknown"
    } else {
        "incomparable"
    };
    ClassOut {
        ranks: class.who.ranks.to_string(),
        count: class.who.count(),
        tasks: &class.who.names,
        relation_to_hindmost,
        outside: class.outside.as_deref(),
        state: class.state.as_ref().map(|state| state_out(state, &class.who)),
        relations: class
            .links
            .iter()
            .map(|link| RelationOut {
                class: link.other,
                // The link says how the other stands to this one; readers ask the reverse.
                relation: link.relation.reversed().word(),
                reason: &link.reason,
            })
            .collect(),
        frames: class.frames.iter().map(frame).collect(),
        call: class.position.call.as_ref().map(call_out),
        threads: class.threads.iter().map(threads_out).collect(),
        threads_behind: class.threads_behind.iter().map(threads_behind_out).collect(),
        calls: class
            .calls
            .iter()
            .map(|(who, call)| task_call_out(who, call))
            .collect(),
        unordered: class.unordered.as_deref(),
    }
}

pub(super) fn frame(frame: &FrameView) -> FrameOut<'_> {
    FrameOut {
        function: &frame.function,
        file: frame.file.as_deref(),
        line: frame.line,
        column: frame.column,
        values: frame_values(frame).collect(),
        missing: frame
            .missing
            .iter()
            .map(|(name, reason)| (name.as_str(), reason.as_str()))
            .collect(),
        differing: &frame.differing,
        inlined: frame.inlined,
        module: frame.module.as_deref(),
        folded: frame.folded,
    }
}
