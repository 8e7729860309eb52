//! `hindmost timeline --view`: the events of a job in the terminal while they come. The drawing is `view`'s; here are the files, the terminal and the clock.

use crate::followed::{AskedForWaits, FollowedJob};
use crate::output::Status;
use crate::screen::{self, is_interrupt, key, suspend, with_control};
use ::view::{TimelineState, draw_timeline};
use engine::timeline::{Happening, Timeline};
use project::Failure;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use report::WaitsSaid;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often it is drawn anew while nobody presses a key.
const REDRAWN: Duration = Duration::from_millis(100);

/// How often is looked for new events.
const READ: Duration = Duration::from_millis(200);

/// How often is asked who waits for whom: all recordings are read for that, which takes longer than all the drawing.
const ASKED: Duration = Duration::from_secs(5);

/// Once no events come any more it is asked so soon: that may be the hang.
const STILL: Duration = Duration::from_secs(1);

/// How many events were read, for the thread that asks.
pub(crate) type EventCount = Arc<AtomicU64>;

pub(crate) fn run(job: FollowedJob) -> anyhow::Result<Status> {
    needs_terminal()?;
    let (said, count) = ask_beside(job.waits());
    show(Shown {
        state: TimelineState::new(screen::has_colors()),
        said,
        followed: Some(Followed {
            job,
            count,
            read: None,
        }),
    })
}

/// Draws events that are there as a whole.
pub(crate) fn of_file(timeline: &Timeline<'_>) -> anyhow::Result<Status> {
    needs_terminal()?;
    let mut state = TimelineState::new(screen::has_colors());
    state.add(timeline.happenings.iter().cloned().map(Happening::into_owned));
    state.measure(timeline.points.clone());
    state.lose(timeline.lanes.iter().map(|lane| lane.lost).sum());
    let times = timeline.happenings.iter().map(|happening| happening.time);
    state.pass(times.max().unwrap_or(0));
    state.show_whole();
    let (_, said) = channel();
    show(Shown {
        state,
        said,
        followed: None,
    })
}

fn needs_terminal() -> Result<(), Failure> {
    if screen::is_there() {
        return Ok(());
    }
    Err(
        Failure::new("--view needs a terminal to draw in and to read keys from")
            .hint("without it the last events are printed, and --export html writes a page for a browser"),
    )
}

fn show(mut shown: Shown) -> anyhow::Result<Status> {
    screen::in_terminal(|terminal, stop| shown.until_quitted(terminal, stop))?;
    Ok(Status::Done)
}

struct Shown {
    state: TimelineState,
    said: Receiver<WaitsSaid>,
    /// The job whose events come; none any more once no task runs and all is read.
    followed: Option<Followed>,
}

/// A job whose events come.
struct Followed {
    job: FollowedJob,
    count: EventCount,
    /// When events were read last.
    read: Option<Instant>,
}

impl Shown {
    fn until_quitted(&mut self, terminal: &mut DefaultTerminal, stop: &AtomicBool) -> io::Result<()> {
        while !self.state.is_done() && !stop.load(Ordering::Relaxed) {
            self.go_on();
            terminal.draw(|frame| draw_timeline(frame, &mut self.state))?;
            let mut patience = REDRAWN;
            while event::poll(patience)? && !self.state.is_done() {
                match event::read()? {
                    Event::Key(pressed) if pressed.kind != KeyEventKind::Release => match key(pressed) {
                        Some(key) => self.state.press(key),
                        None if is_interrupt(pressed) => return Ok(()),
                        None if with_control(pressed, "z") => suspend(terminal)?,
                        None => {}
                    },
                    _ => {}
                }
                // Whatever else has been typed since comes before the next screen.
                patience = Duration::ZERO;
            }
        }
        Ok(())
    }

    /// Takes what has come since.
    fn go_on(&mut self) {
        while let Ok(said) = self.said.try_recv() {
            self.state.say(said);
        }
        let Some(followed) = &mut self.followed else {
            return;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if followed.read.is_none_or(|read| read.elapsed() >= READ) {
            followed.read = Some(Instant::now());
            let step = followed.job.step(false);
            followed.count.fetch_add(step.read, Ordering::Relaxed);
            self.state.add(step.happenings);
            self.state.measure(followed.job.take_points());
            self.state.lose(followed.job.lost());
            if let Some(note) = step.notes.last() {
                self.state.note(note);
            }
            if step.is_over {
                self.followed = None;
                self.state.show_whole();
                return;
            }
        }
        self.state.pass(i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
    }
}

/// Asks again and again who waits for whom: what is told then, and where the events are counted that were read. That takes two looks each time, and nobody waits for them: the thread ends with this program, or when nobody
/// listens any more.
pub(crate) fn ask_beside(waits: AskedForWaits) -> (Receiver<WaitsSaid>, EventCount) {
    let (told, said) = channel();
    let count = EventCount::default();
    let counted = Arc::clone(&count);
    std::thread::spawn(move || ask_again_and_again(&waits, &told, &counted));
    (said, count)
}

/// Asks who waits for whom, until nobody wants to know; `count` tells how many events were read.
fn ask_again_and_again(waits: &AskedForWaits, told: &Sender<WaitsSaid>, count: &AtomicU64) {
    loop {
        let before = count.load(Ordering::Relaxed);
        let asked = Instant::now();
        if let Some(waiting) = waits.waiting()
            && told.send(WaitsSaid::of(&waiting)).is_err()
        {
            return;
        }
        let mut last = count.load(Ordering::Relaxed);
        while asked.elapsed() < ASKED {
            std::thread::sleep(STILL);
            let now = count.load(Ordering::Relaxed);
            // Nothing has come for a while, but something since it was asked.
            if now == last && now != before {
                break;
            }
            last = now;
        }
    }
}
