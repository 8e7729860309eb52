//! The flight recorder in real jobs: random plans of messages and collective operations are followed by real ranks under both MPIs until they hang,
//! and `hindmost waits` must come to what the plan comes to, never saying on the way that somebody is stuck who goes on.
//!
//! The truth is worked out here from the plan alone: all sends are synchronous and all peers are named, so that every schedule ends in the
//! same state.

use crate::hindmost::{PATIENCE, hindmost, my_turn, out, run, said};
use base::Random;
use corpus::{JobProcesses, Mpi};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const RANKS: usize = 5;

/// A step of a plan: what it does, over which communicator, with whom, under which tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanStep(char, usize, usize, usize);

pub(crate) type Plan = Vec<Vec<PlanStep>>;

fn members(communicator: usize, rank: usize) -> Vec<usize> {
    let is_member = |other: &usize| communicator != 1 || other % 2 == rank % 2;
    (0..RANKS).filter(is_member).collect()
}

/// The communicators with topologies: a ring, in which each rank takes of the two before it, and a line.
const RING: usize = 3;
const LINE: usize = 4;

/// Of whom a rank takes in an operation among neighbours.
fn sources(communicator: usize, rank: usize) -> Vec<usize> {
    if communicator == RING {
        return vec![(rank + RANKS - 1) % RANKS, (rank + RANKS - 2) % RANKS];
    }
    let beside = [rank.checked_sub(1), Some(rank + 1)].into_iter().flatten();
    beside.filter(|other| *other < RANKS).collect()
}

/// What plans are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// Messages and collective operations.
    Messages,
    /// Epochs of windows, too.
    Epochs,
    /// Locks of windows, too.
    Locks,
    /// Operations among neighbours, too.
    Neighbours,
}

/// The communicator number of fences.
const FENCES: usize = 5;

/// Some have access to the windows of some others, once all have come there; now and then one forgets its part. All wait for each other first, because MPICH takes a
/// post for one of any other epoch (4.0).
fn add_epoch(random: &mut Random, plan: &mut Plan) {
    plan.iter_mut()
        .for_each(|steps| steps.push(PlanStep('B', 0, 0, 0)));
    if random.below(3) == 0 {
        for steps in plan.iter_mut() {
            if random.below(20) > 0 {
                steps.push(PlanStep('E', FENCES, 0, 0));
            }
        }
        return;
    }
    let is_origin: Vec<bool> = (0..RANKS).map(|_| random.below(2) == 0).collect();
    let bits = |of: bool| {
        (0..RANKS)
            .filter(|&rank| is_origin[rank] == of)
            .fold(0, |bits, rank| bits | 1 << rank)
    };
    let (origins, targets): (usize, usize) = (bits(true), bits(false));
    if origins == 0 || targets == 0 {
        return;
    }
    for (rank, steps) in plan.iter_mut().enumerate() {
        if random.below(20) == 0 {
            continue;
        }
        if is_origin[rank] {
            steps.extend([PlanStep('T', 0, targets, 0), PlanStep('C', 0, 0, 0)]);
        } else {
            steps.extend([PlanStep('O', 0, origins, 0), PlanStep('V', 0, 0, 0)]);
        }
    }
}

/// One has the part of somebody locked when others want it; now and then it waits for one of these before it gives it back, or never does. All wait for each other before and behind,
/// so that whoever's part it is can serve them by then, as a library may need it to.
fn add_locks(random: &mut Random, plan: &mut Plan) {
    let barrier = |plan: &mut Plan| {
        plan.iter_mut()
            .for_each(|steps| steps.push(PlanStep('B', 0, 0, 0)));
    };
    let (holder, target) = (random.below(RANKS), random.below(RANKS));
    barrier(plan);
    plan[holder].push(PlanStep('K', 0, target, 0));
    barrier(plan);
    let others = Vec::from_iter((0..RANKS).filter(|rank| *rank != holder));
    let wants = Vec::from_iter(others.into_iter().filter(|_| random.below(2) == 0));
    let asked = random.below(4);
    for (index, &rank) in wants.iter().enumerate() {
        // Who is to send a message before the lock is given back had better do so before it wants it.
        let sends = PlanStep('S', 0, holder, 1);
        let wants = PlanStep('N', 0, target, 0);
        match (index, asked) {
            (0, 0) => plan[rank].extend([wants, sends]),
            (0, 1) => plan[rank].extend([sends, wants]),
            _ => plan[rank].push(wants),
        }
    }
    if let (Some(&rank), 0 | 1) = (wants.first(), asked) {
        plan[holder].push(PlanStep('R', 0, rank, 1));
    }
    if random.below(6) > 0 {
        plan[holder].push(PlanStep('U', 0, target, 0));
    }
    barrier(plan);
}

/// An operation among neighbours, which one forgets now and then. Whoever has forgotten one is in another by number later: so a communicator has one kind.
fn add_neighbours(random: &mut Random, plan: &mut Plan, kinds: [usize; 2]) {
    let (communicator, which) = [(RING, kinds[0]), (LINE, kinds[1])][random.below(2)];
    for steps in plan.iter_mut() {
        if random.below(16) > 0 {
            steps.push(PlanStep('G', communicator, 0, which));
        }
    }
}

fn bits_of(set: usize) -> Vec<usize> {
    (0..RANKS).filter(|rank| set >> rank & 1 == 1).collect()
}

pub(crate) fn random_plan(seed: u64, kinds: Kinds) -> Plan {
    let mut random = Random(seed);
    let mut plan: Plan = vec![Vec::new(); RANKS];
    for _ in 0..6 + random.below(16) {
        if kinds == Kinds::Epochs && random.below(2) == 0 {
            add_epoch(&mut random, &mut plan);
            continue;
        }
        if kinds == Kinds::Locks && random.below(2) == 0 {
            add_locks(&mut random, &mut plan);
            continue;
        }
        if kinds == Kinds::Neighbours && random.below(2) == 0 {
            let kinds = [seed % 3, seed / 3 % 3].map(|kind| kind as usize);
            add_neighbours(&mut random, &mut plan, kinds);
            continue;
        }
        let (c, tag) = (random.below(3), random.below(2));
        let a = random.below(RANKS);
        let group = members(c, a);
        let b = group[random.below(group.len())];
        match random.below(8) {
            0 | 1 => {
                let what = if random.below(2) == 0 { 'B' } else { 'A' };
                group
                    .iter()
                    .for_each(|&rank| plan[rank].push(PlanStep(what, c, 0, 0)));
            }
            2 if a != b => {
                plan[a].push(PlanStep('X', c, b, tag));
                plan[b].push(PlanStep('X', c, a, tag));
            }
            3 => plan[a].push(PlanStep('W', 0, 0, 0)),
            _ if a != b => {
                let send = if random.below(2) == 0 { 'S' } else { 'I' };
                let receive = if random.below(2) == 0 { 'R' } else { 'Q' };
                // Now and then a message is forgotten, or sent under another tag.
                if random.below(8) > 0 {
                    plan[a].push(PlanStep(send, c, b, tag));
                }
                let wrong = usize::from(random.below(8) == 0);
                plan[b].push(PlanStep(receive, c, a, tag ^ wrong));
            }
            _ => {}
        }
    }
    for steps in &mut plan {
        steps.push(PlanStep('W', 0, 0, 0));
        steps.push(PlanStep(if random.below(4) == 0 { 'L' } else { 'F' }, 0, 0, 0));
    }
    plan
}

/// Where every rank ends, who can never go on, and who waits for whom.
#[derive(Debug)]
pub(crate) struct Truth {
    pub(crate) blocked: BTreeSet<usize>,
    pub(crate) stuck: BTreeSet<usize>,
    pub(crate) edges: BTreeSet<(usize, usize)>,
    /// Those that complete sends and receives together, of which the receives are there: a send may have been complete at once, so that nobody knows what holds them.
    unsure: BTreeSet<usize>,
}

type Channel = (usize, usize, usize, usize);

/// Signals of windows are counted like messages of communicators that no plan has: posts, and completes.
const POSTS: usize = 10;
const COMPLETES: usize = 11;

/// What a rank waits for: the `number`-th message of a channel to be sent, or to be asked for, or others to enter a collective operation.
#[derive(Clone, Copy, Debug)]
enum Need {
    Sent(Channel, usize),
    Asked(Channel, usize),
    Entered(usize, usize),
    /// Those of whom it takes to enter an operation among neighbours.
    Given(usize, usize),
    /// The part of this rank to be given back.
    Free(usize),
}

#[derive(Default)]
struct Execution {
    at: Vec<usize>,
    inside: Vec<bool>,
    sent: BTreeMap<Channel, usize>,
    asked: BTreeMap<Channel, usize>,
    entered: BTreeMap<(usize, usize), usize>,
    /// Who has the part of a rank locked.
    locked: BTreeMap<usize, usize>,
    own: Vec<Vec<Need>>,
    pending: Vec<Vec<Need>>,
    /// The peers of the access epoch and of the exposure epoch that are open.
    targets: Vec<Vec<usize>>,
    origins: Vec<Vec<usize>>,
}

impl Execution {
    fn is_met(&self, rank: usize, need: Need) -> bool {
        let count = |map: &BTreeMap<Channel, usize>, channel| map.get(&channel).copied().unwrap_or(0);
        match need {
            Need::Sent(channel, number) => count(&self.sent, channel) >= number,
            Need::Asked(channel, number) => count(&self.asked, channel) >= number,
            Need::Entered(c, number) => self.absent(members(c, rank), c, number).is_empty(),
            Need::Given(c, number) => self.absent(sources(c, rank), c, number).is_empty(),
            Need::Free(target) => !self.locked.contains_key(&target),
        }
    }

    /// Those of these ranks who have entered fewer operations of the communicator.
    fn absent(&self, ranks: Vec<usize>, c: usize, number: usize) -> Vec<usize> {
        let entered = |other: &usize| self.entered.get(&(*other, c)).copied().unwrap_or(0);
        ranks
            .into_iter()
            .filter(|other| entered(other) < number)
            .collect()
    }

    fn send(&mut self, channel: Channel) -> Need {
        let count = self.sent.entry(channel).or_default();
        *count += 1;
        Need::Asked(channel, *count)
    }

    fn ask(&mut self, channel: Channel) -> Need {
        let count = self.asked.entry(channel).or_default();
        *count += 1;
        Need::Sent(channel, *count)
    }

    /// Both libraries wait for posts in start.
    fn enter_epoch(&mut self, what: char, rank: usize, peers: &[usize]) -> Vec<Need> {
        match what {
            'O' => {
                for &origin in peers {
                    self.send((POSTS, rank, origin, 0));
                }
                self.origins[rank] = peers.to_vec();
                Vec::new()
            }
            'T' => {
                self.targets[rank] = peers.to_vec();
                peers
                    .iter()
                    .map(|&target| self.ask((POSTS, target, rank, 0)))
                    .collect()
            }
            'C' => {
                for target in std::mem::take(&mut self.targets[rank]) {
                    self.send((COMPLETES, rank, target, 0));
                }
                Vec::new()
            }
            _ => {
                let origins = std::mem::take(&mut self.origins[rank]);
                origins
                    .iter()
                    .map(|&origin| self.ask((COMPLETES, origin, rank, 0)))
                    .collect()
            }
        }
    }

    fn advance(&mut self, plan: &Plan, rank: usize) -> bool {
        let PlanStep(what, c, peer, tag) = plan[rank][self.at[rank]];
        if matches!(what, 'L' | 'F') {
            return false;
        }
        if !self.inside[rank] {
            self.inside[rank] = true;
            self.own[rank] = match what {
                'S' => vec![self.send((c, rank, peer, tag))],
                'R' => vec![self.ask((c, peer, rank, tag))],
                'I' => {
                    let need = self.send((c, rank, peer, tag));
                    self.pending[rank].push(need);
                    Vec::new()
                }
                'Q' => {
                    let need = self.ask((c, peer, rank, tag));
                    self.pending[rank].push(need);
                    Vec::new()
                }
                // What it sends is small, and complete at once.
                'X' => {
                    self.send((c, rank, peer, tag));
                    vec![self.ask((c, peer, rank, tag))]
                }
                'W' => std::mem::take(&mut self.pending[rank]),
                'O' | 'T' | 'C' | 'V' => self.enter_epoch(what, rank, &bits_of(peer)),
                'K' | 'N' => vec![Need::Free(peer)],
                'U' => {
                    self.locked.remove(&peer);
                    Vec::new()
                }
                _ => {
                    let count = self.entered.entry((rank, c)).or_default();
                    *count += 1;
                    vec![match what {
                        'G' => Need::Given(c, *count),
                        _ => Need::Entered(c, *count),
                    }]
                }
            };
            return true;
        }
        let needs = std::mem::take(&mut self.own[rank]);
        let done = needs.iter().all(|need| self.is_met(rank, *need));
        if !done {
            self.own[rank] = needs;
            return false;
        }
        if what == 'K' {
            self.locked.insert(peer, rank);
        }
        self.inside[rank] = false;
        self.at[rank] += 1;
        true
    }
}

pub(crate) fn truth(plan: &Plan) -> Truth {
    let mut state = Execution {
        at: vec![0; RANKS],
        inside: vec![false; RANKS],
        own: vec![Vec::new(); RANKS],
        pending: vec![Vec::new(); RANKS],
        targets: vec![Vec::new(); RANKS],
        origins: vec![Vec::new(); RANKS],
        ..Execution::default()
    };
    while (0..RANKS).any(|rank| state.advance(plan, rank)) {}
    let blocked: BTreeSet<usize> = (0..RANKS).filter(|&rank| state.inside[rank]).collect();
    // Whom a rank waits for: each of these has to do something.
    let on = |rank: usize| -> BTreeSet<usize> {
        let unmet = state.own[rank].iter().filter(|need| !state.is_met(rank, **need));
        let peers = unmet.flat_map(|need| match *need {
            Need::Sent((_, from, ..), _) => vec![from],
            Need::Asked((_, _, to, _), _) => vec![to],
            Need::Entered(c, number) => state.absent(members(c, rank), c, number),
            Need::Given(c, number) => state.absent(sources(c, rank), c, number),
            Need::Free(target) => state.locked.get(&target).copied().into_iter().collect(),
        });
        peers.collect()
    };
    let is_gone = |rank: usize| plan[rank][state.at[rank]].0 == 'F';
    // A rank that sleeps may do anything; one in MPI_Finalize does nothing any more.
    let mut free: BTreeSet<usize> = (0..RANKS)
        .filter(|rank| !blocked.contains(rank) && !is_gone(*rank))
        .collect();
    loop {
        let next = blocked
            .iter()
            .find(|rank| !free.contains(rank) && on(**rank).is_subset(&free));
        let Some(next) = next else {
            break;
        };
        free.insert(*next);
    }
    let is_unsure = |rank: &usize| {
        let own = &state.own[*rank];
        let mut unmet = own.iter().filter(|need| !state.is_met(*rank, **need));
        own.iter().any(|need| matches!(need, Need::Sent(..)))
            && unmet.all(|need| matches!(need, Need::Asked(..)))
    };
    Truth {
        unsure: blocked.iter().copied().filter(is_unsure).collect(),
        stuck: blocked
            .iter()
            .copied()
            .filter(|rank| !free.contains(rank))
            .collect(),
        edges: blocked
            .iter()
            .flat_map(|&rank| on(rank).into_iter().map(move |other| (rank, other)))
            .collect(),
        blocked,
    }
}

pub(crate) fn text(plan: &Plan) -> String {
    let mut text = String::new();
    for (rank, steps) in plan.iter().enumerate() {
        text.push_str(if rank == 0 { "" } else { "|" });
        for PlanStep(what, c, peer, tag) in steps {
            let _ = write!(text, " {what}{c},{peer},{tag}");
        }
    }
    text
}

/// The recorder of an MPI, and the program that follows plans.
pub(crate) fn made(mpi: Mpi) -> (PathBuf, PathBuf) {
    made_of(mpi, "plan", Debug::None)
}

/// Whether a program has debug info.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Debug {
    Info,
    None,
}

/// The recorder of an MPI, and a program of `plans`.
pub(crate) fn made_of(mpi: Mpi, program: &str, debug: Debug) -> (PathBuf, PathBuf) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("jobs/plans/{program}.c"));
    let recorder = recorder_of(mpi);
    let program = out().join(format!("{program}-{}", mpi.name()));
    let output = run(Command::new(format!("mpicc.{}", mpi.name()))
        .args(match debug {
            Debug::Info => ["-O0", "-g", "-w", "-o"],
            Debug::None => ["-O1", "-g0", "-w", "-o"],
        })
        .arg(&program)
        .arg(source));
    assert!(output.status.success(), "{}", said(&output));
    (recorder, program)
}

/// The recorder of an MPI, from the sources as they are.
pub(crate) fn recorder_of(mpi: Mpi) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = run(Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "--package",
            "runtime-pmpi",
            "--message-format",
            "json",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR")));
    let messages = String::from_utf8_lossy(&built.stdout).into_owned();
    let files = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let runtime = files
        .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
        .filter_map(|name| Some(PathBuf::from(name.as_str()?)))
        .find(|name| name.ends_with("libruntime_pmpi.a"))
        .unwrap_or_else(|| panic!("{}", said(&built)));
    let mpicc = format!("mpicc.{}", mpi.name());
    let recorder = out().join(format!("recorder-{}.so", mpi.name()));
    let output = run(hindmost()
        .args(["recorder", "--mpicc", &mpicc, "-o"])
        .arg(&recorder)
        .arg("--runtime")
        .arg(&runtime));
    assert!(output.status.success(), "{}", said(&output));
    recorder
}

/// A job with the recorder.
pub(crate) struct Running {
    processes: JobProcesses,
    pub(crate) launcher: Child,
    pub(crate) directory: PathBuf,
}

impl Running {
    pub(crate) fn end(&mut self) {
        self.processes.end();
        self.launcher.wait().unwrap_or_else(|error| panic!("{error}"));
    }
}

pub(crate) fn start(mpi: Mpi, made: &(PathBuf, PathBuf), name: &str, plan: &str) -> Running {
    start_with(mpi, made, name, plan, &[])
}

/// The same with further options of `run`.
pub(crate) fn start_with(
    mpi: Mpi,
    (recorder, program): &(PathBuf, PathBuf),
    name: &str,
    plan: &str,
    options: &[&str],
) -> Running {
    let directory = out().join(format!("recorded-{}-{name}", mpi.name()));
    let _ = std::fs::remove_dir_all(&directory);
    let processes = JobProcesses::new();
    let (variable, value) = processes.variable();
    let mut command = hindmost();
    command
        .args(["run", "--recorder"])
        .arg(recorder)
        .arg("--record")
        .arg(&directory);
    command
        .args(options)
        .args(["--", &format!("mpirun.{}", mpi.name())]);
    if mpi == Mpi::OpenMpi {
        command.args(["--allow-run-as-root", "--oversubscribe"]);
    }
    command.args(["-np", &RANKS.to_string()]).arg(program);
    command.env(variable, value).env("PLAN", plan);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let launcher = command
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Running {
        processes,
        launcher,
        directory,
    }
}

pub(crate) fn fits(schema: &str, answer: &Value) {
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    if let Err(error) = schema.validate(answer) {
        panic!("{}: {error}\n{answer:#}", error.instance_path());
    }
}

pub(crate) fn waits(directory: &Path) -> Option<Value> {
    let output = run(hindmost().args(["waits", "--format", "json"]).arg(directory));
    let answer = serde_json::from_slice(&output.stdout).ok()?;
    fits(include_str!("../../docs/schemas/waits.schema.json"), &answer);
    assert!(
        matches!(output.status.code(), Some(0 | 1 | 3)),
        "{}",
        said(&output)
    );
    Some(answer)
}

pub(crate) fn ranks(list: &Value) -> BTreeSet<usize> {
    let set: base::RankSet = list
        .as_str()
        .unwrap_or_default()
        .parse()
        .unwrap_or_else(|error| panic!("{list}: {error}"));
    set.iter().map(|rank| rank as usize).collect()
}

/// Who certainly waits for whom by an answer; who has a lock is never certain.
pub(crate) fn certain_edges(answer: &Value) -> BTreeSet<(usize, usize)> {
    let edges = answer["edges"].as_array().into_iter().flatten();
    edges
        .filter(|edge| edge["proven"] == true || edge["why"] == "lock")
        .filter_map(|edge| Some((edge["waiter"].as_u64()? as usize, edge["on"].as_u64()? as usize)))
        .collect()
}

/// Follows a plan until the answer is the truth; fails at the first claim that is none.
pub(crate) fn check(mpi: Mpi, made: &(PathBuf, PathBuf), seed: u64, kinds: Kinds) {
    let plan = random_plan(seed, kinds);
    let truth = truth(&plan);
    let mut job = start(mpi, made, &seed.to_string(), &text(&plan));
    let begun = Instant::now();
    let mut last = None;
    let is_not_told = |rank: usize| truth.unsure.contains(&rank) || is_held_by_some(&plan, rank);
    let is_true = |stuck: &BTreeSet<usize>| {
        let is_open = truth.stuck.iter().any(|rank| is_not_told(*rank));
        *stuck == truth.stuck || is_open && stuck.is_subset(&truth.stuck)
    };
    loop {
        let seen = waits(&job.directory);
        let place = || {
            format!(
                "{} seed {seed}: {}\n{truth:?}\n{seen:#?}\n{last:#?}",
                mpi.name(),
                text(&plan)
            )
        };
        if let Some(answer) = &seen {
            let stuck = ranks(&answer["stuck"]);
            assert!(stuck.is_subset(&truth.stuck), "{}", place());
            let edges = certain_edges(answer);
            let seen_all = answer["tasks"]
                .as_array()
                .is_some_and(|tasks| tasks.len() == RANKS);
            let edges_fit = edges.is_subset(&truth.edges);
            let all_wait = truth
                .blocked
                .iter()
                .all(|rank| edges.iter().any(|(waiter, _)| waiter == rank) || is_not_told(*rank));
            if seen_all && is_true(&stuck) && edges_fit && all_wait {
                break;
            }
        }
        assert!(begun.elapsed() < PATIENCE, "never came to the truth: {}", place());
        last = seen;
        std::thread::sleep(Duration::from_millis(100));
    }
    // A plan without a hang may be over by now.
    if !truth.blocked.is_empty() {
        job.processes.give_way();
        found(&job, &truth, &is_true);
    }
    job.end();
    // The record outlives its job.
    let after = waits(&job.directory).expect("the recordings stay");
    assert!(
        is_true(&ranks(&after["stuck"])),
        "{} seed {seed}, after its end: {truth:?}\n{after:#}",
        mpi.name()
    );
    let _ = std::fs::remove_dir_all(&job.directory);
}

/// Asks `find` for the same job, whose program has no debug info: it says what the recorder says, and names nobody on its word who is none of the truth.
fn found(job: &Running, truth: &Truth, is_true: &dyn Fn(&BTreeSet<usize>) -> bool) {
    let output = run(hindmost()
        .args(["find", "--format", "json"])
        .arg(job.launcher.id().to_string()));
    let answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    fits(include_str!("../../docs/schemas/answer.schema.json"), &answer);
    let waits = &answer["waits"];
    assert!(is_true(&ranks(&waits["stuck"])), "{truth:?}\n{answer:#}");
    let named = ranks(&answer["named"]);
    if answer["by"] == "recorder" {
        let waiting = truth.edges.iter().any(|(_, on)| named.contains(on));
        assert!(
            !named.is_empty() && (named.is_subset(&truth.stuck) || waiting),
            "{truth:?}\n{answer:#}"
        );
        assert_eq!(
            output.status.code(),
            Some(if answer["proven"] == true { 0 } else { 3 })
        );
    }
    if waits["verdict"] == "deadlock" && waits["proven"] == true {
        assert_eq!(answer["proven"], true, "{answer:#}");
    }
}

/// Whether a rank completes several sends at once somewhere, or begins an epoch with several targets: which of them holds it nobody knows.
fn is_held_by_some(plan: &Plan, rank: usize) -> bool {
    let starts = |step: &PlanStep| step.0 == 'T' && bits_of(step.2).len() > 1;
    plan[rank].iter().filter(|step| step.0 == 'I').count() > 1 || plan[rank].iter().any(starts)
}

/// `HINDMOST_PLANS` names the seeds of another run: `40..80`.
pub(crate) fn seeds(usual: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let named = std::env::var("HINDMOST_PLANS").ok();
    let named = named.as_deref().and_then(|range| range.split_once(".."));
    named.map_or(usual, |(from, to)| {
        from.parse().unwrap_or(0)..to.parse().unwrap_or(0)
    })
}

fn plans(mpi: Mpi) {
    let _turn = my_turn();
    let made = made(mpi);
    let usual = match mpi {
        Mpi::OpenMpi => 0..5,
        // Its ranks poll: a job takes long on few processors.
        Mpi::Mpich => 0..2,
    };
    for seed in seeds(usual) {
        check(mpi, &made, seed, Kinds::Messages);
        check(mpi, &made, 1_000 + seed, Kinds::Epochs);
        check(mpi, &made, 2_000 + seed, Kinds::Locks);
        check(mpi, &made, 5_000 + seed, Kinds::Neighbours);
    }
}

#[test]
fn plans_under_open_mpi() {
    plans(Mpi::OpenMpi);
}

#[test]
fn plans_under_mpich() {
    plans(Mpi::Mpich);
}

#[test]
fn what_a_reader_is_told() {
    let _turn = my_turn();
    let made = made(Mpi::OpenMpi);
    // Rank 0 waits for tag 1 of rank 1, which has sent tag 0 before; ranks 2 to 4 wait in a barrier for both.
    let plan = " R0,1,1 B0,0,0| I0,0,0 R0,0,0| B0,0,0| B0,0,0| B0,0,0";
    let mut job = start(Mpi::OpenMpi, &made, "told", plan);
    let begun = Instant::now();
    let text = loop {
        let output = run(hindmost().arg("waits").arg(&job.directory));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.contains("Deadlock") && text.contains("ranks 2-4 wait in MPI_Barrier") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{}", said(&output));
        std::thread::sleep(Duration::from_millis(100));
    };
    let beside = run(hindmost()
        .args(["find", "--waits"])
        .arg(job.launcher.id().to_string()));
    let beside = String::from_utf8_lossy(&beside.stdout).into_owned();
    let drawn = |arguments: &[&str]| {
        let output = run(hindmost()
            .arg("find")
            .args(arguments)
            .arg(job.launcher.id().to_string()));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let (graph, page) = (drawn(&["--waits=dot"]), drawn(&["--tree=html"]));
    let stacks = out().join("told.jsonl");
    drawn(&["--save", &stacks.to_string_lossy()]);
    job.end();
    is_drawn(&graph, &page);
    stands_beside_the_tree(&stacks, &job.directory);
    // The deadlock comes first, then the waits, the stacks, and the whole account that was asked for.
    assert!(
        beside.starts_with("Deadlock: ranks 0-1 wait for each other"),
        "{beside}"
    );
    assert_eq!(
        beside.matches("rank 0 waits in MPI_Recv for message 1").count(),
        2,
        "{beside}"
    );
    assert!(beside.contains("5 tasks in 2 classes"), "{beside}");
    for line in [
        "Deadlock: ranks 0-1 wait for each other, and nobody else can end it",
        "rank 0 waits in MPI_Recv for message 1 of rank 1 (tag 1, MPI_COMM_WORLD): rank 1 has sent 0; it has sent 1 message under tag 0, which nobody has received",
        "rank 1 waits in MPI_Recv for message 1 of rank 0 (tag 0, MPI_COMM_WORLD): rank 0 has sent 0",
        "for ranks 0-1, which have entered",
    ] {
        assert!(text.contains(line), "no '{line}' in:\n{text}");
    }
}

/// The tree of stacks that were kept says for whom each class waits, in every form, if it is told where the recordings are.
fn stands_beside_the_tree(stacks: &Path, recordings: &Path) {
    let tree = |arguments: &[&str]| {
        let output = run(hindmost().arg("tree").arg(stacks).args(arguments));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let directory = recordings.to_string_lossy();
    let beside = |format: &str| tree(&["--recordings", &directory, "--format", format]);
    let in_barrier = "waits for ranks 0-1 (MPI_Barrier ";
    assert!(!tree(&[]).contains("waits for"));
    let text = beside("text");
    for line in [
        in_barrier,
        "Deadlock: ranks 0-1 wait for each other",
        "rank 0 waits in MPI_Recv for message 1",
    ] {
        assert!(text.contains(line), "no '{line}' in:\n{text}");
    }
    let dot = beside("dot");
    assert!(
        dot.contains(&format!("xlabel=\"{in_barrier}"))
            && dot.matches(" -> ").count() < dot.matches(" [").count(),
        "{dot}"
    );
    let document: Value = serde_json::from_str(&beside("json")).expect("the tree is JSON");
    fits(include_str!("../../docs/schemas/tree.schema.json"), &document);
    assert_eq!(document["waits"]["verdict"], "deadlock", "{document:#}");
    let page = beside("html");
    let data = page
        .split_once("id=\"data\">")
        .and_then(|(_, rest)| rest.split_once("</script>"));
    let data: Value = serde_json::from_str(data.expect("a page has data").0).expect("the data is JSON");
    fits(include_str!("../../docs/schemas/page.schema.json"), &data);
    assert_eq!(data["tree"]["waits"]["verdict"], "deadlock", "{data}");
}

/// The two that wait for each other are a box each, those in the barrier one that points to both; the page's data fit the schema and draw the same.
fn is_drawn(graph: &str, page: &str) {
    for part in [
        "digraph waits {",
        "n0 [label=\"rank 0\\nin MPI_Recv",
        "n2 [label=\"ranks 2-4 (3)\\nin MPI_Barrier",
        "n0 -> n1 [label=\"message, tag 1, MPI_COMM_WORLD\",style=solid",
        "n1 -> n0 [",
        "n2 -> n0 [label=\"MPI_Barrier ",
    ] {
        assert!(graph.contains(part), "no '{part}' in:\n{graph}");
    }
    let data = page
        .split_once("id=\"data\">")
        .and_then(|(_, rest)| rest.split_once("</script>"));
    let data: Value = serde_json::from_str(data.expect("a page has data").0).expect("the data is JSON");
    fits(include_str!("../../docs/schemas/page.schema.json"), &data);
    let waits = &data["answer"]["waits"];
    let ranks = waits["nodes"]
        .as_array()
        .map(|nodes| Vec::from_iter(nodes.iter().map(|node| &node["ranks"])));
    assert_eq!(
        ranks,
        Some(vec![&Value::from("0"), &Value::from("1"), &Value::from("2-4")]),
        "{waits}"
    );
    assert_eq!(waits["links"].as_array().map(Vec::len), Some(4), "{waits}");
}

#[test]
fn what_cannot_be_read() {
    let directory = out().join("no-recordings");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap_or_else(|error| panic!("{error}"));
    let refused = |words: &[&str]| crate::hindmost::refused(hindmost().arg("waits").arg(&directory), words);
    refused(&["there is no recording in", "hindmost run"]);
    let file = directory.join("hindmost-1.recording");
    std::fs::write(&file, "short").unwrap_or_else(|error| panic!("{error}"));
    refused(&["hindmost-1.recording", "cut off", "5 bytes"]);
    std::fs::write(&file, vec![1; 4 << 20]).unwrap_or_else(|error| panic!("{error}"));
    refused(&["hindmost-1.recording", "no recording"]);
    std::fs::remove_file(&file).unwrap_or_else(|error| panic!("{error}"));
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.is_ok_and(|status| status.success()));
    refused(&["hindmost-1.recording"]);
    let no_mpi = hindmost_recorder("gcc");
    assert!(no_mpi.contains("mpi.h"), "{no_mpi}");
    assert!(hindmost_recorder("no-such-compiler").contains("--mpicc"));
}

fn hindmost_recorder(mpicc: &str) -> String {
    let output = run(hindmost()
        .args(["recorder", "--mpicc", mpicc, "--runtime", "/dev/null", "-o"])
        .arg(out().join("none.so")));
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    said(&output)
}
