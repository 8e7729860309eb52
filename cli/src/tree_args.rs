//! The command line of `hindmost tree`, and what `find` shares with it.

use crate::args::{JobSlice, NameChoice};
use clap::{Args, ValueEnum};
use engine::{Extreme, Granularity, Refine, TreeOptions};
use regex::Regex;
use std::path::PathBuf;

pub(crate) const TREE_HELP: &str = "\
STACKS are recorded stacks, as find --save writes them; several files are several samples of one job, the first one first. Several \
partial trees (--format partial) are parts of one job, and are merged. - is standard input.

Siblings stand in the order of their progress, the hindmost first: function@[T1.2] is the second of the branches within \
the first. ~ says that the program gives a branch no order with some sibling, ? that the order is not known; the reasons follow.

Exit status: 0 a hindmost is named, 1 the order is undecided (the output says why), 2 error.";

/// How a tree is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TreeFormat {
    /// For people and tickets.
    Text,
    /// For programs; docs/json-schema.md describes it.
    Json,
    /// For STATview and Graphviz.
    Dot,
    /// Folded stacks, for flame graphs.
    Folded,
    /// A partial tree, in bytes: `hindmost tree` merges those of all parts of a job
    Partial,
    /// One page for a browser, which needs no network and no other file.
    Html,
}

/// How finely nodes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fineness {
    /// By function.
    Function,
    /// By function, file and line.
    Line,
    /// By module and offset in it.
    Module,
    /// By program counter.
    Pc,
    /// By program point, with the values that order its loops.
    Point,
}

/// What colours stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colors {
    /// How far a call is: red is hindmost, blue foremost.
    Progress,
    /// Calls with the same tasks have the same colour, as in STAT.
    Tasks,
}

impl From<Colors> for report::DotColors {
    fn from(colors: Colors) -> Self {
        match colors {
            Colors::Progress => report::DotColors::Progress,
            Colors::Tasks => report::DotColors::Tasks,
        }
    }
}

/// Which way --walk shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Walk {
    /// The most frames.
    Longest,
    /// The fewest frames.
    Shortest,
    /// The most tasks.
    MostTasks,
    /// The fewest tasks.
    FewestTasks,
    /// The least progress.
    LeastProgress,
    /// The most progress.
    MostProgress,
}

/// A regular expression.
fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| {
        // The last line says what is wrong; those above show where, which a line of its own cannot.
        let error = error.to_string();
        let why = error.lines().last().unwrap_or_default().trim();
        format!(
            "'{text}' is no regular expression: {}",
            why.strip_prefix("error: ").unwrap_or(why)
        )
    })
}

/// What a tree is made of: the same for stacks that are read from files and for a running job.
#[derive(Args, Clone, Debug)]
pub(crate) struct Shape {
    /// Order only the first branching point of the tree, and the way to CLASS (T1.2) and the next one within it; repeat it for more
    #[arg(long, value_name = "CLASS")]
    pub(crate) refine: Vec<String>,
    /// How finely nodes of the tree are told apart
    #[arg(long, value_enum, value_name = "GRANULARITY", default_value_t = Fineness::Point)]
    pub(crate) by: Fineness,
    /// Keep the frames inside libraries in the tree; otherwise a library is its entry point
    #[arg(long)]
    pub(crate) library_frames: bool,
    /// Show nothing below the entries to MPI, Pthreads and OpenMP, or to these models
    #[arg(long, value_name = "MODEL", num_args = 0..=1, require_equals = true, default_missing_value = "all", value_delimiter = ',')]
    pub(crate) cut: Vec<String>,
    /// Models for --cut, as STATview reads them (STATview_models.conf)
    #[arg(long, value_name = "FILE", requires = "cut")]
    pub(crate) models: Option<PathBuf>,
    /// Show so many levels of the tree
    #[arg(long, value_name = "LEVELS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) collapse: Option<u32>,
    /// Hide functions of this name (a regular expression) and what they call; repeat it for more
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub(crate) hide: Vec<Regex>,
    /// Show only what these tasks pass through (0-10,12)
    #[arg(long, value_name = "TASKS")]
    pub(crate) only: Option<String>,
    /// Show only this class (T1.2)
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<String>,
    /// Show only ways through a function, file, library or value (it=7) that looks so
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    pub(crate) search: Option<Regex>,
    /// Show only one way: that with the most frames, the fewest tasks, the least progress, …
    #[arg(long, value_enum)]
    pub(crate) walk: Option<Walk>,
    /// Show a run of frames with the same tasks as one
    #[arg(long)]
    pub(crate) join: bool,
    /// What the colours of a .dot file stand for
    #[arg(long, value_enum, default_value_t = Colors::Progress)]
    pub(crate) colors: Colors,
    /// So many lines of tree at most, as text
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub(crate) lines: usize,
    #[command(flatten)]
    pub(crate) names: NameChoice,
}

impl From<Walk> for Extreme {
    fn from(walk: Walk) -> Self {
        match walk {
            Walk::Longest => Extreme::Longest,
            Walk::Shortest => Extreme::Shortest,
            Walk::MostTasks => Extreme::MostTasks,
            Walk::FewestTasks => Extreme::FewestTasks,
            Walk::LeastProgress => Extreme::LeastProgress,
            Walk::MostProgress => Extreme::MostProgress,
        }
    }
}

impl Shape {
    pub(crate) fn options(&self) -> TreeOptions {
        TreeOptions {
            granularity: match self.by {
                Fineness::Function => Granularity::Function,
                Fineness::Line => Granularity::Line,
                Fineness::Module => Granularity::Module,
                Fineness::Pc => Granularity::Pc,
                Fineness::Point => Granularity::Point,
            },
            library: self.library_frames,
            threads: true,
            refine: if self.refine.is_empty() {
                Refine::All
            } else {
                Refine::Classes(self.refine.clone())
            },
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct TreeArgs {
    /// The recorded stacks; several files are samples of one job over time
    #[arg(required = true, value_name = "STACKS")]
    pub(crate) stacks: Vec<PathBuf>,
    /// The map of the program; without it the tree has no order
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Show only what the tasks on this host pass through, as a process table of the job (--table) tells
    #[arg(long, value_name = "HOST", requires = "table")]
    pub(crate) host: Option<String>,
    /// A process table as STAT and find --save-table write it
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = TreeFormat::Text)]
    pub(crate) format: TreeFormat,
    #[command(flatten)]
    pub(crate) shape: Shape,
    /// Also show who waits for whom, by what the tasks of the job have recorded in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) recordings: Option<PathBuf>,
    /// Also show which statements may have brought the hindmost to where it is: below the tree, or on the page
    #[arg(long, requires = "map")]
    pub(crate) slice: bool,
    #[command(flatten)]
    pub(crate) job_slice: JobSlice,
}
