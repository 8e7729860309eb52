//! A process whose file cannot be made is told why, and goes on. Making one that is larger than its limit would end it by a signal.

use runtime_pmpi::file::create;
use std::path::Path;
use std::process::Command;

/// In a process of its own, whose limit is lower than this one's: this test's program, started again.
const LIMITED: &str = "HINDMOST_LIMITED";

#[test]
fn a_process_that_may_not_make_large_files_goes_on() {
    if let Some(directory) = std::env::var_os(LIMITED) {
        let why = create(Path::new(&directory), b"Op0\n").err();
        assert!(why.is_some_and(|why| why.contains("ulimit -f")), "{why:?}");
        return;
    }
    let own = std::env::current_exe().expect("this program has a file");
    let directory = std::env::temp_dir().join(format!("hindmost-limited-{}", std::process::id()));
    let run = |limit: &str| {
        Command::new("sh")
            .args(["-c", &format!("{limit} exec \"$0\" --quiet")])
            .arg(&own)
            .env(LIMITED, &directory)
            .output()
            .expect("there is a shell")
    };
    let limited = run("ulimit -f 100;");
    assert!(limited.status.success(), "{limited:?}");
    // Without the limit the file is made, so that the process above went on because of it.
    assert_eq!(run("").status.code(), Some(101));
    let _ = std::fs::remove_dir_all(&directory);
}

#[test]
fn a_second_recorder_is_told_that_there_is_one() {
    if std::env::var_os(LIMITED).is_some() {
        return;
    }
    let directory = std::env::temp_dir().join(format!("hindmost-twice-{}", std::process::id()));
    let recording = || create(&directory, b"Op0\n").err();
    assert_eq!(recording(), None);
    let why = recording();
    assert!(why.is_some_and(|why| why.contains("there already")), "{why:?}");
    // The file of the first is left as it is.
    assert_eq!(std::fs::read_dir(&directory).map_or(0, Iterator::count), 1);
    let _ = std::fs::remove_dir_all(&directory);

    let file = std::env::temp_dir().join(format!("hindmost-no-directory-{}", std::process::id()));
    std::fs::write(&file, "").expect("the directory for temporary files can be written");
    let why = create(&file, b"Op0\n").err();
    assert!(why.is_some_and(|why| why.contains("can be written")), "{why:?}");
    let _ = std::fs::remove_file(&file);
}
