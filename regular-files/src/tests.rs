//! What is no regular file is refused at once, and nothing is read without a bound.

use super::*;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A directory that goes away with this value.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hindmost-regular-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn refusal(path: &Path) -> String {
    read(path, Limit::SOURCE).unwrap_err().to_string()
}

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let scratch = Scratch::new("kinds");
    let pipe = scratch.path("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
    assert!(refusal(&pipe).contains("a pipe"));
    // Also for whoever names it: nobody need ever write to it.
    assert!(read_named(&pipe, Limit::SOURCE).is_err());
    let link = scratch.path("zero.c");
    symlink("/dev/zero", &link).unwrap();
    assert!(refusal(&link).contains("a device"));
    assert!(refusal(&scratch.0).contains("a directory"));
    let socket = scratch.path("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(refusal(&socket).contains("a socket"));
    let missing = read(&scratch.path("none"), Limit::SOURCE).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_file_is_read_through_links_and_within_its_limit() {
    let scratch = Scratch::new("limits");
    let (file, link) = (scratch.path("a"), scratch.path("b"));
    fs::write(&file, "hello").unwrap();
    symlink(&file, &link).unwrap();
    assert_eq!(read(&link, Limit::of(5)).unwrap(), b"hello");
    assert_eq!(
        read(&link, Limit::of(4)).unwrap_err().kind(),
        io::ErrorKind::FileTooLarge
    );
    // A sparse file costs nobody anything to make.
    let sparse = scratch.path("sparse");
    File::create(&sparse).unwrap().set_len(1 << 42).unwrap();
    assert!(refusal(&sparse).contains("more than"));
}

/// Reading such a file may do something, or tell root what is not for others.
#[test]
fn what_the_kernel_makes_up_is_no_file() {
    let scratch = Scratch::new("made-up");
    let link = scratch.path("a.c");
    for made_up in [
        "/proc/kmsg",
        "/proc/1/environ",
        "/proc/self/maps",
        "/sys/kernel/uevent_seqnum",
    ] {
        if Path::new(made_up).exists() {
            let _ = fs::remove_file(&link);
            symlink(made_up, &link).unwrap();
            assert!(refusal(&link).contains("made up by the kernel"), "{made_up}");
        }
    }
    // Its links to files are as good as others.
    assert!(open(Path::new("/proc/self/exe")).is_ok());
    // The bound is for what it prints all the same.
    assert!(!read_of_kernel("/proc/self/maps").unwrap().is_empty());
}

#[test]
fn what_a_shell_passes_may_be_a_pipe() {
    let (reader, mut writer) = io::pipe().unwrap();
    writer.write_all(b"stacks").unwrap();
    drop(writer);
    let path = PathBuf::from(format!("/dev/fd/{}", reader.as_raw_fd()));
    assert_eq!(read_named(&path, Limit::of(6)).unwrap(), b"stacks");
    assert!(read(&path, Limit::of(6)).is_err());
}

/// A file that the user of this process may not read, if it is root, is closed to whoever reads for another.
#[test]
fn root_reads_for_others_what_they_may_read() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not tested: it takes root");
        return;
    }
    let scratch = Scratch::new("rights");
    let user = |uid, groups: &[u32]| User {
        uid,
        gid: uid,
        groups: groups.to_vec(),
    };
    let make = |name: &str, mode: u32, owner: u32, group: u32| {
        use std::os::unix::fs::PermissionsExt as _;
        let path = scratch.path(name);
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        std::os::unix::fs::chown(&path, Some(owner), Some(group)).unwrap();
        path
    };
    let (roots, of_group, own) = (
        make("a", 0o640, 0, 0),
        make("b", 0o640, 0, 4711),
        make("c", 0o600, 4712, 4712),
    );
    let everybodys = make("d", 0o604, 0, 0);
    let may = |reader: &Reader| {
        [&roots, &of_group, &own, &everybodys].map(|path| reader.read(path, Limit::SOURCE).is_ok())
    };
    assert_eq!(may(&Reader::default()), [true; 4]);
    assert_eq!(may(&Reader::of([user(0, &[])])), [true; 4]);
    let other = Reader::of([user(4712, &[])]);
    assert_eq!(may(&other), [false, false, true, true]);
    assert_eq!(may(&Reader::of([user(4712, &[4711])])), [false, true, true, true]);
    // What two name must be open to all.
    assert_eq!(
        may(&other.and(&Reader::of([user(4713, &[4711])]))),
        [false, false, false, true]
    );
    assert_eq!(may(&Reader::of_nobody()), [false, false, false, true]);
    assert_eq!(
        may(&Reader::of_owners([own.as_path(), &roots])),
        [false, false, true, true]
    );
    // A directory that they may not enter hides what is in it.
    let hidden = scratch.path("hidden");
    fs::create_dir(&hidden).unwrap();
    fs::rename(&everybodys, hidden.join("d")).unwrap();
    let close =
        |mode| fs::set_permissions(&hidden, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    close(0o700);
    assert!(!other.is_file(&hidden.join("d")) && Reader::default().is_file(&hidden.join("d")));
    assert!(other.canonicalize(&hidden.join("d")).is_err() && other.is_dir(&hidden));
    // Ours are back, and were never gone elsewhere.
    assert_eq!(may(&Reader::default())[..3], [true; 3]);
    std::thread::scope(|scope| {
        let busy = scope.spawn(|| (0..2000).all(|_| other.open(&roots).is_err()));
        assert!((0..2000).all(|_| open(&roots).is_ok()));
        assert!(busy.join().unwrap());
    });
}

#[test]
fn parts_that_nobody_has_written_to_are_zeros() {
    use std::os::unix::fs::FileExt as _;
    let scratch = Scratch::new("sparse");
    let path = scratch.path("holes");
    let file = fs::File::create(&path).unwrap();
    let read = |most| {
        let mut buffer = SparseBuffer::default();
        buffer.read(&open(&path)?, Limit::of(most)).map(<[u8]>::to_vec)
    };
    let sparse = || read(1 << 24);
    assert_eq!(sparse().unwrap(), b"");
    file.set_len(5 << 20).unwrap();
    assert_eq!(sparse().unwrap(), vec![0; 5 << 20]);
    // At the beginning, in the middle, up to the end, and behind room that was reserved and never used.
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 3 << 20, 1 << 20).unwrap();
    for (at, text) in [
        (0, &b"first"[..]),
        (1 << 20, b"second"),
        ((3 << 20) + 5000, b"third"),
        ((5 << 20) - 4, b"last"),
    ] {
        file.write_all_at(text, at).unwrap();
    }
    assert_eq!(sparse().unwrap(), fs::read(&path).unwrap());
    let small = read(5).unwrap_err();
    assert_eq!(small.kind(), io::ErrorKind::FileTooLarge);
}

#[test]
fn parts_are_read_as_far_as_the_file_goes() {
    let scratch = Scratch::new("parts");
    let path = scratch.path("file");
    fs::write(&path, b"0123456789").unwrap();
    let file = open(&path).unwrap();
    let mut parts = Parts::of(&file, Limit::of(10)).unwrap();
    assert_eq!(parts.read(2..4).unwrap(), b"23");
    assert_eq!(parts.read(8..20).unwrap(), b"89");
    assert_eq!(parts.so_far(), b"\0\x0023\0\0\0\x0089");
    assert_eq!(parts.read(20..30).unwrap(), b"");
    assert_eq!(parts.into_bytes(), b"\0\x0023\0\0\0\x0089");
    let large = Parts::of(&file, Limit::of(9)).unwrap_err();
    assert_eq!(large.kind(), io::ErrorKind::FileTooLarge);
}

/// A buffer that is used again shows nothing of the file before.
#[test]
fn a_buffer_for_sparse_files_forgets_the_file_before() {
    let scratch = Scratch::new("again");
    let written = |name: &str, length: u64, parts: &[(u64, &[u8])]| {
        let path = scratch.path(name);
        let file = File::create(&path).unwrap();
        file.set_len(length).unwrap();
        for (at, bytes) in parts {
            file.write_all_at(bytes, *at).unwrap();
        }
        path
    };
    let files = [
        written("long", 1 << 20, &[(5, b"one"), (700_000, b"two")]),
        written("short", 1 << 12, &[(100, b"three")]),
        written("empty", 1 << 19, &[]),
        written("none", 0, &[]),
        written("last", 1 << 20, &[(0, b"four"), ((1 << 20) - 1, b"5")]),
    ];
    let mut buffer = SparseBuffer::default();
    for path in files.iter().chain(files.iter().rev()) {
        let bytes = buffer.read(&open(path).unwrap(), Limit::of(1 << 24)).unwrap();
        assert_eq!(bytes, fs::read(path).unwrap(), "{}", path.display());
    }
}
