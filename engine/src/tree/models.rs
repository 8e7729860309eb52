//! STATview's programming models: which frames are the entry to MPI, threads and the like, below which nobody looks.
//!
//! The files (`STATview_models.conf`) are read as they are: `model = "NAME" true|false` opens a model, and each line
//! after it is a regular expression for its functions. `#` begins a comment.

use regex::Regex;
use std::fmt;

/// A model: its name, whether it is on, and what its functions look like.
#[derive(Clone, Debug)]
pub struct Model {
    /// As the user names it: `MPI`.
    pub name: String,
    /// Whether the file switches it on by default.
    pub enabled: bool,
    patterns: Vec<Regex>,
}

/// A line that is no part of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for ModelError {}

/// The models that need no file.
const KNOWN: &str = "\
model = \"MPI\" true
^(?i:p?mpi_[a-z])
model = \"Pthreads\" true
^(__)?pthread_[a-zA-Z]
model = \"OpenMP\" true
^(GOMP_|gomp_|__kmpc_|__kmp_|omp_)[a-zA-Z]
";

impl Model {
    /// MPI, Pthreads and OpenMP.
    pub fn known() -> Vec<Model> {
        // A test reads them.
        Self::parse(KNOWN).unwrap_or_default()
    }

    /// Reads a file of models.
    ///
    /// # Errors
    /// The first line that is neither a model nor an expression of one.
    pub fn parse(text: &str) -> Result<Vec<Model>, ModelError> {
        let mut models: Vec<Model> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let fail = |reason: String| ModelError {
                line: index + 1,
                reason,
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let head = line
                .strip_prefix("model")
                .and_then(|rest| rest.trim_start().strip_prefix('='));
            if let Some(head) = head {
                let head = head.trim();
                let quoted = head.strip_prefix('"').and_then(|rest| rest.split_once('"'));
                let (name, state) = quoted
                    .or_else(|| head.split_once(char::is_whitespace))
                    .ok_or_else(|| fail("a model is written: model = \"NAME\" true".to_owned()))?;
                let enabled = match state.trim().to_ascii_lowercase().as_str() {
                    "true" => true,
                    "false" => false,
                    other => return Err(fail(format!("'{other}' is neither true nor false"))),
                };
                models.push(Model {
                    name: name.to_owned(),
                    enabled,
                    patterns: Vec::new(),
                });
                continue;
            }
            let pattern = Regex::new(line).map_err(|error| {
                // The message shows the expression on lines of its own.
                let last = error.to_string();
                fail(format!(
                    "not a regular expression: {}",
                    last.lines().last().unwrap_or(line).trim()
                ))
            })?;
            match models.last_mut() {
                Some(model) => model.patterns.push(pattern),
                None => return Err(fail("an expression before the first model".to_owned())),
            }
        }
        Ok(models)
    }

    /// Whether a function is the model's. STATview looks at the beginning of a name.
    pub fn matches(&self, function: &str) -> bool {
        self.patterns
            .iter()
            .any(|pattern| pattern.find(function).is_some_and(|found| found.start() == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_read_as_statview_reads_them() {
        let models = Model::known();
        let name = |function: &str| {
            let found = models.iter().find(|model| model.matches(function));
            found.map(|model| model.name.as_str())
        };
        assert_eq!(name("PMPI_Allreduce"), Some("MPI"));
        assert_eq!(name("mpi_send_"), Some("MPI"));
        assert_eq!(name("my_mpi_wrapper"), None);
        assert_eq!(name("__pthread_cond_wait"), Some("Pthreads"));
        assert_eq!(name("GOMP_parallel"), Some("OpenMP"));
        let own = Model::parse("# ours\nmodel = \"IO\" false\n^H5[A-Z]\nread\n").unwrap();
        assert!(
            !own[0].enabled
                && own[0].matches("H5Dwrite")
                && own[0].matches("readv")
                && !own[0].matches("pread")
        );
        assert_eq!(Model::parse("^x").unwrap_err().line, 1);
        assert_eq!(Model::parse("model = \"A\" true\n(").unwrap_err().line, 2);
        assert_eq!(Model::parse("model = \"A\" maybe").unwrap_err().line, 1);
    }
}
