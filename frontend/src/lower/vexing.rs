//! Objects that are made of arguments and look like functions that are declared: `Guard guard(lock(i));`, `vector<double> x(n);`.
//!
//! C++ takes what can be a declaration of a function for one, and whether it can depends on what the names are: in `x(n)`, is `n` a type?
//! The grammar does not know and says yes. Functions are hardly ever declared within functions, and objects are made there
//! all the time: only where a name is known as a type it is believed.

use crate::lower::function::{Binding, Body};
use crate::lower::{children, field};
use ir::ExprKind;
use thin_vec::ThinVec;
use tree_sitter::Node;

impl Body<'_, '_> {
    /// The arguments in what looks like the parameters of the declarator `node`, if they are arguments.
    pub(super) fn vexing_arguments<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let is_plain = node.kind() == "function_declarator"
            && field(node, "declarator").is_some_and(|name| name.kind() == "identifier");
        let list = field(node, "parameters").filter(|_| is_plain && self.file.is_cxx())?;
        // Anything behind the list (`const`, `noexcept`, `-> T`) is said of functions only.
        let ends = list.end_byte() == node.end_byte();
        (ends && self.are_arguments(list)).then_some(list)
    }

    fn are_arguments(&self, list: Node) -> bool {
        let parameters = children(list);
        !parameters.is_empty() && parameters.iter().all(|each| self.is_argument(*each))
    }

    /// `n`, `ns::n`, `f(a, b)` or `a * b`, where the first name is not one of a type.
    fn is_argument(&self, node: Node) -> bool {
        let parts = children(node);
        let Some(first) = parts.first().filter(|_| node.kind() == "parameter_declaration") else {
            return false;
        };
        let is_value = match first.kind() {
            "type_identifier" => {
                let name = self.file.name(*first);
                match self.lookup(&name) {
                    Some(Binding::Type(_)) => false,
                    Some(_) => true,
                    None => {
                        !self.is_type_name(&name)
                            && !self.file.is_class(name.as_bytes())
                            && self.file.scalar_type(&name).is_none()
                    }
                }
            }
            "qualified_identifier" => {
                let name = self.file.last_name(*first);
                !self.is_type_name(&name) && !self.file.is_class(name.as_bytes())
            }
            _ => false,
        };
        is_value
            && match parts[1..] {
                [] => true,
                [declarator] => match declarator.kind() {
                    "abstract_function_declarator" => {
                        let list = field(declarator, "parameters");
                        let direct = field(declarator, "declarator").is_none();
                        let list = list.filter(|list| direct && list.end_byte() == declarator.end_byte());
                        list.is_some_and(|list| children(list).is_empty() || self.are_arguments(list))
                    }
                    "pointer_declarator" | "reference_declarator" => factor(declarator).is_some(),
                    _ => false,
                },
                _ => false,
            }
    }

    /// What a parameter stands for that [`Self::vexing_arguments`] takes for an argument.
    pub(super) fn vexing_argument(&mut self, node: Node) -> ExprKind {
        let parts = children(node);
        match parts[..] {
            [name] => self.expr_kind(name),
            [name, declarator] => match (field(declarator, "parameters"), factor(declarator)) {
                (Some(list), _) => {
                    let arguments = children(list);
                    self.cxx_call(node, name, &arguments)
                }
                (None, Some(right)) => {
                    let operands = vec![self.expr(name), self.expr(right)];
                    // A product or a bitwise and: nobody asks for its value, and it changes nothing.
                    ExprKind::List(operands.into())
                }
                (None, None) => ExprKind::Unknown(ThinVec::new()),
            },
            _ => ExprKind::Unknown(ThinVec::new()),
        }
    }
}

/// The right operand in what looks like the declaration of a pointer or reference: `a * b`.
fn factor(declarator: Node<'_>) -> Option<Node<'_>> {
    match children(declarator)[..] {
        [name] if name.kind() == "identifier" => Some(name),
        _ => None,
    }
}
