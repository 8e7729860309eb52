//! `hindmost view`: a job's tree to walk in, in the terminal. The viewer itself is the crate `view`; here are the files, the terminal
//! and the keys.

use crate::output::{self, Status};
use crate::screen::{
    self, DEBUGGING, PATIENCE, give_back, is_interrupt, key, suspend, take_again, with_control,
};
use crate::view_args::ViewArgs;
use ::view::{BadJob, Job, Key, Processes, ViewState};
use engine::{Map, Model};
use project::{Failure, Recorded, SourceFinder, Wish};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use snapshot::Task;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Sources are read before the first screen: no more bytes of them than this.
const MOST_SOURCE: u64 = 64 << 20;

pub(crate) fn run(args: &ViewArgs) -> anyhow::Result<Status> {
    let job = read(args)?;
    if !screen::is_there() {
        return Err(
            Failure::new("view needs a terminal to draw in and to read keys from")
                .hint("hindmost tree prints the tree, and with --format html writes a page for a browser")
                .into(),
        );
    }
    let models = Model::known();
    let is_entry = |function: &str| models.iter().any(|model| model.matches(function));
    let mut state = ViewState::new(job, screen::has_colors(), &is_entry);

    screen::in_terminal(|terminal, stop| show(terminal, &mut state, stop))?;
    Ok(Status::Done)
}

/// Draws, and does what keys say, until the user quits or a signal comes.
fn show(terminal: &mut DefaultTerminal, state: &mut ViewState, stop: &AtomicBool) -> std::io::Result<()> {
    while !state.is_done() && !stop.load(Ordering::Relaxed) {
        terminal.draw(|frame| ::view::draw(frame, state))?;
        // Whatever else has been typed since comes before the next screen: holding a key must not lag behind.
        let mut patience = PATIENCE;
        while event::poll(patience)? && !state.is_done() {
            match event::read()? {
                Event::Key(pressed) if pressed.kind != KeyEventKind::Release => match key(pressed) {
                    Some(key) => {
                        state.press(key);
                        if let Some(command) = state.take_command() {
                            start(terminal, &command)?;
                            break;
                        }
                    }
                    None if is_interrupt(pressed) => return Ok(()),
                    None if with_control(pressed, "z") => suspend(terminal)?,
                    None => {}
                },
                Event::Mouse(moved) => mouse(state, moved),
                _ => {}
            }
            patience = Duration::ZERO;
        }
    }
    Ok(())
}

/// A click selects a line, the wheel goes on and back.
fn mouse(state: &mut ViewState, moved: MouseEvent) {
    match moved.kind {
        MouseEventKind::Down(MouseButton::Left) => state.click(moved.column, moved.row),
        MouseEventKind::ScrollDown => state.press(Key::Down),
        MouseEventKind::ScrollUp => state.press(Key::Up),
        _ => {}
    }
}

/// What there is to be seen, with its source.
fn read(args: &ViewArgs) -> anyhow::Result<Job> {
    let map = match &args.map {
        Some(path) => Some(project::read_map(path)?),
        None => None,
    };
    // A snapshot may be larger than memory: only what is no snapshot is read as a whole.
    let start = match project::beginning_of(&args.file) {
        Some(start) => String::from_utf8_lossy(&start).into_owned(),
        None if args.file.is_dir() => String::new(),
        None => project::read_text(&args.file)?,
    };
    let start = start.trim_start();
    let text = || project::read_text(&args.file);
    let bad = |error: BadJob| Failure::new(format!("{}: {error}", args.file.display()));
    let mut job = if start.starts_with('<') {
        Job::from_page(&text()?).map_err(bad)?
    } else if is_document(start, "hindmost-answer") {
        return Err(
            Failure::new(format!("{}: an answer, which has no tree", args.file.display()))
                .hint("give the .tree.json beside it, or the snapshot with --map")
                .into(),
        );
    } else if is_document(start, "hindmost-tree") {
        let answer = answer_beside(&args.file).and_then(|path| project::read_text(&path).ok());
        Job::from_json(&text()?, answer.as_deref()).map_err(bad)?
    } else {
        recorded_job(args, map.as_ref())?
    };
    add_sources(&mut job, args, map.as_ref());
    Ok(job)
}

/// Whether JSON is one of hindmost's documents: it says so before anything else.
fn is_document(text: &str, schema: &str) -> bool {
    let head: String = text.chars().take(200).filter(|c| !c.is_whitespace()).collect();
    head.starts_with(&format!("{{\"schema\":\"{schema}\""))
}

/// `watch` writes `NAME.tree.json` and `NAME.json`.
fn answer_beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(".tree.json")?;
    Some(path.with_file_name(format!("{name}.json")))
}

/// The tree of recorded stacks.
fn recorded_job(args: &ViewArgs, map: Option<&Map>) -> anyhow::Result<Job> {
    let none = Map::default();
    let recorded = project::stacks_of(&args.file, map.unwrap_or(&none))?;
    recorded.notes().iter().for_each(|note| output::warn(note));
    let mut options = args.shape.options();
    let mut warnings = Vec::new();
    if map.is_none() {
        options.refine = engine::Refine::Nothing;
        warnings.push("without --map nothing is known about the order".to_owned());
    }
    let processes = processes(&args.file, &recorded);
    let map = map.unwrap_or(&none);
    let mut found = recorded.findings(
        map,
        &Wish {
            answer: args.map.is_some(),
            explain: None,
            tree: Some(options),
        },
    )?;
    crate::findings::add_recordings(&mut found, args.recordings.as_ref())?;
    if let Some(tree) = found.tree.take() {
        found.tree = Some(crate::tree::shown(tree, &args.shape)?);
    }
    found.warnings = warnings;
    let mut job = Job::of_findings(found).ok_or_else(|| Failure::new("there is no tree"))?;
    job.add_processes(processes);
    Ok(job)
}

/// The processes that a snapshot is of.
fn processes(path: &Path, recorded: &Recorded<'_>) -> Processes {
    let header = project::header_of(path).unwrap_or_default();
    let name = |task: &Task| {
        task.rank
            .map_or_else(|| task.task.clone(), |rank| rank.to_string())
    };
    let pids = recorded.stacks().filter_map(|task| Some((name(task), task.pid?)));
    let program = recorded
        .stacks()
        .map(|task| task.program.as_str())
        .find(|program| !program.is_empty());
    Processes {
        host: header.host,
        launcher: header.launcher.map(|pid| (pid, header.job)),
        program: program.unwrap_or_default().to_owned(),
        pids: pids.collect(),
    }
}

/// Starts a debugger in the terminal, and takes it again when the debugger has ended and the user has seen what it said.
fn start(terminal: &mut DefaultTerminal, command: &[String]) -> std::io::Result<()> {
    let [program, arguments @ ..] = command else {
        return Ok(());
    };
    give_back(terminal)?;
    let words = command.iter().map(|word| base::shell_word(word).into_owned());
    println!("{}", report::clean(&Vec::from_iter(words).join(" ")));
    DEBUGGING.store(true, Ordering::Relaxed);
    let ended = Command::new(program).args(arguments).status();
    DEBUGGING.store(false, Ordering::Relaxed);
    if let Err(error) = ended {
        println!("cannot start {}: {error}", report::clean(program));
    }
    println!("Enter goes back to the tree");
    std::io::stdin().read_line(&mut String::new())?;
    take_again(terminal)
}

/// Reads the files that the tree names, as far as they are here and still what the map is of.
fn add_sources(job: &mut Job, args: &ViewArgs, map: Option<&Map>) {
    let finder = SourceFinder::new(
        args.map.as_deref().or(Some(&args.file)),
        &project::Reader::of_owners([args.file.as_path()]),
    );
    let mut room = MOST_SOURCE;
    let files: Vec<String> = job.files().into_iter().map(str::to_owned).collect();
    for file in files {
        // The names come from a target: a pipe or a device would never end.
        let Some(bytes) = finder.read_regular(&file, room) else {
            continue;
        };
        if let Some(map) = map {
            let mapped = map.files.iter().find(|mapped| mapped.path == file);
            if mapped.is_none_or(|mapped| mapped.hash != engine::content_hash(&bytes)) {
                output::warn(&format!(
                    "{file} is not the file that was mapped: it is not shown"
                ));
                continue;
            }
        }
        room -= bytes.len() as u64;
        job.add_source(&file, &String::from_utf8_lossy(&bytes));
    }
}
