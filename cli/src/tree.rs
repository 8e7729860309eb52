//! `hindmost tree`: the prefix tree of recorded stacks, with the order on it. `find --tree` prints through here, too.

use crate::findings;
use crate::output::{self, Status};
use crate::tree_args::{Shape, TreeArgs, TreeFormat};
use base::RankSet;
use engine::{Findings, Map, Model, Operation, OrderedTree, TaskNames, TaskSet};
use project::{Failure, Moments, SourceFinder, Wish};
use report::{Form, TreeText};

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
    moments.notes().iter().for_each(|note| output::warn(note));
    if args.format == TreeFormat::Partial {
        output::print_bytes(&project::partial_tree(&moments.tree(&map, &options))?)?;
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
    if let Some(mut tree) = found.tree.take() {
        if let (Some(host), Some(table)) = (&args.host, &args.table) {
            tree = after(&tree, &Operation::Tasks(project::tasks_on_host(host, table)?))?;
        }
        found.tree = Some(shown(tree, &args.shape)?);
    }
    if let Some(table) = args.table.as_ref().filter(|_| is_page) {
        found.hosts = project::hosts_in_table(table)?;
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
    findings::print(&mut found, &forms, slice, &finder, &[])?;
    Ok(status(&found))
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
pub(crate) fn shown(mut tree: OrderedTree, shape: &Shape) -> anyhow::Result<OrderedTree> {
    for operation in operations(shape, &tree.names)? {
        tree = after(&tree, &operation)?;
    }
    Ok(tree)
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
    let mut known = project::models(shape.models.as_deref())?;
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
