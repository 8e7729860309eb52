//! What the macros in headers call, whoever includes these.
//!
//! A header is compiled into many files, and a macro in it means what the file in hand has made of the name by then. What
//! *all* definitions that any file has of a name let it call is known all the same, and so it is for a file that defines the
//! macro anew between its functions. A name that the header does not get from the gathered files is left alone: what some
//! other file calls `assert` is not what it means here.

use crate::directive::Definition;
use crate::macros::Macros;
use crate::sequence::{Meanings, called_after_arguments_by, called_at_all_by};
use ir::{Callee, ExprKind, Function, MacroCalls, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// What adds to a file what the macros may call that are left as they are in its functions of C, by all definitions in all files. `macros` are
/// those of all files; which file comes first does not matter.
pub fn macro_calls(macros: &Macros) -> impl Fn(&mut Unit) + Sync {
    let definitions = macros.definitions_by_name();
    move |unit| add_macro_calls(unit, macros, &definitions)
}

fn add_macro_calls(unit: &mut Unit, macros: &Macros, definitions: &DefinitionsByName<'_>) {
    let mut wanted: BTreeSet<&str> = unit.functions.iter().flat_map(called_macros).collect();
    for each in &unit.macros {
        wanted.remove(each.name.as_str());
    }
    if wanted.is_empty() {
        return;
    }
    let Some(seen) = macros.included_by_c(&unit.path) else {
        return;
    };
    let everywhere = Everywhere {
        macros,
        definitions,
        seen,
    };
    let mut found = Vec::new();
    for name in wanted {
        let ordered = called_after_arguments_by(&everywhere, name.as_bytes(), 0);
        let after_arguments = ordered.is_some();
        let Some(callees) = ordered.or_else(|| called_at_all_by(&everywhere, name.as_bytes())) else {
            continue;
        };
        let callees = callees
            .iter()
            .map(|name| String::from_utf8_lossy(name).into_owned());
        let callees = Vec::from_iter(callees);
        if !callees.iter().any(|callee| hides(unit, callee)) {
            found.push(MacroCalls {
                name: name.to_owned(),
                callees,
                after_arguments,
            });
        }
    }
    unit.macros.append(&mut found);
    unit.macros.sort_by(|a, b| a.name.cmp(&b.name));
}

/// All definitions of each name, with the numbers of their files.
type DefinitionsByName<'m> = BTreeMap<&'m [u8], Vec<(u32, &'m Definition)>>;

/// The macros that a function calls, as often as it does.
fn called_macros(function: &Function) -> impl Iterator<Item = &str> {
    function.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Call {
            callee: Callee::Macro(called),
            ..
        } => Some(called.name.as_str()),
        _ => None,
    })
}

/// Whether some place in the file may have a variable of this name: calling it leads anywhere.
fn hides(unit: &Unit, name: &str) -> bool {
    let mut locals = unit.functions.iter().flat_map(|function| function.locals.iter());
    unit.globals.iter().any(|global| global.name == name) || locals.any(|local| local.name == name)
}

/// All definitions of all files, wherever they hold, as far as one file sees any.
struct Everywhere<'m> {
    macros: &'m Macros,
    definitions: &'m DefinitionsByName<'m>,
    /// The file and those that it includes.
    seen: BTreeSet<u32>,
}

impl<'m> Meanings<'m> for Everywhere<'m> {
    fn definitions(&self, name: &[u8], _offset: u32) -> Option<Vec<&'m Definition>> {
        let Some(all) = self.definitions.get(name) else {
            return Some(Vec::new());
        };
        if !all.iter().any(|(file, _)| self.seen.contains(file)) {
            return None;
        }
        let mut different: Vec<&Definition> = Vec::new();
        for (_, definition) in all {
            if !different.contains(definition) {
                different.push(definition);
            }
        }
        Some(different)
    }

    fn have_an_order(&self, _name: &[u8]) -> bool {
        false
    }

    fn is_function(&self, name: &[u8]) -> bool {
        self.macros.is_function(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, parse};

    /// The files as units, first by themselves and then with what is known by all of them.
    fn read<const N: usize>(files: [(&str, &str); N]) -> [[Unit; N]; 2] {
        let sources = files.map(|(path, text)| Source {
            path,
            text: text.as_bytes(),
        });
        let macros = Macros::gather(sources);
        let alone = sources.map(|source| parse(&source, &macros));
        let mut together = alone.clone();
        together.iter_mut().for_each(macro_calls(&macros));
        [alone, together]
    }

    /// A macro that some build has as a function, so that it stays as it is.
    const CHECK: &str = "int fail(int); int enter(void);
        #ifdef A\nint CHECK(int);\n#else
        #define CHECK(x) do { int e = (x); if (e) fail(e); } while (0)\n#endif\n";

    /// What `CHECK` calls in a header, if `other` is one more file.
    fn of(other: &str) -> Option<String> {
        let inline = "#include \"check.h\"\nstatic inline void all(void) { CHECK(step(1)); }\n";
        let user = "#include \"inline.h\"\nint main(void) { all(); return 0; }\n";
        let [alone, together] = read([
            ("check.h", CHECK),
            ("inline.h", inline),
            ("a.c", user),
            ("b.c", other),
        ]);
        assert!(alone[1].macros.is_empty(), "a header alone cannot know");
        let found = together[1].macros.iter().find(|each| each.name == "CHECK")?;
        let order = if found.after_arguments {
            ""
        } else {
            ", in any order"
        };
        Some(found.callees.join(" ") + order)
    }

    #[test]
    fn a_macro_of_a_header_is_known_by_all_its_definitions() {
        let harmless = "#undef CHECK\n#define CHECK(x) (x)\n";
        assert_eq!(of(harmless).as_deref(), Some("CHECK fail"));
        let other = "#include \"check.h\"\n#undef CHECK
            #define CHECK(x) do { int e = x; if (e) enter(); } while (0)\n#include \"inline.h\"\n";
        assert_eq!(of(other).as_deref(), Some("CHECK enter fail"));
        let before = "#undef CHECK\n#define CHECK(x) do { enter(); x; } while (0)\n#include \"inline.h\"\n";
        assert_eq!(of(before).as_deref(), Some("CHECK enter fail, in any order"));
        let twice = "#define CHECK(x) ((x) && (x))\n#include \"inline.h\"\n";
        assert_eq!(of(twice).as_deref(), Some("CHECK fail, in any order"));
        let renamed = "#define CHECK enter\n#include \"inline.h\"\n";
        assert_eq!(of(renamed).as_deref(), Some("CHECK enter fail, in any order"));
        let unseen = "#define CHECK(x) OTHER(x)\n#define OTHER enter\n#include \"inline.h\"\n";
        assert_eq!(of(unseen), None, "what inline.h does not see");
        for unknown in [
            "x(1)",
            "(*table)(x)",
            "table[1](x)",
            "object->call(x)",
            "FAIL(x)",
            "fa##il(x)",
        ] {
            let other = format!("#define CHECK(x) {unknown}\n#include \"inline.h\"\n");
            assert_eq!(of(&other), None, "{unknown}");
        }
    }

    #[test]
    fn what_another_file_calls_by_the_name_of_a_macro_of_the_system_is_not_it() {
        let own = "int fail(int);\n#define assert(x) do { if (x) fail(1); } while (0)\n";
        let user = "#include <assert.h>\nvoid f(void) { assert(step(1)); }\n";
        let [_, together] = read([("own.c", own), ("a.c", user)]);
        assert!(together.iter().all(|unit| unit.macros.is_empty()));
    }

    #[test]
    fn a_variable_of_the_name_of_a_callee_leads_anywhere() {
        let inline = "#include \"check.h\"\nstatic inline void all(int (*fail)(int)) { CHECK(step(1)); }\n";
        let [_, together] = read([("check.h", CHECK), ("inline.h", inline)]);
        assert!(together[1].macros.is_empty());
    }
}
