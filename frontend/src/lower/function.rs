//! Functions: parameters, scopes, and the confidence in the result.

use crate::lower::declare::{self, Declared, Derived, Specifiers};
use crate::lower::file::File;
use crate::lower::{children, declare::join, field};
use base::{Confidence, Id, IdVec, Span};
use ir::{Expr, ExprId, ExprKind, Function, Local, LocalId, Stmt, StmtId, StmtKind, Type};
use std::collections::BTreeMap;
use tree_sitter::Node;

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
    /// The file around it.
    pub file: &'f mut File<'a>,
    pub(super) locals: IdVec<LocalId, Local>,
    pub(super) exprs: IdVec<ExprId, Expr>,
    pub(super) stmts: IdVec<StmtId, Stmt>,
    /// Per name: the bindings in force with the depth of their scope, innermost last.
    bindings: BTreeMap<String, Vec<(usize, Binding)>>,
    /// The names bound in each open scope.
    scopes: Vec<Vec<String>>,
    partial: Option<String>,
    depth: usize,
    /// How many nested loops from here on a pragma divides among threads.
    pub(super) divided_loops: usize,
}

/// Lowers the function defined by `node`; `None` when no name can be found.
pub fn lower_function(file: &mut File, node: Node, in_error: bool) -> Option<Function> {
    let declarator = field(node, "declarator")?;
    let declared = declare::declarator(file, declarator)?;
    let body_node = field(node, "body")?;
    let specifiers = Specifiers::read(file, node);
    let returns = match declarator.kind() {
        "function_declarator" => specifiers.ty,
        "pointer_declarator" => Type::Pointer,
        _ => Type::Unknown,
    };
    let name = file.name(declared.name);
    let span = file.span(node);
    let mut body = Body {
        file,
        locals: IdVec::new(),
        exprs: IdVec::new(),
        stmts: IdVec::new(),
        bindings: BTreeMap::new(),
        scopes: vec![Vec::new()],
        partial: None,
        depth: 0,
        divided_loops: 0,
    };
    body.parameters(node, &declared);
    let params = body.locals.len();
    let block = body.statement(body_node);
    let block = match body.stmts[block].kind {
        StmtKind::Block(_) => block,
        _ => body.push_stmt(StmtKind::Block(vec![block]), body_node),
    };
    body.check(node, body_node, &declared, in_error);
    let (locals, exprs, stmts, partial) = (body.locals, body.exprs, body.stmts, body.partial);
    let (confidence, confidence_reason) = confidence(file, node, partial);
    Some(Function {
        name,
        linkage_name: None,
        is_static: specifiers.is_static,
        span,
        locals,
        params,
        returns,
        exprs,
        stmts,
        body: block,
        confidence,
        confidence_reason,
    })
}

/// The confidence in a function: what the preparation of its text noted, and what its tree says. A note comes first,
/// because it names the cause, where an error names the place at which the parser stumbled.
fn confidence(file: &File, node: Node, partial: Option<String>) -> (Confidence, Option<String>) {
    let (start, end) = file.raw_range(node);
    let notes = file.prepared.notes.iter();
    let inside = notes.filter(|note| note.raw.start < end && note.raw.end > start);
    let worst = inside.max_by_key(|note| (note.confidence, std::cmp::Reverse(note.raw.start)));
    match (worst, partial) {
        (Some(note), Some(_)) if note.confidence == Confidence::Partial => {
            (Confidence::Partial, Some(note.reason.clone()))
        }
        (_, Some(reason)) => (Confidence::Partial, Some(reason)),
        (Some(note), None) => (note.confidence, Some(note.reason.clone())),
        (None, None) => (Confidence::Clean, None),
    }
}

impl<'a> Body<'_, 'a> {
    fn parameters(&mut self, node: Node, function: &Declared) {
        let list = function.function.and_then(|f| field(f, "parameters"));
        let mut old_style = Vec::new();
        for child in list.map(children).unwrap_or_default() {
            match child.kind() {
                "parameter_declaration" => {
                    let specifiers = Specifiers::read(self.file, child);
                    let declarator = field(child, "declarator");
                    let Some(declared) = declarator.and_then(|d| declare::declarator(self.file, d)) else {
                        continue;
                    };
                    self.parameter(declared.name, declared.derived, specifiers.ty);
                }
                "identifier" => old_style.push(child),
                _ => {}
            }
        }
        if old_style.is_empty() {
            return;
        }
        // K&R: the list gives the order, the declarations before the body give the types; `int` where there is none.
        let mut types = BTreeMap::new();
        for declaration in children(node)
            .into_iter()
            .filter(|child| child.kind() == "declaration")
        {
            let specifiers = Specifiers::read(self.file, declaration);
            for declarator in declare::declarators(declaration) {
                if let Some(declared) = declare::declarator(self.file, declarator) {
                    let name = self.file.text(declared.name);
                    types.insert(name, (declared.name, declared.derived, specifiers.ty));
                }
            }
        }
        let int = Type::Int {
            signed: Some(true),
            bits: Some(32),
        };
        for name in old_style {
            let found = types.get(self.file.text(name)).copied();
            let (name, derived, ty) = found.unwrap_or((name, Derived::Plain, int));
            self.parameter(name, derived, ty);
        }
    }

    /// An array or function parameter is a pointer.
    fn parameter(&mut self, name: Node, derived: Derived, ty: Type) {
        let ty = match (derived, ty) {
            (Derived::Plain, Type::Array) => Type::Pointer,
            (Derived::Plain, ty) => ty,
            _ => Type::Pointer,
        };
        self.declare_local(name, ty, false);
    }

    /// Declares a variable in the innermost scope.
    pub(super) fn declare_local(&mut self, name: Node, ty: Type, is_static: bool) -> LocalId {
        let text = self.file.name(name);
        if let Some(Binding::Local(known)) = self.bound_here(&text) {
            // Only the arms of a conditional group can declare a name twice in one scope: the build has one of them.
            let local = &mut self.locals[known];
            local.ty = join(local.ty, ty);
            local.is_static |= is_static;
            return known;
        }
        let local = self.locals.push(Local {
            span: self.file.span(name),
            address_taken: ty == Type::Array,
            name: text.clone(),
            ty,
            is_static,
        });
        self.bind(text, Binding::Local(local));
        local
    }

    fn bound_here(&self, name: &str) -> Option<Binding> {
        let (depth, binding) = self.bindings.get(name)?.last()?;
        (*depth == self.scopes.len()).then_some(*binding)
    }

    /// Binds `name` in the innermost scope.
    pub(super) fn bind(&mut self, name: String, binding: Binding) {
        let depth = self.scopes.len();
        self.bindings
            .entry(name.clone())
            .or_default()
            .push((depth, binding));
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
    }

    /// What `name` is bound to within the function.
    pub(super) fn lookup(&self, name: &str) -> Option<Binding> {
        self.bindings.get(name)?.last().map(|(_, binding)| *binding)
    }

    /// Runs `inside` in a scope of its own.
    pub(super) fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(Vec::new());
        let result = inside(self);
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(stack) = self.bindings.get_mut(&name) {
                stack.pop();
            }
        }
        result
    }

    /// Runs `inside` one level deeper; `None`, and a partial function, when that is too deep.
    pub(super) fn deeper<R>(&mut self, node: Node, inside: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= DEPTH_LIMIT {
            self.partial(node, "nested too deeply");
            return None;
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        Some(result)
    }

    /// Makes the function partial, because of `what` at `node`, unless it is already.
    pub(super) fn partial(&mut self, node: Node, what: &str) {
        if self.partial.is_none() {
            let line = self.file.span(node).line;
            self.partial = Some(format!("{what} at line {line}"));
        }
    }

    /// The span of `node`, and whether all of it comes out of one macro invocation.
    pub(super) fn place(&self, node: Node) -> (Span, bool) {
        let span = self.file.span(node);
        let map = &self.file.prepared.map;
        let Some(invocation) = map.invocation(node.start_byte() as u32) else {
            return (span, false);
        };
        // The `;` behind a statement macro is not part of the invocation, but adds nothing to it.
        let text = self.file.text(node);
        let semicolon = usize::from(text.last() == Some(&b';'));
        let rest = text[..text.len() - semicolon].trim_ascii_end().len().max(1);
        let last = (node.start_byte() + rest - 1) as u32;
        (span, map.invocation(last) == Some(invocation))
    }

    /// Adds an expression that stands at `node`.
    pub(super) fn push_expr(&mut self, kind: ExprKind, node: Node) -> ExprId {
        let (span, from_macro) = self.place(node);
        self.exprs.push(Expr {
            kind,
            span,
            from_macro,
        })
    }

    /// Adds a statement that stands at `node`.
    pub(super) fn push_stmt(&mut self, kind: StmtKind, node: Node) -> StmtId {
        let (span, from_macro) = self.place(node);
        self.stmts.push(Stmt {
            kind,
            span,
            from_macro,
        })
    }

    /// Compares the tree with itself and with what the tokens say.
    fn check(&mut self, node: Node, body: Node, declared: &Declared, in_error: bool) {
        if let Some(error) = first_error(node) {
            // The cause is more use than the place where the parser noticed it; see `confidence`.
            self.partial(error, "syntax error");
        }
        if in_error {
            self.partial(declared.name, "syntax error around the function");
        }
        let range = (body.start_byte() as u32, body.end_byte() as u32);
        if self.file.prepared.bodies.binary_search(&range).is_err() {
            self.partial(body, "braces do not match in the function that begins");
        }
        debug_assert!(self.stmts.ids().all(|id| id.index() < self.stmts.len()));
    }
}

/// The first `ERROR` or missing token at or below `node`.
pub fn first_error(node: Node<'_>) -> Option<Node<'_>> {
    if !node.has_error() {
        return None;
    }
    let mut at = node;
    // Goes down along the first child with an error, without recursion.
    loop {
        if at.is_error() || at.is_missing() {
            return Some(at);
        }
        let mut cursor = at.walk();
        let next = at
            .children(&mut cursor)
            .find(|child| child.has_error() || child.is_missing());
        match next {
            Some(child) => at = child,
            None => return Some(at),
        }
    }
}
