//! Declarations: specifiers, declarators, and the reduction of C types to what the analyses need.

use crate::lower::file::File;
use crate::lower::{children, field};
use ir::Type;
use tree_sitter::Node;

/// Nesting of declarators that is followed: `int *(*(*f)(void))[3]` has four.
const DECLARATOR_LIMIT: usize = 64;
/// Typedefs of typedefs that are followed.
const TYPEDEF_LIMIT: usize = 16;

/// What stands in front of the declarators.
#[derive(Clone, Copy, Debug)]
pub struct Specifiers {
    /// The type.
    pub ty: Type,
    /// `static`.
    pub is_static: bool,
    /// `extern`.
    pub is_extern: bool,
}

impl Specifiers {
    /// Reads the specifiers of `node`, a declaration, parameter or function definition.
    pub fn read(file: &File, node: Node) -> Self {
        let mut specifiers = Self {
            ty: Type::Unknown,
            is_static: false,
            is_extern: false,
        };
        if let Some(ty) = field(node, "type") {
            specifiers.ty = base_type(file, ty);
        }
        for child in children(node) {
            match child.kind() {
                "storage_class_specifier" => match file.text(child) {
                    b"static" => specifiers.is_static = true,
                    b"extern" => specifiers.is_extern = true,
                    _ => {}
                },
                "compound_statement" | "init_declarator" => break,
                _ => {}
            }
        }
        specifiers
    }

    /// Whether `node`, a declaration in a class, says `inline`, so that it defines what it declares.
    pub fn is_inline(file: &File, node: Node) -> bool {
        let mut parts = children(node).into_iter();
        parts.any(|part| part.kind() == "storage_class_specifier" && file.text(part) == b"inline")
    }
}

/// What a declarator makes of the type in front of it: the derivation next to the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// Nothing.
    Plain,
    /// A pointer to something.
    Pointer,
    /// A reference to something: another name for it.
    Reference,
    /// An array of something.
    Array,
    /// A function.
    Function,
}

impl Derived {
    /// The type of what is declared.
    pub fn apply(self, base: Type) -> Type {
        match self {
            Derived::Plain => base,
            Derived::Pointer | Derived::Reference => Type::Pointer,
            Derived::Array => Type::Array,
            Derived::Function => Type::Unknown,
        }
    }
}

/// A declarator taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'t> {
    /// The name.
    pub name: Node<'t>,
    /// What it is.
    pub derived: Derived,
    /// The initialiser.
    pub value: Option<Node<'t>>,
    /// The innermost function declarator.
    pub function: Option<Node<'t>>,
    /// The size of the array next to the name.
    pub size: Option<Node<'t>>,
    /// How many pointers and arrays stand between the name and the type in front.
    pub levels: usize,
    /// A reference stands somewhere in it.
    pub has_reference: bool,
}

impl Declared<'_> {
    /// Whether a declaration with the type `base` makes it a pointer to structures, an array of them, or a reference to one.
    pub fn is_of_structures(&self, base: Type) -> bool {
        let near = match self.derived {
            Derived::Reference => self.levels <= 1,
            Derived::Plain | Derived::Function => false,
            _ => self.levels == 1,
        };
        near && base == Type::Aggregate
    }
}

/// The declarators of a declaration.
pub fn declarators(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children_by_field_name("declarator", &mut cursor).collect()
}

/// Takes `node` apart; `None` when it declares no name.
pub fn declarator<'t>(_file: &File, node: Node<'t>) -> Option<Declared<'t>> {
    let mut declared = Declared {
        name: node,
        derived: Derived::Plain,
        value: None,
        function: None,
        size: None,
        levels: 0,
        has_reference: false,
    };
    let mut at = node;
    for _ in 0..DECLARATOR_LIMIT {
        let inner = field(at, "declarator");
        match at.kind() {
            "identifier" | "type_identifier" | "field_identifier" | "primitive_type" | "destructor_name"
            | "operator_name" => {
                declared.name = at;
                return Some(declared);
            }
            "qualified_identifier" | "template_function" | "template_method" | "template_type" => {
                at = field(at, "name")?;
                continue;
            }
            "operator_cast" => {
                declared.name = at;
                declared.function = field(at, "declarator");
                declared.derived = Derived::Function;
                return Some(declared);
            }
            "abstract_function_declarator" => {
                declared.name = name_read_as_type(at)?;
                declared.function = Some(at);
                declared.derived = Derived::Function;
                return Some(declared);
            }
            "structured_binding_declarator" => return None,
            "reference_declarator" => {
                declared.derived = Derived::Reference;
                declared.has_reference = true;
            }
            "init_declarator" => declared.value = field(at, "value"),
            "pointer_declarator" => {
                declared.derived = Derived::Pointer;
                declared.levels += 1;
            }
            "array_declarator" => {
                declared.derived = Derived::Array;
                declared.size = field(at, "size");
                declared.levels += 1;
            }
            "function_declarator" => {
                declared.derived = Derived::Function;
                declared.function = Some(at);
            }
            _ => {}
        }
        let wrapped = |kind: &str| kind.ends_with("declarator") || kind.ends_with("identifier");
        at = inner.or_else(|| children(at).into_iter().find(|child| wrapped(child.kind())))?;
    }
    None
}

/// The name in `(f)(int)`, which the grammar takes for a function that returns a function, as no function does.
fn name_read_as_type(node: Node<'_>) -> Option<Node<'_>> {
    let inner = field(node, "declarator").filter(|inner| inner.kind() == "abstract_function_declarator")?;
    let parameters = children(field(inner, "parameters")?);
    let [only] = parameters[..] else { return None };
    let parts = children(only);
    let [name] = parts[..] else { return None };
    (name.kind() == "type_identifier").then_some(name)
}

/// Whether `const` stands in front of the declarators of `node`.
pub fn is_constant(file: &File, node: Node) -> bool {
    let mut children = children(node).into_iter();
    children.any(|child| child.kind() == "type_qualifier" && file.text(child) == b"const")
}

/// Whether what `node` declares, and what is no pointer, keeps its value.
pub fn is_fixed(file: &File, node: Node) -> bool {
    let mut children = children(node).into_iter();
    children
        .any(|child| child.kind() == "type_qualifier" && matches!(file.text(child), b"const" | b"constexpr"))
}

/// The names and types that a `typedef` introduces.
pub fn typedefs(file: &File, node: Node) -> Vec<(String, Type)> {
    let base = field(node, "type").map_or(Type::Unknown, |ty| base_type(file, ty));
    let declared = declarators(node).into_iter().filter_map(|d| declarator(file, d));
    declared
        .map(|d| (file.name(d.name), d.derived.apply(base)))
        .collect()
}

/// The type that a `type_descriptor` (in a cast) describes.
pub fn described_type(file: &File, node: Node) -> Type {
    let base = field(node, "type").map_or(Type::Unknown, |ty| base_type(file, ty));
    match field(node, "declarator").map(|d| d.kind()) {
        Some("abstract_array_declarator") => Type::Array,
        Some("abstract_reference_declarator") => base,
        Some(_) => Type::Pointer,
        None => base,
    }
}

/// The type that a specifier names.
pub fn base_type(file: &File, node: Node) -> Type {
    match node.kind() {
        "struct_specifier" | "union_specifier" | "class_specifier" | "template_type" => Type::Aggregate,
        "qualified_identifier" => qualified_type(file, node),
        "enum_specifier" => Type::Int {
            signed: None,
            bits: Some(32),
        },
        "type_identifier" => named_type(file, file.text(node), 0),
        "primitive_type"
            if file
                .prepared
                .cast_types
                .binary_search(&(node.start_byte() as u32))
                .is_ok() =>
        {
            let (start, end) = file.raw_range(node);
            named_type(
                file,
                file.raw
                    .text
                    .get(start as usize..end as usize)
                    .unwrap_or_default(),
                0,
            )
        }
        "primitive_type" | "sized_type_specifier" => words_type(file, file.text(node), 0),
        _ => Type::Unknown,
    }
}

/// The type of a qualified name: what its last part is by itself, or a class.
fn qualified_type(file: &File, node: Node) -> Type {
    let Some(name) = field(node, "name") else {
        return Type::Unknown;
    };
    match base_type(file, name) {
        Type::Unknown => {
            let standard = field(node, "scope").is_some_and(|scope| file.text(scope) == b"std");
            if standard && !file.text(name).ends_with(b"_type") && name.kind() == "type_identifier" {
                Type::Aggregate
            } else {
                Type::Unknown
            }
        }
        ty => ty,
    }
}

/// What a typedef name stands for.
pub fn named_type(file: &File, name: &[u8], depth: usize) -> Type {
    if depth > TYPEDEF_LIMIT {
        return Type::Unknown;
    }
    if let Ok(name) = std::str::from_utf8(name) {
        if file.template_types.contains(name) {
            return Type::Unknown;
        }
        if let Some(ty) = file.types.get(name) {
            return *ty;
        }
    }
    let mut all = file.raw.visible.typedef_words(name).into_iter();
    let Some(first) = all.next() else {
        return match words_type(file, name, depth) {
            Type::Unknown if file.is_class(name) => Type::Aggregate,
            ty => ty,
        };
    };
    let first = words_type(file, first, depth + 1);
    all.fold(first, |ty, words| join(ty, words_type(file, words, depth + 1)))
}

/// Whether every build makes a number of the typedef `name`, though perhaps not of the same width.
pub fn is_number(file: &File, name: &[u8]) -> bool {
    let words = file.raw.visible.typedef_words(name);
    let number = |words: &&[u8]| {
        let pointer = words.contains(&b'*');
        !pointer && matches!(words_type(file, words, 0), Type::Int { .. } | Type::Float { .. })
    };
    !file
        .types
        .contains_key(std::str::from_utf8(name).unwrap_or_default())
        && !words.is_empty()
        && words.iter().all(number)
}

/// What is common to two types that a name has in different builds.
pub fn join(one: Type, other: Type) -> Type {
    match (one, other) {
        _ if one == other => one,
        (Type::Int { signed: a, bits: m }, Type::Int { signed: b, bits: n }) => Type::Int {
            signed: a.filter(|_| a == b),
            bits: m.filter(|_| m == n),
        },
        _ => Type::Unknown,
    }
}

/// The type written as keywords, in any order, or as one of the standard library's names. Widths are those of LP64.
fn words_type(file: &File, words: &[u8], depth: usize) -> Type {
    let int = |signed: bool, bits: u8| Type::Int {
        signed: Some(signed),
        bits: Some(bits),
    };
    let (mut signed, mut long, mut short, mut base) = (None, 0, false, None);
    for word in words
        .split(|b| b.is_ascii_whitespace() || *b == b'*')
        .filter(|w| !w.is_empty())
    {
        match word {
            b"const" | b"volatile" | b"restrict" | b"register" | b"_Atomic" | b"constexpr" => {}
            b"signed" => signed = Some(true),
            b"unsigned" => signed = Some(false),
            b"long" => long += 1,
            b"short" => short = true,
            b"struct" | b"union" => base = Some(Type::Aggregate),
            b"enum" => {
                base = Some(Type::Int {
                    signed: None,
                    bits: Some(32),
                });
            }
            _ if base.is_some() => {}
            b"int" => base = Some(int(true, 32)),
            // Whether plain `char` has a sign depends on the machine.
            b"char" => {
                base = Some(Type::Int {
                    signed: None,
                    bits: Some(8),
                });
            }
            b"float" => base = Some(Type::Float { bits: 32 }),
            b"double" => base = Some(Type::Float { bits: 64 }),
            b"_Bool" | b"bool" => base = Some(int(false, 8)),
            other if library_type(other).is_some() => base = library_type(other),
            other if other != words => base = Some(named_type(file, other, depth + 1)),
            _ => base = Some(Type::Unknown),
        }
    }
    if words.contains(&b'*') {
        return Type::Pointer;
    }
    match (base, signed) {
        (Some(Type::Float { bits: 64 }), _) if long > 0 => Type::Float { bits: 80 },
        (Some(Type::Int { bits: Some(8), .. }), Some(signed)) => int(signed, 8),
        (Some(Type::Int { bits: Some(32), .. }) | None, _) if long > 0 => int(signed.unwrap_or(true), 64),
        (Some(Type::Int { bits: Some(32), .. }) | None, _) if short => int(signed.unwrap_or(true), 16),
        (Some(Type::Int { bits: Some(32), .. }) | None, Some(signed)) => int(signed, 32),
        (Some(ty), _) => ty,
        (None, None) => Type::Unknown,
    }
}

/// Whether `name` is a type of the headers of C, POSIX and MPI, and nothing that a program calls a variable.
pub fn is_library_type(name: &[u8]) -> bool {
    (name.ends_with(b"_t") || name.starts_with(b"MPI_")) && library_type(name).is_some()
}

/// Types of the headers of C, POSIX and MPI that are numbers, as 64-bit Linux has them. The front end does not read those headers.
fn library_type(name: &[u8]) -> Option<Type> {
    let (signed, bits) = match name {
        b"size_t" | b"uintptr_t" | b"uint64_t" | b"uint_least64_t" | b"uint_fast16_t" | b"uint_fast32_t"
        | b"uint_fast64_t" | b"uintmax_t" | b"ulong" | b"u_long" | b"u_int64_t" => (false, 64),
        b"ssize_t" | b"ptrdiff_t" | b"intptr_t" | b"int64_t" | b"int_least64_t" | b"int_fast16_t"
        | b"int_fast32_t" | b"int_fast64_t" | b"intmax_t" | b"off_t" | b"off64_t" | b"time_t"
        | b"clock_t" | b"MPI_Aint" | b"MPI_Offset" | b"MPI_Count" => (true, 64),
        b"int32_t" | b"int_least32_t" | b"wchar_t" | b"pid_t" | b"sig_atomic_t" | b"MPI_Fint" => (true, 32),
        b"uint32_t" | b"uint_least32_t" | b"uint" | b"u_int" | b"u_int32_t" | b"mode_t" | b"uid_t"
        | b"gid_t" | b"socklen_t" | b"char32_t" => (false, 32),
        b"int16_t" | b"int_least16_t" => (true, 16),
        b"uint16_t" | b"uint_least16_t" | b"ushort" | b"u_short" | b"u_int16_t" | b"char16_t" => (false, 16),
        b"int8_t" | b"int_least8_t" | b"int_fast8_t" => (true, 8),
        b"uint8_t" | b"uint_least8_t" | b"uint_fast8_t" | b"u_char" | b"u_int8_t" | b"char8_t" => (false, 8),
        _ => return None,
    };
    Some(Type::Int {
        signed: Some(signed),
        bits: Some(bits),
    })
}
