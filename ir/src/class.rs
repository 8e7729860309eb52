//! Classes of C++: which there are, from which others each derives, and which of them a declaration names.
//!
//! Names are those behind the last `::`. Two classes of one name are taken for one that derives from the bases of both.

use crate::Name;

/// What the names of classes stand for in a file of C++.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeNames {
    /// Classes with a body, sorted.
    pub classes: Vec<ClassHead>,
    /// Names that may stand for another type, sorted: typedefs, aliases, parameters of templates.
    pub aliases: Vec<String>,
    /// Namespaces, sorted.
    pub namespaces: Vec<String>,
    /// Some text outside of functions, or in one, was not understood: what looks like a function outside of classes may belong to one.
    pub in_part: bool,
}

/// A class with a body.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassHead {
    /// Its name, empty if it has none.
    pub name: String,
    /// The classes of the program that it derives from; none if not all of that was understood.
    pub bases: Option<Vec<String>>,
    /// It derives from a class of the standard library as well.
    pub has_library_base: bool,
    /// Its objects may be written like pointers: `object->member` is a member of something else.
    pub has_arrow: bool,
    /// It stands in a function, whose names its own functions may use.
    pub is_local: bool,
}

/// What the declaration of a variable or member says of the object that it is, or leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObjectType {
    /// An object of a class of this name, or of one that derives from it.
    Class {
        /// The class, as it is named there.
        name: Name,
        /// How many pointers and arrays lead to it.
        levels: u8,
        /// It is declared as a reference.
        is_reference: bool,
    },
    /// A number: no member of any object is in it.
    Number {
        /// How many pointers and arrays lead to it.
        levels: u8,
        /// It is declared as a reference.
        is_reference: bool,
    },
    /// An object of a class of the standard library: only functions of the library name its members.
    Library {
        /// What is in it.
        holds: Held,
        /// How many pointers and arrays lead to it.
        levels: u8,
        /// It is declared as a reference.
        is_reference: bool,
    },
    /// What the lambda makes that begins there, and nothing else.
    Lambda {
        /// Its line.
        line: u32,
        /// Its column.
        column: u32,
    },
}

/// What objects of a class of the standard library hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// Numbers and objects of classes, which stand in it and nowhere else.
    Values,
    /// Perhaps pointers to what stands elsewhere.
    Anything,
}
