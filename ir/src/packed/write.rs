//! A unit to bytes.

use super::{BINARY, FROM_MACRO, LOOPS, PLAIN_TYPES, SAME_PLACE, UNARY, expr_code, stmt_code, type_code};
use crate::{
    Callable, Callee, Expr, ExprKind, Function, FunctionKind, Held, Language, Local, ObjectType, Receiver,
    Stmt, StmtKind, Type, TypeNames, Unit, VarRef,
};
use base::{Cause, Confidence, Diagnostic, Id, Number, Reading, Severity, Span, put_number};
use std::collections::BTreeMap;

/// The names come first, so that reading can go straight on; they are known when the rest is written.
pub(super) fn unit(unit: &Unit) -> Vec<u8> {
    let mut out = Out::default();
    out.name(&unit.path);
    out.bytes.extend_from_slice(&unit.content_hash);
    out.each(&unit.functions, Out::function);
    out.each(&unit.globals, |out, global| {
        out.name(&global.name);
        out.span(global.span);
        out.ty(global.ty);
        out.flags(&[
            global.is_static,
            global.is_extern,
            global.address_taken,
            global.initial.is_some(),
            global.of_structures,
            global.is_constant,
        ]);
        out.object(global.object);
        if let Some(value) = global.initial {
            out.signed(value);
        }
        out.each(&global.initial_names, |out, name| out.name(name));
    });
    out.each(&unit.members, |out, member| {
        out.name(&member.name);
        out.ty(member.ty);
        let class = member.class.as_ref();
        out.flags(&[
            member.in_union,
            member.of_structures,
            class.is_some(),
            class.is_some_and(|class| class.has_bases),
        ]);
        out.object(member.object);
        if let Some(class) = class {
            out.name(&class.name);
        }
    });
    out.type_names(&unit.names);
    out.each(&unit.address_taken_functions, |out, name| out.name(name));
    out.each(&unit.macros, |out, each| {
        out.name(&each.name);
        out.each(&each.callees, |out, name| out.name(name));
        out.flags(&[each.after_arguments]);
    });
    out.each(&unit.defaults.members, Out::function);
    out.each(&unit.defaults.arguments, Out::function);
    out.each(&unit.call_operators, |out, operator| {
        out.flags(&[matches!(operator.of, Callable::Lambda(..)), operator.is_open]);
        match &operator.of {
            Callable::Class(name) => out.name(name),
            Callable::Lambda(line, column) => {
                out.near(0, *line);
                out.near(0, *column);
            }
        }
        out.size(operator.parameters);
        out.size(operator.least);
    });
    out.each(&unit.attributes, |out, (line, attribute)| {
        out.near(0, *line);
        out.bytes.push(*attribute as u8);
    });
    out.each(&unit.diagnostics, Out::diagnostic);
    let Out { names, bytes, .. } = out;
    let mut table = Out::default();
    let mut by_number = vec![""; names.len()];
    for (name, number) in &names {
        by_number[*number as usize] = name;
    }
    table.each(&by_number, |table, name| {
        table.size(name.len());
        table.bytes.extend_from_slice(name.as_bytes());
    });
    let mut all = table.bytes;
    all.extend_from_slice(&bytes);
    all
}

#[derive(Default)]
struct Out<'u> {
    bytes: Vec<u8>,
    /// Numbers of names, in the order of their first use.
    names: BTreeMap<&'u str, u32>,
    last: Span,
}

impl<'u> Out<'u> {
    fn unsigned(&mut self, value: u64) {
        put_number(&mut self.bytes, value);
    }

    fn signed(&mut self, value: i64) {
        self.unsigned(u64::zigzag(value));
    }

    fn size(&mut self, value: usize) {
        self.unsigned(value as u64);
    }

    fn near(&mut self, base: u32, value: u32) {
        self.signed(i64::from(value.wrapping_sub(base).cast_signed()));
    }

    fn flags(&mut self, flags: &[bool]) {
        let bits = flags
            .iter()
            .rev()
            .fold(0, |bits, flag| bits << 1 | u8::from(*flag));
        self.bytes.push(bits);
    }

    fn name(&mut self, name: &'u str) {
        let next = self.names.len() as u32;
        let number = *self.names.entry(name).or_insert(next);
        self.unsigned(u64::from(number));
    }

    fn each<T>(&mut self, items: &'u [T], mut one: impl FnMut(&mut Self, &'u T)) {
        self.size(items.len());
        for item in items {
            one(self, item);
        }
    }

    fn span(&mut self, span: Span) {
        self.near(self.last.line, span.line);
        self.near(self.last.column, span.column);
        self.near(span.line, span.end_line);
        self.near(span.column, span.end_column);
        self.last = span;
    }

    /// The kind of a node, and its place unless it is that of the node before.
    fn head(&mut self, code: u8, span: Span, from_macro: bool) {
        let same = span == self.last;
        let mut head = code;
        if same {
            head |= SAME_PLACE;
        }
        if from_macro {
            head |= FROM_MACRO;
        }
        self.bytes.push(head);
        if !same {
            self.span(span);
        }
    }

    fn ty(&mut self, ty: Type) {
        match ty {
            Type::Int { signed, bits } => {
                let sign = signed.map_or(0, |signed| 1 + u8::from(signed));
                let width = if bits.is_some() { 3 } else { 0 };
                self.bytes.push(type_code::INT + sign + width);
                self.bytes.extend(bits);
            }
            Type::Float { bits } => self.bytes.extend([type_code::FLOAT, bits]),
            plain => self.bytes.push(index(&PLAIN_TYPES, plain)),
        }
    }

    fn diagnostic(&mut self, diagnostic: &'u Diagnostic) {
        self.bytes.push(index(&Severity::ALL, diagnostic.severity));
        self.name(&diagnostic.subject);
        self.span(diagnostic.span);
        self.name(&diagnostic.message);
    }

    fn function(&mut self, function: &'u Function) {
        self.name(&function.name);
        self.flags(&[
            function.is_static,
            function.kind == FunctionKind::Lambda,
            function.linkage_name.is_some(),
            function.confidence_reason.is_some(),
        ]);
        self.bytes.push(index(&Language::ALL, function.language));
        self.bytes.push(index(&Confidence::ALL, function.confidence));
        self.bytes.push(index(&Reading::ALL, function.reading));
        if let Some(name) = &function.linkage_name {
            self.name(name);
        }
        if let Some(doubt) = &function.confidence_reason {
            self.bytes.push(index(Cause::ALL, doubt.cause));
            self.name(&doubt.name);
            self.near(0, doubt.line);
        }
        self.span(function.span);
        self.ty(function.returns);
        self.each(function.locals.as_slice(), Out::local);
        self.size(function.params);
        self.size(function.exprs.len());
        for (index, expr) in function.exprs.iter().enumerate() {
            self.expr(index, expr);
        }
        let count = function.exprs.len();
        self.size(function.receivers.len());
        for (call, receiver) in &function.receivers {
            self.back(count, *call);
            let object = match receiver {
                Receiver::At(object) => Some(*object),
                Receiver::This => None,
            };
            self.perhaps(count, object);
        }
        self.size(function.by_address.len());
        for &argument in &function.by_address {
            self.back(count, argument);
        }
        self.size(function.stmts.len());
        for (index, stmt) in function.stmts.iter().enumerate() {
            self.stmt(
                Counts {
                    exprs: function.exprs.len(),
                    stmts: index,
                },
                stmt,
            );
        }
        self.back(function.stmts.len(), function.body);
    }

    fn local(&mut self, local: &'u Local) {
        self.name(&local.name);
        self.span(local.span);
        self.ty(local.ty);
        self.flags(&[
            local.is_static,
            local.address_taken,
            local.promises,
            local.of_structures,
            local.counts_for.is_some(),
            local.is_pack,
        ]);
        self.object(local.object);
        if let Some(variable) = local.counts_for {
            self.size(variable.index());
        }
        self.size(local.container.map_or(0, |id| id.index() + 1));
    }

    fn object(&mut self, object: Option<ObjectType>) {
        match object {
            None => self.bytes.push(0),
            Some(ObjectType::Class {
                name,
                levels,
                is_reference,
            }) => {
                self.bytes.push(1 + u8::from(is_reference));
                self.name(name.as_str());
                self.bytes.push(levels);
            }
            Some(ObjectType::Number { levels, is_reference }) => {
                self.bytes.extend([4 + u8::from(is_reference), levels])
            }
            Some(ObjectType::Library {
                holds,
                levels,
                is_reference,
            }) => {
                let code = match holds {
                    Held::Values => 6,
                    Held::Anything => 8,
                };
                self.bytes.extend([code + u8::from(is_reference), levels]);
            }
            Some(ObjectType::Lambda { line, column }) => {
                self.bytes.push(3);
                self.near(0, line);
                self.near(0, column);
            }
        }
    }

    fn type_names(&mut self, names: &'u TypeNames) {
        self.each(&names.classes, |out, class| {
            out.name(&class.name);
            out.flags(&[
                class.has_arrow,
                class.is_local,
                class.bases.is_some(),
                class.has_library_base,
            ]);
            out.each(class.bases.as_deref().unwrap_or_default(), |out, name| {
                out.name(name);
            });
        });
        for list in [&names.aliases, &names.namespaces] {
            self.each(list, |out, name| out.name(name));
        }
        self.flags(&[names.in_part]);
    }

    /// The operand `id` of a node that stands at `at`.
    fn back(&mut self, at: usize, id: impl Id) {
        self.size(at.wrapping_sub(id.index()));
    }

    fn backs<I: Id>(&mut self, at: usize, ids: &[I]) {
        self.size(ids.len());
        for id in ids {
            self.back(at, *id);
        }
    }

    /// 0 for none: no operand is its own node.
    fn perhaps(&mut self, at: usize, id: Option<impl Id>) {
        match id {
            Some(id) => self.back(at, id),
            None => self.size(0),
        }
    }

    fn expr(&mut self, at: usize, expr: &'u Expr) {
        self.head(code_of_expr(&expr.kind), expr.span, expr.from_macro);
        match &expr.kind {
            ExprKind::Int(value) => self.signed(*value),
            ExprKind::Float(value) => self.bytes.extend_from_slice(&value.to_bits().to_le_bytes()),
            ExprKind::Str | ExprKind::Constant | ExprKind::Unseen | ExprKind::BuildChoice => {}
            ExprKind::Throw(value) => {
                if let Some(value) = *value {
                    self.back(at, value);
                }
            }
            ExprKind::Var(VarRef::Local(local)) => self.size(local.index()),
            ExprKind::Var(VarRef::Global(name)) => self.name(name),
            ExprKind::Unary(_, a) | ExprKind::Deref(a) | ExprKind::AddressOf(a) => self.back(at, *a),
            ExprKind::Step { target, .. } => self.back(at, *target),
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Comma(a, b) => {
                self.back(at, *a);
                self.back(at, *b);
            }
            ExprKind::Conditional(a, b, c) => {
                self.back(at, *a);
                self.back(at, *b);
                self.back(at, *c);
            }
            ExprKind::Assign { op, target, value } => {
                self.bytes.extend(op.map(|op| index(&BINARY, op)));
                self.back(at, *target);
                self.back(at, *value);
            }
            ExprKind::Call { callee, args } => {
                match callee {
                    Callee::Named(name) => self.name(name),
                    Callee::Macro(called) => {
                        self.name(&called.name);
                        self.backs(at, &called.writes);
                    }
                    Callee::Indirect(callee) => self.back(at, *callee),
                }
                self.backs(at, args);
            }
            ExprKind::Field { base, name, .. } => {
                self.back(at, *base);
                self.name(name);
            }
            ExprKind::Captured { object, name } => {
                self.back(at, *object);
                self.name(name);
            }
            ExprKind::Index { base, index } => {
                self.back(at, *base);
                self.back(at, *index);
            }
            ExprKind::Cast(ty, inner) => {
                self.ty(*ty);
                self.back(at, *inner);
            }
            ExprKind::List(parts) | ExprKind::Unknown(parts) => self.backs(at, parts),
        }
    }

    fn stmt(&mut self, at: Counts, stmt: &'u Stmt) {
        self.head(code_of_stmt(&stmt.kind), stmt.span, stmt.from_macro);
        let Counts { exprs, stmts } = at;
        match &stmt.kind {
            StmtKind::Expr(e) | StmtKind::Case(e) | StmtKind::ComputedGoto(e) => self.back(exprs, *e),
            StmtKind::Decl { local, init } => {
                self.size(local.index());
                self.perhaps(exprs, *init);
            }
            StmtKind::Block(parts) | StmtKind::Group(parts) | StmtKind::Alternatives(parts) => {
                self.backs(stmts, parts);
            }
            StmtKind::If {
                cond,
                then,
                other,
                else_line,
            } => {
                self.back(exprs, *cond);
                self.back(stmts, *then);
                self.perhaps(stmts, *other);
                self.near(self.last.line, *else_line);
            }
            StmtKind::Loop {
                init,
                cond,
                step,
                body,
                ..
            } => {
                self.perhaps(stmts, *init);
                self.perhaps(exprs, *cond);
                self.perhaps(exprs, *step);
                self.back(stmts, *body);
            }
            StmtKind::Switch { value, body } => {
                self.back(exprs, *value);
                self.back(stmts, *body);
            }
            StmtKind::Label(name) | StmtKind::Goto(name) => self.name(name),
            StmtKind::Default | StmtKind::Break | StmtKind::Continue | StmtKind::Empty => {}
            StmtKind::Return(value) | StmtKind::Throw(value) => self.perhaps(exprs, *value),
            StmtKind::Try {
                body,
                handlers,
                thrown,
            } => {
                self.back(stmts, *body);
                self.backs(stmts, handlers);
                self.back(exprs, *thrown);
            }
            StmtKind::Unknown(parts) => self.backs(exprs, parts),
        }
    }
}

/// The code of an expression's kind; what it holds follows its head.
fn code_of_expr(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Int(_) => expr_code::INT,
        ExprKind::Float(_) => expr_code::FLOAT,
        ExprKind::Str => expr_code::STR,
        ExprKind::Var(VarRef::Local(_)) => expr_code::LOCAL,
        ExprKind::Var(VarRef::Global(_)) => expr_code::GLOBAL,
        ExprKind::Constant => expr_code::CONSTANT,
        ExprKind::Unseen => expr_code::UNSEEN,
        ExprKind::Throw(None) => expr_code::THROW,
        ExprKind::Throw(Some(_)) => expr_code::THROW_VALUE,
        ExprKind::BuildChoice => expr_code::BUILD_CHOICE,
        ExprKind::Unary(op, _) => expr_code::UNARY + index(&UNARY, *op),
        ExprKind::Binary(op, ..) => expr_code::BINARY + index(&BINARY, *op),
        ExprKind::And(..) => expr_code::AND,
        ExprKind::Or(..) => expr_code::OR,
        ExprKind::Conditional(..) => expr_code::CONDITIONAL,
        ExprKind::Comma(..) => expr_code::COMMA,
        ExprKind::Assign { op: None, .. } => expr_code::ASSIGN,
        ExprKind::Assign { op: Some(_), .. } => expr_code::ASSIGN_OP,
        ExprKind::Step { up, prefix, .. } => expr_code::STEP + u8::from(*up) + 2 * u8::from(*prefix),
        ExprKind::Call {
            callee: Callee::Named(_),
            ..
        } => expr_code::CALL_NAMED,
        ExprKind::Call {
            callee: Callee::Macro(_),
            ..
        } => expr_code::CALL_MACRO,
        ExprKind::Call {
            callee: Callee::Indirect(_),
            ..
        } => expr_code::CALL_INDIRECT,
        ExprKind::Field { arrow: false, .. } => expr_code::FIELD,
        ExprKind::Field { arrow: true, .. } => expr_code::ARROW,
        ExprKind::Captured { .. } => expr_code::CAPTURED,
        ExprKind::Index { .. } => expr_code::INDEX,
        ExprKind::Deref(_) => expr_code::DEREF,
        ExprKind::AddressOf(_) => expr_code::ADDRESS_OF,
        ExprKind::Cast(..) => expr_code::CAST,
        ExprKind::List(_) => expr_code::LIST,
        ExprKind::Unknown(_) => expr_code::UNKNOWN,
    }
}

/// The code of a statement's kind; what it holds follows its head.
fn code_of_stmt(kind: &StmtKind) -> u8 {
    match kind {
        StmtKind::Expr(_) => stmt_code::EXPR,
        StmtKind::Decl { .. } => stmt_code::DECL,
        StmtKind::Block(_) => stmt_code::BLOCK,
        StmtKind::Group(_) => stmt_code::GROUP,
        StmtKind::If { .. } => stmt_code::IF,
        StmtKind::Loop { kind, divided, .. } => {
            stmt_code::LOOP + index(&LOOPS, *kind) + 3 * u8::from(*divided)
        }
        StmtKind::Switch { .. } => stmt_code::SWITCH,
        StmtKind::Case(_) => stmt_code::CASE,
        StmtKind::Default => stmt_code::DEFAULT,
        StmtKind::Label(_) => stmt_code::LABEL,
        StmtKind::Goto(_) => stmt_code::GOTO,
        StmtKind::ComputedGoto(_) => stmt_code::COMPUTED_GOTO,
        StmtKind::Break => stmt_code::BREAK,
        StmtKind::Continue => stmt_code::CONTINUE,
        StmtKind::Return(_) => stmt_code::RETURN,
        StmtKind::Try { .. } => stmt_code::TRY,
        StmtKind::Throw(_) => stmt_code::THROW,
        StmtKind::Alternatives(_) => stmt_code::ALTERNATIVES,
        StmtKind::Empty => stmt_code::EMPTY,
        StmtKind::Unknown(_) => stmt_code::UNKNOWN,
    }
}

/// From where the operands of a statement are counted back.
#[derive(Clone, Copy)]
struct Counts {
    exprs: usize,
    stmts: usize,
}

fn index<T: PartialEq>(all: &[T], one: T) -> u8 {
    all.iter().position(|other| *other == one).unwrap_or_default() as u8
}
