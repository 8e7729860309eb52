//! `hindmost timeline --serve`: the events of a job as a page, while they come, for a browser of this machine.
//!
//! The server listens on the loopback address alone, and answers only who knows the token in the page's address: other users of the machine can connect, too. A name that leads a browser
//! here from elsewhere (DNS rebinding) is refused by the request's `Host`. Nothing can be changed through it.

use crate::followed::FollowedJob;
use crate::output::{self, Status};
use crate::timeline_view::ask_beside;
use engine::timeline::{Happening, Timeline, WindowPoint};
use project::Failure;
use report::{PageKind, PagePart, WaitsSaid};
use rustix::rand::{GetRandomFlags, getrandom};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often is looked for new events.
const READ: Duration = Duration::from_millis(200);

/// How long a browser may take for a request, or to take an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of a request, at most.
const REQUEST: usize = 16 << 10;

/// Connections at a time.
const CONNECTIONS: usize = 16;

/// Events that are kept, and those of one answer.
const KEPT: usize = 400_000;
const AT_ONCE: usize = 20_000;

pub(crate) fn run(mut job: FollowedJob, port: u16) -> anyhow::Result<Status> {
    let Served { log, ends } = Served::start(port)?;
    let (said, count) = ask_beside(job.waits());
    let mut is_over = false;
    while !ends.load(Ordering::Relaxed) {
        if !is_over {
            let step = job.step(false);
            count.fetch_add(step.read, Ordering::Relaxed);
            step.notes.iter().for_each(|note| output::warn(note));
            is_over = step.is_over;
            let points = job.take_points();
            log.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .add(step.happenings, points, is_over);
        }
        while let Ok(said) = said.try_recv() {
            log.lock().unwrap_or_else(PoisonError::into_inner).said = Some(said);
        }
        std::thread::sleep(READ);
    }
    Ok(Status::Done)
}

/// Serves events that are there as a whole.
pub(crate) fn of_file(timeline: &Timeline<'_>, port: u16) -> anyhow::Result<Status> {
    let Served { log, ends } = Served::start(port)?;
    let happenings = timeline.happenings.iter().cloned().map(Happening::into_owned);
    log.lock().unwrap_or_else(PoisonError::into_inner).add(
        happenings.collect(),
        timeline.points.clone(),
        true,
    );
    while !ends.load(Ordering::Relaxed) {
        std::thread::sleep(READ);
    }
    Ok(Status::Done)
}

/// A server that answers what its log has, until this program ends.
struct Served {
    log: Arc<Mutex<Log>>,
    /// This program was asked to end.
    ends: Arc<AtomicBool>,
}

impl Served {
    /// Begins to listen, and prints the page's address.
    fn start(port: u16) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .map_err(|error| Failure::new(format!("cannot listen on port {port} of 127.0.0.1: {error}")))?;
        let own = Address {
            port: listener.local_addr()?.port(),
            token: token()?,
        };
        output::print_plain(&format!("{}\n", own.url()))?;
        let ends = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&ends))?;
        }
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        std::thread::spawn(move || serve(&listener, &own, &shared));
        Ok(Self { log, ends })
    }
}

/// 128 bits that nobody can guess.
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    let mut filled = 0;
    while filled < bytes.len() {
        filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
    }
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Where the page is.
struct Address {
    port: u16,
    token: String,
}

impl Address {
    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Whether a request means this server.
    fn is_host(&self, host: &str) -> bool {
        let port = self.port;
        [format!("127.0.0.1:{port}"), format!("localhost:{port}")].contains(&host.to_lowercase())
    }

    /// What stands behind the token in a path, if it is the right one. All of it is compared, so that the time that it takes tells nothing.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        let given = path.get(1..1 + self.token.len())?;
        let pairs = given.bytes().zip(self.token.bytes());
        let differ = pairs.fold(0, |differ, (given, own)| differ | (given ^ own));
        let rest = path.get(1 + self.token.len()..)?;
        rest.strip_prefix('/').filter(|_| differ == 0)
    }
}

/// What has come so far.
#[derive(Default)]
struct Log {
    happenings: Vec<Happening<'static>>,
    /// How many came before those that are kept.
    forgotten: u64,
    points: Vec<WindowPoint>,
    said: Option<WaitsSaid>,
    begun: Option<i64>,
    latest: i64,
    is_over: bool,
}

impl Log {
    fn add(&mut self, happenings: Vec<Happening<'static>>, points: Vec<WindowPoint>, is_over: bool) {
        self.is_over = is_over;
        if let Some(first) = happenings.first() {
            self.begun.get_or_insert(first.time);
        }
        let times = happenings.iter().map(|happening| happening.time);
        self.latest = times.fold(self.latest, i64::max);
        self.happenings.extend(happenings);
        let over = self.happenings.len().saturating_sub(KEPT);
        if over > 0 {
            self.happenings.drain(..over);
            self.forgotten += over as u64;
        }
        self.points.extend(points);
        self.points.drain(..self.points.len().saturating_sub(KEPT));
    }

    /// What follows the event of this number, written by `write`.
    fn part(&self, after: u64, write: impl FnOnce(&PagePart<'_>) -> String) -> String {
        let from = usize::try_from(after.saturating_sub(self.forgotten)).unwrap_or(usize::MAX);
        let new = self.happenings.get(from..).unwrap_or_default();
        let new = &new[..new.len().min(AT_ONCE)];
        let next = after.max(self.forgotten) + new.len() as u64;
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let clock = i64::try_from(clock.as_nanos()).unwrap_or(i64::MAX);
        // Points have no numbers: those of the time that these events fill go with them.
        let since = new.first().map_or(i64::MAX, |first| first.time);
        let until = new.last().map_or(i64::MAX, |last| last.time);
        let first = self.points.partition_point(|point| point.time < since);
        let behind = self.points.partition_point(|point| point.time <= until);
        write(&PagePart {
            happenings: new,
            points: self.points.get(first..behind).unwrap_or_default(),
            said: self.said.as_ref(),
            begun: self.begun.unwrap_or(clock),
            now: if self.is_over { self.latest } else { clock },
            next,
            is_over: self.is_over && from + new.len() >= self.happenings.len(),
        })
    }
}

/// Answers until the program ends.
fn serve(listener: &TcpListener, own: &Address, log: &Arc<Mutex<Log>>) {
    let open = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
                open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let open = &open;
            scope.spawn(move || {
                // Who goes away before the answer does not want it.
                let _ = answer(stream, own, log);
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
}

fn answer(mut stream: TcpStream, own: &Address, log: &Mutex<Log>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(&mut stream)?;
    let (status, kind, body) = respond(&head, own, log);
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(text.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// The head of a request, as much as is read of it.
fn head(stream: &mut TcpStream) -> io::Result<String> {
    let begun = Instant::now();
    let mut bytes = Vec::new();
    let mut part = [0; 1024];
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut part)?;
        if read == 0 || bytes.len() + read > REQUEST || begun.elapsed() > PATIENCE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        bytes.extend_from_slice(&part[..read]);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The status, the kind of the body, and the body.
fn respond(head: &str, own: &Address, log: &Mutex<Log>) -> (&'static str, &'static str, String) {
    let refused = |status| (status, "text/plain", format!("{status}\n"));
    let mut lines = head.lines();
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target)) = (first.next(), first.next()) else {
        return refused("400 Bad Request");
    };
    let hosts = lines.filter_map(|line| line.split_once(':'));
    let mut hosts = hosts.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    if !hosts.next().is_some_and(|(_, host)| own.is_host(host.trim())) {
        return refused("403 Forbidden");
    }
    let Some(path) = own.below(target) else {
        return refused("404 Not Found");
    };
    if method != "GET" {
        return refused("405 Method Not Allowed");
    }
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if path.is_empty() {
        let page = |part: &PagePart<'_>| report::timeline_html(part, PageKind::Served);
        return ("200 OK", "text/html", log.part(0, page));
    }
    let after = path
        .strip_prefix("events?after=")
        .and_then(|after| after.parse().ok());
    match after {
        Some(after) => (
            "200 OK",
            "application/json",
            log.part(after, report::timeline_part),
        ),
        None => refused("404 Not Found"),
    }
}
