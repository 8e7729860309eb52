//! Names that compilers of C++ and Rust give functions, as their authors wrote them.
//!
//! For readers only: whatever is compared is compared by the names that the linker knows.

use progress_map::Function;
use std::fmt::{self, Write};

/// A name longer than this was written by nobody, and would take long to read.
const LONGEST: usize = 4096;

/// More of a name is kept nowhere; how much of it a line holds is for the form to say.
const KEPT: usize = 1000;

/// A function's name without marks, parameters and hashes, cut where it is very long. Names of neither language are returned as they are.
pub(crate) fn readable(name: &str) -> String {
    if !name.starts_with("_Z") && !name.starts_with("_R") || name.len() > LONGEST {
        return name.to_owned();
    }
    let mut written = Bounded::default();
    let is_known = match rustc_demangle::try_demangle(name) {
        Ok(rust) => write!(written, "{rust:#}").is_ok(),
        Err(_) => as_cxx(name, &mut written),
    };
    match (is_known || written.is_full, written.text.as_str()) {
        (false, _) | (_, "") => name.to_owned(),
        // What an empty pack of template arguments leaves behind.
        (true, _) => written.cut().replace(", >", ">"),
    }
}

/// A recorded function's name with its namespaces, classes and template arguments, where that tells more than its name: as recorded, or as
/// the map has it, without template arguments.
pub(crate) fn qualified(recorded: &snapshot::Frame, mapped: Option<&Function>) -> Option<String> {
    let written = recorded.qualified.as_deref().map(readable);
    let written = written.filter(|name| !name.starts_with("_Z"));
    written
        .or_else(|| mapped?.linkage_name.clone())
        .filter(|name| *name != recorded.function)
}

fn as_cxx(name: &str, written: &mut Bounded) -> bool {
    // What linkers and optimisers add behind a name (`.part.0`, `@plt`) is no part of it.
    let marked = name.split(['.', '@']).next().unwrap_or(name);
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    cpp_demangle::Symbol::new(marked)
        .is_ok_and(|symbol| symbol.structured_demangle(written, &options).is_ok())
}

/// Text up to a limit: a short name may stand for a very long one.
#[derive(Default)]
struct Bounded {
    text: String,
    is_full: bool,
}

impl Bounded {
    fn cut(self) -> String {
        match self.text.char_indices().nth(KEPT) {
            Some((end, _)) => format!("{}…", &self.text[..end]),
            None => self.text,
        }
    }
}

impl Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.text.push_str(more);
        self.is_full = self.text.len() > 4 * KEPT;
        if self.is_full { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_they_were_written() {
        for (name, written) in [
            ("main", "main"),
            ("MPI_Send", "MPI_Send"),
            ("_ZN6solver4GridIdE5relaxEi", "solver::Grid<double>::relax"),
            ("_ZL6holderPv", "holder"),
            ("_Z7computei.part.0", "compute"),
            ("_ZN5Relax5sweepEv@plt", "Relax::sweep"),
            ("_ZNSt6thread4joinEv", "std::thread::join"),
            ("_Z4callIiJEEvT_DpT0_", "call<int>"),
            ("_ZN2rs4main17h6af98f44df74ee35E", "rs::main"),
            (
                "_ZN63_$LT$rs..solver..Grid$LT$T$GT$$u20$as$u20$rs..solver..Relax$GT$5relax17ha7b0553b5d4b7745E",
                "<rs::solver::Grid<T> as rs::solver::Relax>::relax",
            ),
            (
                "_RNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal",
                "std::rt::lang_start_internal",
            ),
            ("_Zebra", "_Zebra"),
            ("_Read", "_Read"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(readable(name), written, "{name}");
        }
    }

    #[test]
    fn a_name_that_would_be_long_is_cut() {
        let wide = format!("_Z1fI{}EvT_", "N3one3two5threeE".repeat(100));
        let written = readable(&wide);
        assert!(
            written.ends_with('…') && written.chars().count() == KEPT + 1,
            "{written}"
        );
        // Each part stands for the one before, twice: read in full it would be 2^40 characters.
        let mut deep = "_Z1fISt4pairIiiE".to_owned();
        for part in 0..40u32 {
            let number = base36(part);
            deep.push_str(&format!("St4pairIS{number}_S{number}_E"));
        }
        deep.push_str("Evv");
        assert!(readable(&deep).len() <= deep.len().max(5 * KEPT));
    }

    fn base36(number: u32) -> String {
        let digit = |value: u32| char::from_digit(value, 36).unwrap_or('0').to_ascii_uppercase();
        match number {
            0 => String::new(),
            1..=36 => digit(number - 1).to_string(),
            _ => format!("{}{}", digit((number - 1) / 36), digit((number - 1) % 36)),
        }
    }
}
