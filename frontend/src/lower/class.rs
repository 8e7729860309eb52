//! Classes of C++: what each derives from, which other names types have, and which class the declaration of a variable names.

use crate::lower::cxx::{ClassOf, is_named_with_std};
use crate::lower::declare::{Declared, Derived, base_type};
use crate::lower::file::File;
use crate::lower::{children, field};
use crate::macros::Meaning;
use base::Language;
use ir::{ClassHead, Held, Name, ObjectType, Type};
use library::standard::{self, Fact};
use tree_sitter::Node;

/// What a class derives from.
#[derive(Default)]
struct Bases {
    /// The classes of the program.
    own: Vec<String>,
    /// Some is of the standard library, whose classes derive from none of the program's.
    library: bool,
}

impl File<'_> {
    /// Notes a class with a body.
    pub(super) fn note_class(&mut self, node: Node, body: Node, of: ClassOf) {
        let name = field(node, "name").map(|name| self.last_name(name));
        let text = self.text(body);
        let mut arrows = text.windows(2).enumerate().filter(|(_, pair)| pair == b"->");
        let has_arrow = arrows.any(|(at, _)| text[..at].trim_ascii_end().ends_with(b"operator"));
        let bases = self.bases(node);
        let head = ClassHead {
            name: name.unwrap_or_default(),
            // An error in the body may have hidden members that hide those of a base.
            has_library_base: bases.as_ref().is_some_and(|bases| bases.library),
            bases: bases.map(|bases| bases.own).filter(|_| !node.has_error()),
            has_arrow,
            is_local: of == ClassOf::Function,
        };
        self.classes.insert(head);
    }

    /// What a class derives from; none if something in its head is not understood.
    fn bases(&self, node: Node) -> Option<Bases> {
        let mut bases = Bases::default();
        for child in children(node) {
            match child.kind() {
                "base_class_clause" if !child.has_error() => {
                    for base in children(child) {
                        match base.kind() {
                            "type_identifier" | "qualified_identifier" | "template_type"
                                if is_named_with_std(self.text(base)) =>
                            {
                                bases.library = true;
                            }
                            "type_identifier" | "qualified_identifier" | "template_type" => {
                                bases.own.push(self.last_name(base));
                            }
                            "access_specifier" | "virtual" => {}
                            _ => return None,
                        }
                    }
                }
                "type_identifier"
                | "qualified_identifier"
                | "template_type"
                | "virtual_specifier"
                | "field_declaration_list"
                | "attribute_declaration"
                | "attribute_specifier"
                | "alignas_qualifier" => {}
                _ => return None,
            }
        }
        Some(bases)
    }

    /// Notes that a name may stand for another type.
    pub(super) fn note_alias(&mut self, name: String) {
        if self.is_cxx() {
            self.aliases.insert(name);
        }
    }

    /// Notes the names that a `typedef` gives: one that is the name of its class is no other name for it.
    pub(super) fn note_typedefs(&mut self, node: Node, names: Vec<String>) {
        let ty = field(node, "type").map(|ty| field(ty, "name").unwrap_or(ty));
        let own = ty.map(|ty| self.last_name(ty));
        for name in names {
            if own.as_ref() != Some(&name) {
                self.note_alias(name);
            }
        }
    }

    /// Notes the types among the parameters of a template.
    pub(super) fn note_template(&mut self, parameters: Node) {
        // A template that is a parameter has parameters of its own.
        let mut work = vec![parameters];
        while let Some(at) = work.pop() {
            match at.kind() {
                "type_identifier" => {
                    let name = self.name(at);
                    self.template_types.insert(name.clone());
                    self.note_alias(name);
                }
                "optional_type_parameter_declaration" => work.extend(field(at, "name")),
                "template_parameter_list"
                | "type_parameter_declaration"
                | "variadic_type_parameter_declaration"
                | "template_template_parameter_declaration" => work.extend(children(at)),
                _ => {}
            }
        }
    }

    /// The object that a variable or member is, or leads to, as far as its declaration names a class or a type of numbers.
    pub(super) fn object_type(&self, declaration: Node, declared: &Declared) -> Option<ObjectType> {
        if self.raw.language != Language::Cxx || declared.derived == Derived::Function {
            return None;
        }
        let ty = field(declaration, "type")?;
        if ty.kind() == "placeholder_type_specifier" {
            let value = declared
                .value
                .filter(|value| value.kind() == "lambda_expression")?;
            let span = self.span(value);
            return (declared.levels == 0).then_some(ObjectType::Lambda {
                line: span.line,
                column: span.column,
            });
        }
        let is_reference = declared.derived == Derived::Reference || declared.has_reference;
        let levels = u8::try_from(declared.levels).ok()?;
        if matches!(base_type(self, ty), Type::Int { .. } | Type::Float { .. }) {
            return declared
                .function
                .is_none()
                .then_some(ObjectType::Number { levels, is_reference });
        }
        let named = match ty.kind() {
            "type_identifier" | "template_type" | "qualified_identifier" => ty,
            "struct_specifier" | "class_specifier" => field(ty, "name")?,
            _ => return None,
        };
        let name = self.last_name(named);
        let at = self.prepared.map.raw_start(ty.start_byte() as u32);
        let is_macro = !matches!(
            self.raw.visible.meaning_in_source(name.as_bytes(), at),
            Meaning::None
        );
        if is_macro || declared.function.is_some() {
            return None;
        }
        if is_named_with_std(self.text(ty)) {
            return Some(ObjectType::Library {
                holds: self.held(ty, NESTED_LIMIT),
                levels,
                is_reference,
            });
        }
        Some(ObjectType::Class {
            name: Name::new(&name),
            levels,
            is_reference,
        })
    }

    /// What objects of the type `ty`, one of the standard library's, hold, where templates stand in each other `depth` deep at most.
    fn held(&self, ty: Node, depth: usize) -> Held {
        let is_value = |argument: Node| match argument.kind() {
            "type_descriptor" => {
                let is_plain = field(argument, "declarator").is_none();
                is_plain && field(argument, "type").is_some_and(|ty| self.is_value(ty, depth))
            }
            // How many there are.
            "number_literal" => true,
            _ => false,
        };
        let holds_values = match field(ty, "name") {
            // Of other types, what stands in braces may decide what they hold.
            Some(name) if name.kind() == "type_identifier" => self.text(name) == b"string",
            Some(template) if template.kind() == "template_type" => {
                let arguments = field(template, "arguments").map(children).unwrap_or_default();
                let name = field(template, "name").map(|name| self.name(name));
                name.is_some_and(|name| standard::holds(&name, Fact::HoldsArguments))
                    && arguments.into_iter().all(is_value)
            }
            _ => false,
        };
        if holds_values {
            Held::Values
        } else {
            Held::Anything
        }
    }

    /// Whether what is of the type `ty` stands where it is held: a number, an object of a class of the program, or one of the library's that
    /// holds such values.
    fn is_value(&self, ty: Node, depth: usize) -> bool {
        if is_named_with_std(self.text(ty)) {
            return depth > 0 && self.held(ty, depth - 1) == Held::Values;
        }
        match base_type(self, ty) {
            Type::Int { .. } | Type::Float { .. } => true,
            Type::Aggregate if ty.kind() == "type_identifier" => {
                let name = self.name(ty);
                self.is_class(name.as_bytes()) && !self.aliases.contains(&name)
            }
            _ => false,
        }
    }
}

/// How deep templates are looked into that stand in each other.
const NESTED_LIMIT: usize = 6;
