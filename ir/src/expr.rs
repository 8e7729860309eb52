//! Expressions: what is computed, assigned and called, in the order in which C sequences it.

use crate::{ExprId, LocalId, Name, Type};
use base::Span;
use thin_vec::ThinVec;

/// An expression with its place in the source.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it does.
    pub kind: ExprKind,
    /// Where it stands (for a call: from the first byte of the callee expression).
    pub span: Span,
    /// It comes out of a macro expansion; `span` is then the invocation.
    pub from_macro: bool,
}

// A program of a million lines has five million of them.
const _: () = assert!(size_of::<Expr>() == 48);

/// What an expression does.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer constant, after macro and enumerator resolution where that is possible.
    Int(i64),
    /// A floating-point constant.
    Float(f64),
    /// A string literal: an address that differs from task to task.
    Str,
    /// A variable's value.
    Var(VarRef),
    /// `sizeof` and the like: a compile-time constant whose value we do not compute.
    Constant,
    /// A value that the source does not show: an element of a range, what was thrown, whether anything was, the object whose member a
    /// pointer to members leads to. It lies in memory that nobody names, and differs from task to task for all that is known.
    Unseen,
    /// What a build has chosen: which of several definitions of a macro it has, whether it has what stands under `#if`. Every
    /// build knows it; its value is not known here.
    BuildChoice,
    /// An arithmetic operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An arithmetic or comparison operator with two operands, evaluated in an unspecified order.
    Binary(BinaryOp, ExprId, ExprId),
    /// `a && b`: `a` first, `b` perhaps.
    And(ExprId, ExprId),
    /// `a || b`: `a` first, `b` perhaps.
    Or(ExprId, ExprId),
    /// `c ? t : e`.
    Conditional(ExprId, ExprId, ExprId),
    /// `throw e` where an expression stands, as in `x > 3 ? throw e : x`: control leaves as with the statement. Without a value, `throw`.
    Throw(Option<ExprId>),
    /// `a, b`: `a` first.
    Comma(ExprId, ExprId),
    /// `target = value`, or `target op= value`.
    Assign {
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// What is written: a `Var`, `Field`, `Index` or `Deref`.
        target: ExprId,
        /// The value.
        value: ExprId,
    },
    /// `++x`, `x++`, `--x`, `x--`.
    Step {
        /// What is written.
        target: ExprId,
        /// `++` rather than `--`.
        up: bool,
        /// `++x` rather than `x++`.
        prefix: bool,
    },
    /// A call.
    Call {
        /// Who is called.
        callee: Callee,
        /// The arguments, evaluated in an unspecified order before the call.
        args: ThinVec<ExprId>,
    },
    /// `base.name`, or `base->name` when `arrow`.
    Field {
        /// The structure, or the pointer to it when `arrow`.
        base: ExprId,
        /// The member's name.
        name: Name,
        /// `->` rather than `.`.
        arrow: bool,
    },
    /// The address of a variable that the lambda at hand captured: where it stands is only known to who makes the lambda.
    Captured {
        /// The lambda's object.
        object: ExprId,
        /// The variable's name.
        name: Name,
    },
    /// `base[index]`.
    Index {
        /// The array or pointer.
        base: ExprId,
        /// The subscript.
        index: ExprId,
    },
    /// `*p`.
    Deref(ExprId),
    /// `&x`.
    AddressOf(ExprId),
    /// `(type) x`.
    Cast(Type, ExprId),
    /// `{ a, b, … }` as an initialiser or compound literal.
    List(ThinVec<ExprId>),
    /// A statement expression or another construct that contains these parts; evaluated in an unknown order,
    /// each perhaps more than once or not at all.
    Unknown(ThinVec<ExprId>),
}

/// A variable, resolved by the language's scoping rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VarRef {
    /// A parameter or local variable of the function.
    Local(LocalId),
    /// Anything else that is named: a global, an enumerator or an undeclared name from a header.
    Global(Name),
}

/// Who is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A function, by its source name.
    Named(Name),
    /// A macro that could not be expanded: it may evaluate its arguments any number of times, write to them, jump, or
    /// call functions under other names.
    Macro(Box<MacroCall>),
    /// Whatever the expression's value points to.
    Indirect(ExprId),
}

impl Callee {
    /// The name under which the source calls it, a function or a macro; `None` for what a pointer leads to.
    pub fn name(&self) -> Option<Name> {
        match self {
            Callee::Named(name) => Some(*name),
            Callee::Macro(called) => Some(called.name),
            Callee::Indirect(_) => None,
        }
    }
}

/// A macro that could not be expanded, where it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct MacroCall {
    /// Its name.
    pub name: Name,
    /// The assignments that its replacement list may make and its arguments do not show. They are evaluated behind these, each
    /// as `BuildChoice && (variable = Unseen)`: whether it is made depends on the build, and nothing tells the value.
    pub writes: ThinVec<ExprId>,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-x`
    Neg,
    /// `~x`
    BitNot,
    /// `!x`
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl BinaryOp {
    /// The one that is written `text`.
    pub fn written(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"+" => Self::Add,
            b"-" => Self::Sub,
            b"*" => Self::Mul,
            b"/" => Self::Div,
            b"%" => Self::Rem,
            b"<<" => Self::Shl,
            b">>" => Self::Shr,
            b"&" | b"bitand" => Self::BitAnd,
            b"|" | b"bitor" => Self::BitOr,
            b"^" | b"xor" => Self::BitXor,
            b"<" => Self::Lt,
            b"<=" => Self::Le,
            b">" => Self::Gt,
            b">=" => Self::Ge,
            b"==" => Self::Eq,
            b"!=" | b"not_eq" => Self::Ne,
            _ => return None,
        })
    }

    /// Whether it compares its operands: its value is 0 or 1.
    pub fn compares(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Lt | Le | Gt | Ge | Eq | Ne)
    }
}
