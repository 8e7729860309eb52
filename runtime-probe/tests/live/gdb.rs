//! gdb as the oracle: frames, program counters and values of a process that stands still.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

/// A frame as gdb sees it, inlined ones included.
#[derive(Debug)]
pub struct GdbFrame {
    pub pc: u64,
    pub name: String,
    /// It has no stack frame of its own: inlined, or left by a tail call (gdb infers those).
    pub inlined: bool,
    pub line: u32,
    /// The variables asked for that it has, with their values; `None` when optimised out.
    pub values: BTreeMap<String, Option<String>>,
}

/// All frames, innermost first. `variables` are read in every frame that has them in scope.
pub fn frames(pid: u32, variables: &[&str]) -> Vec<GdbFrame> {
    let script = format!(
        r#"
import gdb
def value(frame, name):
    try:
        block = frame.block()
    except RuntimeError:
        return None
    # Innermost scope first, not beyond the function of this frame.
    while block is not None and not block.is_static and not block.is_global:
        for symbol in block:
            if symbol.name == name and (symbol.is_variable or symbol.is_argument):
                value = frame.read_var(symbol)
                if value.is_optimized_out:
                    return "-"
                try:
                    return str(float(value)) if value.type.strip_typedefs().code == gdb.TYPE_CODE_FLT else str(int(value))
                except gdb.error:
                    return "-"
        if block.function is not None:
            break
        block = block.superblock
    return None
frame = gdb.newest_frame()
while frame is not None:
    kind = "inline" if frame.type() in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME) else "normal"
    name = "<signal handler called>" if frame.type() == gdb.SIGTRAMP_FRAME else frame.name() or "??"
    found = " ".join(n + "=" + v for n in {variables:?} for v in [value(frame, n)] if v is not None)
    print("FRAME|%d|%s|%s|%d|%s" % (frame.pc(), kind, name, frame.find_sal().line, found))
    frame = frame.older()
"#
    );
    let file = std::env::temp_dir().join(format!("hindmost-gdb-{}-{pid}.py", std::process::id()));
    fs::write(&file, script).unwrap();
    let output = Command::new("gdb")
        .args([
            "-nx",
            "-batch",
            "-iex",
            "set auto-load off",
            "-iex",
            "set debuginfod enabled off",
        ])
        .args([
            "-ex",
            "set backtrace past-main on",
            "-ex",
            "set backtrace past-entry on",
        ])
        .args(["-p", &pid.to_string(), "-x"])
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let _ = fs::remove_file(&file);
    let text = String::from_utf8_lossy(&output.stdout);
    let frames: Vec<GdbFrame> = text.lines().filter_map(parse).collect();
    assert!(
        !frames.is_empty(),
        "gdb: {text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    frames
}

fn parse(line: &str) -> Option<GdbFrame> {
    let fields: Vec<&str> = line.strip_prefix("FRAME|")?.split('|').collect();
    let [pc, kind, name, line, values] = fields[..] else {
        panic!("{line}")
    };
    Some(GdbFrame {
        pc: pc.parse().unwrap(),
        name: name.to_owned(),
        inlined: kind == "inline",
        line: line.parse().unwrap(),
        values: values
            .split_whitespace()
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap();
                (name.to_owned(), (value != "-").then(|| value.to_owned()))
            })
            .collect(),
    })
}

/// Where each mapped file begins: what to add to the addresses of a position-independent one.
pub fn bases(pid: u32) -> BTreeMap<String, u64> {
    let mut bases = BTreeMap::new();
    for line in fs::read_to_string(format!("/proc/{pid}/maps")).unwrap().lines() {
        let start = u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap();
        let name = line.rsplit(['/', ' ']).next().unwrap();
        bases.entry(name.to_owned()).or_insert(start);
    }
    bases
}
