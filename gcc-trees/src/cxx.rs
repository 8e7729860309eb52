//! What C++ has besides: objects at hand, calls of member functions and operators.
//!
//! The shapes are those that `frontend` gives the same source, so that nothing above has to know where a function was read. Where the
//! compiler calls what the source does not name (constructors, destructors, operators), the call is kept if a file of the program has the function:
//! those of the standard library are known by their meaning or not at all.

use crate::Code;
use crate::expression::Made;
use crate::function::{Body, Standing};
use crate::rows::RowId;
use ir::{BinaryOp, Callee, ExprId, ExprKind, LocalId, Receiver, Type, UnaryOp, VarRef};
use thin_vec::{ThinVec, thin_vec};

/// The name of the lambda's own object among its parameters.
pub(crate) const CLOSURE: &str = "__closure";
/// How much of a tree is searched for calls.
pub(crate) const MOST_SEARCHED: usize = 10_000;

/// What a call is of.
pub(crate) struct Called<'a> {
    pub(crate) name: &'a str,
    scope: &'a str,
    is_standard: bool,
    is_method: bool,
}

impl<'a> Body<'_, 'a> {
    pub(crate) fn is_cxx(&self) -> bool {
        self.file.language.is_cxx()
    }

    /// The object at hand, as the variable that debug info has for it.
    pub(crate) fn this(&mut self) -> LocalId {
        if let Some(local) = self.this {
            return local;
        }
        let local = ir::Local::new(ir::THIS.to_owned(), self.whole, Type::Pointer);
        let local = self.locals.push(local);
        self.this = Some(local);
        local
    }

    /// Variables that C++ alone has; nothing if `id` is one of the source's own.
    pub(crate) fn variable_of_cxx(&mut self, id: RowId) -> Option<Made> {
        let row = self.rows.row(id);
        if let Some(value) = self.rows.operand(id, 0) {
            return Some(Made::Known(self.expr(value)));
        }
        if !row.traits.is_artificial || row.name.starts_with("__for_") {
            return None;
        }
        match (row.code, row.name) {
            (Code::ParmDecl, ir::THIS | CLOSURE) => {
                let this = self.this();
                Some(ExprKind::Var(VarRef::Local(this)).into())
            }
            (Code::ParmDecl, _) | (_, "") => Some(ExprKind::Unseen.into()),
            _ => None,
        }
    }

    /// What a lambda has captured, if `field` of `of` is that.
    pub(crate) fn captured(&mut self, of: RowId, field: RowId) -> Option<Made> {
        let mut base = of;
        while matches!(self.rows.code(base), Code::IndirectRef | Code::NonLvalue) {
            base = self.rows.operand(base, 0)?;
        }
        let is_closure = self.rows.code(base) == Code::ParmDecl && self.rows.row(base).name == CLOSURE;
        let name = self
            .rows
            .row(field)
            .name
            .strip_prefix("__")
            .filter(|_| is_closure)?;
        let this = self.this();
        let this = self.push_expr(ExprKind::Var(VarRef::Local(this)), Standing::default());
        let object = self.push_expr(ExprKind::Deref(this), Standing::default());
        // The address of the object of the function around it.
        if name == ir::THIS {
            return Some(Made::Known(object));
        }
        let name = name.into();
        let address = ExprKind::Captured { object, name };
        let is_reference = self
            .rows
            .type_row(field)
            .is_some_and(|ty| ty.code == Code::ReferenceType);
        // Who follows the reference is around it.
        if is_reference {
            return Some(address.into());
        }
        let address = self.push_expr(address, Standing::default());
        Some(ExprKind::Deref(address).into())
    }

    /// The function that a call names.
    pub(crate) fn called(&self, id: RowId) -> Option<Called<'a>> {
        let row = self.rows.row(self.named_by(id)?);
        Some(Called {
            name: row.name,
            scope: row.scope,
            is_standard: row.traits.is_standard,
            is_method: row.traits.is_method,
        })
    }

    /// A call in C++ of a function that is named; nothing where one is called that a pointer leads to.
    pub(crate) fn call_of_cxx(&mut self, id: RowId) -> Option<Made> {
        // A function of the compiler's own: `[[fallthrough]]`.
        if let [None] = self.rows.operands(id) {
            return Some(ExprKind::Int(0).into());
        }
        let called = self.called(id)?;
        let mut args = self.rows.operands(id).iter().skip(1).flatten().copied();
        let object = (called.is_method).then(|| args.next()).flatten();
        // The object that is made has no name yet.
        let object = object.filter(|_| !self.rows.row(id).traits.constructs);
        let args = Vec::from_iter(args);
        if called.is_standard {
            if let Some(made) = self.standard_call(&called, object, &args) {
                return Some(made);
            }
        } else if called.name == ir::CALL
            && let Some(object) = object
        {
            let callee = Callee::Indirect(self.referred(object));
            let args = self.arguments(&args);
            return Some(ExprKind::Call { callee, args }.into());
        }
        let is_named_with_std = called.is_standard && !called.is_method && is_of_std(called.scope);
        let name = if is_named_with_std {
            format!("{}{}", library::STANDARD, called.name).into()
        } else {
            called.name.into()
        };
        let callee = Callee::Named(name);
        let given = object.map(|object| self.expr(object));
        let args = self.arguments(&args);
        let call = ExprKind::Call { callee, args };
        let Some(given) = given else {
            return Some(call.into());
        };
        let standing = self.expression_standing(id, &call);
        let call = self.push_expr(call, standing);
        self.receivers.insert(call, Receiver::At(given));
        Some(match self.exprs[given].kind {
            ExprKind::Var(_) => Made::Known(call),
            _ => ExprKind::Comma(given, call).into(),
        })
    }

    fn arguments(&mut self, args: &[RowId]) -> ThinVec<ExprId> {
        args.iter().map(|&argument| self.argument(argument)).collect()
    }

    /// An argument. What is given by a reference to something constant is as good as its value.
    fn argument(&mut self, id: RowId) -> ExprId {
        let ty = self.rows.type_row(id).filter(|ty| ty.code == Code::ReferenceType);
        let is_constant = ty
            .and_then(|ty| ty.inner)
            .is_some_and(|inner| self.rows.ty(inner).is_const);
        if is_constant {
            self.referred(id)
        } else {
            self.expr(id)
        }
    }

    /// What an address or a reference leads to.
    pub(crate) fn referred(&mut self, id: RowId) -> ExprId {
        let plain = self.without_conversions(id);
        if self.rows.code(plain) == Code::AddrExpr
            && let Some(of) = self.rows.operand(plain, 0)
        {
            return self.expr(of);
        }
        let pointer = self.expr(plain);
        match self.exprs[pointer].kind {
            ExprKind::AddressOf(of) => of,
            ExprKind::Var(_)
            | ExprKind::Field { .. }
            | ExprKind::Index { .. }
            | ExprKind::Deref(_)
            | ExprKind::Captured { .. } => {
                let standing = self.standing_of(pointer);
                self.push_expr(ExprKind::Deref(pointer), standing)
            }
            _ => pointer,
        }
    }

    fn standing_of(&self, id: ExprId) -> Standing {
        Standing {
            span: self.exprs[id].span,
            from_macro: self.exprs[id].from_macro,
        }
    }

    /// Calls of the standard library that are operators in the source, or no calls at all.
    fn standard_call(&mut self, called: &Called<'_>, object: Option<RowId>, args: &[RowId]) -> Option<Made> {
        if called.name.starts_with("__cxa_") {
            return Some(ExprKind::Unseen.into());
        }
        if called.name == "__dynamic_cast" {
            let pointer = self.expr(*args.first()?);
            return Some(ExprKind::Cast(Type::Pointer, pointer).into());
        }
        // Its end, or its beginning.
        let is_end = called.name.starts_with('~');
        if is_end || base::constructs(&format!("{}::{}", called.scope, called.name), called.name) {
            let args = self.arguments(args);
            return Some(if is_end {
                ExprKind::Int(0).into()
            } else {
                ExprKind::List(args).into()
            });
        }
        let symbol = called.name.strip_prefix("operator")?;
        if !base::is_operator(called.name) {
            // A conversion; `operator new` is a function like any other.
            let object = object.filter(|_| symbol.starts_with(' '))?;
            return Some(Made::Known(self.referred(object)));
        }
        if symbol == "()" {
            let callee = Callee::Indirect(self.referred(object?));
            let args = self.arguments(args);
            return Some(ExprKind::Call { callee, args }.into());
        }
        let operands = Vec::from_iter(object.into_iter().chain(args.iter().copied()));
        let (&first, rest) = operands.split_first()?;
        let target = match object {
            Some(object) => self.referred(object),
            None => self.value_of_argument(first),
        };
        if let "++" | "--" = symbol {
            let (up, prefix) = (symbol == "++", rest.is_empty());
            return Some(self.written(target, |target| ExprKind::Step { target, up, prefix }));
        }
        let [other] = rest[..] else {
            return match (symbol, rest) {
                ("*" | "->", []) => Some(ExprKind::Deref(target).into()),
                ("!", []) => Some(ExprKind::Unary(UnaryOp::Not, target).into()),
                ("-", []) => Some(ExprKind::Unary(UnaryOp::Neg, target).into()),
                _ => None,
            };
        };
        let other = self.value_of_argument(other);
        if symbol == "[]" {
            let (base, index) = (target, other);
            return Some(ExprKind::Index { base, index }.into());
        }
        if let Some(op) = BinaryOp::written(symbol.as_bytes()) {
            return Some(ExprKind::Binary(op, target, other).into());
        }
        let op = match symbol.strip_suffix('=')? {
            "" => None,
            symbol => Some(BinaryOp::written(symbol.as_bytes())?),
        };
        let value = other;
        Some(self.written(target, |target| ExprKind::Assign { op, target, value }))
    }

    /// A value that is given by itself, or by a reference.
    fn value_of_argument(&mut self, id: RowId) -> ExprId {
        let ty = self.rows.type_row(id);
        if ty.is_some_and(|ty| ty.code == Code::ReferenceType) {
            self.referred(id)
        } else {
            self.expr(id)
        }
    }

    /// What is done to an object of the standard library; to one without a place, nothing that anybody sees.
    fn written(&mut self, target: ExprId, done: impl FnOnce(ExprId) -> ExprKind) -> Made {
        if self.is_lvalue(target) {
            done(target).into()
        } else {
            ExprKind::Unknown(thin_vec![target]).into()
        }
    }

    /// What a pointer or reference leads to that an operator of the standard library gives: an element, or what a smart pointer holds.
    pub(crate) fn operator_gives(&mut self, pointer: RowId) -> Option<Made> {
        let pointer = self.without_conversions(pointer);
        let called = (self.rows.code(pointer) == Code::CallExpr).then(|| self.called(pointer))??;
        if !called.is_standard || !matches!(called.name, "operator[]" | "operator*" | "operator->") {
            return None;
        }
        Some(Made::Known(self.expr(pointer)))
    }

    /// Whether a tree may call a function that a file of the program has.
    pub(crate) fn calls_program(&self, id: RowId) -> bool {
        let mut work = vec![id];
        for _ in 0..MOST_SEARCHED {
            let Some(id) = work.pop() else { return false };
            let is_call = matches!(self.rows.code(id), Code::CallExpr | Code::AggrInit);
            if is_call && self.called(id).is_none_or(|called| !called.is_standard) {
                return true;
            }
            work.extend(self.rows.operands(id).iter().flatten());
        }
        true
    }

    /// What the statement behind a declaration sets the variable to, if it is that: the value, and the object's constructor.
    pub(crate) fn initialiser_of(&self, declaration: RowId, mut next: RowId) -> Option<RowId> {
        let declared = self.rows.operand(declaration, 0)?;
        while self.rows.code(next).is_transparent() || self.rows.code(next).converts() {
            next = self.rows.operand(next, 0)?;
        }
        match self.rows.code(next) {
            Code::InitExpr if self.rows.operand(next, 0) == Some(declared) => self.rows.operand(next, 1),
            Code::CallExpr => {
                let called = self.called(next)?;
                let qualified = format!("{}::{}", called.scope, called.name);
                let object = self.without_conversions(self.rows.operand(next, 1)?);
                let is_of = self.rows.code(object) == Code::AddrExpr
                    && self.rows.operand(object, 0) == Some(declared)
                    && called.is_method
                    && base::constructs(&qualified, called.name);
                is_of.then_some(next)
            }
            _ => None,
        }
    }

    /// A value becomes an object: a temporary one is that object itself then (C++17 11.6).
    pub(crate) fn becomes(&mut self, code: Code, value: Option<RowId>) {
        let mut value = value.filter(|_| code == Code::InitExpr && self.is_cxx());
        while let Some(id) = value {
            match self.rows.code(id) {
                Code::TargetExpr => {
                    self.elided.insert(id);
                    return;
                }
                Code::CompoundExpr => value = self.rows.operand(id, 1),
                Code::CondExpr => {
                    self.becomes(code, self.rows.operand(id, 1));
                    value = self.rows.operand(id, 2);
                }
                other if other.is_transparent() => value = self.rows.operand(id, 0),
                _ => return,
            }
        }
    }

    /// The value of an initialiser: of a constructor's call without the object that it makes.
    pub(crate) fn initial(&mut self, value: RowId) -> ExprId {
        self.becomes(Code::InitExpr, Some(value));
        let Some(called) = (self.rows.code(value) == Code::CallExpr)
            .then(|| self.called(value))
            .flatten()
        else {
            return self.expr(value);
        };
        let qualified = format!("{}::{}", called.scope, called.name);
        if !called.is_method || !base::constructs(&qualified, called.name) {
            return self.expr(value);
        }
        let args = Vec::from_iter(self.rows.operands(value).iter().skip(2).flatten().copied());
        let args = self.arguments(&args);
        let kind = if called.is_standard {
            ExprKind::List(args)
        } else {
            ExprKind::Call {
                callee: Callee::Named(called.name.into()),
                args,
            }
        };
        let standing = self.expression_standing(value, &kind);
        self.push_expr(kind, standing)
    }
}

fn is_of_std(scope: &str) -> bool {
    scope == "std" || scope.starts_with(library::STANDARD)
}
