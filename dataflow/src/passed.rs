//! What a callee calls the memory that its caller knows by another name.
//!
//! `init(&s)` with `void init(struct sim *p)`: the caller's `s.step` is the callee's `p->step`; a global is the same to both. So the
//! value that a loop starts with, and the steps that it makes, are found where programs have them: in the functions that
//! they hand their state to. Members count by name elsewhere, so that nothing else of that name can be meant unseen.

use crate::effects::{MemberPath, Target, path, target_of};
use crate::flow::Action;
use crate::program::{FunctionIndex, Program, Touch};
use crate::summary::{Effect, constant_step, is_stood_in_for, total};
use base::Id as _;
use ir::{Callee, ExprId, ExprKind, Function, LocalId, VarRef};
use progress_map::PointId;
use std::collections::BTreeMap;

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
        let followed = there.function.confidence != base::Confidence::Partial
            && there.flow.distrust.is_none()
            && !there.has_handlers()
            && !info.has_handlers()
            && !is_stood_in_for(name);
        if !followed {
            return None;
        }
        match target {
            Target::Global(name) => self.is_one_global(name).then(|| (callee, target.clone())),
            Target::Member(path) => {
                let given =
                    |(index, &arg): (usize, &ExprId)| Some((index, within(info.function, arg, path)?));
                let mut given = args.iter().enumerate().filter_map(given);
                let Some((index, rest)) = given.next() else {
                    let VarRef::Global(name) = &path.root else {
                        return None;
                    };
                    return self.is_one_global(name).then(|| (callee, target.clone()));
                };
                let parameter = LocalId::from_index(index);
                let stays = index < there.function.params
                    && there.definitions.of(parameter).is_empty()
                    && !there.definitions.escaped(parameter);
                // Two arguments that lead to it are two names for one thing.
                (stays && given.next().is_none()).then(|| {
                    let name = &there.function.locals[parameter].name;
                    let path = MemberPath {
                        path: format!("{name}->{rest}").as_str().into(),
                        root: VarRef::Local(parameter),
                        member: path.member,
                    };
                    (callee, Target::Member(Box::new(path)))
                })
            }
            Target::Local(_) | Target::Memory => None,
        }
    }

    /// Whether a name at file scope means one variable wherever it is used: none of several files has its own.
    fn is_one_global(&self, name: &str) -> bool {
        let globals = self.units.iter().flat_map(|unit| &unit.globals);
        self.units.len() == 1
            || !globals
                .filter(|global| global.name == name)
                .any(|global| global.is_static)
    }

    /// What the call at `point` does to a member, where its callee has a name for it.
    pub(crate) fn effect_on_member(
        &self,
        id: FunctionIndex,
        point: PointId,
        target: &Target,
    ) -> Option<Effect> {
        let (callee, there) = self.passed(id, point, target)?;
        Some(MemberEffects::default().of(self, callee, there))
    }
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
    (root == wanted.root).then(|| rest.strip_prefix(separator))?
}

/// What functions do to members of structures that they are handed.
#[derive(Default)]
struct MemberEffects {
    known: BTreeMap<(FunctionIndex, Target), Effect>,
}

impl MemberEffects {
    /// What a function, with all that it calls, does to `target`, which is what it calls a member.
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
        let info = &program.functions[id];
        let Target::Member(path) = target else {
            return Effect::Sets;
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
        total(&info.flow, &steps, sets)
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
