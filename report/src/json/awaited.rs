//! Whom those that are named wait for, as JSON.

use super::answer::activity;
use engine::{Answer, Awaited, Certainty, ChainEnd, Coming, Culprit, Sends, ToldBy, Wait, WaitsFor, Who};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AwaitedJson<'a> {
    pub chain: Vec<WaitJson<'a>>,
    pub end: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub culprit: Option<CulpritJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_to: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unseen_ranks: Option<String>,
    pub sentence: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WaitJson<'a> {
    pub class: usize,
    pub ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    pub call: Cow<'a, str>,
    #[serde(rename = "for")]
    pub waits_for: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_ranks: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sends: Option<SendsJson<'a>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SendsJson<'a> {
    pub coming: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<Cow<'a, str>>,
    pub sites: Vec<SendJson<'a>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SendJson<'a> {
    pub call: Cow<'a, str>,
    pub function: Cow<'a, str>,
    pub file: Cow<'a, str>,
    pub line: u32,
    /// Whether the sender can still come to it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reachable: Option<bool>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CulpritJson<'a> {
    pub classes: Cow<'a, [usize]>,
    pub ranks: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tasks: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    pub function: Cow<'a, str>,
    pub file: Cow<'a, str>,
    pub line: u32,
    pub activity: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<Cow<'a, str>>,
    pub by: Cow<'a, str>,
    pub proven: bool,
}

pub(super) fn awaited_out<'a>(answer: &'a Answer, awaited: &'a Awaited) -> AwaitedJson<'a> {
    let (end, back_to, unseen) = match &awaited.end {
        ChainEnd::Culprit(_) => ("culprit", None, None),
        ChainEnd::Cycle(start) => ("cycle", Some(*start), None),
        ChainEnd::Unseen(ranks) => ("unseen", None, Some(ranks.to_string())),
        ChainEnd::Unknown => ("unknown", None, None),
    };
    AwaitedJson {
        chain: awaited.chain.iter().map(wait_out).collect(),
        end: end.into(),
        culprit: awaited.culprit().and_then(|culprit| culprit_out(answer, culprit)),
        back_to,
        unseen_ranks: unseen,
        sentence: crate::awaited::sentence(answer, awaited),
    }
}

fn wait_out(wait: &Wait) -> WaitJson<'_> {
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
    WaitJson {
        class: wait.class,
        ranks: ranks.to_string(),
        tasks: names.into(),
        call: (&wait.call).into(),
        waits_for: waits_for.into(),
        for_ranks: who,
        sends: wait.sends.as_ref().map(sends_out),
    }
}

fn sends_out(sends: &Sends) -> SendsJson<'_> {
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
    SendsJson {
        coming: coming.into(),
        reason: why.map(ToString::to_string),
        reason_code: why.map(|why| why.code().into()),
        sites: sites
            .map(|(index, of)| SendJson {
                call: (&of.call).into(),
                function: (&of.function).into(),
                file: (&of.file).into(),
                line: of.line,
                reachable: reachable(index),
            })
            .collect(),
    }
}

fn culprit_out<'a>(answer: &'a Answer, culprit: &'a Culprit) -> Option<CulpritJson<'a>> {
    let position = &answer.classes[*culprit.classes.first()?].position;
    let (activity, callee) = activity(&position.activity);
    Some(CulpritJson {
        classes: (&culprit.classes).into(),
        ranks: culprit.who.ranks.to_string(),
        tasks: (&culprit.who.names).into(),
        pid: culprit.first.pid,
        function: (&position.function).into(),
        file: (&position.file).into(),
        line: position.line,
        activity,
        callee,
        by: match culprit.by {
            ToldBy::Arguments => "arguments",
            ToldBy::OnlyOneOutside => "only-one-outside",
            ToldBy::Served => "served",
        }
        .into(),
        proven: culprit.certainty == Certainty::Proven,
    })
}
