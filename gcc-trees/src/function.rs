//! Functions: parameters, variables, and where things stand.

use crate::cxx::CLOSURE;
use crate::expression::children;
use crate::rows::{Place, Position, Row, RowId, Rows};
use crate::text::span;
use crate::{Code, File, FunctionTree, types};
use base::{Cause, Confidence, Doubt, IdVec, Span};
use ir::{
    CallOperator, Callable, Expr, ExprId, ExprKind, Function, FunctionKind, Language, Local, LocalId,
    Reading, Receiver, Stmt, StmtId, StmtKind,
};
use std::collections::{BTreeMap, BTreeSet};
use thin_vec::ThinVec;

/// Nesting of statements and expressions after which lowering stops: every later pass recurses over the result.
const DEPTH_LIMIT: usize = 250;
/// Expressions of one function after which lowering stops. Trees may share parts, and each use of a part becomes expressions of its own.
const SIZE_LIMIT: usize = 4_000_000;

/// A function while it is lowered.
pub(crate) struct Body<'f, 'a> {
    pub(crate) rows: &'f Rows<'a>,
    /// The body.
    pub(crate) tree: Option<RowId>,
    pub(crate) file: &'f mut File,
    /// The file where the function stands.
    number: u32,
    pub(crate) locals: IdVec<LocalId, Local>,
    pub(crate) exprs: IdVec<ExprId, Expr>,
    pub(crate) stmts: IdVec<StmtId, Stmt>,
    local_of: BTreeMap<RowId, LocalId>,
    /// Values that are computed once, and have been.
    pub(crate) saved: BTreeSet<RowId>,
    doubt: Option<Doubt>,
    depth: usize,
    /// Which label each name of one means.
    pub(crate) labels: BTreeMap<String, RowId>,
    /// From its first to its last byte.
    pub(crate) whole: Span,
    /// The object at hand, once it is named.
    pub(crate) this: Option<LocalId>,
    /// For which objects member functions are called.
    pub(crate) receivers: BTreeMap<ExprId, Receiver>,
    /// As [`Function::by_address`].
    pub(crate) by_address: BTreeSet<ExprId>,
    /// What is done when the scopes around are left, the innermost last.
    pub(crate) ends: Vec<RowId>,
    /// The same of temporary objects, at the end of the statement.
    pub(crate) ended: Vec<RowId>,
    /// Temporary objects that become other ones, so that they do not end.
    pub(crate) elided: BTreeSet<RowId>,
    /// The loops and switches around, the innermost last.
    pub(crate) jumps: Vec<Left>,
    /// The brace that closes the block around.
    pub(crate) brace: Position,
    /// Of Fortran: where the tree stands that is lowered, or else the one around it.
    pub(crate) around: Option<Place>,
    /// Of Fortran: the variables of the `do` loops around.
    pub(crate) counters: Vec<RowId>,
    /// Of Fortran: the structures of statements of input and output that go to strings.
    pub(crate) of_strings: BTreeSet<RowId>,
}

/// A loop or switch that a jump may leave.
pub(crate) struct Left {
    /// How many of the `ends` are outside.
    pub(crate) kept: usize,
    pub(crate) is_loop: bool,
}

/// Where something stands, and whether a macro stands there instead.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    pub(crate) span: Span,
    pub(crate) from_macro: bool,
}

/// Lowers a function.
pub(crate) fn lower(rows: &Rows<'_>, tree: &FunctionTree, place: Place, file: &mut File) -> Function {
    let declaration = rows.row(tree.declaration);
    let language = file.language;
    let mut body = Body {
        rows,
        tree: tree.body,
        file,
        number: place.file,
        locals: IdVec::new(),
        exprs: IdVec::new(),
        stmts: IdVec::new(),
        local_of: BTreeMap::new(),
        saved: BTreeSet::new(),
        doubt: None,
        depth: 0,
        labels: BTreeMap::new(),
        whole: Span::default(),
        this: None,
        receivers: BTreeMap::new(),
        by_address: BTreeSet::new(),
        ends: Vec::new(),
        ended: Vec::new(),
        elided: BTreeSet::new(),
        jumps: Vec::new(),
        brace: tree.end,
        around: Some(place),
        counters: Vec::new(),
        of_strings: BTreeSet::new(),
    };
    let kind = kind(rows, tree);
    if declaration.traits.is_nested {
        body.doubt(Cause::NestedFunction, place.caret.0);
    }
    // Those of the compiler's own are the object at hand, and what its constructor has to know.
    let is_own = |&&parameter: &&RowId| !language.is_cxx() || !rows.row(parameter).traits.is_artificial;
    for &parameter in tree.parameters.iter().filter(is_own) {
        let local = body.local(parameter);
        body.locals[local].promises = types::promises(rows, rows.row(parameter).ty);
    }
    let params = body.locals.len();
    let start = match kind {
        FunctionKind::Lambda => place.start,
        _ => {
            let start = body.file.text.beginning_of_definition(place.start);
            start.unwrap_or(place.start)
        }
    };
    // gcc does not tell yet where a function of C++ ends.
    let end = match language {
        Language::C | Language::Fortran => None,
        Language::Cxx => body.file.text.end_of_body(place.start),
    };
    let end = end.unwrap_or(tree.end.max(place.last));
    body.brace = end;
    let (end_line, end_column) = end;
    let whole = span(start, (end_line, end_column + 1));
    body.whole = whole;
    let block = body.body(tree.body, whole);
    if language == Language::Fortran {
        body.distrust_equal_names();
    }
    settle(&mut body, block);
    // Nor where one of Fortran ends: behind all that it does.
    let whole = match language {
        Language::C | Language::Cxx => whole,
        Language::Fortran => body
            .stmts
            .iter()
            .fold(whole, |whole, each| joined(whole, each.span)),
    };
    body.stmts[block].span = whole;
    let (name, linkage_name) = names(declaration, kind, language);
    let is_called_implicitly = |qualified: &String| is_called_implicitly(declaration, &name, qualified);
    if kind == FunctionKind::Lambda || linkage_name.as_ref().is_some_and(is_called_implicitly) {
        body.file.addresses.insert(name.clone());
    }
    if name == ir::CALL {
        body.file.call_operators.insert(CallOperator {
            of: match (kind, &linkage_name) {
                (FunctionKind::Source, Some(linkage_name)) => Callable::Class(linkage_name.clone()),
                _ => Callable::Lambda(whole.line, whole.column),
            },
            parameters: params,
            // Which of them have default arguments is not told.
            least: 0,
            is_open: false,
        });
    }
    Function {
        name,
        kind,
        language,
        linkage_name,
        is_static: kind == FunctionKind::Lambda || !declaration.traits.is_public,
        span: whole,
        params,
        returns: types::of(rows, tree.returns),
        body: block,
        locals: body.locals,
        exprs: body.exprs,
        stmts: body.stmts,
        reading: Reading::Exactly,
        confidence: match body.doubt {
            Some(_) => Confidence::Partial,
            None => Confidence::Clean,
        },
        confidence_reason: body.doubt,
        receivers: body.receivers,
        by_address: body.by_address,
    }
}

/// A lambda has its own object as its first parameter.
fn kind(rows: &Rows<'_>, tree: &FunctionTree) -> FunctionKind {
    let first = tree.parameters.first().map(|&first| rows.row(first));
    if first.is_some_and(|first| first.traits.is_artificial && first.name == CLOSURE) {
        FunctionKind::Lambda
    } else {
        FunctionKind::Source
    }
}

/// The name of a function, and its full name in C++.
fn names(declaration: &Row<'_>, kind: FunctionKind, language: Language) -> (String, Option<String>) {
    let name = declaration.name.to_owned();
    match (kind, language) {
        (_, Language::C) => (name, None),
        // The linker knows a procedure that stands by itself by its name alone.
        (_, Language::Fortran) if declaration.scope.is_empty() => (name, None),
        (FunctionKind::Lambda, _) => (ir::CALL.to_owned(), Some(ir::LAMBDA.to_owned())),
        _ if declaration.scope.is_empty() => (name.clone(), Some(name)),
        _ => {
            let qualified = format!("{}::{name}", declaration.scope);
            (name, Some(qualified))
        }
    }
}

/// Whether a function may be called where no tree has a call of it: by code of the standard library, or through a pointer to a base class.
fn is_called_implicitly(declaration: &Row<'_>, name: &str, qualified: &str) -> bool {
    base::is_operator(name)
        || name.starts_with('~')
        || name.starts_with("operator ")
        || base::constructs(qualified, name)
        || declaration.traits.is_virtual
        || library::standard::holds(name, library::standard::Fact::InRangeLoops)
}

impl Body<'_, '_> {
    fn body(&mut self, tree: Option<RowId>, whole: Span) -> StmtId {
        // The outermost list may hold the block alone.
        let mut tree = tree;
        while let Some(id) = tree
            && self.rows.code(id) == Code::StatementList
            && let [Some(only)] = *self.rows.operands(id)
        {
            tree = Some(only);
        }
        if self.is_cxx() {
            let statements = self.body_of_cxx(tree);
            return self.push_stmt(StmtKind::Block(statements), whole, false);
        }
        let statements = match tree {
            Some(block) if self.rows.code(block) == Code::Bind => {
                self.declare_of_fortran(block);
                let inside = self.rows.operand(block, 0);
                self.items(inside)
            }
            other => self.items(other),
        };
        self.push_stmt(StmtKind::Block(statements), whole, false)
    }

    /// The statements of a body of C++: its scope, and what the compiler has put around that.
    fn body_of_cxx(&mut self, tree: Option<RowId>) -> ThinVec<StmtId> {
        let outer = match tree {
            Some(list) if self.rows.code(list) == Code::StatementList => self.rows.operands(list).to_vec(),
            other => vec![other],
        };
        let mut statements = ThinVec::new();
        for part in outer.into_iter().flatten() {
            let mut within = part;
            while matches!(self.rows.code(within), Code::MustNotThrow | Code::EhSpec)
                && let Some(inner) = self.rows.operand(within, 0)
            {
                within = inner;
            }
            match self.rows.code(within) {
                Code::Bind => statements.extend(self.items(self.rows.operand(within, 0))),
                Code::StatementList if within != part => {
                    let inner = self.body_of_cxx(Some(within));
                    statements.extend(inner);
                }
                _ => statements.push(self.statement(within)),
            }
        }
        statements
    }

    /// The variable that a declaration declares in this function.
    pub(crate) fn local(&mut self, declaration: RowId) -> LocalId {
        if let Some(&known) = self.local_of.get(&declaration) {
            return known;
        }
        let row = self.rows.row(declaration);
        let place = self.standing(declaration).span;
        // What gfortran keeps for itself has a name that no debug info knows.
        // A procedure within this one has to find it all the same.
        let is_known = !self.is_fortran() || !row.traits.is_artificial || row.traits.address_taken;
        let name = if is_known { row.name } else { "" };
        let mut local = Local::new(name.to_owned(), place, types::of(self.rows, row.ty));
        local.is_static = row.traits.is_static;
        local.address_taken |= row.traits.address_taken;
        local.of_structures = types::is_of_structures(self.rows, row.ty);
        if self.is_cxx() {
            local.object = types::object(self.rows, row.ty);
        }
        let id = self.locals.push(local);
        self.local_of.insert(declaration, id);
        id
    }

    /// The place of a tree; in Fortran one without a place has that of the tree around it.
    pub(crate) fn place(&self, id: RowId) -> Option<Place> {
        let own = self.rows.row(id).place;
        own.or(self.around.filter(|_| self.is_fortran()))
    }

    /// Where a tree stands; nowhere if it has no place in the function's file.
    pub(crate) fn standing(&mut self, id: RowId) -> Standing {
        let Some(place) = self.place(id) else {
            return Standing::default();
        };
        if place.file != self.number {
            // An included text, or one that `#line` gives another name.
            self.doubt(Cause::ForeignText, 0);
            return Standing::default();
        }
        if place.in_macro {
            let (line, column) = place.start;
            let name = span(place.start, (line, column + 1));
            return Standing {
                span: self.file.text.invocation(place.start).unwrap_or(name),
                from_macro: true,
            };
        }
        let (start, last) = self.file.text.inside_brackets(place.start, place.last);
        let (line, column) = last.max(start);
        Standing {
            span: span(start, (line, column + 1)),
            from_macro: false,
        }
    }

    /// Runs `inside` one level deeper; nothing, and a function read in part, when that is too deep.
    pub(crate) fn deeper<R>(&mut self, id: RowId, inside: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.depth >= DEPTH_LIMIT || self.exprs.len() >= SIZE_LIMIT {
            let line = self.line(id);
            self.doubt(Cause::TooDeep, line);
            return None;
        }
        self.depth += 1;
        let around = self.around;
        self.around = self.rows.row(id).place.or(around);
        let result = inside(self);
        self.around = around;
        self.depth -= 1;
        Some(result)
    }

    pub(crate) fn line(&self, id: RowId) -> u32 {
        self.rows.row(id).place.map_or(0, |place| place.caret.0)
    }

    /// Makes the function one that is read in part, unless it is already.
    pub(crate) fn doubt(&mut self, cause: Cause, line: u32) {
        self.doubt.get_or_insert_with(|| Doubt::at(cause, line));
    }

    pub(crate) fn push_expr(&mut self, kind: ExprKind, standing: Standing) -> ExprId {
        self.exprs.push(Expr {
            kind,
            span: standing.span,
            from_macro: standing.from_macro,
        })
    }

    pub(crate) fn push_stmt(&mut self, kind: StmtKind, span: Span, from_macro: bool) -> StmtId {
        self.stmts.push(Stmt {
            kind,
            span,
            from_macro,
        })
    }
}

/// Gives what has no place of its own that of what it is part of: parts stand before what they are parts of.
fn settle(body: &mut Body<'_, '_>, block: StmtId) {
    let nowhere = Span::default();
    let mut of_exprs: Vec<(ExprId, Span)> = Vec::new();
    let ids = Vec::from_iter(body.stmts.ids());
    for &id in ids.iter().rev() {
        let (stmts, exprs) = parts_of(&body.stmts[id].kind);
        let mut span = body.stmts[id].span;
        if span == nowhere {
            span = body.stmts[block].span;
            body.stmts[id].span = span;
        }
        for part in stmts {
            if body.stmts[part].span == nowhere {
                body.stmts[part].span = span;
            }
        }
        of_exprs.extend(exprs.into_iter().map(|part| (part, span)));
    }
    for (part, span) in of_exprs {
        if body.exprs[part].span == nowhere {
            body.exprs[part].span = span;
        }
    }
    let ids = Vec::from_iter(body.exprs.ids());
    for &id in ids.iter().rev() {
        let span = body.exprs[id].span;
        for part in children(&body.exprs[id].kind) {
            if body.exprs[part].span == nowhere {
                body.exprs[part].span = span;
            }
        }
    }
}

/// The statements and expressions that a statement is made of.
fn parts_of(kind: &StmtKind) -> (Vec<StmtId>, Vec<ExprId>) {
    match kind {
        StmtKind::Expr(value) | StmtKind::Case(value) | StmtKind::ComputedGoto(value) => {
            (vec![], vec![*value])
        }
        StmtKind::Decl { init, .. } => (vec![], Vec::from_iter(*init)),
        StmtKind::Return(value) => (vec![], Vec::from_iter(*value)),
        StmtKind::Block(items) | StmtKind::Group(items) => (items.to_vec(), vec![]),
        StmtKind::If {
            cond, then, other, ..
        } => (std::iter::once(*then).chain(*other).collect(), vec![*cond]),
        StmtKind::Loop {
            init,
            cond,
            step,
            body,
            ..
        } => (
            std::iter::once(*body).chain(*init).collect(),
            cond.iter().chain(step).copied().collect(),
        ),
        StmtKind::Switch { value, body } => (vec![*body], vec![*value]),
        StmtKind::Unknown(parts) => (vec![], parts.to_vec()),
        StmtKind::Try {
            body,
            handlers,
            thrown,
        } => (
            std::iter::once(*body).chain(handlers.iter().copied()).collect(),
            vec![*thrown],
        ),
        StmtKind::Throw(value) => (vec![], Vec::from_iter(*value)),
        // The others have no parts, or no tree makes them.
        _ => (vec![], vec![]),
    }
}

/// The stretch from the first to the last byte of both; one that stands nowhere adds nothing.
pub(crate) fn joined(a: Span, b: Span) -> Span {
    if a == Span::default() {
        return b;
    }
    if b == Span::default() {
        return a;
    }
    let start = (a.line, a.column).min((b.line, b.column));
    let end = (a.end_line, a.end_column).max((b.end_line, b.end_column));
    span(start, end)
}
