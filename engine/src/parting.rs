//! Where a class that is behind and one that is ahead part, in parts that a reader can be told in plain words.

use crate::Relation;
use crate::answer::{Line, Parting};
use crate::assemble::JobView;
use crate::paths::short_name;
use progress::Decided;
use progress_map::{FunctionId, LoopId, PointId};

/// How class `behind` stands to class `ahead`, if comparing them says that it is behind.
pub(crate) fn of(job: &JobView<'_>, behind: usize, ahead: usize) -> Option<Parting> {
    let verdict = job.verdict(behind, ahead);
    if verdict.relation != Relation::Before {
        return None;
    }
    let at = |id: FunctionId, line: u32| Line {
        short_file: short_name(job.map, job.map.functions[id].file).to_owned(),
        line,
    };
    let loop_at = |id: FunctionId, in_loop: LoopId| at(id, job.map.functions[id].loops[in_loop].span.line);
    let point_at = |id: FunctionId, point: PointId| at(id, job.map.functions[id].points[point].span.line);
    let function = verdict.proof.function?;
    match &verdict.proof.decided {
        Decided::Iteration { in_loop, name, a, b } if a != b => Some(Parting::Iteration {
            in_loop: loop_at(function, *in_loop),
            variable: name.clone(),
            behind: *a,
            ahead: *b,
        }),
        Decided::Flow { a, b } => {
            let (behind, ahead) = (point_at(function, *a), point_at(function, *b));
            let innermost = verdict.proof.same.last().filter(|same| same.a == same.b);
            let within =
                innermost.map(|same| (loop_at(same.function, same.in_loop), same.name.clone(), same.a));
            // Two points of one line say nothing to a reader who sees lines.
            (behind.line > 0 && ahead.line > 0 && behind != ahead).then_some(Parting::Line {
                within,
                behind,
                ahead,
            })
        }
        _ => None,
    }
}
