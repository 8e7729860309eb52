//! Where the variables that the map lists live, in every instance of their functions.
//!
//! A storage of the map names a variable as the source does, by name and line of declaration; debug info describes
//! it once per function and again in every instance (the function itself, and each inlined copy). The descriptions of
//! one variable share an origin, by which they are told from others of the same name.

use crate::body::{Body, Candidate, choose};
use crate::debug::{Debug, Die, UnitId, clip};
use crate::elf::Image;
use crate::functions::Piece;
use crate::hidden::Qualified;
use crate::locations::{At, Places, places};
use crate::range::{self, Index, Row};
use crate::stack::{ExpressionFrame, Frames};
use crate::trouble::{Outcome, Trouble};
use crate::types::{Structure, TypeRefusal, access, into_object, qualifiers, way};
use crate::walk::{Forest, NodeId, OriginId};
use crate::wanted::{Container, Root, Wanted};
use base::IdVec;
use progress_map::{
    BoundVariable, Encoding, FunctionId, FunctionInstance, LocationRange, PathStep, RangePart, Storage,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// An object in the memory of the program.
struct Object {
    ty: Die,
    /// Locations that hold its address.
    address: Vec<LocationRange>,
}

/// A loop over a range, as debug info has it.
struct RangeLoop<'b> {
    variable: &'b Candidate,
    iterator: &'b Candidate,
    /// How elements follow one another, and where the range is.
    row: Option<(Row, Vec<LocationRange>)>,
    /// Where the iterator behind the last element is, if the loop has one.
    ends: Option<Vec<LocationRange>>,
}

/// Which locations of a variable hold for the instance at hand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usable {
    /// All that it says itself.
    Own,
    /// Fixed places alone: it stands for several instances.
    FixedOnly,
}

/// Everything that the search for variables looks into.
pub(crate) struct VariableSearch<'c, 'a, 'i> {
    pub(crate) image: &'c Image<'i>,
    pub(crate) debug: &'c Debug<'a>,
    pub(crate) forest: &'c Forest,
    pub(crate) identified: &'c IdVec<OriginId, Option<FunctionId>>,
    pub(crate) pieces: &'c IdVec<NodeId, Vec<Piece>>,
    pub(crate) frames: &'c Frames<'c, 'a, 'i>,
}

/// Finds all listed variables; sorted by instance, name and scope.
pub(crate) fn bind_variables(
    context: &VariableSearch<'_, '_, '_>,
    wanted: &BTreeMap<FunctionId, Vec<Wanted<'_>>>,
) -> Bound {
    let mut nodes: BTreeMap<FunctionId, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in context.forest.nodes.iter_enumerated() {
        if let Some(function) = context.identified[node.origin]
            && !context.pieces[id].is_empty()
        {
            nodes.entry(function).or_default().push(id);
        }
    }
    let mut search = Search {
        context,
        bound: Vec::new(),
        indices: Vec::new(),
        qualified: Qualified::new(),
        objects: Objects::new(),
    };
    let mut outcomes = Vec::new();
    for (&function, wanted) in wanted {
        let Some(nodes) = nodes.get(&function) else {
            continue;
        };
        for (wanted, mut outcome) in search.function(function, nodes, wanted) {
            outcome.name = wanted.name.to_owned();
            outcomes.push(outcome);
        }
    }
    let mut bound = search.bound;
    bound.sort_by(|(a, _), (b, _)| (a.instance, &a.name, &a.scope).cmp(&(b.instance, &b.name, &b.scope)));
    let (variables, momentary) = bound.into_iter().unzip();
    Bound {
        variables,
        momentary,
        indices: search.indices,
        qualified: search.qualified,
        objects: search.objects,
        outcomes,
    }
}

/// The structures that variables lead to; nothing where they are none, or several.
pub(crate) type Objects = BTreeMap<(FunctionId, String), Option<Structure>>;

/// What [`bind_variables`] finds.
pub(crate) struct Bound {
    pub(crate) variables: Vec<BoundVariable>,
    /// Where each of them is for a moment only ([`Places::momentary`]).
    pub(crate) momentary: Vec<Vec<LocationRange>>,
    /// To be added when it is known where iterators are to be believed.
    pub(crate) indices: Vec<Index>,
    pub(crate) qualified: Qualified,
    pub(crate) objects: Objects,
    pub(crate) outcomes: Vec<Outcome>,
}

/// A piece of an instance that a variable's scope reaches into.
struct Reached {
    instance: FunctionInstance,
    /// Empty: the whole piece.
    scope: Vec<(u64, u64)>,
    code: Range<u64>,
}

struct Search<'s, 'c, 'a, 'i> {
    context: &'s VariableSearch<'c, 'a, 'i>,
    /// Each with where it is for a moment only.
    bound: Vec<(BoundVariable, Vec<LocationRange>)>,
    indices: Vec<Index>,
    qualified: Qualified,
    objects: Objects,
}

impl<'a, 'i> Search<'_, '_, 'a, 'i> {
    fn function<'w, 'm>(
        &mut self,
        function: FunctionId,
        nodes: &[NodeId],
        wanted: &'w [Wanted<'m>],
    ) -> Vec<(&'w Wanted<'m>, Outcome)> {
        let mut names = BTreeSet::from_iter(wanted.iter().filter_map(|wanted| match wanted.root {
            Root::Local { name, .. } => Some(name),
            Root::Global(_) => None,
        }));
        names.extend(
            wanted
                .iter()
                .filter_map(|wanted| Some(wanted.container.as_ref()?.name)),
        );
        let containers = wanted.iter().filter_map(|wanted| wanted.container.as_ref());
        let containers = containers.map(|container| Root::Local {
            name: container.name,
            line: container.line,
        });
        let lines = BTreeSet::from_iter(wanted.iter().map(|wanted| wanted.root).chain(containers));
        // A line that no declaration has may stand for the only variable of the name, if the map knows only one as well.
        let only = |name: &str| {
            let of_name =
                |root: &&Root<'_>| matches!(root, Root::Local { name: other, .. } if *other == name);
            lines.iter().filter(of_name).count() == 1
        };
        let empty = Outcome {
            function,
            name: String::new(),
            readable: false,
            trouble: BTreeSet::new(),
        };
        let mut outcomes = Vec::from_iter(wanted.iter().map(|wanted| (wanted, empty.clone())));
        let mut shared: BTreeMap<OriginId, Body> = BTreeMap::new();
        for &id in nodes {
            let context = self.context;
            let node = &context.forest.nodes[id];
            let origin = &context.forest.origins[node.origin];
            let shared = shared
                .entry(node.origin)
                .or_insert_with(|| Body::of_origin(context.debug, origin.die, &names));
            let own = Body::of_instance(context.image, context.debug, node.die, &names);
            for (wanted, outcome) in &mut outcomes {
                if let Root::Local { name, line } = wanted.root {
                    match choose(&own, shared, name, line, only(name)) {
                        Ok(chosen) => match wanted.of_range {
                            None => self.local(wanted, &chosen, id, outcome),
                            Some(part) => {
                                let container = wanted.container.as_ref().and_then(|of| {
                                    let found = choose(&own, shared, of.name, of.line, only(of.name)).ok()?;
                                    self.place_of(of, &found, id)
                                });
                                self.range(wanted, part, (&own, shared, &chosen), (id, container), outcome);
                            }
                        },
                        Err(trouble) => drop(outcome.trouble.insert(trouble)),
                    }
                }
            }
        }
        for (wanted, outcome) in &mut outcomes {
            if let Root::Global(name) = wanted.root {
                self.global(wanted, name, function, nodes, outcome);
            }
        }
        outcomes
    }

    /// Records the chosen variables of one instance.
    fn local(&mut self, wanted: &Wanted<'_>, chosen: &[&Candidate], id: NodeId, outcome: &mut Outcome) {
        for candidate in chosen {
            let (path, encoding) = match self.typed(candidate.die, wanted, outcome) {
                Some(found) => found,
                None => continue,
            };
            let frame = self.context.frames.of(id);
            let usable = if candidate.concrete {
                Usable::Own
            } else {
                Usable::FixedOnly
            };
            let places = self.places(candidate.die, &path, encoding, usable, Some(frame));
            outcome
                .trouble
                .extend(places.refused.iter().copied().map(Trouble::Location));
            // A variable that is described here without a place still hides others of its name.
            if !candidate.concrete && places.ranges.is_empty() {
                continue;
            }
            self.record(wanted, candidate, id, (&places, &path, encoding), outcome);
        }
    }

    /// Records where a variable lives in each piece of an instance that it reaches into.
    fn record(
        &mut self,
        wanted: &Wanted<'_>,
        candidate: &Candidate,
        id: NodeId,
        (places, path, encoding): (&Places, &[PathStep], Encoding),
        outcome: &mut Outcome,
    ) {
        for Reached {
            instance,
            scope,
            code,
        } in self.scopes(candidate, id)
        {
            let locations = clip_locations(&places.ranges, &code);
            outcome.readable |= !locations.is_empty();
            let momentary = places.momentary.iter();
            let momentary = momentary.filter(|moment| code.contains(&moment.start));
            let variable = BoundVariable {
                instance,
                name: wanted.name.to_owned(),
                scope,
                locations,
                path: path.to_vec(),
                encoding,
            };
            self.bound.push((variable, momentary.cloned().collect()));
        }
    }

    /// The loops over ranges that a variable is of in one instance, as debug info has them. `chosen` are the descriptions of the loop's
    /// variable.
    fn loops_over<'b>(
        &self,
        wanted: &Wanted<'_>,
        (own, shared, chosen): (&'b Body, &'b Body, &[&'b Candidate]),
        (id, container): (NodeId, Option<Object>),
        outcome: &mut Outcome,
    ) -> Vec<RangeLoop<'b>> {
        let debug = self.context.debug;
        let frame = Some(self.context.frames.of(id));
        let whole = |candidate: &Candidate| {
            // The range's own address, and an iterator as a whole: eight bytes.
            self.places(candidate.die, &[], Encoding::Address, Usable::Own, frame)
                .ranges
        };
        let mut loops = Vec::new();
        for &variable in chosen {
            if wanted.is_iterator {
                let row = container
                    .as_ref()
                    .and_then(|of| Some((range::row_of(debug, of.ty, variable.die)?, of.address.clone())));
                loops.push(RangeLoop {
                    variable,
                    iterator: variable,
                    row,
                    ends: None,
                });
                continue;
            }
            let Some(hidden) = range::hidden(own, shared, variable) else {
                outcome.trouble.insert(Trouble::NotFound);
                continue;
            };
            for iterator in hidden.iterator {
                let row = hidden
                    .range
                    .and_then(|range| Some((range::row(debug, range.die, iterator.die)?, whole(range))));
                loops.push(RangeLoop {
                    variable,
                    iterator,
                    row,
                    ends: Some(hidden.end.map(&whole).unwrap_or_default()),
                });
            }
        }
        loops
    }

    /// Records where a loop over a range stands in one instance. `chosen` are the descriptions of the loop's variable.
    fn range(
        &mut self,
        wanted: &Wanted<'_>,
        part: RangePart,
        bodies: (&Body, &Body, &[&Candidate]),
        (id, container): (NodeId, Option<Object>),
        outcome: &mut Outcome,
    ) {
        let debug = self.context.debug;
        let frame = Some(self.context.frames.of(id));
        for each in self.loops_over(wanted, bodies, (id, container), outcome) {
            let RangeLoop {
                variable,
                iterator,
                row,
                ends,
            } = each;
            let (path, encoding) = match range::address(debug, iterator.die) {
                Ok(found) => found,
                Err(refusal) => {
                    outcome.trouble.insert(Trouble::Type(refusal));
                    continue;
                }
            };
            if part == RangePart::Position {
                let places = self.places(iterator.die, &path, encoding, Usable::Own, frame);
                outcome
                    .trouble
                    .extend(places.refused.iter().copied().map(Trouble::Location));
                self.record(wanted, iterator, id, (&places, &path, encoding), outcome);
                continue;
            }
            let Some((row, range)) = row else {
                outcome.trouble.insert(Trouble::Row);
                continue;
            };
            let position = Storage::Range {
                variable: variable.name.clone(),
                line: variable.line,
                part: RangePart::Position,
            };
            for Reached {
                instance,
                scope,
                code,
            } in self.scopes(iterator, id)
            {
                outcome.readable = true;
                self.indices.push(Index {
                    name: wanted.name.to_owned(),
                    position: position.to_string(),
                    instance,
                    scope,
                    row,
                    range: clip_locations(&range, &code),
                    end: ends.as_ref().map(|ends| clip_locations(ends, &code)),
                });
            }
        }
    }

    /// Where the object is that an iterator goes over which the source names; `chosen` are the descriptions of the variable that leads there.
    ///
    /// Only in code that was not optimised: there the object's own memory says where its elements are, at every moment. An optimising compiler may
    /// keep that in registers, and no end that the loop has kept tells that the memory is behind.
    fn place_of(&self, container: &Container<'_>, chosen: &[&Candidate], id: NodeId) -> Option<Object> {
        let debug = self.context.debug;
        let node = &self.context.forest.nodes[id];
        // What was inlined is a part of such code.
        if node.optimised || node.parent.is_some() {
            return None;
        }
        let [variable] = chosen else {
            return None;
        };
        let ty = debug
            .origins(variable.die)
            .iter()
            .find_map(|(die, entry)| debug.type_of(die.unit, entry));
        let (path, ty) = way(debug, ty, &container.accesses).ok()?;
        let frame = Some(self.context.frames.of(id));
        let places = self.places(variable.die, &[], Encoding::Address, Usable::Own, frame);
        let address = places.ranges.into_iter().filter_map(|place| {
            Some(LocationRange {
                expression: range::holding_address(&place.expression, &path)?,
                ..place
            })
        });
        Some(Object {
            ty,
            address: address.collect(),
        })
    }

    /// The scope of a variable in each piece of an instance that it reaches into, and the code of that piece.
    fn scopes(&self, candidate: &Candidate, id: NodeId) -> Vec<Reached> {
        let pieces = self.context.pieces[id].iter();
        let reached = pieces.filter_map(|(instance, code)| {
            let scope = match &candidate.scope {
                None => Vec::new(),
                Some(scope) => {
                    let scope = Vec::from_iter(clip(scope, code).map(|part| (part.start, part.end)));
                    (!scope.is_empty()).then_some(scope)?
                }
            };
            Some(Reached {
                instance: *instance,
                scope,
                code: code.clone(),
            })
        });
        reached.collect()
    }

    /// The steps from the variable to the value, and how it is read.
    fn typed(
        &mut self,
        die: Die,
        wanted: &Wanted<'_>,
        outcome: &mut Outcome,
    ) -> Option<(Vec<PathStep>, Encoding)> {
        let debug = self.context.debug;
        let chain = debug.origins(die);
        let start = chain
            .iter()
            .find_map(|(die, entry)| debug.type_of(die.unit, entry));
        let key = (outcome.function, wanted.name.to_owned());
        let object = into_object(debug, start, &wanted.accesses);
        let (accesses, structure) = match object {
            Some((accesses, structure)) if wanted.is_handed => (accesses, Some(structure)),
            Some((_, structure)) => (wanted.accesses.clone(), Some(structure)),
            None if wanted.is_handed => {
                outcome.trouble.insert(Trouble::Type(TypeRefusal::NotPointer));
                return None;
            }
            None => (wanted.accesses.clone(), None),
        };
        // Several variables of one name have to lead to the same.
        let known = self.objects.entry(key.clone());
        let known = known.or_insert_with(|| structure.clone());
        if *known != structure {
            *known = None;
        }
        match access(debug, start, &accesses) {
            Ok(found) => {
                let own = qualifiers(debug, start, &accesses);
                // Of several variables of one name all have to be volatile, and none restricted.
                let all = self.qualified.entry(key).or_insert(own);
                all.volatile &= own.volatile;
                all.restrict |= own.restrict;
                Some(found)
            }
            Err(refusal) => {
                outcome.trouble.insert(Trouble::Type(refusal));
                None
            }
        }
    }

    /// Where the variable is. What its origin says holds for every instance, so only a fixed place is taken from
    /// there.
    fn places(
        &self,
        die: Die,
        path: &[PathStep],
        encoding: Encoding,
        usable: Usable,
        frame: Option<ExpressionFrame<'_, 'a, 'i>>,
    ) -> Places {
        let debug = self.context.debug;
        for (at, (die, entry)) in debug.origins(die).iter().enumerate() {
            let context = At {
                image: self.context.image,
                debug,
                unit: die.unit,
                frame,
            };
            if let Some(places) = places(context, entry, path, encoding) {
                let is_usable = places.fixed || (at == 0 && usable == Usable::Own);
                let ranges = if is_usable { places.ranges } else { Vec::new() };
                return Places { ranges, ..places };
            }
        }
        Places::default()
    }

    /// Records a variable at file scope, once for the function.
    fn global(
        &mut self,
        wanted: &Wanted<'_>,
        name: &str,
        function: FunctionId,
        nodes: &[NodeId],
        outcome: &mut Outcome,
    ) {
        let context = self.context;
        let homes: BTreeSet<UnitId> = nodes
            .iter()
            .map(|&id| context.forest.origins[context.forest.nodes[id].origin].die.unit)
            .collect();
        let all = context
            .forest
            .globals
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default();
        // The file's own variable hides others; a function that several files include may mean several variables.
        let mut chosen: BTreeSet<Die> = BTreeSet::new();
        for &home in &homes {
            let own = Vec::from_iter(all.iter().filter(|global| global.home == home));
            if own.is_empty() {
                chosen.extend(
                    all.iter()
                        .filter(|global| global.external)
                        .map(|global| global.die),
                );
            } else {
                chosen.extend(own.iter().map(|global| global.die));
            }
        }
        // A declaration that has the value as well (`constexpr int n = 3;` in a namespace) is the same variable as its definition.
        for die in Vec::from_iter(chosen.iter().copied()) {
            for (declaration, _) in context.debug.origins(die).iter().skip(1) {
                chosen.remove(declaration);
            }
        }
        let exported = |die: &Die| all.iter().any(|global| global.die == *die && global.external);
        if context.image.is_library() && chosen.iter().any(exported) {
            outcome.trouble.insert(Trouble::Exported);
            return;
        }
        let mut found: Vec<BoundVariable> = Vec::new();
        for &die in &chosen {
            let Some((path, encoding)) = self.typed(die, wanted, outcome) else {
                continue;
            };
            let places = self.places(die, &path, encoding, Usable::FixedOnly, None);
            outcome
                .trouble
                .extend(places.refused.iter().copied().map(Trouble::Location));
            if places.ranges.is_empty() {
                continue;
            }
            let variable = BoundVariable {
                instance: FunctionInstance::Anywhere(function),
                name: wanted.name.to_owned(),
                scope: Vec::new(),
                locations: places.ranges,
                path,
                encoding,
            };
            if !found.contains(&variable) {
                found.push(variable);
            }
        }
        if chosen.is_empty() {
            outcome.trouble.insert(Trouble::NoDefinition);
        } else if found.len() > 1 {
            outcome.trouble.insert(Trouble::Ambiguous);
        } else if let Some(variable) = found.pop() {
            outcome.readable = true;
            self.bound.push((variable, Vec::new()));
        }
    }
}

/// The parts of `locations` inside `range`; a location that always holds stays as it is.
fn clip_locations(locations: &[LocationRange], range: &Range<u64>) -> Vec<LocationRange> {
    let mut inside = Vec::new();
    for location in locations {
        let (start, end) = if (location.start, location.end) == crate::locations::ALWAYS {
            crate::locations::ALWAYS
        } else {
            (location.start.max(range.start), location.end.min(range.end))
        };
        if start < end {
            inside.push(LocationRange {
                start,
                end,
                expression: location.expression.clone(),
            });
        }
    }
    inside
}
