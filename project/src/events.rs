//! The events of a job, from the rings beside its recordings.

use crate::failure::Failure;
use crate::listener::Listener;
use crate::recordings::{self, FirstLook, JobKey, job_of};
use base::RankSet;
use engine::recorded::Recording;
use engine::recorded::matches;
use engine::timeline::Events;
use engine::timeline::ring::Wanted;
use rayon::prelude::*;
use regular_files::Reader;
use runtime_probe::rings::{Portion, Ring, Rings};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the tasks of one job have recorded, with their events, from directories and files.
///
/// # Errors
///
/// There is no recording, or none of them has events.
pub fn recorded_events(
    paths: &[PathBuf],
    listener: &dyn Listener,
) -> Result<Vec<(Recording, Events)>, Failure> {
    // Which files they are is known from the first look; what their events name is read after these.
    let files = FirstLook::of_paths(paths, listener)?.into_recordings();
    let read: Vec<_> = files
        .par_iter()
        .map(|(file, _)| (file, read_whole(file)))
        .collect();
    let mut found = Vec::new();
    for (file, read) in read {
        match read {
            Ok(Some((recording, events))) => found.push((Arc::unwrap_or_clone(recording), events)),
            Ok(None) => {}
            Err(why) => listener.warn(&format!("left out: {}: {why}", file.display())),
        }
    }
    if found.is_empty() {
        return Err(Failure::new("the recordings have no events")
            .hint("hindmost run --events -- mpirun … records events as well"));
    }
    Ok(found)
}

/// Whether what a job has recorded in a directory tells which messages its receives from anybody took, so that a second run can follow it.
///
/// # Errors
///
/// It does not, or there is more than one job.
pub fn check_matches(directory: &Path) -> Result<(), Failure> {
    let files = recordings::files(&[directory.to_owned()])?;
    let tells = |file: &&PathBuf| file.with_extension(matches::EXTENSION).is_file();
    if !files.iter().any(|file| tells(&file)) {
        return Err(Failure::new(format!(
            "{} does not tell which messages were received",
            directory.display()
        ))
        .hint("hindmost run --events -- mpirun … records it"));
    }
    let reader = Reader::default();
    let jobs = files.iter().filter(tells);
    let jobs = jobs.filter_map(|file| Some(recordings::read_one(file, &reader).ok()?.job));
    if BTreeSet::from_iter(jobs).len() > 1 {
        return Err(
            Failure::new(format!("{} has recordings of several jobs", directory.display()))
                .hint("keep each job in a directory of its own: hindmost run --events --record DIR"),
        );
    }
    Ok(())
}

/// The events of a job that runs on this host, read again and again.
pub struct FollowedEvents {
    paths: Vec<PathBuf>,
    job: JobKey,
    rings: Rings,
}

/// Which tasks of other hosts are read here, whose files are here, too, where hosts share a directory.
#[derive(Clone, Copy, Debug)]
pub enum OthersHere<'r> {
    /// None: these hosts are yet to be heard of.
    None,
    /// All but those of these ranks, of which their hosts tell.
    AllBut(&'r RankSet),
}

impl FollowedEvents {
    /// Of the job that began last among those of these directories and recordings.
    ///
    /// # Errors
    ///
    /// There is no recording.
    pub fn new(paths: &[PathBuf], listener: &dyn Listener) -> Result<Self, Failure> {
        let recordings = FirstLook::of_paths(paths, listener)?.into_recordings();
        let job = recordings.first().map(|(_, recording)| job_of(recording));
        let mut rings = Rings::default();
        for (path, recording) in recordings {
            rings.know(path, Arc::new(recording));
        }
        Ok(Self {
            paths: paths.to_vec(),
            job: job.unwrap_or_default(),
            rings,
        })
    }

    /// What was written since, with recordings that know what it names; also of tasks that have come since. What cannot be read now is tried again next time.
    pub fn read(&mut self, others: OthersHere<'_>) -> Vec<(Arc<Recording>, Events)> {
        let files = recordings::files(&self.paths).unwrap_or_default();
        let (job, host) = (&self.job, recordings::host());
        let is_wanted = |recording: &Recording| {
            let is_here = recording.host == host;
            job.has(recording)
                && (is_here
                    || match others {
                        OthersHere::None => false,
                        OthersHere::AllBut(ranks) => {
                            recording.world.is_none_or(|(rank, _)| !ranks.contains(rank))
                        }
                    })
        };
        let new = self.rings.read(files, WHOLE, is_wanted).into_iter();
        new.map(|new| (new.recording, new.events)).collect()
    }

    /// Which job it is.
    pub(crate) fn job(&self) -> &JobKey {
        &self.job
    }

    /// The tasks that were seen.
    pub fn tasks(&self) -> impl Iterator<Item = &Recording> {
        self.rings.recordings().map(|(_, recording)| &**recording)
    }

    /// The ranks of tasks that are on this host.
    #[must_use]
    pub fn ranks_here(&self) -> RankSet {
        let host = recordings::host();
        let here = self.tasks().filter(|recording| recording.host == host);
        here.filter_map(|recording| Some(recording.world?.0)).collect()
    }

    /// Whether any of the tasks still runs on this host.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.tasks().any(recordings::runs)
    }
}

/// All that is new of a ring here.
const WHOLE: Portion = Portion {
    events: u64::MAX,
    with_files: false,
};

/// All events beside a recording, and then the recording; nothing if it has none.
fn read_whole(file: &Path) -> Result<Option<(Arc<Recording>, Events)>, String> {
    let ring = Ring::beside(file, &Reader::default()).map_err(|error| error.to_string())?;
    let Some(ring) = ring else { return Ok(None) };
    let whole = Wanted::From {
        from: 0,
        most: u64::MAX,
    };
    let events = ring.copy(whole)?.events().map_err(|error| error.to_string())?;
    let recording = recordings::read_one(file, &Reader::default())?;
    if (events.pid, events.birth) != (recording.pid, recording.birth) {
        return Err("its events are of another process".to_owned());
    }
    Ok(Some((Arc::new(recording), events)))
}
