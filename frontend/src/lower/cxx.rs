//! C++ at file scope and in classes: which names there are, and the qualified names of functions.

use crate::lower::file::File;
use crate::lower::{children, declare, field};
use base::Language;
use ir::Type;
use library::standard::{self, Fact};
use tree_sitter::Node;

/// The word that stands for the name of an operator where the grammar has none ([`Prepared::operators`](crate::prepare::Prepared::operators)).
pub const OPERATOR: &str = "operator_name";

/// Parts of a qualified name that are followed.
const PARTS_LIMIT: usize = 64;

/// Whether a function or a type is named as one of the standard library's: no class of the program can be meant.
pub fn is_named_with_std(text: &[u8]) -> bool {
    text.starts_with(b"std::")
}

/// A namespace or class around the item at hand.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its name; empty when it has none.
    pub name: String,
    /// Functions in it have a `this`.
    pub is_class: bool,
}

/// What a class is declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassOf {
    File,
    Function,
}

/// Whether the text around an item was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    Understood,
    /// It is in an error of the parser's.
    NotUnderstood,
}

impl File<'_> {
    /// Whether the file is C++.
    pub fn is_cxx(&self) -> bool {
        self.raw.language == Language::Cxx
    }

    /// Whether some C++ file of the program has a class of this name.
    pub fn is_class(&self, name: &[u8]) -> bool {
        self.is_cxx() && self.raw.visible.cxx().iter().any(|facts| facts.is_class(name))
    }

    /// Whether some class of the program has a member of this name.
    pub fn is_member(&self, name: &str) -> bool {
        let facts = self.raw.visible.cxx();
        facts.iter().any(|facts| facts.is_member(name.as_bytes()))
    }

    /// Whether some C++ file of the program declares a function of this name: `~A` and `operator+` are names.
    pub fn is_cxx_function(&self, name: &str) -> bool {
        let facts = self.raw.visible.cxx();
        facts.iter().any(|facts| facts.is_function(name.as_bytes()))
    }

    /// The unqualified name at the end of `node`, without template arguments, spelt as debug info spells it.
    pub fn last_name(&self, node: Node) -> String {
        let mut at = node;
        for _ in 0..PARTS_LIMIT {
            let inner = match at.kind() {
                "qualified_identifier" | "template_function" | "template_method" | "template_type" => {
                    field(at, "name")
                }
                "dependent_name" | "dependent_type" | "dependent_field_identifier" => {
                    children(at).last().copied()
                }
                _ => None,
            };
            match inner {
                Some(inner) => at = inner,
                None => break,
            }
        }
        match at.kind() {
            "operator_name" | "destructor_name" => without_blanks(self.text(at)),
            "operator_cast" => conversion_name(self.text(at)),
            _ => match self.operator_symbol(at) {
                Some(name) => name,
                None => self.name(at),
            },
        }
    }

    /// The name of the operator for which the word `node` stands.
    fn operator_symbol(&self, node: Node) -> Option<String> {
        let at = node.start_byte() as u32;
        self.prepared.operators.binary_search(&at).ok()?;
        let (start, end) = self.raw_range(node);
        let raw = self.raw.text.get(start as usize..end as usize)?;
        Some(without_blanks(raw))
    }

    /// The scopes that `node`, the declarator of a function, names in front of it (`A::B::f`), outermost first.
    pub(super) fn named_scopes(&self, node: Node) -> Vec<String> {
        let mut scopes = Vec::new();
        let mut at = node;
        for _ in 0..PARTS_LIMIT {
            if at.kind() == "qualified_identifier" {
                if let Some(scope) = field(at, "scope") {
                    scopes.push(self.last_name(scope));
                }
                match field(at, "name") {
                    Some(name) => at = name,
                    None => break,
                }
                continue;
            }
            let inner = field(at, "declarator").or_else(|| {
                let wrapped = |child: &Node| {
                    child.kind().ends_with("declarator") || child.kind() == "qualified_identifier"
                };
                children(at).into_iter().find(wrapped)
            });
            match inner.filter(|inner| inner.kind() != "parameter_list") {
                Some(inner) => at = inner,
                None => break,
            }
        }
        scopes
    }

    /// The qualified name of the function `name` whose declarator is `declarator`, and whether it is, or may be, a member
    /// function.
    pub fn qualified(&self, declarator: Node, name: &str) -> (String, bool) {
        let named = self.named_scopes(declarator);
        // A class that was not gathered looks like a namespace; to take one for the other costs precision only.
        let is_method = self.scopes.last().is_some_and(|scope| scope.is_class) || !named.is_empty();
        let around = self.scopes.iter().map(|scope| scope.name.as_str());
        let mut parts: Vec<&str> = around.filter(|name| !name.is_empty()).collect();
        parts.extend(named.iter().map(String::as_str));
        parts.push(name);
        (parts.join("::"), is_method)
    }

    /// Whether a function of this name may be called without a call of its name: by a declaration, an operator, a scope's
    /// end, or through a pointer to a base class.
    pub fn is_called_implicitly(&self, name: &str, qualified: &str) -> bool {
        let facts = self.raw.visible.cxx();
        let is_virtual = facts.iter().any(|facts| facts.is_virtual(name.as_bytes()));
        base::is_operator(name)
            || name.starts_with('~')
            || base::constructs(qualified, name)
            || is_virtual
            || standard::holds(name, Fact::InRangeLoops)
    }

    /// Lowers an item that only C++ has; `false` when `item` is none.
    pub(super) fn cxx_item(&mut self, item: Node, surroundings: Surroundings, depth: usize) -> bool {
        match item.kind() {
            "namespace_definition" => {
                let name = field(item, "name")
                    .map(|name| self.name(name))
                    .unwrap_or_default();
                self.namespaces
                    .extend(name.split("::").map(|part| part.trim().to_owned()));
                let scope = Scope {
                    name,
                    is_class: false,
                };
                self.enclosed(item, scope, surroundings, depth);
            }
            "class_specifier" | "struct_specifier" | "union_specifier" => {
                self.note_enumerators(item);
                self.note_members(item);
                self.class(item, ClassOf::File, surroundings, depth);
            }
            "alias_declaration" => {
                if let (Some(name), Some(ty)) = (field(item, "name"), field(item, "type")) {
                    let ty = declare::described_type(self, ty);
                    self.note_alias(self.name(name));
                    self.types.insert(self.name(name), ty);
                }
            }
            "field_declaration" => {
                if let Some(ty) = field(item, "type") {
                    self.class(ty, ClassOf::File, surroundings, depth);
                }
                self.note_static_members(item);
                for declarator in declare::declarators(item) {
                    if let Some(declared) = declare::declarator(self, declarator)
                        && declared.function.is_some()
                    {
                        self.default_arguments(declarator, declared.function);
                        let name = self.last_name(declared.name);
                        self.function_names.insert(name);
                    }
                }
            }
            "template_declaration" => {
                if let Some(parameters) = field(item, "parameters") {
                    self.note_template(parameters);
                }
                self.items(item, surroundings, depth + 1);
            }
            // A function that a class defines as its friend is none of its members.
            "friend_declaration" => {
                let classes = self.scopes.iter().rposition(|scope| !scope.is_class);
                let inner = self.scopes.split_off(classes.map_or(0, |at| at + 1));
                self.items(item, surroundings, depth + 1);
                self.scopes.extend(inner);
            }
            "export_declaration" | "field_declaration_list" => {
                self.items(item, surroundings, depth + 1);
            }
            _ => return false,
        }
        true
    }

    /// Lowers the functions in the body of `node`, if that is a class.
    pub(super) fn class(&mut self, node: Node, of: ClassOf, surroundings: Surroundings, depth: usize) {
        if matches!(
            node.kind(),
            "class_specifier" | "struct_specifier" | "union_specifier"
        ) && self.is_cxx()
        {
            let name = field(node, "name").map(|name| self.last_name(name));
            if let Some(body) = field(node, "body") {
                self.note_class(node, body, of);
            }
            // `class A::B {` stands in `A`, too.
            let outer = field(node, "name").map_or(Vec::new(), |name| self.named_scopes(name));
            let name = outer.into_iter().chain(name).collect::<Vec<_>>().join("::");
            let scope = Scope { name, is_class: true };
            self.enclosed(node, scope, surroundings, depth);
        }
    }

    fn enclosed(&mut self, node: Node, scope: Scope, surroundings: Surroundings, depth: usize) {
        if let Some(body) = field(node, "body") {
            let is_class = scope.is_class;
            self.scopes.push(scope);
            self.items(body, surroundings, depth + 1);
            if is_class {
                self.default_members(node, body);
            }
            self.scopes.pop();
        }
    }

    /// What a name in a type position stands for when the grammar takes it for a variable: a cast (`bigint(x)`).
    pub fn scalar_type(&self, name: &str) -> Option<Type> {
        if self.is_class(name.as_bytes()) {
            return None;
        }
        let known = self.types.contains_key(name) || self.raw.visible.is_typedef(name.as_bytes());
        let ty = known.then(|| declare::named_type(self, name.as_bytes(), 0))?;
        (ty != Type::Aggregate).then_some(ty)
    }
}

fn without_blanks(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut out = String::new();
    for word in text.split_whitespace() {
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if joins(out.chars().last()) && joins(word.chars().next()) {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// `operator double() const` is called `operator double`.
fn conversion_name(text: &[u8]) -> String {
    let end = text.iter().position(|byte| *byte == b'(').unwrap_or(text.len());
    without_blanks(&text[..end])
}
