//! Accessors: member functions such as `int &cycle() { return m_cycle; }`, through which programs read and change members.
//!
//! A call of one is read as what it gives: `++d.cycle()` steps `d.m_cycle`. The call comes before it, for a task may stand in
//! it: `(d.cycle(), d).m_cycle`. All that makes, passes on or changes references then sees a member, and the accessor itself
//! gives away no address. So every way to call one has to come through here.

use crate::lower::function::{Body, BodyKind};
use crate::macros::Meaning;
use ir::{Callee, ExprId, ExprKind, Name, Receiver, VarRef};
use thin_vec::ThinVec;
use tree_sitter::Node;

impl Body<'_, '_> {
    /// The member that every function called `name` is an accessor to, if all of them are.
    pub(super) fn accessed(&self, name: &str, node: Node) -> Option<Name> {
        let visible = &self.file.raw.visible;
        let facts = visible.cxx();
        let mut given = facts.iter().filter_map(|facts| facts.accessed(name.as_bytes()));
        let member = given.next()??;
        let is_one = given.all(|other| other == Some(member));
        let is_member = facts.iter().any(|facts| facts.is_member(member))
            && !facts.iter().any(|facts| facts.is_outside_objects(member));
        let raw = self.file.prepared.map.raw_start(node.start_byte() as u32);
        let is_macro = !matches!(visible.meaning(member, raw), Meaning::None);
        let text = std::str::from_utf8(member).ok()?;
        (is_one && is_member && !is_macro).then(|| text.into())
    }

    /// What the call `object.name()` of an accessor gives: the member.
    pub(super) fn access(
        &mut self,
        (object, arrow): (ExprId, bool),
        name: &str,
        member: Name,
        node: Node,
    ) -> ExprKind {
        let call = ExprKind::Call {
            callee: Callee::Named(name.into()),
            args: ThinVec::new(),
        };
        if !self.is_place(object) {
            // Which object it is comes out of another call: whoever has the reference may change the member of any.
            let exposed = self.exposed(member, node);
            let call = self.push_expr(call, node);
            let called = self.push_expr(ExprKind::Comma(object, call), node);
            return ExprKind::Comma(exposed, called);
        }
        let is_pointer = match &self.exprs[object].kind {
            ExprKind::Var(VarRef::Local(local)) => {
                arrow || self.references.contains(local) || Some(*local) == self.this
            }
            _ => arrow,
        };
        let receiver = match &self.exprs[object].kind {
            _ if is_pointer => object,
            ExprKind::Deref(pointer) => *pointer,
            _ => self.push_expr(ExprKind::AddressOf(object), node),
        };
        self.receiver = Some(Receiver::At(receiver));
        let call = self.push_expr(call, node);
        let object = self.push_expr(ExprKind::Comma(call, object), node);
        ExprKind::Field {
            base: object,
            name: member,
            arrow,
        }
    }

    /// What the call `name()` gives if it is one of an accessor to the object at hand.
    pub(super) fn own_access(&mut self, name: &str, node: Node, arguments: &[Node]) -> Option<ExprKind> {
        if !arguments.is_empty() || !matches!(self.kind, BodyKind::Method | BodyKind::LambdaInMethod) {
            return None;
        }
        let member = self.accessed(name, node)?;
        let this = self.this_object(node);
        Some(self.access((this, true), name, member, node))
    }

    /// What stands for the member function `name`, of which a pointer is made, if it is an accessor: whoever has the pointer may change
    /// the member.
    pub(super) fn exposed_by(&mut self, name: &str, node: Node) -> Option<ExprKind> {
        let member = self.accessed(name, node)?;
        let address = self.exposed(member, node);
        let function = self.push_expr(ExprKind::Var(VarRef::Global(name.into())), node);
        Some(ExprKind::Comma(address, function))
    }

    /// Whether the function at hand is an accessor, and `value` the member that it gives.
    pub(super) fn is_own_member(&self, value: ExprId, node: Node) -> bool {
        let ExprKind::Field { base, name, .. } = &self.exprs[value].kind else {
            return false;
        };
        let is_this = match &self.exprs[*base].kind {
            ExprKind::Var(VarRef::Local(local)) => Some(*local) == self.this,
            _ => false,
        };
        let given = || self.accessed(self.own_name.as_deref()?, node);
        is_this && given() == Some(*name)
    }

    /// The address of a member of an object that the source does not name here.
    fn exposed(&mut self, member: Name, node: Node) -> ExprId {
        let field = ExprKind::Field {
            base: self.push_expr(ExprKind::Unseen, node),
            name: member,
            arrow: false,
        };
        let field = self.push_expr(field, node);
        self.push_expr(ExprKind::AddressOf(field), node)
    }

    /// Whether an expression names a place by variables, members and pointers alone, so that naming it has no effect.
    fn is_place(&self, id: ExprId) -> bool {
        match self.exprs[id].kind {
            ExprKind::Var(_) => true,
            ExprKind::Field { base, .. } => self.is_place(base),
            ExprKind::Deref(pointer) => self.is_place(pointer),
            _ => false,
        }
    }
}
