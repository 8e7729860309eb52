//! Members that a pointer tells: `object.*m`, `pointer->*m`.
//!
//! Which member it is, only the value of `m` says: the program form has what stands at `&object + m`, which may be any of them. A
//! member function that is called so gets the object as others do. Prepared text has no star there, as the grammar cannot read it,
//! so the raw text tells such a member from one that is called `m`.

use crate::lower::function::{Body, BodyKind};
use crate::lower::{children, field};
use ir::{BinaryOp, Callee, ExprId, ExprKind, Receiver};
use tree_sitter::Node;

/// So many members and subscripts behind a star are followed.
const PARTS_LIMIT: usize = 8;

impl Body<'_, '_> {
    /// What `node` is if it is a member that a pointer tells.
    pub(super) fn pointed_member(&mut self, node: Node) -> Option<ExprKind> {
        let (object, pointer) = self.object_and_pointer(node)?;
        let place = self.push_expr(ExprKind::Binary(BinaryOp::Add, object, pointer), node);
        Some(ExprKind::Deref(place))
    }

    /// The call `(object.*m)(…)`, if `function` is such a member. An object that is computed stands before it.
    pub(super) fn pointed_call(
        &mut self,
        node: Node,
        function: Node,
        arguments: &[Node],
    ) -> Option<ExprKind> {
        let mut inner = function;
        while inner.kind() == "parenthesized_expression" {
            inner = *children(inner).first()?;
        }
        let (object, pointer) = self.object_and_pointer(inner)?;
        let args = self.arguments(None, arguments);
        self.receiver = Some(Receiver::At(object));
        let call = ExprKind::Call {
            callee: Callee::Indirect(pointer),
            args: args.into(),
        };
        if matches!(self.exprs[object].kind, ExprKind::Var(_)) {
            return Some(call);
        }
        let call = self.push_expr(call, node);
        Some(ExprKind::Comma(object, call))
    }

    /// The address of the object and the pointer to its member. Of `object.*table[i].step` the grammar makes a member of an element of a member:
    /// what is behind the star is one expression.
    fn object_and_pointer(&mut self, node: Node) -> Option<(ExprId, ExprId)> {
        let mut around = Vec::new();
        let mut member = node;
        let name = loop {
            let is_member = member.kind() == "field_expression";
            let name = field(member, "field").filter(|name| is_member && self.is_behind_star(*name));
            match name {
                Some(name) => break name,
                None if is_member || member.kind() == "subscript_expression" => around.push(member),
                None => return None,
            }
            member = field(member, "argument").filter(|_| around.len() <= PARTS_LIMIT)?;
        };
        let object = self.object(member);
        let is_pointer = self.operator(member) == b"->" || self.is_reference_itself(object);
        let address = if is_pointer {
            object
        } else {
            self.given(object, member)
        };
        let kind = self.pointer_to_member(name);
        let mut pointer = self.push_expr(kind, name);
        for part in around.into_iter().rev() {
            let kind = self.part_of(pointer, part)?;
            pointer = self.push_expr(kind, part);
        }
        Some((address, pointer))
    }

    /// What `node` is, a subscript or a member, if what it is applied to is `base`.
    fn part_of(&mut self, base: ExprId, node: Node) -> Option<ExprKind> {
        if node.kind() == "subscript_expression" {
            let indices = field(node, "indices").map(children).unwrap_or_default();
            let index = self.expr(*indices.last()?);
            return Some(ExprKind::Index { base, index });
        }
        let name = self.file.last_name(field(node, "field")?).into();
        // A reference is a pointer that is followed.
        Some(match self.exprs[base].kind {
            ExprKind::Deref(pointer) => ExprKind::Field {
                base: pointer,
                name,
                arrow: true,
            },
            _ => ExprKind::Field {
                base,
                name,
                arrow: self.operator(node) == b"->",
            },
        })
    }

    /// The pointer by its name. What nothing declares in a member function is a member itself.
    fn pointer_to_member(&mut self, node: Node) -> ExprKind {
        let name = self.file.name(node);
        let is_method = matches!(self.kind, BodyKind::Method | BodyKind::LambdaInMethod);
        let facts = self.file.raw.visible.cxx();
        let is_static = facts.iter().any(|facts| facts.is_static_member(name.as_bytes()));
        let is_declared =
            is_static || self.lookup(&name).is_some() || self.file.global_index.contains_key(&name);
        if !is_method || is_declared {
            return self.identifier(node);
        }
        ExprKind::Field {
            base: self.this_object(node),
            name: name.into(),
            arrow: true,
        }
    }

    /// Whether a star stands in front of `name` in the raw text.
    fn is_behind_star(&self, name: Node) -> bool {
        let at = self.file.prepared.map.raw_start(name.start_byte() as u32) as usize;
        let before = self.file.raw.text.get(..at).unwrap_or_default();
        self.file.is_cxx() && before.trim_ascii_end().last() == Some(&b'*')
    }
}
