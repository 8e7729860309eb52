//! The arguments of MPI calls, so that a task that is blocked in one can be asked for their values.
//!
//! A term stands for an argument only if the variables in it, read while the call lasts, still have the value that was
//! passed: no argument of the call assigns or calls anything, and no other argument is, or points into, the memory that
//! they are in. Anything else is kept as it is written and no more.

use crate::constants::Constants;
use base::mpi_name;
use dataflow::{Action, FunctionInfo, Target};
use ir::{BinaryOp, ExprId, ExprKind, Function, LocalId, Type, UnaryOp, VarRef};
use library::roles;
use progress_map::{MpiArgument, PointId, Storage, Term, TermOp};

/// Longer ones are left out: they would not fit a line.
const LONGEST_TEXT: usize = 60;

/// The MPI calls of a function, by point.
pub(crate) type Calls = Vec<(PointId, Vec<MpiArgument>)>;

/// The MPI calls of a function with what is known of their arguments, in the order of its points.
pub(crate) fn calls(info: &FunctionInfo<'_>, constants: &Constants<'_>) -> Calls {
    let points = info.flow.points.iter_enumerated();
    let calls = points.filter_map(|(point, each)| {
        let Action::Call(call) = each.action else {
            return None;
        };
        let arguments = arguments(info, constants, call)?;
        (!arguments.is_empty()).then_some((point, arguments))
    });
    calls.collect()
}

fn arguments(info: &FunctionInfo<'_>, constants: &Constants<'_>, call: ExprId) -> Option<Vec<MpiArgument>> {
    let function = info.function;
    let (name, args) = function.named_call(call)?;
    let name = mpi_name(name);
    let roles = Vec::from_iter(roles(name));
    let pure = args.iter().all(|&argument| is_pure(function, argument));
    // What the call is given to write to: everything that is not one of the values which we look for.
    let others = args.iter().enumerate().filter(|(index, _)| {
        let is_value = |&(place, _): &(u8, _)| usize::from(place) == *index;
        !roles.iter().any(is_value)
    });
    let mut given = Vec::new();
    for (_, &other) in others {
        roots(function, other, &mut given);
    }
    let found = roles.iter().filter_map(|&(index, _)| {
        let &argument = args.get(usize::from(index))?;
        let mut text = String::new();
        print(function, argument, &mut text).ok()?;
        let mut own = Vec::new();
        roots(function, argument, &mut own);
        own.retain(|root| constants.value(root).is_none());
        let stays = own.is_empty() || pure && !own.iter().any(|root| given.contains(root));
        let term = stays.then(|| term(function, constants, argument, 0)).flatten();
        let settled = term.is_some() && own.iter().all(|root| is_settled(info, root));
        Some(MpiArgument {
            index,
            text,
            term,
            settled,
        })
    });
    Some(found.collect())
}

/// Whether a variable gets its value once, outside of loops. Debug info of optimised code may show a value that was
/// replaced since, or not yet given; such a variable has only one value that could be shown.
fn is_settled(info: &FunctionInfo<'_>, variable: &VarRef) -> bool {
    let function = info.function;
    let VarRef::Local(local) = variable else {
        // A library cannot see one that only this file names: an update of it may be made after the call.
        return false;
    };
    let is_parameter = base::Id::index(*local) < function.params;
    let (mut once, mut again) = (usize::from(is_parameter), false);
    for (point, each) in info.flow.points.iter_enumerated() {
        let gives = match &each.action {
            Action::Assign { target, .. } => match target {
                Target::Local(given) => given == local,
                Target::Member(path) => path.root == *variable,
                Target::Global(_) | Target::Memory => false,
            },
            Action::Call(call) => gives_address(function, *call, *local),
            _ => false,
        };
        if gives {
            once += 1;
            again |= info.loops.innermost[point].is_some();
        }
    }
    let addresses = function
        .exprs
        .ids()
        .filter(|&id| is_address_of(function, id, *local));
    let in_calls =
        info.flow.points.iter().filter(
            |each| matches!(each.action, Action::Call(call) if gives_address(function, call, *local)),
        );
    once <= 1 && !again && addresses.count() == in_calls.count()
}

fn gives_address(function: &Function, call: ExprId, local: LocalId) -> bool {
    let ExprKind::Call { args, .. } = &function.exprs[call].kind else {
        return false;
    };
    args.iter()
        .any(|&argument| is_address_of(function, argument, local))
}

/// Whether an expression is the address of a variable or of a part of it.
fn is_address_of(function: &Function, id: ExprId, local: LocalId) -> bool {
    let ExprKind::AddressOf(mut inner) = function.exprs[id].kind else {
        return false;
    };
    loop {
        match function.exprs[inner].kind {
            ExprKind::Field {
                base, arrow: false, ..
            }
            | ExprKind::Index { base, .. } => inner = function.object(base),
            ExprKind::Var(VarRef::Local(found)) => return found == local,
            _ => return false,
        }
    }
}

/// Whether evaluating an expression changes nothing.
pub(crate) fn is_pure(function: &Function, id: ExprId) -> bool {
    let all = |ids: &[ExprId]| ids.iter().all(|&id| is_pure(function, id));
    match &function.exprs[id].kind {
        ExprKind::Assign { .. } | ExprKind::Step { .. } | ExprKind::Call { .. } => false,
        ExprKind::Throw(_) | ExprKind::Unknown(_) => false,
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str | ExprKind::Var(_) => true,
        ExprKind::Constant | ExprKind::Unseen | ExprKind::BuildChoice => true,
        ExprKind::Unary(_, a)
        | ExprKind::Deref(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Cast(_, a)
        | ExprKind::Field { base: a, .. }
        | ExprKind::Captured { object: a, .. } => all(&[*a]),
        ExprKind::Binary(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index { base: a, index: b } => all(&[*a, *b]),
        ExprKind::Conditional(a, b, c) => all(&[*a, *b, *c]),
        ExprKind::List(items) => all(items),
    }
}

/// The variables that an expression names.
fn roots<'f>(function: &'f Function, id: ExprId, found: &mut Vec<&'f VarRef>) {
    match &function.exprs[id].kind {
        ExprKind::Var(variable) => found.push(variable),
        ExprKind::Unary(_, a)
        | ExprKind::Deref(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Cast(_, a)
        | ExprKind::Field { base: a, .. }
        | ExprKind::Captured { object: a, .. } => roots(function, *a, found),
        ExprKind::Binary(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index { base: a, index: b } => {
            roots(function, *a, found);
            roots(function, *b, found);
        }
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|&id| roots(function, id, found)),
        ExprKind::List(items) | ExprKind::Unknown(items) => {
            items.iter().for_each(|&id| roots(function, id, found));
        }
        // An argument with these is not pure, and then no variable counts.
        ExprKind::Assign { .. } | ExprKind::Step { .. } | ExprKind::Call { .. } | ExprKind::Throw(_) => {}
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str => {}
        ExprKind::Constant | ExprKind::Unseen | ExprKind::BuildChoice => {}
    }
}

fn term(function: &Function, constants: &Constants<'_>, id: ExprId, depth: usize) -> Option<Term> {
    if depth > Term::MAX_DEPTH {
        return None;
    }
    match &function.exprs[id].kind {
        ExprKind::Int(value) => Some(Term::Constant(*value)),
        ExprKind::Var(variable) if constants.value(variable).is_some() => {
            constants.value(variable).map(Term::Constant)
        }
        ExprKind::Unary(UnaryOp::Neg, inner) => match term(function, constants, *inner, depth + 1)? {
            Term::Constant(value) => value.checked_neg().map(Term::Constant),
            Term::Variable {
                name,
                storage,
                negated,
            } => Some(Term::Variable {
                name,
                storage,
                negated: !negated,
            }),
            _ => None,
        },
        // A narrower type would cut the value off.
        ExprKind::Cast(Type::Int { bits: Some(32..), .. }, inner) => term(function, constants, *inner, depth),
        ExprKind::Binary(op, left, right) if depth < Term::MAX_DEPTH => {
            let op = match op {
                BinaryOp::Add => TermOp::Add,
                BinaryOp::Sub => TermOp::Sub,
                BinaryOp::Mul => TermOp::Mul,
                BinaryOp::Div => TermOp::Div,
                BinaryOp::Rem => TermOp::Rem,
                _ => return None,
            };
            let operand = |id| term(function, constants, id, depth + 1);
            Some(Term::Arithmetic {
                op,
                operands: Box::new([operand(*left)?, operand(*right)?]),
            })
        }
        _ => {
            let storage = storage(function, id)?;
            Some(Term::Variable {
                name: storage.to_string(),
                storage,
                negated: false,
            })
        }
    }
}

/// How debug info names what an lvalue denotes that is no name of MPI's.
pub(crate) fn storage(function: &Function, id: ExprId) -> Option<Storage> {
    match &function.exprs[id].kind {
        ExprKind::Var(VarRef::Local(local)) => {
            let variable = &function.locals[*local];
            Some(Storage::Local {
                name: variable.name.clone(),
                line: variable.span.line,
            })
        }
        // Names of MPI (`MPI_COMM_WORLD`) do not count as variables, although some implementations define them as such.
        ExprKind::Var(VarRef::Global(name)) if !name.starts_with("MPI_") => Some(Storage::Global {
            name: name.to_string(),
        }),
        ExprKind::Field { base, name, arrow } => Some(Storage::Member {
            base: Box::new(storage(function, function.object(*base))?),
            member: name.to_string(),
            arrow: *arrow,
        }),
        _ => None,
    }
}

/// An expression is too long, or has parts that do not occur in arguments of MPI calls.
struct NotPrinted;

/// Appends the expression as C.
fn print(function: &Function, id: ExprId, out: &mut String) -> Result<(), NotPrinted> {
    if out.len() > LONGEST_TEXT {
        return Err(NotPrinted);
    }
    match &function.exprs[id].kind {
        ExprKind::Int(value) => out.push_str(&value.to_string()),
        ExprKind::Var(VarRef::Local(local)) => out.push_str(&function.locals[*local].name),
        ExprKind::Var(VarRef::Global(name)) => out.push_str(name),
        ExprKind::Field { base, name, arrow } => {
            print_operand(function, *base, out)?;
            out.push_str(if *arrow { "->" } else { "." });
            out.push_str(name);
        }
        ExprKind::Captured { object, name } => {
            print_operand(function, *object, out)?;
            out.push_str(&format!("->{name} (captured)"));
        }
        ExprKind::Index { base, index } => {
            print_operand(function, *base, out)?;
            out.push('[');
            print(function, *index, out)?;
            out.push(']');
        }
        ExprKind::Deref(inner) => {
            out.push('*');
            print_operand(function, *inner, out)?;
        }
        ExprKind::AddressOf(inner) => {
            out.push('&');
            print(function, *inner, out)?;
        }
        ExprKind::Unary(UnaryOp::Neg, inner) => {
            out.push('-');
            print_operand(function, *inner, out)?;
        }
        ExprKind::Cast(_, inner) => print(function, *inner, out)?,
        ExprKind::Binary(op, left, right) => {
            let sign = match op {
                BinaryOp::Add => " + ",
                BinaryOp::Sub => " - ",
                BinaryOp::Mul => " * ",
                BinaryOp::Div => " / ",
                BinaryOp::Rem => " % ",
                BinaryOp::BitXor => " ^ ",
                BinaryOp::BitAnd => " & ",
                BinaryOp::BitOr => " | ",
                BinaryOp::Shl => " << ",
                BinaryOp::Shr => " >> ",
                _ => return Err(NotPrinted),
            };
            print_operand(function, *left, out)?;
            out.push_str(sign);
            print_operand(function, *right, out)?;
        }
        _ => return Err(NotPrinted),
    }
    if out.len() > LONGEST_TEXT {
        return Err(NotPrinted);
    }
    Ok(())
}

/// The same in parentheses where an operator is inside.
fn print_operand(function: &Function, id: ExprId, out: &mut String) -> Result<(), NotPrinted> {
    let binds_less = matches!(
        function.exprs[id].kind,
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Deref(_) | ExprKind::AddressOf(_)
    );
    if binds_less {
        out.push('(');
    }
    print(function, id, out)?;
    if binds_less {
        out.push(')');
    }
    Ok(())
}
