//! `hindmost tree`: the prefix tree of recorded stacks, with the order on it. `find --tree` prints through here, too.

use crate::findings;
use crate::output::{self, Status};
use crate::partial;
use crate::tree_args::{Shape, TreeArgs, TreeFormat};
use base::RankSet;
use engine::{
    Analysis, Findings, JobTree, Map, Model, Operation, OrderedTree, TaskNames, TaskSet, TreeOptions,
};
use project::{Failure, Recorded, SourceFinder, Wish};
use report::{Form, TreeText};
use runtime_probe::ProcessTable;
use snapshot::Task;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The warning when a slice is asked for where it cannot be shown.
pub(crate) const NO_SLICE: &str = "--slice is for the tree as text or html: this format has no place for it";

pub(crate) fn run(args: &TreeArgs) -> anyhow::Result<Status> {
    let map = match &args.map {
        Some(path) => project::read_map(path)?,
        None => Map::default(),
    };
    let mut warnings = Vec::new();
    if args.map.is_none() {
        warnings.push("without --map nothing is known about the order".to_owned());
    }
    let mut options = args.shape.options();
    if args.map.is_none() {
        options.refine = engine::Refine::Nothing;
    }
    let moments = Moments::read(&args.stacks, &map)?;
    if args.format == TreeFormat::Partial {
        output::print_bytes(&partial::bytes(&moments.tree(&map, &options))?)?;
        return Ok(Status::Done);
    }
    let form = form(args.format, &args.shape)?;
    let slice = args.slice.then_some(&args.job_slice);
    let is_page = args.format == TreeFormat::Html;
    let is_sliced = slice.is_some() && args.format == TreeFormat::Text;
    let wish = Wish {
        answer: is_sliced || is_page && args.map.is_some(),
        explain: None,
        tree: Some(options),
    };
    let mut found = moments.findings(&map, &wish)?;
    findings::add_recordings(&mut found, args.recordings.as_ref())?;
    if is_sliced && found.answer.is_none() {
        let text = "--slice needs stacks: partial trees do not hold all that is known of tasks";
        return Err(Failure::new(text).into());
    }
    if let Some(tree) = &mut found.tree {
        if let (Some(host), Some(table)) = (&args.host, &args.table) {
            *tree = after(tree, &Operation::Tasks(tasks_on(host, table)?))?;
        }
        *tree = shown(tree, &args.shape)?;
    }
    if let Some(table) = args.table.as_ref().filter(|_| is_page) {
        found.hosts = hosts(table)?;
    }
    if slice.is_some() && !is_sliced && !is_page {
        warnings.push(NO_SLICE.to_owned());
    }
    found.warnings = warnings;
    if let ([only], true) = (&args.stacks[..], is_page) {
        found.seen = project::header_of(only).unwrap_or_default();
    }
    let mut forms = vec![form];
    if let Some(asked) = slice.filter(|_| is_sliced) {
        forms.push(asked.shape.slice_format.into());
    }
    let finder = SourceFinder::new(args.map.as_deref(), &project::Reader::default());
    findings::print(&mut found, &forms, slice, &finder)?;
    Ok(status(&found))
}

/// What the files hold.
enum Moments<'p> {
    /// The stacks of one moment.
    One(Recorded<'p>),
    /// The tasks of several, one after the other.
    Several(Vec<Vec<Task>>),
    /// The tree that partial ones make.
    Merged(Box<JobTree>),
}

impl<'p> Moments<'p> {
    fn read(paths: &'p [PathBuf], map: &Map) -> anyhow::Result<Self> {
        let are_partial: Vec<bool> = paths.iter().map(|path| partial::is_one(path)).collect();
        if are_partial.iter().all(|&is| is) {
            return Ok(Self::Merged(Box::new(partial::merged(paths)?)));
        }
        if let Some(at) = are_partial.iter().position(|&is| is) {
            let text = format!("{}: a partial tree, among files with stacks", paths[at].display());
            return Err(Failure::new(text)
                .hint("make partial trees of the others, too: --format partial")
                .into());
        }
        if let [only] = paths {
            let recorded = project::stacks_of(only, map)?;
            recorded.notes().iter().for_each(|note| output::warn(note));
            return Ok(Self::One(recorded));
        }
        let samples = paths
            .iter()
            .map(|path| project::stacks_of(path, map)?.one_by_one());
        Ok(Self::Several(samples.collect::<Result<_, _>>()?))
    }

    fn findings<'a>(&'a self, map: &'a Map, wish: &Wish<'_>) -> Result<Findings<'a>, Failure> {
        match self {
            Self::One(recorded) => recorded.findings(map, wish),
            Self::Several(samples) => project::findings_of(of_samples(map, samples), wish),
            // Of a tree the stacks of single tasks are not known.
            Self::Merged(tree) => Ok(Findings {
                tree: wish.tree.as_ref().map(|options| tree.ordered(map, options)),
                ..Findings::of_map(map)
            }),
        }
    }

    fn tree(&self, map: &Map, options: &TreeOptions) -> JobTree {
        match self {
            Self::One(recorded) => recorded.analysis(map).tree(options),
            Self::Several(samples) => of_samples(map, samples).tree(options),
            Self::Merged(tree) => JobTree::clone(tree),
        }
    }
}

/// Of several samples the last one is the job as it is now.
fn of_samples<'a>(map: &'a Map, samples: &'a [Vec<Task>]) -> Analysis<'a> {
    let (now, before) = match samples {
        [before @ .., now] => (&now[..], before),
        [] => (&[][..], &[][..]),
    };
    Analysis::new(map, now, RankSet::default()).after(before)
}

/// The status that a tree stands for.
fn status(found: &Findings<'_>) -> Status {
    match found.tree.as_ref().and_then(|tree| tree.undecided.as_ref()) {
        None => Status::Done,
        Some(_) => Status::Undecided,
    }
}

/// The form that a user names.
pub(crate) fn form(format: TreeFormat, shape: &Shape) -> Result<Form, Failure> {
    Ok(match format {
        TreeFormat::Text => Form::Tree(TreeText {
            lines: shape.lines,
            names: shape.names.into(),
            helpers: shape.library_frames,
            ..TreeText::default()
        }),
        TreeFormat::Json => Form::TreeJson,
        TreeFormat::Dot => Form::Dot(shape.colors.into()),
        TreeFormat::Folded => Form::Folded,
        TreeFormat::Html => Form::Page,
        TreeFormat::Partial => {
            return Err(Failure::new(
                "a partial tree is made of recorded stacks: find --save, then tree --format partial",
            ));
        }
    })
}

/// What the user wants to see of a tree.
pub(crate) fn shown(tree: &OrderedTree, shape: &Shape) -> anyhow::Result<OrderedTree> {
    let mut shown = tree.clone();
    for operation in operations(shape, &tree.names)? {
        shown = after(&shown, &operation)?;
    }
    Ok(shown)
}

fn after(tree: &OrderedTree, operation: &Operation) -> anyhow::Result<OrderedTree> {
    tree.after(operation).map_err(|nothing| {
        Failure::new(format!("the tree has nothing of {}", nothing.wanted))
            .hint("without the option that asks for it the whole tree is printed")
            .into()
    })
}

/// What the user wants done, in an order in which each still finds what it needs.
fn operations(shape: &Shape, names: &TaskNames) -> anyhow::Result<Vec<Operation>> {
    let mut operations = Vec::new();
    if !shape.cut.is_empty() {
        operations.push(Operation::Cut(models(shape)?));
    }
    operations.extend(shape.hide.iter().cloned().map(Operation::Hide));
    if let Some(only) = &shape.only {
        operations.push(Operation::Tasks(tasks(only, names)?));
    }
    operations.extend(shape.class.clone().map(Operation::Class));
    operations.extend(shape.search.clone().map(Operation::Text));
    operations.extend(shape.walk.map(|walk| Operation::Walk(walk.into())));
    operations.extend(shape.collapse.map(|levels| Operation::Collapse(levels as usize)));
    operations.extend(shape.join.then_some(Operation::Join));
    Ok(operations)
}

fn models(shape: &Shape) -> anyhow::Result<Vec<Model>> {
    let mut known = Model::known();
    if let Some(path) = &shape.models {
        let read = Model::parse(&project::read_text(path)?)
            .map_err(|error| Failure::new(format!("{}:{}: {}", path.display(), error.line, error.reason)))?;
        // The user's own model of a name is meant, not ours.
        known.retain(|model| read.iter().all(|other| other.name != model.name));
        known.extend(read);
    }
    if shape.cut.iter().any(|wanted| wanted == "all") {
        known.retain(|model| model.enabled);
        return Ok(known);
    }
    for wanted in &shape.cut {
        if !known.iter().any(|model| model.name.eq_ignore_ascii_case(wanted)) {
            let names: Vec<&str> = known.iter().map(|model| model.name.as_str()).collect();
            return Err(Failure::new(format!("--cut: no model '{wanted}'"))
                .hint(format!("there are {}", names.join(", ")))
                .into());
        }
    }
    let is_wanted = |model: &Model| {
        shape
            .cut
            .iter()
            .any(|wanted| model.name.eq_ignore_ascii_case(wanted))
    };
    known.retain(is_wanted);
    Ok(known)
}

/// The tasks that a user lists: ranks and ranges of them, or names.
fn tasks(list: &str, names: &TaskNames) -> anyhow::Result<TaskSet> {
    if names.are_ranks() {
        let ranks: RankSet = list
            .parse()
            .map_err(|error| Failure::new(format!("--only: {error}")))?;
        return Ok(ranks.iter().collect());
    }
    let numbers = list.split(',').map(|name| {
        names
            .find(name.trim())
            .ok_or_else(|| Failure::new(format!("--only: no task '{}'", name.trim())).into())
    });
    numbers.collect()
}

/// The ranks on a host.
fn tasks_on(host: &str, table: &Path) -> anyhow::Result<TaskSet> {
    let hosts = hosts(table)?;
    match hosts.iter().find(|(name, _)| name == host) {
        Some((_, tasks)) => Ok(tasks.clone()),
        None => {
            let names: Vec<&str> = hosts.iter().map(|(name, _)| name.as_str()).collect();
            Err(Failure::new(format!("{}: no task on '{host}'", table.display()))
                .hint(format!("its hosts are: {}", names.join(", ")))
                .into())
        }
    }
}

/// The ranks on each host that a process table names.
fn hosts(table: &Path) -> anyhow::Result<Vec<(String, TaskSet)>> {
    let entries = ProcessTable::parse(&project::read_text(table)?)
        .map_err(|error| Failure::new(format!("{}: {error}", table.display())))?
        .entries;
    let mut by_host: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for entry in entries {
        by_host.entry(entry.host).or_default().push(entry.rank);
    }
    Ok(by_host
        .into_iter()
        .map(|(host, ranks)| (host, ranks.into_iter().collect()))
        .collect())
}
