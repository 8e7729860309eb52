//! `hindmost lsp`: the language server, over standard input and output.

use crate::args::LspArgs;
use crate::output::{self, Status, Terminal};
use ::lsp::{Ended, Host, Job, Settings, Told, ToldError};
use engine::{Analysis, Circumstances, CompiledUnits, DependenceGraph, SourceFile};
use project::{Failure, FirstLook, Program, SourceFinder};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn run(args: &LspArgs) -> anyhow::Result<Status> {
    let settings = Settings {
        map: args.map.clone(),
        snapshot: args.snapshot.clone(),
        report: args.report.clone(),
        recordings: args.recordings.clone(),
        no_mpi: args.no_mpi,
    };
    // Errors of what is named are told in the editor: nobody sees a server's standard error.
    let (connection, writing) = ::lsp::connect(BufReader::new(io::stdin()), io::stdout());
    let ended = ::lsp::serve(&connection, Arc::new(Files), settings);
    drop(connection);
    writing.finish();
    Ok(match ended {
        Ended::InOrder => Status::Done,
        // The protocol wants 1.
        Ended::Abruptly => Status::Undecided,
    })
}

/// The files of this machine.
struct Files;

impl Host for Files {
    fn load(&self, settings: &Settings) -> Result<Job, String> {
        load(settings).map_err(|error| {
            let (causes, hint) = output::in_words(&error);
            hint.map_or(causes.clone(), |hint| format!("{causes} ({hint})"))
        })
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        project::read(path).ok()
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }

    fn graph(&self, mut files: Vec<SourceFile>, compiled: CompiledUnits) -> Result<DependenceGraph, String> {
        files.retain(|file| !engine::is_unread(&file.path));
        let program = Program { files, compiled };
        project::graph_of(program, &Terminal::new()).map_err(|error| error.to_string())
    }
}

fn load(settings: &Settings) -> anyhow::Result<Job> {
    let Some(path) = &settings.map else {
        return Err(Failure::new("no map is named")
            .hint("make one with `hindmost map`, and name it with --map or initializationOptions")
            .into());
    };
    let map = project::read_map(path)?;
    let finder = SourceFinder::new(Some(path), &project::Reader::default());
    let mut notes = Vec::new();
    let mut answer = match (&settings.snapshot, &settings.report) {
        (Some(path), _) => {
            let recorded = project::stacks_of(path, &map)?;
            notes.extend(recorded.notes().iter().cloned());
            Some(recorded.analysis(&map).answer())
        }
        (None, Some(path)) => {
            let told = Told::read(&project::read_text(path)?).map_err(|error| bad_report(path, &error))?;
            let answer = Analysis::new(&map, &told.tasks, told.missing.clone()).answer();
            notes.extend(told.disagrees_with(&answer));
            Some(answer)
        }
        (None, None) => None,
    };
    if let (Some(directory), Some(answer)) = (&settings.recordings, &mut answer) {
        let recorded = FirstLook::of_paths(std::slice::from_ref(directory), &Terminal::new())?;
        answer.under(Circumstances {
            waiting: recorded.waiting(),
            ..Circumstances::default()
        });
    }
    Ok(Job {
        compiled: finder.compiled(&map, &Terminal::new()),
        sources: map.files.iter().map(|file| finder.find(&file.path)).collect(),
        map,
        answer,
        notes,
    })
}

fn bad_report(path: &Path, error: &ToldError) -> Failure {
    let failure = Failure::new(format!("{}: {error}", path.display()));
    match error {
        ToldError::OtherVersion(..) => failure.hint("`find --format json` writes it"),
        _ => failure,
    }
}
