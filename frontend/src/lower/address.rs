//! Whose address is taken.

use crate::lower::function::Body;
use crate::lower::{children, field};
use base::Cause;
use ir::{ExprId, ExprKind, VarRef};
use thin_vec::ThinVec;
use tree_sitter::Node;

/// The clobber that stands for all memory which the operands lead to.
const MEMORY: &[u8] = b"\"memory\"";

impl Body<'_, '_> {
    /// What an asm statement writes are assignments of unknown values; `asm goto` jumps.
    pub(super) fn assembly(&mut self, node: Node) -> ExprKind {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let mut clobbers_memory = false;
        for list in children(node) {
            let values = children(list)
                .into_iter()
                .filter_map(|operand| field(operand, "value"));
            match list.kind() {
                "gnu_asm_goto_list" => self.partial(list, Cause::AsmGoto),
                "gnu_asm_output_operand_list" => outputs.extend(values),
                "gnu_asm_clobber_list" => {
                    let text = self.file.text(list);
                    clobbers_memory = text.windows(MEMORY.len()).any(|part| part == MEMORY);
                }
                _ => inputs.extend(values),
            }
        }
        let mut parts = Vec::new();
        for &input in &inputs {
            let value = self.expr(input);
            // A memory operand hands over the variable's address.
            self.take_address(value);
            parts.push(value);
            if clobbers_memory && !matches!(self.exprs[value].kind, ExprKind::Int(_)) {
                let target = self.push_expr(ExprKind::Deref(value), input);
                parts.push(self.made_by_assembly(target, &inputs, input));
            }
        }
        for output in outputs {
            let target = self.expr(output);
            self.take_address(target);
            parts.push(self.made_by_assembly(target, &inputs, output));
        }
        ExprKind::Unknown(parts.into())
    }

    /// An assignment to `target` of what assembly makes of its operands.
    fn made_by_assembly(&mut self, target: ExprId, inputs: &[Node], node: Node) -> ExprId {
        let inputs: ThinVec<ExprId> = inputs.iter().map(|&input| self.expr(input)).collect();
        let value = self.push_expr(ExprKind::Unknown(inputs), node);
        let op = None;
        self.push_expr(ExprKind::Assign { op, target, value }, node)
    }

    /// `&target`: what the expression itself shows of a whole global needs no note.
    pub(super) fn note_address(&mut self, target: ExprId) {
        if !matches!(self.exprs[target].kind, ExprKind::Var(VarRef::Global(_))) {
            self.take_address(target);
        }
    }

    /// Records that the address of `target` is taken: of the variable that it is, or is a part of.
    pub(super) fn take_address(&mut self, target: ExprId) {
        match &self.exprs[target].kind {
            ExprKind::Var(VarRef::Local(local)) => {
                let local = *local;
                self.locals[local].address_taken = true;
            }
            ExprKind::Var(VarRef::Global(name)) => {
                if let Some(index) = self.file.global_index.get(name.as_str()) {
                    self.file.globals[*index].address_taken = true;
                }
            }
            ExprKind::Field {
                base, arrow: false, ..
            }
            | ExprKind::Index { base, .. }
            | ExprKind::Cast(_, base)
            | ExprKind::Comma(_, base) => {
                let base = *base;
                self.take_address(base);
            }
            _ => {}
        }
    }
}
