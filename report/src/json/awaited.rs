//! Whom those that are named wait for, as JSON.

use super::answer::activity;
use engine::{Answer, Awaited, Certainty, ChainEnd, Coming, Culprit, Sends, ToldBy, Wait, WaitsFor, Who};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct AwaitedOut<'a> {
    chain: Vec<WaitOut<'a>>,
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    culprit: Option<CulpritOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    back_to: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unseen_ranks: Option<String>,
    sentence: String,
}

#[derive(Serialize)]
struct WaitOut<'a> {
    class: usize,
    ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    call: &'a str,
    #[serde(rename = "for")]
    waits_for: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    for_ranks: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sends: Option<SendsOut<'a>>,
}

#[derive(Serialize)]
struct SendsOut<'a> {
    coming: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason_code: Option<&'static str>,
    sites: Vec<SendOut<'a>>,
}

#[derive(Serialize)]
struct SendOut<'a> {
    call: &'a str,
    function: &'a str,
    file: &'a str,
    line: u32,
    /// Whether the sender can still come to it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    reachable: Option<bool>,
}

#[derive(Serialize)]
struct CulpritOut<'a> {
    classes: &'a [usize],
    ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tasks: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    function: &'a str,
    file: &'a str,
    line: u32,
    activity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<&'a str>,
    by: &'static str,
    proven: bool,
}

pub(super) fn awaited_out<'a>(answer: &'a Answer, awaited: &'a Awaited) -> AwaitedOut<'a> {
    let (end, back_to, unseen) = match &awaited.end {
        ChainEnd::Culprit(_) => ("culprit", None, None),
        ChainEnd::Cycle(start) => ("cycle", Some(*start), None),
        ChainEnd::Unseen(ranks) => ("unseen", None, Some(ranks.to_string())),
        ChainEnd::Unknown => ("unknown", None, None),
    };
    AwaitedOut {
        chain: awaited.chain.iter().map(wait_out).collect(),
        end,
        culprit: awaited.culprit().and_then(|culprit| culprit_out(answer, culprit)),
        back_to,
        unseen_ranks: unseen,
        sentence: crate::awaited::sentence(answer, awaited),
    }
}

fn wait_out(wait: &Wait) -> WaitOut<'_> {
    let (waits_for, who) = match &wait.needs {
        WaitsFor::Task(who) => ("task", Some(who.ranks.to_string())),
        WaitsFor::OneOf(who, others) => (
            "one-of",
            Some(
                who.ranks
                    .iter()
                    .chain(others.ranks.iter())
                    .collect::<base::RankSet>()
                    .to_string(),
            ),
        ),
        WaitsFor::Anybody => ("anybody", None),
        WaitsFor::NotTold => ("not-told", None),
    };
    let Who { ranks, names } = &wait.who;
    WaitOut {
        class: wait.class,
        ranks: ranks.to_string(),
        tasks: names,
        call: &wait.call,
        waits_for,
        for_ranks: who,
        sends: wait.sends.as_ref().map(sends_out),
    }
}

fn sends_out(sends: &Sends) -> SendsOut<'_> {
    let (coming, why) = match &sends.coming {
        Coming::Never => ("never", None),
        Coming::Perhaps(_) => ("perhaps", None),
        Coming::NotKnown(why) => ("not-known", Some(why)),
    };
    let reachable = |index: usize| match &sends.coming {
        Coming::Never => Some(false),
        Coming::Perhaps(sites) => Some(sites.contains(&index)),
        Coming::NotKnown(_) => None,
    };
    let sites = sends.sites.iter().enumerate();
    SendsOut {
        coming,
        reason: why.map(ToString::to_string),
        reason_code: why.map(engine::Untraceable::code),
        sites: sites
            .map(|(index, of)| SendOut {
                call: &of.call,
                function: &of.function,
                file: &of.file,
                line: of.line,
                reachable: reachable(index),
            })
            .collect(),
    }
}

fn culprit_out<'a>(answer: &'a Answer, culprit: &'a Culprit) -> Option<CulpritOut<'a>> {
    let position = &answer.classes[*culprit.classes.first()?].position;
    let (activity, callee) = activity(&position.activity);
    Some(CulpritOut {
        classes: &culprit.classes,
        ranks: culprit.who.ranks.to_string(),
        tasks: &culprit.who.names,
        pid: culprit.first.pid,
        function: &position.function,
        file: &position.file,
        line: position.line,
        activity,
        callee,
        by: match culprit.by {
            ToldBy::Arguments => "arguments",
            ToldBy::OnlyOneOutside => "only-one-outside",
            ToldBy::Served => "served",
        },
        proven: culprit.certainty == Certainty::Proven,
    })
}
