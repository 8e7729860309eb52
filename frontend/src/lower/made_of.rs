//! Objects of other libraries that may call what they are made of: `std::thread t(work, 3)`, `: runner(&Worker::loop, this)`.
//!
//! The source names the object's class, not a function. A list of values, which is what other objects of unknown classes are, would call
//! nobody; so such an object is made by a call of its constructor, of which nothing is known: it may call all that it is given.

use crate::lower::function::Body;
use crate::lower::{children, field};
use ir::{Callee, Type};
use library::standard::is_thread;
use tree_sitter::Node;

impl Body<'_, '_> {
    /// The constructor of an object of the type `ty`, a class that is not the program's, if it may call what it is given: threads do, and
    /// what gets a function of the program in parentheses. In braces functions stand in tables.
    pub(super) fn calling_constructor(
        &self,
        ty: Option<Node>,
        in_parentheses: bool,
        nodes: &[Node],
    ) -> Option<Callee> {
        let class = ty.map(|ty| self.file.last_name(ty)).unwrap_or_default();
        let makes_thread = is_thread(&class) && !nodes.is_empty();
        (makes_thread || in_parentheses && self.gives_function(nodes)).then(|| constructor(&class))
    }

    /// The same of a member that a constructor initialises.
    pub(super) fn calling_member(&self, member: &str, nodes: &[Node]) -> Option<Callee> {
        let facts = self.file.raw.visible.cxx();
        let is_thread = facts
            .iter()
            .any(|facts| facts.is_thread_member(member.as_bytes()));
        let mut declared = self
            .file
            .members
            .iter()
            .filter(|each| each.name == member)
            .peekable();
        let is_pointer = declared.peek().is_some() && declared.all(|each| each.ty == Type::Pointer);
        let calls = is_thread && !nodes.is_empty() || !is_pointer && self.gives_function(nodes);
        calls.then(|| constructor(member))
    }

    /// Whether a function of the program is among these arguments: `work`, `&work`, `&Worker::loop`.
    fn gives_function(&self, nodes: &[Node]) -> bool {
        nodes.iter().any(|node| {
            let inner = match node.kind() {
                "pointer_expression" => field(*node, "argument"),
                // `std::thread t(work)`, which the grammar takes for the declaration of a function.
                "parameter_declaration" => match children(*node)[..] {
                    [only] => Some(only),
                    _ => None,
                },
                _ => Some(*node),
            };
            let Some(named) = inner else { return false };
            let name = self.file.last_name(named);
            match named.kind() {
                "identifier" | "type_identifier" | "template_function" => {
                    self.lookup(&name).is_none() && self.file.is_function_name(&name)
                }
                "qualified_identifier" => {
                    let facts = self.file.raw.visible.cxx();
                    let is_declared = facts.iter().any(|facts| facts.is_function(name.as_bytes()));
                    is_declared || self.file.is_function_name(&name)
                }
                _ => false,
            }
        })
    }
}

/// The constructor of a class that is not the program's. No function of the program has such a name: a member may be called `thread` as well.
fn constructor(class: &str) -> Callee {
    Callee::Named(format!("::{class}").into())
}
