//! Calls through pointers: which functions they may lead to.
//!
//! What a pointer may point to depends on what calls hand over, and that on which functions are called: found in rounds, until
//! one finds nothing new.
//!
//! They may also lead to functions without source: the table of library functions says what these do to their arguments. A call
//! for which no function is found calls one that is not in the program.

use crate::build::sets::{SetId, Sets};
use crate::build::values::{Indirect, Values};
use crate::components::strongly_connected;
use crate::effect::{LibraryEffect, effect};
use crate::places::{PlaceId, Places};
use base::Id as _;
use dataflow::FunctionIndex;
use hashbrown::{HashMap, HashSet};
use ir::ExprId;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// The functions that each call through a pointer may lead to.
pub(crate) type Targets = BTreeMap<(FunctionIndex, ExprId), BTreeSet<FunctionIndex>>;

/// Many functions, each of which may be called wherever any of them is: a table of operations, or pointers that cannot be told
/// apart.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The calls that may lead to any of them.
    pub(crate) calls: Vec<(FunctionIndex, ExprId)>,
    /// The functions, sorted.
    pub(crate) callees: Vec<FunctionIndex>,
}

/// What calls through pointers may lead to.
pub(crate) struct Resolved<'u> {
    pub(crate) targets: Targets,
    /// What is too much to list for every call.
    pub(crate) tables: Vec<Table>,
    pub(crate) foreign: Vec<Foreign<'u>>,
}

/// A call through a pointer that may lead to functions without source.
pub(crate) struct Foreign<'u> {
    pub(crate) caller: FunctionIndex,
    pub(crate) call: ExprId,
    pub(crate) arguments: Vec<Option<PlaceId>>,
    /// Their names; none of a call that leads nowhere.
    pub(crate) names: Rc<BTreeSet<&'u str>>,
    /// What they do, each once.
    pub(crate) effects: Vec<LibraryEffect>,
    /// The call is made by a function without source, so that what it hands over does not show in the program.
    pub(crate) is_callback: bool,
}

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Called<'u> {
    Own(FunctionIndex),
    Foreign(&'u str),
}

impl<'u> Called<'u> {
    /// The name of a function without source.
    fn without_source(self) -> Option<&'u str> {
        match self {
            Called::Own(_) => None,
            Called::Foreign(name) => Some(name),
        }
    }
}

/// All calls through one pointer, and all functions that it may lead to, meet here: linking each with each would cost their
/// product.
#[derive(Default)]
pub(crate) struct Meeting<'u> {
    /// The values of arguments, by number; the last stands for all beyond.
    arguments: Vec<PlaceId>,
    result: Option<PlaceId>,
    calls: BTreeSet<usize>,
    /// The sets of functions that are called here.
    sets: BTreeSet<SetId>,
    /// The functions without source that are called here, and what they do, each once.
    names: Rc<BTreeSet<&'u str>>,
    effects: Vec<LibraryEffect>,
}

/// The meetings. Pointers that may each lead to the same many functions have one together: nothing is lost by that, since what is
/// called gets what all of them hand over, and all of them get what any of it returns.
#[derive(Default)]
struct Meetings<'u> {
    all: Vec<Meeting<'u>>,
    /// By pointer.
    of: BTreeMap<PlaceId, usize>,
    /// Of one that has become part of another: which.
    into: BTreeMap<usize, usize>,
}

impl<'u> Meetings<'u> {
    fn find(&self, mut number: usize) -> usize {
        while let Some(&into) = self.into.get(&number) {
            number = into;
        }
        number
    }

    /// The meeting of a pointer.
    fn number(&mut self, place: PlaceId) -> usize {
        match self.of.get(&place) {
            Some(&number) => self.find(number),
            None => {
                self.all.push(Meeting::default());
                self.of.insert(place, self.all.len() - 1);
                self.all.len() - 1
            }
        }
    }

    /// The meeting of a pointer, if it leads anywhere.
    fn known(&mut self, place: PlaceId) -> Option<&mut Meeting<'u>> {
        let number = self.find(*self.of.get(&place)?);
        Some(&mut self.all[number])
    }

    /// Makes one meeting of two.
    fn join(&mut self, values: &mut Values<'_, '_>, into: usize, from: usize) {
        if into == from {
            return;
        }
        self.into.insert(from, into);
        let other = std::mem::take(&mut self.all[from]);
        let meeting = &mut self.all[into];
        let mut same = |a: PlaceId, b: PlaceId| {
            values.places.flow(a, b);
            values.places.flow(b, a);
        };
        for (index, &argument) in other.arguments.iter().enumerate() {
            match meeting.arguments.get(index) {
                Some(&known) => same(known, argument),
                None => meeting.arguments.push(argument),
            }
        }
        match (meeting.result, other.result) {
            (Some(a), Some(b)) => same(a, b),
            (one, two) => meeting.result = one.or(two),
        }
        meeting.calls.extend(other.calls);
        meeting.sets.extend(other.sets);
        Rc::make_mut(&mut meeting.names).extend(other.names.iter());
        for effect in other.effects {
            if !meeting.effects.contains(&effect) {
                meeting.effects.push(effect);
            }
        }
    }

    /// All that have not become part of another.
    fn iter(&self) -> impl Iterator<Item = &Meeting<'u>> {
        let all = self.all.iter().enumerate();
        all.filter(|(number, _)| !self.into.contains_key(number))
            .map(|(_, meeting)| meeting)
    }
}

/// So many functions, all calls through pointers together, may be called by them: each is a dependence of the graph, and one is followed
/// for every slice. hypre has a tenth of it.
const MOST_LINKS: u64 = 1 << 25;

/// The calls through pointers of a program may lead to so many functions that their dependences would fill the memory: most of what
/// is called is in tables of which every call may use any entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooManyCallees {
    /// How many calls through pointers there are.
    pub calls: usize,
}

impl fmt::Display for TooManyCallees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the program calls through pointers in {} places, which may lead to more than {} functions all together: \
             such a dependence graph would fill the memory. `hindmost slice FILE:LINE PATH...` takes the files that you name only",
            self.calls, MOST_LINKS
        )
    }
}

impl std::error::Error for TooManyCallees {}

/// More arguments than these are taken together.
pub(crate) const ARGUMENTS: usize = 24;

/// Resolves all calls through pointers. As many functions as `table` make a [`Table`].
pub(crate) fn resolve<'u>(values: &mut Values<'_, 'u>, table: usize) -> Result<Resolved<'u>, TooManyCallees> {
    for place in std::mem::take(&mut values.followed) {
        values.places.follow(place);
    }
    let mut resolving = Resolving {
        calls: std::mem::take(&mut values.indirect),
        meetings: Meetings::default(),
        sets: Sets::default(),
        spread: HashSet::new(),
        applied: Vec::new(),
        nowhere: None,
        live: BTreeSet::new(),
        table,
    };
    while resolving.round(values)? {}
    values.places.tidy();
    Ok(resolving.resolved())
}

/// What is known between two rounds.
struct Resolving<'u> {
    calls: Vec<Indirect>,
    meetings: Meetings<'u>,
    sets: Sets<'u>,
    /// Structures whose content has been handed to their members.
    spread: HashSet<(PlaceId, PlaceId)>,
    /// What has been done to each call: places merge, and then its calls meet anew.
    applied: Vec<Vec<LibraryEffect>>,
    /// The calls that lead nowhere, once they have been looked for.
    nowhere: Option<Vec<usize>>,
    /// The meetings of the last round. A pointer that was unified with another since then has the other's meeting, which leads wherever its
    /// own did.
    live: BTreeSet<usize>,
    table: usize,
}

impl<'u> Resolving<'u> {
    /// Looks where each pointer leads by now, and hands over what follows from it. Whether anything was new.
    fn round(&mut self, values: &mut Values<'_, 'u>) -> Result<bool, TooManyCallees> {
        spread_wholes(&mut values.places, &mut self.spread);
        values.places.tidy();
        let wanted = Vec::from_iter(self.calls.iter().map(|call| values.places.find(call.callee)));
        let reached = functions(values, &wanted, self.table)?;
        let mut found_new = inner_arrays(values);
        found_new |= self.meet(values, &reached);
        found_new |= self.join_calls(values, &wanted);
        found_new |= self.apply_effects(values);
        if !found_new {
            found_new = values.leave_members();
        }
        if !found_new && self.nowhere.is_none() {
            found_new = self.end_nowhere(values);
        }
        Ok(found_new)
    }

    /// Hands over between each pointer's meeting and the functions that it leads to.
    fn meet(&mut self, values: &mut Values<'_, 'u>, reached: &Reached<'u>) -> bool {
        let mut found_new = false;
        let numbers = self.sets.numbers(values, &reached.sets);
        // The meeting that each large set has.
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for (&place, &set) in &reached.of {
            let callees = &reached.sets[set];
            let mut number = self.meetings.number(place);
            if callees.len() >= self.table {
                if let Some(&known) = shared.get(&set) {
                    // It may have become part of another since.
                    let known = self.meetings.find(known);
                    self.meetings.join(values, known, number);
                    continue;
                }
                shared.insert(set, number);
                number = self.meetings.find(number);
            }
            let meeting = &mut self.meetings.all[number];
            if meeting.sets.insert(numbers[set]) {
                found_new = true;
                self.sets.hand_over(values, meeting, numbers[set]);
                meeting.add_foreign(callees);
            }
        }
        let live = reached.of.keys().map(|&place| self.meetings.number(place));
        self.live = live.collect();
        found_new
    }

    /// Hands over between each call and the meeting of the pointer that it goes through.
    fn join_calls(&mut self, values: &mut Values<'_, 'u>, wanted: &[PlaceId]) -> bool {
        let mut found_new = false;
        for (number, &place) in wanted.iter().enumerate() {
            if let Some(meeting) = self.meetings.known(place)
                && meeting.calls.insert(number)
            {
                found_new = true;
                join_call(values, meeting, &self.calls[number]);
            }
        }
        found_new
    }

    /// Does to the calls what functions without source do that they lead to.
    fn apply_effects(&mut self, values: &mut Values<'_, 'u>) -> bool {
        let mut found_new = false;
        self.applied.resize_with(self.calls.len(), Vec::new);
        for meeting in self.meetings.iter() {
            for &number in &meeting.calls {
                for effect in &meeting.effects {
                    let applied = &mut self.applied[number];
                    if !applied.contains(effect) {
                        found_new = true;
                        join_foreign(values, number, effect, applied, &mut self.calls);
                    }
                }
            }
        }
        found_new
    }

    /// Calls that lead nowhere call a function of which nothing is known.
    fn end_nowhere(&mut self, values: &mut Values<'_, 'u>) -> bool {
        let found = lead_nowhere(values, &self.calls, self.meetings.iter());
        for &number in &found {
            let applied = &mut self.applied[number];
            join_foreign(values, number, &effect(""), applied, &mut self.calls);
        }
        let is_new = !found.is_empty();
        self.nowhere = Some(found);
        is_new
    }

    /// The result, when nothing is new any more.
    fn resolved(self) -> Resolved<'u> {
        let live = || self.live.iter().map(|&number| &self.meetings.all[number]);
        let mut targets = Targets::new();
        let mut tables = Vec::new();
        for meeting in live() {
            let places = meeting.calls.iter().map(|&number| &self.calls[number]);
            let places = places.map(|call| (call.caller, call.call));
            let callees = self.sets.functions(&meeting.sets);
            if callees.len() >= self.table {
                tables.push(Table {
                    calls: BTreeSet::from_iter(places).into_iter().collect(),
                    callees,
                });
                continue;
            }
            for place in places {
                targets.entry(place).or_default().extend(&callees);
            }
        }
        let mut foreign = Vec::new();
        for meeting in live().filter(|meeting| !meeting.names.is_empty()) {
            let calls = meeting.calls.iter();
            foreign.extend(calls.map(|&number| self.foreign(number, &meeting.names, &meeting.effects)));
        }
        let nowhere = self.nowhere.iter().flatten();
        foreign.extend(nowhere.map(|&number| self.foreign(number, &Rc::default(), &[effect("")])));
        Resolved {
            targets,
            tables,
            foreign,
        }
    }

    fn foreign(
        &self,
        number: usize,
        names: &Rc<BTreeSet<&'u str>>,
        effects: &[LibraryEffect],
    ) -> Foreign<'u> {
        let call = &self.calls[number];
        Foreign {
            caller: call.caller,
            call: call.call,
            arguments: call.arguments.clone(),
            names: Rc::clone(names),
            effects: effects.to_vec(),
            is_callback: call.is_callback,
        }
    }
}

impl<'u> Meeting<'u> {
    /// Adds the functions without source among `callees`.
    fn add_foreign(&mut self, callees: &[Called<'u>]) {
        for name in callees.iter().filter_map(|callee| callee.without_source()) {
            if !self.names.contains(name) {
                Rc::make_mut(&mut self.names).insert(name);
                let effect = effect(name);
                if !self.effects.contains(&effect) {
                    self.effects.push(effect);
                }
            }
        }
    }
}

/// The calls of C that lead to no function at all. Those of C++ may be of objects.
fn lead_nowhere<'m, 'u: 'm>(
    values: &Values<'_, 'u>,
    calls: &[Indirect],
    meetings: impl Iterator<Item = &'m Meeting<'u>>,
) -> Vec<usize> {
    let mut leads = vec![false; calls.len()];
    // What a pointer leads to is never an empty set.
    for meeting in meetings.filter(|meeting| !meeting.sets.is_empty()) {
        meeting.calls.iter().for_each(|&number| leads[number] = true);
    }
    let mut numbers = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        if !leads[number] && !call.is_callback && !values.cxx.is_cxx(call.caller) {
            numbers.push(number);
        }
    }
    numbers
}

/// A function without source does this to what a call through a pointer hands over, besides what is `applied` by others.
fn join_foreign(
    values: &mut Values<'_, '_>,
    number: usize,
    effect: &LibraryEffect,
    applied: &mut Vec<LibraryEffect>,
    calls: &mut Vec<Indirect>,
) {
    // A function of which nothing is known covers every other such function.
    let is_all_done = effect.unknown && applied.iter().any(|effect| effect.unknown);
    applied.push(*effect);
    let call = calls[number].clone();
    // Who calls it is a function without source too: what that one does says it all.
    if call.is_callback {
        return;
    }
    let argument = |index: u8| call.arguments.get(usize::from(index)).copied().flatten();
    if let Some((into, from)) = effect.copies
        && let (Some(into), Some(from)) = (argument(into), argument(from))
    {
        values.places.unite_contents(into, from);
    }
    if let Some(given) = effect.gives.and_then(argument) {
        let new = values.allocate(None);
        let into = values.places.content(given, None);
        values.places.flow(new, into);
    }
    if effect.allocates {
        let new = values.allocate(None);
        values.places.flow(new, call.result);
    }
    if let Some(returned) = effect.returns.and_then(argument) {
        values.places.flow(returned, call.result);
    }
    if is_all_done {
        return;
    }
    for (index, &given) in call.arguments.iter().enumerate() {
        let Some(given) = given.filter(|_| effect.unknown || effect.goes_inside(index)) else {
            continue;
        };
        let inside = values.places.content(given, None);
        if !effect.unknown {
            continue;
        }
        // It may keep each argument in what another points to, hand out any of them, and call any of them.
        for &other in call.arguments.iter().flatten() {
            if other != given {
                values.places.flow(other, inside);
            }
        }
        values.places.flow(inside, call.result);
        values.places.flow(given, call.result);
        calls.push(Indirect {
            callee: given,
            is_callback: true,
            ..call.clone()
        });
    }
}

impl Meeting<'_> {
    pub(crate) fn argument(&mut self, values: &mut Values<'_, '_>, index: usize) -> PlaceId {
        while self.arguments.len() <= index.min(ARGUMENTS) {
            self.arguments.push(values.places.fresh());
        }
        self.arguments[index.min(ARGUMENTS)]
    }

    pub(crate) fn result(&mut self, values: &mut Values<'_, '_>) -> PlaceId {
        *self.result.get_or_insert_with(|| values.places.fresh())
    }
}

fn join_call(values: &mut Values<'_, '_>, meeting: &mut Meeting<'_>, call: &Indirect) {
    if call.is_callback {
        // A function without source may hand over anything that it was given, in any order, or what that points to.
        let any = values.places.fresh();
        for &given in call.arguments.iter().flatten() {
            values.places.flow(given, any);
            let inside = values.places.content(given, None);
            values.places.flow(inside, any);
        }
        for index in 0..=ARGUMENTS {
            let into = meeting.argument(values, index);
            values.places.flow(any, into);
        }
    } else {
        for (index, argument) in call.arguments.iter().enumerate() {
            if let Some(argument) = *argument {
                let into = meeting.argument(values, index);
                values.places.flow(argument, into);
            }
        }
    }
    let result = meeting.result(values);
    values.places.flow(result, call.result);
}

/// The functions that places may point to.
struct Reached<'u> {
    /// The sets of functions that some place has, each once.
    sets: Vec<Vec<Called<'u>>>,
    /// By place: its set, if that is not empty.
    of: BTreeMap<PlaceId, usize>,
}

/// Sixty-four times so many functions are followed side by side.
const WORDS: usize = 8;

/// The functions that each of the wanted places may point to. They go forward from where their addresses are taken,
/// many side by side; the places must be [tidy](Places::tidy).
fn functions<'u>(
    values: &Values<'_, 'u>,
    wanted: &[PlaceId],
    table: usize,
) -> Result<Reached<'u>, TooManyCallees> {
    // How many calls each of them has.
    let mut wanted_by: BTreeMap<PlaceId, u64> = BTreeMap::new();
    for &place in wanted {
        *wanted_by.entry(place).or_default() += 1;
    }
    let starts = addresses_taken(values);
    let ways = FlowOrder::to(&values.places, wanted_by.keys().copied());
    let side_by_side = |together: &[(Called<'u>, Vec<PlaceId>)]| -> Vec<[u64; WORDS]> {
        let seen = ways.followed(together);
        let wanted = wanted_by.keys();
        wanted
            .map(|place| seen[ways.number[place.index()] as usize])
            .collect()
    };
    let chunks: Vec<Vec<[u64; WORDS]>> = starts.par_chunks(64 * WORDS).map(side_by_side).collect();
    let mut reached = Reached {
        sets: Vec::new(),
        of: BTreeMap::new(),
    };
    let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut links = 0;
    for (at, (&place, &times)) in wanted_by.iter().enumerate() {
        let row: Vec<u64> = chunks.iter().flat_map(|chunk| chunk[at]).collect();
        if row.iter().all(|&word| word == 0) {
            continue;
        }
        let new = reached.sets.len();
        let set = *numbers.entry(row.clone()).or_insert(new);
        if set == new {
            let bits = (0..64 * row.len()).filter(|bit| row[bit / 64] & 1 << (bit % 64) != 0);
            reached.sets.push(bits.map(|bit| starts[bit].0).collect());
            links += reached.sets[set].len() as u64;
        }
        let callees = reached.sets[set].len();
        // What is many meets in a table.
        links += times * if callees < table { callees as u64 } else { 1 };
        reached.of.insert(place, set);
    }
    if links > MOST_LINKS {
        Err(TooManyCallees { calls: wanted.len() })
    } else {
        Ok(reached)
    }
}

/// The functions whose address is taken, each with the places that it is put in.
fn addresses_taken<'u>(values: &Values<'_, 'u>) -> Vec<(Called<'u>, Vec<PlaceId>)> {
    let places = &values.places;
    let mut starts: BTreeMap<Called<'u>, Vec<PlaceId>> = BTreeMap::new();
    for place in places.ids() {
        for &object in places.objects(place) {
            let called = match values.objects[object] {
                Some(function) => Some(Called::Own(function)),
                None => values.foreign.get(&object).map(|name| Called::Foreign(name)),
            };
            if let Some(called) = called {
                starts.entry(called).or_default().push(place);
            }
        }
    }
    starts.into_iter().collect()
}

/// The ways by which values come to some places.
struct FlowOrder {
    /// By place: its number, where it is on such a way. Values come from lower numbers.
    number: Vec<u32>,
    /// How many numbers there are.
    count: u32,
    /// Which number gets the values of which, in the order in which they are to be followed.
    sources: Vec<(u32, u32)>,
}

impl FlowOrder {
    /// Only few places lead to one where something is called, and only these are numbered.
    fn to(places: &Places, wanted: impl Iterator<Item = PlaceId>) -> Self {
        let mut number = vec![u32::MAX; places.len()];
        let mut leading: Vec<PlaceId> = Vec::new();
        let mut count = 0;
        let before = |place: PlaceId, at: usize| Some(places.find(*places.from(place).get(at)?));
        strongly_connected(places.len(), wanted, before, |component| {
            // Components were joined. If there were any of several places, their places have one number.
            for &place in component {
                number[place.index()] = count;
                leading.push(place);
            }
            count += 1;
        });
        let mut sources: Vec<(u32, u32)> = Vec::new();
        for &place in &leading {
            let at = number[place.index()];
            let from = places
                .from(place)
                .iter()
                .map(|&from| number[places.find(from).index()]);
            sources.extend(from.filter(|&from| from != at).map(|from| (at, from)));
        }
        FlowOrder {
            number,
            count,
            sources,
        }
    }

    /// By number: which of these functions come there, a bit for each.
    fn followed(&self, together: &[(Called<'_>, Vec<PlaceId>)]) -> Vec<[u64; WORDS]> {
        let mut seen = vec![[0_u64; WORDS]; self.count as usize];
        for (bit, (_, starts)) in together.iter().enumerate() {
            let starts = starts.iter().map(|place| self.number[place.index()]);
            for at in starts.filter(|&at| at != u32::MAX) {
                seen[at as usize][bit / 64] |= 1 << (bit % 64);
            }
        }
        for &(at, from) in &self.sources {
            let from = seen[from as usize];
            let here = &mut seen[at as usize];
            here.iter_mut().zip(from).for_each(|(here, from)| *here |= from);
        }
        seen
    }
}

/// A pointer that was stored in an object without naming a member may be in any of its members: initialisers, and casts.
/// What has been `spread` needs no second look: edges stay.
fn spread_wholes(places: &mut Places, spread: &mut HashSet<(PlaceId, PlaceId)>) {
    places.spread();
    for (whole, member) in places.wholes_with_members() {
        let (whole, member) = (places.find(whole), places.find(member));
        if spread.insert((whole, member)) && !places.has_edge(whole, member) {
            places.flow(whole, member);
        }
    }
}

/// An element that is followed as a pointer, although no pointer is stored there, is an inner array (`a[i][j]`): it points to its own
/// place. Returns whether any new ones were found.
fn inner_arrays(values: &mut Values<'_, '_>) -> bool {
    let places = &values.places;
    let mut arrays: Vec<(PlaceId, PlaceId)> = Vec::new();
    for &(place, value) in &values.elements {
        let (place, value) = (places.find(place), places.find(value));
        if place != value
            && places.is_followed(value)
            && !places.points(value)
            && places.points(place)
            && !places.has_edge(place, value)
        {
            arrays.push((place, value));
        }
    }
    arrays.sort_unstable();
    arrays.dedup();
    for &(place, value) in &arrays {
        values.places.flow(place, value);
    }
    !arrays.is_empty()
}
