//! File scope.

use crate::blank::closing;
use crate::declare::Specifiers;
use crate::function;
use crate::markers::{SourceRange, SourceRanges};
use crate::types::{Derived, is_of_structures, name_of};
use crate::{Preprocessed, constant};
use base::Span;
use ir::{Function, Global, Member, Type, Unit};
use lang_c::ast::{
    self, Declaration, EnumType, Expression, ExternalDeclaration, Initializer, StructDeclaration, StructKind,
    StructType, TranslationUnit, TypeSpecifier, UnaryOperator,
};
use lang_c::span::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Nesting of constant expressions and initialisers that is followed.
const DEPTH_LIMIT: usize = 100;

/// A unit while it is lowered.
pub struct Lowering<'a> {
    /// The text that the parser read.
    pub text: &'a [u8],
    places: &'a dyn SourceRanges,
    functions: Vec<Function>,
    globals: Vec<Global>,
    /// The places of variables in `globals`; headers' variables are there too.
    pub global_index: BTreeMap<String, usize>,
    /// Whether the variable stands in the main file.
    own_globals: BTreeSet<usize>,
    /// Functions declared so far.
    pub function_names: BTreeSet<String>,
    address_taken_functions: BTreeSet<String>,
    /// The functions and variables that the initialiser at hand names.
    named: Vec<String>,
    /// Typedefs at file scope.
    pub types: BTreeMap<String, Type>,
    /// Enumerators at file scope.
    pub enumerators: BTreeMap<String, Option<i64>>,
    members: BTreeSet<Member>,
}

impl<'a> Lowering<'a> {
    /// An empty unit whose text stands at `places`.
    pub fn new(text: &'a [u8], places: &'a dyn SourceRanges) -> Self {
        Self {
            text,
            places,
            functions: Vec::new(),
            globals: Vec::new(),
            global_index: BTreeMap::new(),
            own_globals: BTreeSet::new(),
            function_names: BTreeSet::new(),
            address_taken_functions: BTreeSet::new(),
            named: Vec::new(),
            types: BTreeMap::new(),
            enumerators: BTreeMap::new(),
            members: BTreeSet::new(),
        }
    }

    /// The unit.
    pub fn finish(self, source: &Preprocessed<'_>) -> Unit {
        let own = self.own_globals;
        let globals = self.globals.into_iter().enumerate();
        Unit {
            path: source.path.to_owned(),
            content_hash: *blake3::hash(source.raw).as_bytes(),
            functions: self.functions,
            globals: globals
                .filter(|(index, _)| own.contains(index))
                .map(|(_, global)| global)
                .collect(),
            members: self.members.into_iter().collect(),
            address_taken_functions: self.address_taken_functions.into_iter().collect(),
            macros: Vec::new(),
            diagnostics: Vec::new(),
            // Only the slicer asks for the rest, and it reads what the other parser has read.
            ..Unit::default()
        }
    }

    /// Where a node stands, trailing blanks left out; `None` outside the main file.
    pub fn place<T>(&self, node: &Node<T>) -> Option<SourceRange> {
        let text = self.text.get(node.span.start..node.span.end).unwrap_or_default();
        let end = node.span.start + text.trim_ascii_end().len();
        self.places.place(node.span.start..end.max(node.span.start))
    }

    /// The same without parentheses around the whole: the parser counts them in for some kinds of expression.
    pub(crate) fn place_inside_parentheses<T>(&self, node: &Node<T>) -> Option<SourceRange> {
        let (mut start, mut end) = (node.span.start, node.span.end);
        loop {
            let text = self.text.get(start..end).unwrap_or_default();
            end = start + text.trim_ascii_end().len();
            let inner = text.trim_ascii();
            if !inner.starts_with(b"(") || closing(inner) != Some(inner.len() - 1) {
                return self.places.place(start..end.max(start));
            }
            start += 1;
            end -= 1;
            let blanks = self.text[start..end]
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace());
            start += blanks.count();
        }
    }

    /// Where a node stands; nowhere outside the main file.
    pub fn span<T>(&self, node: &Node<T>) -> Span {
        self.place(node).map(|place| place.span).unwrap_or_default()
    }

    /// Lowers everything.
    pub(crate) fn translation_unit(&mut self, unit: &TranslationUnit) {
        for item in &unit.0 {
            match &item.node {
                ExternalDeclaration::Declaration(declaration) => self.declaration(declaration),
                ExternalDeclaration::StaticAssert(_) => {}
                ExternalDeclaration::FunctionDefinition(definition) => {
                    if let Some(name) = name_of(&definition.node.declarator) {
                        self.function_names.insert(name.node.name.clone());
                    }
                    for specifier in &definition.node.specifiers {
                        self.note_specifier(&specifier.node);
                    }
                    if self.place(definition).is_some()
                        && let Some(function) = function::lower(self, definition)
                    {
                        self.functions.push(function);
                    }
                }
            }
        }
    }

    fn declaration(&mut self, declaration: &Node<Declaration>) {
        for specifier in &declaration.node.specifiers {
            self.note_specifier(&specifier.node);
        }
        let specifiers = Specifiers::of(&declaration.node, &|name| self.types.get(name).copied());
        for declarator in &declaration.node.declarators {
            let Some(name) = name_of(&declarator.node.declarator) else {
                continue;
            };
            let derived = Derived::of(&declarator.node.declarator.node);
            let text = name.node.name.clone();
            if specifiers.is_typedef {
                self.types.insert(text, derived.apply(specifiers.ty));
                continue;
            }
            if derived == Derived::Function {
                self.function_names.insert(text);
                continue;
            }
            let value = declarator.node.initializer.as_ref();
            self.named.clear();
            if let Some(value) = value {
                self.note_names(&value.node, 0);
            }
            let is_extern = specifiers.is_extern && value.is_none();
            let ty = derived.apply(specifiers.ty);
            let initial = match value.map(|value| &value.node) {
                Some(Initializer::Expression(value)) => self.constant(&value.node, 0),
                Some(Initializer::List(_)) => None,
                None => (!is_extern).then_some(0),
            };
            let global = Global {
                span: self.span(name),
                name: text,
                ty,
                is_static: specifiers.is_static,
                is_extern,
                is_constant: false,
                address_taken: ty == Type::Array,
                initial,
                initial_names: std::mem::take(&mut self.named),
                of_structures: is_of_structures(&declarator.node.declarator.node, specifiers.ty),
                object: None,
            };
            let own = self.place(name).is_some();
            self.global(global, own);
        }
    }

    fn global(&mut self, global: Global, own: bool) {
        let index = match self.global_index.get(&global.name) {
            None => {
                self.global_index.insert(global.name.clone(), self.globals.len());
                self.globals.push(global);
                self.globals.len() - 1
            }
            Some(&index) => {
                let known = &mut self.globals[index];
                let address_taken = known.address_taken || global.address_taken;
                // A declaration without value adds nothing to a definition (C11 6.9.2).
                let tentative = global.initial == Some(0) && !known.is_extern;
                if !global.is_extern && !tentative {
                    *known = global;
                }
                known.address_taken = address_taken;
                index
            }
        };
        if own {
            self.own_globals.insert(index);
        }
    }

    /// The variable of this name at file scope.
    pub(crate) fn global_mut(&mut self, name: &str) -> Option<&mut Global> {
        let index = self.global_index.get(name)?;
        self.globals.get_mut(*index)
    }

    /// Records that `name` is used other than as a callee, if it is a function's.
    pub fn note_address_of_function(&mut self, name: &str) {
        if self.function_names.contains(name) && !self.global_index.contains_key(name) {
            self.address_taken_functions.insert(name.to_owned());
        }
    }

    fn note_specifier(&mut self, specifier: &ast::DeclarationSpecifier) {
        if let ast::DeclarationSpecifier::TypeSpecifier(ty) = specifier {
            for (name, value) in self.note_type(&ty.node, false, 0) {
                self.enumerators.insert(name, value);
            }
        }
    }

    /// Records the members that a type declares; gives its enumerators.
    pub(crate) fn note_type(
        &mut self,
        ty: &TypeSpecifier,
        in_union: bool,
        depth: usize,
    ) -> Vec<(String, Option<i64>)> {
        match ty {
            TypeSpecifier::Enum(list) => self.enumerators_of(&list.node),
            TypeSpecifier::Struct(fields) if depth < DEPTH_LIMIT => {
                let in_union = in_union || fields.node.kind.node == StructKind::Union;
                self.note_members(&fields.node, in_union, depth)
            }
            _ => Vec::new(),
        }
    }

    fn note_members(
        &mut self,
        list: &StructType,
        in_union: bool,
        depth: usize,
    ) -> Vec<(String, Option<i64>)> {
        let mut enumerators = Vec::new();
        for field in list.declarations.iter().flatten() {
            let StructDeclaration::Field(field) = &field.node else {
                continue;
            };
            let types = field.node.specifiers.iter().filter_map(|each| match &each.node {
                ast::SpecifierQualifier::TypeSpecifier(ty) => Some(&ty.node),
                _ => None,
            });
            for ty in types.clone() {
                enumerators.extend(self.note_type(ty, in_union, depth + 1));
            }
            let base = crate::types::of_specifiers(types, &|name| self.types.get(name).copied());
            for declarator in &field.node.declarators {
                let Some(name) = declarator.node.declarator.as_ref().and_then(name_of) else {
                    continue;
                };
                let derived = declarator.node.declarator.as_ref().map(|d| Derived::of(&d.node));
                let width = declarator.node.bit_width.as_ref().map(|width| {
                    let width = self.constant(&width.node, 0);
                    width
                        .and_then(|width| u8::try_from(width).ok())
                        .unwrap_or(1)
                        .max(1)
                });
                let ty = match (width, base) {
                    (Some(bits), Type::Int { signed, .. }) => Type::Int {
                        signed,
                        bits: Some(bits),
                    },
                    (Some(bits), _) => Type::Int {
                        signed: None,
                        bits: Some(bits),
                    },
                    (None, base) => derived.unwrap_or(Derived::Plain).apply(base),
                };
                self.members.insert(Member {
                    name: name.node.name.clone(),
                    ty,
                    in_union,
                    class: None,
                    of_structures: declarator
                        .node
                        .declarator
                        .as_ref()
                        .is_some_and(|declarator| is_of_structures(&declarator.node, base)),
                    object: None,
                });
            }
        }
        enumerators
    }

    /// The enumerators of a list; they count up from the last value given.
    fn enumerators_of(&self, list: &EnumType) -> Vec<(String, Option<i64>)> {
        let mut found: Vec<(String, Option<i64>)> = Vec::new();
        let mut next = Some(0_i64);
        for each in &list.enumerators {
            let value = match &each.node.expression {
                Some(value) => self.constant_with(&value.node, 0, &found),
                None => next,
            };
            next = value.and_then(|value| value.checked_add(1));
            found.push((each.node.identifier.node.name.clone(), value));
        }
        found
    }

    /// The value of an integer constant expression at file scope.
    pub fn constant(&self, value: &Expression, depth: usize) -> Option<i64> {
        self.constant_with(value, depth, &[])
    }

    fn constant_with(
        &self,
        value: &Expression,
        depth: usize,
        fresh: &[(String, Option<i64>)],
    ) -> Option<i64> {
        if depth > DEPTH_LIMIT {
            return None;
        }
        let inner = |value: &Expression| self.constant_with(value, depth + 1, fresh);
        match value {
            Expression::Constant(constant) => match constant::lower(&constant.node) {
                (ir::ExprKind::Int(value), _) => Some(value),
                _ => None,
            },
            Expression::Identifier(name) => {
                let name = &name.node.name;
                let found = fresh.iter().rev().find(|(other, _)| other == name);
                found.map_or_else(|| self.enumerators.get(name).copied()?, |(_, value)| *value)
            }
            Expression::UnaryOperator(unary) => {
                let value = inner(&unary.node.operand.node)?;
                match unary.node.operator.node {
                    UnaryOperator::Minus => value.checked_neg(),
                    UnaryOperator::Plus => Some(value),
                    _ => None,
                }
            }
            Expression::BinaryOperator(binary) => {
                let operator = constant::operator(&binary.node.operator.node)?;
                constant::fold(
                    operator,
                    inner(&binary.node.lhs.node)?,
                    inner(&binary.node.rhs.node)?,
                )
            }
            // A null pointer is as good as zero; other casts may change the value.
            Expression::Cast(cast) => inner(&cast.node.expression.node).filter(|value| *value == 0),
            _ => None,
        }
    }

    /// Records the functions and variables whose address an initialiser at file scope takes.
    fn note_names(&mut self, value: &Initializer, depth: usize) {
        if depth > DEPTH_LIMIT {
            return;
        }
        match value {
            Initializer::Expression(value) => self.note_names_in(&value.node, depth),
            Initializer::List(items) => {
                for item in items {
                    self.note_names(&item.node.initializer.node, depth + 1);
                }
            }
        }
    }

    fn note_names_in(&mut self, value: &Expression, depth: usize) {
        if depth > DEPTH_LIMIT {
            return;
        }
        let mut inner = |value: &Node<Expression>| self.note_names_in(&value.node, depth + 1);
        match value {
            Expression::Identifier(name) => {
                let name = &name.node.name;
                if self.global_index.contains_key(name) || self.function_names.contains(name) {
                    self.named.push(name.clone());
                }
                match self.global_mut(name) {
                    // Only addresses and arrays are constant here.
                    Some(global) => global.address_taken = true,
                    None => self.note_address_of_function(name),
                }
            }
            Expression::UnaryOperator(unary) => inner(&unary.node.operand),
            Expression::Cast(cast) => inner(&cast.node.expression),
            Expression::Member(member) => inner(&member.node.expression),
            Expression::BinaryOperator(binary) => {
                inner(&binary.node.lhs);
                inner(&binary.node.rhs);
            }
            Expression::Conditional(choice) => {
                inner(&choice.node.then_expression);
                inner(&choice.node.else_expression);
            }
            Expression::Comma(parts) => parts.iter().for_each(inner),
            Expression::CompoundLiteral(literal) => {
                for item in &literal.node.initializer_list {
                    self.note_names(&item.node.initializer.node, depth + 1);
                }
            }
            _ => {}
        }
    }
}
