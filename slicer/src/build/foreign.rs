//! What calls through pointers do that may lead to functions without source: reads, writes, and messages.

use crate::build::indirect::Foreign;
use crate::build::objects::Unnamed;
use crate::build::values::Values;
use crate::build::{Parts, message};
use crate::effect::LibraryEffect;
use crate::graph::{MemoryAccess, NodeId};
use crate::places::PlaceId;
use base::Id as _;
use dataflow::FunctionIndex;
use ir::{ExprId, ExprKind};
use std::collections::BTreeMap;

impl Parts {
    /// Adds to calls through pointers what functions without source do that these may lead to.
    pub(super) fn call_foreign(&mut self, values: &mut Values<'_, '_>, foreign: &[Foreign<'_>]) {
        if foreign.is_empty() {
            return;
        }
        let calls = self.calls.iter().enumerate();
        let numbers: BTreeMap<(FunctionIndex, ExprId), usize> = calls
            .map(|(number, call)| ((call.caller, call.call), number))
            .collect();
        // What a function without source calls, it calls with what it was given, which it is taken to read and write anyway.
        for each in foreign.iter().filter(|each| !each.is_callback) {
            let Some(&number) = numbers.get(&(each.caller, each.call)) else {
                continue;
            };
            let function = values.program.functions[each.caller].function;
            let call = &mut self.calls[number].done;
            call.hands_on |= !call.callees.is_empty();
            if let ExprKind::Call { args, .. } = &function.exprs[each.call].kind {
                let names = each.names.iter().copied();
                call.message = message::of_any(function, names, args);
            }
            let (node, first_argument) = (call.node, call.first_argument);
            for effect in &each.effects {
                self.apply(values, effect, (node, first_argument), &each.arguments);
            }
        }
    }

    fn apply(
        &mut self,
        values: &mut Values<'_, '_>,
        effect: &LibraryEffect,
        (node, first_argument): (NodeId, NodeId),
        arguments: &[Option<PlaceId>],
    ) {
        let access = |place: PlaceId| MemoryAccess::new(place, None, None);
        for (index, &argument) in arguments.iter().enumerate() {
            let Some(place) = argument.filter(|_| effect.follows(index)) else {
                continue;
            };
            let mut accesses = vec![access(place)];
            if effect.goes_inside(index) {
                let inside = values.places.content(place, None);
                accesses.push(MemoryAccess {
                    purpose: effect.purpose_inside(index),
                    ..access(inside)
                });
            }
            for access in accesses {
                let reader = (first_argument.index() + index) as u32;
                self.reads.push((reader, access));
                if effect.writes(index) {
                    self.writes.push((access.place, None, node));
                }
            }
        }
        if let Some(group) = effect.state {
            let place = values.state(Unnamed::Kept(group));
            self.reads.push((node.index() as u32, access(place)));
            self.writes.push((place, None, node));
        }
    }
}
