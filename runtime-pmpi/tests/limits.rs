//! A process that may not make a file as large as a recording is told so; making it all the same would end it by a signal.

use runtime_pmpi::file::create;
use std::path::Path;
use std::process::Command;

/// In a process of its own, whose limit is lower than this one's: this test's program, started again.
const LIMITED: &str = "HINDMOST_LIMITED";

#[test]
fn a_process_that_may_not_make_large_files_goes_on() {
    if let Some(directory) = std::env::var_os(LIMITED) {
        let made = create(Path::new(&directory), b"Op0\n");
        assert!(made.is_err_and(|why| why.contains("ulimit -f")));
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
