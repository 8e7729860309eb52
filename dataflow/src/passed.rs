//! What a callee calls the memory that its caller knows by another name.
//!
//! `init(&s)` with `void init(struct sim *p)`: the caller's `s.step` is the callee's `p->step`; a global is the same to both. So the
//! value that a loop starts with, and the steps that it makes, are found where programs have them: in the functions that
//! they hand their state to. Members count by name elsewhere, so that nothing else of that name can be meant unseen.

use crate::effects::{MemberPath, Target, path, target_of};
use crate::flow::Action;
use crate::program::{FunctionIndex, Program};
use crate::summary::{Effect, constant_step, is_stood_in_for, total};
use crate::touch::Touch;
use base::Id as _;
use ir::{Callee, Class, ExprId, ExprKind, Function, LocalId, Name, Receiver, Type, VarRef};
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};

impl Program<'_> {
    /// The one function that the call at `point` leads to, and what `target` is called there; nothing if the call may lead to several,
    /// if the callee is understood in part only, or if it has no such name for it.
    pub fn passed(
        &self,
        id: FunctionIndex,
        point: PointId,
        target: &Target,
    ) -> Option<(FunctionIndex, Target)> {
        let info = &self.functions[id];
        let Action::Call(call) = info.flow.points[point].action else {
            return None;
        };
        let (name, args) = info.function.named_call(call)?;
        let mut callees = self.callees(info.unit, name);
        let callee = callees.next().filter(|_| callees.next().is_none())?;
        let there = &self.functions[callee];
        if !self.is_followed(callee) || info.has_handlers() || is_stood_in_for(name) {
            return None;
        }
        match target {
            Target::Global(name) => self.is_one_global(name).then(|| (callee, target.clone())),
            Target::Member(path) if self.may_hide(&path.member) => None,
            Target::Member(path) => {
                let given = |(index, &arg): (usize, &ExprId)| {
                    let parameter = LocalId::from_index(index);
                    let rest = within(info.function, arg, path)?;
                    Some(((index < there.function.params).then_some(parameter), rest))
                };
                let given = args.iter().enumerate().filter_map(given);
                let object = match info.function.receivers.get(&call) {
                    Some(Receiver::At(object)) => within(info.function, *object, path),
                    Some(Receiver::This) => of_this(info.function, path),
                    None => None,
                };
                let object = object.map(|rest| (this(there.function), rest));
                let mut given = given.chain(object);
                let Some((variable, rest)) = given.next() else {
                    let VarRef::Global(name) = &path.root else {
                        return None;
                    };
                    return self.is_one_global(name).then(|| (callee, target.clone()));
                };
                // Two arguments that lead to it are two names for one thing.
                if given.next().is_some() {
                    return None;
                }
                let variable = variable?;
                let stays = there.definitions.of(variable).is_empty() && !there.definitions.escaped(variable);
                stays.then(|| (callee, behind(there.function, variable, rest, path.member)))
            }
            Target::Local(_) | Target::Memory => None,
        }
    }

    /// The constructor that makes the object that `target` is a member of, where `value` is what its variable is set to, and what
    /// `target` is called there: `Sim s(3)`, `s = new Sim(3)`.
    pub fn made(&self, id: FunctionIndex, value: ExprId, target: &Target) -> Option<(FunctionIndex, Target)> {
        let info = &self.functions[id];
        let Target::Member(path) = target else { return None };
        if self.may_hide(&path.member) {
            return None;
        }
        let (value, separator) = match &info.function.exprs[value].kind {
            ExprKind::Cast(Type::Pointer, inner) => match &info.function.exprs[*inner].kind {
                ExprKind::List(parts) => (*parts.last()?, "->"),
                _ => return None,
            },
            _ => (value, "."),
        };
        let (name, _) = info.function.named_call(value)?;
        let mut callees = self.callees(info.unit, name);
        let callee = callees.next().filter(|_| callees.next().is_none())?;
        let there = &self.functions[callee];
        let full = there.function.linkage_name.as_deref()?;
        let is_constructor = full
            .strip_suffix(name)
            .and_then(|class| class.strip_suffix("::"))
            .is_some_and(|class| class.rsplit("::").next() == Some(name));
        if !is_constructor || !self.is_followed(callee) || info.has_handlers() {
            return None;
        }
        let (_, rest) = path.path.as_str().split_once(separator)?;
        let is_root = path.path.as_str().find(['.', '-']) == path.path.as_str().find(separator);
        let this = this(there.function).filter(|_| is_root)?;
        Some((callee, behind(there.function, this, rest, path.member)))
    }

    /// Whether all that a function does is seen.
    fn is_followed(&self, id: FunctionIndex) -> bool {
        let info = &self.functions[id];
        info.function.confidence != base::Confidence::Partial
            && info.flow.distrust.is_none()
            && !info.has_handlers()
    }

    /// Whether a member of this name may hide another one: then one name means different members in functions of different classes.
    fn may_hide(&self, member: &str) -> bool {
        let classes: BTreeSet<&Class> = self
            .members(member)
            .filter_map(|member| member.class.as_ref())
            .collect();
        classes.len() > 1 && classes.iter().any(|class| class.has_bases)
    }

    /// Whether a name at file scope means one variable wherever it is used: none of several files has its own.
    fn is_one_global(&self, name: &str) -> bool {
        let globals = self.units.iter().flat_map(|unit| &unit.globals);
        self.units.len() == 1
            || !globals
                .filter(|global| global.name == name)
                .any(|global| global.is_static)
    }

    /// Where the call at `point` steps a member, if that is done at one point of the callee, once on each way through it: the callee, what it calls
    /// the member, and the point.
    pub fn step_in_callee(
        &self,
        id: FunctionIndex,
        point: PointId,
        target: &Target,
    ) -> Option<(FunctionIndex, Target, PointId)> {
        let (callee, there) = self.passed(id, point, target)?;
        let flow = &self.functions[callee].flow;
        let (mut steps, sets) = MemberEffects::default().steps(self, callee, &there);
        steps.retain(|&(at, _)| flow.reachable[at]);
        match (total(flow, &steps, sets), &steps[..]) {
            (Effect::Adds(_), &[(at, _)]) => Some((callee, there, at)),
            _ => None,
        }
    }

    /// What the call at `point` does to a member, where its callee has a name for it.
    pub(crate) fn effect_on_member(
        &self,
        id: FunctionIndex,
        point: PointId,
        target: &Target,
    ) -> Option<Effect> {
        let (callee, there) = self.passed(id, point, target)?;
        if !self.leads_to_change(callee, target) {
            return None;
        }
        Some(MemberEffects::default().of(self, callee, there))
    }
}

/// The variable for the object at hand, if the function uses it.
pub fn this(function: &Function) -> Option<LocalId> {
    let mut locals = function.locals.iter_enumerated().skip(function.params);
    locals.find(|(_, local)| local.name == ir::THIS).map(|(id, _)| id)
}

/// The rest of a path behind the object at hand.
fn of_this<'p>(function: &Function, path: &'p MemberPath) -> Option<&'p str> {
    let this = this(function)?;
    let rest = path.path.as_str().strip_prefix(ir::THIS)?;
    (path.root == VarRef::Local(this)).then(|| rest.strip_prefix("->"))?
}

/// The member that `rest` leads to from where `variable` points.
fn behind(function: &Function, variable: LocalId, rest: &str, member: Name) -> Target {
    let name = &function.locals[variable].name;
    // The members of what a reference stands for are named like those of an object.
    let is_reference = function.exprs.iter().any(|expr| match expr.kind {
        ExprKind::Field {
            base, arrow: false, ..
        } => function.exprs[function.object(base)].kind == ExprKind::Var(VarRef::Local(variable)),
        _ => false,
    });
    let separator = if is_reference { "." } else { "->" };
    Target::Member(Box::new(MemberPath {
        path: format!("{name}{separator}{rest}").as_str().into(),
        root: VarRef::Local(variable),
        member,
    }))
}

/// The rest of a path behind the object that an argument leads to: `a.n` of `s.a.n` for `&s`, and of `s->a.n` for `s`.
fn within<'p>(function: &Function, arg: ExprId, wanted: &'p MemberPath) -> Option<&'p str> {
    let (object, separator) = match function.exprs[arg].kind {
        ExprKind::AddressOf(inner) => (inner, "."),
        ExprKind::Var(_) | ExprKind::Field { .. } => (arg, "->"),
        _ => return None,
    };
    let (text, root) = path(function, object)?;
    let rest = wanted.path.as_str().strip_prefix(text.as_str())?;
    let is_reference = match function.exprs[object].kind {
        // A reference is the address of what its members are named like those of.
        ExprKind::Var(VarRef::Local(local)) => object == arg && function.locals[local].ty == Type::Pointer,
        _ => false,
    };
    let rest = match rest.strip_prefix(separator) {
        None if is_reference => rest.strip_prefix("."),
        rest => rest,
    };
    rest.filter(|_| root == wanted.root)
}

/// What functions do to members of structures that they are handed.
#[derive(Default)]
struct MemberEffects {
    known: BTreeMap<(FunctionIndex, Target), Effect>,
}

impl MemberEffects {
    /// What a function and its callees do to a member, which `target` names as the function itself does.
    fn of(&mut self, program: &Program<'_>, id: FunctionIndex, target: Target) -> Effect {
        let key = (id, target);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        // Of a function that comes to itself again nothing is said.
        self.known.insert(key.clone(), Effect::Sets);
        let effect = self.work_out(program, id, &key.1);
        self.known.insert(key, effect);
        effect
    }

    fn work_out(&mut self, program: &Program<'_>, id: FunctionIndex, target: &Target) -> Effect {
        let (steps, sets) = self.steps(program, id, target);
        total(&program.functions[id].flow, &steps, sets)
    }

    /// The points at which a function steps `target`, sorted, with the steps; and whether it sets it otherwise.
    fn steps(
        &mut self,
        program: &Program<'_>,
        id: FunctionIndex,
        target: &Target,
    ) -> (Vec<(PointId, i64)>, bool) {
        let info = &program.functions[id];
        let Target::Member(path) = target else {
            return (Vec::new(), true);
        };
        let way = path.way();
        let is_self = |expr: ExprId| target_of(info.function, expr) == *target;
        let mut steps: Vec<(PointId, i64)> = Vec::new();
        let mut sets = false;
        for (point, each) in info.flow.points.iter_enumerated() {
            match &each.action {
                Action::Assign {
                    target: written, by, ..
                } if written == target => match constant_step(info.function, *by, &is_self) {
                    Some(step) => steps.push((point, step)),
                    None => sets = true,
                },
                Action::Assign { target: written, .. } if way.contains(written) => sets = true,
                Action::Assign { .. } => sets |= program.changes_member(id, point, &path.member),
                Action::Call(call) => match self.of_call(program, id, point, *call, target) {
                    Effect::Leaves => {}
                    Effect::Adds(step) => steps.push((point, step)),
                    Effect::Promises | Effect::Sets | Effect::Keeps => sets = true,
                },
                _ => {}
            }
        }
        (steps, sets)
    }

    fn of_call(
        &mut self,
        program: &Program<'_>,
        id: FunctionIndex,
        point: PointId,
        call: ExprId,
        target: &Target,
    ) -> Effect {
        let Target::Member(path) = target else {
            return Effect::Sets;
        };
        let may = |target: &Target| matches!(program.may_change(id, point, target), Touch::May(_));
        let fills = program.changes_member(id, point, &path.member);
        if fills || path.way().iter().any(may) {
            return Effect::Sets;
        }
        let is_named = matches!(
            program.functions[id].function.exprs[call].kind,
            ExprKind::Call {
                callee: Callee::Named(_),
                ..
            }
        );
        match (may(target), is_named) {
            // What functions outside the map do to it is asked of the whole call.
            (false, _) => Effect::Leaves,
            (true, false) => Effect::Sets,
            (true, true) => match program.passed(id, point, target) {
                Some((callee, there)) => self.of(program, callee, there),
                None => Effect::Sets,
            },
        }
    }
}
