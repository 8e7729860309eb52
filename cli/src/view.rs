//! `hindmost view`: a job's tree to walk in, in the terminal. The viewer itself is the crate `view`; here are the files, the terminal
//! and the keys.

use crate::output::{self, Status};
use crate::view_args::ViewArgs;
use ::view::{BadJob, Job, Key, Processes, ViewState};
use anyhow::Context as _;
use engine::{Map, Model};
use project::{Failure, Recorded, SourceFinder, Wish};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, enable_raw_mode};
use snapshot::Task;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a signal may wait until the terminal is given back.
const PATIENCE: Duration = Duration::from_millis(100);

/// Sources are read before the first screen: no more bytes of them than this.
const MOST_SOURCE: u64 = 64 << 20;

pub(crate) fn run(args: &ViewArgs) -> anyhow::Result<Status> {
    let job = read(args)?;
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(
            Failure::new("view needs a terminal to draw in and to read keys from")
                .hint("hindmost tree prints the tree, and with --format html writes a page for a browser")
                .into(),
        );
    }
    let models = Model::known();
    let is_entry = |function: &str| models.iter().any(|model| model.matches(function));
    let colors = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut state = ViewState::new(job, colors, &is_entry);

    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let at_signal = move || {
        if DEBUGGING.load(Ordering::Relaxed) {
            return;
        }
        stopped.store(true, Ordering::Relaxed);
        // Whoever reads keys from a terminal that is gone may never come back: the library goes on reading at its end.
        std::thread::sleep(PATIENCE * 5);
        release_mouse();
        ratatui::restore();
        std::process::exit(2);
    };
    ctrlc::set_handler(at_signal).context("cannot wait for signals")?;
    // From here on a panic gives the terminal back before it is reported; so does every way out of `show`.
    let mut terminal = ratatui::try_init().context("cannot draw in this terminal")?;
    let report_panic = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        release_mouse();
        report_panic(panic);
    }));
    let shown =
        execute!(std::io::stdout(), EnableMouseCapture).and_then(|()| show(&mut terminal, &mut state, &stop));
    release_mouse();
    let restored = ratatui::try_restore();
    shown.context("cannot draw in this terminal")?;
    restored.context("cannot give the terminal back")?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::new("stopped by a signal").into());
    }
    Ok(Status::Done)
}

/// A terminal that goes on reporting the mouse would type rubbish into the shell.
fn release_mouse() {
    // One that is gone reports nothing.
    let _ = execute!(std::io::stdout(), DisableMouseCapture);
}

/// Gives the terminal back and stops, as Ctrl-Z does to any program; takes it again when the shell lets the viewer go on.
fn suspend(terminal: &mut DefaultTerminal) -> std::io::Result<()> {
    give_back(terminal)?;
    rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
    take_again(terminal)
}

fn give_back(terminal: &mut DefaultTerminal) -> std::io::Result<()> {
    release_mouse();
    terminal.show_cursor()?;
    ratatui::try_restore()
}

fn take_again(terminal: &mut DefaultTerminal) -> std::io::Result<()> {
    enable_raw_mode()?;
    execute!(
        std::io::stdout(),
        EnterAlternateScreen,
        EnableMouseCapture,
        Clear(ClearType::All)
    )?;
    // Forgets what stood on the screen. `Terminal::clear` would ask the terminal where its cursor is, and not every one answers.
    terminal.swap_buffers();
    Ok(())
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

fn key(pressed: KeyEvent) -> Option<Key> {
    if pressed
        .modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
    {
        return None;
    }
    Some(match pressed.code {
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Char(c) => Key::Char(c),
        _ => return None,
    })
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

/// A terminal in raw mode sends no signal for these.
fn is_interrupt(pressed: KeyEvent) -> bool {
    with_control(pressed, "cd\\")
}

fn with_control(pressed: KeyEvent, keys: &str) -> bool {
    let named = |code| matches!(code, KeyCode::Char(c) if keys.contains(c));
    pressed.modifiers.contains(KeyModifiers::CONTROL) && named(pressed.code)
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

/// Signals from the terminal are the debugger's.
static DEBUGGING: AtomicBool = AtomicBool::new(false);

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
