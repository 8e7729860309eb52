//! Functions: parameters and scopes.

use crate::declare::Specifiers;
use crate::types::{self, Derived, derivations, is_of_structures, name_of};
use crate::unit::Lowering;
use base::{Cause, Confidence, Doubt, IdVec};
use ir::{
    Expr, ExprId, ExprKind, Function, FunctionKind, Language, Local, LocalId, Reading, Stmt, StmtId,
    StmtKind, Type,
};
use lang_c::ast::{DerivedDeclarator, FunctionDefinition, Identifier};
use lang_c::span::Node;
use std::collections::{BTreeMap, BTreeSet};
use thin_vec::thin_vec;

/// Nesting of statements and expressions after which lowering stops: every later pass recurses over the result.
const DEPTH_LIMIT: usize = 250;

/// What a name stands for inside a function.
#[derive(Clone, Copy, Debug)]
pub enum Binding {
    /// A parameter or local variable.
    Local(LocalId),
    /// `extern int x;` or a function declaration in a block: the name at file scope.
    FileScope,
    /// An enumerator.
    Enumerator(Option<i64>),
    /// A typedef.
    Type(Type),
}

/// A function while it is lowered.
pub struct Body<'f, 'a> {
    pub(crate) unit: &'f mut Lowering<'a>,
    pub(crate) locals: IdVec<LocalId, Local>,
    pub(crate) exprs: IdVec<ExprId, Expr>,
    pub(crate) stmts: IdVec<StmtId, Stmt>,
    /// Innermost scope last.
    scopes: Vec<BTreeMap<String, Binding>>,
    partial: Option<Doubt>,
    depth: usize,
    /// How many nested loops from here on a pragma divides among threads.
    pub(crate) divided_loops: usize,
}

/// Lowers a function of the main file; `None` when its declarator names none.
pub fn lower(unit: &mut Lowering<'_>, definition: &Node<FunctionDefinition>) -> Option<Function> {
    let node = &definition.node;
    let name = name_of(&node.declarator)?.node.name.clone();
    let span = unit.span(definition);
    let specifiers = Specifiers::read(&node.specifiers, &|name| unit.types.get(name).copied());
    let nearest = derivations(&node.declarator.node);
    let returns = match nearest.as_slice() {
        [DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)] => specifiers.ty,
        _ => Type::Pointer,
    };
    let mut body = Body {
        unit,
        locals: IdVec::new(),
        exprs: IdVec::new(),
        stmts: IdVec::new(),
        scopes: vec![BTreeMap::new()],
        partial: None,
        depth: 0,
        divided_loops: 0,
    };
    body.parameters(node, nearest.first().copied()?);
    let params = body.locals.len();
    let block = body.statement(&node.statement);
    let block = match body.stmts[block].kind {
        StmtKind::Block(_) => block,
        _ => body.push_stmt(StmtKind::Block(thin_vec![block]), &node.statement),
    };
    Some(Function {
        name,
        kind: FunctionKind::Source,
        language: Language::C,
        linkage_name: None,
        is_static: specifiers.is_static,
        span,
        params,
        returns,
        body: block,
        locals: body.locals,
        exprs: body.exprs,
        stmts: body.stmts,
        reading: Reading::Exactly,
        confidence: if body.partial.is_some() {
            Confidence::Partial
        } else {
            Confidence::Clean
        },
        confidence_reason: body.partial,
        receivers: BTreeMap::new(),
        by_address: BTreeSet::new(),
    })
}

impl Body<'_, '_> {
    fn parameters(&mut self, definition: &FunctionDefinition, derived: &DerivedDeclarator) {
        match derived {
            DerivedDeclarator::Function(list) => {
                for parameter in &list.node.parameters {
                    let specifiers =
                        Specifiers::read(&parameter.node.specifiers, &|name| self.named_type(name));
                    let Some(declarator) = &parameter.node.declarator else {
                        continue;
                    };
                    if let Some(name) = name_of(declarator) {
                        let local = self.parameter(name, Derived::of(&declarator.node), specifiers.ty);
                        let is_address = match &declarator.node.derived[..] {
                            [only] => !matches!(only.node, DerivedDeclarator::Function(_)),
                            _ => false,
                        };
                        self.locals[local].promises = specifiers.is_const && is_address;
                        self.locals[local].of_structures = is_of_structures(&declarator.node, specifiers.ty);
                    }
                }
            }
            // The list gives the order, the declarations before the body give the types; `int` where there is none.
            DerivedDeclarator::KRFunction(names) => {
                let mut declared = BTreeMap::new();
                for declaration in &definition.declarations {
                    let specifiers = Specifiers::of(&declaration.node, &|name| self.named_type(name));
                    for declarator in &declaration.node.declarators {
                        if let Some(name) = name_of(&declarator.node.declarator) {
                            let derived = Derived::of(&declarator.node.declarator.node);
                            let of_structures =
                                is_of_structures(&declarator.node.declarator.node, specifiers.ty);
                            declared.insert(
                                name.node.name.clone(),
                                (name, derived, specifiers.ty, of_structures),
                            );
                        }
                    }
                }
                for name in names {
                    let found = declared.get(&name.node.name).copied();
                    let (name, derived, ty, of_structures) =
                        found.unwrap_or((name, Derived::Plain, types::INT, false));
                    let local = self.parameter(name, derived, ty);
                    self.locals[local].of_structures = of_structures;
                }
            }
            _ => {}
        }
    }

    /// An array or function parameter is a pointer.
    fn parameter(&mut self, name: &Node<Identifier>, derived: Derived, ty: Type) -> LocalId {
        let ty = match (derived, ty) {
            (Derived::Plain, Type::Array) => Type::Pointer,
            (Derived::Plain, ty) => ty,
            _ => Type::Pointer,
        };
        self.declare_local(name, ty, false)
    }

    /// Declares a variable in the innermost scope.
    pub(crate) fn declare_local(&mut self, name: &Node<Identifier>, ty: Type, is_static: bool) -> LocalId {
        let local = self.locals.push(Local {
            is_static,
            ..Local::new(name.node.name.clone(), self.unit.span(name), ty)
        });
        self.bind(name.node.name.clone(), Binding::Local(local));
        local
    }

    /// Binds `name` in the innermost scope.
    pub(crate) fn bind(&mut self, name: String, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, binding);
        }
    }

    /// What `name` is bound to within the function.
    pub(crate) fn lookup(&self, name: &str) -> Option<Binding> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(name).copied())
    }

    /// The type that a typedef name stands for.
    pub(crate) fn named_type(&self, name: &str) -> Option<Type> {
        match self.lookup(name) {
            Some(Binding::Type(ty)) => Some(ty),
            Some(_) => None,
            None => self.unit.types.get(name).copied(),
        }
    }

    /// Runs `inside` in a scope of its own.
    pub(crate) fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(BTreeMap::new());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    /// Runs `inside` one level deeper; `None`, and a partial function, when that is too deep.
    pub(crate) fn deeper<T, R>(&mut self, node: &Node<T>, inside: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= DEPTH_LIMIT {
            self.partial(node, Cause::TooDeep);
            return None;
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        Some(result)
    }

    /// Makes the function partial, because of what stands at `node`, unless it is already.
    pub(crate) fn partial<T>(&mut self, node: &Node<T>, cause: Cause) {
        if self.partial.is_none() {
            self.partial = Some(Doubt::at(cause, self.unit.span(node).line));
        }
    }

    /// Adds an expression that stands at `node`; parentheses around it are none of it.
    pub(crate) fn push_expr<T>(&mut self, kind: ExprKind, node: &Node<T>) -> ExprId {
        let place = self.unit.place_inside_parentheses(node);
        self.exprs.push(Expr {
            kind,
            span: place.map(|place| place.span).unwrap_or_default(),
            from_macro: place.is_some_and(|place| place.from_macro),
        })
    }

    /// Adds a statement that stands at `node`.
    pub(crate) fn push_stmt<T>(&mut self, kind: StmtKind, node: &Node<T>) -> StmtId {
        let place = self.unit.place(node);
        self.stmts.push(Stmt {
            kind,
            span: place.map(|place| place.span).unwrap_or_default(),
            from_macro: place.is_some_and(|place| place.from_macro),
        })
    }
}
