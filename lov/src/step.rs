//! How one assignment moves a variable.

use crate::across::start_of;
use crate::candidate::{Candidate, LoopContext, storage};
use crate::stability::{invariance, is_invariant, unstable_storage};
use crate::term::{self, Sign};
use crate::types::{
    constant, fits_step, holds, is_added_whole, keeps_fractions, strip_casts, strip_keeping, type_of,
    typed_constant,
};
use dataflow::{Action, Touch, target_of};
use ir::{BinaryOp, Callee, ExprId, ExprKind, LocalId, Type, UnaryOp, VarRef};
use progress_map::{PointId, Refusal, Term, TermOp};

/// One step of a variable. What the steps of a loop tell together, and under which conditions, is decided by `classify`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// `x + c`, where the loop leaves `c` alone, so that a copy that was made earlier in the iteration added the same. The expression is that of `c` where it
    /// is not a constant.
    Add(Term, Option<ExprId>),
    /// Another variable of the loop, which starts above zero and only counts up, is added or (`up` is false) taken away: the amount changes from step to step,
    /// its sign does not. What makes it differ by task where a copy was made does so where the copy is assigned, because nothing sets it back.
    Vary { up: bool, by: ExprId },
    /// `factor * x + offset`, `factor >= 2`, `offset >= 0`.
    Grow { factor: i64, offset: i64 },
    /// `x / c` or `x >> k`, `c >= 2`.
    Shrink,
}

/// How deep temporaries are followed (`t = x + 1; …; x = t;`).
const MAX_COPIES: u32 = 4;

/// The step that an assignment of `candidate` makes, or why it does not make one.
pub(crate) fn step(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    point: PointId,
    by: ExprId,
) -> Result<Step, Refusal> {
    let line = context.line(point);
    let initial = matches!(
        context.info.flow.points[point].action,
        Action::Assign { initial: true, .. }
    );
    let found = match *context.kind(by) {
        _ if initial => None,
        ExprKind::Call { .. } => {
            let added = context
                .program
                .added_by_call(context.id, point, &candidate.target);
            added.map(|value| Step::Add(Term::Constant(value), None))
        }
        ExprKind::Step { up, .. } => Some(Step::Add(Term::Constant(if up { 1 } else { -1 }), None)),
        ExprKind::Assign { op: None, value, .. } => of_value(context, candidate, point, value, MAX_COPIES),
        ExprKind::Assign {
            op: Some(op), value, ..
        } => of_operator(context, candidate, op, value),
        _ => None,
    };
    match found {
        Some(Step::Add(Term::Float(_), _)) if !keeps_fractions(candidate.ty) => {
            Err(Refusal::FractionAdded { line })
        }
        Some(Step::Add(_, Some(operand)))
            if !keeps_fractions(candidate.ty) && matches!(type_of(context, operand), Type::Float { .. }) =>
        {
            Err(Refusal::FractionAdded { line })
        }
        Some(Step::Add(Term::Constant(value), _)) if !fits_step(candidate.ty, value) => {
            Err(Refusal::StepTooLarge { line, value })
        }
        Some(Step::Add(_, Some(operand))) if !is_added_whole(type_of(context, operand), candidate.ty) => {
            Err(Refusal::StepMayBeTooLarge { line })
        }
        Some(step) => Ok(step),
        None => Err(Refusal::UnknownStep { line }),
    }
}

/// `x op= operand`: how it moves `x`.
fn of_operator(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    op: BinaryOp,
    operand: ExprId,
) -> Option<Step> {
    match op {
        BinaryOp::Add => {
            add(context, operand, Sign::Plus).or_else(|| vary(context, candidate, operand, Sign::Plus))
        }
        BinaryOp::Sub => {
            add(context, operand, Sign::Minus).or_else(|| vary(context, candidate, operand, Sign::Minus))
        }
        BinaryOp::Mul => grow(constant(context, operand)?, 0),
        BinaryOp::Shl => grow(
            1i64.checked_shl(u32::try_from(constant(context, operand)?).ok()?)?,
            0,
        ),
        BinaryOp::Div => (constant(context, operand)? >= 2).then_some(Step::Shrink),
        BinaryOp::Shr => (constant(context, operand)? >= 1).then_some(Step::Shrink),
        _ => None,
    }
}

/// `x = value`: how the value moves `x`.
fn of_value(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    point: PointId,
    value: ExprId,
    copies: u32,
) -> Option<Step> {
    let strip = |id: ExprId| strip_keeping(context, candidate.ty, id);
    let is_self = |id: ExprId| is_itself(context, candidate, id);
    let value = strip(value);
    match *context.kind(value) {
        ExprKind::Binary(op, a, b) if is_self(a) => of_operator(context, candidate, op, b),
        ExprKind::Binary(BinaryOp::Add, a, b) if is_self(b) => {
            of_operator(context, candidate, BinaryOp::Add, a)
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) if is_self(b) => grow(constant(context, a)?, 0),
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            // a*x + b, either way round.
            let (product, offset) = match constant(context, b) {
                Some(offset) => (a, offset),
                None => (b, constant(context, a)?),
            };
            let ExprKind::Binary(BinaryOp::Mul, a, b) = *context.kind(strip(product)) else {
                return None;
            };
            let factor = if is_self(a) {
                b
            } else {
                Some(a).filter(|_| is_self(b))?
            };
            grow(constant(context, factor)?, offset)
        }
        ExprKind::Unary(UnaryOp::Neg, difference) if matches!(candidate.ty, Type::Int { .. }) => {
            let is_minus_self = |id: ExprId| match *context.kind(strip(id)) {
                ExprKind::Unary(UnaryOp::Neg, x) => is_self(x),
                _ => false,
            };
            // -(c - x) is x - c, and -(-x - c) is x + c, also where they wrap around.
            match *context.kind(strip(difference)) {
                ExprKind::Binary(BinaryOp::Sub, c, x) if is_self(x) => add(context, c, Sign::Minus),
                ExprKind::Binary(BinaryOp::Sub, minus_x, c) if is_minus_self(minus_x) => {
                    add(context, c, Sign::Plus)
                }
                _ => None,
            }
        }
        ExprKind::Call {
            callee: Callee::Named(ref name),
            ref args,
        } => of_returned(context, candidate, name, args),
        ExprKind::Var(VarRef::Local(copy)) if copies > 0 => {
            of_copy(context, candidate, point, copy, copies - 1)
        }
        _ => None,
    }
}

/// Whether an expression is the variable. Behind a cast that may cut its value off it is not itself any more.
fn is_itself(context: LoopContext<'_, '_>, candidate: &Candidate, id: ExprId) -> bool {
    let id = strip_keeping(context, candidate.ty, id);
    !matches!(context.kind(id), ExprKind::Cast(..))
        && target_of(context.info.function, id) == candidate.target
}

/// `x = copy`, at `point`: the step that the copy was made with.
fn of_copy(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    point: PointId,
    copy: LocalId,
    copies: u32,
) -> Option<Step> {
    let info = context.info;
    if info.definitions.escaped(copy) || !holds(info.function.locals[copy].ty, candidate.ty) {
        return None;
    }
    let reaching = info.definitions.reaching(&info.flow, copy, point, None);
    let [at] = reaching.points[..] else { return None };
    if reaching.entry || !info.loops.contains(context.in_loop, at) {
        return None;
    }
    // The copy must have been made from the value that the variable still has.
    let dataflow::Target::Local(original) = candidate.target else {
        return None;
    };
    let there = info.definitions.reaching(&info.flow, original, at, None);
    if there != info.definitions.reaching(&info.flow, original, point, None) {
        return None;
    }
    // Every way from the copy to here must lie in one iteration: no update in between, and none missed.
    let value = match info.flow.points[at].action {
        Action::Assign {
            by, initial: true, ..
        } => by,
        Action::Assign { by, .. } => match *context.kind(by) {
            ExprKind::Assign { op: None, value, .. } => value,
            _ => return None,
        },
        _ => return None,
    };
    of_value(context, candidate, at, value, copies)
}

/// `x = next(x)`: the step when every `return` of the callee makes the same of the parameter.
fn of_returned(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    name: &str,
    args: &[ExprId],
) -> Option<Step> {
    let index = args
        .iter()
        .position(|&arg| target_of(context.info.function, arg) == candidate.target)?;
    let param = <LocalId as base::Id>::from_index(index);
    let mut found: Option<Step> = None;
    // What MPI returns, no function of the program for builds without it tells.
    if base::is_mpi(name) {
        return None;
    }
    for callee in context.program.callees(context.info.unit, name) {
        let info = &context.program.functions[callee];
        let function = info.function;
        // Narrower or other types would cut the value off.
        let whole = matches!(candidate.ty, Type::Int { bits: Some(32..), .. } | Type::Pointer);
        if !whole
            || function.confidence == base::Confidence::Partial
            || info.flow.distrust.is_some()
            || index >= function.params
            || function.locals[param].ty != candidate.ty
            || function.returns != candidate.ty
            || info.definitions.escaped(param)
            || !info.definitions.of(param).is_empty()
        {
            return None;
        }
        let there = LoopContext {
            id: callee,
            info,
            ..context
        };
        let returns = info.flow.points.iter_enumerated().filter_map(|(point, each)| {
            let Action::Return(value) = each.action else {
                return None;
            };
            info.flow.reachable[point].then_some(value)
        });
        for value in returns {
            let step = of_parameter(there, param, value?)?;
            if found.get_or_insert(step.clone()) != &step {
                return None;
            }
        }
    }
    found
}

/// What a returned value makes of the parameter, by constants alone.
fn of_parameter(there: LoopContext<'_, '_>, param: LocalId, value: ExprId) -> Option<Step> {
    let is_param = |id: ExprId| *there.kind(id) == ExprKind::Var(VarRef::Local(param));
    let ExprKind::Binary(op, a, b) = *there.kind(value) else {
        return None;
    };
    let (op, operand) = match op {
        _ if is_param(a) => (op, constant(there, b)?),
        BinaryOp::Add | BinaryOp::Mul if is_param(b) => (op, constant(there, a)?),
        _ => return None,
    };
    let added = match op {
        BinaryOp::Add => operand,
        BinaryOp::Sub => operand.checked_neg()?,
        BinaryOp::Mul => return grow(operand, 0),
        _ => return None,
    };
    (added != 0).then_some(Step::Add(Term::Constant(added), None))
}

/// Adding another variable that counts up from at least one: the amount changes, its sign does not.
fn vary(context: LoopContext<'_, '_>, candidate: &Candidate, operand: ExprId, sign: Sign) -> Option<Step> {
    let signed = |ty: Type| {
        matches!(
            ty,
            Type::Int {
                signed: Some(true),
                bits: Some(32..)
            }
        )
    };
    let ExprKind::Var(VarRef::Local(local)) = *context.kind(operand) else {
        return None;
    };
    let info = context.info;
    let variable = &info.function.locals[local];
    let other = dataflow::Target::Local(local);
    if !signed(candidate.ty)
        || !signed(variable.ty)
        || other == candidate.target
        || unstable_storage(context, &other) != Touch::Leaves
    {
        return None;
    }
    let counts_up = |point: PointId| match info.flow.points[point].action {
        Action::Assign {
            by, initial: false, ..
        } => match *context.kind(by) {
            ExprKind::Step { up, .. } => up,
            ExprKind::Assign {
                op: Some(BinaryOp::Add),
                value,
                ..
            } => constant(context, value).is_some_and(|value| value > 0),
            _ => false,
        },
        _ => false,
    };
    let mut inside = info.loops.among(context.in_loop, info.definitions.of(local));
    let starts_positive = matches!(start_of(context, &other), Some((Term::Constant(start), _)) if start > 0);
    (starts_positive && inside.all(counts_up)).then_some(Step::Vary {
        up: sign == Sign::Plus,
        by: operand,
    })
}

/// The step of adding `operand`, or of taking it away: a constant, or what the loop leaves alone.
fn add(context: LoopContext<'_, '_>, operand: ExprId, sign: Sign) -> Option<Step> {
    let cast = operand;
    let operand = strip_casts(context, operand);
    if constant(context, operand).is_some() {
        // With its casts: `(unsigned) -1` is a large number.
        let value = constant(context, cast)?;
        let value = match sign {
            Sign::Plus => value,
            Sign::Minus => value.checked_neg()?,
        };
        return (value != 0).then_some(Step::Add(Term::Constant(value), None));
    }
    match *context.kind(operand) {
        ExprKind::Unary(UnaryOp::Neg, inner)
            if !matches!(
                type_of(context, inner),
                Type::Unknown
                    | Type::Int {
                        signed: Some(false),
                        ..
                    }
            ) =>
        {
            match typed_constant(context, inner) {
                // The negative of an unsigned constant is a large positive number.
                Some(_) => None,
                None => add(context, inner, sign.other()),
            }
        }
        ExprKind::Float(value) => {
            let value = match sign {
                Sign::Plus => value,
                Sign::Minus => -value,
            };
            (value != 0.0 && value.is_finite()).then_some(Step::Add(Term::Float(value), None))
        }
        ExprKind::Var(_) | ExprKind::Field { .. } if is_invariant(context, operand) => {
            let term = term::variable(context, storage(context, operand)?, sign)?;
            Some(Step::Add(term, Some(operand)))
        }
        _ => {
            let leaf = |id: ExprId| {
                let touch = invariance(context, id);
                let term = term::variable(context, storage(context, id)?, Sign::Plus)?;
                (!matches!(touch, Touch::May(_))).then_some((term, touch))
            };
            let (computed, _) = term::term(context, operand, &leaf)?;
            let computed = match (computed, sign) {
                (term @ Term::Arithmetic { .. }, Sign::Plus) => term,
                (term @ Term::Arithmetic { .. }, Sign::Minus) if term.depth() < Term::MAX_DEPTH => {
                    Term::Arithmetic {
                        op: TermOp::Sub,
                        operands: Box::new([Term::Constant(0), term]),
                    }
                }
                _ => return None,
            };
            Some(Step::Add(computed, Some(operand)))
        }
    }
}

fn grow(factor: i64, offset: i64) -> Option<Step> {
    (factor >= 2 && offset >= 0).then_some(Step::Grow { factor, offset })
}
