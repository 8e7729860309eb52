//! What `/proc` says about a process: its identity, state, environment and memory map.

use crate::sys;
use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Duration;

/// Fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// `R`, `S`, `D`, `T`, `t`, `Z`, …
    pub(crate) state: char,
    /// Parent process.
    pub(crate) parent: u32,
    /// Number of threads.
    pub(crate) threads: u32,
    /// Clock ticks that all its threads have spent, in the program and in the kernel for it.
    pub(crate) spent: u64,
    /// Which process and which program this is.
    pub(crate) identity: Identity,
}

/// Tells a process from a later one of the same pid, and a program from one that replaced it by exec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Clock ticks after boot at which the process started.
    pub(crate) started: u64,
    /// Where its code and its stack begin; exec moves both (0 when it is not ours to know).
    code_and_stack: (u64, u64),
}

/// Reads `/proc/PID/stat`.
pub(crate) fn stat(pid: u32) -> io::Result<Stat> {
    let text = regular_files::read_of_kernel(&format!("/proc/{pid}/stat"))?;
    let text = String::from_utf8_lossy(&text);
    parse_stat(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "unexpected form of stat"))
}

/// A thread as `/proc/PID/task` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ThreadRef {
    /// Its id; that of the main thread is the process's.
    pub(crate) tid: u32,
    /// Clock ticks after boot at which it started.
    pub(crate) started: u64,
    /// Its command name.
    pub(crate) name: String,
    /// What it did when it was listed.
    pub(crate) stat: Stat,
}

/// The threads of a process that live, in the order in which they were created; of those that one clock tick has
/// created, in the order of their ids, which Linux gives in sequence.
pub(crate) fn threads(pid: u32) -> io::Result<Vec<ThreadRef>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(format!("/proc/{pid}/task"))? {
        let Some(tid) = entry?
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        // One that has ended since is no thread any more.
        if let Ok(stat) = thread_stat(pid, tid).and_then(living) {
            let name =
                regular_files::read_of_kernel(&format!("/proc/{pid}/task/{tid}/comm")).unwrap_or_default();
            all.push(ThreadRef {
                tid,
                started: stat.identity.started,
                name: String::from_utf8_lossy(&name).trim_end().to_owned(),
                stat,
            });
        }
    }
    all.sort_by_key(|thread| (thread.started, thread.tid));
    Ok(all)
}

impl Stat {
    fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }
}

fn living(stat: Stat) -> io::Result<Stat> {
    if stat.has_ended() {
        Err(io::ErrorKind::NotFound.into())
    } else {
        Ok(stat)
    }
}

/// Reads `/proc/PID/task/TID/stat`, which is there only while that thread is one of that process.
pub(crate) fn thread_stat(pid: u32, tid: u32) -> io::Result<Stat> {
    let text = regular_files::read_of_kernel(&format!("/proc/{pid}/task/{tid}/stat"))?;
    let text = String::from_utf8_lossy(&text);
    parse_stat(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "unexpected form of stat"))
}

fn parse_stat(text: &str) -> Option<Stat> {
    // The command stands in parentheses and may itself hold spaces and parentheses.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // proc(5) counts from 1, and the first two fields are gone.
    let field = |number: usize| fields.get(number - 3).copied();
    let number = |at| field(at).and_then(|text| text.parse::<u64>().ok());
    Some(Stat {
        state: field(3)?.chars().next()?,
        parent: u32::try_from(number(4)?).ok()?,
        threads: u32::try_from(number(20)?).ok()?,
        spent: number(14)?.saturating_add(number(15)?),
        identity: Identity {
            started: number(22)?,
            code_and_stack: (number(26)?, number(28)?),
        },
    })
}

/// What the kernel prints in one of its files, as text.
pub(crate) fn text(path: &str) -> io::Result<String> {
    let bytes = regular_files::read_of_kernel(path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A line of `/proc/PID/status`, without its name and surrounding space.
pub(crate) fn status_field(pid: u32, name: &str) -> Option<String> {
    let text = regular_files::read_of_kernel(&format!("/proc/{pid}/status")).ok()?;
    field(&String::from_utf8_lossy(&text), name).map(str::to_owned)
}

/// The same in text that has the form of that file.
pub(crate) fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim())
}

/// Whose a process is: its real and its effective user.
pub(crate) fn owner(pid: u32) -> Option<(u32, u32)> {
    let ids = status_field(pid, "Uid")?;
    let mut ids = ids.split_whitespace().map(|id| id.parse().ok());
    Some((ids.next()??, ids.next()??))
}

/// The command name (at most 15 bytes).
pub(crate) fn command(pid: u32) -> String {
    let text = regular_files::read_of_kernel(&format!("/proc/{pid}/comm")).unwrap_or_default();
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// Which start of which program a process is at.
///
/// Addresses do not tell: where they are not random (`setarch -R`, under debuggers), two programs that are built alike have theirs at the same places.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum MarkOfExec {
    /// The random bytes that the kernel gave the program when it started it (`AT_RANDOM`).
    Started([u8; 16]),
    /// It is being started just now. Two such moments may be of two starts.
    Starting,
    /// Nothing can be read of it, at no time.
    #[default]
    Unreadable,
}

impl MarkOfExec {
    /// Of a process at this moment.
    pub(crate) fn of(pid: u32) -> Self {
        const WORD: usize = size_of::<u64>();
        let Ok(vector) = regular_files::read_of_kernel(&format!("/proc/{pid}/auxv")) else {
            return Self::Unreadable;
        };
        let word = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_ne_bytes);
        let mut entries = vector.chunks_exact(2 * WORD).map(|entry| entry.split_at(WORD));
        let address = entries.find_map(|(kind, value)| match word(kind)? {
            libc::AT_RANDOM => word(value),
            _ => None,
        });
        let Some(address) = address else {
            // The kernel writes the vector when it has mapped the program. That of a 32-bit program has other words.
            let is_empty = vector.iter().all(|&byte| byte == 0);
            return if is_empty {
                Self::Starting
            } else {
                Self::Unreadable
            };
        };
        let mut mark = [0; 16];
        match sys::read_memory(pid, &[(address, mark.len())], &mut mark) {
            // The place is there before the bytes are.
            Ok(_) if mark == [0; 16] => Self::Starting,
            Ok(copied) if copied == mark.len() => Self::Started(mark),
            _ => Self::Unreadable,
        }
    }

    /// Whether two marks of one process may be of one start.
    pub(crate) fn may_be(self, other: Self) -> bool {
        match (self, other) {
            (Self::Started(one), Self::Started(other)) => one == other,
            (Self::Unreadable, Self::Unreadable) => true,
            _ => false,
        }
    }
}

/// What the kernel puts behind the path of a file that was replaced or removed since it was mapped or started.
const REPLACED: &str = " (deleted)";

/// The path that a file had, if the kernel marks it as replaced or removed since.
pub(crate) fn path_before_replaced(path: &str) -> Option<&str> {
    path.strip_suffix(REPLACED)
}

/// The path that a file has, or had before it was replaced or removed.
pub fn path_as_mapped(path: &str) -> &str {
    path_before_replaced(path).unwrap_or(path)
}

/// The executable as the kernel names it, with its mark if it was replaced ([`path_before_replaced`]).
pub(crate) fn executable(pid: u32) -> io::Result<PathBuf> {
    let of_process = fs::read_link(format!("/proc/{pid}/exe"));
    of_process.or_else(|error| {
        // A process whose main thread has ended has none by its own name.
        let other = other_thread(pid).ok_or(error)?;
        fs::read_link(format!("/proc/{pid}/task/{other}/exe"))
    })
}

/// The environment at the time of exec.
///
/// # Errors
/// It cannot be read, or the process is still being started: it has no environment yet, and so much as its rank is not known.
pub(crate) fn environment(pid: u32) -> io::Result<Vec<u8>> {
    /// A start takes a few hundred microseconds, unless a file system is slow.
    const LOOKS: u32 = 20;
    const BETWEEN_LOOKS: Duration = Duration::from_micros(500);
    let mut before = None;
    for _ in 0..LOOKS {
        let environment = environment_now(pid)?;
        if !environment.is_empty() || !stat(pid).is_ok_and(|stat| !stat.has_ended()) {
            return Ok(environment);
        }
        // An empty one is that of the program only where the program had been started before it was read, and was not replaced since.
        let now = MarkOfExec::of(pid);
        match before {
            Some(before) if matches!(now, MarkOfExec::Started(_)) && now.may_be(before) => {
                return Ok(environment);
            }
            _ => before = Some(now),
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
    match before {
        // Of some nothing can be read at any time; in the midst of a start that is so for a moment.
        Some(MarkOfExec::Unreadable) => Ok(Vec::new()),
        _ => Err(io::Error::other("it is being started")),
    }
}

/// The environment as it can be read at this moment, which is empty while the process is being started.
fn environment_now(pid: u32) -> io::Result<Vec<u8>> {
    let of_process = at_once(&format!("/proc/{pid}/environ"));
    if of_process
        .as_ref()
        .is_ok_and(|environment| !environment.is_empty())
    {
        return of_process;
    }
    // As above: it reads as empty then, or not at all.
    match other_thread(pid) {
        Some(other) => at_once(&format!("/proc/{pid}/task/{other}/environ")),
        None => of_process,
    }
}

/// What the kernel prints, in one go if it is not very much: of a program that is replaced between two reads the second gets nothing.
fn at_once(path: &str) -> io::Result<Vec<u8>> {
    const MOST: usize = 1 << 18;
    let mut bytes = vec![0; MOST];
    let read = regular_files::open_of_kernel(path)?.read(&mut bytes)?;
    if read == MOST {
        return regular_files::read_of_kernel(path);
    }
    bytes.truncate(read);
    bytes.shrink_to_fit();
    Ok(bytes)
}

/// A thread that lives on although the main one has ended, if there is one.
fn other_thread(pid: u32) -> Option<u32> {
    let main_has_ended = stat(pid).is_ok_and(|stat| stat.state == 'Z' && stat.threads > 1);
    let threads = threads(pid).ok().filter(|_| main_has_ended)?;
    threads.first().map(|thread| thread.tid)
}

/// All processes with their parents, sorted by pid.
pub(crate) fn processes() -> io::Result<Vec<(u32, u32)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        // One that has ended since is no process any more.
        if let Ok(stat) = stat(pid) {
            all.push((pid, stat.parent));
        }
    }
    all.sort_unstable();
    Ok(all)
}

/// One line of `/proc/PID/maps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// First address.
    pub(crate) start: u64,
    /// Address after the last.
    pub(crate) end: u64,
    /// Offset in the file.
    pub(crate) offset: u64,
    /// Device as printed, and inode; the inode is 0 for anonymous memory.
    pub(crate) file: (String, u64),
    /// Path, or a name such as `[stack]`; empty for anonymous memory.
    pub(crate) path: String,
}

/// A line of `/proc/PID/maps`; `None` when it is none.
pub(crate) fn parse_mapping(line: &str) -> Option<Mapping> {
    let mut parts = line.splitn(6, ' ');
    let (start, end) = parts.next()?.split_once('-')?;
    let _permissions = parts.next()?;
    let offset = parts.next()?;
    let device = parts.next()?;
    let inode = parts.next()?;
    let hex = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        start: hex(start)?,
        end: hex(end)?,
        offset: hex(offset)?,
        file: (device.to_owned(), inode.parse().ok()?),
        path: parts.next().unwrap_or_default().trim_start().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_parentheses_does_not_shift_the_fields() {
        let stat = parse_stat(
            "12 (a) b) (c)) S 7 12 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 4711 100 200 300 400 500 600 0 0",
        )
        .unwrap();
        assert_eq!(
            (stat.state, stat.parent, stat.threads, stat.spent),
            ('S', 7, 3, 11)
        );
        assert_eq!(stat.identity.started, 4711);
        assert_eq!(stat.identity.code_and_stack, (400, 600));
        assert_eq!(parse_stat("12 (short) R 1"), None);
    }

    #[test]
    fn a_path_keeps_its_spaces() {
        let line = "7f00-7f10 r-xp 00001000 fe:01 42                         /a b/c  d (deleted)";
        let mapping = parse_mapping(line).unwrap();
        assert_eq!(mapping.path, "/a b/c  d (deleted)");
        assert_eq!(mapping.file, ("fe:01".to_owned(), 42));
        assert_eq!(parse_mapping("7f00-7f10 rw-p 0 00:00 0").unwrap().path, "");
        assert_eq!(parse_mapping("nonsense"), None);
    }

    #[test]
    fn this_process_is_described() {
        let own = std::process::id();
        assert_eq!(status_field(own, "TracerPid").as_deref(), Some("0"));
        assert!(stat(own).unwrap().threads >= 1);
        assert!(processes().unwrap().iter().any(|&(pid, _)| pid == own));
    }
}
