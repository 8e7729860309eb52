//! What optimised code passes to MPI: peers, tags and communicators of the calls that a job may hang in.
//!
//! A library without debug info says nothing of the arguments that it was called with. But the caller's debug info says, call by call,
//! what was passed in terms of what the caller keeps across the call (`DW_AT_call_value`), also where the variables of the source
//! are gone. A frame of the program whose return address follows such a call has made it.
//!
//! All arguments of MPI functions are integers or pointers: the first six come in registers, the others on the stack, eight
//! bytes each (System V ABI for x86-64, section 3.2.3).

use crate::calls::{PassedIn, parameters, passed_in, root_of, value_of};
use crate::debug::{Debug, Die};
use crate::stack::{ExpressionFrame, Frames};
use crate::walk::{Forest, OriginId};
use library::roles;
use progress_map::{BoundMpiCall, PassedArgument};
use std::collections::{BTreeMap, BTreeSet};

/// The registers of the first arguments, by DWARF number: rdi, rsi, rdx, rcx, r8, r9.
const REGISTERS: [u8; 6] = [5, 4, 1, 2, 8, 9];

/// The calls of MPI functions by name of whose arguments something is known, sorted by return address; and the functions and
/// registers whose values on entry they are made of.
pub(crate) fn bind_mpi_calls(
    debug: &Debug<'_>,
    forest: &Forest,
    frames: &Frames<'_, '_, '_>,
    names: &CalleeNames,
) -> (Vec<BoundMpiCall>, Vec<(OriginId, u8)>) {
    let mut on_entry = Vec::new();
    let mut found: BTreeMap<u64, Option<Vec<PassedArgument>>> = BTreeMap::new();
    for call in &forest.calls {
        let (Some(target), Some(return_address)) = (call.target, call.return_address) else {
            continue;
        };
        let Some(name) = names.get(&target).filter(|name| base::is_mpi(name)) else {
            continue;
        };
        // Fortran passes addresses.
        if of_fortran(debug, target).is_some() {
            continue;
        }
        let frame = frames.of_call(call.node, return_address);
        let (arguments, registers) = arguments(debug, call.die, base::mpi_name(name), frame);
        let caller = forest.nodes[root_of(forest, call.node)].origin;
        on_entry.extend(registers.into_iter().map(|register| (caller, register)));
        // Where two descriptions of one call contradict each other, neither is believed.
        let known = found
            .entry(return_address)
            .or_insert_with(|| Some(arguments.clone()));
        if known.as_ref() != Some(&arguments) {
            *known = None;
        }
    }
    let calls = found.into_iter().filter_map(|(return_address, arguments)| {
        let arguments = arguments.filter(|arguments| !arguments.is_empty())?;
        Some(BoundMpiCall {
            return_address,
            arguments,
        })
    });
    (calls.collect(), on_entry)
}

/// The names in the source of the functions that call instructions name, of MPI's functions those of C, which the map has. Functions without a name are left out.
pub(crate) type CalleeNames = BTreeMap<Die, String>;

/// The names of all functions that calls of a build name.
pub(crate) fn callee_names(debug: &Debug<'_>, forest: &Forest) -> CalleeNames {
    let targets: BTreeSet<Die> = forest.calls.iter().filter_map(|call| call.target).collect();
    let named = targets.into_iter().filter_map(|target| {
        let name = || debug.string_along(&debug.origins(target), gimli::DW_AT_name);
        Some((target, of_fortran(debug, target).or_else(name)?))
    });
    named.filter(|(_, name)| !name.is_empty()).collect()
}

/// The name in C of a function of MPI that a call in Fortran names: the linker knows it by another name than the source.
fn of_fortran(debug: &Debug<'_>, target: Die) -> Option<String> {
    let chain = debug.origins(target);
    let string = |name| debug.string_along(&chain, name);
    let symbol = string(gimli::DW_AT_linkage_name)?;
    base::mpi_entry_point(&symbol).filter(|_| string(gimli::DW_AT_name) != Some(symbol))
}

/// The arguments that tell what a task waits for, as far as the entry of the call describes their values; and the registers whose
/// values on entry to the caller they are made of.
fn arguments(
    debug: &Debug<'_>,
    call: Die,
    function: &str,
    frame: ExpressionFrame<'_, '_, '_>,
) -> (Vec<PassedArgument>, Vec<u8>) {
    let mut on_entry = Vec::new();
    let mut values: BTreeMap<u8, Option<Vec<u8>>> = BTreeMap::new();
    for entry in parameters(debug, call) {
        let Some(index) = passed_in(&entry).and_then(index_of) else {
            continue;
        };
        if roles(function).all(|(wanted, _)| wanted != index) {
            continue;
        }
        let value = value_of(debug, call.unit, &entry, frame).map(|(expression, registers)| {
            on_entry.extend(registers);
            expression
        });
        // Where two entries describe one argument, neither is believed.
        values
            .entry(index)
            .and_modify(|value| *value = None)
            .or_insert(value);
    }
    let known = values.into_iter().filter_map(|(index, value)| {
        let expression = value?;
        Some(PassedArgument { index, expression })
    });
    (known.collect(), on_entry)
}

/// The argument that is passed at a place, from 0.
pub(crate) fn index_of(place: PassedIn) -> Option<u8> {
    match place {
        PassedIn::Register(register) => {
            let index = REGISTERS.iter().position(|&each| each == register)?;
            u8::try_from(index).ok()
        }
        PassedIn::Stack(offset) if offset % 8 == 0 => u8::try_from(REGISTERS.len() as u64 + offset / 8).ok(),
        PassedIn::Stack(_) => None,
    }
}
