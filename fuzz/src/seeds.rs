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
    maps.iter()
        .map(plain)
        .chain(maps.iter().take(2).map(packed))
        .collect()
}

/// Dependence graphs of the small programs, alone and together.
pub(crate) fn graphs() -> Seeds {
    let file = |(text, path): (&str, &str)| engine::SourceFile {
        path: path.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let of = |name: &str, texts: &[(&str, &str)]| {
        let files = texts.iter().copied().map(file).collect();
        let graph = engine::dependence_graph(files, None, &|_| ()).expect("a small program");
        (name.to_owned(), graph.to_bytes())
    };
    let (c, cpp) = ((SMALL_C, "small.c"), (SMALL_CPP, "small.cpp"));
    vec![of("c", &[c]), of("cpp", &[cpp]), of("both", &[c, cpp])]
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

/// The same stacks as STAT writes them, of its newer and its older versions, as gdb, eu-stack and py-spy do, and as we do.
pub(crate) fn foreign() -> Seeds {
    let node = |id: i32, function: &str, line: u32, vars: &str| {
        format!(
            "\t{id} [pos=\"0,0\", label=\"\", fillcolor=\"#e38e38\", fontcolor=\"#000000\", function=\"{function}\", \
             source=\"small.c\", line=\":{line}\", module=\"(null)\", offset=\"(null)\", vars=\"{vars}\", pc=\"(null)\"];\n"
        )
    };
    let edge = |from: i32, to: i32, ranks: &str| {
        format!(
            "\t{from} -> {to} [label=\"(null)\", bv=\"[{ranks}]\", count=\"(null)\", rep=\"(null)\", sum=\"(null)\", tbv=\"(null)\", tcount=\"6\", tbvsum=\"191\"]\n"
        )
    };
    let new = [
        "digraph G {\n\tgraph [type=\"stat_4_2\"];\n\tnode [shape=record,style=filled,labeljust=c,height=0.2];\n".to_owned(),
        "\t0 [pos=\"0,0\", label=\"/\", fillcolor=\"#AAAAAA\", fontcolor=\"#FFFFFF\", function=\"/\", source=\"(null)\", line=\"(null)\"];\n".to_owned(),
        node(-1_086_837_389, "_start", 48, "$it=4"),
        node(7, "descend", 37, "(null)"),
        node(8, "std::vector\\<int\\>::at", 9, "$i=3$x=-0.5"),
        edge(0, -1_086_837_389, "0,3-7"),
        edge(-1_086_837_389, 7, "0,3-6"),
        edge(7, 8, "3-5"),
        "}\n".to_owned(),
    ];
    let old = "digraph G {\n\tnode [shape=record];\n\t0 [label=\"/\"];\n\t1 [label=\"_start@small.c:48$it=4\"];\n\
               \t2 [label=\"descend@small.c:37\\nsweep@small.c:25\"];\n\t3 [label=\"libc.so.6+0x1a2b\"];\n\
               \t0 -> 1 [label=\"4:[0-3]\"]\n\t1 -> 2 [label=\"[0,2]\"]\n\t1 -> 3 [label=\"[1]\"]\n}\n";
    let gdb = "[New LWP 77]\nThread 2 (Thread 0x7f00 (LWP 78) \"w\"):\n#0  0x00007f in poll () from /lib/libc.so.6\n#1  sweep (n=40) at small.c:25\n\n\
               Thread 1 (Thread 0x7f01 (LWP 77) \"app\"):\n#0  0x0000555 in sweep (n=40, f=0x0 <g at x>) at ./small.c:25\n\
               #1  0x0000556 in descend (depth=2,\n    s=...) at ./small.c:37\n#2  _start () at small.c:48\n";
    let eu_stack = "PID 77 - process\nTID 77:\n#0  0x0000000000401 sweep + 0x1c - small.c:25:9\n#1  0x402 - 1 descend\n    small.c:37:2\n\
                    #2  0x403 - 1 [inline] _start\n    small.c:48\nTID 78:\n#0  0x404 __poll@@GLIBC_2.2 + 0x4f - /lib/libc.so.6\n";
    let py_spy = r#"[{"pid":77,"thread_id":1,"thread_name":"MainThread","os_thread_id":77,"active":true,"owns_gil":false,
        "frames":[{"name":"sweep","filename":"/a/small.c","short_filename":"small.c","module":null,"line":25,"locals":null},
        {"name":"<module>","filename":"t.py","line":0}]},{"pid":77,"thread_id":2,"os_thread_id":78,"frames":[]}]"#;
    [
        ("stat-new", new.concat()),
        ("stat-old", old.to_owned()),
        ("gdb", gdb.to_owned()),
        ("eu-stack", eu_stack.to_owned()),
        ("py-spy", py_spy.to_owned()),
    ]
    .map(|(name, text)| (name.to_owned(), text.into_bytes()))
    .to_vec()
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

/// A table of two ranks, as it lies in a launcher's memory.
pub(crate) fn launcher() -> Seeds {
    // The head, two entries of three words, and the names: see `hostile::launcher_table`.
    let words: [u64; 8] = [2, 16, 64, 72, 4711, 64, 72, 4712];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(b"node1\0\0\0");
    bytes.extend(b"/bin/app\0\0\0\0\0\0\0\0");
    vec![("two ranks".to_owned(), bytes)]
}
