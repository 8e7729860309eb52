//! What the plugin hands over: trees as rows.

use crate::Code;
use base::{IdVec, define_id};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

define_id!(
    /// A tree.
    RowId, "t"
);
define_id!(
    /// A type.
    TypeId, "y"
);

/// A line and a column, both from 1, as gcc counts them: in bytes.
pub type Position = (u32, u32);

/// Where a tree stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as a number among [`Rows::files`].
    pub file: u32,
    /// Where gcc says that it is: at its operator, for many.
    pub caret: Position,
    /// Its first byte.
    pub start: Position,
    /// Its last byte.
    pub last: Position,
    /// It begins in what a macro expands to; the positions are those of the macro's name.
    pub in_macro: bool,
}

/// What is true of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the words of C")]
pub struct Traits {
    pub is_static: bool,
    pub is_external: bool,
    /// Other files can name it.
    pub is_public: bool,
    pub address_taken: bool,
    /// The compiler has made it.
    pub is_artificial: bool,
    pub at_file_scope: bool,
    /// A member, so many bits wide.
    pub is_bit_field: bool,
    /// It has the attribute.
    pub has_cleanup: bool,
    /// It has one of these attributes, or `destructor`.
    pub is_constructor: bool,
    pub is_alias: bool,
    /// A function within another one.
    pub is_nested: bool,
    /// A function with an object at hand: its first parameter is the address.
    pub is_method: bool,
    /// A function that no file of the program declares.
    pub is_standard: bool,
    pub is_virtual: bool,
    /// Of an initialisation: its first argument is the object that it makes.
    pub constructs: bool,
    /// Of what is done at the end of a scope: only when that is left by an exception.
    pub is_for_exceptions: bool,
    /// A variable of Fortran: it belongs to a procedure around the one that names it.
    pub is_outer: bool,
    /// A variable of Fortran: another name of its operand.
    pub stands_for: bool,
}

/// A tree.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// What it is.
    pub code: Code,
    /// What is true of a declaration.
    pub traits: Traits,
    /// Its type.
    pub ty: Option<TypeId>,
    /// Where it stands; many trees that the front end has made have no place.
    pub place: Option<Place>,
    /// Its operands, among [`Rows::operands`].
    pub operands: Range<usize>,
    /// Of an integer constant its value, of 64 bits those bits; of a bit field how wide it is; of a procedure of Fortran a bit for each argument that it only
    /// reads, the first lowest.
    pub value: Option<i64>,
    /// Of a declaration its name, of a number with a fraction its digits; else empty.
    pub name: &'a str,
    /// The namespaces and classes around a function of C++, as `a::B`; the module and the procedures around one of Fortran.
    pub scope: &'a str,
}

/// A type.
#[derive(Clone, Copy, Debug)]
pub struct TypeRow<'a> {
    /// What it is.
    pub code: Code,
    /// Of an integer.
    pub is_unsigned: bool,
    /// `const`.
    pub is_const: bool,
    /// `_Atomic`.
    pub is_atomic: bool,
    /// Of a number.
    pub bits: u32,
    /// What a pointer leads to, or an array holds.
    pub inner: Option<TypeId>,
    /// In bytes, if it is known.
    pub size: Option<i64>,
    /// The name of a class of the program, in C++; else empty.
    pub class: &'a str,
}

/// Trees, operands before what they are operands of.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    rows: IdVec<RowId, Row<'a>>,
    operands: Vec<Option<RowId>>,
    types: IdVec<TypeId, TypeRow<'a>>,
    files: Arc<Vec<String>>,
}

/// Rows that no compiler hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The row at which that shows.
    pub at: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {} of the compiler's trees cannot stand there", self.at)
    }
}

impl std::error::Error for Malformed {}

impl<'a> Rows<'a> {
    /// Takes rows, if each names only what stands before it.
    ///
    /// # Errors
    /// The first one that does not.
    pub fn new(
        rows: IdVec<RowId, Row<'a>>,
        operands: Vec<Option<RowId>>,
        types: IdVec<TypeId, TypeRow<'a>>,
        files: Arc<Vec<String>>,
    ) -> Result<Self, Malformed> {
        use base::Id as _;
        for (id, ty) in types.iter_enumerated() {
            if ty.inner.is_some_and(|inner| inner >= id) {
                return Err(Malformed { at: id.index() });
            }
        }
        for (id, row) in rows.iter_enumerated() {
            let own = operands.get(row.operands.clone());
            let fits = own.is_some_and(|own| own.iter().flatten().all(|&operand| operand < id))
                && row.ty.is_none_or(|ty| ty.index() < types.len())
                && row.place.is_none_or(|place| (place.file as usize) < files.len());
            if !fits {
                return Err(Malformed { at: id.index() });
            }
        }
        Ok(Self {
            rows,
            operands,
            types,
            files,
        })
    }

    /// A tree.
    pub fn row(&self, id: RowId) -> &Row<'a> {
        &self.rows[id]
    }

    /// Whether there is such a tree.
    pub fn has(&self, id: RowId) -> bool {
        use base::Id as _;
        id.index() < self.rows.len()
    }

    /// The code of a tree.
    pub fn code(&self, id: RowId) -> Code {
        self.rows[id].code
    }

    /// The operands of a tree.
    pub fn operands(&self, id: RowId) -> &[Option<RowId>] {
        &self.operands[self.rows[id].operands.clone()]
    }

    /// Of its operands the one with this number, if there is one.
    pub fn operand(&self, id: RowId, number: usize) -> Option<RowId> {
        self.operands(id).get(number).copied().flatten()
    }

    /// The type of a tree.
    pub fn type_row(&self, id: RowId) -> Option<&TypeRow<'a>> {
        self.rows[id].ty.map(|ty| &self.types[ty])
    }

    /// A type.
    pub fn ty(&self, id: TypeId) -> &TypeRow<'a> {
        &self.types[id]
    }

    /// Whether there is such a type.
    pub fn has_type(&self, id: TypeId) -> bool {
        use base::Id as _;
        id.index() < self.types.len()
    }

    /// The name of a file.
    pub fn file(&self, number: u32) -> &str {
        self.files.get(number as usize).map_or("", String::as_str)
    }

    /// So many operands from this one on, if there are as many.
    pub fn range(&self, first: usize, count: usize) -> Option<&[Option<RowId>]> {
        let range = self.operands.get(first..first.checked_add(count)?)?;
        range.iter().flatten().all(|&row| self.has(row)).then_some(range)
    }
}
