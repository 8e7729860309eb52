//! What the names of a C file stand for, as far as its declarations tell without types.

use super::neutralise::named;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// The names that are numbers wherever the file declares them: these can be assigned anything.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    numbers: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Numbers {
    /// Reads all declarations below `root`.
    #[must_use]
    pub fn of(root: Node<'_>, text: &str) -> Self {
        let mut numbers = Self::default();
        numbers.gather(root, text);
        numbers
    }

    fn gather(&mut self, node: Node<'_>, text: &str) {
        if matches!(
            node.kind(),
            "declaration" | "parameter_declaration" | "field_declaration" | "type_definition"
        ) {
            let ty = node.child_by_field_name("type");
            let number = ty.is_some_and(|ty| {
                matches!(ty.kind(), "primitive_type" | "sized_type_specifier")
                    && &text[ty.byte_range()] != "void"
            });
            let mut cursor = node.walk();
            for declarator in node.children_by_field_name("declarator", &mut cursor) {
                let declarator = match declarator.kind() {
                    "init_declarator" => declarator.child_by_field_name("declarator").unwrap_or(declarator),
                    _ => declarator,
                };
                let plain = matches!(declarator.kind(), "identifier" | "field_identifier");
                self.declared(declarator, number && plain, text);
            }
        }
        for child in named(node) {
            self.gather(child, text);
        }
    }

    fn declared(&mut self, declarator: Node<'_>, number: bool, text: &str) {
        if matches!(
            declarator.kind(),
            "identifier" | "field_identifier" | "type_identifier"
        ) {
            let name = text[declarator.byte_range()].to_owned();
            if number {
                self.numbers.insert(name);
            } else {
                self.others.insert(name);
            }
        } else if let Some(inner) = innermost(declarator) {
            self.declared(inner, false, text);
        }
    }

    /// Whether the name is always that of a number.
    #[must_use]
    pub fn is_number(&self, name: &str) -> bool {
        self.numbers.contains(name) && !self.others.contains(name)
    }

    /// Whether an expression is such a name, or such a member of a variable: to assign to it evaluates nothing.
    #[must_use]
    pub fn is_place(&self, node: Node<'_>, text: &str) -> bool {
        match node.kind() {
            "identifier" => self.is_number(&text[node.byte_range()]),
            "field_expression" => {
                let member = node.child_by_field_name("field");
                let dot = node
                    .child_by_field_name("operator")
                    .is_some_and(|operator| &text[operator.byte_range()] == ".");
                let base = node.child_by_field_name("argument");
                dot && member.is_some_and(|member| self.is_number(&text[member.byte_range()]))
                    && base.is_some_and(is_variable)
            }
            _ => false,
        }
    }
}

/// A name, or a member of a member of one.
fn is_variable(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" => true,
        "field_expression" => {
            let dot = node
                .child_by_field_name("operator")
                .is_some_and(|operator| operator.kind() == ".");
            dot && node.child_by_field_name("argument").is_some_and(is_variable)
        }
        _ => false,
    }
}

/// The names that a file declares at its outermost level, and those of its macros.
#[derive(Clone, Debug, Default)]
pub struct FileNames {
    /// Functions, variables, types, tags, enumerators.
    pub declared: BTreeSet<String>,
    /// Those of them that other files do not see.
    pub hidden: BTreeSet<String>,
    /// Macros.
    pub macros: BTreeSet<String>,
}

impl FileNames {
    /// Reads the outermost level of a file.
    #[must_use]
    pub fn of(root: Node<'_>, text: &str) -> Self {
        let mut names = Self::default();
        names.gather(root, text, true);
        names
    }

    fn gather(&mut self, node: Node<'_>, text: &str, outermost: bool) {
        let own = |node: Option<Node<'_>>| node.map(|node| text[node.byte_range()].to_owned());
        match node.kind() {
            "preproc_def" | "preproc_function_def" => {
                self.macros.extend(own(node.child_by_field_name("name")));
            }
            "struct_specifier" | "union_specifier" | "enum_specifier" | "enumerator" => {
                self.declared.extend(own(node.child_by_field_name("name")));
            }
            "declaration" | "type_definition" | "function_definition" if outermost => {
                let hidden = named(node).iter().any(|child| {
                    child.kind() == "storage_class_specifier" && &text[child.byte_range()] == "static"
                });
                let mut cursor = node.walk();
                for declarator in node.children_by_field_name("declarator", &mut cursor) {
                    if let Some(name) = innermost(declarator) {
                        let name = text[name.byte_range()].to_owned();
                        if hidden {
                            self.hidden.insert(name.clone());
                        }
                        self.declared.insert(name);
                    }
                }
            }
            _ => {}
        }
        let inside = outermost && node.kind() != "function_definition";
        for child in named(node) {
            self.gather(child, text, inside);
        }
    }
}

fn innermost(declarator: Node<'_>) -> Option<Node<'_>> {
    if matches!(
        declarator.kind(),
        "identifier" | "field_identifier" | "type_identifier"
    ) {
        return Some(declarator);
    }
    if let Some(inner) = declarator.child_by_field_name("declarator") {
        return innermost(inner);
    }
    // `(*name)` has no field.
    named(declarator).into_iter().find_map(innermost)
}
