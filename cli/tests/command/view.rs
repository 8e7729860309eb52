//! `hindmost view` in a real terminal: tmux holds it, types, and reads the screen.

use crate::support::Sandbox;
use std::io::{Read as _, Write as _};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "\
static void work(int i) { step(i); }
int main(void)
{
    for (int i = 0; i < 9; i++) {
        work(i);
        MPI_Barrier(i);
    }
    return 0;
}
";

const STACKS: &str = r#"{"task":"0","rank":0,"frames":[{"function":"main","file":"a.c","line":6,"values":{"i":3}},{"function":"PMPI_Barrier"}]}
{"task":"1","rank":1,"frames":[{"function":"main","file":"a.c","line":5,"values":{"i":3}},{"function":"work","file":"a.c","line":1}]}
{"task":"2","rank":2,"frames":[{"function":"main","file":"a.c","line":6,"values":{"i":3}},{"function":"PMPI_Barrier"}]}
"#;

/// A terminal of 80 columns and 24 lines.
struct Screen {
    socket: String,
}

impl Screen {
    /// Runs a shell command in it; `None` where there is no tmux and nobody demands one.
    fn start(sandbox: &Sandbox, command: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "CI has no tmux");
            eprintln!("SKIPPED: no tmux");
            return None;
        }
        let screen = Self {
            socket: sandbox.path("tmux").display().to_string(),
        };
        // On a busy machine the server may not be there yet when its client gives up: that is tmux's own affair.
        let mut started = None;
        for _ in 0..5 {
            let output = screen
                .command(&[
                    "-f",
                    "/dev/null",
                    "new-session",
                    "-d",
                    "-x",
                    "80",
                    "-y",
                    "24",
                    command,
                ])
                .current_dir(&sandbox.root)
                .env("PATH", path_with_hindmost())
                .env("XDG_CACHE_HOME", sandbox.path("cache"))
                .env_remove("TMUX")
                .output()
                .unwrap();
            let success = output.status.success();
            started = Some(output);
            if success {
                return Some(screen);
            }
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        panic!("tmux does not start: {started:?}");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command
            .args(["-u", "-S", &self.socket])
            .args(arguments)
            .env("LC_ALL", "C.UTF-8");
        command
    }

    fn say(&self, arguments: &[&str]) -> String {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(arguments).output().unwrap();
        assert!(
            status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&stderr)
        );
        String::from_utf8_lossy(&stdout).into_owned()
    }

    fn press(&self, keys: &[&str]) {
        self.say(&[&["send-keys"], keys].concat());
    }

    /// The screen, once it shows all of these: it may be looked at while it is painted.
    #[track_caller]
    fn wait_for(&self, texts: &[&str]) -> String {
        self.wait_until(&format!("{texts:?}"), &|shown| {
            texts.iter().all(|text| shown.contains(text))
        })
    }

    #[track_caller]
    fn wait_until(&self, what: &str, is_so: &dyn Fn(&str) -> bool) -> String {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let shown = self.say(&["capture-pane", "-p"]);
            if is_so(&shown) {
                return shown;
            }
            assert!(Instant::now() < end, "no {what} in:\n{shown}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Screen {
    /// Waits until the cursor is shown, on the screen from before, and nobody asks for the mouse.
    #[track_caller]
    fn wait_until_given_back(&self) {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let flags = "#{cursor_flag} #{alternate_on} #{mouse_any_flag}";
            let state = self.say(&["display", "-p", flags]);
            if state.trim() == "1 0 0" {
                return;
            }
            assert!(Instant::now() < end, "cursor, alternate screen, mouse: {state}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).output();
    }
}

fn path_with_hindmost() -> std::ffi::OsString {
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_hindmost"))
        .parent()
        .unwrap();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own.to_owned()).chain(std::env::split_paths(&paths))).unwrap()
}

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("a.c", PROGRAM);
    sandbox.write("stacks", STACKS);
    sandbox.ok(&["map", "--quiet", "-o", "a.hmap", "a.c"]);
    sandbox
}

/// A parallel debugger in the place of one that nobody may install: it writes down what it was given, a word a line, and ends.
fn stand_in(sandbox: &Sandbox, name: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let script = "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$0.given\"\necho \"a stand-in\"\n";
    let path = sandbox.write(&format!("bin/{name}"), script);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What becomes of the terminal afterwards: echo and lines again, the cursor, and the screen from before.
const THEN: &str =
    "echo ended $?; stty -a | grep -ow -- '-*icanon'; stty -a | grep -ow -- '-*echo'; sleep 1000";

#[track_caller]
fn is_as_before(screen: &Screen, status: &str) {
    let shown = screen.wait_for(&[&format!("ended {status}"), "icanon\n", "echo\n"]);
    assert!(!shown.contains("-icanon") && !shown.contains("-echo"), "{shown}");
    let state = screen.say(&["display", "-p", "#{cursor_flag} #{alternate_on}"]);
    assert_eq!(state.trim(), "1 0");
}

#[test]
fn a_tree_is_walked_in_and_the_terminal_given_back() {
    let sandbox = sandbox("view_walk");
    let command = format!("hindmost view stacks --map a.hmap; {THEN}");
    let Some(screen) = Screen::start(&sandbox, &command) else {
        return;
    };
    screen.wait_for(&[
        "Hindmost: rank 1, computing in work at a.c:1, i=3",
        "main@[T1] a.c:5 i=3",
        "<- hindmost",
        "MPI_Barrier",
        ">    1 static void work",
    ]);
    screen.press(&["?"]);
    screen.wait_for(&["cut below MPI"]);
    screen.press(&["?"]);
    screen.wait_for(&["<- hindmost", "? keys"]);
    screen.press(&["/", "Barr", "Enter"]);
    screen.wait_for(&["hit 1 of 1"]);
    screen.press(&["Enter"]);
    screen.wait_until("single way", &|shown| {
        shown.contains("[at MPI_Barrier]") && !shown.contains("main@[T1] a.c")
    });
    screen.say(&["resize-window", "-x", "60", "-y", "20"]);
    screen.press(&["u"]);
    screen.wait_for(&["main@[T1] a.c:5"]);
    screen.press(&["q"]);
    is_as_before(&screen, "0");
}

#[test]
fn it_stops_for_the_shell_and_goes_on() {
    let sandbox = sandbox("view_stop");
    let Some(screen) = Screen::start(&sandbox, "bash --norc --noprofile") else {
        return;
    };
    screen.press(&["hindmost view stacks --map a.hmap", "Enter"]);
    screen.wait_for(&["<- hindmost"]);
    screen.press(&["C-z"]);
    screen.wait_for(&["Stopped"]);
    screen.wait_until_given_back();
    screen.press(&["fg", "Enter"]);
    screen.wait_for(&["Hindmost: rank 1", "<- hindmost"]);
    screen.press(&["?"]);
    screen.wait_for(&["click, wheel"]);
    screen.press(&["q", "q"]);
    screen.wait_until_given_back();
}

/// `script` gives a terminal in which nobody answers questions.
#[test]
fn it_goes_on_where_the_terminal_does_not_tell_its_cursor() {
    let sandbox = sandbox("view_silent");
    let hindmost = env!("CARGO_BIN_EXE_hindmost");
    let view = format!("stty rows 30 cols 100; {hindmost} view stacks --map a.hmap");
    let started = Command::new("script")
        .args(["-qefc", &view, "/dev/null"])
        .current_dir(sandbox.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut script) = started else {
        assert!(
            std::env::var_os("CI").is_none(),
            "script is not installed, and CI must have it"
        );
        eprintln!("skipped: script (Debian package bsdutils) is not installed");
        return;
    };
    let (mut keys, mut screen) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
    let mut seen = Vec::new();
    // Each time the alternate screen is entered the tree is drawn.
    let mut press_when_drawn = |key: &[u8], times: usize| {
        let is_drawn = |seen: &[u8]| {
            let text = String::from_utf8_lossy(seen);
            text.matches("\u{1b}[?1049h").count() == times
                && text
                    .rsplit("\u{1b}[?1049h")
                    .next()
                    .is_some_and(|last| last.contains("q quit"))
        };
        let mut some = [0; 4096];
        while !is_drawn(&seen) {
            let count = screen.read(&mut some).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&some[..count]);
        }
        keys.write_all(key).unwrap();
    };
    press_when_drawn(b"\x1a", 1);
    press_when_drawn(b"q", 2);
    std::io::copy(&mut screen, &mut std::io::sink()).unwrap();
    assert!(script.wait().unwrap().success());
}

#[test]
fn a_signal_gives_the_terminal_back_too() {
    let sandbox = sandbox("view_signal");
    // The tree as JSON, with the answer beside it, as watch writes them; and the page for a browser.
    let tree = ["tree", "stacks", "--map", "a.hmap", "--format"];
    sandbox.write("out.tree.json", sandbox.ok(&[&tree[..], &["json"]].concat()));
    let order = [
        "order", "--stacks", "stacks", "--map", "a.hmap", "--format", "json",
    ];
    sandbox.write("out.json", sandbox.ok(&order));
    sandbox.write("out.html", sandbox.ok(&[&tree[..], &["html"]].concat()));
    for file in ["out.tree.json", "out.html"] {
        // No job control: a shell that brings a job to the foreground has its own idea of the terminal's state behind it.
        let command = format!("sh -c 'echo $$ > pid; exec hindmost view {file}'; {THEN}");
        let Some(screen) = Screen::start(&sandbox, &command) else {
            return;
        };
        screen.wait_for(&["Hindmost: rank 1", "<- hindmost", ">    1 static void work"]);
        let pid = std::fs::read_to_string(sandbox.path("pid")).unwrap();
        let killed = Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap();
        assert!(killed.success());
        is_as_before(&screen, "2");
    }
}

#[test]
fn it_ends_with_its_terminal() {
    let sandbox = sandbox("view_hangup");
    let Some(screen) = Screen::start(&sandbox, "exec hindmost view stacks --map a.hmap") else {
        return;
    };
    screen.wait_for(&["<- hindmost"]);
    let pid = screen.say(&["display", "-p", "#{pane_pid}"]);
    let process = std::path::Path::new("/proc").join(pid.trim());
    assert!(process.exists());
    drop(screen);
    let end = Instant::now() + Duration::from_secs(60);
    while process.exists() {
        assert!(Instant::now() < end, "it lives on without a terminal");
        std::thread::sleep(Duration::from_millis(30));
    }
}

#[test]
fn without_a_terminal_it_says_so() {
    let sandbox = sandbox("view_none");
    assert!(
        sandbox
            .refused(&["view", "stacks", "--map", "a.hmap"])
            .contains("needs a terminal")
    );
    sandbox.write(
        "answer.json",
        sandbox.ok(&[
            "order", "--stacks", "stacks", "--map", "a.hmap", "--format", "json",
        ]),
    );
    assert!(sandbox.refused(&["view", "answer.json"]).contains("has no tree"));
    sandbox.write("page.html", "<html></html>");
    assert!(
        sandbox
            .refused(&["view", "page.html"])
            .contains("no page of hindmost")
    );
    sandbox.write("bad.json", "{\"schema\": \"hindmost-tree\", \"version\": 1}");
    sandbox.refused(&["view", "bad.json"]);
    sandbox.refused(&["view", "nowhere"]);
}

/// DDT and TotalView are given the launcher and the ranks of the selected call alone.
#[test]
fn parallel_debuggers_are_started_on_the_ranks_of_a_call() {
    let sandbox = sandbox("view_subset");
    let header = r#"{"hindmost_snapshot":1,"host":"node7","launcher":4217,"job":"mpirun"}"#;
    let tasks = STACKS.replace(r#","frames""#, r#","pid":4300,"program":"/opt/my app","frames""#);
    sandbox.write("job.snapshot", format!("{header}\n{tasks}"));
    stand_in(&sandbox, "ddt");
    stand_in(&sandbox, "totalview");
    let Some(screen) = Screen::start(&sandbox, "bash --norc --noprofile") else {
        return;
    };
    screen.press(&[
        "PATH=$PWD/bin:$PATH hindmost view job.snapshot --map a.hmap",
        "Enter",
    ]);
    screen.wait_for(&["<- hindmost"]);
    screen.press(&["/", "Barrier", "Enter"]);
    for (key, name) in [("d", "ddt"), ("t", "totalview")] {
        screen.press(&["a"]);
        screen.wait_for(&["A key starts it", name]);
        screen.press(&[key]);
        screen.wait_for(&["a stand-in", "Enter goes back to the tree"]);
        screen.press(&["Enter"]);
        screen.wait_for(&["? keys"]);
    }
    let given = |name: &str| std::fs::read_to_string(sandbox.path(&format!("bin/{name}.given"))).unwrap();
    assert_eq!(given("ddt"), "--attach-mpi\n4217\n--subset\n0,2\n/opt/my app\n");
    assert_eq!(
        given("totalview"),
        "-parallel_attach\nyes\n-pid\n4217\n-default_parallel_attach_subset=0 2\nmpirun\n"
    );
    // One that is not there is said not to be there.
    std::fs::remove_file(sandbox.path("bin/ddt")).unwrap();
    screen.press(&["a", "d"]);
    screen.wait_for(&["cannot start ddt: No such file", "Enter goes back to the tree"]);
    screen.press(&["Enter"]);
    screen.wait_for(&["? keys"]);
    screen.press(&["q"]);
    screen.wait_until_given_back();
}

/// Starts gdb on the task of the selected call, from its snapshot, and comes back when gdb has ended.
#[test]
fn a_debugger_is_attached_to_the_tasks_of_a_call() {
    let sandbox = Sandbox::new("view_attach");
    sandbox.write(
        "wait.c",
        "#include <unistd.h>\nint main(void)\n{\n    if (write(1, \"x\", 1) == 1)\n        pause();\n    return 0;\n}\n",
    );
    sandbox.compile("wait.c", "wait", &["-g", "-O0"]);
    sandbox.ok(&["map", "--quiet", "--exe", "wait", "-o", "a.hmap", "wait.c"]);
    let mut target = sandbox.start("wait", &[]);
    let pid = target.pid();
    sandbox.ok(&["find", "--map", "a.hmap", "--save", "stacks", &pid]);
    let Some(screen) = Screen::start(&sandbox, "bash --norc --noprofile") else {
        return;
    };
    screen.press(&["hindmost view stacks --map a.hmap", "Enter"]);
    screen.wait_for(&["pause"]);
    screen.press(&["a"]);
    let command = format!("gdb -p {pid}");
    screen.wait_for(&["A key starts it", &command]);
    screen.press(&["g"]);
    screen.wait_for(&[&format!("Attaching to process {pid}"), "(gdb)"]);
    screen.press(&["set confirm off", "Enter", "print 40 + 2", "Enter"]);
    screen.wait_for(&["$1 = 42"]);
    screen.press(&["quit", "Enter"]);
    screen.wait_for(&["Enter goes back to the tree"]);
    screen.press(&["Enter"]);
    screen.wait_for(&["? keys"]);
    screen.press(&["q"]);
    screen.wait_until_given_back();
    assert!(target.is_running(), "gdb lets go of it");

    // Without processes there is nothing to attach to, and it says so.
    sandbox.write(
        "tree.json",
        sandbox
            .run(&["tree", "stacks", "--map", "a.hmap", "--format", "json"])
            .out,
    );
    screen.press(&["clear; hindmost view tree.json", "Enter"]);
    screen.wait_for(&["? keys"]);
    screen.press(&["a"]);
    screen.wait_for(&["only a snapshot tells the processes"]);
}
