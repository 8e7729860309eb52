//! Expressions.

use crate::expand::BUILD_CHOICE;
use crate::lower::function::{Binding, Body, BodyKind};
use crate::lower::{children, declare, field, literal};
use crate::macros::Meaning;
use crate::shape::is_control;
use crate::token::TokenKind;
use base::Cause;
use ir::{BinaryOp, ExprId, ExprKind, Type, UnaryOp, VarRef};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

/// Whether nodes of this kind are expressions.
pub fn is_expression(kind: &str) -> bool {
    matches!(
        kind,
        "identifier"
            | "number_literal"
            | "string_literal"
            | "concatenated_string"
            | "char_literal"
            | "true"
            | "false"
            | "null"
            | "initializer_list"
            | "raw_string_literal"
            | "user_defined_literal"
            | "this"
            | "nullptr"
            | "qualified_identifier"
            | "template_function"
    ) || (kind.ends_with("_expression") && kind != "preproc_call_expression")
}

impl Body<'_, '_> {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, node: Node) -> ExprId {
        if let Some(step) = self.step_behind_operators(node) {
            return step;
        }
        if matches!(node.kind(), "parenthesized_expression" | "extension_expression") {
            let inner = children(node);
            if let [inner] = inner.as_slice() {
                if inner.kind() == "compound_statement" {
                    return self.statement_expression(node, *inner);
                }
                // Parentheses mean nothing here; they count as depth, for there may be many.
                let inner = *inner;
                if let Some(id) = self.deeper(node, |body| body.expr(inner)) {
                    return id;
                }
            }
            return self.push_expr(ExprKind::Unknown(ThinVec::new()), node);
        }
        let kind = self.deeper(node, |body| body.expr_kind(node));
        self.push_expr(kind.unwrap_or(ExprKind::Unknown(ThinVec::new())), node)
    }

    /// A field that must be an expression.
    pub(super) fn operand(&mut self, node: Node, name: &str) -> ExprId {
        match field(node, name) {
            Some(operand) => self.expr(operand),
            None => self.push_expr(ExprKind::Unknown(ThinVec::new()), node),
        }
    }

    pub(super) fn operator(&self, node: Node) -> &'_ [u8] {
        let operator = field(node, "operator");
        operator.map(|op| self.file.text(op)).unwrap_or_default()
    }

    pub(super) fn expr_kind(&mut self, node: Node) -> ExprKind {
        match node.kind() {
            "identifier" | "type_identifier" => self.identifier(node),
            "parameter_declaration" => self.vexing_argument(node),
            "type_descriptor" if self.is_argument(node) => self.vexing_argument(node),
            "macro_type_specifier" if self.is_call_read_as_type(node) => self.call_read_as_type(node),
            "number_literal" => self.number(node),
            "char_literal" => literal::character(self.file.text(node)),
            "raw_string_literal" => ExprKind::Str,
            "string_literal" | "concatenated_string" => ExprKind::Str,
            "true" => ExprKind::Int(1),
            "false" | "null" => ExprKind::Int(0),
            // The operand is not evaluated.
            "sizeof_expression" | "alignof_expression" | "offsetof_expression" => ExprKind::Constant,
            "comma_expression" => {
                let left = self.operand(node, "left");
                let right = self.operand(node, "right");
                self.overloaded_comma(node, left, right)
                    .unwrap_or(ExprKind::Comma(left, right))
            }
            "conditional_expression" => self.conditional(node),
            "assignment_expression" => self.assignment(node),
            "update_expression" => self.step(node),
            "unary_expression" => self.unary(node),
            "binary_expression" => self.binary(node),
            "pointer_expression" => self.address_or_target(node),
            "cast_expression" => self.cast(node),
            "subscript_expression" => match self.pointed_member(node) {
                Some(member) => member,
                None => self.subscript(node),
            },
            "field_expression" => match self.pointed_member(node) {
                Some(member) => member,
                None => self.member(node),
            },
            "call_expression" => self.call(node),
            "compound_literal_expression" => match field(node, "value") {
                Some(value) if self.file.is_cxx() => self.construct(node, field(node, "type"), Some(value)),
                Some(value) => self.list(value),
                None => ExprKind::Unknown(ThinVec::new()),
            },
            "initializer_list" => self.list(node),
            "gnu_asm_expression" => self.assembly(node),
            "generic_expression" => {
                // The first operand is not evaluated, and one of the others is.
                let rest = children(node)
                    .into_iter()
                    .skip(1)
                    .filter(|child| is_expression(child.kind()));
                ExprKind::Unknown(rest.map(|child| self.expr(child)).collect())
            }
            _ => match self.cxx_expr(node) {
                Some(kind) => kind,
                None => {
                    self.partial(node, Cause::Expression);
                    ExprKind::Unknown(self.parts(node).into())
                }
            },
        }
    }

    fn number(&mut self, node: Node) -> ExprKind {
        let offset = node.start_byte() as u32;
        if self.file.prepared.type_arguments.binary_search(&offset).is_ok() {
            return ExprKind::Constant;
        }
        let text = self.file.text(node);
        match (literal::number(text), literal::unsigned_bits(text)) {
            (number @ ExprKind::Int(_), Some(bits)) => {
                let number = self.push_expr(number, node);
                let unsigned = Type::Int {
                    signed: Some(false),
                    bits: Some(bits),
                };
                ExprKind::Cast(unsigned, number)
            }
            (number, _) => number,
        }
    }

    /// `i++` and its like.
    fn step(&mut self, node: Node) -> ExprKind {
        let target = self.operand(node, "argument");
        if let Some(call) = self.overloaded_step(node, target) {
            return call;
        }
        let of_value = match self.exprs[target].kind {
            ExprKind::Step { .. } | ExprKind::Assign { .. } | ExprKind::Conditional(..) => true,
            ExprKind::Comma(..) => !self.is_reference_result(target),
            _ => false,
        };
        if of_value {
            // C++ lets what was just assigned be stepped at once, `++++i`.
            self.partial(node, Cause::Step);
        }
        let operator = field(node, "operator");
        ExprKind::Step {
            target,
            up: self.operator(node) == b"++",
            prefix: operator.is_some_and(|op| op.start_byte() == node.start_byte()),
        }
    }

    /// `&x`, or `*p`.
    fn address_or_target(&mut self, node: Node) -> ExprKind {
        let argument = self.operand(node, "argument");
        if !matches!(self.operator(node), b"&" | b"bitand") {
            return ExprKind::Deref(argument);
        }
        if let ExprKind::Deref(pointer) = self.exprs[argument].kind {
            return ExprKind::Cast(Type::Pointer, pointer);
        }
        self.note_address(argument);
        ExprKind::AddressOf(argument)
    }

    fn cast(&mut self, node: Node) -> ExprKind {
        let ty = field(node, "type");
        if let Some(name) = ty.and_then(|ty| self.variable_as_type(ty)) {
            // `(x) & y` and the like, read as a cast because names may be types.
            return ExprKind::Unknown(thin_vec![name, self.operand(node, "value")]);
        }
        let ty = ty.map_or(Type::Unknown, |ty| declare::described_type(self.file, ty));
        ExprKind::Cast(ty, self.operand(node, "value"))
    }

    /// `a.b`, or `p->b`.
    fn member(&mut self, node: Node) -> ExprKind {
        let base = self.object(node);
        let name = field(node, "field").map(|field| self.file.last_name(field));
        // Of the two of that name, a member and a function, only the member can stand there uncalled. If there is no such member,
        // what stands around it was not understood.
        let facts = self.file.raw.visible.cxx();
        let is_member = |name: &&str| facts.iter().any(|facts| facts.is_member(name.as_bytes()));
        let function = name.as_deref().filter(|name| !is_member(name));
        if let Some(exposed) = function.and_then(|name| self.exposed_by(name, node)) {
            let exposed = self.push_expr(exposed, node);
            return ExprKind::Comma(exposed, base);
        }
        ExprKind::Field {
            base,
            name: name.unwrap_or_default().into(),
            arrow: self.operator(node) == b"->",
        }
    }

    pub(super) fn identifier(&mut self, node: Node) -> ExprKind {
        let name = self.file.name(node);
        // Where no statement may stand, the grammar takes the word for a name.
        if is_control(name.as_bytes()) {
            self.partial(node, Cause::SyntaxError);
        }
        match self.lookup(&name) {
            Some(Binding::Local(local)) => return self.variable(local, node),
            Some(Binding::Enumerator(value)) => return value.map_or(ExprKind::Constant, ExprKind::Int),
            Some(Binding::Type(_)) => return ExprKind::Constant,
            Some(Binding::FileScope) => {}
            None => {
                if let Some(value) = self.file.enumerators.get(&name) {
                    return value.map_or(ExprKind::Constant, ExprKind::Int);
                }
                if matches!(name.as_str(), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
                    return ExprKind::Str;
                }
                if name == LABEL_ADDRESS {
                    return ExprKind::Constant;
                }
            }
        }
        if name.as_bytes() == BUILD_CHOICE {
            return ExprKind::BuildChoice;
        }
        if let Some(kind) = self.invocation(node, &name) {
            return kind;
        }
        if let Some(kind) = self.implicit_member(node, &name) {
            return kind;
        }
        if !self.captured.contains(&name)
            && let Some(constant) = self.file.enumerator_of_header(node, &name, None)
        {
            return constant;
        }
        self.file.note_address_of_function(name.clone());
        if matches!(self.kind, BodyKind::Method | BodyKind::LambdaInMethod)
            && let Some(exposed) = self.exposed_by(&name, node)
        {
            return exposed;
        }
        if self.hides_variables(node, &name) {
            return ExprKind::Unknown(ThinVec::new());
        }
        let is_reference = self.file.global_references.contains(&name);
        let variable = ExprKind::Var(VarRef::Global(name.into()));
        if is_reference {
            return ExprKind::Deref(self.push_expr(variable, node));
        }
        variable
    }

    /// Whether `name` is a macro that was left as it is, and a definition of it names anything: to take it for a
    /// variable of that name, which nobody writes, would be wrong.
    fn hides_variables(&mut self, node: Node, name: &str) -> bool {
        let offset = node.start_byte() as u32;
        if self.is_plain_name(offset) {
            return false;
        }
        let raw = self.file.prepared.map.raw_start(offset);
        let definitions = match self.file.raw.visible.meaning(name.as_bytes(), raw) {
            Meaning::One(definition) => vec![definition],
            Meaning::Several(definitions) => definitions,
            Meaning::None | Meaning::Elsewhere => Vec::new(),
        };
        let tokens = definitions
            .iter()
            .filter(|d| d.params.is_none())
            .flat_map(|d| &d.body);
        // Which type of MPI's an element has is for the build to say (`REAL_TYPE` for `MPI_FLOAT` or `MPI_DOUBLE`); no variable is in it.
        let is_constant_of_mpi = |text: &[u8]| {
            let rest = text.strip_prefix(b"MPI_");
            rest.is_some_and(|rest| !rest.iter().any(u8::is_ascii_lowercase))
        };
        let names: Vec<_> = tokens
            .filter(|t| t.kind == TokenKind::Ident && !is_constant_of_mpi(&t.text))
            .collect();
        for token in &names {
            self.file
                .note_address_of_function(String::from_utf8_lossy(&token.text).into_owned());
        }
        !names.is_empty()
    }

    /// GNU `a ?: b` yields the value of `a` without evaluating it again.
    fn conditional(&mut self, node: Node) -> ExprKind {
        let condition = self.operand(node, "condition");
        let then = match field(node, "consequence") {
            Some(then) => self.expr(then),
            None => self.push_expr(ExprKind::Unknown(ThinVec::new()), node),
        };
        ExprKind::Conditional(condition, then, self.operand(node, "alternative"))
    }

    fn assignment(&mut self, node: Node) -> ExprKind {
        let mut target = self.operand(node, "left");
        let value = self.operand(node, "right");
        if let Some(call) = self.overloaded_assignment(node, target, value) {
            return call;
        }
        if self.is_reference_result(target) {
            // What a call returns by reference is memory that we do not name.
            target = self.push_expr(ExprKind::Deref(target), node);
        }
        let op = self.operator(node).strip_suffix(b"=").and_then(BinaryOp::written);
        if !self.is_lvalue(target) {
            // A macro that was not expanded, or a mistaken parse: something is written, and we cannot say what.
            self.partial(node, Cause::Assignment);
        }
        ExprKind::Assign { op, target, value }
    }

    pub(super) fn is_lvalue(&self, target: ExprId) -> bool {
        matches!(
            self.exprs[target].kind,
            ExprKind::Var(_) | ExprKind::Field { .. } | ExprKind::Index { .. } | ExprKind::Deref(_)
        )
    }

    fn unary(&mut self, node: Node) -> ExprKind {
        let argument = self.operand(node, "argument");
        match self.operator(node) {
            b"-" => {
                let operand = field(node, "argument");
                let text = operand.map(|operand| self.file.text(operand)).unwrap_or_default();
                let unsigned = text.iter().any(|b| matches!(b, b'u' | b'U'));
                match &self.exprs[argument].kind {
                    ExprKind::Int(value) if !unsigned && *value > i64::MIN => ExprKind::Int(-value),
                    ExprKind::Float(value) => ExprKind::Float(-value),
                    _ => ExprKind::Unary(UnaryOp::Neg, argument),
                }
            }
            b"~" | b"compl" => ExprKind::Unary(UnaryOp::BitNot, argument),
            b"!" | b"not" => ExprKind::Unary(UnaryOp::Not, argument),
            // `+x` is x, promoted.
            _ => ExprKind::Cast(Type::Unknown, argument),
        }
    }

    fn binary(&mut self, node: Node) -> ExprKind {
        if let Some(cast) = self.hidden_cast(node) {
            return cast;
        }
        let left = self.operand(node, "left");
        let right = self.operand(node, "right");
        if let Some(call) = self.overloaded_binary(node, left, right) {
            return call;
        }
        let op = match self.operator(node) {
            b"&&" | b"and" => return ExprKind::And(left, right),
            b"||" | b"or" => return ExprKind::Or(left, right),
            other => BinaryOp::written(other),
        };
        let Some(op) = op else {
            return ExprKind::Unknown(thin_vec![left, right]);
        };
        if let (ExprKind::Int(l), ExprKind::Int(r)) = (&self.exprs[left].kind, &self.exprs[right].kind)
            && self.place(node).1
            && let Some(value) = literal::fold(op, *l, *r)
        {
            return ExprKind::Int(value);
        }
        ExprKind::Binary(op, left, right)
    }

    pub(super) fn list(&mut self, node: Node) -> ExprKind {
        let mut values = Vec::new();
        for child in children(node) {
            let value = match child.kind() {
                "initializer_pair" => field(child, "value"),
                _ => Some(child),
            };
            values.extend(value.map(|value| self.expr(value)));
        }
        ExprKind::List(values.into())
    }

    /// `({ … })`: its value and effects are those of its parts, one after the other where nothing in it branches.
    fn statement_expression(&mut self, node: Node, block: Node) -> ExprId {
        let parts = self.scoped(|body| body.deeper(node, |body| body.parts(block)));
        let parts = parts.unwrap_or_default();
        if is_straight(block, 0)
            && let Some((first, rest)) = parts.split_first()
        {
            return rest.iter().fold(*first, |before, after| {
                self.push_expr(ExprKind::Comma(before, *after), node)
            });
        }
        self.push_expr(ExprKind::Unknown(parts.into()), node)
    }
}

/// Blocks in statement expressions that are looked into.
const BLOCK_LIMIT: usize = 20;

/// Whether a block holds only declarations and expressions, which run in order.
fn is_straight(block: Node, depth: usize) -> bool {
    depth < BLOCK_LIMIT
        && !block.has_error()
        && children(block).into_iter().all(|child| match child.kind() {
            "declaration" | "expression_statement" | "comment" => true,
            "compound_statement" => is_straight(child, depth + 1),
            _ => false,
        })
}

/// The name that stands for `&&label` in prepared text.
pub const LABEL_ADDRESS: &str = "__label_address";
