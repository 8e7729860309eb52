//! The classes that a slice goes through, from the hindmost outwards, and why each comes where it does.

use engine::{Findings, Who};

/// One class of the slice.
#[derive(Clone, Debug)]
pub(crate) struct Step<'f> {
    /// Its index in the answer.
    pub(crate) class: usize,
    /// Its tasks.
    pub(crate) who: &'f Who,
    /// The earlier ones that it waits for, as indices of the answer.
    pub(crate) waits_for: &'f [usize],
}

/// The classes that the slice of these findings goes through.
pub(crate) fn steps<'f>(findings: &'f Findings<'_>) -> Vec<Step<'f>> {
    let Some(answer) = &findings.answer else {
        return Vec::new();
    };
    let step = |step: &'f engine::SliceStep| {
        Some(Step {
            class: step.class,
            who: &answer.classes.get(step.class)?.who,
            waits_for: &step.waits_for,
        })
    };
    findings.slice_steps.iter().filter_map(step).collect()
}

/// The way through them in words, if there are several.
pub(crate) fn way(steps: &[Step<'_>]) -> Option<String> {
    let [_, _, ..] = steps else {
        return None;
    };
    let who = |class: usize| steps.iter().find(|step| step.class == class).map(|step| step.who);
    let line = |step: &Step<'_>| {
        let on = step.waits_for.iter().filter_map(|&class| who(class));
        let on = Vec::from_iter(on.map(ToString::to_string)).join(" and ");
        let (own, class) = (step.who, step.class + 1);
        match (on.is_empty(), own.count()) {
            (true, _) => format!("class {class}: {own}"),
            (false, 1) => format!("class {class}: {own}, which waits for {on}"),
            (false, _) => format!("class {class}: {own}, which wait for {on}"),
        }
    };
    let lines = Vec::from_iter(steps.iter().map(line));
    Some(format!("class by class, outwards:\n{}", lines.join("\n")))
}
