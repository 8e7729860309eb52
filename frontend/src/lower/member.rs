//! Members of structures and unions: their types, reduced like all others, and whether they share their memory.

use crate::lower::declare::{self, Derived, Specifiers};
use crate::lower::file::File;
use crate::lower::{children, field};
use ir::{Class, Member, Type};
use tree_sitter::Node;

/// Nesting of structures that is followed.
const DEPTH_LIMIT: usize = 40;

/// The members that `node`, a declaration or a type, declares.
pub fn members_in(file: &File, node: Node) -> Vec<Member> {
    let mut found = Vec::new();
    let mut queue = vec![(node, false, None, 0)];
    while let Some((node, in_union, class, depth)) = queue.pop() {
        let in_union = in_union || node.kind() == "union_specifier";
        let class = match node.kind() {
            "struct_specifier" | "class_specifier" if file.is_cxx() => Some(node),
            _ => class,
        };
        match node.kind() {
            "field_declaration" => fields(file, node, in_union, class, &mut found),
            "declaration"
            | "type_definition"
            | "function_definition"
            | "struct_specifier"
            | "union_specifier"
            | "class_specifier"
            | "field_declaration_list"
            | "preproc_if"
            | "preproc_ifdef"
            | "preproc_else"
            | "preproc_elif"
            | "preproc_elifdef" => {}
            _ => continue,
        }
        if depth < DEPTH_LIMIT {
            let inside = children(node).into_iter();
            queue.extend(inside.map(|child| (child, in_union, class, depth + 1)));
        }
    }
    found
}

fn fields(file: &File, node: Node, in_union: bool, class: Option<Node>, found: &mut Vec<Member>) {
    let class = class.map(|class| Class {
        name: field(class, "name")
            .map(|name| file.last_name(name))
            .unwrap_or_default(),
        has_bases: children(class)
            .iter()
            .any(|child| child.kind() == "base_class_clause"),
    });
    let base = Specifiers::read(file, node).ty;
    // The narrowest width of a declaration of several bit fields stands for all.
    let width = children(node)
        .into_iter()
        .filter(|child| child.kind() == "bitfield_clause")
        .map(|clause| {
            children(clause)
                .into_iter()
                .find_map(|width| file.constant(width, 0))
        })
        .map(|width| width.and_then(|width| u8::try_from(width).ok()).unwrap_or(1))
        .min();
    for declarator in declare::declarators(node) {
        let Some(declared) = declare::declarator(file, declarator) else {
            continue;
        };
        let ty = match (declared.derived, base, width) {
            (Derived::Plain, Type::Int { signed, .. }, Some(width)) => Type::Int {
                signed,
                bits: Some(width.max(1)),
            },
            (Derived::Plain, _, Some(width)) => Type::Int {
                signed: None,
                bits: Some(width.max(1)),
            },
            (derived, base, _) => derived.apply(base),
        };
        found.push(Member {
            name: file.name(declared.name),
            ty,
            in_union,
            class: class.clone(),
            of_structures: declared.is_of_structures(base),
            object: file.object_type(node, &declared),
        });
    }
}
