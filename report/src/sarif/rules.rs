//! The rules of the results.

use super::log::{Configuration, Rule};
use super::message;

/// Rules by their index in [`rules`].
pub(super) const HINDMOST: usize = 0;
pub(super) const CANDIDATE: usize = 1;
pub(super) const SLICE: usize = 2;
pub(super) const NO_VARIABLE: usize = 3;

/// What the results are about, in the order of the indices above.
pub(super) fn rules() -> Vec<Rule> {
    let rule = |id, name, level, short: &str, full: &str| Rule {
        id,
        name,
        short_description: message(short),
        full_description: message(full),
        default_configuration: Configuration { level },
    };
    vec![
        rule(
            "HM0001",
            "Hindmost",
            "error",
            "A task of a hung job is behind others.",
            "The stacks of the job's tasks were ordered by the program's control flow and loop variables. No task is known \
             to be behind this one, and some are ahead of it: they may wait for what it has not done.",
        ),
        rule(
            "HM0002",
            "Candidate",
            "warning",
            "A task of a hung job may be the one that is behind.",
            "The program gives the candidates no order, or what would decide it could not be read.",
        ),
        rule(
            "HM0003",
            "Slice",
            "note",
            "What may have had an influence on a line.",
            "The backward slice of the line: leaving out everything else changes nothing there.",
        ),
        rule(
            "HM0004",
            "NoVariable",
            "warning",
            "A loop of this build keeps no variable that tells its iteration.",
            "A task that hangs in a call of this loop has no iteration that could be read, so that it may not be told which task is behind.",
        ),
    ]
}
