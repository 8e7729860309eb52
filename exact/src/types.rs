//! Types, reduced to what the analyses need, from specifiers whose every name is known.

use ir::Type;
use lang_c::ast::{Declarator, DeclaratorKind, DerivedDeclarator, TS18661FloatFormat, TypeSpecifier};
use lang_c::span::Node;

/// `int`, signed and of 32 bits.
pub const INT: Type = integer(true, 32);

/// An integer type; widths are those of LP64.
pub const fn integer(signed: bool, bits: u8) -> Type {
    Type::Int {
        signed: Some(signed),
        bits: Some(bits),
    }
}

/// The type that specifiers name; `named` knows the typedefs.
pub(crate) fn of_specifiers<'a>(
    specifiers: impl Iterator<Item = &'a TypeSpecifier>,
    named: &dyn Fn(&str) -> Option<Type>,
) -> Type {
    let (mut signed, mut long, mut short, mut base) = (None, 0, false, None);
    for specifier in specifiers {
        match specifier {
            TypeSpecifier::Void => base = Some(Type::Unknown),
            TypeSpecifier::Char => {
                base = Some(Type::Int {
                    signed: None,
                    bits: Some(8),
                })
            }
            TypeSpecifier::Short => short = true,
            TypeSpecifier::Int => base = base.or(Some(INT)),
            TypeSpecifier::Long => long += 1,
            TypeSpecifier::Float => base = Some(Type::Float { bits: 32 }),
            TypeSpecifier::Double => base = Some(Type::Float { bits: 64 }),
            TypeSpecifier::Signed => signed = Some(true),
            TypeSpecifier::Unsigned => signed = Some(false),
            TypeSpecifier::Bool => base = Some(integer(false, 8)),
            // Neither is ordered by `<`.
            TypeSpecifier::Complex | TypeSpecifier::TypeOf(_) | TypeSpecifier::Atomic(_) => {
                return Type::Unknown;
            }
            TypeSpecifier::Struct(_) => base = Some(Type::Aggregate),
            // Which integer type an enumeration is depends on its values.
            TypeSpecifier::Enum(_) => {
                base = Some(Type::Int {
                    signed: None,
                    bits: Some(32),
                })
            }
            TypeSpecifier::TypedefName(name) => base = Some(named(&name.node.name).unwrap_or(Type::Unknown)),
            TypeSpecifier::TS18661Float(float) => {
                base = Some(match (&float.format, float.width) {
                    (TS18661FloatFormat::BinaryInterchange, 32) => Type::Float { bits: 32 },
                    (TS18661FloatFormat::BinaryInterchange, 64)
                    | (TS18661FloatFormat::BinaryExtended, 32) => Type::Float { bits: 64 },
                    _ => Type::Unknown,
                });
            }
        }
    }
    match (base, signed) {
        (Some(Type::Float { bits: 64 }), _) if long > 0 => Type::Float { bits: 80 },
        (Some(Type::Int { bits: Some(8), .. }), Some(signed)) => integer(signed, 8),
        (Some(INT) | None, _) if long > 0 => integer(signed.unwrap_or(true), 64),
        (Some(INT) | None, _) if short => integer(signed.unwrap_or(true), 16),
        (Some(INT) | None, Some(signed)) => integer(signed, 32),
        (Some(ty), _) => ty,
        // Implicit int, which C has not had since 1999.
        (None, None) => INT,
    }
}

/// What a declarator makes of the type in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// Nothing.
    Plain,
    /// A pointer to something.
    Pointer,
    /// An array of something.
    Array,
    /// A function.
    Function,
}

impl Derived {
    /// What the derivation next to the name is. Suffixes bind closer than stars, and inner declarators closer than both.
    pub fn of(declarator: &Declarator) -> Self {
        if let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
            let inner = Self::of(&inner.node);
            if inner != Derived::Plain {
                return inner;
            }
        }
        match declarator.derived.last().map(|derived| &derived.node) {
            None => Derived::Plain,
            Some(DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_)) => Derived::Pointer,
            Some(DerivedDeclarator::Array(_)) => Derived::Array,
            Some(DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)) => Derived::Function,
        }
    }

    /// The type of what is declared.
    pub fn apply(self, base: Type) -> Type {
        match self {
            Derived::Plain => base,
            Derived::Pointer => Type::Pointer,
            Derived::Array => Type::Array,
            Derived::Function => Type::Unknown,
        }
    }
}

/// Whether a declaration with the type `base` makes its name a pointer to structures, or an array of them.
pub fn is_of_structures(declarator: &Declarator, base: Type) -> bool {
    let levels = derivations(declarator).into_iter();
    let levels = levels.filter(|level| {
        !matches!(
            level,
            DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)
        )
    });
    let near = matches!(Derived::of(declarator), Derived::Pointer | Derived::Array);
    near && levels.count() == 1 && base == Type::Aggregate
}

/// The name that a declarator declares, with its place.
pub fn name_of(declarator: &Node<Declarator>) -> Option<&Node<lang_c::ast::Identifier>> {
    match &declarator.node.kind.node {
        DeclaratorKind::Identifier(name) => Some(name),
        DeclaratorKind::Declarator(inner) => name_of(inner),
        DeclaratorKind::Abstract => None,
    }
}

/// What is derived next to the name, innermost declarators first.
pub(crate) fn derivations(declarator: &Declarator) -> Vec<&DerivedDeclarator> {
    let mut all: Vec<&DerivedDeclarator> = Vec::new();
    if let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
        all = derivations(&inner.node);
    }
    all.extend(declarator.derived.iter().rev().map(|derived| &derived.node));
    all
}
