//! When things happened in a thread, and which message it was.

use super::{Packable, Step, Stream};
use calltrace::stamps::{AllStamps, Stamps};
use calltrace::{Event, Stamp, Tie};
use std::iter::Peekable;

/// What stands in a trace and beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// An event.
    Step(Step),
    /// It was then.
    Moment(Moment),
}

/// A moment of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Nanoseconds since the first of the job's processes began, by the clock of the thread's host: negative where two hosts do not agree.
    pub time: i64,
    /// What ties it to other tasks: of the call of MPI that the thread is in, or has just left.
    pub tie: Tie,
}

impl Packable {
    pub(super) fn stamps(&self) -> Option<Stamps<'_>> {
        Stamps::of(&self.plain, &self.packed).ok()
    }
}

/// The stamps of a stream one behind the other.
struct Ahead<'a> {
    stamps: Option<(&'a Stamps<'a>, Peekable<AllStamps<'a>>)>,
    begun: u64,
}

impl<'a> Ahead<'a> {
    fn new(stamps: Option<&'a Stamps<'a>>, begun: u64) -> Self {
        Self {
            stamps: stamps.map(|stamps| (stamps, stamps.all().peekable())),
            begun,
        }
    }

    /// The next one, if it stands behind so many events or fewer.
    fn next(&mut self, behind: u64) -> Option<Moment> {
        let (stamps, all) = self.stamps.as_mut()?;
        // What comes behind damage is not known; the events are read all the same.
        let is_due = |stamp: &Result<Stamp, _>| stamp.as_ref().is_ok_and(|stamp| stamp.behind <= behind);
        let Stamp { time, tie, .. } = all.next_if(is_due)?.ok()?;
        let time = stamps.since_epoch(time).wrapping_sub(self.begun) as i64;
        Some(Moment { time, tie })
    }
}

impl Stream {
    /// Calls `each` with its events but for those that are left out, and with the moments that are known, each behind the event that it stands behind. Of a function that is left out the time is
    /// told, and not what it was; what lies before or behind the piece that is looked at has none.
    ///
    /// # Errors
    /// The trace is damaged; `each` has got what comes before.
    pub fn each_happening(&self, mut each: impl FnMut(Happening)) -> Result<(), calltrace::Damage> {
        // Who made the stream has read its heads.
        let Ok(trace) = self.trace.trace() else {
            return Ok(());
        };
        let stamps = self.stamps.stamps();
        let mut ahead = Ahead::new(stamps.as_ref(), self.begun);
        let mut cutter = self.cutter();
        let mut events = trace.events();
        let mut happens = |event: Event, behind: u64| {
            // What stands behind the end of a call is of that call.
            let (was_kept, was_inside) = (cutter.is_kept(), cutter.is_inside());
            if let Some(step) = cutter.step(event) {
                each(Happening::Step(step));
            }
            let (is_kept, is_inside) = match event {
                Event::Enter(_) => (cutter.is_kept(), cutter.is_inside()),
                Event::Exit => (was_kept, was_inside),
            };
            while let Some(mut moment) = ahead.next(behind) {
                if !is_kept {
                    moment.tie = Tie::None;
                }
                if is_inside {
                    each(Happening::Moment(moment));
                }
            }
        };
        while let Some(event) = events.next() {
            happens(event?, events.next_event());
        }
        let queued = trace.queued(&events);
        queued.for_each(|event| happens(event, events.next_event()));
        Ok(())
    }

    /// When it was behind which of its events, as far as that is known: of `each_happening` the moments alone, each with the number of events that are not left out before it.
    #[must_use]
    pub fn times(&self) -> Vec<(u64, i64)> {
        let mut times = Vec::new();
        let mut events = 0;
        // What is read before damage is known.
        let _ = self.each_happening(|happening| match happening {
            Happening::Step(_) => events += 1,
            Happening::Moment(moment) => times.push((events, moment.time)),
        });
        times
    }
}
