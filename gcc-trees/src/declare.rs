//! Variables at file scope and members.

use crate::Code;
use crate::rows::{Place, Row, RowId, Rows, TypeId};
use crate::text::span;
use crate::types;
use ir::{Class, Global, Language, Member, ObjectType, Type};

/// A function or variable that an initialiser names.
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_function: bool,
}

/// The functions and variables that an initialiser names, in order.
pub(crate) fn names<'a>(rows: &Rows<'a>, initial: Option<RowId>) -> Vec<Named<'a>> {
    let mut found = Vec::new();
    let mut work = Vec::from_iter(initial);
    // A tree has each of its operands once, but for few that are shared.
    let mut left = 1_000_000_u32;
    while let Some(id) = work.pop() {
        left -= 1;
        if left == 0 {
            break;
        }
        let row = rows.row(id);
        if matches!(row.code, Code::VarDecl | Code::FunctionDecl) && !row.name.is_empty() {
            found.push(Named {
                name: row.name,
                is_function: row.code == Code::FunctionDecl,
            });
        }
        work.extend(rows.operands(id).iter().rev().flatten());
    }
    found
}

/// A variable at file scope.
pub(crate) fn global(
    rows: &Rows<'_>,
    declaration: RowId,
    place: Place,
    initial: Option<RowId>,
    named: &[Named<'_>],
    language: Language,
) -> Global {
    let row = rows.row(declaration);
    let is_extern = row.traits.is_external && initial.is_none();
    let ty = types::of(rows, row.ty);
    let initial = match initial {
        Some(value) => constant(rows, value),
        // Of C++, it may get its value when the program begins; in Fortran it has none.
        None => (!is_extern && language == Language::C).then_some(0),
    };
    let (line, column) = place.last;
    Global {
        name: global_name(row, language),
        span: span(place.start, (line, column + 1)),
        ty,
        is_static: !row.traits.is_public,
        is_extern,
        is_constant: language.is_cxx()
            && initial.is_some()
            && rows.type_row(declaration).is_some_and(|ty| ty.is_const)
            && matches!(ty, Type::Int { .. } | Type::Float { .. }),
        address_taken: ty == Type::Array,
        initial,
        initial_names: named.iter().map(|name| name.name.to_owned()).collect(),
        of_structures: types::is_of_structures(rows, row.ty),
        object: object(rows, row.ty, language),
    }
}

/// The name that one variable of the program has alone: two modules of Fortran may each have one of a name.
pub(crate) fn global_name(row: &Row<'_>, language: Language) -> String {
    match language {
        Language::Fortran if !row.scope.is_empty() => format!("{}::{}", row.scope, row.name),
        _ => row.name.to_owned(),
    }
}

fn object(rows: &Rows<'_>, ty: Option<TypeId>, language: Language) -> Option<ObjectType> {
    match language {
        Language::C | Language::Fortran => None,
        Language::Cxx => types::object(rows, ty),
    }
}

/// The value of an integer constant; a null pointer is as good as zero.
fn constant(rows: &Rows<'_>, mut value: RowId) -> Option<i64> {
    while rows.code(value).converts() {
        value = rows.operand(value, 0)?;
    }
    (rows.code(value) == Code::IntegerCst).then(|| integer(rows, value))?
}

/// The value of an integer constant, if it fits.
pub(crate) fn integer(rows: &Rows<'_>, constant: RowId) -> Option<i64> {
    let value = rows.row(constant).value?;
    let ty = rows.type_row(constant);
    let wraps = value < 0 && ty.is_some_and(|ty| ty.is_unsigned || ty.code == Code::PointerType);
    (!wraps).then_some(value)
}

/// A member of a structure or union.
pub(crate) fn member(
    rows: &Rows<'_>,
    member: RowId,
    in_union: bool,
    class: Option<Class>,
    language: Language,
) -> Member {
    let row = rows.row(member);
    let mut ty = types::of(rows, row.ty);
    if row.traits.is_bit_field {
        let signed = match ty {
            Type::Int { signed, .. } => signed,
            _ => None,
        };
        let bits = row.value.and_then(|bits| u8::try_from(bits).ok());
        ty = Type::Int { signed, bits };
    }
    Member {
        name: row.name.to_owned(),
        ty,
        in_union,
        class,
        of_structures: types::is_of_structures(rows, row.ty),
        object: object(rows, row.ty, language),
    }
}
