//! Whose address is taken.

use crate::lower::function::Body;
use crate::lower::{children, field};
use ir::{BinaryOp, ExprId, ExprKind, VarRef};
use thin_vec::ThinVec;
use tree_sitter::Node;

impl Body<'_, '_> {
    /// What an asm statement writes are assignments of unknown values; `asm goto` jumps.
    pub(super) fn assembly(&mut self, node: Node) -> ExprKind {
        let mut parts = Vec::new();
        for list in children(node) {
            let output = list.kind() == "gnu_asm_output_operand_list";
            if list.kind() == "gnu_asm_goto_list" {
                self.partial(list, "asm goto");
            }
            for operand in children(list) {
                let Some(value) = field(operand, "value") else {
                    continue;
                };
                let target = self.expr(value);
                // A memory operand hands over the variable's address.
                self.take_address(target);
                parts.push(if output {
                    let value = self.push_expr(ExprKind::Unknown(ThinVec::new()), operand);
                    let op: Option<BinaryOp> = None;
                    self.push_expr(ExprKind::Assign { op, target, value }, operand)
                } else {
                    target
                });
            }
        }
        ExprKind::Unknown(parts.into())
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
