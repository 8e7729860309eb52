//! The loop-order variables that follow from two readings of a file: each is analysed as a program by itself.

use super::Comparison;
use base::Confidence;
use ir::Unit;
use progress_map::{Across, Function, Loop, Lov, Map};

impl Comparison {
    /// Adds the loop-order variables of the loops that both readings have.
    pub(super) fn add_lovs(&mut self, tolerant: &Unit, exact: &Unit) {
        let ours = lov::analyse(std::slice::from_ref(tolerant));
        let theirs = lov::analyse(std::slice::from_ref(exact));
        for function in &theirs.functions {
            let Some(same) = same_function(&ours, function) else {
                continue;
            };
            let is_partial = [function, same]
                .iter()
                .any(|each| each.confidence == Confidence::Partial);
            for theirs in &function.loops {
                let at = (theirs.span.line, theirs.span.column);
                let mut alike = same.loops.iter();
                let alike = alike.find(|ours| (ours.span.line, ours.span.column) == at);
                // That a loop is missing is told where loops are compared.
                if let Some(ours) = alike.filter(|_| !is_partial) {
                    self.lovs_of_loop(&format!("{}:{}", exact.path, at.0), ours, theirs);
                }
            }
        }
    }

    fn lovs_of_loop(&mut self, place: &str, ours: &Loop, theirs: &Loop) {
        for lov in &theirs.lovs {
            match ours.lovs.iter().find(|other| other.name == lov.name) {
                Some(other) if classes(other) == classes(lov) => self.lovs += 1,
                // One says nothing of two tasks where the other does: less, and nothing else.
                Some(other)
                    if (other.class, other.direction) == (lov.class, lov.direction)
                        && (other.across == Across::Nothing || lov.across == Across::Nothing) =>
                {
                    let who = if lov.across == Across::Nothing {
                        "the compiler"
                    } else {
                        "the text"
                    };
                    let cause = format!("{who} says nothing of two tasks");
                    *self.refused.entry(cause).or_default() += 1;
                }
                Some(other) => self.faults.push(format!(
                    "{place}: {} is {} by the text, {} by the compiler",
                    lov.name,
                    classes(other),
                    classes(lov)
                )),
                None => self.refused(place, "the text", &lov.name, ours),
            }
        }
        for lov in &ours.lovs {
            if theirs.lovs.iter().all(|other| other.name != lov.name) {
                self.refused(place, "the compiler", &lov.name, theirs);
            }
        }
    }

    /// Counts a variable that one reading refuses in a loop where the other promises it.
    fn refused(&mut self, place: &str, who: &str, name: &str, there: &Loop) {
        let refusal = there.refused.iter().find(|refused| refused.name == name);
        match refusal {
            Some(refused) => {
                // The kind of the reason, without the lines and names in it.
                let why = format!("{:?}", refused.why);
                let end = why.find(|c: char| !c.is_alphanumeric()).unwrap_or(why.len());
                *self
                    .refused
                    .entry(format!("{who} refuses it: {}", &why[..end]))
                    .or_default() += 1;
            }
            // The text has a name of its own for where an iterator stands.
            None if name.contains('(') => {
                let cause = format!("{who} has no position of an iterator");
                *self.refused.entry(cause).or_default() += 1;
            }
            None => self
                .faults
                .push(format!("{place}: {name} is no variable of the loop by {who}")),
        }
    }
}

fn same_function<'m>(map: &'m Map, function: &Function) -> Option<&'m Function> {
    let mut functions = map.functions.iter();
    functions.find(|other| other.name == function.name && other.span.end_line == function.span.end_line)
}

/// What is promised of a variable.
fn classes(lov: &Lov) -> String {
    format!(
        "{:?} {:?} {:?} {:?}",
        lov.class, lov.direction, lov.across, lov.assumption
    )
}
