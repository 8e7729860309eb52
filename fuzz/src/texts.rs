//! Small files that lie beside a build: a compilation database, models of functions, the header of an MPI library; and a tree for programs.

use engine::Model;
use project::Trust;
use report::PageSets;
use report::json::TreeJson;
use std::path::Path;

/// Any bytes are read as each of the four, or refused. Of a database no command is run with an option that writes a file, or has the
/// compiler load or run something.
pub(crate) fn texts(bytes: &[u8]) {
    if let Ok(commands) = project::parse_compile_commands(bytes, Path::new("/base")) {
        assert!(commands.files.iter().all(|file| file.is_absolute()));
        for command in &commands.commands {
            let trusted = project::preprocessing(&command.arguments, Trust::Build);
            assert!(trusted.is_ok(), "{trusted:?}");
            if let Ok(words) = project::preprocessing(&command.arguments, Trust::Nothing) {
                let harmful = words.iter().skip(1).find(|word| is_harmful(word));
                assert_eq!(harmful, None, "{words:?}");
            }
        }
    }
    let text = String::from_utf8_lossy(bytes);
    if let Err(error) = Model::parse(&text) {
        assert!(error.line <= text.lines().count(), "{error:?}");
    }
    if let Ok(tree) = serde_json::from_slice::<TreeJson<'_>>(bytes)
        && let Err(error) = tree.tree(&PageSets::default())
    {
        assert!(!error.to_string().is_empty());
    }
    if let Ok(shim) = recorder::shim(&text) {
        assert!(shim.contains("EXPORTED int MPI_Init("));
    }
}

/// Options that write files, or load or run what the tree may have brought; written down apart from those that are let through.
fn is_harmful(word: &str) -> bool {
    const BEGINNINGS: [&str; 26] = [
        "@",
        "-o",
        "--output",
        "-MF",
        "-MD",
        "-MMD",
        "-MJ",
        "--write",
        "-save-temps",
        "--save-temps",
        "-fdump",
        "-dump",
        "-fplugin",
        "-fpass-plugin",
        "-B",
        "-wrapper",
        "-specs",
        "--specs",
        "--config",
        "-Wp,",
        "-Wa,",
        "-Wl,",
        "-Xclang",
        "-Xpreprocessor",
        "-load",
        "-serialize",
    ];
    BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
}

/// One of each kind; a database with options of many sorts.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let database = r#"[{"directory": "/b", "file": "a.c", "command": "gcc -DX=1 -I inc -include x.h -O2 -MD -MF a.d -o a.o -c a.c"},
        {"directory": "b", "file": "b.cc", "output": "b.o",
         "arguments": ["ccache", "/usr/bin/clang++", "-xc++", "-std=c++17", "-isystem", "/x", "-fPIC", "-c", "b.cc"]},
        {"directory": "/b", "file": "c.c", "command": "mpicc -specs=s @more -fplugin=p.so c.c"}]"#;
    let models = "# ours\nmodel = \"IO\" false\n^H5[A-Z]\nread\n";
    let functions = [
        "PMPI_Init(int *argc, char ***argv)",
        "PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)",
        "PMPI_Finalize(void)",
        "PMPI_Waitall(int count, MPI_Request array[], MPI_Status *statuses)",
        "PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)",
        "PMPI_Group_translate_ranks(MPI_Group a, int n, const int ranks1[], MPI_Group b, int ranks2[])",
        "PMPI_Comm_test_inter(MPI_Comm comm, int *flag)",
        "PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)",
    ];
    let header: String = functions
        .iter()
        .map(|function| format!("int {function};\n"))
        .collect();
    let tree = r##"{"schema": "hindmost-tree", "version": 1, "granularity": "point", "tasks": 3, "tasks_are": "ranks", "nodes": [
        {"id": 0, "parent": null, "children": [1], "kind": "root", "function": "", "tasks": "0-2", "stacks": 3, "mark": "none"},
        {"id": 1, "parent": 0, "kind": "frame", "function": "f", "file": "a.c", "line": 3, "pc": "0x10", "tasks": "0,2", "stacks": 2,
         "values": [{"name": "it", "value": 7, "last": "170141183460469231731687303715884105727"}], "mark": "ranked", "rank": 1, "class": 0,
         "siblings": [{"node": 2, "relation": "before", "reason": "r", "reason_code": "line"}], "progress": 0.5},
        {"id": 2, "parent": 0, "kind": "missing", "function": "", "tasks": "1", "mark": "unknown"}],
        "classes": [{"id": 0, "node": 1, "tasks": "0,2", "now": "2"}], "steps": [{"class": "", "node": 0, "branches": [1, 2]}],
        "changes": [{"moved": "0", "came_or_went": ""}]}"##;
    let seeds = [
        ("database", database),
        ("models", models),
        ("header", &header),
        ("tree", tree),
    ];
    seeds
        .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
        .to_vec()
}
