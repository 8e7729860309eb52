//! Any two tasks of a job: how they stand to each other, and the proof.

use crate::paths::short_name;
use crate::{Analysis, Excerpt, Relation, Value, Who, advice};
use progress::{Decided, Reason, Verdict};
use progress_map::{LoopId, Map};
use rayon::prelude::*;

impl Analysis<'_> {
    /// How task `a` stands to task `b` (indices into the tasks), and why, as a sentence without its full stop.
    pub fn compare(&self, a: usize, b: usize) -> (Relation, String) {
        let verdict = self.order.compare(&self.located(a), &self.located(b));
        let reason = self.reason(&verdict, a, b);
        (verdict.relation, reason)
    }

    /// Whether what stands between two tasks is told by machine code alone.
    pub fn rests_on_code(&self, a: usize, b: usize) -> bool {
        let verdict = self.order.compare(&self.located(a), &self.located(b));
        matches!(verdict.proof.decided, Decided::Code(_))
    }

    /// [`compare`](Self::compare) of many pairs, in their order.
    pub fn compare_all(&self, pairs: &[(usize, usize)]) -> Vec<(Relation, String)> {
        // Not by one of the threads that share the pairs out: the others would wait for it with work in their hands.
        self.looked_up();
        pairs.par_iter().map(|&(a, b)| self.compare(a, b)).collect()
    }

    fn reason(&self, verdict: &Verdict, a: usize, b: usize) -> String {
        let mut reason = progress::sentence(self.order.map(), verdict, &self.located(a), &self.located(b));
        if verdict.relation != Relation::Unknown
            && let Some(clause) = progress::assumption(verdict)
        {
            reason = format!("{reason}, {clause}");
        }
        reason
    }

    /// How task `a` stands to task `b` (indices into the tasks), with the whole proof.
    pub fn explain(&self, a: usize, b: usize) -> Explanation {
        let map = self.order.map();
        let verdict = self.order.compare(&self.located(a), &self.located(b));
        let shared = verdict.proof.same.iter().map(|same| SharedLoop {
            function: map.functions[same.function].name.clone(),
            place: loop_place(map, same.function, same.in_loop),
            variable: same.name.clone(),
            a: same.a,
            b: same.b,
        });
        let deciding_loop = match (&verdict.proof.decided, verdict.proof.function) {
            (Decided::Iteration { in_loop, name, a, b }, Some(function)) => Some(SharedLoop {
                function: map.functions[function].name.clone(),
                place: loop_place(map, function, *in_loop),
                variable: name.clone(),
                a: *a,
                b: *b,
            }),
            _ => None,
        };
        Explanation {
            relation: verdict.relation,
            reason: progress::sentence(map, &verdict, &self.located(a), &self.located(b)),
            unknown_because: verdict.unknown_because().cloned(),
            assumption: progress::assumption(&verdict).map(str::to_owned),
            advice: (verdict.relation == Relation::Unknown)
                .then(|| advice::for_unknown(map, &verdict, &self.located(a), &self.located(b)))
                .flatten(),
            depth: verdict.proof.depth,
            function: verdict.proof.function.map(|id| map.functions[id].name.clone()),
            shared_loops: shared.collect(),
            deciding_loop,
            a: self.side(a, verdict.proof.depth),
            b: self.side(b, verdict.proof.depth),
        }
    }

    fn side(&self, task: usize, depth: usize) -> Side {
        let map = self.order.map();
        let located = self.located(task);
        let frame = located.frames.get(depth);
        let file = frame
            .and_then(|frame| frame.function)
            .map(|id| map.functions[id].file);
        let line = located
            .origin
            .get(depth)
            .and_then(|&origin| self.tasks[task].frames[origin?].line)
            .filter(|&line| line > 0);
        let source = file.zip(line).map(|(id, line)| Excerpt {
            path: map.files[id].path.clone(),
            short_path: short_name(map, id).to_owned(),
            hash: map.files[id].hash,
            line,
            lines: Vec::new(),
        });
        Side {
            who: self.named.who([&self.tasks[task]]),
            frame: frame.map(|frame| frame.name.clone()),
            values: frame
                .map(|frame| frame.values.clone().into_iter().collect())
                .unwrap_or_default(),
            source,
        }
    }
}

fn loop_place(map: &Map, function: progress_map::FunctionId, id: LoopId) -> String {
    let function = &map.functions[function];
    format!(
        "{}:{}",
        short_name(map, function.file),
        function.loops[id].span.line
    )
}

/// How two tasks stand to each other, with the proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The relation of `a` to `b`.
    pub relation: Relation,
    /// Why, as a sentence without its full stop.
    pub reason: String,
    /// The reason itself, when the relation is unknown.
    pub unknown_because: Option<Reason>,
    /// What the verdict takes for granted, as a clause.
    pub assumption: Option<String>,
    /// What to do when the relation is unknown.
    pub advice: Option<advice::Advice>,
    /// The deciding frame, counted from the outermost of the program, which is 0.
    pub depth: usize,
    /// Its function, if both are in one function of the map there.
    pub function: Option<String>,
    /// Loops in which both are in the same iteration, outermost first.
    pub shared_loops: Vec<SharedLoop>,
    /// The loop whose variable decided.
    pub deciding_loop: Option<SharedLoop>,
    /// The first task at the deciding frame.
    pub a: Side,
    /// The second.
    pub b: Side,
}

/// A loop that both tasks are in, and the variable that was compared.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedLoop {
    /// The function that the loop is in.
    pub function: String,
    /// `file:line` of the loop.
    pub place: String,
    /// The variable.
    pub variable: String,
    /// Its value on the first task.
    pub a: Value,
    /// Its value on the second.
    pub b: Value,
}

/// One of the two tasks at the deciding frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Which task.
    pub who: Who,
    /// The frame's function.
    pub frame: Option<String>,
    /// Every value recorded in the frame.
    pub values: Vec<(String, Value)>,
    /// The line that the frame is on.
    pub source: Option<Excerpt>,
}
