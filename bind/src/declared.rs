//! Classes that a unit only declares, though its code uses their members.
//!
//! clang describes the members of a C++ class in the units that have its constructor's code, and in all others only its name
//! (`-debug-info-kind=constructor`, its default). C++ has one definition of each name in a program, so a declaration means
//! the class of its qualified name in another unit. Where units define several of that name, they have to agree on every member: some programs
//! break the rule, and the declaration does not say which of them is meant. Classes of functions and of unnamed namespaces
//! belong to their unit, and a structure of C to its file: these are not looked for.

use crate::debug::{Debug, Die, Entry, UnitId};
use crate::sources::is_cxx;
use std::collections::BTreeMap;

/// The definition of each declared class that has one.
pub(crate) type Definitions = BTreeMap<Die, Die>;

/// Whether an entry names a class without its members.
pub(crate) fn is_declaration(entry: &Entry<'_>) -> bool {
    is_class(entry) && entry.has_attr(gimli::DW_AT_declaration)
}

fn is_class(entry: &Entry<'_>) -> bool {
    matches!(
        entry.tag(),
        gimli::DW_TAG_class_type | gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type
    )
}

/// Looks through all units of C++.
pub(crate) fn definitions(debug: &Debug<'_>) -> Definitions {
    let mut classes: BTreeMap<Vec<u8>, Classes> = BTreeMap::new();
    for unit in debug.units.ids().filter(|&unit| is_cxx(debug, unit)) {
        collect(debug, unit, &mut classes);
    }
    let mut found = Definitions::new();
    for class in classes.into_values() {
        let [first, others @ ..] = &class.defined[..] else {
            continue;
        };
        let agree = || {
            let layout = layout(debug, *first);
            layout.is_some() && others.iter().all(|&other| self::layout(debug, other) == layout)
        };
        if !class.declared.is_empty() && agree() {
            found.extend(class.declared.iter().map(|&declared| (declared, *first)));
        }
    }
    found
}

/// The entries of one qualified name.
#[derive(Default)]
struct Classes {
    declared: Vec<Die>,
    defined: Vec<Die>,
}

/// Adds the classes of a unit that others may mean.
fn collect(debug: &Debug<'_>, unit: UnitId, classes: &mut BTreeMap<Vec<u8>, Classes>) {
    let mut cursor = debug.units[unit].entries();
    // The names of the namespaces and classes around, the unit first; below anything else nothing has a name for others.
    let mut around: Vec<Option<Vec<u8>>> = Vec::new();
    while let Ok(Some(entry)) = cursor.next_dfs() {
        let Ok(depth) = usize::try_from(entry.depth()) else {
            break;
        };
        around.truncate(depth);
        let Some(outer) = around.last() else {
            around.push(Some(Vec::new()));
            continue;
        };
        let own = debug.string_attr(unit, entry, gimli::DW_AT_name);
        let name = match (outer, own, entry.tag()) {
            (Some(outer), Some(own), gimli::DW_TAG_namespace) => Some([outer, own.slice(), b"::"].concat()),
            (Some(outer), Some(own), _) if is_class(entry) => {
                let die = Die {
                    unit,
                    offset: entry.offset(),
                };
                let name = [outer, own.slice()].concat();
                let of_name = classes.entry(name.clone()).or_default();
                if is_declaration(entry) {
                    of_name.declared.push(die);
                } else {
                    of_name.defined.push(die);
                }
                Some([&name[..], b"::"].concat())
            }
            _ => None,
        };
        if entry.has_children() {
            around.push(name);
        }
    }
}

/// What a member or base is: its name, where it lies, and the tag, length, and way of reading of its type.
type Member = (Vec<u8>, Option<u64>, Option<(gimli::DwTag, Option<u64>, bool)>);

/// The members and bases of a class; `None` where its name does not tell which class it is, as that of a template without its arguments.
fn layout(debug: &Debug<'_>, class: Die) -> Option<(Option<u64>, Vec<Member>)> {
    let number = |entry: &Entry<'_>, name| entry.attr_value(name).and_then(|value| value.udata_value());
    let mut cursor = debug.units[class.unit].entries_at_offset(class.offset).ok()?;
    let itself = cursor.next_dfs().ok()??;
    let size = number(itself, gimli::DW_AT_byte_size);
    let name = debug.string_attr(class.unit, itself, gimli::DW_AT_name)?;
    let has_arguments = name.slice().contains(&b'<');
    let mut members = Vec::new();
    if !itself.has_children() {
        return Some((size, members));
    }
    while let Ok(Some(entry)) = cursor.next_dfs() {
        match (entry.depth(), entry.tag()) {
            (..=0, _) => break,
            (1, gimli::DW_TAG_template_type_parameter | gimli::DW_TAG_template_value_parameter)
                if !has_arguments =>
            {
                return None;
            }
            (1, gimli::DW_TAG_member | gimli::DW_TAG_inheritance) => {}
            _ => continue,
        }
        let ty = debug
            .type_of(class.unit, entry)
            .and_then(|ty| debug.bare_entry(ty));
        let ty = ty.map(|(_, entry)| {
            let is_float = matches!(
                entry.attr_value(gimli::DW_AT_encoding),
                Some(gimli::AttributeValue::Encoding(gimli::DW_ATE_float))
            );
            (entry.tag(), number(&entry, gimli::DW_AT_byte_size), is_float)
        });
        let name = debug.string_attr(class.unit, entry, gimli::DW_AT_name);
        let place = number(entry, gimli::DW_AT_data_member_location);
        members.push((
            name.map_or_else(Vec::new, |name| name.slice().to_vec()),
            place,
            ty,
        ));
    }
    Some((size, members))
}
