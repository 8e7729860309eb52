//! The wire form of what a job did between two moments.

use engine::{ClassMotion, Diagnosis, JobMotion};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct MotionOut<'a> {
    seconds: f64,
    diagnosis: &'static str,
    sentence: &'a str,
    classes: Vec<ClassOut<'a>>,
}

#[derive(Serialize)]
struct ClassOut<'a> {
    moving: u64,
    stuck: u64,
    in_place: u64,
    moved: u64,
    same_place: u64,
    halted: u64,
    unknown: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_loop: Option<&'a str>,
}

pub(super) fn motion_out(motion: &JobMotion) -> MotionOut<'_> {
    MotionOut {
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
        },
        sentence: &motion.sentence,
        classes: motion.classes.iter().map(class_out).collect(),
    }
}

fn class_out(class: &ClassMotion) -> ClassOut<'_> {
    let moved = class.from_to.as_ref();
    ClassOut {
        moving: class.forward,
        stuck: class.waiting,
        in_place: class.in_place,
        moved: class.moved,
        same_place: class.same_place,
        halted: class.halted,
        unknown: class.unknown,
        from: moved.map(|(from, _)| from.as_str()),
        to: moved.map(|(_, to)| to.as_str()),
        because: class.because.as_deref(),
        in_loop: class.in_loop.as_deref(),
    }
}
