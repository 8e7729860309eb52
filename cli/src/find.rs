//! `hindmost find`: a running job.

use crate::args::{AnswerFormat, FindArgs, JobSlice, ThreadChoice};
use crate::cores;
use crate::everywhere::Everywhere;
use crate::findings;
use crate::output::{self, Status, Terminal};
use crate::recorder_args::WaitsFormat;
use crate::tree_args::TreeFormat;
use crate::whereabouts::{Plan, Whereabouts};
use base::RankSet;
use engine::{Earlier, Map, Origin, TreeOptions};
use project::{
    Failure, FirstLook, JobMap, Look, LookedAt, Looks, MappedFiles, Seen, SourceFinder, Tasks, WantedLooks,
    Wish,
};
use report::{Form, TreeText};
use runtime_probe::{Job, Options, Threads};
use snapshot::{Header, Task};
use std::cell::RefCell;

pub(crate) fn run(args: &FindArgs) -> anyhow::Result<Status> {
    // What contradicts itself is refused before anybody is looked at.
    let _: Option<WaitsFormat> = waits_format(args)?;
    if !args.cores.is_empty() {
        project::start_threads(None);
        return cores::run(args);
    }
    runtime_probe::die_without_memory();
    let whereabouts = find_job(args)?;
    start_threads(args, &whereabouts.job);
    let launcher = known_launcher(args, &whereabouts.job);
    whereabouts.say_how();
    let Whereabouts {
        mut job,
        asked,
        transport,
        mut notes,
    } = whereabouts;
    let mut everywhere = (!asked.is_empty())
        .then(|| {
            let launcher = launcher.as_ref().map(|(pid, _)| *pid);
            Everywhere::connect(asked, transport, &args.hosts, &job, launcher)
        })
        .transpose()
        .map_err(Failure::from)?;
    let found = match &mut everywhere {
        Some(everywhere) => everywhere.map(args.map.as_deref(), &job)?,
        None => project::map_of_job(args.map.as_deref(), &job, &Terminal::new())?,
    };
    job.prefer(&found.maps());
    if let Some(everywhere) = &everywhere {
        // What the hosts that were asked have is known now; before, all that is not here was missing.
        (job.missing, job.ended) = (everywhere.missing(&everywhere.found(&job)), RankSet::default());
    }
    let options = options(args);
    if let Some(everywhere) = &mut everywhere {
        everywhere.with_recordings = args.recordings.is_none();
        everywhere.with_last_events = true;
    }
    let everywhere = everywhere.map(RefCell::new);
    let told = |mut header: Header, records: &[Task]| {
        if let Some((pid, name)) = &launcher {
            (header.launcher, header.job) = (Some(*pid), name.clone());
        }
        project::interrupted_calls(records).for_each(|text| output::warn(&text));
        header
    };
    let each = || {
        let (header, records) = match &everywhere {
            Some(everywhere) => everywhere.borrow_mut().take(&found, &job, options),
            None => project::take_tasks(&found, &job, options),
        };
        (told(header, &records), records)
    };
    let enough = || match &everywhere {
        Some(everywhere) if !shows_each(args, &found) => {
            let (header, records) = everywhere.borrow_mut().take_enough(&found, &job, options);
            (told(header, &records), records)
        }
        _ => {
            let (header, records) = each();
            (header, Tasks::Each(records))
        }
    };
    let look = Look {
        each: &each,
        enough: &enough,
    };
    // What was recorded is read before the stacks are and after, so that both take their time together. Where the user wants looks further apart, whoever
    // goes on between them need not go on in the end.
    let is_one_moment = args.twice.is_none() && args.samples.is_none();
    let mapped = MappedFiles::of(&job);
    let first = is_one_moment
        .then(|| first_look(args, &job, &mapped))
        .transpose()?;
    let looks = Looks::taken(wanted_looks(args), &found.map, &job.missing, look);
    let everywhere = everywhere.map(RefCell::into_inner);
    save_table(args, &job, everywhere.as_ref())?;
    // Before other hosts are asked for what they have looked at, so that one moment lies between both looks of all.
    let mut recorded = match first {
        Some(first) => first,
        None => first_look(args, &job, &mapped)?,
    };
    if let Some(mut everywhere) = everywhere {
        recorded = recorded.beside(everywhere.recordings());
        job.missing = everywhere.missing(&looks.records.ranks());
        notes.extend(everywhere.notes());
    }
    let earlier = looks.first.as_ref().map(|(tasks, elapsed)| Earlier {
        tasks,
        elapsed: *elapsed,
    });
    let traced = project::traces_of_job(&job, &mapped, &Terminal::new());
    answer(
        args,
        found,
        Seen {
            header: looks.header,
            records: looks.records,
            samples: looks.samples,
            missing: job.missing,
            ended: job.ended,
            notes,
            waiting: recorded.waiting(),
            traced,
        },
        earlier,
    )
}

/// A hung job leaves no processor idle: threads that are not needed are waited for.
fn start_threads(args: &FindArgs, job: &Job) {
    let is_large = job.tasks.len() > engine::TASKS_FOR_ONE_THREAD;
    if is_large || args.tree.is_some() || args.slice {
        project::start_threads(None);
    }
}

/// How often the user wants them looked at.
fn wanted_looks(args: &FindArgs) -> WantedLooks {
    WantedLooks {
        apart: args.twice,
        samples: args.samples.unwrap_or(1),
        every: args.every,
    }
}

/// How the tasks are looked at.
fn options(args: &FindArgs) -> Options {
    Options {
        threads: match args.threads {
            ThreadChoice::Main => Threads::Main,
            ThreadChoice::All => Threads::All,
        },
        stopping: args.stop.stopping(),
        ..Options::default()
    }
}

/// Writes the process table, if it is wanted.
fn save_table(args: &FindArgs, job: &Job, everywhere: Option<&Everywhere>) -> Result<(), Failure> {
    let Some(path) = &args.save_table else {
        return Ok(());
    };
    let here = job.table(launcher_of(args, job));
    let table = match everywhere {
        Some(everywhere) => everywhere.table(here, job),
        None => here,
    };
    project::write_atomically(path, table.to_text().as_bytes())
}

/// The first look at what the tasks have recorded, where the user says, or where the job has it.
fn first_look(args: &FindArgs, job: &Job, mapped: &MappedFiles) -> Result<FirstLook, Failure> {
    match &args.recordings {
        Some(directory) => FirstLook::of_paths(std::slice::from_ref(directory), &Terminal::new()),
        None => Ok(FirstLook::of_job(job, mapped, &Terminal::new())),
    }
}

/// Whether the user wants something that is of each task.
fn shows_each(args: &FindArgs, found: &JobMap) -> bool {
    let is_wanted = args.save.is_some() || args.tree.is_some() || args.explain.is_some();
    is_wanted || !found.others.is_empty()
}

/// The launcher, if it is what the user has named.
fn launcher_of(args: &FindArgs, job: &Job) -> Option<u32> {
    args.launcher.or(match args.pids[..] {
        [only] if job.tasks.iter().all(|task| task.pid != only) => Some(only),
        _ => None,
    })
}

/// The launcher with its name, if it still runs and is one.
fn known_launcher(args: &FindArgs, job: &Job) -> Option<(u32, String)> {
    let named = launcher_of(args, job)?;
    runtime_probe::launchers()
        .into_iter()
        .find(|&(pid, _)| pid == named)
}

/// What follows once there are stacks, wherever they come from.
pub(crate) fn answer(
    args: &FindArgs,
    found: JobMap,
    mut seen: Seen,
    earlier: Option<Earlier<'_>>,
) -> anyhow::Result<Status> {
    let on_stacks = seen.records.iter().flat_map(|task| &task.frames);
    let lost = found.lost_on(on_stacks.map(|frame| frame.function.as_str()));
    seen.notes.splice(0..0, lost);
    if let Some(path) = &args.save {
        project::write_atomically(path, snapshot::write(&seen.header, &seen.records).as_bytes())?;
    }
    let slice = args.slice.then_some(&args.job_slice);
    let mut forms = forms(args, slice)?;
    if args.by_host && forms.iter().all(|form| !form.is_document()) {
        forms.insert(forms.len().min(1), Form::ByHost);
    }
    if let Some(format) = waits_format(args)? {
        add_waits(format, &seen, &mut forms);
    }
    let shows_answer = forms.iter().any(|form| form.shows_answer());
    let wish = Wish {
        answer: true,
        explain: args.explain.as_deref().filter(|_| shows_answer),
        tree: args.tree.map(|_| tree_options(args, &found.map, &seen.records)),
    };
    let how = LookedAt {
        origin: if args.cores.is_empty() {
            Origin::Live
        } else {
            Origin::Recorded
        },
        main_threads_alone: args.threads == ThreadChoice::Main,
        silent_of_motion: args.twice.is_none(),
    };
    let finder = SourceFinder::new(found.path.as_deref(), &found.reader);
    let finder = finder.with_compiled(found.compiled.clone());
    let mut findings = seen.findings(&found, earlier, &wish, how, &finder)?;
    if let Some(tree) = findings.tree.take() {
        if findings.hosts.is_empty() {
            findings.hosts = seen.on_one_host(&tree);
        }
        findings.tree = Some(crate::tree::shown(tree, &args.shape)?);
    }
    if slice.is_some() && !forms.iter().any(|form| form.shows_slice()) {
        output::warn(crate::tree::NO_SLICE);
    }
    findings::print(&mut findings, &forms, slice, &finder, &found.others)?;
    Ok(output::status_of(&findings))
}

/// In which format waits are shown, if they are: whoever wants JSON for programs wants theirs in JSON.
fn waits_format(args: &FindArgs) -> Result<Option<WaitsFormat>, Failure> {
    let Some(waits) = args.waits else { return Ok(None) };
    match (waits, args.format) {
        (_, AnswerFormat::Text) => Ok(Some(waits)),
        (WaitsFormat::Text | WaitsFormat::Json, AnswerFormat::Json) => Ok(Some(WaitsFormat::Json)),
        (WaitsFormat::Dot, AnswerFormat::Json) | (_, AnswerFormat::Sarif) => Err(Failure::new(
            "--waits is shown in place of the answer, and not in the format that --format names",
        )
        .hint("--waits=json and --waits=dot need no --format")),
    }
}

/// Adds what was recorded of who waits for whom; for programs, in place of the rest.
fn add_waits(format: WaitsFormat, seen: &Seen, forms: &mut Vec<Form>) {
    if seen.waiting.is_none() {
        output::warn("the job is not recorded: hindmost run -- mpirun … starts one that is");
        return;
    }
    match format {
        WaitsFormat::Text if forms.iter().any(|form| form.is_document()) => {
            output::warn("--waits is text, and left out: --waits=json and --waits=dot are for programs");
        }
        WaitsFormat::Text => forms.push(Form::Waits),
        WaitsFormat::Json => *forms = vec![Form::WaitsJson],
        WaitsFormat::Dot => *forms = vec![Form::WaitsDot],
    }
}

/// The forms in which what was found is printed: a tree that is not for people takes the place of the answer.
fn forms(args: &FindArgs, slice: Option<&JobSlice>) -> anyhow::Result<Vec<Form>> {
    let below = |_| TreeText {
        below_answer: true,
        lines: args.shape.lines,
        names: args.shape.names.into(),
        helpers: args.shape.library_frames,
        ..TreeText::default()
    };
    Ok(match (args.tree, args.format) {
        (Some(_), AnswerFormat::Json) => vec![Form::TreeJson],
        (None | Some(TreeFormat::Text), format) => {
            let names = args.shape.names.into();
            findings::forms(format, names, args.tree.map(below), slice)
        }
        (Some(tree), _) => vec![crate::tree::form(tree, &args.shape)?],
    })
}

/// How the prefix tree of what was seen is made.
fn tree_options(args: &FindArgs, map: &Map, records: &[Task]) -> TreeOptions {
    let mut options = args.shape.options();
    let is_ordered = |task: &Task| !map.functions.is_empty() && task.error.is_none();
    if !records.iter().any(is_ordered) {
        // Without a map every pair of branches would be said to have no known order.
        options.refine = engine::Refine::Nothing;
    }
    options
}

/// The tasks of the job, and the hosts that are to be asked for those that are not here.
fn find_job(args: &FindArgs) -> Result<Whereabouts, Failure> {
    if let Some(path) = &args.which.hosts {
        return Plan::listed(path, &args.hosts)?.whereabouts();
    }
    if let Some(id) = &args.which.job {
        return Plan::of_batch(id, &args.hosts)?.whereabouts();
    }
    let job = match (&args.table, args.launcher, &args.pids[..]) {
        (Some(path), ..) => project::job_of_table(path)?,
        (None, Some(launcher), _) => project::job_below(launcher)?,
        (None, None, &[pid]) => project::job_of(pid)?,
        (None, None, pids) => runtime_probe::job_of_pids(pids),
    };
    let launcher = launcher_of(args, &job);
    Whereabouts::of_job(job, launcher, args.table.as_deref(), &args.hosts)
}
