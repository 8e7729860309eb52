//! What a frame was given: values that only its caller still has.
//!
//! Debug info may describe a variable by what a register held on entry. The binding lists, call by call, what the caller put
//! there, in terms of what the caller keeps: evaluated in the caller's frame, with the registers that its callees saved, it
//! gives that value. The frame must have been entered by the call that its return address follows. The binding lists only calls of
//! functions for which that is certain, and names the code that the frame must be in.

use crate::evaluate::{EvaluationContext, Unknown};
use crate::locate::Locator;
use crate::memory::Memory;
use crate::modules::ModuleId;
use crate::unwind::RawFrame;

/// How many frames a value is followed outward. Each passes on what it was given; more than a few do so only in a recursion.
const DEEPEST: u8 = 16;

/// The frames around one frame of the bound program.
#[derive(Clone, Copy)]
pub(crate) struct Callers<'a> {
    pub(crate) locator: &'a Locator<'a>,
    /// The bound module and its bias.
    pub(crate) module: (ModuleId, u64),
    /// The frame's function, an index into `binding.functions`.
    pub(crate) function: u32,
    /// The frames further out, the caller first.
    pub(crate) outer: &'a [RawFrame],
    /// How many frames a value has come from.
    pub(crate) depth: u8,
}

impl Callers<'_> {
    /// What `register` held when the frame was entered.
    pub(crate) fn on_entry(&self, register: u8, memory: &Memory) -> Result<u64, Unknown> {
        let Some((caller, outer)) = self.outer.split_first() else {
            return Err(Unknown::EntryValue);
        };
        // A signal does not call what it interrupts.
        let was_called = caller.lookup != caller.pc;
        if !was_called || caller.module != Some(self.module) || self.depth >= DEEPEST {
            return Err(Unknown::EntryValue);
        }
        let bias = self.module.1;
        let binding = self.locator.binding;
        let address = caller.pc.wrapping_sub(bias);
        let call = binding
            .calls
            .binary_search_by_key(&address, |call| call.return_address)
            .ok()
            .and_then(|at| binding.calls.get(at))
            .filter(|call| call.callees.contains(&self.function))
            .ok_or(Unknown::EntryValue)?;
        let passed = call
            .passed
            .iter()
            .find(|passed| passed.register == register)
            .ok_or(Unknown::EntryValue)?;
        let place = self.locator.place(caller.lookup.wrapping_sub(bias));
        let function = place.as_ref().map(|place| place.function);
        let record = function.and_then(|function| binding.functions.get(function as usize));
        let context = EvaluationContext {
            registers: &caller.registers,
            memory,
            cfa: caller.cfa,
            frame_base: record.map_or(&[][..], |record| &record.frame_base),
            bias,
            callers: function.map(|function| Callers {
                function,
                outer,
                depth: self.depth + 1,
                ..*self
            }),
        };
        context.address(&passed.expression, None)
    }
}
