//! A job in a real editor: Neovim without a screen, with the plugin of `integrations/nvim`.

use crate::support::{Sandbox, Target, installed};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Tasks of it stop where their argument says. Columns of bytes, characters and units of UTF-16 differ on lines 4 and 19.
pub const JOB: &str = "\
#include <stdlib.h>
#include <unistd.h>

/* gr\u{f6}\u{df}e \u{1d11e} */ static int limit = 100;

static void wait_for(int it)
{
\tchar said = 'r';
\tif (it > 0)
\t\twrite(1, &said, 1);
\tpause();
}

static int step(int it, int last)
{
\tint other = it * 3;
\tother += 2;
\tif (it == last) {
\t\t/* \u{e4}\u{1d11e} */ wait_for(it);
\t}
\treturn other;
}

int main(int argc, char **argv)
{
\tint last = argc > 1 ? atoi(argv[1]) : 1;
\tint it;
\tint sum = 0;
\tfor (it = 0; it < limit; it++)
\t\tsum += step(it, last);
\treturn sum > 0;
}
";

/// A directory with the program, its map, and the stacks of a job of three tasks that hangs for real: the one in the
/// middle in its fourth turn, the others in their eighth.
pub fn hung(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("job.c", JOB);
    sandbox.compile("job.c", "job", &["-g", "-O0"]);
    let tasks = ["7", "3", "7"].map(|last| sandbox.start("job", &[last]));
    let pids = Vec::from_iter(tasks.iter().map(Target::pid));
    sandbox.ok(&["map", "--quiet", "--exe", "job", "-o", "job.hmap"]);
    let mut find = vec!["find", "--map", "job.hmap"];
    find.extend(pids.iter().map(String::as_str));
    let with = |more: &[&str]| sandbox.ok(&[&find[..], more].concat());
    sandbox.write("report.json", with(&["--save", "recorded", "--format", "json"]));
    sandbox.write(
        "lines.txt",
        with(&["--slice", "--slice-format", "lines", "--all"]),
    );
    let sarif = with(&["--slice", "--slice-format", "sarif", "--all"]);
    sandbox.write("hang.sarif", sarif);
    // As if a launcher had numbered them.
    let mut stacks = std::fs::read_to_string(sandbox.path("recorded")).unwrap();
    for (rank, pid) in pids.iter().enumerate() {
        let (from, to) = (
            format!("\"task\":\"{pid}\""),
            format!("\"task\":\"{rank}\",\"rank\":{rank}"),
        );
        assert!(stacks.contains(&from), "{stacks}");
        stacks = stacks.replace(&from, &to);
    }
    sandbox.write("stacks", stacks);
    sandbox
}

#[test]
fn a_user_of_neovim() {
    if installed("nvim") {
        walk_in_neovim("neovim", None);
    }
}

#[test]
fn a_user_of_neovim_and_clangd() {
    if !installed("nvim") || !installed("clangd") {
        return;
    }
    let seen = walk_in_neovim("neovim-clangd", Some("clangd"));
    let beside = &seen["beside"];
    assert_eq!(beside["encoding"], "utf-16");
    let hovers = beside["hovers"].as_object().unwrap();
    let theirs = hovers["beside"].as_str().unwrap();
    assert!(theirs.contains("static int step(int it, int last)"), "{theirs}");
    let ours = hovers["hindmost"].as_str().unwrap();
    assert!(ours.contains("LOV it: strict, up"), "{ours}");
    assert_eq!(beside["definition"], json!([14, 11]));
    let [mistake] = &beside["mistakes"].as_array().unwrap()[..] else {
        panic!("{beside:#}")
    };
    assert_eq!(mistake[0], 17);
    assert!(mistake[1].as_str().unwrap().contains("unheard_of"), "{mistake}");
    assert_eq!(beside["kept"], json!([[11, "hindmost"], [11, "here"]]));
    ends(&beside["pid"]);
}

/// What a user does in an editor, with the server of the language beside ours or without. Everything that we show must be there
/// either way.
fn walk_in_neovim(name: &str, beside: Option<&str>) -> Value {
    let sandbox = hung(name);
    let stacks = std::fs::read(sandbox.path("stacks")).unwrap();
    // A last line that is cut off would cost that line only.
    sandbox.write("damaged", [&stacks[..stacks.len() / 2], b"\n"].concat());
    let mut nvim = neovim(&sandbox, "neovim.lua");
    if let Some(server) = beside {
        nvim.env("BESIDE", server);
    }
    let output = nvim.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let seen = std::fs::read(sandbox.path("seen.json")).unwrap_or_else(|error| panic!("{error}: {said}"));
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    assert_eq!(seen["problem"], Value::Null, "{said}\n{seen:#}");

    assert_eq!(seen["encoding"], "utf-16");
    let [error, hint] = &seen["diagnostics"].as_array().unwrap()[..] else {
        panic!("{seen:#}")
    };
    assert_eq!(
        (&error["line"], &error["column"], &error["severity"]),
        (&json!(11), &json!(2), &json!(1))
    );
    assert_eq!(
        (&error["source"], &error["code"]),
        (&json!("hindmost"), &json!("hindmost"))
    );
    let text = error["message"].as_str().unwrap();
    assert!(
        text.starts_with("hindmost: rank 1, in pause called from wait_for at job.c:11"),
        "{text}"
    );
    assert!(
        text.contains("behind ranks 0,2: it=3 is an earlier iteration than it=7"),
        "{text}"
    );
    let related = error["related"].as_array().unwrap();
    let related = related.iter().map(|each| {
        let start = &each["location"]["range"]["start"];
        json!([start["line"], start["character"]])
    });
    // Callers, innermost first, then who is ahead. After two tabs and `/* ä𝄞 */ `: twelve units.
    assert_eq!(Value::from_iter(related), json!([[18, 12], [29, 9], [10, 1]]));
    assert_eq!((&hint["line"], &hint["severity"]), (&json!(11), &json!(4)));

    let hover = seen["hover"].as_str().unwrap();
    for part in [
        "rank 1 in this call, hindmost: it=3",
        "$iter of line 29: it",
        "LOV it: strict, up",
    ] {
        assert!(hover.contains(part), "no '{part}' in {hover}");
    }
    assert_eq!(
        seen["lenses"],
        json!([
            "11: 1 rank here, hindmost",
            "11: 2 ranks here, ahead",
            "19: 3 ranks in this call",
            "30: 3 ranks in this call"
        ])
    );
    assert_eq!(seen["hints"], json!(["30: it=3 (rank 1); it=7 (ranks 0,2)"]));

    // The cursor, in bytes: it is on the call behind what is longer in bytes than in units.
    assert_eq!(seen["next"], json!([[11, 2], [19, 16], [30, 10], [18, 6]]));
    assert_eq!(seen["previous"], json!([[30, 10], [19, 16]]));
    let slice = seen["slice"].as_array().unwrap();
    assert_eq!(
        slice[..2],
        [json!([11, 2, "here"]), json!([19, 16, "is in this call"])]
    );
    assert_eq!(slice[3], json!([18, 6, "decides whether job.c:19 is reached"]));

    // The list that the command line wrote has the same places, by Neovim's own rules.
    let quickfix = seen["quickfix"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item[0] == 1);
    let quickfix = Vec::from_iter(quickfix.map(|item| json!([item[1], item[2], item[3]])));
    let listed = slice.iter().map(|item| json!(["job.c", item[0], item[1]]));
    assert_eq!(quickfix, Vec::from_iter(listed));

    let faded = seen["faded"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|each| each["code"] == "outside");
    let faded = Vec::from_iter(faded.map(|each| each["line"].as_u64().unwrap()));
    assert!(
        faded.contains(&16) && !faded.contains(&18) && !faded.contains(&19),
        "{faded:?}"
    );

    assert_eq!(seen["moved"][0]["line"], 12);
    let moved = seen["moved"][0]["message"].as_str().unwrap();
    assert!(moved.contains("edited since"), "{moved}");
    let told = seen["told"].as_str().unwrap();
    assert!(
        told.contains("damaged:") && told.contains("not a task record"),
        "{told}"
    );

    ends(&seen["pid"]);
    seen
}

/// A server ends with the editor.
fn ends(pid: &Value) {
    let server = format!("/proc/{pid}");
    let begun = Instant::now();
    while Path::new(&server).exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!Path::new(&server).exists(), "the server is still there");
}

/// Neovim with our plugin, which runs a script of `tests` in a sandbox.
fn neovim(sandbox: &Sandbox, script: &str) -> Command {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plugin = here.join("../integrations/nvim");
    let mut nvim = Command::new("nvim");
    nvim.args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd"])
        .arg(format!("set runtimepath+={}", plugin.display()))
        .arg("-S")
        .arg(here.join("tests").join(script))
        .current_dir(&sandbox.root)
        .env("HINDMOST", env!("CARGO_BIN_EXE_hindmost"))
        .env("XDG_CACHE_HOME", sandbox.path("cache"))
        .env("XDG_STATE_HOME", sandbox.path("state"));
    nvim
}

/// A server that crashes is started again, three times within a minute.
#[test]
fn a_server_that_was_killed_comes_back_in_neovim() {
    if !installed("nvim") {
        return;
    }
    let sandbox = hung("neovim_restart");
    let output = neovim(&sandbox, "neovim_restart.lua").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let seen =
        std::fs::read(sandbox.path("restarted.json")).unwrap_or_else(|error| panic!("{error}: {said}"));
    let seen: Value = serde_json::from_slice(&seen).unwrap();
    assert_eq!(seen, json!({"back": 4, "stays_away": true}), "{said}");
}
