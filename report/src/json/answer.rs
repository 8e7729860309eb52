//! The wire form of an answer and of an explanation.

use super::awaited::{AwaitedJson, awaited_out};
use super::call::{CallJson, TaskCallJson, call_out, task_call_out};
use super::explanation::{ExplanationJson, explanation_out};
use super::motion::{MotionJson, motion_out};
use super::threads::{ThreadsBehindJson, ThreadsJson, threads_behind_out, threads_out};
use super::waits::{WaitsJson, waits_out};
use super::{VERSION, document, value};
use crate::counted;
use crate::hosts;
use crate::traces::WayJson;
use engine::{
    Activity, Answer, Certainty, ClassState, Explanation, FrameView, Grounds, Halted, HaltedBy, HostRanks,
    MapOrigin, MapUsed, OfProgram, Outcome, Position, RunState, StateGroup, Trouble, Who, Witness,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// How many classes the sentence of a reason names; `behind` has all.
const SPELLED_OUT: usize = 8;

/// An answer as JSON, with the explanation of two tasks if one was asked for.
pub fn answer_json(answer: &Answer, explanation: Option<&Explanation>) -> String {
    document(&answer_of_classes(answer, explanation, &|_| true))
}

/// The wire form, where something is said of these classes alone: of others nothing stands there but the place, so that numbers of classes
/// stay what they are.
pub fn answer_of_classes<'a>(
    answer: &'a Answer,
    explanation: Option<&'a Explanation>,
    is_told: &dyn Fn(usize) -> bool,
) -> AnswerJson<'a> {
    AnswerJson {
        schema: "hindmost-answer".into(),
        version: VERSION,
        tasks: answer.tasks,
        decided: answer.outcome == Outcome::Named,
        outcome: outcome(answer.outcome).into(),
        proven: (answer.finding.as_ref()).is_some_and(|found| found.certainty == Certainty::Proven),
        by: answer.finding.as_ref().map(|found| witness(found.by).into()),
        named: (answer.finding.as_ref()).map_or_else(String::new, |found| found.who.ranks.to_string()),
        awaited: answer
            .awaited
            .as_ref()
            .map(|awaited| awaited_out(answer, awaited)),
        halted: answer.halted.iter().map(halted_out).collect(),
        probable: probable(answer),
        hindmost: (0..answer.hindmost.len())
            .map(|at| hindmost(answer, at, is_told))
            .collect(),
        classes: (0..answer.classes.len())
            .map(|at| {
                if is_told(at) {
                    class(answer, at)
                } else {
                    ClassJson::default()
                }
            })
            .collect(),
        undecided: answer
            .undecided
            .iter()
            .map(|pair| UndecidedJson {
                a: pair.a,
                b: pair.b,
                reason: (&pair.reason).into(),
                reason_code: pair.unknown_because.code().into(),
                advice: pair.advice.as_ref().map(ToString::to_string),
            })
            .collect(),
        unreadable: answer
            .unreadable
            .iter()
            .map(|task| UnreadableJson {
                task: (&task.task).into(),
                rank: task.rank,
                pid: task.pid,
                error: (&task.error).into(),
                class: task.class,
            })
            .collect(),
        missing_ranks: answer.missing_ranks.to_string(),
        ended_ranks: answer
            .ended_ranks
            .iter()
            .next()
            .map(|_| answer.ended_ranks.to_string()),
        hosts: answer.hosts.iter().map(|host| host_out(answer, host)).collect(),
        map: answer.map.as_ref().map(map_used_out),
        programs: answer.programs.iter().map(of_program_out).collect(),
        assumptions: (&answer.assumptions).into(),
        warnings: (&answer.warnings).into(),
        trouble: answer.trouble().as_ref().map(trouble_out),
        next: answer.next.as_ref().map(crate::next::words),
        motion: answer.motion.as_ref().map(motion_out),
        waits: answer
            .waiting
            .as_ref()
            .map(|waiting| waits_out(waiting, &answer.involved())),
        way: answer.way.as_ref().map(crate::traces::way_out),
        explanation: explanation.map(explanation_out),
    }
}

fn host_out<'a>(answer: &Answer, of: &'a HostRanks) -> AnswerHostJson<'a> {
    AnswerHostJson {
        host: (&of.host).into(),
        ranks: of.ranks.to_string(),
        classes: hosts::classes_on(answer, of),
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AnswerHostJson<'a> {
    pub host: Cow<'a, str>,
    pub ranks: String,
    pub classes: Vec<usize>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AnswerJson<'a> {
    pub schema: Cow<'a, str>,
    pub version: u32,
    pub tasks: usize,
    pub decided: bool,
    pub outcome: Cow<'a, str>,
    pub proven: bool,
    pub by: Option<Cow<'a, str>>,
    pub named: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaited: Option<AwaitedJson<'a>>,
    pub halted: Vec<HaltedJson<'a>>,
    pub probable: Vec<ProbableJson<'a>>,
    pub hindmost: Vec<HindmostJson<'a>>,
    pub classes: Vec<ClassJson<'a>>,
    pub undecided: Vec<UndecidedJson<'a>>,
    pub unreadable: Vec<UnreadableJson<'a>>,
    pub missing_ranks: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_ranks: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<AnswerHostJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<MapUsedJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<OfProgramJson<'a>>,
    pub assumptions: Cow<'a, [String]>,
    pub warnings: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<TroubleJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitsJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<WayJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplanationJson<'a>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OfProgramJson<'a> {
    pub program: Cow<'a, str>,
    pub answer: AnswerJson<'a>,
}

fn of_program_out(of: &OfProgram) -> OfProgramJson<'_> {
    OfProgramJson {
        program: (&of.program).into(),
        answer: answer_of_classes(&of.answer, None, &|_| true),
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MapUsedJson<'a> {
    pub from: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    pub blake3: String,
}

fn map_used_out(used: &MapUsed) -> MapUsedJson<'_> {
    let from = match used.from {
        MapOrigin::File(_) => "file",
        MapOrigin::Program(_) => "program",
        MapOrigin::Kept => "kept",
        MapOrigin::Made => "made",
        MapOrigin::Code => "code",
    };
    MapUsedJson {
        from: from.into(),
        path: used.from.path().map(Path::to_string_lossy),
        build_id: (!used.build_id.is_empty()).then(|| engine::build_id_text(&used.build_id)),
        blake3: engine::build_id_text(&used.hash),
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HaltedJson<'a> {
    pub ranks: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    pub why: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    pub sentence: String,
}

fn halted_out(halted: &Halted) -> HaltedJson<'_> {
    HaltedJson {
        ranks: halted.who.ranks.to_string(),
        tasks: halted.who.names.clone(),
        why: match &halted.why {
            HaltedBy::Signal => "signal",
            HaltedBy::Tracer(_) => "tracer",
            HaltedBy::Kernel(_) => "kernel",
            HaltedBy::Ended => "ended",
        }
        .into(),
        pid: halted.pid,
        sentence: crate::state::halted(halted),
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StateJson<'a> {
    pub words: String,
    pub groups: Vec<StateGroupJson<'a>>,
    pub pids: Cow<'a, [u32]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ms_since: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_held_by: Option<u32>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StateGroupJson<'a> {
    pub tasks: u64,
    pub run: RunState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_call: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_channel: Option<Cow<'a, str>>,
}

fn state_out<'a>(state: &'a ClassState, who: &Who) -> StateJson<'a> {
    let group = |group: &'a StateGroup| StateGroupJson {
        tasks: group.tasks,
        run: group.run,
        system_call: group.system_call.as_deref().map(Into::into),
        wait_channel: group.wait_channel.as_deref().map(Into::into),
    };
    StateJson {
        words: crate::state::of_class(state, who),
        groups: state.groups.iter().map(group).collect(),
        pids: (&state.pids).into(),
        cpu_ms: state.cpu_ms,
        cpu_ms_since: state.cpu_ms_since,
        lock_held_by: state.lock.as_ref().map(|holder| holder.thread),
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProbableJson<'a> {
    pub class: usize,
    pub ranks: String,
    pub count: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    pub function: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified: Option<Cow<'a, str>>,
    pub file: Cow<'a, str>,
    pub line: u32,
    pub activity: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<Cow<'a, str>>,
    pub grounds: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HindmostJson<'a> {
    pub class: usize,
    pub ranks: String,
    pub count: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    pub function: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified: Option<Cow<'a, str>>,
    pub file: Cow<'a, str>,
    pub line: u32,
    pub activity: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallJson<'a>>,
    pub values: BTreeMap<Cow<'a, str>, serde_json::Value>,
    pub iteration: Vec<LoopValueJson<'a>>,
    pub reason: String,
    pub behind: Vec<BehindJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unordered: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopValueJson<'a> {
    pub function: Cow<'a, str>,
    pub variable: Cow<'a, str>,
    pub value: serde_json::Value,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BehindJson<'a> {
    pub class: usize,
    pub ranks: String,
    pub reason: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassJson<'a> {
    pub ranks: String,
    pub count: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Cow<'a, str>>,
    pub relation_to_hindmost: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<StateJson<'a>>,
    pub relations: Vec<RelationJson<'a>>,
    pub frames: Vec<FrameJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<TaskCallJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadsJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads_behind: Vec<ThreadsBehindJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unordered: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RelationJson<'a> {
    pub class: usize,
    pub relation: Cow<'a, str>,
    pub reason: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<Cow<'a, str>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FrameJson<'a> {
    pub function: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified: Option<Cow<'a, str>>,
    pub file: Option<Cow<'a, str>>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub values: BTreeMap<Cow<'a, str>, serde_json::Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub differing: Cow<'a, [String]>,
    pub inlined: bool,
    pub module: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "is_zero")]
    pub folded: usize,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UndecidedJson<'a> {
    pub a: usize,
    pub b: usize,
    pub reason: Cow<'a, str>,
    pub reason_code: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UnreadableJson<'a> {
    pub task: Cow<'a, str>,
    pub rank: Option<u32>,
    pub pid: Option<u32>,
    pub error: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<usize>,
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

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TroubleJson<'a> {
    pub kind: Cow<'a, str>,
    pub ranks: String,
    pub sentence: String,
}

fn trouble_out(trouble: &Trouble) -> TroubleJson<'static> {
    TroubleJson {
        kind: crate::trouble::word(&trouble.kind).into(),
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
        Witness::Recorder => "recorder",
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
        Grounds::ThreadAlone { .. } => "thread-alone",
        Grounds::Recorded => "recorded",
    }
}

/// The classes of a finding that is not proven.
fn probable(answer: &Answer) -> Vec<ProbableJson<'_>> {
    let found = answer.finding.as_ref();
    let Some(found) = found.filter(|found| found.certainty == Certainty::Probable) else {
        return Vec::new();
    };
    let out = |&at: &usize| {
        let class = &answer.classes[at];
        let (activity, callee) = activity(&class.position.activity);
        // Of a class that comes or goes, some tasks may wait.
        let who = match (&found.grounds, &found.classes[..]) {
            (Grounds::AtEntry { .. } | Grounds::ThreadAlone { .. } | Grounds::Recorded, [_]) => &found.who,
            _ => &class.who,
        };
        ProbableJson {
            class: at,
            ranks: who.ranks.to_string(),
            count: who.count(),
            tasks: (&who.names).into(),
            function: (&class.position.function).into(),
            qualified: class.position.qualified.as_deref().map(Into::into),
            file: (&class.position.file).into(),
            line: class.position.line,
            activity,
            callee,
            grounds: grounds(&found.grounds).into(),
            doubt: found.doubt.as_deref().map(Into::into),
        }
    };
    found.classes.iter().map(out).collect()
}

/// The word for an activity, and the function called.
pub(super) fn activity(activity: &Activity) -> (Cow<'_, str>, Option<Cow<'_, str>>) {
    let (word, callee) = match activity {
        Activity::Computing => return ("computing".into(), None),
        Activity::Blocked(callee) => ("blocked", callee),
        Activity::Inside(callee) => ("inside", callee),
        Activity::Joining(callee) => ("joining", callee),
    };
    (word.into(), Some(callee.into()))
}

fn hindmost<'a>(answer: &'a Answer, at: usize, is_told: &dyn Fn(usize) -> bool) -> HindmostJson<'a> {
    let found = &answer.hindmost[at];
    let class = &answer.classes[found.class];
    let position = &class.position;
    let (activity, callee) = activity(&position.activity);
    let behind: Vec<BehindJson<'_>> = found
        .ahead
        .iter()
        .map(|link| {
            if !is_told(link.other) {
                return BehindJson::default();
            }
            BehindJson {
                class: link.other,
                ranks: answer.classes[link.other].who.ranks.to_string(),
                reason: (&link.reason).into(),
                reason_code: link.reason_code.map(Into::into),
            }
        })
        .collect();
    let mut reasons: Vec<String> = found
        .ahead
        .iter()
        .take(SPELLED_OUT)
        .map(|link| format!("behind {}: {}", answer.classes[link.other].who, link.reason))
        .collect();
    if let Some(more @ 1..) = found.ahead.len().checked_sub(SPELLED_OUT) {
        reasons.push(format!("behind {}", counted(more, "more class", "more classes")));
    }
    HindmostJson {
        class: found.class,
        ranks: class.who.ranks.to_string(),
        count: class.who.count(),
        tasks: (&class.who.names).into(),
        function: (&position.function).into(),
        qualified: position.qualified.as_deref().map(Into::into),
        file: (&position.file).into(),
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
        unordered: class.unordered.as_deref().map(Into::into),
    }
}

pub(super) fn iteration(position: &Position) -> Vec<LoopValueJson<'_>> {
    let values = position.iteration.iter();
    values
        .map(|of| LoopValueJson {
            function: (&of.function).into(),
            variable: (&of.variable).into(),
            value: value(of.value),
            differs: of.differs,
        })
        .collect()
}

fn frame_values(frame: &FrameView) -> impl Iterator<Item = (Cow<'_, str>, serde_json::Value)> {
    frame.values.iter().map(|(name, of)| (name.into(), value(*of)))
}

fn class(answer: &Answer, at: usize) -> ClassJson<'_> {
    let class = &answer.classes[at];
    ClassJson {
        ranks: class.who.ranks.to_string(),
        count: class.who.count(),
        tasks: (&class.who.names).into(),
        host: hosts::only_host(&answer.hosts, &class.who.ranks).map(Into::into),
        relation_to_hindmost: answer.relation_to_hindmost(at).word().into(),
        outside: class.outside.as_deref().map(Into::into),
        state: class.state.as_ref().map(|state| state_out(state, &class.who)),
        relations: class
            .links
            .iter()
            .map(|link| RelationJson {
                class: link.other,
                // The link says how the other stands to this one; readers ask the reverse.
                relation: link.relation.reversed().word().into(),
                reason: (&link.reason).into(),
                reason_code: link.reason_code.map(Into::into),
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
        unordered: class.unordered.as_deref().map(Into::into),
    }
}

pub(super) fn frame(frame: &FrameView) -> FrameJson<'_> {
    FrameJson {
        function: (&frame.function).into(),
        qualified: frame.qualified.as_deref().map(Into::into),
        file: frame.file.as_deref().map(Into::into),
        line: frame.line,
        column: frame.column,
        values: frame_values(frame).collect(),
        missing: frame
            .missing
            .iter()
            .map(|(name, reason)| (name.into(), reason.into()))
            .collect(),
        differing: (&frame.differing).into(),
        inlined: frame.inlined,
        module: frame.module.as_deref().map(Into::into),
        folded: frame.folded,
    }
}
