//! A program before it is analysed: its sources, and what gcc's plugin has left in it of those in Fortran.

use crate::executable::Executable;
use crate::listener::Listener;
use crate::making;
use engine::{CompiledUnits, SourceFile};

/// What maps and dependence graphs are made of.
#[derive(Default)]
pub struct Program {
    /// Sources in C and C++.
    pub files: Vec<SourceFile>,
    /// What was compiled in Fortran.
    pub compiled: CompiledUnits,
}

impl Program {
    /// Sources, and what a program and its libraries carry that were made of them.
    pub fn new(files: Vec<SourceFile>, built: &[&Executable], listener: &dyn Listener) -> Self {
        let mut warnings = Vec::new();
        let compiled = making::compiled_inside(built, &mut warnings);
        warnings.iter().for_each(|warning| listener.warn(warning));
        Program { files, compiled }
    }

    /// Sources alone.
    pub(crate) fn of_sources(files: Vec<SourceFile>) -> Self {
        let compiled = CompiledUnits::default();
        Program { files, compiled }
    }

    /// Whether nothing is known of it.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.compiled.is_empty()
    }
}
