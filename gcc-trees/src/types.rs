//! Types, reduced to what the analyses need.

use crate::Code;
use crate::rows::{Rows, TypeId, TypeRow};
use ir::{ObjectType, Type};

/// What a type is for the analyses.
pub(crate) fn reduced(ty: &TypeRow<'_>) -> Type {
    // An atomic variable is changed by others while it is looked at.
    if ty.is_atomic {
        return Type::Unknown;
    }
    match ty.code {
        Code::IntegerType | Code::EnumeralType | Code::BooleanType => Type::Int {
            signed: Some(!ty.is_unsigned),
            // `_Bool` has a precision of one bit and is stored in a byte.
            bits: u8::try_from(ty.bits)
                .ok()
                .filter(|bits| *bits <= 64)
                .map(|bits| bits.max(8)),
        },
        Code::RealType => match ty.bits {
            32 => Type::Float { bits: 32 },
            64 => Type::Float { bits: 64 },
            80 => Type::Float { bits: 80 },
            _ => Type::Unknown,
        },
        Code::PointerType | Code::ReferenceType => Type::Pointer,
        Code::ArrayType => Type::Array,
        Code::RecordType | Code::UnionType => Type::Aggregate,
        _ => Type::Unknown,
    }
}

/// The same of a type that may not be told.
pub(crate) fn of(rows: &Rows<'_>, ty: Option<TypeId>) -> Type {
    ty.map_or(Type::Unknown, |ty| reduced(rows.ty(ty)))
}

/// Whether it is a pointer to structures, or an array of them.
pub(crate) fn is_of_structures(rows: &Rows<'_>, ty: Option<TypeId>) -> bool {
    let inner = ty.filter(|&ty| {
        matches!(
            rows.ty(ty).code,
            Code::PointerType | Code::ReferenceType | Code::ArrayType
        )
    });
    let inner = inner.and_then(|ty| rows.ty(ty).inner);
    inner.is_some_and(|inner| reduced(rows.ty(inner)) == Type::Aggregate)
}

/// The object that a variable of this type is, or leads to.
pub(crate) fn object(rows: &Rows<'_>, ty: Option<TypeId>) -> Option<ObjectType> {
    let mut ty = rows.ty(ty?);
    let is_reference = ty.code == Code::ReferenceType;
    if is_reference {
        ty = rows.ty(ty.inner?);
    }
    let mut levels = 0_u8;
    while matches!(ty.code, Code::PointerType | Code::ArrayType) {
        levels = levels.checked_add(1)?;
        ty = rows.ty(ty.inner?);
    }
    match reduced(ty) {
        Type::Int { .. } | Type::Float { .. } => Some(ObjectType::Number { levels, is_reference }),
        Type::Aggregate if !ty.class.is_empty() => Some(ObjectType::Class {
            name: ty.class.into(),
            levels,
            is_reference,
        }),
        _ => None,
    }
}

/// Whether a parameter of this type promises not to change what it points to.
pub(crate) fn promises(rows: &Rows<'_>, ty: Option<TypeId>) -> bool {
    let pointer = ty.map(|ty| rows.ty(ty)).filter(|ty| ty.code == Code::PointerType);
    let Some(inner) = pointer.and_then(|ty| ty.inner) else {
        return false;
    };
    let inner = rows.ty(inner);
    inner.is_const
        && !matches!(
            inner.code,
            Code::PointerType | Code::FunctionType | Code::ArrayType
        )
}

/// Whether every value of the first is one of the second.
pub(crate) fn keeps(from: Type, to: Type) -> bool {
    match (from, to) {
        (
            Type::Int {
                signed: Some(from_signed),
                bits: Some(from),
            },
            Type::Int {
                signed: Some(to_signed),
                bits: Some(to),
            },
        ) => match (from_signed, to_signed) {
            (false, true) => from < to,
            (true, false) => false,
            _ => from <= to,
        },
        (Type::Float { bits: from }, Type::Float { bits: to }) => from <= to,
        _ => false,
    }
}
