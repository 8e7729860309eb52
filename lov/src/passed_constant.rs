//! Constants by which a call is told from others of the same function beside it.
//!
//! gcc may join calls of one function, and debug info then shows the position of one of them. But what an instruction passes is described too, so an instruction
//! that passes 0 is no call that passes 2. In which register an argument comes is certain where the types of the parameters in front of it are: of functions of MPI,
//! all of whose arguments are whole numbers or addresses, and of functions of C whose definition was read.

use dataflow::{Action, FunctionInfo, Program};
use ir::{ExprId, ExprKind, Function, Type, UnaryOp};
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// So many registers take whole numbers and addresses.
const INTEGER_REGISTERS: u8 = 6;

/// A constant, with the call that passes it and the register.
pub(crate) type Passed = (PointId, u8, i32);

/// What the calls of a function pass, in the order of its points.
pub(crate) fn constants(program: &Program<'_>, info: &FunctionInfo<'_>) -> Vec<Passed> {
    let function = info.function;
    if function.language.is_cxx() {
        return Vec::new();
    }
    let mut by_name: BTreeMap<&str, Vec<Passed>> = BTreeMap::new();
    for (point, each) in info.flow.points.iter_enumerated() {
        let Action::Call(call) = each.action else {
            continue;
        };
        let Some((name, args)) = function.named_call(call) else {
            continue;
        };
        let registers = registers(program, info, name);
        let constants = args.iter().zip(registers).filter_map(|(&argument, place)| {
            let value = constant(function, argument)?;
            let place = place.filter(|place| !place.may_be_narrow || SMALL.contains(&value))?;
            Some((point, place.register, i32::try_from(value).ok()?))
        });
        by_name.entry(name).or_default().extend(constants);
    }
    let tells_apart = |passed: &Vec<Passed>| {
        let mut values: BTreeMap<u8, BTreeSet<i32>> = BTreeMap::new();
        for &(_, register, value) in passed {
            values.entry(register).or_default().insert(value);
        }
        let differ = move |&(_, register, _): &Passed| values[&register].len() > 1;
        Vec::from_iter(passed.iter().copied().filter(differ))
    };
    let mut found = Vec::from_iter(by_name.values().flat_map(tells_apart));
    found.sort_unstable();
    found
}

/// Constants that any type of whole numbers keeps.
const SMALL: RangeInclusive<i64> = 0..=127;

/// The register that an argument comes in.
#[derive(Clone, Copy)]
struct Place {
    register: u8,
    /// How wide the parameter is, is not known.
    may_be_narrow: bool,
}

/// In which register each argument of a function comes, as far as that is known from the first one on; `None` for one that comes in none, or that is converted to fewer
/// than 32 bits on the way.
fn registers(program: &Program<'_>, info: &FunctionInfo<'_>, name: &str) -> Vec<Option<Place>> {
    let place = |register: u8, may_be_narrow: bool| {
        let place = Place {
            register,
            may_be_narrow,
        };
        (register < INTEGER_REGISTERS).then_some(place)
    };
    if base::is_mpi(name) {
        return (0..INTEGER_REGISTERS)
            .map(|register| place(register, false))
            .collect();
    }
    let mut callees = program.callees(info.unit, name);
    let (Some(only), None) = (callees.next(), callees.next()) else {
        return Vec::new();
    };
    let callee = program.functions[only].function;
    if callee.language.is_cxx() || callee.kind != ir::FunctionKind::Source {
        return Vec::new();
    }
    let mut next = 0;
    let parameters = callee.locals.iter().take(callee.params);
    let places = parameters.map_while(|parameter| {
        let (keeps_constants, may_be_narrow) = match parameter.ty {
            Type::Int { bits: Some(bits), .. } => (bits >= 32, false),
            Type::Int { bits: None, .. } => (true, true),
            Type::Pointer | Type::Array => (true, false),
            Type::Float { .. } => return Some(None),
            Type::Aggregate | Type::Unknown => return None,
        };
        next += 1;
        Some(place(next - 1, may_be_narrow).filter(|_| keeps_constants))
    });
    places.collect()
}

/// The value of an argument that is a number as it stands.
fn constant(function: &Function, id: ExprId) -> Option<i64> {
    match function.exprs[id].kind {
        ExprKind::Int(value) => Some(value),
        ExprKind::Unary(UnaryOp::Neg, inner) => constant(function, inner)?.checked_neg(),
        _ => None,
    }
}
