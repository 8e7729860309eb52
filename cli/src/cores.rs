//! `hindmost find --core`: a job that has left core files.

use crate::args::FindArgs;
use crate::find;
use crate::output::{Status, Terminal};
use base::RankSet;
use project::{Failure, FirstLook, Seen};
use runtime_probe::{Core, take_cores};
use snapshot::Header;

pub(crate) fn run(args: &FindArgs) -> anyhow::Result<Status> {
    let mut cores = Vec::new();
    let mut notes = Vec::new();
    for path in &args.cores {
        match Core::open(path) {
            Ok(core) => cores.push(core),
            Err(error) => notes.push(error.to_string()),
        }
    }
    if cores.is_empty() {
        return Err(Failure::new(notes.join("; ")).into());
    }
    notes.extend(project::signals_of_cores(&cores));
    let found = project::map_of_cores(args.map.as_deref(), &cores, &Terminal::new())?;
    let mut records = take_cores(&found.map, &cores);
    if found.is_empty() {
        project::add_lines_of_cores(&mut records, &cores);
    }
    let header = Header {
        hindmost_snapshot: snapshot::VERSION,
        ..Header::default()
    };
    let seen = Seen {
        header,
        records: project::Tasks::Each(records),
        samples: Vec::new(),
        missing: project::ranks_without_core(&cores),
        ended: RankSet::default(),
        notes,
        waiting: match &args.recordings {
            Some(directory) => {
                FirstLook::of_paths(std::slice::from_ref(directory), &Terminal::new())?.waiting()
            }
            None => None,
        },
        traced: Vec::new(),
    };
    find::answer(args, found, seen, None)
}
