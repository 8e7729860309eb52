//! The terminal as a screen: taken, given back whatever happens, and its keys.

use ::view::Key;
use anyhow::Context as _;
use project::Failure;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture, KeyCode, KeyEvent, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, enable_raw_mode};
use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a signal may wait until the terminal is given back.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// Signals from the terminal are the debugger's.
pub(crate) static DEBUGGING: AtomicBool = AtomicBool::new(false);

/// Whether there is a terminal to draw in and to read keys from.
pub(crate) fn is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Whether its user wants colours.
pub(crate) fn has_colors() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Takes the terminal, and gives it back when `show` has ended. `show` ends when what it is given says so: a signal has come.
pub(crate) fn in_terminal(
    show: impl FnOnce(&mut DefaultTerminal, &AtomicBool) -> io::Result<()>,
) -> anyhow::Result<()> {
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
    let shown = execute!(std::io::stdout(), EnableMouseCapture).and_then(|()| show(&mut terminal, &stop));
    release_mouse();
    let restored = ratatui::try_restore();
    shown.context("cannot draw in this terminal")?;
    restored.context("cannot give the terminal back")?;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::new("stopped by a signal").into());
    }
    Ok(())
}

/// A terminal that goes on reporting the mouse would type rubbish into the shell.
fn release_mouse() {
    // One that is gone reports nothing.
    let _ = execute!(std::io::stdout(), DisableMouseCapture);
}

/// Gives the terminal back and stops, as Ctrl-Z does to any program; takes it again when the shell lets the viewer go on.
pub(crate) fn suspend(terminal: &mut DefaultTerminal) -> std::io::Result<()> {
    give_back(terminal)?;
    rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
    take_again(terminal)
}

pub(crate) fn give_back(terminal: &mut DefaultTerminal) -> std::io::Result<()> {
    release_mouse();
    terminal.show_cursor()?;
    ratatui::try_restore()
}

pub(crate) fn take_again(terminal: &mut DefaultTerminal) -> std::io::Result<()> {
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

/// The key that was pressed, if it is one that a view knows.
pub(crate) fn key(pressed: KeyEvent) -> Option<Key> {
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

/// A terminal in raw mode sends no signal for these.
pub(crate) fn is_interrupt(pressed: KeyEvent) -> bool {
    with_control(pressed, "cd\\")
}

pub(crate) fn with_control(pressed: KeyEvent, keys: &str) -> bool {
    let named = |code| matches!(code, KeyCode::Char(c) if keys.contains(c));
    pressed.modifiers.contains(KeyModifiers::CONTROL) && named(pressed.code)
}
