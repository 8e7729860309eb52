//! A bound map against its build: rows of the line table that fall on a point, call instructions that meet one.
//!
//! Positions are looked up the way the order looks up a frame, so that the shares tell what a user will meet.

use crate::calls::{self, Callee};
use crate::causes::Causes;
use crate::lines::Lines;
use crate::{percent, read, read_map};
use object::{Object as _, ObjectSection as _};
use progress::{ExecutionPoint, Frame, LocatedFrame, Order};
use progress_map::{Binding, FunctionId, Map, PointId, PointKind, Row};
use std::collections::BTreeSet;
use std::path::Path;

/// How many causes are listed.
const CAUSES: usize = 12;

pub(crate) fn print(path: &Path, elf: &Path) -> Result<(), String> {
    let mut map = read_map(path)?;
    // Positions are judged, not frames: without the binding the order does not ask which frames an optimising compiler may
    // have removed.
    let binding = &map.binding.take().ok_or("the map is not bound")?;
    let bytes = read(elf)?;
    let debug = debug_size(&bytes)?;
    let size = read(path)?.len();
    println!(
        "  bound map                    {size} bytes; .debug_line and .debug_info {debug}; ratio {:.3}",
        size as f64 / debug.max(1) as f64
    );
    let order = Order::new(&map);
    let mut lines = Lines::new(&map);
    let at = Instances::new(binding);
    rows(&map, binding, &order, &at, &mut lines);
    call_sites(&map, binding, &order, &at, &mut lines, &calls::of(elf)?);
    Ok(())
}

/// What the position of a call stands for.
enum Met {
    /// So many calls of the map.
    All(usize),
    /// One of several in each build.
    OneOf,
}

fn debug_size(elf: &[u8]) -> Result<usize, String> {
    let file = object::File::parse(elf).map_err(|error| error.to_string())?;
    let size = |name| file.section_by_name(name).map_or(0, |section| section.size());
    usize::try_from(size(".debug_line") + size(".debug_info")).map_err(|error| error.to_string())
}

fn rows(map: &Map, binding: &Binding, order: &Order<'_>, at: &Instances, lines: &mut Lines<'_>) {
    let (mut all, mut known) = (0, 0);
    let mut causes = Causes::default();
    for row in binding.rows.iter().filter(|row| row.statement && row.line > 0) {
        let Some(function) = at.innermost(binding, row.start) else {
            continue;
        };
        all += 1;
        let located = locate(map, order, function, row, None);
        if located.is_some_and(|frame| !frame.places.is_empty()) {
            known += 1;
        } else {
            let cause = lines.describe(map, function, row);
            causes.add(cause, || lines.quote(map, row));
        }
    }
    println!(
        "  rows on a point              {:.2} % of {all} rows that begin a statement in a function of the map",
        percent(known, all)
    );
    causes.print(all, CAUSES);
}

fn call_sites(
    map: &Map,
    binding: &Binding,
    order: &Order<'_>,
    at: &Instances,
    lines: &mut Lines<'_>,
    calls: &[calls::Call],
) {
    let (mut all, mut exact, mut chosen, mut several, mut indirect) = (0, 0, 0, 0, 0);
    let mut causes = Causes::default();
    for call in calls {
        let row = binding.rows.partition_point(|row| row.end <= call.address);
        let row = binding
            .rows
            .get(row)
            .filter(|row| row.start <= call.address && row.line > 0);
        let (Some(row), Some(function)) = (row, at.innermost(binding, call.address)) else {
            continue;
        };
        let callee = match &call.callee {
            Callee::Named(name) => name,
            Callee::Computed => {
                indirect += 1;
                continue;
            }
        };
        all += 1;
        let located = locate(map, order, function, row, Some(callee));
        let named = located.as_ref().is_some_and(|frame| frame.callee_known);
        let calls_it = |frame: &LocatedFrame| -> Option<Met> {
            let body = &map.functions[frame.function?];
            let points: BTreeSet<PointId> = frame.places.iter().map(|place| place.point).collect();
            let is_call = |id: &PointId| match &body.points[*id].kind {
                PointKind::Call(name) => name == callee || calls::may_stand_for(callee, name),
                PointKind::IndirectCall | PointKind::MacroCall(_) => true,
                _ => false,
            };
            if !points.iter().all(is_call) {
                return None;
            }
            let function = frame.function?;
            let apart = |a, b| a == b || map.never_together(function, a, b);
            let one_in_a_build = points.iter().all(|&a| points.iter().all(|&b| apart(a, b)));
            Some(match points.len() {
                2.. if one_in_a_build => Met::OneOf,
                count => Met::All(count),
            })
        };
        match located.as_ref().and_then(calls_it) {
            Some(Met::All(1)) if named => exact += 1,
            Some(Met::OneOf) if named => {
                exact += 1;
                chosen += 1;
            }
            Some(Met::All(2..)) if named => {
                several += 1;
                causes.add(format!("several calls of {callee} at the position"), || {
                    lines.quote(map, row)
                });
            }
            _ => {
                let what = match located {
                    Some(frame) if !frame.places.is_empty() => "no call of the name at the position",
                    _ => "no point at the position",
                };
                let made = calls::is_compilers_own(callee);
                let made = if made { " (a compiler's own callee)" } else { "" };
                causes.add(format!("{what}{made}"), || {
                    format!("{} calls {callee}", lines.quote(map, row))
                });
            }
        }
    }
    println!(
        "  calls on exactly one point   {:.2} % of {all} call instructions by name ({chosen} of these on one of several \
         that no build has together; {several} on several; {indirect} through pointers not counted)",
        percent(exact, all)
    );
    causes.print(all, CAUSES);
}

fn locate(
    map: &Map,
    order: &Order<'_>,
    function: FunctionId,
    row: &Row,
    callee: Option<&str>,
) -> Option<LocatedFrame> {
    let body = &map.functions[function];
    // A row in another file is none of this function's points.
    if row.file != Ok(body.file) {
        return None;
    }
    let frame = Frame {
        function: body.name.clone(),
        file: Some(map.files[body.file].path.clone()),
        line: Some(row.line),
        column: (row.column > 0).then_some(row.column),
        ..Frame::default()
    };
    let below = callee.map(|name| Frame {
        function: name.to_owned(),
        ..Frame::default()
    });
    let point = ExecutionPoint {
        frames: std::iter::once(frame).chain(below).collect(),
        ..ExecutionPoint::default()
    };
    let mut frames = order.locate(&point).frames;
    (!frames.is_empty()).then(|| frames.swap_remove(0))
}

/// Inlined calls by address: the last one in this order that covers an address is the innermost.
struct Instances {
    sorted: Vec<u32>,
    /// For each in `sorted`, the one around it there.
    around: Vec<Option<usize>>,
}

impl Instances {
    fn new(binding: &Binding) -> Self {
        let mut sorted: Vec<u32> = (0..).take(binding.inlines.len()).collect();
        let of = |index: u32| &binding.inlines[index as usize];
        sorted.sort_by_key(|&index| (of(index).start, std::cmp::Reverse(of(index).end), index));
        let mut around = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (place, &index) in sorted.iter().enumerate() {
            while open
                .last()
                .is_some_and(|&last| of(sorted[last]).end <= of(index).start)
            {
                open.pop();
            }
            around.push(open.last().copied());
            open.push(place);
        }
        Self { sorted, around }
    }

    /// The function of the map whose code stands at an address, inlined ones first.
    fn innermost(&self, binding: &Binding, address: u64) -> Option<FunctionId> {
        let of = |place: usize| &binding.inlines[self.sorted[place] as usize];
        let after = self
            .sorted
            .partition_point(|&index| binding.inlines[index as usize].start <= address);
        let mut place = after.checked_sub(1);
        while let Some(at) = place {
            if address < of(at).end {
                return of(at).function;
            }
            place = self.around[at];
        }
        binding.function_at(address)?.function
    }
}
