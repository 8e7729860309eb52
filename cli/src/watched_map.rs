//! The map of a watched job. It is made beside the looks, which need none to tell whether tasks move: a big program takes a minute, and a job
//! that ends meanwhile is not to be missed.

use crate::everywhere::Everywhere;
use crate::output;
use crate::wanted_map::WantedMap;
use project::{Failure, JobMap};
use runtime_probe::Job;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So long an alarm waits for the map: what it says is better with one.
const WORTH_WAITING: Duration = Duration::from_secs(60);

/// The map, as far as there is one by now.
pub(crate) struct WatchedMap<'a> {
    given: Option<&'a Path>,
    /// Empty until one is found.
    found: JobMap,
    /// One was looked for, and this is what came of it.
    is_found: bool,
    /// The hosts that are connected were told of it; whoever is connected anew has to be told again.
    is_sent: bool,
    making: Option<Making>,
    /// The programs that a map was looked for.
    searched: BTreeSet<String>,
}

struct Making {
    begun: Instant,
    thread: JoinHandle<Result<JobMap, Failure>>,
}

impl<'a> WatchedMap<'a> {
    pub(crate) fn new(given: Option<&'a Path>) -> Self {
        Self {
            given,
            found: JobMap::not_yet(),
            is_found: false,
            is_sent: false,
            making: None,
            searched: BTreeSet::new(),
        }
    }

    /// The map by now.
    pub(crate) fn now(&self) -> &JobMap {
        &self.found
    }

    /// Whether it is found, or is not to be had.
    pub(crate) fn is_found(&self) -> bool {
        self.is_found
    }

    /// Whether an alarm should wait for it.
    pub(crate) fn is_worth_waiting(&self) -> bool {
        let making = self.making.as_ref();
        making.is_some_and(|making| making.begun.elapsed() < WORTH_WAITING)
    }

    /// Takes the map if it is made by now.
    ///
    /// # Errors
    /// The map that the user gave does not fit.
    pub(crate) fn take_made(&mut self) -> anyhow::Result<()> {
        let Some(making) = self.making.take_if(|making| making.thread.is_finished()) else {
            return Ok(());
        };
        let made = making.thread.join();
        let found = made.unwrap_or_else(|_| Err(Failure::new("the map could not be made")))?;
        if let Some(why) = &found.none {
            output::warn(&format!(
                "{}: the job is watched by its stacks alone, so that whoever goes round a loop in one function looks still, and who is behind may not be proven",
                why.reason
            ));
        }
        (self.found, self.is_found, self.is_sent) = (found, true, false);
        Ok(())
    }

    /// Has a map made where none fits the programs that run, and tells other hosts which there is: at its start a job may still be the shell
    /// that starts the program.
    ///
    /// # Errors
    /// The hosts cannot be told.
    pub(crate) fn heed(&mut self, job: &Job, hosts: Option<&mut Everywhere>) -> anyhow::Result<()> {
        let mut programs: BTreeSet<String> = job.tasks.iter().map(|task| task.executable.clone()).collect();
        let elsewhere = hosts.iter().flat_map(|hosts| hosts.programs());
        programs.extend(elsewhere.map(|path| path.display().to_string()));
        if self.making.is_none() && self.found.is_empty() && programs != self.searched {
            self.searched = programs;
            let wanted = WantedMap::of(job, hosts.as_deref());
            let given = self.given.map(PathBuf::from);
            self.making = Some(Making {
                begun: Instant::now(),
                thread: std::thread::spawn(move || wanted.made(given.as_deref())),
            });
        }
        if let Some(hosts) = hosts
            && self.is_found
            && !(self.is_sent && hosts.has_map())
        {
            hosts.send_map(&self.found)?;
            self.is_sent = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn making<'a>(made: mpsc::Receiver<Result<JobMap, Failure>>) -> WatchedMap<'a> {
        let thread = std::thread::spawn(move || made.recv().expect("the test sends it"));
        WatchedMap {
            making: Some(Making {
                begun: Instant::now(),
                thread,
            }),
            ..WatchedMap::new(None)
        }
    }

    #[test]
    fn nobody_waits_for_a_map_that_is_being_made() {
        let (send, made) = mpsc::channel();
        let mut map = making(made);
        for _ in 0..3 {
            map.take_made().expect("nothing has failed");
            map.heed(&Job::default(), None).expect("there is no host");
            assert!(!map.is_found() && map.now().is_empty());
            assert!(map.is_worth_waiting(), "an alarm waits for it");
        }
        send.send(Ok(JobMap::not_yet())).expect("it is waited for");
        while !map.is_found() {
            map.take_made().expect("nothing has failed");
        }
        assert!(!map.is_worth_waiting());
    }

    #[test]
    fn a_map_that_cannot_be_used_ends_the_watch() {
        let (send, made) = mpsc::channel();
        let mut map = making(made);
        send.send(Err(Failure::new("it is of another build")))
            .expect("it is waited for");
        let why = loop {
            if let Err(why) = map.take_made() {
                break why;
            }
        };
        assert_eq!(why.to_string(), "it is of another build");
    }
}
