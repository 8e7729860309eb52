//! File scope: which names are variables, functions, types and enumerators, and where functions are.

use crate::enumerators::Enumerated;
use crate::lower::cxx::{ClassOf, Scope, Surroundings};
use crate::lower::declare::{Declared, Derived, Specifiers};
use crate::lower::function::{TRY, body_of, lower_function};
use crate::lower::{children, declare, field, literal, member};
use crate::prepare::{Note, Prepared, Raw};
use crate::shape::is_keyword;
use crate::token::lex;
use base::{Diagnostic, Span};
use ir::{BinaryOp, CallOperator, ClassHead, Defaults, ExprKind, Function, Global, Member, Type};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Diagnostics per file after which no more are given: the user has seen that the file is not C.
const DIAGNOSTIC_LIMIT: usize = 20;
/// Nesting of items at file scope (`extern "C"`, errors) that is followed.
const DEPTH_LIMIT: usize = 40;
/// Nesting of constant expressions and of initialisers at file scope that is followed.
const CONSTANT_DEPTH_LIMIT: usize = 60;

/// One file while it is lowered.
pub struct File<'a> {
    /// As the user named it.
    pub path: &'a str,
    /// The raw file.
    pub raw: Raw<'a>,
    /// The prepared text and its notes.
    pub prepared: &'a Prepared,
    /// Where lines have other numbers than they have in the file.
    pub renumbered: Vec<Note>,
    /// Functions so far.
    pub functions: Vec<Function>,
    /// Variables at file scope so far.
    pub globals: Vec<Global>,
    /// Their places in `globals`.
    pub global_index: BTreeMap<String, usize>,
    /// Those of them that are references: pointers that are followed wherever they are named.
    pub global_references: BTreeSet<String>,
    /// Functions declared or defined in this file.
    pub function_names: BTreeSet<String>,
    /// What macros call that were left as they are; `None` when that is not known, or not the same everywhere.
    pub macros: BTreeMap<String, Option<Vec<String>>>,
    /// Functions whose name occurs other than as a callee.
    pub address_taken_functions: BTreeSet<String>,
    /// Typedefs of this file.
    pub types: BTreeMap<String, Type>,
    /// Enumerators of this file; `None` when the value is not known.
    pub enumerators: BTreeMap<String, Option<i64>>,
    /// Members of the structures and unions of this file.
    pub members: BTreeSet<Member>,
    /// Classes of this file.
    pub classes: BTreeSet<ClassHead>,
    /// Names that may stand for another type.
    pub aliases: BTreeSet<String>,
    /// Names of types that are parameters of templates: what else has such a name is another type within these.
    pub template_types: BTreeSet<String>,
    /// Namespaces of this file.
    pub namespaces: BTreeSet<String>,
    /// Namespaces and classes around the item at hand.
    pub scopes: Vec<Scope>,
    /// Prepared offsets of macros whose hidden code has been accounted for.
    pub passed: BTreeSet<u32>,
    /// Variables of the functions around the class, or the default arguments, that are being lowered.
    pub outer: BTreeSet<String>,
    /// What gives values where no statement stands, so far.
    pub defaults: Defaults,
    /// Members that belong to classes, not to objects: variables that every function may name.
    pub static_members: Vec<Global>,
    /// How the objects of its classes are called.
    pub call_operators: BTreeSet<CallOperator>,
    /// What went wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Bytes in which `typedef enum` must stand to be seen.
const ENUMERATION_HEAD: usize = 100;

impl<'a> File<'a> {
    /// The prepared text of `node`.
    pub fn text(&self, node: Node) -> &'a [u8] {
        self.prepared.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The prepared text of `node`, for names.
    pub fn name(&self, node: Node) -> String {
        String::from_utf8_lossy(self.text(node)).into_owned()
    }

    /// Where `node` stands in the raw file.
    pub fn span(&self, node: Node) -> Span {
        let (start, end) = self.raw_range(node);
        self.raw.lines.span(start, end)
    }

    /// The raw bytes that `node` stands for.
    pub fn raw_range(&self, node: Node) -> (u32, u32) {
        let start = self.prepared.map.raw_start(node.start_byte() as u32);
        let end = self.prepared.map.raw_end(node.end_byte() as u32);
        (start, end.max(start))
    }

    /// Lowers everything below `root`.
    pub fn lower(&mut self, root: Node) {
        self.items(root, Surroundings::Understood, 0);
        // A lambda is met before the function around it is done.
        self.functions
            .sort_by_key(|function| (function.span.line, function.span.column));
        self.missed_bodies();
        for member in std::mem::take(&mut self.static_members) {
            self.static_member(member);
        }
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        if self.diagnostics.len() < DIAGNOSTIC_LIMIT {
            self.diagnostics
                .push(Diagnostic::warning(self.path, span, message));
        }
    }

    pub(super) fn items(&mut self, parent: Node, surroundings: Surroundings, depth: usize) {
        if depth > DEPTH_LIMIT {
            self.warn(
                self.span(parent),
                "nested too deeply; what is inside was not read",
            );
            return;
        }
        for item in children(parent) {
            self.item(item, surroundings, depth);
        }
    }

    fn item(&mut self, item: Node, surroundings: Surroundings, depth: usize) {
        if self.is_cxx() && self.cxx_item(item, surroundings, depth) {
            return;
        }
        match item.kind() {
            // `= default`, `= delete`
            "function_definition" if self.is_cxx() && !has_body(item) => {}
            "function_definition" => {
                if let Some(function) = lower_function(self, item, surroundings) {
                    self.function_names.insert(function.name.clone());
                    self.functions.push(function);
                } else {
                    self.warn(self.span(item), "a function without a name that could be read");
                }
            }
            "declaration" => self.declaration(item),
            "type_definition" => {
                let typedefs = declare::typedefs(self, item);
                let names = typedefs.iter().map(|(name, _)| name.clone()).collect();
                self.note_typedefs(item, names);
                self.types.extend(typedefs);
                self.note_enumerators(item);
                self.note_members(item);
            }
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                self.note_enumerators(item);
                self.note_members(item);
            }
            "ERROR" => {
                if self.may_lose_function(item) {
                    let line = self.span(item).line;
                    let message =
                        format!("text at line {line} is not understood; functions inside it may be missing");
                    self.warn(self.span(item), message);
                }
                self.items(item, Surroundings::NotUnderstood, depth + 1);
            }
            "linkage_specification"
            | "declaration_list"
            | "preproc_if"
            | "preproc_ifdef"
            | "preproc_else"
            | "preproc_elif"
            | "preproc_elifdef" => self.items(item, surroundings, depth + 1),
            _ => {}
        }
    }

    fn declaration(&mut self, item: Node) {
        self.note_enumerators(item);
        self.note_members(item);
        if let Some(ty) = field(item, "type") {
            self.class(ty, ClassOf::File, Surroundings::Understood, 0);
        }
        let specifiers = Specifiers::read(self, item);
        for declarator in declare::declarators(item) {
            let Some(declared) = declare::declarator(self, declarator) else {
                continue;
            };
            // `return x;` behind a body that was closed too early looks like a declaration.
            if is_keyword(self.text(declared.name)) {
                continue;
            }
            let mut initial_names = Vec::new();
            if let Some(value) = declared.value {
                self.note_function_names(value, 0, &mut initial_names);
            }
            let name = self.last_name(declared.name);
            if declared.derived == Derived::Function {
                self.default_arguments(declarator, declared.function);
                self.function_names.insert(name);
                continue;
            }
            let is_reference = declared.derived == Derived::Reference;
            if is_reference {
                self.global_references.insert(name.clone());
                for referent in &initial_names {
                    if let Some(&index) = self.global_index.get(referent) {
                        self.globals[index].address_taken = true;
                    }
                }
            }
            let is_extern = specifiers.is_extern && declared.value.is_none();
            let initial = match declared.value {
                _ if is_reference => None,
                Some(value) => self.constant(value, 0),
                None => (!is_extern).then_some(0),
            };
            let ty = declared.derived.apply(specifiers.ty);
            let object = self.object_type(item, &declared);
            self.global(Global {
                object,
                name,
                span: self.span(declared.name),
                ty,
                is_static: specifiers.is_static,
                is_extern,
                is_constant: self.is_constant(item, &declared),
                address_taken: ty == Type::Array,
                initial,
                initial_names,
                of_structures: declared.is_of_structures(specifiers.ty),
            });
        }
    }

    /// Whether what `item` declares keeps its initial value.
    fn is_constant(&self, item: Node, declared: &Declared) -> bool {
        self.is_cxx() && declared.derived == Derived::Plain && declare::is_fixed(self, item)
    }

    /// Adds a variable, or what a further declaration of it says.
    fn global(&mut self, global: Global) {
        let Some(index) = self.global_index.get(&global.name) else {
            self.global_index.insert(global.name.clone(), self.globals.len());
            self.globals.push(global);
            return;
        };
        let known = &mut self.globals[*index];
        known.address_taken |= global.address_taken;
        known.of_structures |= global.of_structures;
        known.is_constant &= global.is_constant;
        known.initial_names.extend(global.initial_names.iter().cloned());
        if known.ty != global.ty {
            known.ty = Type::Unknown;
        }
        if known.object != global.object {
            known.object = None;
        }
        if known.is_extern && !global.is_extern {
            let address_taken = known.address_taken;
            let (ty, object) = (known.ty, known.object);
            let initial_names = std::mem::take(&mut known.initial_names);
            let (of_structures, is_constant) = (known.of_structures, known.is_constant);
            *known = Global {
                address_taken,
                is_constant,
                ty,
                object,
                initial_names,
                of_structures,
                ..global
            };
        } else if !global.is_extern && known.initial != global.initial {
            // `int n; … int n = 3;` is one definition, but so may two `#if` arms look.
            known.initial = None;
        }
    }

    /// Notes the members that `item`, a declaration in a class, gives to the class. Their names are no variables of the file: a function
    /// of some other class may have one.
    pub(super) fn note_static_members(&mut self, item: Node) {
        let specifiers = Specifiers::read(self, item);
        if !specifiers.is_static {
            return;
        }
        for declarator in declare::declarators(item) {
            let Some(declared) = declare::declarator(self, declarator) else {
                continue;
            };
            if declared.derived == Derived::Function || declared.function.is_some() {
                continue;
            }
            let value = field(item, "default_value");
            let mut initial_names = Vec::new();
            if let Some(value) = value {
                self.note_function_names(value, 0, &mut initial_names);
            }
            // Only where it stands inline, or has its value, is it defined.
            let is_defined = value.is_some() || Specifiers::is_inline(self, item);
            let is_reference = declared.derived == Derived::Reference;
            self.static_members.push(Global {
                object: self.object_type(item, &declared),
                name: self.last_name(declared.name),
                span: self.span(declared.name),
                ty: declared.derived.apply(specifiers.ty),
                is_static: false,
                is_extern: !is_defined,
                is_constant: self.is_constant(item, &declared),
                // Functions before the declaration may have taken it.
                address_taken: true,
                initial: value
                    .filter(|_| !is_reference)
                    .and_then(|value| self.constant(value, 0))
                    .or((value.is_none() && is_defined).then_some(0)),
                initial_names,
                of_structures: declared.is_of_structures(specifiers.ty),
            });
        }
    }

    /// Adds a member that belongs to its class. Of one that is defined in this file, all uses after that are known.
    fn static_member(&mut self, member: Global) {
        let known = self.global_index.get(&member.name);
        let address_taken = known.is_none_or(|&index| self.globals[index].address_taken);
        self.global(Global {
            address_taken,
            ..member
        });
    }

    /// Records the enumerators that `node`, a declaration or a type, defines.
    pub fn note_enumerators(&mut self, node: Node) {
        for (name, value) in self.enumerators_in(node) {
            self.enumerators
                .entry(name)
                .and_modify(|known| *known = known.filter(|v| Some(*v) == value))
                .or_insert(value);
        }
    }

    /// Records the members that `node`, a declaration or a type, declares.
    pub fn note_members(&mut self, node: Node) {
        let found = member::members_in(self, node);
        self.members.extend(found);
    }

    /// The enumerators that `node`, a declaration or a type, defines, with their values where known.
    pub fn enumerators_in(&self, node: Node) -> Vec<(String, Option<i64>)> {
        let mut found = Vec::new();
        let mut queue = vec![(node, 0)];
        while let Some((node, depth)) = queue.pop() {
            match node.kind() {
                "enumerator_list" => {
                    // Values count up from the last one given; after a conditional group nobody knows.
                    let mut next = Some(0);
                    for child in children(node) {
                        if child.kind() != "enumerator" {
                            next = None;
                            continue;
                        }
                        let value = match field(child, "value") {
                            Some(value) => self.constant_with(value, 0, &found),
                            None => next,
                        };
                        next = value.and_then(|v| v.checked_add(1));
                        if let Some(name) = field(child, "name") {
                            found.push((self.name(name), value));
                        }
                    }
                }
                "declaration"
                | "type_definition"
                | "struct_specifier"
                | "union_specifier"
                | "class_specifier"
                | "enum_specifier"
                | "field_declaration_list"
                | "field_declaration"
                    if depth < DEPTH_LIMIT =>
                {
                    queue.extend(children(node).into_iter().map(|child| (child, depth + 1)));
                }
                _ => {}
            }
        }
        found
    }

    /// What `name` at `node`, behind `qualifier` and `::` if there is one, is as an enumerator of a header; `None` if it is none, or this file
    /// declares something else of that name.
    pub fn enumerator_of_header(&self, node: Node, name: &str, qualifier: Option<&str>) -> Option<ExprKind> {
        if self.global_index.contains_key(name) || self.is_function_name(name) {
            return None;
        }
        let at = self.prepared.map.raw_start(node.start_byte() as u32);
        let found = self
            .raw
            .visible
            .enumerator(name.as_bytes(), qualifier.map(str::as_bytes), at)?;
        if qualifier.is_none() && self.is_template_parameter(node, name) {
            return None;
        }
        Some(match found {
            Enumerated::Value(value) => ExprKind::Int(value),
            Enumerated::Unknown => ExprKind::Constant,
        })
    }

    /// Whether a template around `node` has a parameter of this name (`template <int N>`).
    fn is_template_parameter(&self, node: Node, name: &str) -> bool {
        let around = std::iter::successors(node.parent(), Node::parent);
        let templates = around.filter(|around| around.kind() == "template_declaration");
        let parameters = templates.filter_map(|template| field(template, "parameters"));
        parameters.into_iter().any(|parameters| {
            let text = self.text(parameters);
            lex(text).iter().any(|token| token.text(text) == name.as_bytes())
        })
    }

    /// The value of an integer constant expression outside functions.
    pub fn constant(&self, node: Node, depth: usize) -> Option<i64> {
        self.constant_with(node, depth, &[])
    }

    fn constant_with(&self, node: Node, depth: usize, fresh: &[(String, Option<i64>)]) -> Option<i64> {
        if depth > CONSTANT_DEPTH_LIMIT {
            return None;
        }
        let part = |name: &str| field(node, name);
        let inner = |node: Node| self.constant_with(node, depth + 1, fresh);
        let int = |kind: ExprKind| match kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        };
        match node.kind() {
            "number_literal" => int(literal::number(self.text(node))),
            "char_literal" => int(literal::character(self.text(node))),
            "true" => Some(1),
            "false" | "null" => Some(0),
            "identifier" => {
                let name = self.name(node);
                let found = fresh.iter().rev().find(|(other, _)| *other == name);
                found
                    .map(|(_, value)| *value)
                    .or_else(|| self.enumerators.get(&name).copied())
                    .or_else(|| self.enumerator_of_header(node, &name, None).map(int))?
            }
            "parenthesized_expression" => children(node).into_iter().next().and_then(inner),
            "unary_expression" => {
                let argument = part("argument")?;
                let value = inner(argument)?;
                let unsigned = self.text(argument).iter().any(|b| matches!(b, b'u' | b'U'));
                match self.text(part("operator")?) {
                    b"-" if !unsigned => value.checked_neg(),
                    b"+" => Some(value),
                    _ => None,
                }
            }
            "binary_expression" => {
                let op = BinaryOp::written(self.text(part("operator")?))?;
                literal::fold(op, inner(part("left")?)?, inner(part("right")?)?)
            }
            "cast_expression" => match declare::described_type(self, part("type")?) {
                Type::Pointer => inner(part("value")?).filter(|v| *v == 0),
                _ => None,
            },
            _ => None,
        }
    }

    /// Records the functions and variables whose address an initialiser at file scope takes, and adds them to `names`.
    fn note_function_names(&mut self, node: Node, depth: usize, names: &mut Vec<String>) {
        if depth > CONSTANT_DEPTH_LIMIT {
            return;
        }
        if node.kind() == "identifier" {
            let name = self.name(node);
            // What nobody declares may be a function without source, unless it is written as constants are.
            let may_be_function = self.is_function_name(&name) || !base::is_shouted(name.as_bytes());
            if self.global_index.contains_key(&name) || may_be_function {
                names.push(name.clone());
            }
            if let Some(index) = self.global_index.get(&name) {
                // `= x` reads no address of a scalar, but only `&x` and arrays are constant here.
                self.globals[*index].address_taken = true;
            } else {
                self.note_address_of_function(name);
            }
            return;
        }
        for child in children(node) {
            self.note_function_names(child, depth + 1, names);
        }
    }

    /// Whether some file of the program declares or defines a function of this name.
    pub fn is_function_name(&self, name: &str) -> bool {
        self.function_names.contains(name) || self.raw.visible.is_function(name.as_bytes())
    }

    /// Records that `name` is used other than as a callee, if it is a function's.
    pub fn note_address_of_function(&mut self, name: String) {
        let known = self.function_names.contains(&name) || self.raw.visible.is_function(name.as_bytes());
        if known && !self.global_index.contains_key(&name) {
            self.address_taken_functions.insert(name);
        }
    }

    /// Whether functions may be lost where text is not understood. There is none without a brace (headers of Fortran, lists of
    /// macros), in the error or in what the parser made of the text behind it; and none in an enumeration, whose
    /// enumerators may have attributes. What is no text at all may hold anything.
    fn may_lose_function(&self, error: Node) -> bool {
        let text = self.text(error);
        let tokens = lex(&text[..text.len().min(ENUMERATION_HEAD)]);
        let word = |at: usize| tokens.get(at).map(|token| token.text(text)).unwrap_or_default();
        let is_enumeration = word(usize::from(word(0) == b"typedef")) == b"enum";
        let behind = error.next_named_sibling();
        let behind = behind.filter(|next| next.kind().ends_with("statement"));
        let opens = |node: Node| self.text(node).contains(&b'{');
        let is_text = || !self.raw.text.contains(&0);
        !is_enumeration && (opens(error) || behind.is_some_and(opens)) || !is_text()
    }

    /// Function bodies that the tokens show and the tree does not.
    fn missed_bodies(&mut self) {
        let mut found: Vec<u32> = self.functions.iter().map(|f| f.span.end_line).collect();
        found.sort_unstable();
        for (start, end) in &self.prepared.bodies {
            let raw_start = self.prepared.map.raw_start(*start);
            let span = self.raw.lines.span(raw_start, self.prepared.map.raw_end(*end));
            // What the tokens take for a body may be a handler's block, inside a function of C++.
            let inside = |f: &Function| f.span.line <= span.line && span.end_line <= f.span.end_line;
            let handler = self.is_cxx() && self.functions.iter().any(inside);
            if !handler && found.binary_search(&span.end_line).is_err() {
                let message = format!(
                    "the function whose body begins at line {} could not be read",
                    span.line
                );
                self.warn(span, message);
            }
        }
    }
}

/// Whether a function's definition has a body.
fn has_body(item: Node) -> bool {
    body_of(item).is_some_and(|body| matches!(body.kind(), "compound_statement" | TRY))
}
