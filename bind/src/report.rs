//! What is missing from a binding, as the user should know it.

use crate::debug::{Debug, Missing};
use crate::expression::Inexpressible;
use crate::trouble::{Outcome, Trouble};
use crate::walk::Forest;
use base::{Diagnostic, Severity, Span};
use progress_map::{FileId, FunctionId, Map};
use std::collections::BTreeMap;

/// Collects what the user should know.
pub(crate) struct Report<'r> {
    map: &'r Map,
    path: &'r str,
    diagnostics: Vec<Diagnostic>,
}

impl<'r> Report<'r> {
    pub(crate) fn new(map: &'r Map, path: &'r str) -> Self {
        Self {
            map,
            path,
            diagnostics: Vec::new(),
        }
    }

    pub(crate) fn diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    fn whole(&mut self, severity: Severity, message: String) {
        self.diagnostics.push(Diagnostic {
            severity,
            subject: self.path.to_owned(),
            span: Span::default(),
            message,
        });
    }

    fn at(&mut self, severity: Severity, function: FunctionId, message: String) {
        let function = &self.map.functions[function];
        self.diagnostics.push(Diagnostic {
            severity,
            subject: self.map.files[function.file].path.clone(),
            span: function.span,
            message,
        });
    }

    pub(crate) fn debug_info(
        &mut self,
        debug: &Debug<'_>,
        damaged_units: &[String],
        damaged_programs: usize,
    ) {
        for (which, what) in [
            (Missing::File, "is not there"),
            (Missing::OtherBuild, "is of another compilation"),
            (Missing::Damaged, "is damaged"),
        ] {
            let names = debug.missing.iter().filter(|&&(_, why)| why == which);
            let names = Vec::from_iter(names.map(|(name, _)| name));
            if let Some(first) = names.first() {
                let message = format!(
                    "the functions of {} sources are missing: their debug info (first of all '{first}') {what}",
                    names.len()
                );
                self.whole(Severity::Warning, message);
            }
        }
        let bad = Vec::from_iter(debug.bad_units.iter().chain(damaged_units));
        if let Some(first) = bad.first() {
            let message = format!(
                "{} units of the debug info are damaged, the first by: {first}",
                bad.len()
            );
            self.whole(Severity::Warning, message);
        }
        if damaged_programs > 0 {
            let message = format!("{damaged_programs} line tables are damaged and were read in part");
            self.whole(Severity::Warning, message);
        }
        if let Some(name) = &debug.without {
            let message = format!(
                "part of the debug info is in a supplementary file ('{name}', made by dwz), which is not there: what \
                 it describes is missing"
            );
            self.whole(Severity::Warning, message);
        }
    }

    pub(crate) fn files(&mut self, ambiguous: &[FileId], none: bool) {
        for &file in ambiguous {
            let path = self.map.files[file].path.clone();
            let message = "several sources of the executable fit this path, so none was taken: make the map with \
                           absolute paths";
            self.diagnostics
                .push(Diagnostic::warning(path, Span::default(), message));
        }
        if none && ambiguous.is_empty() && !self.map.files.is_empty() {
            let message =
                "none of the map's sources is in the debug info: wrong executable, or moved sources?";
            self.whole(Severity::Warning, message.to_owned());
        }
    }

    pub(crate) fn functions(&mut self, elsewhere: &[(FunctionId, u32)], contested: usize) {
        for &(function, line) in elsewhere {
            let name = &self.map.functions[function].name;
            let message = format!(
                "the executable has '{name}' on line {line}, not here: it was built from another version of this \
                 source; rebuild it or make the map again"
            );
            self.at(Severity::Warning, function, message);
        }
        if contested > 0 {
            let message = format!(
                "{contested} pieces of code belong to more than one function (folded by the linker): they count as \
                 unknown functions"
            );
            self.whole(Severity::Warning, message);
        }
    }

    pub(crate) fn steady(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} variables that stay are not read from registers that code changes, or that hold a counter: an optimising \
                 compiler may go on naming them"
            );
            self.whole(Severity::Note, message);
        }
    }

    pub(crate) fn hidden(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} variables in memory are not read, because nobody but the program's own code is seen to know where they are: an optimising \
                 compiler may keep them elsewhere"
            );
            self.whole(Severity::Note, message);
        }
    }

    pub(crate) fn moved(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} variables in registers are not read behind the place of their update: an optimising compiler \
                 may have moved it"
            );
            self.whole(Severity::Note, message);
        }
    }

    pub(crate) fn backwards(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} variables are not read from registers by which the debug info lets them move against the direction that the source gives them"
            );
            self.whole(Severity::Note, message);
        }
    }

    pub(crate) fn overwritten(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} variables are not read in registers that the code of something else has changed: the compiler has computed \
                 their next value ahead"
            );
            self.whole(Severity::Note, message);
        }
    }

    pub(crate) fn variables(&mut self, outcomes: &[Outcome], forest: &Forest) {
        if forest.nodes.is_empty() {
            let message = "the debug info has no functions, only lines: compile with -g, not with -g1 or -gline-tables-only";
            self.whole(Severity::Warning, message.to_owned());
            return;
        }
        let is_missing =
            |outcome: &Outcome| !outcome.readable && outcome.trouble.iter().eq([&Trouble::NotFound]);
        if !outcomes.is_empty() && outcomes.iter().all(is_missing) {
            let message = "none of the variables that the map lists is in the debug info: compile with -g, not with -g1";
            self.whole(Severity::Warning, message.to_owned());
            return;
        }
        let mut partly: BTreeMap<Inexpressible, usize> = BTreeMap::new();
        for outcome in outcomes {
            if outcome.readable {
                for trouble in &outcome.trouble {
                    if let Trouble::Location(refusal) = trouble {
                        *partly.entry(*refusal).or_default() += 1;
                    }
                }
                continue;
            }
            let function = &self.map.functions[outcome.function].name;
            let reasons = Vec::from_iter(outcome.trouble.iter().map(ToString::to_string));
            let (severity, reason) = if reasons.is_empty() {
                (Severity::Note, "it was optimised out".to_owned())
            } else {
                (Severity::Warning, reasons.join("; "))
            };
            let message = format!(
                "'{}' of {function} cannot be read in this build: {reason}",
                outcome.name
            );
            self.at(severity, outcome.function, message);
        }
        for (refusal, count) in partly {
            let message = format!("{count} variables cannot be read at some addresses: {refusal}");
            self.whole(Severity::Note, message);
        }
    }
}
