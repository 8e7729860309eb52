//! Who did alike in which phase, and where not, what who has in common.

use super::{threads_text, times};
use crate::clean::clean;
use crate::style::{FAINT, TITLE, paint};
use engine::traces::{Common, Forest, Phase, Phases, Shape, Traces, Who};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Phases of which it is told what threads have in common, at most: each costs as much as the call paths of all.
const MOST_TOLD: usize = 50;

/// A phase in which not all did alike, with what the groups have in common.
struct Parted<'p> {
    phase: &'p Phase,
    /// For each object of `common` its group.
    groups: Vec<usize>,
    common: Common,
}

impl<'p> Parted<'p> {
    fn of(forest: &Forest, phase: &'p Phase) -> Option<Self> {
        if phase.groups.len() < 2 {
            return None;
        }
        let did = phase.did.iter().enumerate();
        let (groups, did): (Vec<usize>, Vec<Shape>) =
            did.filter_map(|(group, did)| Some((group, (*did)?))).unzip();
        Some(Self {
            phase,
            groups,
            common: Common::of(forest, &did),
        })
    }

    /// The threads of some of its objects.
    fn threads(&self, objects: &[usize]) -> Vec<usize> {
        let groups = objects
            .iter()
            .filter_map(|object| self.phase.groups.get(*self.groups.get(*object)?));
        let mut threads = Vec::from_iter(groups.flatten().copied());
        threads.sort_unstable();
        threads
    }

    /// The functions and the number of times that an attribute stands for.
    fn attribute(&self, attribute: usize) -> (Vec<u32>, u64) {
        let (path, count) = self.common.attributes[attribute];
        (self.common.paths.functions(path), count)
    }
}

/// The phases as text: those in which ways part with at most so many call paths of each group.
#[must_use]
pub fn phases_text(traces: &Traces, forest: &Forest, phases: &Phases, most: usize) -> String {
    let mut text = String::new();
    let within = phases.within.iter().map(|function| clean(traces.name(*function)));
    let within = Vec::from_iter(within).join(" > ");
    let of = if within.is_empty() {
        String::new()
    } else {
        format!(" of {within}")
    };
    let _ = writeln!(
        text,
        "{}",
        paint(TITLE, format!("Who did alike in the phases{of}"))
    );
    let mut told = 0;
    for phase in &phases.all {
        let [first, last] = phase.calls;
        let calls = if first == last {
            format!("call {first}")
        } else {
            format!("calls {first}-{last}")
        };
        let groups = Vec::from_iter(phase.groups.iter().map(|group| threads_text(&who(traces, group))));
        let alike = if groups.len() == 1 {
            "all".to_owned()
        } else {
            groups.join(" | ")
        };
        let _ = writeln!(text, "  {}, {calls}: {alike}", clean(traces.name(phase.function)));
        for group in phase
            .groups
            .iter()
            .zip(&phase.did)
            .filter_map(|(group, did)| did.is_none().then_some(group))
        {
            let _ = writeln!(text, "    {}: never called it", threads_text(&who(traces, group)));
        }
        if told == MOST_TOLD {
            continue;
        }
        let Some(parted) = Parted::of(forest, phase) else {
            continue;
        };
        told += 1;
        let all = parted.groups.len();
        for concept in parted
            .common
            .lattice
            .concepts
            .iter()
            .filter(|concept| concept.extent.len() < all)
        {
            let threads = threads_text(&who(traces, &parted.threads(&concept.extent)));
            for &attribute in concept.own.iter().take(most) {
                let (functions, count) = parted.attribute(attribute);
                let names = functions.iter().map(|function| clean(traces.name(*function)));
                let path = Vec::from_iter(names).join(" > ");
                let _ = writeln!(text, "    {threads}: {path} {}", times(count));
            }
            let more = concept.own.len().saturating_sub(most);
            if more > 0 {
                let _ = writeln!(
                    text,
                    "    {}",
                    paint(FAINT, format!("{threads}: and {more} more paths"))
                );
            }
        }
    }
    if phases.is_cut {
        let _ = writeln!(text, "  {}", paint(FAINT, "(there are more)"));
    }
    text
}

/// The phases for programs.
pub(super) fn phases_json(traces: &Traces, forest: &Forest, phases: &Phases) -> Value {
    let name = |function: &u32| traces.name(*function);
    let mut told = 0;
    let all = phases.all.iter().map(|phase| {
        let parted = (told < MOST_TOLD).then(|| Parted::of(forest, phase)).flatten();
        told += usize::from(parted.is_some());
        let concepts = parted.as_ref().map(|parted| {
            let concepts = parted.common.lattice.concepts.iter().map(|concept| {
                let own = concept.own.iter().map(|attribute| {
                    let (functions, count) = parted.attribute(*attribute);
                    json!({"path": Vec::from_iter(functions.iter().map(name)), "count": count})
                });
                json!({"threads": parted.threads(&concept.extent), "own": Vec::from_iter(own), "above": concept.above})
            });
            Vec::from_iter(concepts)
        });
        let is_absent = phase.did.iter().position(Option::is_none);
        json!({"function": name(&phase.function), "calls": phase.calls, "groups": phase.groups, "absent": is_absent, "concepts": concepts})
    });
    json!({"within": Vec::from_iter(phases.within.iter().map(name)), "all": Vec::from_iter(all), "is_cut": phases.is_cut})
}

fn who(traces: &Traces, threads: &[usize]) -> Vec<Who> {
    let streams = threads.iter().filter_map(|thread| traces.streams.get(*thread));
    streams.map(|stream| stream.who).collect()
}
