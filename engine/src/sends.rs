//! Whether the message that a task waits for can still be sent.
//!
//! Who waits for a message of a task that has gone past its last send of it waits in vain. So from each frame of the sender's stack the points of
//! its function are followed that may still be executed, and the functions that these call. What may happen is taken for possible: any arm, any
//! number of rounds, any caller. That no send which fits is among them is a claim about all runs, so it is made only where nothing is met that may
//! lead anywhere: a call through a pointer, a macro that was not expanded, a function without source, one that was not understood.

use crate::paths::short_name;
use base::{Confidence, Id, is_mpi, mpi_name};
use library::{Part, Role, roles};
use progress::{Located, LocatedFrame};
use progress_map::{FunctionId, Map, MpiArgument, MpiCall, PointId, PointKind, Term};
use std::collections::BTreeSet;
use std::fmt;
use waitgraph::Tag;

/// The sends of the source that could be the message which a task waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sends {
    /// All of them, in the order of the map.
    pub sites: Vec<SendSite>,
    /// Whether one of them can still be executed.
    pub coming: Coming,
}

/// A call that sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendSite {
    /// Its MPI function.
    pub call: String,
    /// The function that makes it.
    pub function: String,
    /// The file, as messages spell it.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// Whether a send can still be executed by the task that should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coming {
    /// None can: the message has been sent already, or never will be.
    Never,
    /// These of [`Sends::sites`] can, by their indices.
    Perhaps(Vec<usize>),
    /// Not known, and why.
    NotKnown(Untraceable),
}

/// Why it is not known what a task may still execute. Functions by their names, calls by where they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untraceable {
    /// Where its stack begins is not known.
    NoBeginning,
    /// Where it stands in the program is not known.
    NoPlace,
    /// A function outside the map calls functions that are in it.
    CallsBack(String),
    /// Of a function only the name was read.
    NameOnly(String),
    /// A function was not understood.
    NotUnderstood(String),
    /// A function of C++ may make implicit calls.
    ImplicitCalls(String),
    /// A call through a pointer may lead anywhere.
    ThroughPointer(String),
    /// What a macro does is not known: its name, and where.
    Macro(String, String),
    /// A function that is called is not in the map: its name, and where.
    NotInMap(String, String),
}

impl Untraceable {
    /// A word for the kind of reason that stays the same from version to version.
    pub fn code(&self) -> &'static str {
        match self {
            Untraceable::NoBeginning | Untraceable::NoPlace => "stack-not-in-map",
            Untraceable::CallsBack(_) => "function-calls-back",
            Untraceable::NameOnly(_) | Untraceable::NotUnderstood(_) => "function-read-in-part",
            Untraceable::ImplicitCalls(_) => "function-calls-implicitly",
            Untraceable::ThroughPointer(_) => "call-through-pointer",
            Untraceable::Macro(..) => "call-in-macro",
            Untraceable::NotInMap(..) => "function-not-in-map",
        }
    }
}

/// The sentence, without its full stop.
impl fmt::Display for Untraceable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untraceable::NoBeginning => f.write_str("where its stack begins is not known"),
            Untraceable::NoPlace => f.write_str("where it stands in the program is not known"),
            Untraceable::CallsBack(name) => write!(f, "{name} is not in the map, and calls what is"),
            Untraceable::NameOnly(name) => write!(f, "of {name} only the name was read"),
            Untraceable::NotUnderstood(name) => write!(f, "{name} was not understood"),
            Untraceable::ImplicitCalls(name) => write!(
                f,
                "{name} is a function of C++, which may call others that the source does not name there"
            ),
            Untraceable::ThroughPointer(at) => {
                write!(f, "the call through a pointer at {at} may lead anywhere")
            }
            Untraceable::Macro(name, at) => write!(f, "what the macro {name} at {at} does is not known"),
            Untraceable::NotInMap(name, at) => {
                write!(f, "{name}, which is called at {at}, is not in the map")
            }
        }
    }
}

/// A message that is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Under which tag.
    pub(crate) tag: Tag,
    /// The rank in `MPI_COMM_WORLD` that waits for it there.
    pub(crate) by: u32,
}

/// The sends that could be `wanted`, and whether `sender` can still come to one. Nothing else than its main thread may send.
pub(crate) fn of(map: &Map, sender: &Located, wanted: Wanted) -> Sends {
    let mut walk = Reach::new(map, wanted);
    let coming = match walk.follow(sender) {
        Err(why) => Coming::NotKnown(why),
        Ok(()) if walk.met.is_empty() => Coming::Never,
        Ok(()) => Coming::Perhaps(walk.met.iter().copied().collect()),
    };
    let site = |&(function, point): &(FunctionId, PointId)| {
        let body = &map.functions[function];
        let call = match &body.points[point].kind {
            PointKind::Call(name) => mpi_name(name).to_owned(),
            _ => String::new(),
        };
        SendSite {
            call,
            function: body.name.clone(),
            file: short_name(map, body.file).to_owned(),
            line: body.points[point].span.line,
        }
    };
    Sends {
        sites: walk.sites.iter().map(site).collect(),
        coming,
    }
}

/// Whether a function of MPI may send a message to one task, at once or each time it is started.
fn may_send(function: &str) -> bool {
    // Of what is in no table anything may be true.
    library::function(function).is_none_or(|row| {
        matches!(
            row.part,
            Part::Sends | Part::SendsBuffered | Part::Exchanges | Part::Starts
        )
    })
}

/// Whether a call may send what is wanted: its arguments are no others.
fn fits(call: Option<&MpiCall>, function: &str, wanted: Wanted) -> bool {
    // Of a call whose arguments are not known nothing is excluded.
    let Some(call) = call else { return true };
    let argument = |role: Role| -> Option<&MpiArgument> {
        let index = roles(function).find(|(_, known)| *known == role)?.0;
        call.arguments.iter().find(|argument| argument.index == index)
    };
    let constant = |role: Role| match argument(role)?.term {
        Some(Term::Constant(value)) => Some(value),
        _ => None,
    };
    let other_tag = match (wanted.tag, constant(Role::SendTag)) {
        (Tag::Is(wanted), Some(sent)) => wanted != sent,
        _ => false,
    };
    let other_rank = constant(Role::Destination).is_some_and(|to| to != i64::from(wanted.by));
    let nobody = argument(Role::Destination).is_some_and(|to| to.text == "MPI_PROC_NULL");
    let own = argument(Role::Communicator).is_some_and(|used| used.text == "MPI_COMM_SELF");
    !(other_tag || other_rank || nobody || own)
}

/// What may still be executed.
struct Reach<'m> {
    map: &'m Map,
    /// The sends that could match, sorted.
    sites: Vec<(FunctionId, PointId)>,
    /// The indices of those that can be reached.
    met: BTreeSet<usize>,
    /// By function: its points that were reached.
    seen: Vec<Vec<bool>>,
    work: Vec<(FunctionId, PointId)>,
    /// The functions of the map by their names, sorted.
    by_name: Vec<(&'m str, FunctionId)>,
}

impl<'m> Reach<'m> {
    fn new(map: &'m Map, wanted: Wanted) -> Self {
        let mut sites = Vec::new();
        for (id, body) in map.functions.iter_enumerated() {
            for (point, what) in body.points.iter_enumerated() {
                if let PointKind::Call(name) = &what.kind
                    && is_mpi(name)
                    && may_send(name)
                {
                    let calls = &map.mpi_calls;
                    let found = calls.binary_search_by(|call| (call.function, call.point).cmp(&(id, point)));
                    if fits(found.ok().map(|at| &calls[at]), name, wanted) {
                        sites.push((id, point));
                    }
                }
            }
        }
        let functions = map.functions.iter_enumerated();
        let mut by_name = Vec::from_iter(functions.map(|(id, body)| (body.name.as_str(), id)));
        by_name.sort_unstable();
        Self {
            seen: map
                .functions
                .iter()
                .map(|body| vec![false; body.points.len()])
                .collect(),
            map,
            sites,
            met: BTreeSet::new(),
            work: Vec::new(),
            by_name,
        }
    }

    /// Goes on from every frame of a stack.
    fn follow(&mut self, sender: &Located) -> Result<(), Untraceable> {
        if sender.obstacle.is_some() || sender.frames.first().is_none_or(|frame| frame.name != "main") {
            return Err(Untraceable::NoBeginning);
        }
        let own = |frame: &LocatedFrame| crate::mpi::own_function(self.map, frame).is_some();
        let Some(last) = sender.frames.iter().rposition(own) else {
            return Err(Untraceable::NoPlace);
        };
        for (depth, frame) in sender.frames[..=last].iter().enumerate() {
            let Some(id) = frame.function else {
                return Err(Untraceable::CallsBack(frame.name.clone()));
            };
            self.understood(id)?;
            let body = &self.map.functions[id];
            // Of a place that is not known it may be anyone.
            if frame.obstacle.is_some() || frame.places.is_empty() {
                self.work.extend(body.points.ids().map(|point| (id, point)));
                continue;
            }
            let calls = depth < last || sender.frames.len() > last + 1;
            for place in &frame.places {
                if calls {
                    // It is in this call already.
                    let next = body.successors(place.point);
                    self.work.extend(next.map(|next| (id, next)));
                } else {
                    self.work.push((id, place.point));
                }
            }
        }
        while let Some((id, point)) = self.work.pop() {
            if !std::mem::replace(&mut self.seen[id.index()][point.index()], true) {
                self.pass(id, point)?;
            }
        }
        Ok(())
    }

    /// Executes a point, and goes on behind it.
    fn pass(&mut self, id: FunctionId, point: PointId) -> Result<(), Untraceable> {
        let body = &self.map.functions[id];
        if let Ok(site) = self.sites.binary_search(&(id, point)) {
            self.met.insert(site);
        }
        let line = body.points[point].span.line;
        let at = || format!("{}:{line}", short_name(self.map, body.file));
        match &body.points[point].kind {
            PointKind::Call(name) if is_mpi(name) => {}
            PointKind::Call(name) => self.enter(name, &at())?,
            PointKind::IndirectCall => return Err(Untraceable::ThroughPointer(at())),
            PointKind::MacroCall(name) => return Err(Untraceable::Macro(name.clone(), at())),
            PointKind::Entry | PointKind::Exit | PointKind::Eval | PointKind::Return | PointKind::Branch => {}
        }
        self.work.extend(body.successors(point).map(|next| (id, next)));
        Ok(())
    }

    fn enter(&mut self, name: &str, at: &str) -> Result<(), Untraceable> {
        let first = self.by_name.partition_point(|(known, _)| *known < name);
        let known = self.by_name[first..]
            .iter()
            .take_while(|(known, _)| *known == name);
        let callees = Vec::from_iter(known.map(|&(_, id)| id));
        if callees.is_empty() && !dataflow::is_library(name) {
            return Err(Untraceable::NotInMap(name.to_owned(), at.to_owned()));
        }
        for id in callees {
            self.understood(id)?;
            self.work.extend(
                self.map.functions[id]
                    .points
                    .ids()
                    .next()
                    .map(|entry| (id, entry)),
            );
        }
        Ok(())
    }

    fn understood(&self, id: FunctionId) -> Result<(), Untraceable> {
        let body = &self.map.functions[id];
        let name = body.name.clone();
        match body.confidence {
            _ if body.points.is_empty() => Err(Untraceable::NameOnly(name)),
            Confidence::Partial => Err(Untraceable::NotUnderstood(name)),
            _ if body.is_qualified() => Err(Untraceable::ImplicitCalls(name)),
            _ => Ok(()),
        }
    }
}
