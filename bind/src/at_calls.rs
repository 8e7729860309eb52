//! Where a variable is while a call lasts that it was handed to: the caller's debug info says what the call passed.
//!
//! `step(*p)` of a function with code of its own: the parameter `r` is the address of `*p`, the description of the callee tells in which
//! register it comes, and that of the call (`DW_AT_call_value`) where the caller keeps what it has put there. Often it describes `p` itself no
//! more. This is believed at barriers only, where what `p` leads to is in memory as the source has left it.
//!
//! A value that is described by a word of the stack is taken from gcc alone: before it describes what a call has passed it lets go of all memory that
//! somebody else could write to while the call lasts (`mem_dies_at_call` in `var-tracking.cc`).

use crate::call_sites::{CallSites, Callee, Site};
use crate::calls::{PassedIn, parameters, passed_in};
use crate::debug::{Debug, Die};
use crate::expression::{Facts, facts, rewrite};
use crate::functions::Piece;
use crate::handed::{Addition, Handing, by_instance, given, only};
use crate::optimised::gcc;
use crate::stack::{ExpressionFrame, Frames};
use crate::walk::{Forest, NodeId};
use base::IdVec;
use progress_map::{Binding, FunctionId, LocationRange, PathStep};

/// What is looked through.
pub(crate) struct AtCalls<'c, 'a, 'i> {
    pub(crate) debug: &'c Debug<'a>,
    pub(crate) forest: &'c Forest,
    pub(crate) frames: &'c Frames<'c, 'a, 'i>,
    pub(crate) pieces: &'c IdVec<NodeId, Vec<Piece>>,
    pub(crate) sites: &'c CallSites,
}

impl AtCalls<'_, '_, '_> {
    /// What the barriers of a build say of the variables that they hand on.
    pub(crate) fn places(&self, handing: &Handing<'_, '_>, binding: &Binding) -> Vec<Addition> {
        let by_instance = by_instance(binding);
        let mut additions = Vec::new();
        for site in self.sites.sites.iter().filter(|site| self.sites.is_barrier(site)) {
            let (Some(caller), Callee::Own(_, Some(callee)), Some(position)) =
                (site.function, &site.callee, site.position)
            else {
                continue;
            };
            for handed in given(handing.map, caller, *callee, position) {
                for (variable, parameter) in handing.names(handed) {
                    let Some(to) = only(&by_instance, site.instance, variable) else {
                        continue;
                    };
                    let own = &binding.variables[to];
                    let (start, end) = (site.return_address - 1, site.return_address);
                    let is_known = own.locations.iter().any(|at| at.start < end && start < at.end);
                    let is_behind = own.path.first() == Some(&PathStep::Deref) && own.scope.is_empty();
                    if is_known || !is_behind {
                        continue;
                    }
                    let register = self.register(binding, &by_instance, *callee, (parameter, &own.path));
                    let expression = register.and_then(|register| self.passed(site, register));
                    additions.extend(expression.map(|expression| {
                        let place = LocationRange {
                            start,
                            end,
                            expression,
                        };
                        (to, vec![place])
                    }));
                }
            }
        }
        additions
    }

    /// The register in which all copies of a function get a parameter, if what it leads to is found by `path`.
    fn register(
        &self,
        binding: &Binding,
        by_instance: &crate::handed::ByInstance,
        callee: FunctionId,
        (parameter, path): (&str, &[PathStep]),
    ) -> Option<u8> {
        let mut registers = Vec::new();
        for &copy in self.sites.copies.get(&callee)? {
            let entry = self.forest.nodes[copy].entry?;
            let piece = self.pieces[copy].iter().find(|(_, code)| code.contains(&entry));
            let (instance, _) = piece?;
            let variable = &binding.variables[only(by_instance, *instance, parameter)?];
            let mut here = variable.locations.iter();
            let here = here.find(|at| (at.start..at.end).contains(&entry))?;
            let &[operator] = &here.expression[..] else {
                return None;
            };
            let register = operator
                .checked_sub(gimli::DW_OP_reg0.0)
                .filter(|&each| each < 16)?;
            if variable.path != path {
                return None;
            }
            registers.push(register);
        }
        registers.dedup();
        match registers[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Where the caller keeps what a call has passed in a register.
    fn passed(&self, site: &Site, register: u8) -> Option<Vec<u8>> {
        let call = self.forest.calls[site.number];
        // Another description of the same call may contradict.
        let mut others = self.sites.of(site.function).iter();
        if others.any(|other| other.return_address == site.return_address && other.number != site.number) {
            return None;
        }
        let parameters = parameters(self.debug, call.die);
        let mut of_register = parameters
            .iter()
            .filter(|entry| passed_in(entry) == Some(PassedIn::Register(register)));
        let (entry, None) = (of_register.next()?, of_register.next()) else {
            return None;
        };
        let value = entry
            .attr_value(gimli::DW_AT_call_value)
            .or_else(|| entry.attr_value(gimli::DW_AT_GNU_call_site_value))?;
        let gimli::AttributeValue::Exprloc(expression) = value else {
            return None;
        };
        let frame = self.frames.of_call(call.node, site.return_address);
        self.place(call.die, expression, frame)
    }

    /// The place of a value of a call.
    fn place(
        &self,
        call: Die,
        expression: gimli::Expression<crate::debug::Slice<'_>>,
        frame: ExpressionFrame<'_, '_, '_>,
    ) -> Option<Vec<u8>> {
        let (bytes, _) = rewrite(self.debug, call.unit, expression, Some(frame)).ok()?;
        as_place(bytes, gcc(self.debug, call.unit))
    }
}

/// The place of the value of an expression: nowhere else, or the word of the stack that it reads.
fn as_place(mut bytes: Vec<u8>, by_gcc: bool) -> Option<Vec<u8>> {
    let known = facts(&bytes)?;
    if !known.reads_memory {
        // DW_OP_bregN 0 is what register N holds: nothing is computed.
        if let [operator @ 0x70..0x80, 0] = bytes[..] {
            let register = operator - gimli::DW_OP_breg0.0;
            return Some(vec![gimli::DW_OP_reg0.0 + register]);
        }
        bytes.push(gimli::DW_OP_stack_value.0);
        return (!known.computed && !known.in_register).then_some(bytes);
    }
    if bytes.pop() != Some(gimli::DW_OP_deref.0) || !by_gcc {
        return None;
    }
    let is_of_frame = |word: &Facts| {
        let of_stack = word.registers.iter().all(|&register| matches!(register, 6 | 7));
        word.is_address() && of_stack && (word.frame || !word.registers.is_empty())
    };
    facts(&bytes).filter(is_of_frame).map(|_| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_has_passed_is_where_the_caller_keeps_it() {
        // DW_OP_breg3 0: a register that the callee preserves.
        assert_eq!(as_place(vec![0x73, 0], false), Some(vec![0x53]));
        // DW_OP_breg3 8: eight bytes behind that.
        assert_eq!(as_place(vec![0x73, 8], false), Some(vec![0x73, 8, 0x9f]));
        // DW_OP_breg6 -24, DW_OP_deref: a word of the frame, in gcc's code alone.
        assert_eq!(as_place(vec![0x76, 0x68, 0x06], true), Some(vec![0x76, 0x68]));
        assert_eq!(as_place(vec![0x76, 0x68, 0x06], false), None);
        // DW_OP_breg3 8, DW_OP_deref: what a pointer leads to may be anybody's.
        assert_eq!(as_place(vec![0x73, 8, 0x06], true), None);
        // DW_OP_breg6 -24, DW_OP_deref, DW_OP_deref; DW_OP_breg6 -24, DW_OP_deref, DW_OP_plus_uconst 8.
        assert_eq!(as_place(vec![0x76, 0x68, 0x06, 0x06], true), None);
        assert_eq!(as_place(vec![0x76, 0x68, 0x06, 0x23, 8], true), None);
        // DW_OP_breg6 -24, DW_OP_deref_size 4: half a pointer.
        assert_eq!(as_place(vec![0x76, 0x68, 0x94, 4], true), None);
    }
}
