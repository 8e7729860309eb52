//! Objects that are made of arguments and look like functions that are declared: `Guard guard(lock(i));`, `vector<double> x(n);`.
//!
//! C++ takes what can be a declaration of a function for one, and whether it can depends on what the names are: in `x(n)`, is `n` a type?
//! The grammar does not know and says yes. Functions are hardly ever declared within functions, and objects are made there
//! all the time: only where a name is known as a type it is believed.

use crate::lower::function::{Binding, Body};
use crate::lower::{children, field};
use ir::{BinaryOp, ExprId, ExprKind, StmtKind};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

/// Bytes of a call that is looked for in what the grammar takes for a type: no more can be nested in it than a stack bears.
const LONGEST: usize = 1_000;

impl Body<'_, '_> {
    /// The arguments in what looks like the parameters of the declarator `node`, if they are arguments.
    pub(super) fn vexing_arguments<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        // `int &r(x)` is a reference to `x`.
        let node = match node.kind() {
            "reference_declarator" => children(node).into_iter().next()?,
            _ => node,
        };
        let is_plain = node.kind() == "function_declarator"
            && field(node, "declarator").is_some_and(|name| name.kind() == "identifier");
        let list = field(node, "parameters").filter(|_| is_plain && self.file.is_cxx())?;
        // Anything behind the list (`const`, `noexcept`, `-> T`) is said of functions only.
        let ends = list.end_byte() == node.end_byte();
        (ends && self.are_arguments(list)).then_some(list)
    }

    /// Whether `node`, a statement of C, is a call whose only argument is a call of names: `check(scale(x, m * n));`. The grammar takes
    /// it for a type that a macro makes of another, a function's.
    pub(super) fn is_call_read_as_type(&self, node: Node) -> bool {
        let (Some(name), Some(argument)) = (field(node, "name"), field(node, "type")) else {
            return false;
        };
        // Its parts are looked at before the depth of the code is.
        let short = node.end_byte() - node.start_byte() <= LONGEST;
        node.kind() == "macro_type_specifier" && short && self.is_value(name) && self.is_argument(argument)
    }

    /// The call that [`Self::is_call_read_as_type`] finds.
    pub(super) fn call_read_as_type(&mut self, node: Node) -> ExprKind {
        match (field(node, "name"), field(node, "type")) {
            (Some(name), Some(argument)) => self.plain_call(node, name, &[argument]),
            _ => ExprKind::Unknown(ThinVec::new()),
        }
    }

    fn are_arguments(&self, list: Node) -> bool {
        let parameters = children(list);
        !parameters.is_empty() && parameters.iter().all(|each| self.is_argument(*each))
    }

    /// `n`, `ns::n`, `f(a, b)`, `x[i]` or `a * b`, where the first name is not one of a type.
    pub(super) fn is_argument(&self, node: Node) -> bool {
        let parts = children(node);
        let Some(first) = parts
            .first()
            .filter(|_| matches!(node.kind(), "parameter_declaration" | "type_descriptor"))
        else {
            return false;
        };
        (self.is_value(*first) || self.is_call_read_as_type(*first))
            && match parts[1..] {
                [] => true,
                [declarator] => match declarator.kind() {
                    "abstract_function_declarator" => {
                        let direct = field(declarator, "declarator").is_none();
                        direct && self.has_arguments(declarator)
                    }
                    "abstract_array_declarator" => {
                        field(declarator, "declarator").is_none() && field(declarator, "size").is_some()
                    }
                    "pointer_declarator" | "reference_declarator" | "abstract_pointer_declarator" => {
                        factor(declarator).is_some_and(|right| self.is_operand(right))
                    }
                    _ => false,
                },
                _ => false,
            }
    }

    /// Whether the name `node` stands where a type may, but is none.
    fn is_value(&self, node: Node) -> bool {
        match node.kind() {
            "identifier" | "type_identifier" => {
                let name = self.file.name(node);
                match self.lookup(&name) {
                    Some(Binding::Type(_)) => false,
                    Some(_) => true,
                    None => {
                        !self.is_type_name(&name)
                            && !self.file.is_class(name.as_bytes())
                            && self.file.scalar_type(&name).is_none()
                            && !is_type_operator(&name)
                    }
                }
            }
            "qualified_identifier" => {
                let name = self.file.last_name(node);
                !self.is_type_name(&name) && !self.file.is_class(name.as_bytes())
            }
            _ => false,
        }
    }

    /// Whether what looks like the parameters of a declarator are arguments, and nothing is behind them.
    fn has_arguments(&self, declarator: Node) -> bool {
        let list = field(declarator, "parameters").filter(|list| list.end_byte() == declarator.end_byte());
        list.is_some_and(|list| children(list).is_empty() || self.are_arguments(list))
    }

    /// Whether what looks like a declarator is an operand: `b`, `*b`, `(b)`, `b[i]`, `f(a)`, `sizeof(T)`.
    fn is_operand(&self, node: Node) -> bool {
        match node.kind() {
            "identifier" => true,
            "pointer_declarator" | "parenthesized_declarator" => {
                factor(node).is_some_and(|inner| self.is_operand(inner))
            }
            "abstract_function_declarator" => {
                between_parentheses(node).is_some_and(|inner| self.is_argument(inner))
            }
            "array_declarator" => {
                let base = field(node, "declarator").is_some_and(|base| self.is_operand(base));
                base && field(node, "size").is_some()
            }
            "function_declarator" => {
                let name = field(node, "declarator").filter(|inner| inner.kind() == "identifier");
                name.is_some_and(|name| self.is_sizeof(name) || self.has_arguments(node))
            }
            _ => false,
        }
    }

    fn is_sizeof(&self, name: Node) -> bool {
        self.file.text(name) == b"sizeof"
    }

    /// What a parameter stands for that [`Self::vexing_arguments`] takes for an argument.
    pub(super) fn vexing_argument(&mut self, node: Node) -> ExprKind {
        let parts = children(node);
        let (first, declarator) = match parts[..] {
            [name] => return self.expr_kind(name),
            [first, declarator] => (first, declarator),
            _ => return ExprKind::Unknown(ThinVec::new()),
        };
        if let Some(list) = field(declarator, "parameters") {
            return self.plain_call(node, first, &children(list));
        }
        if let Some(index) = field(declarator, "size") {
            let base = self.expr(first);
            let index = self.expr(index);
            return ExprKind::Index { base, index };
        }
        let Some(right) = factor(declarator) else {
            return ExprKind::Unknown(ThinVec::new());
        };
        let (left, right) = (self.expr(first), self.declared_operand(right));
        if self.file.text(declarator).starts_with(b"&&") {
            return ExprKind::And(left, right);
        }
        if self.file.is_cxx() {
            // A product or a bitwise and: nobody asks for its value, and it changes nothing.
            return ExprKind::List(thin_vec![left, right]);
        }
        ExprKind::Binary(BinaryOp::Mul, left, right)
    }

    /// What a declarator stands for that [`Self::is_operand`].
    fn declared_operand(&mut self, node: Node) -> ExprId {
        let kind = self.deeper(node, |body| body.declared_operand_kind(node));
        self.push_expr(kind.unwrap_or(ExprKind::Unknown(ThinVec::new())), node)
    }

    fn declared_operand_kind(&mut self, node: Node) -> ExprKind {
        let inner = field(node, "declarator").or_else(|| factor(node));
        match (node.kind(), inner) {
            ("abstract_function_declarator", _) => match between_parentheses(node) {
                Some(inner) => self.expr_kind(inner),
                None => ExprKind::Unknown(ThinVec::new()),
            },
            ("pointer_declarator", Some(inner)) => ExprKind::Deref(self.declared_operand(inner)),
            ("parenthesized_declarator", Some(inner)) => self.declared_operand_kind(inner),
            ("array_declarator", Some(inner)) => {
                let base = self.declared_operand(inner);
                let index = self.operand(node, "size");
                ExprKind::Index { base, index }
            }
            ("function_declarator", Some(name)) if self.is_sizeof(name) => ExprKind::Constant,
            ("function_declarator", Some(name)) => {
                let arguments = field(node, "parameters").map(children).unwrap_or_default();
                self.plain_call(node, name, &arguments)
            }
            _ => self.expr_kind(node),
        }
    }

    /// `cycle() = 0;`, which the grammar takes for a member function without a body: zero is assigned to what the call gives.
    pub(super) fn zeroed_result(&mut self, node: Node) -> Option<StmtKind> {
        let declarator = field(node, "declarator").filter(|_| self.file.is_cxx())?;
        let is_statement = field(node, "type").is_none()
            && declarator.kind() == "function_declarator"
            && children(node)
                .iter()
                .any(|child| child.kind() == "pure_virtual_clause");
        let function = field(declarator, "declarator").filter(|_| is_statement)?;
        let arguments = field(declarator, "parameters").map(children).unwrap_or_default();
        let call = self.plain_call(declarator, function, &arguments);
        let mut target = self.push_expr(call, declarator);
        if self.is_reference_result(target) {
            target = self.push_expr(ExprKind::Deref(target), declarator);
        }
        let value = self.push_expr(ExprKind::Int(0), node);
        let op = None;
        let assignment = self.push_expr(ExprKind::Assign { op, target, value }, node);
        Some(StmtKind::Expr(assignment))
    }

    fn plain_call(&mut self, node: Node, function: Node, arguments: &[Node]) -> ExprKind {
        if self.file.is_cxx() {
            self.cxx_call(node, function, arguments)
        } else {
            self.c_call(function, arguments)
        }
    }
}

/// What stands behind the operator in what looks like the declaration of a pointer or reference (`a * b`), or between parentheses.
fn factor(declarator: Node<'_>) -> Option<Node<'_>> {
    match children(declarator)[..] {
        [inner] => Some(inner),
        _ => None,
    }
}

/// `(b)`, in what looks like a function that takes a `b`.
fn between_parentheses(declarator: Node<'_>) -> Option<Node<'_>> {
    let list = field(declarator, "parameters").filter(|list| list.end_byte() == declarator.end_byte())?;
    let inner = factor(list)?;
    field(declarator, "declarator").is_none().then_some(inner)
}

/// Names behind which a type stands in parentheses and makes another one.
fn is_type_operator(name: &str) -> bool {
    matches!(name, "_Atomic" | "_Alignas" | "alignas" | "_BitInt")
        || name.trim_start_matches('_').starts_with("typeof")
        || name.trim_start_matches('_').starts_with("attribute")
}
