//! The wire form of what a job did between two moments.

use engine::{ClassMotion, Diagnosis, JobMotion};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MotionJson<'a> {
    pub seconds: f64,
    pub diagnosis: Cow<'a, str>,
    pub sentence: Cow<'a, str>,
    pub classes: Vec<ClassMotionJson<'a>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassMotionJson<'a> {
    pub moving: u64,
    pub stuck: u64,
    pub in_place: u64,
    pub moved: u64,
    pub same_place: u64,
    pub halted: u64,
    pub unknown: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_loop: Option<Cow<'a, str>>,
}

pub(super) fn motion_out(motion: &JobMotion) -> MotionJson<'_> {
    MotionJson {
        seconds: motion.elapsed.as_secs_f64(),
        diagnosis: match motion.diagnosis {
            Diagnosis::Deadlock => "deadlock",
            Diagnosis::InPlace => "in-place",
            Diagnosis::Outside => "outside",
            Diagnosis::Slow => "slow",
            Diagnosis::LeftBehind => "left-behind",
            Diagnosis::Halted => "halted",
            Diagnosis::Moving => "moving",
            Diagnosis::Running => "running",
            Diagnosis::Unclear => "unclear",
        }
        .into(),
        sentence: (&motion.sentence).into(),
        classes: motion.classes.iter().map(class_out).collect(),
    }
}

fn class_out(class: &ClassMotion) -> ClassMotionJson<'_> {
    let moved = class.from_to.as_ref();
    ClassMotionJson {
        moving: class.forward,
        stuck: class.waiting,
        in_place: class.in_place,
        moved: class.moved,
        same_place: class.same_place,
        halted: class.halted,
        unknown: class.unknown,
        from: moved.map(|(from, _)| from.into()),
        to: moved.map(|(_, to)| to.into()),
        because: class.because.as_deref().map(Into::into),
        in_loop: class.in_loop.as_deref().map(Into::into),
    }
}
