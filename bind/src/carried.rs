//! Places of loop variables that debug info has lost, and the machine code has not.
//!
//! Where a loop has more numbers than there are registers, gcc copies its variable from one place to another, to the stack and back, and often describes it only around its update and
//! the test that follows: in the body, where tasks wait, the variable is "optimised out". The code says where the number is: whatever was copied from a described place
//! still holds it as long as nothing changes the copy.
//!
//! **Rule.** Go through the flow of the code from each stretch in which the variable is described. A register that calls preserve, or a slot of the stack, holds the variable at
//! an instruction if it does so on every way there: described in it, or copied from one that holds it, and not changed since. On ways that pass no description it must be the constant with which
//! the loop begins. What is found so is the value *that was described last*. It is the value that the source has if the source comes from where that was to the
//! instruction's point without an update and within one iteration. So that is asked of all points at which the last description may end, and nothing is said of points that may follow an
//! update in their iteration ([`moved`](crate::moved)): compilers let loops begin in the middle (`if (it == 1) f(); g();` as `g(); if (++it == 1) f();`), and move updates later.
//!
//! An update shows in the code, since each iteration makes one: something that holds the variable is overwritten by what was made of it. From there on nothing else holds it until it is described
//! again. An instruction that a loop of the code comes back to without such an update or a description, and no inner loop of the source, is not believed either.
//!
//! Compilers make the update earlier, too (`g(); i++;` as `i++; g();`). What is overwritten by itself and the step holds one step more than was described. Whether the source is still in front
//! of its update there, the next description tells: on every way it must be of one step more than the last one, so that one update of the source lies between the two;
//! and if the source comes from the instruction's point to none of the points that are described next without an update, that update lies behind the instruction.
//!
//! Nothing is added of a variable that debug info knows at all calls that may come to MPI.

mod flow;

use crate::flow::HeldAlike;
use crate::moved::may_follow_update;
use crate::points_at::PointsAt;
use crate::positions::Positions;
use crate::stack::Settled;
use base::Id as _;
use flow::{Beginning, FunctionCode, Known};
use progress_map::{
    Binding, BoundVariable, CodeBlock, Encoding, Function, FunctionId, LocationRange, LoopId, Lov, LovClass,
    MachineLocation, Map, PointId, Term,
};
use std::collections::BTreeMap;

/// By number of the variable: all locations that debug info has of it.
pub(crate) type Locations = BTreeMap<usize, Vec<LocationRange>>;

/// The locations of the variables that [`add`] may follow, before those are taken out that are not believed.
pub(crate) fn described(map: &Map, binding: &Binding) -> Locations {
    let variables = binding.variables.iter().enumerate();
    let counting = variables.filter(|(_, variable)| {
        let id = binding.function_of(variable.instance);
        id.is_some_and(|id| counting(&map.functions[id], variable).is_some())
    });
    counting
        .map(|(index, variable)| (index, variable.locations.clone()))
        .collect()
}

/// Adds the places of the variables that are `described`.
pub(crate) fn add(map: &Map, binding: &mut Binding, described: &Locations, alike: &HeldAlike) {
    let positions = Positions::new(binding);
    let counted = binding.code.counted();
    let mut blocks: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, block) in (0..).zip(&binding.code.blocks) {
        blocks.entry(block.function).or_default().push(number);
    }
    let mut codes: BTreeMap<u32, Option<FunctionCode<'_>>> = BTreeMap::new();
    let mut points_at: BTreeMap<FunctionId, PointsAt<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    for (&index, described) in described {
        let variable = &binding.variables[index];
        let Some((id, range)) = positions
            .code(variable.instance)
            .filter(|_| positions.optimised(variable.instance))
        else {
            continue;
        };
        let function = &map.functions[id];
        let Some((in_loop, lov, start)) = counting(function, variable) else {
            continue;
        };
        let Some(number) = binding.code.block_at(range.0) else {
            continue;
        };
        let number = binding.code.blocks[number as usize].function;
        let code = codes.entry(number).or_insert_with(|| {
            let blocks = blocks.remove(&number).unwrap_or_default();
            FunctionCode::new(&binding.code, blocks, counted.get(&number))
        });
        let Some(code) = code else { continue };
        let search = Search {
            binding,
            positions: &positions,
            code,
            function,
            variable,
            described,
            alike,
            in_loop,
            lov,
            start,
        };
        let points_at = points_at.entry(id).or_insert_with(|| PointsAt::new(function));
        let after = may_follow_update(function, &variable.name, binding.merges_of(id));
        let places = search.places(range, points_at, &after);
        if !places.is_empty() {
            found.push((index, places));
        }
    }
    for (index, places) in found {
        let locations = &mut binding.variables[index].locations;
        locations.extend(places);
        locations.sort_by_key(|location| (location.start, location.end));
    }
}

/// The one loop that a variable orders, and the constant that it begins with there.
fn counting<'m>(function: &'m Function, variable: &BoundVariable) -> Option<(LoopId, &'m Lov, i64)> {
    let is_number = matches!(
        variable.encoding,
        Encoding::Signed(4 | 8) | Encoding::Unsigned(4 | 8)
    );
    if !is_number || !variable.path.is_empty() {
        return None;
    }
    let loops = function.loops.iter_enumerated();
    let mut own = loops.flat_map(|(id, in_loop)| {
        let lovs = in_loop.lovs.iter();
        lovs.filter(|lov| lov.name == variable.name)
            .map(move |lov| (id, lov))
    });
    let (id, lov) = own.next().filter(|_| own.next().is_none())?;
    match (lov.class, &lov.start) {
        (LovClass::Strict, &Some(Term::Constant(start))) => Some((id, lov, start)),
        _ => None,
    }
}

struct Search<'s, 'b> {
    binding: &'b Binding,
    positions: &'s Positions<'b>,
    code: &'s FunctionCode<'b>,
    function: &'s Function,
    variable: &'b BoundVariable,
    described: &'s [LocationRange],
    alike: &'s HeldAlike,
    in_loop: LoopId,
    lov: &'s Lov,
    start: i64,
}

impl Search<'_, '_> {
    /// The places of the variable within a range of code; `after` are the points that may follow an update in their iteration.
    fn places(&self, range: (u64, u64), points_at: &mut PointsAt<'_>, after: &[bool]) -> Vec<LocationRange> {
        let blocks = 0..self.code.blocks.len();
        let mut ends = blocks.map(|at| self.block(at)).filter(|block| block.communicates);
        // Tasks wait in calls that may come to MPI: where debug info knows the variable in all of them, nothing has to be found.
        let is_lost = |block: &CodeBlock| self.is_lost(range, block.end - 1);
        if self.variable.locations.is_empty() || !ends.any(is_lost) {
            return Vec::new();
        }
        let flow = self.flow();
        let mut renewing = None;
        let mut found: Vec<LocationRange> = Vec::new();
        for (at, before) in flow.iter().enumerate() {
            let Some(mut known) = before.clone() else { continue };
            let block = self.block(at);
            self.describe_start(at, &mut known);
            let holding = known.holding.iter().flatten();
            let preserved = holding.filter(|(place, _)| place.is_preserved());
            // What needs no more to be shown comes first.
            let Some((&place, &more)) = preserved.min_by_key(|&(_, &more)| more != 0) else {
                continue;
            };
            // What is said in the middle of a block may be of another value.
            let begins = |location: &LocationRange| (block.start + 1..block.end).contains(&location.start);
            if self.described.iter().any(begins) {
                continue;
            }
            let (mut comes_back, mut following) = (None, None);
            for (start, end) in self.rows(block) {
                let here = self.points(start, points_at);
                let is_told = self.is_lost(range, start)
                    && self.is_lost(range, end - 1)
                    && !here.is_empty()
                    && here.iter().all(|&point| !after[point.index()])
                    && known.from.iter().all(|&from| {
                        let there = self.points(from, points_at);
                        let leads = |&from: &PointId| here.iter().all(|&here| self.leads(from, here));
                        !there.is_empty() && there.iter().all(leads)
                    });
                let is_within =
                    |point: &PointId| self.function.points[*point].innermost_loop != Some(self.in_loop);
                let mut is_stale = || {
                    !here.iter().all(is_within)
                        && *comes_back.get_or_insert_with(|| {
                            let renewing = renewing.get_or_insert_with(|| self.renewing(&flow));
                            self.comes_back(renewing, at)
                        })
                };
                if !is_told || is_stale() {
                    continue;
                }
                if more != 0 {
                    let next = following.get_or_insert_with(|| self.described_next(at));
                    if !self.is_updated_behind(&here, next, &flow, more, points_at) {
                        continue;
                    }
                }
                let expression = expression(place, more);
                match found.last_mut() {
                    Some(last) if last.end == start && last.expression == expression => last.end = end,
                    _ => found.push(LocationRange {
                        start,
                        end,
                        expression,
                    }),
                }
            }
        }
        found
    }

    /// The stretches of a block that stand at one position each.
    fn rows(&self, block: &CodeBlock) -> Vec<(u64, u64)> {
        let rows = &self.binding.rows;
        let first = rows.partition_point(|row| row.end <= block.start);
        let here = rows[first..].iter().take_while(|row| row.start < block.end);
        let here = here.map(|row| (row.start.max(block.start), row.end.min(block.end)));
        here.collect()
    }

    /// Whether an address is in the range and in the variable's scope, and debug info says nothing of the variable there.
    fn is_lost(&self, range: (u64, u64), address: u64) -> bool {
        let scope = &self.variable.scope;
        let is_in_scope =
            scope.is_empty() || scope.iter().any(|&(start, end)| (start..end).contains(&address));
        (range.0..range.1).contains(&address) && is_in_scope && self.description(address).is_none()
    }

    /// By block: whether the variable is described in it, or an update of it shows.
    fn renewing(&self, flow: &[Option<Known>]) -> Vec<bool> {
        let renews = |(at, before): (usize, &Option<Known>)| {
            let block = self.block(at);
            let is_described = |address| self.description(address).is_some();
            let shows_update = |before: &Known| {
                let behind = self.behind(at, before, Beginning::TheVariable);
                before.is_held() && (!behind.is_held() || behind.is_updated() && !before.is_updated())
            };
            is_described(block.start)
                || is_described(block.end - 1)
                || before.as_ref().is_none_or(shows_update)
        };
        flow.iter().enumerate().map(renews).collect()
    }

    /// Whether control comes from a block back to it by none that is `renewing` the variable.
    fn comes_back(&self, renewing: &[bool], at: usize) -> bool {
        let mut seen = renewing.to_vec();
        base::reaches(
            at,
            at,
            |block| !std::mem::replace(&mut seen[block], true),
            |block, next| next.extend(&self.code.next[block]),
        )
    }

    /// The first address of a block at which the variable is described.
    fn first_described(&self, at: usize) -> Option<u64> {
        let block = self.block(at);
        let within = self.described.iter();
        let within = within.filter(|location| location.start < block.end && block.start < location.end);
        within.map(|location| location.start.max(block.start)).min()
    }

    /// The blocks behind this one in which the variable is described next, and where.
    fn described_next(&self, at: usize) -> Vec<(usize, u64)> {
        let mut seen = vec![false; self.code.blocks.len()];
        let mut work = self.code.next[at].clone();
        let mut found = Vec::new();
        while let Some(next) = work.pop() {
            if std::mem::replace(&mut seen[next], true) {
                continue;
            }
            match self.first_described(next) {
                Some(address) => found.push((next, address)),
                None => work.extend(&self.code.next[next]),
            }
        }
        found
    }

    /// Whether the source has its next update behind these points: wherever the variable is described `next`, it is so much more than it was before, which is one update, and the source does
    /// not come there without one.
    fn is_updated_behind(
        &self,
        here: &[PointId],
        next: &[(usize, u64)],
        flow: &[Option<Known>],
        more: i64,
        points_at: &mut PointsAt<'_>,
    ) -> bool {
        let unchanged = |point: PointId| self.lies_in(point) && !self.updates(point);
        let mut is_any = false;
        for &(at, address) in next {
            let there = self.points(address, points_at);
            if !there.is_empty() && !there.iter().any(|&point| self.lies_in(point)) {
                // It has left the loop.
                continue;
            }
            // What is known before a block is known in it as long as that changes nothing.
            let before = flow[at].as_ref();
            let before = before.filter(|_| address == self.block(at).start || self.code.is_unchanging(at));
            let described = before.and_then(|before| self.described_more(address, before));
            let comes_there = |&from: &PointId| {
                let mut there = there.iter();
                there.any(|&to| from == to || self.function.reaches(from, to, unchanged))
            };
            if there.is_empty() || described != Some(more) || here.iter().any(comes_there) {
                return false;
            }
            is_any = true;
        }
        is_any
    }

    fn block(&self, at: usize) -> &CodeBlock {
        &self.binding.code.blocks[self.code.blocks[at] as usize]
    }

    /// The points that an instruction may be of.
    fn points(&self, address: u64, points_at: &mut PointsAt<'_>) -> Vec<PointId> {
        let position = self
            .positions
            .at(self.variable.instance, self.function.file, address);
        position.map_or_else(Vec::new, |(line, column)| {
            points_at.position(line, column).to_vec()
        })
    }

    /// Whether the source comes from one point of the loop to another within one iteration, and on no way by an update.
    fn leads(&self, from: PointId, to: PointId) -> bool {
        let header = self.function.loops[self.in_loop].header;
        let unchanged = |point: PointId| point != header && self.lies_in(point) && !self.updates(point);
        let reaches = from == to || self.function.reaches(from, to, unchanged);
        self.lies_in(from) && self.lies_in(to) && to != header && !self.updates(from) && reaches
    }

    /// Whether a point is in the loop that the variable orders.
    fn lies_in(&self, point: PointId) -> bool {
        self.function.loops_around(point).any(|at| at == self.in_loop)
    }

    /// Whether a point updates the variable.
    fn updates(&self, point: PointId) -> bool {
        self.lov.updates.binary_search(&point).is_ok()
    }
}

/// An expression for the number in a place that holds so much more, whatever the frame base is.
fn expression(place: MachineLocation, more: i64) -> Vec<u8> {
    if more == 0 {
        return match place {
            MachineLocation::Register(number) => vec![gimli::DW_OP_reg0.0 + number],
            MachineLocation::Slot(offset) => Settled::Below(0).address(offset.into()),
        };
    }
    let mut bytes = match place {
        MachineLocation::Register(number) => vec![gimli::DW_OP_breg0.0 + number, 0],
        MachineLocation::Slot(offset) => {
            let mut bytes = Settled::Below(0).address(offset.into());
            bytes.push(gimli::DW_OP_deref.0);
            bytes
        }
    };
    bytes.push(gimli::DW_OP_const8s.0);
    bytes.extend_from_slice(&more.to_le_bytes());
    bytes.extend([gimli::DW_OP_minus.0, gimli::DW_OP_stack_value.0]);
    bytes
}
