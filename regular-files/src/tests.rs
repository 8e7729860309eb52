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
    // What the kernel prints has no size.
    assert!(
        !read(Path::new("/proc/self/maps"), Limit::KERNEL)
            .unwrap()
            .is_empty()
    );
    assert!(read(Path::new("/proc/self/maps"), Limit::of(10)).is_err());
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
