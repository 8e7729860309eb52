//! Functions: parameters, scopes, and the confidence in the result.

use crate::lower::cxx::Surroundings;
use crate::lower::declare::{self, Declared, Derived, Specifiers};
use crate::lower::file::File;
use crate::lower::jump::Object;
use crate::lower::{children, declare::join, field};
use base::{Cause, Confidence, Doubt, Id, IdVec, Language, Span};
use ir::{
    Expr, ExprId, ExprKind, Function, FunctionKind, Local, LocalId, Reading, Receiver, Stmt, StmtId,
    StmtKind, Type,
};
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// Nesting of statements and expressions after which lowering stops: every later pass recurses over the result.
const DEPTH_LIMIT: usize = 250;

/// The node of `try` with its handlers.
pub(super) const TRY: &str = "try_statement";

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
    pub(super) partial: Option<Doubt>,
    pub(super) depth: usize,
    /// How many nested loops from here on a pragma divides among threads.
    pub(super) divided_loops: usize,
    /// Where the function stands.
    pub(super) span: Span,
    /// Variables that are references: their value is an address.
    pub(super) references: BTreeSet<LocalId>,
    /// Of them, those to objects of classes.
    pub(super) object_references: BTreeSet<LocalId>,
    /// Arrays of, and pointers to, plain numbers.
    pub(super) scalar_elements: BTreeSet<LocalId>,
    /// Numbers whose width depends on the build.
    pub(super) numbers: BTreeSet<LocalId>,
    /// Variables that hold a lambda, and which of its parameters are references.
    pub(super) lambda_masks: BTreeMap<LocalId, u32>,
    /// Variables of the functions around it that it may name.
    pub(super) captured: BTreeSet<String>,
    /// What kind of function it is.
    pub(super) kind: BodyKind,
    /// The unqualified name of a member function.
    pub(super) own_name: Option<String>,
    /// The object at hand, once it is named.
    pub(super) this: Option<LocalId>,
    /// Whose member functions calls may be of.
    pub(super) receivers: BTreeMap<ExprId, Receiver>,
    /// The same of the call that is added next.
    pub(super) receiver: Option<Receiver>,
    /// Destructors to run, the objects in the order of their declarations.
    pub(super) objects: Vec<Object>,
    /// What the `try` around its whole body catches is thrown again by its handlers' ends: it is a constructor or a destructor (C++17 18.3p15).
    pub(super) throws_again: bool,
    /// It returns a reference through which its callers may change something.
    pub(super) returns_reference: bool,
    /// The loops and switches around, by the depth of the scope outside; whether it is a loop.
    pub(super) jumps: Vec<(usize, bool)>,
}

/// What kind of function a body belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// A function outside classes.
    Free,
    /// A member function.
    Method,
    /// A lambda in a function outside classes.
    Lambda,
    /// A lambda in a member function.
    LambdaInMethod,
}

/// Lowers the function defined by `node`; `None` when no name can be found.
pub fn lower_function(file: &mut File, node: Node, surroundings: Surroundings) -> Option<Function> {
    let declarator = field(node, "declarator")?;
    let declared = declare::declarator(file, declarator)?;
    let body_node = body_of(node)?;
    let specifiers = Specifiers::read(file, node);
    let returns = match declarator.kind() {
        "function_declarator" => specifiers.ty,
        "pointer_declarator" => Type::Pointer,
        _ => Type::Unknown,
    };
    let name = file.last_name(declared.name);
    let span = file.span(node);
    let qualified = file.is_cxx().then(|| file.qualified(declarator, &name));
    let is_method = matches!(qualified, Some((_, true)));
    let linkage_name = qualified.map(|(qualified, _)| qualified);
    if let Some(qualified) = &linkage_name
        && file.is_called_implicitly(&name, qualified)
    {
        file.address_taken_functions.insert(name.clone());
    }
    file.default_arguments(declarator, declared.function);
    let mut body = Body::new(file, span);
    if is_method {
        body.kind = BodyKind::Method;
        body.own_name = Some(name.clone());
        let makes = linkage_name
            .as_ref()
            .is_some_and(|full| base::constructs(full, &name));
        body.throws_again = makes || name.starts_with('~');
    }
    body.returns_reference = returns_reference(body.file, node, declarator);
    body.parameters(node, declared.function);
    let params = body.locals.len();
    let mut statements = body.initialisers_in(node);
    let block = body.statement(body_node);
    let block = match body.stmts[block].kind {
        StmtKind::Block(_) if statements.is_empty() => block,
        _ => {
            statements.push(block);
            let block = body.push_stmt(StmtKind::Block(statements.into()), body_node);
            // The head of a function goes to the brace, whatever is tried in front of it.
            if let Some(tried) = field(body_node, "body") {
                let brace = body.file.span(tried);
                let span = &mut body.stmts[block].span;
                (span.line, span.column) = (brace.line, brace.column);
            }
            block
        }
    };
    body.check(node, body_node, &declared, surroundings);
    body.check_hidden(node);
    let (locals, exprs, stmts, partial) = (body.locals, body.exprs, body.stmts, body.partial);
    let receivers = body.receivers;
    let (confidence, confidence_reason) = confidence(file, node, partial);
    // In a class, `static` says nothing about who can name the function.
    let is_static = specifiers.is_static && !is_method;
    Some(Function {
        name,
        kind: FunctionKind::Source,
        language: file.raw.language,
        linkage_name,
        is_static,
        span,
        locals,
        params,
        returns,
        exprs,
        receivers,
        by_address: BTreeSet::new(),
        stmts,
        body: block,
        reading: Reading::AsWritten,
        confidence,
        confidence_reason,
    })
}

/// The block of a function's definition, or the `try` that takes its place; in a constructor the grammar gives that no name.
pub(super) fn body_of(definition: Node) -> Option<Node> {
    let tried = || children(definition).into_iter().find(|child| child.kind() == TRY);
    field(definition, "body").or_else(tried)
}

/// Lowers the function that the lambda expression `node` is; `captured` are the names that it may find outside, `depth`
/// how deeply nested the expression is: lambdas may stand in one another without an end.
pub fn lower_lambda(file: &mut File, node: Node, captured: BTreeSet<String>, kind: BodyKind, depth: usize) {
    let Some(body_node) = field(node, "body") else {
        return;
    };
    let span = file.span(node);
    let outer = std::mem::replace(&mut file.outer, captured);
    file.lambda_arguments(node, ir::LAMBDA);
    let mut body = Body::new(file, span);
    body.file.outer = outer;
    body.kind = kind;
    body.depth = depth;
    body.returns_reference =
        field(node, "declarator").is_some_and(|declarator| returns_reference(body.file, node, declarator));
    body.parameters(node, field(node, "declarator"));
    let params = body.locals.len();
    let block = body.statement(body_node);
    if let Some(error) = first_error(node) {
        body.partial(error, Cause::SyntaxError);
    }
    let (locals, exprs, stmts, partial) = (body.locals, body.exprs, body.stmts, body.partial);
    let receivers = body.receivers;
    let (confidence, confidence_reason) = confidence(file, node, partial);
    file.address_taken_functions.insert(ir::CALL.to_owned());
    file.functions.push(Function {
        name: ir::CALL.to_owned(),
        kind: FunctionKind::Lambda,
        language: Language::Cxx,
        linkage_name: Some(ir::LAMBDA.to_owned()),
        is_static: true,
        span,
        locals,
        params,
        returns: Type::Unknown,
        exprs,
        receivers,
        by_address: BTreeSet::new(),
        stmts,
        body: block,
        reading: Reading::AsWritten,
        confidence,
        confidence_reason,
    });
}

/// Whether the function that `node` defines returns a reference that is not to something constant.
fn returns_reference(file: &File, node: Node, declarator: Node) -> bool {
    let trailing = || {
        let mut below = children(declarator).into_iter();
        below.find(|child| child.kind() == "trailing_return_type")
    };
    let names_reference = |node: Node| {
        let text = file.text(node);
        let constant = text.windows(5).any(|word| word == b"const") && !text.contains(&b'*');
        text.contains(&b'&') && !constant || text.windows(8).any(|word| word == b"decltype")
    };
    match declarator.kind() {
        "reference_declarator" => !declare::is_constant(file, node),
        _ => {
            let ty = field(node, "type").filter(|ty| file.text(*ty).starts_with(b"decltype"));
            ty.is_some() || trailing().is_some_and(names_reference)
        }
    }
}

/// The confidence in a function: what the preparation of its text noted, and what its tree says. A note comes first,
/// because it names the cause, where an error names the place at which the parser stumbled.
fn confidence(file: &File, node: Node, partial: Option<Doubt>) -> (Confidence, Option<Doubt>) {
    let (start, end) = file.raw_range(node);
    let notes = file.prepared.notes.iter().chain(&file.renumbered);
    let inside = notes.filter(|note| note.raw.start < end && note.raw.end > start);
    let worst = inside.max_by_key(|note| (note.confidence, std::cmp::Reverse(note.raw.start)));
    match (worst, partial) {
        (Some(note), Some(_)) if note.confidence == Confidence::Partial => {
            (Confidence::Partial, Some(note.doubt.clone()))
        }
        (_, Some(doubt)) => (Confidence::Partial, Some(doubt)),
        (Some(note), None) => (note.confidence, Some(note.doubt.clone())),
        (None, None) => (Confidence::Clean, None),
    }
}

impl<'f, 'a> Body<'f, 'a> {
    pub(super) fn new(file: &'f mut File<'a>, span: Span) -> Self {
        let captured = file.outer.clone();
        Body {
            file,
            locals: IdVec::new(),
            exprs: IdVec::new(),
            stmts: IdVec::new(),
            bindings: BTreeMap::new(),
            scopes: vec![Vec::new()],
            partial: None,
            depth: 0,
            divided_loops: 0,
            span,
            references: BTreeSet::new(),
            object_references: BTreeSet::new(),
            scalar_elements: BTreeSet::new(),
            numbers: BTreeSet::new(),
            lambda_masks: BTreeMap::new(),
            captured,
            kind: BodyKind::Free,
            this: None,
            receivers: BTreeMap::new(),
            receiver: None,
            objects: Vec::new(),
            own_name: None,
            throws_again: false,
            returns_reference: false,
            jumps: Vec::new(),
        }
    }

    /// How many scopes are open.
    pub(super) fn scope_depth(&self) -> usize {
        self.scopes.len()
    }

    /// Records what the elements of an array or pointer are, and what a reference refers to.
    pub(super) fn note_elements(&mut self, local: LocalId, declared: &Declared, base: Type) {
        let derived = declared.derived;
        self.locals[local].of_structures |= declared.is_of_structures(base);
        let number = matches!(base, Type::Int { .. } | Type::Float { .. });
        let reference = derived == Derived::Reference;
        if number && derived != Derived::Plain {
            self.scalar_elements.insert(local);
        }
        if reference && base == Type::Aggregate {
            self.object_references.insert(local);
        }
    }

    /// Records which class the declaration of a variable names. Where arms of a conditional group declare it more than once,
    /// nothing is known.
    pub(super) fn note_object_type(&mut self, local: LocalId, declaration: Node, declared: &Declared) {
        let is_first = self.locals[local].span == self.file.span(declared.name);
        self.locals[local].object = self.file.object_type(declaration, declared).filter(|_| is_first);
    }

    fn parameters(&mut self, node: Node, function: Option<Node>) {
        let list = function.and_then(|f| field(f, "parameters"));
        let mut old_style = Vec::new();
        for child in list.map(children).unwrap_or_default() {
            match child.kind() {
                "parameter_declaration"
                | "optional_parameter_declaration"
                | "variadic_parameter_declaration" => {
                    let specifiers = Specifiers::read(self.file, child);
                    let declarator = field(child, "declarator");
                    let Some(declared) = declarator.and_then(|d| declare::declarator(self.file, d)) else {
                        if self.file.is_cxx() && self.file.text(child) != b"void" {
                            // Without a name, but with a place among the arguments.
                            let span = self.file.span(child);
                            let mut local = Local::new(String::new(), span, Type::Unknown);
                            local.is_pack = child.kind() == "variadic_parameter_declaration";
                            self.locals.push(local);
                        }
                        continue;
                    };
                    let local = self.parameter(declared.name, declared.derived, specifiers.ty);
                    self.locals[local].is_pack = child.kind() == "variadic_parameter_declaration";
                    // Whatever the body is like: this is all that has to be understood.
                    let is_clean = list.is_some_and(|list| !list.has_error());
                    self.locals[local].promises =
                        is_clean && declared.levels == 1 && declare::is_constant(self.file, child);
                    self.note_elements(local, &declared, specifiers.ty);
                    self.note_object_type(local, child, &declared);
                    if declared.derived == Derived::Reference {
                        self.references.insert(local);
                    }
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
                    let of_structures = declared.is_of_structures(specifiers.ty);
                    types.insert(
                        name,
                        (declared.name, declared.derived, specifiers.ty, of_structures),
                    );
                }
            }
        }
        let int = Type::Int {
            signed: Some(true),
            bits: Some(32),
        };
        for name in old_style {
            let found = types.get(self.file.text(name)).copied();
            let (name, derived, ty, of_structures) = found.unwrap_or((name, Derived::Plain, int, false));
            let local = self.parameter(name, derived, ty);
            self.locals[local].of_structures = of_structures;
        }
    }

    /// An array or function parameter is a pointer.
    fn parameter(&mut self, name: Node, derived: Derived, ty: Type) -> LocalId {
        let ty = match (derived, ty) {
            (Derived::Plain, Type::Array) => Type::Pointer,
            (Derived::Plain, ty) => ty,
            _ => Type::Pointer,
        };
        self.declare_local(name, ty, false)
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
            is_static,
            ..Local::new(text.clone(), self.file.span(name), ty)
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
        self.forget_objects(self.scope_depth());
        result
    }

    /// Runs `inside` one level deeper; `None`, and a partial function, when that is too deep.
    pub(super) fn deeper<R>(&mut self, node: Node, inside: impl FnOnce(&mut Self) -> R) -> Option<R> {
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
    pub(super) fn partial(&mut self, node: Node, cause: Cause) {
        self.doubt(node, cause, "");
    }

    /// The same because of something that is about `name`.
    pub(super) fn doubt(&mut self, node: Node, cause: Cause, name: impl Into<String>) {
        if self.partial.is_none() {
            let line = self.file.span(node).line;
            self.partial = Some(Doubt::about(cause, name, line));
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
        let receiver = self.receiver.take_if(|_| matches!(kind, ExprKind::Call { .. }));
        let id = self.exprs.push(Expr {
            kind,
            span,
            from_macro,
        });
        self.receivers.extend(receiver.map(|receiver| (id, receiver)));
        id
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
    fn check(&mut self, node: Node, body: Node, declared: &Declared, surroundings: Surroundings) {
        if let Some(error) = first_error(node) {
            // The cause is more use than the place where the parser noticed it; see `confidence`.
            self.partial(error, Cause::SyntaxError);
        }
        if surroundings == Surroundings::NotUnderstood {
            self.partial(declared.name, Cause::SyntaxErrorAround);
        }
        let end = body.end_byte() as u32;
        let start = match body.kind() {
            TRY => field(body, "body").unwrap_or(body).start_byte(),
            _ => body.start_byte(),
        } as u32;
        let found = |at: &(u32, u32)| at.0 == start && (at.1 == end || body.kind() == TRY);
        let bodies = &self.file.prepared.bodies;
        // A class within a function has no bodies of its own, as tokens show them.
        let nested = self.file.is_cxx() && bodies.iter().any(|at| at.0 < start && end < at.1);
        if !nested && !bodies.iter().any(found) {
            self.partial(body, Cause::Braces);
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
