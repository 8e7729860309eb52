//! Which constants, and which communicators, the value of an expression may be: all of them, or it is not known.
//!
//! The graph says where a value comes from: definitions of local variables, arguments of all calls, and all writers of a
//! part of memory. This walks back over it while values are copied, and ends at constants and at the calls that make communicators. Whatever else it
//! meets makes the value unknown: any computation but simple sums, a loop in which a value goes round, a type that might not hold the
//! constant, a function that was read in part, and more than a few values or steps.
//!
//! Equations, for the values *V* of an expression at a node: of a constant, itself; of a variable or member, the union of *V* of what its writers
//! write; of a parameter, the union over all calls of what they hand over; of a call, the union of what its functions return. Where a writer
//! copies a structure, *V* of a member is *V* of the same member of what is copied.

use crate::graph::{EdgeKind, FunctionId, Graph, Labels, Memory, MemoryAccess, NodeId, NodeKind, Purpose};
use crate::places::NameId;
use crate::state::{Part, Writers};
use crate::walk::{concerned, parts_of};
use base::Id as _;
use dataflow::{Action, FunctionIndex, FunctionInfo, Program, Target, parameter_pack};
use ir::{BinaryOp, ExprId, ExprKind, Language, LocalId, Type, UnaryOp, VarRef};
use library::Handling;
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};

/// Where a value comes from in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A constant.
    Int(i64),
    /// `MPI_COMM_WORLD`.
    World,
    /// `MPI_COMM_SELF`.
    Own,
    /// The communicator that this call makes.
    Made(NodeId),
}

/// All origins that a value may have; `None` when that is not known.
pub(super) type Origins = Option<BTreeSet<Origin>>;

/// What a call hands over for a parameter.
pub(super) struct Handed {
    pub(super) call: NodeId,
    pub(super) argument: NodeId,
}

/// More origins than this are as good as unknown.
pub(super) const MOST: usize = 16;

/// So many nodes are asked for one value.
pub(super) const STEPS: usize = 400;

/// No tag is larger in every implementation, and every `int` holds it.
const LARGEST: i64 = 32_767;

/// Asks for origins in one graph.
pub(super) struct Asker<'g, 'u> {
    pub(super) graph: &'g Graph,
    pub(super) program: &'g Program<'u>,
    /// Zero may be a communicator: in Fortran they are numbers, and Open MPI gives it to that of all ranks.
    pub(super) zero_is_communicator: bool,
    /// The names of the graph.
    pub(super) names: BTreeMap<&'g str, NameId>,
    /// Of each member's name the types that members of that name have; none where one stands in a union.
    members: BTreeMap<&'u str, Option<Vec<Type>>>,
    pub(super) known: BTreeMap<NodeId, Origins>,
    /// What is being asked for: who is met again goes round.
    open: BTreeSet<NodeId>,
    /// The same of members of what nodes copy.
    pub(super) open_members: BTreeSet<(NodeId, NameId)>,
    pub(super) steps: usize,
}

impl<'g, 'u> Asker<'g, 'u> {
    pub(super) fn new(graph: &'g Graph, program: &'g Program<'u>) -> Self {
        let mut members: BTreeMap<&str, Option<Vec<Type>>> = BTreeMap::new();
        for member in program.units.iter().flat_map(|unit| &unit.members) {
            let types = members.entry(&member.name).or_insert_with(|| Some(Vec::new()));
            match types {
                Some(types) if !member.in_union => types.push(member.ty),
                _ => *types = None,
            }
        }
        let mut functions = program.functions.iter();
        Asker {
            graph,
            program,
            zero_is_communicator: functions.any(|info| info.function.language == Language::Fortran),
            names: (graph.names.iter().enumerate())
                .map(|(id, name)| (name.as_str(), NameId::from_index(id)))
                .collect(),
            members,
            known: BTreeMap::new(),
            open: BTreeSet::new(),
            open_members: BTreeSet::new(),
            steps: 0,
        }
    }

    /// The origins of an argument, or of what another node writes or returns.
    pub(super) fn ask(&mut self, node: NodeId) -> Origins {
        self.steps = 0;
        self.of_node(node)
    }

    fn of_node(&mut self, node: NodeId) -> Origins {
        if let Some(known) = self.known.get(&node) {
            return known.clone();
        }
        self.steps += 1;
        if self.steps > STEPS || !self.open.insert(node) {
            return None;
        }
        let found = self.written_by(node).filter(|found| found.len() <= MOST);
        self.open.remove(&node);
        // What was cut short is not known for whoever asks next.
        if found.is_some() {
            self.known.insert(node, found.clone());
        }
        found
    }

    /// What a node writes, returns, or hands over.
    fn written_by(&mut self, node: NodeId) -> Origins {
        let kind = self.graph.nodes[node].kind;
        if kind == NodeKind::Initial {
            return self.initial(node);
        }
        let id = self.graph.nodes[node].function?;
        let info = self
            .program
            .functions
            .get(FunctionIndex::from_index(id.index()))?;
        if self.graph.is_hidden(id) || self.graph.functions[id].distrust.is_some() {
            return None;
        }
        let place = node.index() - self.graph.functions[id].first_node.index();
        match kind {
            NodeKind::Argument => self.argument(info, id, node),
            NodeKind::Parameter => self.parameter(info, id, place - info.flow.points.len()),
            NodeKind::Call => self.made(node),
            NodeKind::Plain => match info.flow.points[PointId::from_index(place)].action {
                Action::Assign {
                    by,
                    initial: true,
                    target: Target::Local(local),
                } => {
                    let found = self.of_expr(info, node, by)?;
                    fits(info.function.locals[local].ty, found)
                }
                Action::Assign {
                    by, initial: false, ..
                } => self.assigned(info, node, by),
                Action::Return(Some(value)) => {
                    let found = self.of_expr(info, node, value)?;
                    fits(info.function.returns, found)
                }
                _ => None,
            },
            NodeKind::Initial => None,
        }
    }

    fn assigned(&mut self, info: &FunctionInfo<'_>, node: NodeId, by: ExprId) -> Origins {
        let ExprKind::Assign {
            op: None,
            target,
            value,
        } = info.function.exprs[by].kind
        else {
            return None;
        };
        let found = self.of_expr(info, node, value)?;
        match &info.function.exprs[target].kind {
            ExprKind::Var(VarRef::Local(local)) => fits(info.function.locals[*local].ty, found),
            ExprKind::Var(VarRef::Global(name)) => fits(self.type_of_global(info.unit, name)?, found),
            ExprKind::Field { name, .. } => {
                let types = self.members.get(name.as_str())?.as_ref()?;
                types.iter().try_fold(found, |found, &ty| fits(ty, found))
            }
            _ => None,
        }
    }

    fn type_of_global(&self, unit: usize, name: &str) -> Option<Type> {
        let of = |unit: &'u ir::Unit| unit.globals.iter().find(|global| global.name == name);
        let own = of(&self.program.units[unit]);
        let any = || self.program.units.iter().find_map(of);
        own.or_else(any).map(|global| global.ty)
    }

    /// The value that a variable at file scope has when the program starts.
    fn initial(&self, node: NodeId) -> Origins {
        let node = &self.graph.nodes[node];
        let unit = self.program.units.get(node.file.index())?;
        let stands =
            |global: &&ir::Global| (global.span.line, global.span.column) == (node.line, node.column);
        let global = unit.globals.iter().find(stands)?;
        fits(global.ty, BTreeSet::from([Origin::Int(global.initial?)]))
    }

    /// What a call writes: a communicator, if it is one of those that make them; freeing one leaves nothing to use. What functions of the
    /// program that it may lead to write, they write themselves.
    fn made(&self, node: NodeId) -> Origins {
        let call = self.graph.call(node)?;
        let name = self.graph.name(call.name?);
        match library::function(name)?.communicators {
            Handling::Makes => Some(BTreeSet::from([Origin::Made(node)])),
            Handling::Frees => Some(BTreeSet::new()),
            Handling::Unknown => None,
        }
    }

    fn argument(&mut self, info: &FunctionInfo<'_>, id: FunctionId, node: NodeId) -> Origins {
        let arg = self.expr_of(info, id, node)?;
        self.of_expr(info, node, arg)
    }

    fn parameter(&mut self, info: &FunctionInfo<'_>, id: FunctionId, index: usize) -> Origins {
        let local = info.function.locals.get(LocalId::from_index(index))?;
        let mut all = BTreeSet::new();
        for handed in self.handed_over(info, id, index)? {
            all.extend(self.of_node(handed.argument)?);
        }
        fits(local.ty, all)
    }

    /// What all calls hand over for a parameter: the function is called by its name alone, from where all arguments are known.
    pub(super) fn handed_over(
        &self,
        info: &FunctionInfo<'_>,
        id: FunctionId,
        index: usize,
    ) -> Option<Vec<Handed>> {
        let graph = self.graph;
        // Which arguments are for it is not known if it stands behind a pack.
        let is_open = parameter_pack(info.function).is_some_and(|pack| pack <= index);
        if is_open || index >= info.function.params || graph.implicit.functions.binary_search(&id).is_ok() {
            return None;
        }
        let callers = &graph.functions[id].callers;
        if callers.is_empty() || info.function.name == "main" {
            return None;
        }
        let handed = callers.iter().map(|&caller| {
            let call = graph.call(caller)?;
            let is_open = call.expands.is_some_and(|expands| expands as usize <= index);
            if is_open
                || call.hands_on
                || call.arguments as usize <= index
                || call.callees.binary_search(&id).is_err()
            {
                return None;
            }
            Some(Handed {
                call: caller,
                argument: NodeId::from_index(call.first_argument.index() + index),
            })
        });
        handed.collect()
    }

    pub(super) fn of_expr(&mut self, info: &FunctionInfo<'_>, node: NodeId, expr: ExprId) -> Origins {
        let function = info.function;
        let one = |origin| Some(BTreeSet::from([origin]));
        match &function.exprs[expr].kind {
            ExprKind::Int(value) => one(Origin::Int(*value)),
            ExprKind::Unary(UnaryOp::Neg, inner) => {
                self.computed(info, node, &[*inner], &|values| values[0].checked_neg())
            }
            ExprKind::Binary(op, a, b) => {
                let of: fn(i64, i64) -> Option<i64> = match op {
                    BinaryOp::Add => i64::checked_add,
                    BinaryOp::Sub => i64::checked_sub,
                    BinaryOp::Mul => i64::checked_mul,
                    _ => return None,
                };
                self.computed(info, node, &[*a, *b], &|values| of(values[0], values[1]))
            }
            ExprKind::Conditional(_, a, b) => {
                let mut all = self.of_expr(info, node, *a)?;
                all.extend(self.of_expr(info, node, *b)?);
                Some(all)
            }
            ExprKind::Cast(ty, inner) => {
                let found = self.of_expr(info, node, *inner)?;
                fits(*ty, found)
            }
            ExprKind::Var(VarRef::Global(name)) => match name.as_str() {
                "MPI_COMM_WORLD" => one(Origin::World),
                "MPI_COMM_SELF" => one(Origin::Own),
                "MPI_COMM_NULL" => Some(BTreeSet::new()),
                variable => self.variable(node, variable),
            },
            ExprKind::Var(VarRef::Local(local)) => self.local(info, node, *local),
            ExprKind::Field { name, .. } => {
                let key = *self.names.get(name.as_str())?;
                self.in_memory(node, &|access| access.key == Some(key))
            }
            ExprKind::Call { .. } => {
                let mut points = info.flow.points.iter_enumerated();
                let (point, _) = points.find(|(_, each)| each.action == Action::Call(expr))?;
                let first = self.graph.nodes[node]
                    .function
                    .map(|id| self.graph.functions[id].first_node)?;
                self.returned(NodeId::from_index(first.index() + point.index()))
            }
            _ => None,
        }
    }

    fn computed(
        &mut self,
        info: &FunctionInfo<'_>,
        node: NodeId,
        operands: &[ExprId],
        of: &dyn Fn(&[i64]) -> Option<i64>,
    ) -> Origins {
        let mut rows: Vec<Vec<i64>> = vec![Vec::new()];
        for &operand in operands {
            let mut longer = Vec::new();
            for origin in self.of_expr(info, node, operand)? {
                let Origin::Int(value) = origin else { return None };
                longer.extend(rows.iter().map(|row| [&row[..], &[value]].concat()));
            }
            rows = longer;
        }
        rows.iter().map(|row| of(row).map(Origin::Int)).collect()
    }

    /// What the functions that a call may lead to return.
    fn returned(&mut self, node: NodeId) -> Origins {
        let call = self.graph.call(node)?;
        if call.hands_on || call.name.is_none() {
            return None;
        }
        let mut all = BTreeSet::new();
        for &callee in &call.callees {
            for &value in &self.graph.functions[callee].returns {
                all.extend(self.of_node(value)?);
            }
        }
        Some(all).filter(|all| !all.is_empty())
    }

    fn local(&mut self, info: &FunctionInfo<'_>, node: NodeId, local: LocalId) -> Origins {
        let name = info.function.locals[local].name.as_str();
        let graph = self.graph;
        let edges = graph.edges.of(node.index()).iter();
        let sources: Vec<NodeId> = edges
            .filter(|edge| edge.kind == EdgeKind::Local)
            .filter(|edge| edge.name.is_some_and(|id| graph.name(id) == name))
            .map(|edge| edge.to)
            .collect();
        if sources.is_empty() {
            return self.variable(node, name);
        }
        self.union(sources)
    }

    /// What was written to a variable in memory; what it points to is read under another name.
    fn variable(&mut self, node: NodeId, name: &str) -> Origins {
        let name = *self.names.get(name)?;
        self.in_memory(node, &|access| access.key.is_none() && access.name == Some(name))
    }

    fn union(&mut self, sources: impl IntoIterator<Item = NodeId>) -> Origins {
        let mut all = BTreeSet::new();
        for source in sources {
            all.extend(self.of_node(source)?);
        }
        Some(all)
    }

    /// What was written to memory that a node reads.
    fn in_memory(&mut self, node: NodeId, is_meant: &dyn Fn(&MemoryAccess) -> bool) -> Origins {
        let reads = self.graph.reads.of(node.index()).iter();
        let reads = reads.filter(|access| access.purpose != Purpose::Choice && is_meant(access));
        let reads: Vec<MemoryAccess> = reads.copied().collect();
        self.written_to(&reads)
    }

    /// What was written to one of these parts of memory.
    pub(super) fn written_to(&mut self, parts: &[MemoryAccess]) -> Origins {
        let mut writers = BTreeSet::new();
        for access in parts {
            let found = writers_of(&self.graph.memory, access)?.into_iter();
            writers.extend(found.map(|(part, node)| (node, access.key.filter(|_| part == Part::Unnamed))));
        }
        let mut all = BTreeSet::new();
        for (node, member) in writers {
            let copied = member.and_then(|member| self.member_of_copy(node, member));
            all.extend(match copied {
                Some(found) => found,
                None => self.of_node(node)?,
            });
        }
        Some(all).filter(|all| !all.is_empty())
    }
}

/// Who may have written what is read.
fn writers_of(memory: &Memory, access: &MemoryAccess) -> Option<Vec<(Part, NodeId)>> {
    // Where a place may point to very much, the writers are too many to tell anything.
    let Labels::Few(row) = memory.labels[access.place.index()] else {
        return None;
    };
    let structured = memory.structured[access.place.index()];
    let mut found = Vec::new();
    for &(object, member) in memory.few.of(row as usize) {
        for part in Memory::parts(structured, member, access.key)
            .into_iter()
            .flatten()
        {
            let all = memory.origins.get(&object).map(|&origin| Writers::Object(origin));
            let of = [Writers::Object(object), Writers::Many(memory.class_of[object])];
            for writers in of.into_iter().chain(all) {
                for part in parts_of(memory, part) {
                    let nodes = concerned(memory, writers, part).iter();
                    found.extend(nodes.map(|&(_, node)| (part, node)));
                }
            }
        }
        if found.len() > STEPS {
            return None;
        }
    }
    Some(found)
}

/// The same values, if a variable of this type holds all of them unchanged.
pub(super) fn fits(ty: Type, found: BTreeSet<Origin>) -> Origins {
    let holds = |origin: &Origin| match (origin, ty) {
        // Zero in a structure is zero in all of its members.
        (Origin::Int(0), _) => true,
        (Origin::Int(value), Type::Int { bits: Some(bits), .. }) => {
            (0..=LARGEST).contains(value) && (bits >= 32 || *value < 1 << (bits - 1))
        }
        (Origin::Int(_), _) => false,
        // A handle is of a type that the front end need not see through.
        (_, Type::Int { bits: Some(bits), .. }) => bits >= 32,
        (_, Type::Float { .. } | Type::Array | Type::Aggregate) => false,
        _ => true,
    };
    found.iter().all(holds).then_some(found)
}
