//! Man pages and completions, made from the arguments: one of each command, and readable by those who show them.

use crate::support::{Sandbox, installed};
use std::process::Command;

/// The commands that `--help` lists.
fn commands(sandbox: &Sandbox) -> Vec<String> {
    let help = sandbox.ok(&["--help"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn each_command_has_a_page_and_is_completed() {
    let sandbox = Sandbox::new("pages");
    sandbox.ok(&["generate-pages", "pages"]);
    let read = |name: &str| std::fs::read_to_string(sandbox.path("pages").join(name)).unwrap();
    let all = commands(&sandbox);
    assert!(all.iter().any(|name| name == "find") && all.len() > 15, "{all:?}");
    let shells = ["bash/hindmost.bash", "zsh/_hindmost", "fish/hindmost.fish"].map(read);
    for name in all.iter().filter(|name| *name != "help") {
        let page = read(&format!("man1/hindmost-{name}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
        let usage = page.replace("\\-", "-");
        assert!(usage.contains(&format!("hindmost-{name}")), "{name}");
        assert!(shells.iter().all(|shell| shell.contains(name.as_str())), "{name}");
    }
    let find = read("man1/hindmost-find.1").replace("\\-", "-");
    for option in ["--twice", "--hosts", "--explain"] {
        assert!(find.contains(option), "{option}");
    }
    if installed("groff") {
        let output = Command::new("groff")
            .args(["-man", "-Kutf8", "-Tutf8", "-wmac", "pages/man1/hindmost-find.1"])
            .current_dir(&sandbox.root)
            .output()
            .unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert!(output.stdout.len() > 1000);
    }
    let why = sandbox.refused(&["generate-pages", "/dev/null/pages"]);
    assert!(why.contains("/dev/null/pages"), "{why}");
}
