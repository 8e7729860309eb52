//! The structured program form that every front end produces and every analysis reads.
//!
//! A [`Unit`] is one source file after parsing: functions as trees of statements over trees of expressions, names
//! resolved to variables, types reduced to what the analyses need. It says what the program does in terms that C,
//! C++ and Fortran share; control flow is not here yet (that is `dataflow`), nor is anything about how the text was
//! parsed (that is `frontend`).
//!
//! **Positions.** Every node's [`Span`] starts where compilers say that the construct is: a call at its callee
//! expression's first byte, an expression statement at its first byte, an assignment at the first byte of its
//! target. What a macro expands to stands at the first byte of the invocation, because compilers number it so.
//!
//! # How it works
//!
//! The structured program form that every front end produces: functions as trees of statements over trees of
//! expressions, names resolved, types reduced to what decides whether a value can be ordered and may wrap.
//! Children stand before parents, so analyses need one pass and no recursion for bottom-up facts. A million lines
//! make five million expressions, so these are small: 48 bytes (checked at compile time), a name (`Name`) the
//! address of its text, which the process keeps once and for good, a list of operands one pointer (`thin-vec`).
//!
//! Calls of member functions say for which object (`Function::receivers`), pointers and arrays whether structures
//! stand behind them (`of_structures`: `*p = …` sets all members then), members in which class they are declared. Of C++, units
//! have their classes with bases, and variables the class that their declarations name (`class`).
//!
//! A macro's definition may be a function, too ([`FunctionKind::Macro`]): only `frontend::add_macros` makes such, for the
//! slicer. A function and a macro of one name are two things; whoever looks a function up by its name leaves macros out.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod class;
mod expr;
mod name;
pub mod packed;
mod stmt;

pub use base::{Language, Reading};
pub use class::{ClassHead, Held, ObjectType, TypeNames};
pub use expr::{BinaryOp, Callee, Expr, ExprKind, MacroCall, UnaryOp, VarRef};
pub use name::Name;
pub use stmt::{LoopKind, Stmt, StmtKind};

use base::{Confidence, Diagnostic, Doubt, IdVec, Span, define_id};
use std::collections::{BTreeMap, BTreeSet};

define_id!(
    /// An expression of one function.
    ExprId, "e"
);
define_id!(
    /// A statement of one function.
    StmtId, "s"
);
define_id!(
    /// A parameter or local variable of one function.
    LocalId, "v"
);

/// One source file after parsing.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// The path as the user or the build named it.
    pub path: String,
    /// blake3 of the file's bytes.
    pub content_hash: [u8; 32],
    /// Functions with a body, in source order.
    pub functions: Vec<Function>,
    /// File-scope variables declared in this file, in source order.
    pub globals: Vec<Global>,
    /// Members of structures and unions that are declared in this file, sorted, each once.
    pub members: Vec<Member>,
    /// The classes of a file of C++.
    pub names: TypeNames,
    /// Names of functions whose address is taken or stored anywhere in this file (used other than as a callee).
    pub address_taken_functions: Vec<String>,
    /// Macros of which it is known what they may call where they stay unexpanded in functions of C, by name.
    pub macros: Vec<MacroCalls>,
    /// What gives values where no statement stands; only the slicer takes it for functions.
    pub defaults: Defaults,
    /// What the classes of this file say of how their objects are called, sorted, each once.
    pub call_operators: Vec<CallOperator>,
    /// Attributes that change what is called, each with its line: nobody follows them.
    pub attributes: Vec<(u32, Attribute)>,
    /// What could not be read, and why.
    pub diagnostics: Vec<Diagnostic>,
}

/// An attribute that makes a function run, or another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attribute {
    /// The function runs before `main`, or behind it.
    Constructor,
    /// A function is called when the variable goes out of scope.
    Cleanup,
    /// The name means a function that has another one.
    Alias,
}

impl Attribute {
    /// All of them.
    pub const ALL: [Attribute; 3] = [Attribute::Constructor, Attribute::Cleanup, Attribute::Alias];
}

/// A declaration of `operator()` in its class, or a lambda: how many arguments its objects are called with.
///
/// The definition of a function has no default arguments when it stands outside of the class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallOperator {
    /// What it declares.
    pub of: Callable,
    /// How many parameters it has.
    pub parameters: usize,
    /// How many arguments it takes at least: the others have default arguments.
    pub least: usize,
    /// It ends in `...`: any number of further arguments follows.
    pub is_open: bool,
}

/// What can be called as an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Callable {
    /// The objects of a class: the [`Function::linkage_name`] of its `operator()`.
    Class(String),
    /// The lambda that begins at this line and column of the file.
    Lambda(u32, u32),
}

impl CallOperator {
    /// Whether a call with so many arguments may be of it.
    pub fn takes(&self, arguments: usize) -> bool {
        self.least <= arguments && (arguments <= self.parameters || self.is_open)
    }
}

/// What gives values in C++ where no statement stands, as functions.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// For each class: its members get the values that stand in their declarations. It has the name of the constructors.
    pub members: Vec<Function>,
    /// For each function with default arguments: it is called with these. It has the function's name, and of a lambda what
    /// [`Function::linkage_name`] is for all of them.
    pub arguments: Vec<Function>,
}

impl Unit {
    /// Whether a program holds the code of the file once, as far as its name tells. A header is compiled into many files, and what its
    /// macros mean may be another thing in each.
    pub fn is_compiled_once(&self) -> bool {
        base::FileKind::of(&self.path).is_some_and(base::FileKind::is_compiled_once)
    }
}

/// What a macro may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroCalls {
    /// Its name.
    pub name: String,
    /// The functions that it may call besides what its arguments call, sorted.
    pub callees: Vec<String>,
    /// It evaluates each argument once at most, and calls nothing before that.
    pub after_arguments: bool,
}

/// A file-scope variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name in the source.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its type as far as the declaration shows.
    pub ty: Type,
    /// `static`: nobody outside the file can name it.
    pub is_static: bool,
    /// `extern` without initialiser: defined elsewhere.
    pub is_extern: bool,
    /// `const` or `constexpr`, and no pointer: it always has its initial value. Only told of C++.
    pub is_constant: bool,
    /// Its address is taken in this file otherwise than as `&name` in a function (there the expressions show it): in an
    /// initialiser, of a part of it, by asm. Or it is an array.
    pub address_taken: bool,
    /// The initialiser when it is an integer constant. Zero when a definition has none, as C says.
    pub initial: Option<i64>,
    /// The functions and variables that its initialiser names, in order.
    pub initial_names: Vec<String>,
    /// As [`Local::of_structures`].
    pub of_structures: bool,
    /// As [`Local::object`].
    pub object: Option<ObjectType>,
}

/// A member of some structure or union.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// Its name in the source.
    pub name: String,
    /// Its type as far as the declaration shows; of a bit field, an integer of its width.
    pub ty: Type,
    /// A union is around it: other members may stand in the same memory.
    pub in_union: bool,
    /// Who declares it, in C++.
    pub class: Option<Class>,
    /// As [`Local::of_structures`].
    pub of_structures: bool,
    /// As [`Local::object`].
    pub object: Option<ObjectType>,
}

/// A class that declares a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// Its name in the source, empty if it has none.
    pub name: String,
    /// It has bases, whose members of the same names its own ones hide.
    pub has_bases: bool,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in the source.
    pub name: String,
    /// What it is in the source.
    pub kind: FunctionKind,
    /// The language that it is written in.
    pub language: Language,
    /// Its name with the namespaces and classes around it, of a C++ function (`ns::Solver::run`), and of no other.
    pub linkage_name: Option<String>,
    /// `static`: two files may have different functions of this name.
    pub is_static: bool,
    /// From the first byte of the definition to its closing brace.
    pub span: Span,
    /// Parameters and local variables; the parameters come first, `params` of them.
    pub locals: IdVec<LocalId, Local>,
    /// How many of `locals` are parameters.
    pub params: usize,
    /// The type of its value.
    pub returns: Type,
    /// Expressions, children before parents.
    pub exprs: IdVec<ExprId, Expr>,
    /// Of calls that may be of member functions: whose.
    pub receivers: BTreeMap<ExprId, Receiver>,
    /// Arguments that Fortran hands over by their address, and that whoever is called only reads: here each stands as its value.
    pub by_address: BTreeSet<ExprId>,
    /// Statements, children before parents.
    pub stmts: IdVec<StmtId, Stmt>,
    /// The body, a [`StmtKind::Block`].
    pub body: StmtId,
    /// How its text was read.
    pub reading: Reading,
    /// How well the body was understood.
    pub confidence: Confidence,
    /// Why `confidence` is not `Clean`, for the user.
    pub confidence_reason: Option<Doubt>,
}

/// What in the source a function was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// A function with a name.
    Source,
    /// What a lambda of C++ does when it is called: a member function `operator()` of a class that has no name.
    Lambda,
    /// The definition of a macro that stays unexpanded.
    Macro(MacroBody),
    /// The default arguments of a function of the same name ([`Defaults::arguments`]).
    DefaultArguments,
}

impl FunctionKind {
    /// Whether it was a macro's definition.
    pub fn is_macro(self) -> bool {
        matches!(self, FunctionKind::Macro(_))
    }

    /// Whether it is a function of the program, with a name or without.
    pub fn is_function(self) -> bool {
        matches!(self, FunctionKind::Source | FunctionKind::Lambda)
    }
}

/// The object that a member function is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// The one whose address this expression is, or to which it refers.
    At(ExprId),
    /// If a member function is called, the one that the calling function was called for: `advance()` in another one.
    This,
}

/// The name of the object at hand in a member function, as in debug info. It is a local variable behind the parameters.
pub const THIS: &str = "this";

/// The name by which an object is called.
pub const CALL: &str = "operator()";

/// What the lambdas of a file are called: they have no name.
pub const LAMBDA: &str = "(lambda)::operator()";

/// What a macro's replacement list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacroBody {
    /// An expression, whose value the function returns.
    Value,
    /// Statements: their `return` leaves the function around the macro.
    Statements,
}

impl Function {
    /// Whether its full name is that of a constructor.
    pub fn is_constructor(&self) -> bool {
        let qualified = self.linkage_name.as_deref().unwrap_or_default();
        base::constructs(qualified, &self.name)
    }

    /// The name and the arguments of a call by name; `None` for any other expression.
    pub fn named_call(&self, id: ExprId) -> Option<(&'static str, &[ExprId])> {
        match &self.exprs[id].kind {
            ExprKind::Call {
                callee: Callee::Named(name),
                args,
            } => Some((name.as_str(), args)),
            _ => None,
        }
    }

    /// The object that `base.member` is a member of, without what is done before it is looked at: `d` of `(d.cycle(), d)`.
    pub fn object(&self, mut base: ExprId) -> ExprId {
        while let ExprKind::Comma(_, object) = self.exprs[base].kind {
            base = object;
        }
        base
    }
}

/// A parameter or local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name in the source.
    pub name: String,
    /// Where it is declared; tells two variables of one name apart, as `DW_AT_decl_line` does.
    pub span: Span,
    /// Its type as far as the declaration shows.
    pub ty: Type,
    /// `static` local: keeps its value between calls.
    pub is_static: bool,
    /// `&x` occurs, or it is an array: memory that a callee or a pointer may change.
    pub address_taken: bool,
    /// A parameter that points to something constant (`const int *`, `const int[]`): the function promises its callers not to change
    /// that.
    pub promises: bool,
    /// What it points to, or is an array of, are structures, as far as the declaration shows: `*p = …` sets all of their members.
    pub of_structures: bool,
    /// It is a parameter pack: all arguments from its place on.
    pub is_pack: bool,
    /// The object that it is or leads to, as far as its declaration names the class; only in C++.
    pub object: Option<ObjectType>,
    /// It is no variable of the source: how many elements a loop over a range has left behind, whose variable this one is. The
    /// program holds it as an iterator: that one itself where `container` says over what it goes, else one that nothing in the source can
    /// name.
    pub counts_for: Option<LocalId>,
    /// The object whose elements are counted, where the source names it: an lvalue of this function, made only to be looked at.
    pub container: Option<ExprId>,
}

impl Local {
    /// A variable of which its declaration tells no more than this.
    pub fn new(name: String, span: Span, ty: Type) -> Self {
        Self {
            name,
            span,
            ty,
            is_static: false,
            address_taken: ty == Type::Array,
            promises: false,
            of_structures: false,
            is_pack: false,
            object: None,
            counts_for: None,
            container: None,
        }
    }
}

/// A type, reduced to what decides whether a value can be ordered and may wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// An integer; `bits` is `None` for a typedef that the front end cannot see through.
    Int {
        /// Whether the type has a sign; `None` when unknown.
        signed: Option<bool>,
        /// Width in bits on LP64 (`long` is 64).
        bits: Option<u8>,
    },
    /// A floating-point number of 32, 64 or 80 bits.
    Float {
        /// Width in bits.
        bits: u8,
    },
    /// A pointer.
    Pointer,
    /// An array: its name is an address.
    Array,
    /// A structure or union.
    Aggregate,
    /// A name that the front end cannot see through (a typedef from a header).
    Unknown,
}
