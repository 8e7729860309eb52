//! Maps that servers of debug info have, by the build-id of a program that carries none.

use crate::embedded::{tool, written};
use crate::support::{Sandbox, Target, installed};
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The build-id of every program here.
const BUILD_ID: &str = "c0ffee0123456789c0ffee0123456789c0ffee01";

/// A program `app` of which nothing is here but its code, and the same build with its map as `whole`.
fn stripped(name: &str, level: &str) -> Sandbox {
    let sandbox = written(name);
    tool(
        &sandbox,
        &[
            "cc",
            "-g",
            level,
            &format!("-Wl,--build-id=0x{BUILD_ID}"),
            "-o",
            "whole",
            "src/main.c",
            "src/work.c",
        ],
    );
    tool(&sandbox, &["strip", "-s", "whole", "-o", "app"]);
    sandbox.ok(&["embed", "whole"]);
    std::fs::remove_dir_all(sandbox.path("src")).unwrap();
    let _ = std::fs::remove_dir_all(sandbox.path("cache"));
    sandbox
}

/// What `find` says of one process of `app`, where `servers` are asked.
fn find(sandbox: &Sandbox, process: &Target, servers: &str) -> Value {
    let mut command = sandbox.command(&["find", &process.pid(), "--format", "json"]);
    let output = command
        .env("DEBUGINFOD_URLS", servers)
        .env("DEBUGINFOD_CACHE_PATH", sandbox.path("served"))
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whether the answer's map came from the cache of debuginfod's client, and told the iteration.
fn is_served(sandbox: &Sandbox, answer: &Value) -> bool {
    let from = answer["map"]["path"].as_str().unwrap_or_default();
    from.starts_with(sandbox.path("served").to_str().unwrap()) && answer.to_string().contains("\"count\"")
}

/// A server, ended with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a web server of this host says to the question for a path, or that it is not there.
fn status(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let first = String::from_utf8_lossy(&answer);
    first.split_whitespace().nth(1).map(str::to_owned)
}

#[test]
fn a_debuginfod_has_the_maps_of_the_programs_that_it_knows() {
    if !installed("debuginfod") {
        return;
    }
    let sandbox = stripped("served-debuginfod", "-O1");
    std::fs::create_dir(sandbox.path("programs")).unwrap();
    std::fs::rename(sandbox.path("whole"), sandbox.path("programs/whole")).unwrap();
    let port = {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port()
    };
    let server = Command::new("debuginfod")
        .args(["-F", "-d", ":memory:", "-p", &port.to_string()])
        .arg(sandbox.path("programs"))
        .env_remove("DEBUGINFOD_URLS")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _server = Server(server);
    // Its client keeps for minutes what is not there, so nobody asks before the program was found.
    let path = format!("/buildid/{BUILD_ID}/section/.hindmost.map");
    let start = Instant::now();
    while status(port, &path).as_deref() != Some("200") {
        assert!(start.elapsed() < Duration::from_secs(60), "no answer");
        std::thread::sleep(Duration::from_millis(20));
    }
    let process = sandbox.start("app", &["3"]);
    let answer = find(&sandbox, &process, &format!("http://127.0.0.1:{port}"));
    assert!(is_served(&sandbox, &answer), "{answer}");
}

#[test]
fn what_is_stored_is_served_as_it_lies_there() {
    if !installed("debuginfod-find") {
        return;
    }
    let sandbox = stripped("served-files", "-O1");
    sandbox.ok(&["extract", "whole", "--store", "maps"]);
    let process = sandbox.start("app", &["3"]);
    let maps = format!("file://{}", sandbox.path("maps").display());
    let nowhere = format!("file://{}", sandbox.path("nowhere").display());
    let answer = find(&sandbox, &process, &nowhere);
    assert!(!is_served(&sandbox, &answer), "{answer}");
    // That it is not there would be believed for ten minutes.
    std::fs::remove_dir_all(sandbox.path("served")).unwrap();
    let answer = find(&sandbox, &process, &format!("{nowhere} {maps}"));
    assert!(is_served(&sandbox, &answer), "{answer}");
}

#[test]
fn what_a_server_sends_is_held_against_the_program() {
    let sandbox = stripped("served-noise", "-O1");
    // A client whose servers have been made to send something else.
    let client = sandbox.write("bin/debuginfod-find", "#!/bin/sh\necho \"$ANSWER\"\n");
    std::fs::set_permissions(&client, std::fs::Permissions::from_mode(0o755)).unwrap();
    let process = sandbox.start("app", &["3"]);
    let mut directories = vec![sandbox.path("bin")];
    directories.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let find = |answer: &str| {
        let mut command = sandbox.command(&["find", &process.pid()]);
        let output = command
            .env("PATH", std::env::join_paths(&directories).unwrap())
            .env("DEBUGINFOD_URLS", "http://127.0.0.1:1")
            .env("ANSWER", answer)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let noise = sandbox.write("noise", "noise");
    let said = "the map of a server of DEBUGINFOD_URLS: ignored: ";
    let of_noise = find(noise.to_str().unwrap());
    assert!(of_noise.contains(said), "{of_noise}");
    assert!(find("/dev/zero").contains(said));
    // A name that depends on where it is run names nothing.
    assert!(!find("noise").contains(said));
    // The map of another build, whose linker was told the same build-id.
    let other = stripped("served-other", "-O0");
    other.ok(&["extract", "whole", "-o", "other.hmap"]);
    let of_other = find(other.path("other.hmap").to_str().unwrap());
    assert!(of_other.contains(said), "{of_other}");
}
