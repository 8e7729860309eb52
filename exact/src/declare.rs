//! Declarations inside functions.

use crate::function::{Binding, Body};
use crate::types::{Derived, derivations, is_of_structures, name_of, of_specifiers};
use ir::{ExprId, ExprKind, StmtId, StmtKind, Type};
use lang_c::ast::{
    ArraySize, Declaration, DeclarationSpecifier, Declarator, DerivedDeclarator, Initializer,
    StorageClassSpecifier, TypeQualifier,
};
use lang_c::span::Node;

/// What stands in front of the declarators.
#[derive(Clone, Copy, Debug)]
pub struct Specifiers {
    /// The type.
    pub ty: Type,
    /// `static`.
    pub is_static: bool,
    /// `extern`.
    pub is_extern: bool,
    /// `typedef`.
    pub is_typedef: bool,
    /// `const`.
    pub is_const: bool,
}

impl Specifiers {
    /// The specifiers of a declaration.
    pub fn of(declaration: &Declaration, named: &dyn Fn(&str) -> Option<Type>) -> Self {
        Self::read(&declaration.specifiers, named)
    }

    /// Reads specifiers; `named` knows the typedefs.
    pub fn read(specifiers: &[Node<DeclarationSpecifier>], named: &dyn Fn(&str) -> Option<Type>) -> Self {
        let types = specifiers.iter().filter_map(|each| match &each.node {
            DeclarationSpecifier::TypeSpecifier(ty) => Some(&ty.node),
            _ => None,
        });
        let has = |class: &StorageClassSpecifier| {
            specifiers.iter().any(|each| match &each.node {
                DeclarationSpecifier::StorageClass(found) => found.node == *class,
                _ => false,
            })
        };
        Self {
            ty: of_specifiers(types, named),
            is_static: has(&StorageClassSpecifier::Static),
            is_extern: has(&StorageClassSpecifier::Extern),
            is_typedef: has(&StorageClassSpecifier::Typedef),
            is_const: specifiers.iter().any(|each| match &each.node {
                DeclarationSpecifier::TypeQualifier(found) => found.node == TypeQualifier::Const,
                _ => false,
            }),
        }
    }
}

impl Body<'_, '_> {
    /// Lowers a declaration, one statement per variable.
    pub(crate) fn declaration(&mut self, declaration: &Node<Declaration>) -> StmtKind {
        for specifier in &declaration.node.specifiers {
            if let DeclarationSpecifier::TypeSpecifier(ty) = &specifier.node {
                for (name, value) in self.unit.note_type(&ty.node, false, 0) {
                    self.bind(name, Binding::Enumerator(value));
                }
            }
        }
        let specifiers = Specifiers::of(&declaration.node, &|name| self.named_type(name));
        let mut statements: Vec<StmtId> = Vec::new();
        for declarator in &declaration.node.declarators {
            let Some(name) = name_of(&declarator.node.declarator) else {
                continue;
            };
            let text = name.node.name.clone();
            let derived = Derived::of(&declarator.node.declarator.node);
            for size in sizes(&declarator.node.declarator.node) {
                if let Some(size) = self.size_with_effects(size) {
                    statements.push(self.push_stmt(StmtKind::Expr(size), declarator));
                }
            }
            if specifiers.is_typedef {
                self.bind(text, Binding::Type(derived.apply(specifiers.ty)));
                continue;
            }
            if derived == Derived::Function {
                self.unit.function_names.insert(text.clone());
            }
            if derived == Derived::Function || specifiers.is_extern {
                self.bind(text, Binding::FileScope);
                continue;
            }
            // The name is in scope in its own initialiser.
            let local = self.declare_local(name, derived.apply(specifiers.ty), specifiers.is_static);
            self.locals[local].of_structures =
                is_of_structures(&declarator.node.declarator.node, specifiers.ty);
            let init = declarator
                .node
                .initializer
                .as_ref()
                .map(|value| self.initializer(value));
            statements.push(self.push_stmt(StmtKind::Decl { local, init }, declarator));
        }
        match statements.as_slice() {
            [] => StmtKind::Empty,
            // The lone declaration stands for the whole statement.
            [only] => self.stmts[*only].kind.clone(),
            _ => StmtKind::Group(statements.into()),
        }
    }

    /// Lowers the value of a declaration.
    pub(crate) fn initializer(&mut self, value: &Node<Initializer>) -> ExprId {
        match &value.node {
            Initializer::Expression(value) => self.expr(value),
            Initializer::List(items) => {
                let values = items
                    .iter()
                    .map(|item| self.initializer(&item.node.initializer))
                    .collect();
                self.push_expr(ExprKind::List(values), value)
            }
        }
    }

    /// The size of a variable-length array, if computing it does more than read.
    fn size_with_effects(&mut self, size: &Node<lang_c::ast::Expression>) -> Option<ExprId> {
        let before = self.exprs.len();
        let lowered = self.expr(size);
        let effects = self.exprs.iter().skip(before).any(|each| {
            matches!(
                each.kind,
                ExprKind::Call { .. } | ExprKind::Assign { .. } | ExprKind::Step { .. }
            )
        });
        effects.then_some(lowered)
    }
}

/// The sizes of the arrays in a declarator.
fn sizes(declarator: &Declarator) -> Vec<&Node<lang_c::ast::Expression>> {
    let all = derivations(declarator).into_iter();
    all.filter_map(|derived| match derived {
        DerivedDeclarator::Array(array) => match &array.node.size {
            ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => Some(&**size),
            ArraySize::Unknown | ArraySize::VariableUnknown => None,
        },
        _ => None,
    })
    .collect()
}
