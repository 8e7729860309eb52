//! The events of a job's tasks on other hosts: a thread talks to the probes there, and keeps what they have sent until it is taken.
//!
//! As long as something of a host may still come, what waits for it is held: until the deadline has passed since it was last heard. The thread ends with this program or when it is dropped, and with it the dialogues.

use crate::host_args::HostArgs;
use crate::{output, sent_probe};
use base::RankSet;
use cluster::{Asked, Gathering, Loss, Patience, Streamed, Transport};
use nodes::{Look, NodeId, ThreadsRead};
use project::{
    AskedWithin, EventsElsewhere, Failure, FirstLook, FollowedEvents, FromHost, RecordedElsewhere,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// So often is looked whether somebody wants something, or whether it is over.
const TURN: Duration = Duration::from_millis(50);

/// A host that was lost is tried again after this, then less and less often.
const SOON: Duration = Duration::from_secs(1);
const RARELY: Duration = Duration::from_secs(60);

/// Events that wait to be taken: while there are more, hosts are not asked, and keep what they have as long as they can.
const WAITING: usize = 1 << 20;

/// What has come since it was taken last.
pub(super) struct Taken {
    pub(super) fresh: Vec<project::Fresh>,
    /// Up to when everything is read that was written.
    pub(super) heard: Instant,
    pub(super) notes: Vec<String>,
}

/// How it stands with a host.
struct Host {
    name: String,
    /// The ranks that it has, where that is known.
    ranks: Option<RankSet>,
    /// When it was asked for what it has answered last; before that, when it was begun.
    heard: Instant,
    has_answered: bool,
    /// Why nothing comes from it now.
    loss: Option<String>,
    /// It was said that its events do not come, and nothing is held for it.
    is_missed: bool,
}

struct Shared {
    events: EventsElsewhere,
    fresh: Vec<project::Fresh>,
    waiting: usize,
    hosts: BTreeMap<NodeId, Host>,
    notes: Vec<String>,
}

/// What both looks at the recordings of all hosts have shown, the second of which is yet to be taken here.
type Recorded = (FirstLook, RecordedElsewhere);

/// Who wants to know what all tasks have recorded: the recordings here, and where the answer goes.
type Request = (Vec<PathBuf>, Sender<Recorded>);

/// The tasks of other hosts that are followed.
pub(super) struct Elsewhere {
    shared: Arc<Mutex<Shared>>,
    deadline: Duration,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    requests: Sender<Request>,
}

/// Asks what all tasks have recorded, from any thread.
#[derive(Clone)]
pub(crate) struct RecordingsOfAll(Sender<Request>);

impl RecordingsOfAll {
    /// What the tasks of all hosts have recorded, with those here whose recordings these are; nothing if nobody is asked any more.
    pub(crate) fn look(&self, here: &[PathBuf]) -> Option<FirstLook> {
        let (told, answer) = channel();
        self.0.send((here.to_vec(), told)).ok()?;
        let (first, elsewhere) = answer.recv().ok()?;
        Some(first.beside(elsewhere))
    }
}

impl Elsewhere {
    /// Begins to follow the tasks of these hosts, each of which is asked every `pause`. `size` is how many ranks the job has, if that is known.
    ///
    /// # Errors
    /// There is no probe to send, or the user wants what cannot be.
    pub(super) fn start(
        asked: Vec<Asked>,
        transport: Transport,
        args: &HostArgs,
        (size, pause): (Option<u32>, Duration),
    ) -> Result<Self, Failure> {
        if args.reduce.is_some() {
            return Err(
                Failure::new("events are followed host by host, and not reduced by MPI")
                    .hint("without --reduce each host is asked for its own"),
            );
        }
        let probe = sent_probe::probe(args)?;
        let patience = Patience {
            deadline: args.deadline,
            grace: args.grace,
        };
        let asked = BTreeMap::from_iter((0..).map(NodeId).zip(asked));
        let begun = Instant::now();
        let hosts = asked.iter().map(|(&node, asked)| {
            let host = Host {
                name: asked.host.to_string(),
                ranks: asked.ranks.clone(),
                heard: begun,
                has_answered: false,
                loss: None,
                is_missed: false,
            };
            (node, host)
        });
        let shared = Arc::new(Mutex::new(Shared {
            events: EventsElsewhere::new(RankSet::default(), size),
            fresh: Vec::new(),
            waiting: 0,
            hosts: hosts.collect(),
            notes: Vec::new(),
        }));
        let gathering = Gathering::new(asked, transport, probe, patience);
        let (requests, wanted) = channel();
        let ends = Arc::new(AtomicBool::new(false));
        let talk = Talk {
            gathering,
            shared: Arc::clone(&shared),
            ends: Arc::clone(&ends),
            wanted,
            pause,
            deadline: args.deadline,
            tried: begun,
            until_next: SOON,
        };
        Ok(Elsewhere {
            shared,
            deadline: args.deadline,
            ends,
            thread: Some(std::thread::spawn(move || talk.go_on())),
            requests,
        })
    }

    /// It is the job of the tasks that run here.
    pub(super) fn is_of(&self, here: &FollowedEvents) {
        locked(&self.shared).events.is_of(here);
    }

    /// What has come since.
    pub(super) fn take(&self) -> Taken {
        let mut shared = locked(&self.shared);
        let now = Instant::now();
        let held = shared
            .hosts
            .values()
            .filter(|host| !host.is_given_up(self.deadline, now));
        let heard = held.map(|host| host.heard).min().unwrap_or(now);
        let mut notes = std::mem::take(&mut shared.notes);
        notes.extend(shared.events.take_notes());
        shared.waiting = 0;
        Taken {
            fresh: std::mem::take(&mut shared.fresh),
            heard,
            notes,
        }
    }

    /// The ranks of which hosts tell. Nothing as long as a host may yet tell of others.
    pub(super) fn ranks(&self) -> Option<RankSet> {
        let shared = locked(&self.shared);
        let is_known = |host: &Host| host.has_answered || host.loss.is_some() || host.is_missed;
        shared.hosts.values().all(is_known).then(|| shared.events.ranks())
    }

    /// Whether any of the tasks runs, or may do so: of a host that is yet to answer that is not known.
    pub(super) fn is_running(&self) -> bool {
        let shared = locked(&self.shared);
        let now = Instant::now();
        let may_answer = |host: &Host| !host.has_answered && !host.is_given_up(self.deadline, now);
        shared.events.is_running() || shared.hosts.values().any(may_answer)
    }

    /// Whether all that was written up to now is here, but for that of hosts that are lost.
    pub(super) fn has_caught_up(&self) -> bool {
        let shared = locked(&self.shared);
        let is_done = |host: &Host| {
            host.loss.is_some()
                || host.is_missed
                || host.has_answered && shared.events.has_told_all(&host.name)
        };
        shared.hosts.values().all(is_done)
    }

    /// The hosts of which nothing was heard, each with the reason.
    pub(super) fn unheard(&self) -> Vec<String> {
        let shared = locked(&self.shared);
        let unheard = shared.hosts.values().filter(|host| !host.has_answered);
        let why = |host: &Host| {
            let loss = host.loss.as_deref().unwrap_or("it does not answer");
            format!("{}: {loss}", host.in_words(&shared.events))
        };
        unheard.map(why).collect()
    }

    /// By whom it can be asked what all have recorded.
    pub(super) fn recordings(&self) -> RecordingsOfAll {
        RecordingsOfAll(self.requests.clone())
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // One that has panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Host {
    /// Whether nothing is held for it any more.
    fn is_given_up(&self, deadline: Duration, now: Instant) -> bool {
        self.is_missed || now.saturating_duration_since(self.heard) > deadline
    }

    /// Its ranks with its name, for a message.
    fn in_words(&self, events: &EventsElsewhere) -> String {
        let told = events.ranks_of(&self.name);
        let ranks = self.ranks.as_ref().unwrap_or(&told);
        let name = base::clean(&self.name);
        match ranks.len() {
            0 => format!("host {name}"),
            1 => format!("rank {ranks} on host {name}"),
            _ => format!("ranks {} on host {name}", ranks.brief()),
        }
    }
}

fn locked(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the thread has.
struct Talk {
    gathering: Gathering,
    shared: Arc<Mutex<Shared>>,
    ends: Arc<AtomicBool>,
    wanted: Receiver<Request>,
    /// How often a host is asked.
    pause: Duration,
    deadline: Duration,
    /// When hosts that were lost were tried last, and how long it is until they are next.
    tried: Instant,
    until_next: Duration,
}

impl Talk {
    fn go_on(mut self) {
        while !self.ends.load(Ordering::Relaxed) {
            while let Ok((here, told)) = self.wanted.try_recv() {
                // Who asked may be gone.
                let _ = told.send(self.recordings(&here));
            }
            if locked(&self.shared).waiting > WAITING {
                std::thread::sleep(TURN);
                continue;
            }
            match self.gathering.follow(self.pause, Instant::now() + TURN) {
                Ok(streamed) => streamed.into_iter().for_each(|one| self.take(one)),
                Err(error) => {
                    locked(&self.shared).notes.push(error.to_string());
                    return;
                }
            }
            self.note_losses();
            self.try_again();
        }
    }

    fn take(&mut self, Streamed { node, bytes, asked }: Streamed) {
        let mut shared = locked(&self.shared);
        let Shared {
            events,
            hosts,
            fresh,
            waiting,
            notes,
        } = &mut *shared;
        let Some(host) = hosts.get_mut(&node) else {
            return;
        };
        let from = FromHost {
            host: &host.name,
            own: host.ranks.as_ref(),
            bytes: &bytes,
        };
        let now = since_epoch();
        let took = i64::try_from(asked.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let within = AskedWithin {
            from: now.saturating_sub(took),
            to: now,
        };
        let new = events.take(from, within);
        *waiting += new.iter().map(|one| one.events.events.len()).sum::<usize>();
        fresh.extend(new);
        host.heard = asked;
        host.has_answered = true;
        if host.loss.take().is_some() || host.is_missed {
            host.is_missed = false;
            notes.push(format!("{}: events come again", host.in_words(events)));
        }
    }

    /// Says whose events do not come.
    fn note_losses(&mut self) {
        let mut shared = locked(&self.shared);
        let Shared {
            events, hosts, notes, ..
        } = &mut *shared;
        let now = Instant::now();
        for (node, _, loss) in self.gathering.lost_now() {
            let Some(host) = hosts.get_mut(&node) else {
                continue;
            };
            let is_new = host.loss.replace(loss.to_string()).is_none();
            let is_over = host.has_answered && has_ended(loss);
            if is_over || !loss.may_pass() {
                // Nothing more is to come.
                events.lose(&host.name);
                host.is_missed = true;
            }
            // Of a host that has never answered the ranks may only be starting.
            let is_worth_saying = host.has_answered && !is_over || !loss.may_pass();
            if is_new && is_worth_saying {
                notes.push(format!("{}: no events come: {loss}", host.in_words(events)));
            }
        }
        for host in hosts.values_mut() {
            if host.is_missed || !host.is_given_up(self.deadline, now) {
                continue;
            }
            host.is_missed = true;
            events.lose(&host.name);
            let why = host.loss.as_deref().unwrap_or("it does not answer");
            notes.push(format!(
                "{}: no events have come for {:?} ({why}): what waits for them is held no longer, and says so",
                host.in_words(events),
                self.deadline
            ));
        }
    }

    fn try_again(&mut self) {
        let has_lost = self.gathering.lost_now().next().is_some();
        if !has_lost {
            self.until_next = SOON;
            self.tried = Instant::now();
            return;
        }
        if self.tried.elapsed() < self.until_next {
            return;
        }
        self.tried = Instant::now();
        self.until_next = RARELY.min(self.until_next * 2);
        let shared = locked(&self.shared);
        let has_answered = |node: NodeId| shared.hosts.get(&node).is_some_and(|host| host.has_answered);
        self.gathering
            .revive(|node, loss| loss.may_pass() && !(has_answered(node) && has_ended(loss)));
    }

    /// Two looks at what all tasks have recorded: one moment lies between both for all hosts.
    fn recordings(&mut self, here: &[PathBuf]) -> Recorded {
        let look = Look {
            threads: ThreadsRead::None,
            stop_sleepers: false,
            limit: 0,
            patience_ms: 0,
            recordings: true,
            events: 0,
        };
        let mut first = None;
        let look_here = || {
            let found = (!here.is_empty())
                .then(|| FirstLook::of_paths(here, &output::Terminal::showing(false)).ok())
                .flatten();
            first = Some(found.unwrap_or_else(FirstLook::of_nothing));
        };
        // What is too large to be sent is no question.
        let _ = self.gathering.look(look, look_here, &mut |_| {});
        let recorded = self.gathering.recordings().unwrap_or_default();
        let shared = locked(&self.shared);
        let of_hosts = recorded.iter().filter_map(|(node, bytes)| {
            let host = shared.hosts.get(node)?;
            Some(FromHost {
                host: &host.name,
                own: host.ranks.as_ref(),
                bytes,
            })
        });
        let elsewhere = RecordedElsewhere::of(of_hosts);
        (first.unwrap_or_else(FirstLook::of_nothing), elsewhere)
    }
}

/// Whether the probe says that there is none of the processes: of a host that has answered before, they have ended.
fn has_ended(loss: &Loss) -> bool {
    matches!(loss, Loss::Failed { .. })
}

/// Our own clock.
fn since_epoch() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
}
