//! What a map knows as a whole, and what it does not.

use crate::loops::{across_word, class_word};
use base::{Confidence, Doubt};
use progress_map::{Across, Loop, Map};
use std::collections::{BTreeMap, BTreeSet};

/// A map in figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Source files.
    pub files: usize,
    /// Functions with a body.
    pub functions: usize,
    /// Functions whose source was understood after a repair.
    pub repaired: usize,
    /// Functions in which nothing is ordered.
    pub partial: Vec<InPart>,
    /// Program points.
    pub points: usize,
    /// Loops.
    pub loops: usize,
    /// Loops by their best variable, most frequent first.
    pub shares: Vec<Share>,
    /// Loops that no variable orders across tasks.
    pub unordered: Vec<Unordered>,
    /// What could not be analysed, as the map recorded it.
    pub diagnostics: Vec<String>,
    /// The build that the map is bound to.
    pub binding: Option<BindingFacts>,
}

/// Loops whose best variable is of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The variable's class.
    pub class: &'static str,
    /// What its values on different tasks say about each other.
    pub across: &'static str,
    /// How many loops.
    pub loops: usize,
}

/// A function that was understood in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPart {
    /// Its name.
    pub function: String,
    /// Where it begins, as `file:line`.
    pub place: String,
    /// What of it was not understood.
    pub reason: Doubt,
}

/// A loop that no variable orders across tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unordered {
    /// `file:line`.
    pub place: String,
    /// The function.
    pub function: String,
    /// Why, variable by variable.
    pub reason: String,
    /// Words for the parts of that reason, which stay the same from version to version.
    pub reason_codes: Vec<&'static str>,
}

/// A binding in figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingFacts {
    /// In hexadecimal; empty when the build has none.
    pub build_id: String,
    /// The executable's path when the map was bound.
    pub executable: String,
    /// The compiler.
    pub producer: String,
    /// Line-table rows.
    pub rows: usize,
    /// Concrete functions whose source the map holds, and all.
    pub functions: (usize, usize),
    /// Inlined calls.
    pub inlines: usize,
    /// Variable instances with at least one location, and all.
    pub variables: (usize, usize),
}

impl Summary {
    /// Loops that some variable orders across tasks.
    pub fn ordered_loops(&self) -> usize {
        self.loops - self.unordered.len()
    }
}

/// A map in figures.
pub fn summary(map: &Map) -> Summary {
    let mut result = Summary {
        files: map.files.len(),
        functions: map.functions.len(),
        repaired: 0,
        partial: Vec::new(),
        points: 0,
        loops: 0,
        shares: Vec::new(),
        unordered: Vec::new(),
        diagnostics: map.diagnostics.iter().map(ToString::to_string).collect(),
        binding: map.binding.as_ref().map(binding_facts),
    };
    let mut counts: BTreeMap<(&'static str, &'static str), usize> = BTreeMap::new();
    for function in &map.functions {
        let path = &map.files[function.file].path;
        match function.confidence {
            Confidence::Clean => {}
            Confidence::Repaired => result.repaired += 1,
            Confidence::Partial => {
                result.partial.push(InPart {
                    function: function.name.clone(),
                    place: format!("{path}:{}", function.span.line),
                    reason: function.confidence_reason.clone().unwrap_or_default(),
                });
            }
        }
        result.points += function.points.len();
        result.loops += function.loops.len();
        for in_loop in &function.loops {
            let best = in_loop.lovs.iter().find(|lov| lov.across != Across::Nothing);
            match best {
                Some(lov) if in_loop.reducible => {
                    *counts
                        .entry((class_word(lov.class), across_word(lov.across)))
                        .or_default() += 1;
                }
                _ => {
                    let (reason, reason_codes) = why_unordered(in_loop);
                    result.unordered.push(Unordered {
                        place: format!("{path}:{}", in_loop.span.line),
                        function: function.name.clone(),
                        reason,
                        reason_codes,
                    });
                }
            }
        }
    }
    result.shares = counts
        .into_iter()
        .map(|((class, across), loops)| Share { class, across, loops })
        .collect();
    result.shares.sort_by_key(|share| std::cmp::Reverse(share.loops));
    result
}

/// Why no variable orders a loop: a sentence, and the words for its parts, sorted.
fn why_unordered(in_loop: &Loop) -> (String, Vec<&'static str>) {
    if !in_loop.reducible {
        let sentence = "entered by a jump into its middle".to_owned();
        return (sentence, vec!["entered-in-the-middle"]);
    }
    if in_loop.lovs.is_empty() && in_loop.refused.is_empty() {
        return ("no variable changes in it".to_owned(), vec!["nothing-changes"]);
    }
    let (mut reasons, mut codes) = (Vec::new(), BTreeSet::new());
    for lov in &in_loop.lovs {
        reasons.push(format!(
            "{}: not comparable across tasks ({})",
            lov.name,
            lov.because()
        ));
        codes.extend(lov.grounds.codes());
    }
    for refused in &in_loop.refused {
        reasons.push(format!("{}: {}", refused.name, refused.why));
        codes.insert(refused.why.code());
    }
    (reasons.join("; "), Vec::from_iter(codes))
}

fn binding_facts(binding: &progress_map::Binding) -> BindingFacts {
    let located = binding
        .variables
        .iter()
        .filter(|variable| !variable.locations.is_empty());
    let mapped = binding
        .functions
        .iter()
        .filter(|function| function.function.is_some());
    BindingFacts {
        build_id: crate::build_id_text(&binding.build_id),
        executable: binding.executable.clone(),
        producer: binding.producer.clone(),
        rows: binding.rows.len(),
        functions: (mapped.count(), binding.functions.len()),
        inlines: binding.inlines.len(),
        variables: (located.count(), binding.variables.len()),
    }
}
