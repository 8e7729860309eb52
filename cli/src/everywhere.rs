//! The tasks of a job on all its hosts: those here are read as ever, the others by the probes that `cluster` starts there.

mod recorded;

use crate::host_args::HostArgs;
use crate::output;
use crate::sent_probe::probe;
use crate::together::{Together, WantedReduction};
use crate::wanted_map::WantedMap;
use anyhow::Context as _;
use base::RankSet;
use cluster::{Asked, Gathering, Loss, MapFrames, Patience, Seen, SentMap, Transport};
use nodes::{All, Found, Look, Merge, NodeId, Piece, Report};
use project::{Failure, JobMap, Tasks};
use regular_files::User;
use runtime_probe::{Job, Options, ProcessTable, TableEntry, own_host};
use snapshot::{Header, Task, VERSION};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Why no host of a job can be looked at.
pub(crate) enum Unreached {
    /// There is no probe to send, so that nobody was asked.
    NotAsked(Failure),
    /// Not every host has said what it has, and those that did have nothing of the job.
    NoAnswer(Failure),
    /// Every host says that it has no task of the job that could be looked at.
    NoTask(Failure),
}

impl From<Unreached> for Failure {
    fn from(why: Unreached) -> Self {
        match why {
            Unreached::NotAsked(failure) | Unreached::NoAnswer(failure) | Unreached::NoTask(failure) => {
                failure
            }
        }
    }
}

/// The hosts of a job, connected.
pub(crate) struct Everywhere {
    asked: BTreeMap<NodeId, Asked>,
    /// Those that answer together, as long as they do.
    together: Option<Together>,
    /// All others.
    gathering: Gathering,
    /// The launcher, where one is named.
    launcher: Option<u32>,
    /// How many ranks the whole job has, where this host tells.
    known_size: Option<u32>,
    maps: Option<MapFrames>,
    /// What the tasks record of their calls of MPI is read as well.
    pub(crate) with_recordings: bool,
    /// And with it the last events of each.
    pub(crate) with_last_events: bool,
    /// Some of those that were looked at do.
    is_recorded: bool,
    /// Hosts that have answered the last look and were lost behind it.
    lost_behind: BTreeSet<String>,
    /// Why hosts do not answer together that were to.
    apart: Vec<String>,
    /// What was told and not believed, or could not be asked, in the last look.
    notes: Vec<String>,
}

impl Everywhere {
    /// Connects to hosts, and asks each for its tasks.
    ///
    /// # Errors
    /// There is nothing to look at, neither here nor there.
    pub(crate) fn connect(
        asked: Vec<Asked>,
        transport: Transport,
        args: &HostArgs,
        job: &Job,
        launcher: Option<u32>,
    ) -> Result<Self, Unreached> {
        let probe = probe(args).map_err(Unreached::NotAsked)?;
        let patience = Patience {
            deadline: args.deadline,
            grace: args.grace,
        };
        let asked = BTreeMap::from_iter((0..).map(NodeId).zip(asked));
        let mut apart = Vec::new();
        let wanted = WantedReduction::of(args, &transport, launcher).map_err(Unreached::NotAsked)?;
        // What the attempt to have them answer together takes is taken from the time that they have.
        let begun = wanted.as_ref().map(|_| Instant::now());
        let together = wanted.and_then(|wanted| wanted.start(&asked).map_err(|why| apart.push(why)).ok());
        if let Some(together) = &together {
            output::note(&together.how());
        }
        let is_alone = |node: &NodeId| together.as_ref().is_none_or(|together| !together.has(*node));
        let alone = asked.iter().filter(|(node, _)| is_alone(node));
        let alone = alone.map(|(node, asked)| (*node, asked.clone())).collect();
        let mut everywhere = Everywhere {
            gathering: Gathering::new(alone, transport, probe, patience),
            asked,
            together,
            launcher,
            known_size: job.size,
            maps: None,
            with_recordings: false,
            with_last_events: false,
            is_recorded: false,
            lost_behind: BTreeSet::new(),
            apart,
            notes: Vec::new(),
        };
        let spent = begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        everywhere.gathering.settle(spent);
        match everywhere.has_no_task(job) {
            Some(why) => Err(why),
            None => Ok(everywhere),
        }
    }

    /// Why there is nothing to look at, if so.
    fn has_no_task(&self, job: &Job) -> Option<Unreached> {
        if !job.tasks.is_empty() {
            return None;
        }
        let gathering = &self.gathering;
        let has_answered = self.answered().next().is_some();
        let has_lost = gathering.losses().next().is_some();
        let has_task = self.answered().any(|(_, found)| !found.tasks.is_empty());
        let has_spoken = |loss: &Loss| matches!(loss, Loss::Failed { .. });
        let all_say_so = gathering.losses().all(|(_, loss, _)| has_spoken(loss));
        match (has_task, has_lost, has_answered) {
            (false, true, _) if all_say_so => Some(Unreached::NoTask(nobody(gathering))),
            (false, true, false) => Some(Unreached::NoAnswer(nobody(gathering))),
            (false, false, _) => Some(Unreached::NoTask(self.no_rank())),
            _ => None,
        }
    }

    /// The hosts with what they have found.
    fn answered(&self) -> impl Iterator<Item = (&Asked, &Found)> {
        let together = self.together.iter().flat_map(|together| &together.found);
        let together = together.filter_map(|(node, found)| Some((self.asked.get(node)?, found)));
        together.chain(self.gathering.found())
    }

    /// That all hosts have answered, and none has a rank.
    fn no_rank(&self) -> Failure {
        let names = Vec::from_iter(self.answered().map(|(asked, _)| asked.host.as_str()));
        let shown = names[..names.len().min(SHOWN)].join(", ");
        let more = and_more(names.len());
        Failure::new(format!("the job has no rank on its hosts, as far as may be seen: {shown}{more}"))
            .hint("its ranks have not started, have ended, or are another user's; `--hosts FILE` names processes, too (host:pid)")
    }

    /// Connects anew to the hosts that were lost.
    pub(crate) fn try_lost_again(&mut self) {
        self.gathering.try_lost_again();
    }

    /// Whether some host has no answer.
    pub(crate) fn has_lost(&self) -> bool {
        self.gathering.losses().next().is_some()
    }

    /// The map of the job: of what runs here, or else of what runs elsewhere, as far as that is here as a file.
    pub(crate) fn map(&mut self, given: Option<&Path>, job: &Job) -> anyhow::Result<JobMap> {
        let found = WantedMap::of(job, Some(self)).made(given)?;
        self.send_map(&found)?;
        Ok(found)
    }

    /// Whose the launcher is, if there is one here.
    pub(crate) fn user_of_launcher(&self) -> Option<User> {
        let launcher = runtime_probe::tasks_of(&[self.launcher?]);
        launcher.first()?.user()
    }

    /// Has all hosts read variables by this map.
    pub(crate) fn send_map(&mut self, found: &JobMap) -> anyhow::Result<()> {
        let sent = found.each().map(|each| SentMap {
            bytes: each.map.for_probe().to_bytes(),
            file: each.file.clone().zip(each.used.as_ref().map(|used| used.hash)),
        });
        let maps = MapFrames::of(sent.collect()).context("the map cannot be sent to the hosts of the job")?;
        if let Some(together) = &mut self.together {
            together.reduction.set_maps(&maps);
        }
        self.gathering.set_maps(&maps);
        self.maps = Some(maps);
        Ok(())
    }

    /// Whether it was told by which map.
    pub(crate) fn has_map(&self) -> bool {
        self.maps.is_some()
    }

    /// The programs that run elsewhere, those of most tasks first.
    pub(crate) fn programs(&self) -> Vec<PathBuf> {
        let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
        for task in self.answered().flat_map(|(_, found)| &found.tasks) {
            *counted
                .entry(runtime_probe::path_as_mapped(&task.executable))
                .or_default() += 1;
        }
        let mut programs = Vec::from_iter(counted.into_iter().filter(|(path, _)| !path.is_empty()));
        programs.sort_by_key(|&(_, tasks)| std::cmp::Reverse(tasks));
        programs
            .into_iter()
            .map(|(path, _)| PathBuf::from(path))
            .collect()
    }

    /// One look at the tasks of all hosts, at the same time as far as they are ready.
    pub(crate) fn take(&mut self, found: &JobMap, job: &Job, options: Options) -> (Header, Vec<Task>) {
        let (header, all) = self.look_everywhere(found, job, options);
        let own = own_host();
        let tasks = all.tasks(&|node| self.host_of(node, &own));
        (header, tasks)
    }

    /// The same, with records of a few tasks alone where they say all.
    pub(crate) fn take_enough(&mut self, found: &JobMap, job: &Job, options: Options) -> (Header, Tasks) {
        let (header, all) = self.look_everywhere(found, job, options);
        let own = own_host();
        let host = |node: NodeId| self.host_of(node, &own);
        let few = Tasks::few(
            &found.map,
            |seen| self.missing(seen),
            |take| all.each(&host, take),
        );
        (header, few.unwrap_or_else(|| Tasks::Each(all.tasks(&host))))
    }

    /// What the host of a node is called.
    fn host_of<'h>(&'h self, node: NodeId, own: &'h str) -> &'h str {
        let asked = self.asked.get(&node);
        asked.map_or(own, |asked| asked.host.as_str())
    }

    /// What all hosts see, before a task is made of it.
    fn look_everywhere(&mut self, found: &JobMap, job: &Job, options: Options) -> (Header, All) {
        let begun = Instant::now();
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let look = Look {
            recordings: self.with_recordings,
            events: self.last_events(job),
            ..options.as_look()
        };
        let mut merge = Merge::default();
        let mut here = None;
        let look_here = || {
            here = (!job.tasks.is_empty()).then(|| project::take_tasks(found, job, options));
        };
        let was_asked = self
            .together
            .as_mut()
            .map(|together| together.reduction.ask(look));
        self.notes = Vec::new();
        self.look(&mut merge, look, look_here);
        let own = own_host();
        if let Some((header, records)) = here {
            // What is here is behind all that are asked.
            merge.add(NodeId(u32::MAX), None, Report::of(header, records));
        }
        if let Some(asked) = was_asked {
            let pieces = asked.and_then(|()| self.pieces());
            let left_out = self.left_out(&mut merge, pieces);
            if !left_out.is_empty() {
                self.gathering.add(left_out);
                self.gathering.settle(begun.elapsed());
                self.look(&mut merge, look, || {});
            }
        }
        let all = merge.all();
        self.is_recorded = all.is_recorded;
        let name = |node: NodeId| self.host_of(node, &own);
        let complaints = all.complaints.iter().map(|complaint| complaint.text(&name));
        let complaints = Vec::from_iter(complaints);
        self.notes.extend(complaints);
        // Each task says on which host it runs.
        let header = Header {
            hindmost_snapshot: VERSION,
            window_us: all.window_us,
            size: self.size(),
            // By our own clock: theirs may be any.
            taken: since.ok().map(|since| since.as_secs()),
            ..Header::default()
        };
        (header, all)
    }

    /// How many of the last events of each task are asked for.
    fn last_events(&self, job: &Job) -> u64 {
        let elsewhere = self.answered().map(|(_, found)| found.tasks.len());
        let tasks = job.tasks.len() + elsewhere.sum::<usize>();
        if self.with_recordings && self.with_last_events {
            project::last_of_each(tasks)
        } else {
            0
        }
    }

    /// What those that answer together have seen.
    fn pieces(&mut self) -> Result<Vec<Piece>, Loss> {
        let pieces = self.together.as_mut().map(|together| together.reduction.pieces());
        pieces.unwrap_or_else(|| Ok(Vec::new()))
    }

    /// Adds what those see that are asked one by one, as it comes.
    fn look(&mut self, merge: &mut Merge, look: Look, meanwhile: impl FnOnce()) {
        let (all, mut late_notes) = (&self.asked, BTreeMap::new());
        let mut take = |Seen { node, report, late }: Seen| {
            if let Some(asked) = all.get(&node) {
                late_notes.extend(lateness(asked.host.as_str(), late).map(|note| (node, note)));
                merge.add(node, asked.ranks.as_ref(), report);
            }
        };
        let too_large = self.gathering.look(look, meanwhile, &mut take).err();
        self.notes.extend(too_large.map(|error| error.to_string()));
        self.notes.extend(late_notes.into_values());
    }

    /// Adds what was seen by those that answer together. Those that were to, and are not in it, do so no longer, and are handed back.
    fn left_out(&mut self, merge: &mut Merge, pieces: Result<Vec<Piece>, Loss>) -> BTreeMap<NodeId, Asked> {
        let Some(together) = &mut self.together else {
            return BTreeMap::new();
        };
        let mut left_out = BTreeSet::from_iter(together.found.keys().copied());
        match pieces {
            Ok(pieces) => {
                let ranks = |node: NodeId| self.asked.get(&node)?.ranks.as_ref();
                merge.absorb(pieces, |node| together.has(node), ranks);
                left_out.retain(|&node| !merge.has_heard(node));
                self.apart.extend(together.leave(&left_out));
            }
            Err(loss) => {
                self.apart.push(together.ended(&loss));
                self.together = None;
            }
        }
        let left_out = left_out.into_iter();
        left_out
            .filter_map(|node| Some((node, self.asked.get(&node)?.clone())))
            .collect()
    }

    /// How many ranks the whole job has, if this host tells, or all others that do say the same.
    fn size(&self) -> Option<u32> {
        let told = self.answered().filter_map(|(_, found)| found.size);
        let told: BTreeSet<u32> = told.collect();
        let agreed = told.first().copied().filter(|_| told.len() == 1);
        self.known_size.or(agreed)
    }

    /// The ranks that are not among these.
    pub(crate) fn missing(&self, seen: &RankSet) -> RankSet {
        let all = match self.size() {
            Some(size) if size > 0 => RankSet::from_ranges([(0, size - 1)]),
            _ => RankSet::union(
                self.gathering
                    .losses()
                    .filter_map(|(asked, ..)| asked.ranks.as_ref()),
            ),
        };
        all.without(seen)
    }

    /// The ranks that were found, before anybody has looked at them.
    pub(crate) fn found(&self, job: &Job) -> RankSet {
        let elsewhere = self.answered().flat_map(|(_, found)| &found.tasks);
        let elsewhere = elsewhere.filter_map(|task| task.rank);
        elsewhere
            .chain(job.tasks.iter().filter_map(|task| task.rank))
            .collect()
    }

    /// What the user should know: of hosts that were not seen, and why; of what was told and not believed.
    pub(crate) fn notes(&self) -> Vec<String> {
        let told = self.answered().flat_map(|(asked, found)| {
            let notes = found.notes.iter();
            notes.map(move |note| format!("host {}: {note}", asked.host))
        });
        let lost = self.lost_notes().into_iter();
        let own = self.apart.iter().chain(&self.notes).cloned();
        lost.chain(told).chain(own).collect()
    }

    /// Of which hosts nothing was seen, and why.
    pub(crate) fn lost_notes(&self) -> Vec<String> {
        let losses = self.gathering.losses();
        let losses = losses.filter(|(asked, ..)| !self.lost_behind.contains(asked.host.as_str()));
        let lost = losses.map(|(asked, loss, found)| {
            let found = found.map(ranks_of);
            let ranks = asked.ranks.as_ref().or(found.as_ref());
            let longer = match loss {
                Loss::Silent { others: Some(_), .. } => " (--grace TIME waits longer)",
                _ => "",
            };
            format!("{}: {loss}{longer}", not_seen(ranks, asked.host.as_str()))
        });
        lost.collect()
    }

    /// The process table of all hosts: of those that have none in `job` as they say themselves.
    pub(crate) fn table(&self, here: ProcessTable, job: &Job) -> ProcessTable {
        let mut table = here;
        table.entries.extend(job.elsewhere.iter().cloned());
        for (asked, found) in self.answered().filter(|(asked, _)| asked.ranks.is_none()) {
            table.entries.extend(found.tasks.iter().filter_map(|task| {
                Some(TableEntry {
                    rank: task.rank?,
                    host: asked.host.to_string(),
                    pid: task.pid,
                    executable: task.executable.clone(),
                })
            }));
        }
        // Open MPI has 0 for a process of which it has not yet been told, and does not mend that.
        for entry in table.entries.iter_mut().filter(|entry| entry.pid == 0) {
            let there = self
                .answered()
                .filter(|(asked, _)| asked.host.as_str() == entry.host);
            let mut tasks = there.flat_map(|(_, found)| &found.tasks);
            if let Some(task) = tasks.find(|task| task.rank == Some(entry.rank)) {
                entry.pid = task.pid;
            }
        }
        table.entries.sort();
        table
    }
}

/// That a host was looked at much later than others: an order is of one moment.
fn lateness(host: &str, late: Duration) -> Option<String> {
    const WORTH_SAYING: Duration = Duration::from_secs(1);
    (late > WORTH_SAYING).then(|| {
        format!(
            "host {host} was looked at {:.0} s after the others: whoever went on in between may only look further, --twice 2s tells",
            late.as_secs_f64()
        )
    })
}

/// So many hosts are named in a message.
const SHOWN: usize = 3;

/// That there are more of them.
fn and_more(hosts: usize) -> String {
    match hosts.saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    }
}

/// That there is nothing to look at.
fn nobody(gathering: &Gathering) -> Failure {
    let lost = Vec::from_iter(
        gathering
            .losses()
            .map(|(asked, loss, _)| format!("{}: {loss}", asked.host)),
    );
    let more = and_more(lost.len());
    let shown = lost[..lost.len().min(SHOWN)].join("; ");
    let hint = match gathering.transport() {
        Transport::Ssh => {
            "ssh must reach them without a password, by the names that the launcher or the list has; --via COMMAND reaches them otherwise"
        }
        Transport::Clush => "clush must reach them without a password; --via COMMAND reaches them otherwise",
        Transport::Slurm(_) => {
            "the job must be yours, so that srun can start a step in it; --via ssh reaches its nodes by ssh"
        }
        Transport::Flux(_) => {
            "the job must be yours, and this Flux have flux exec --jobid (from 0.60); --via ssh reaches its nodes by ssh"
        }
        Transport::Launcher(_) => {
            "the launcher must reach them, and read its standard input; --via COMMAND reaches them otherwise"
        }
        Transport::Template(_) => {
            "--via must run a command line on each, and connect its standard input and output"
        }
    };
    Failure::new(format!("no host of the job has answered: {shown}{more}")).hint(hint)
}

fn ranks_of(found: &Found) -> RankSet {
    found.tasks.iter().filter_map(|task| task.rank).collect()
}

/// That the tasks of a host were not seen, and what that means.
pub(crate) fn not_seen(ranks: Option<&RankSet>, host: &str) -> String {
    let host = base::clean(host);
    match ranks {
        Some(ranks) if ranks.len() == 1 => {
            format!("rank {ranks} on host {host} was not seen, and may be further behind")
        }
        Some(ranks) if !ranks.is_empty() => format!(
            "ranks {} on host {host} were not seen, and one of them may be further behind",
            ranks.brief()
        ),
        _ => format!("host {host} was not seen, and a rank there may be further behind"),
    }
}
