//! Statements: the structure from which control flow and the paper's tuples are made.

use crate::{ExprId, LocalId, Name, StmtId};
use base::Span;
use thin_vec::ThinVec;

/// A statement with its place in the source.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// From its first to its last byte.
    pub span: Span,
    /// It comes out of a macro expansion; `span` is then the invocation.
    pub from_macro: bool,
}

const _: () = assert!(size_of::<Stmt>() == 48);

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Evaluates an expression.
    Expr(ExprId),
    /// Declares one variable. The declaration of several is a `Group` of these.
    Decl {
        /// The variable.
        local: LocalId,
        /// Its initialiser.
        init: Option<ExprId>,
    },
    /// `{ … }`: a compound statement, a level of the paper's tuple.
    Block(ThinVec<StmtId>),
    /// Several statements without braces of their own (`int a = f(), b;`): no level of the tuple.
    Group(ThinVec<StmtId>),
    /// `if`.
    If {
        /// The condition.
        cond: ExprId,
        /// Taken when it is not zero.
        then: StmtId,
        /// Taken otherwise.
        other: Option<StmtId>,
        /// Line of the `else` keyword, 0 without one: where SC'09 Figure 3 lets that arm begin.
        else_line: u32,
    },
    /// `while`, `do`, `for`.
    Loop {
        /// Which of them.
        kind: LoopKind,
        /// `for` only: evaluated once before.
        init: Option<StmtId>,
        /// `None` means for ever.
        cond: Option<ExprId>,
        /// `for` only: evaluated after each iteration.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
        /// A pragma divides its iterations among threads: no thread makes all of them, nor two runs the same.
        divided: bool,
    },
    /// `switch`.
    Switch {
        /// The value.
        value: ExprId,
        /// The body, with `Case` and `Default` labels anywhere inside.
        body: StmtId,
    },
    /// `case v:`, without the statement that follows it.
    Case(ExprId),
    /// `default:`, without the statement that follows it.
    Default,
    /// `name:`, without the statement that follows it.
    Label(Name),
    /// `goto name;`
    Goto(Name),
    /// `goto *p;`
    ComputedGoto(ExprId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<ExprId>),
    /// `try { … } catch …`: whatever is called in the body, or thrown there, may lead to any handler.
    Try {
        /// The body.
        body: StmtId,
        /// The handlers, each a block.
        handlers: ThinVec<StmtId>,
        /// Whether something is thrown: [`Unseen`](crate::ExprKind::Unseen).
        thrown: ExprId,
    },
    /// `throw e;`
    Throw(Option<ExprId>),
    /// The arms of `#if … #elif … #else … #endif`: the build took exactly one, the same on every task.
    Alternatives(ThinVec<StmtId>),
    /// Nothing: `;`, a label declaration, a type.
    Empty,
    /// Source that was not understood, with the expressions found inside. The function is then `Partial`.
    Unknown(ThinVec<ExprId>),
}

/// Which loop statement it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// `while (c) …`
    While,
    /// `do … while (c);`
    DoWhile,
    /// `for (…; …; …) …`
    For,
}
