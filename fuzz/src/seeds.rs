//! Inputs that are good: programs as compilers of this machine make them, stacks in them, cores of them, maps of them,
//! and the source that they are made of.

mod core_file;

use core_file::STACK;
use engine::{Map, SourceFile};
use progress_map::generate::{arbitrary, bind, synthetic, verbatim_bytes};
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

const SMALL_C: &str = include_str!("../programs/small.c");
const SMALL_CPP: &str = include_str!("../programs/small.cpp");

type Seeds = Vec<(String, Vec<u8>)>;

/// The map of the program that most seeds are compiled from: what debug info says about other names is not looked at.
pub(crate) static SMALL: LazyLock<Map> = LazyLock::new(|| map_of(SMALL_C, "small.c"));

/// The map of one file.
pub(crate) fn map_of(text: &str, path: &str) -> Map {
    let file = SourceFile {
        path: path.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    engine::map_sources(vec![file], &|_| ())
}

/// The ways in which debug info comes: versions, compilers, levels of optimisation, compressed or not, without a table of
/// unwind entries, for a shared object.
const BUILDS: [(&str, &str); 8] = [
    ("gcc", "-g -O0"),
    ("gcc", "-g -O2"),
    ("gcc", "-gdwarf-4 -O3 -Wl,--no-eh-frame-hdr"),
    ("gcc", "-g -gz -O1"),
    ("gcc", "-g -O2 -shared -fPIC"),
    ("gcc", "-g -O1 -fno-asynchronous-unwind-tables -fno-exceptions"),
    ("clang", "-g -O2"),
    ("clang", "-gdwarf-4 -O1"),
];

/// The small program in each of these builds.
pub(crate) fn programs() -> Seeds {
    built().collect()
}

/// The same one after the other: who needs the first only waits for no other compiler.
pub(crate) fn built() -> impl Iterator<Item = (String, Vec<u8>)> {
    let built = |(number, (compiler, flags)): (usize, &(&str, &str))| {
        Some((format!("{compiler}-{number}"), compile(compiler, flags)?))
    };
    BUILDS.iter().enumerate().filter_map(built)
}

/// The program without a C library: small enough for a fuzzer.
fn compile(compiler: &str, flags: &str) -> Option<Vec<u8>> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let directory = std::env::temp_dir().join(format!("hindmost-fuzz-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
    let source = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/programs/small.c"));
    let program = directory.join("small");
    let done = Command::new(compiler)
        .args(flags.split_whitespace())
        .args([
            "-nostdlib",
            "-fno-stack-protector",
            "-fno-builtin",
            "-Wl,--build-id",
        ])
        // Nothing between the sections that has to be gone through.
        .args(["-Wl,-z,noseparate-code", "-Wl,-z,max-page-size=4096"])
        .args((!flags.contains("-shared")).then_some("-static"))
        .arg("-o")
        .args([&program, &source])
        .output();
    let bytes = match done {
        Ok(output) if output.status.success() => std::fs::read(&program).ok(),
        Ok(output) => panic!("{compiler} {flags}: {}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => None,
    };
    let _ = std::fs::remove_dir_all(directory);
    bytes
}

/// A stack in front of each program: words that lead on within it.
pub(crate) fn stacks() -> Seeds {
    let with_stack = |(name, program): (String, Vec<u8>)| {
        let words = Vec::from_iter((0..80u64).map(|word| match word {
            // Registers, the stack and base pointers among them.
            6 | 7 => STACK + 64,
            0..=16 => word,
            // Return addresses of a program that is linked in the usual way, between addresses of the stack.
            _ if word % 2 == 0 => 0x40_0180 + 8 * (word % 20),
            _ => STACK + 8 * word,
        }));
        let mut bytes = u16::try_from(8 * words.len())
            .unwrap_or_default()
            .to_le_bytes()
            .to_vec();
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(program);
        (name, bytes)
    };
    built().map(with_stack).collect()
}

/// Cores in whose memory such a program lies.
pub(crate) fn cores() -> Seeds {
    let made = |(name, program): (String, Vec<u8>)| (name, core_file::with_image(&program));
    let mut seeds: Seeds = built().take(3).map(made).collect();
    seeds.push(("bare".to_owned(), core_file::with_image(&[])));
    seeds
}

/// Maps that are made up, and those of the small program, bound or not.
pub(crate) fn maps() -> Seeds {
    let mut bound = synthetic(12, 5);
    bound.binding = Some(bind(&bound, 6));
    let mut maps = vec![("synthetic".to_owned(), bound)];
    maps.extend((0..12).map(|seed| (format!("arbitrary-{seed}"), arbitrary(seed))));
    maps.push(("small-cpp".to_owned(), map_of(SMALL_CPP, "small.cpp")));
    for (name, program) in built().take(2) {
        let mut map = SMALL.clone();
        let program = ::bind::Program {
            executable: &program,
            ..::bind::Program::default()
        };
        let found = ::bind::bind_program(&mut map, &program, "small");
        assert!(found.is_ok(), "{found:?}");
        maps.push((name, map));
    }
    // Little gets through the inflating of a changed column.
    let packed = |(name, map): &(String, Map)| (format!("{name}-packed"), map.to_bytes());
    let plain = |(name, map): &(String, Map)| (name.clone(), verbatim_bytes(map));
    { maps.iter().map(plain) }
        .chain(maps.iter().take(2).map(packed))
        .collect()
}

/// Recorded stacks of the small program, with all that a record may hold; and a process table.
pub(crate) fn recorded() -> Seeds {
    let frame = |function: &str, line: u32, values: &str| {
        format!(
            r#"{{"function":"{function}","file":"small.c","line":{line},"column":9,"values":{{{values}}}}}"#
        )
    };
    let task = |rank: u32, it: i64, rest: &str| {
        let frames = [
            frame("_start", 48, &format!(r#""it":{it}"#)),
            frame("descend", 37, r#""depth":2"#),
            frame("sweep", 25, &format!(r#""i":{},"n":40"#, 2 * it)),
        ];
        format!(
            r#"{{"task":"{rank}","rank":{rank},"pid":{},"frames":[{}]{rest}}}"#,
            100 + rank,
            frames.join(",")
        )
    };
    let thread = r#","threads":[{"thread":7,"name":"w","frames":[{"function":"sweep","module":"small","pc":4198400}]}]"#;
    let error = r#","error":"the chain of frames does not end","held_ns":9000"#;
    let text = [
        r#"{"hindmost_snapshot":1,"host":"node1","window_us":40}"#.to_owned(),
        task(0, 4, ""),
        task(1, 4, thread),
        task(2, 3, error),
        task(3, 5, r#","since":"x""#),
    ];
    vec![
        ("snapshot".to_owned(), text.join("\n").into_bytes()),
        ("bare".to_owned(), text[1..3].join("\n").into_bytes()),
        (
            "table".to_owned(),
            b"login1:700\n0 node1:31 /home/a/app\n1 node2:44 /home/a b\n".to_vec(),
        ),
    ]
}

/// The small programs, with the byte in front that says what they are.
pub(crate) fn sources() -> Seeds {
    let header =
        "#define EACH(i, n) for (int i = 0; i < (n); i++)\n#define LEAVE(x) do { return x; } while (0)\n";
    let preprocessed = format!("# 1 \"a.c\"\n{SMALL_C}");
    let with = |kind: u8, texts: &[&str]| {
        let mut bytes = vec![kind];
        bytes.extend(texts.join("\0").bytes());
        bytes
    };
    vec![
        ("c".to_owned(), with(0, &[SMALL_C])),
        ("c-and-header".to_owned(), with(8, &[SMALL_C, header])),
        ("cpp".to_owned(), with(1, &[SMALL_CPP, header])),
        ("preprocessed".to_owned(), with(4, &[SMALL_C, &preprocessed])),
        ("header".to_owned(), with(3, &[header, SMALL_CPP, SMALL_C])),
    ]
}
