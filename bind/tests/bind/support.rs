//! Compiling small programs, and maps of them made by hand.

use base::Span;
use bind::bind;
use progress_map::generate::{self, bare_function};
use progress_map::{
    Binding, File, FileId, Function, FunctionId, FunctionInstance, Loop, LoopSource, Lov, Map, PointId,
    Storage,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Every way of compiling that the tests go through.
pub const BUILDS: [(&str, &[&str]); 9] = [
    ("gcc", &["-g", "-O0"]),
    ("gcc", &["-g", "-O2"]),
    ("gcc", &["-g", "-O3", "-no-pie"]),
    ("gcc", &["-g", "-gdwarf-4", "-O2"]),
    ("gcc", &["-g", "-Og", "-gz"]),
    ("gcc", &["-g", "-O2", "-flto"]),
    ("clang", &["-g", "-O0"]),
    ("clang", &["-g", "-O2"]),
    ("clang", &["-g", "-gdwarf-5", "-O3", "-no-pie"]),
];

/// A directory that is removed with its value.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "hindmost-bind-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        // Debug info names the directory without symbolic links.
        let parent = std::env::temp_dir().canonicalize().unwrap();
        let path = parent.join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether `tool` can be started. A missing tool fails the test in CI and skips it, loudly, elsewhere.
pub fn have(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    assert!(
        found || std::env::var_os("CI").is_none(),
        "{tool} is missing: install it for CI"
    );
    if !found {
        eprintln!("SKIPPED a part of this test: {tool} is not installed");
    }
    found
}

/// Runs a command and returns what it printed.
pub fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bind/programs")
}

/// The sources of the larger program.
pub const SOLVE: [&str; 3] = ["mesh.h", "norm.c", "solve.c"];

/// A compiled program with its sources in a directory of its own.
pub struct Program {
    pub scratch: Scratch,
    pub label: String,
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl Program {
    /// Compiles the larger program; `None` when the compiler is missing.
    pub fn solve(compiler: &str, flags: &[&str]) -> Option<Self> {
        let sources = SOLVE.map(|name| (name, std::fs::read_to_string(programs().join(name)).unwrap()));
        let sources = sources.each_ref().map(|(name, source)| (*name, source.as_str()));
        Self::build(compiler, flags, &sources)
    }

    /// Compiles `sources` (headers are not passed on); `None` when the compiler is missing.
    pub fn build(compiler: &str, flags: &[&str], sources: &[(&str, &str)]) -> Option<Self> {
        if !have(compiler) {
            return None;
        }
        let scratch = Scratch::new();
        for (name, source) in sources {
            let path = scratch.0.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, source).unwrap();
        }
        let path = scratch.0.join("program");
        let inputs = sources
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| !name.ends_with(".h"));
        let mut command = Command::new(compiler);
        command
            .current_dir(&scratch.0)
            .args(flags)
            .args(["-o", "program"]);
        run(command.args(inputs).arg("-lm"));
        let bytes = std::fs::read(&path).unwrap();
        Some(Self {
            scratch,
            label: format!("{compiler} {}", flags.join(" ")),
            path,
            bytes,
        })
    }

    /// A map of the larger program, with absolute paths.
    pub fn map(&self) -> Map {
        let mut builder = MapBuilder::default();
        for name in SOLVE {
            let source = std::fs::read_to_string(programs().join(name)).unwrap();
            builder.file(self.scratch.0.join(name).to_str().unwrap(), &source);
        }
        builder.solve_program();
        builder.map
    }

    /// The map, bound to the program.
    pub fn bound(&self) -> Map {
        let mut map = self.map();
        let diagnostics = bind(&mut map, &self.bytes, None, "program");
        diagnostics.unwrap_or_else(|error| panic!("{}: {error}", self.label));
        map
    }
}

/// Makes maps by hand.
#[derive(Default)]
pub struct MapBuilder {
    pub map: Map,
    sources: Vec<String>,
}

impl MapBuilder {
    pub fn file(&mut self, path: &str, source: &str) -> FileId {
        self.sources.push(source.to_owned());
        let mut files = Vec::from_iter(self.map.files.iter().cloned());
        files.push(File {
            path: path.to_owned(),
            hash: [0; 32],
        });
        self.map.files = files.into();
        self.map.files.ids().last().unwrap()
    }

    /// Adds the function whose definition starts at the beginning of a line that has `name(`, with one loop that has
    /// the given variables.
    pub fn function(&mut self, file: FileId, name: &str, variables: Vec<(&str, Storage)>) -> FunctionId {
        use base::Id as _;
        let source = &self.sources[file.index()];
        let lines = Vec::from_iter(source.lines());
        let is_definition = |line: &&str| {
            line.contains(&format!("{name}(")) && !line.starts_with(' ') && !line.ends_with(';')
        };
        let start = lines
            .iter()
            .position(is_definition)
            .unwrap_or_else(|| panic!("no {name}"));
        let end = start + lines[start..].iter().position(|line| *line == "}").unwrap();
        let span = Span {
            line: start as u32 + 1,
            column: 1,
            end_line: end as u32 + 1,
            end_column: 2,
        };
        let lovs = variables
            .into_iter()
            .map(|(name, storage)| lov(name, storage))
            .collect();
        let id = self.map.functions.push(Function {
            loops: vec![Loop {
                parent: None,
                source: LoopSource::For,
                span,
                header: PointId::from_index(0),
                reducible: true,
                lovs,
                refused: Vec::new(),
            }]
            .into(),
            ..bare_function(name, file, span)
        });
        // Who else knows objects has tests of its own.
        generate::hand_in(&mut self.map);
        id
    }

    /// The first line of the file's source that contains `text`.
    pub fn line(&self, file: FileId, text: &str) -> u32 {
        use base::Id as _;
        let mut lines = self.sources[file.index()].lines();
        1 + lines
            .position(|line| line.contains(text))
            .unwrap_or_else(|| panic!("no {text}")) as u32
    }

    pub fn local(&self, file: FileId, name: &str, declaration: &str) -> Storage {
        Storage::Local {
            name: name.to_owned(),
            line: self.line(file, declaration),
        }
    }

    fn solve_program(&mut self) {
        let files = Vec::from_iter(self.map.files.ids());
        let (mesh, norm, solve) = (files[0], files[1], files[2]);
        let global = |name: &str| Storage::Global {
            name: name.to_owned(),
        };
        let member = |base: Storage, name: &str, arrow| Storage::Member {
            base: Box::new(base),
            member: name.to_owned(),
            arrow,
        };
        let local = |name: &str, declaration: &str| self.local(solve, name, declaration);
        let it = local("it", "int it = 0");
        let err = local("err", "double err");
        let limit = local("limit", "double solve(");
        let i = local("i", "for (int i = 1");
        let n = local("n", "static double relax(");
        let total = local("total", "int total");
        let outer = local("k", "for (int k = 0");
        let inner = local("k", "int k = j * 2");
        let down = local("k", "for (int k = n");
        let j = local("j", "for (int j = 0");
        let m = local("m", "long walk(");
        let whole = local("whole", "long walk(");
        let p = local("p", "long walk(");
        let calls = local("calls", "static int calls");
        let phase = local("phase", "enum phase phase");
        let c = local("c", "counter c = 0");
        let e = local("e", "int e = 0");
        let q = self.local(norm, "q", "int q = 0");
        let w = self.local(mesh, "w", "int w = 0");
        self.function(solve, "relax", vec![("i", i), ("n", n)]);
        self.function(solve, "solve", vec![("it", it), ("err", err), ("limit", limit)]);
        // The same recorded name with three storages: the probe takes the one with the smallest scope.
        let shadowed = vec![
            ("k", outer),
            ("k", inner),
            ("k", down),
            ("j", j),
            ("total", total),
        ];
        self.function(solve, "shadow", shadowed);
        let range = member(m.clone(), "range", true);
        let through = vec![
            ("m", m.clone()),
            ("m->level", member(m.clone(), "level", true)),
            ("m->sweep", member(m.clone(), "sweep", true)),
            ("m->range.last", member(range, "last", false)),
            (
                "m->inner.flag",
                member(member(m.clone(), "inner", true), "flag", false),
            ),
            (
                "m->inner.step",
                member(member(m.clone(), "inner", true), "step", false),
            ),
            ("m->wide", member(m.clone(), "wide", true)),
            ("m->nothing", member(m, "nothing", true)),
            ("whole->level", member(whole, "level", true)),
            ("*p", Storage::Pointee(Box::new(p))),
            ("calls", calls),
            ("phase", phase),
            ("c", c),
        ];
        self.function(solve, "walk", through);
        let shared = vec![
            ("shared_count", global("shared_count")),
            ("rounds", global("rounds")),
            ("per_thread", global("per_thread")),
            ("stdout", global("stdout")),
        ];
        self.function(solve, "globals", shared);
        self.function(solve, "unlikely", vec![("e", e)]);
        self.function(solve, "report", Vec::new());
        self.function(solve, "main", Vec::new());
        self.function(norm, "norm", vec![("q", q), ("rounds", global("rounds"))]);
        self.function(mesh, "weight", vec![("w", w)]);
    }
}

fn lov(name: &str, storage: Storage) -> Lov {
    Lov {
        storage,
        step: None,
        start: None,
        ..generate::lov(name)
    }
}

/// A source position and the function that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub function: String,
    /// The last component of the path.
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// The sources of an executable with at most a separate debug file.
pub fn sources(executable: &[u8], debug: Option<&[u8]>) -> Result<bind::Sources, bind::BindError> {
    bind::sources(&bind::Program {
        executable,
        debug,
        ..bind::Program::default()
    })
}

pub fn binding(map: &Map) -> &Binding {
    map.binding.as_ref().unwrap()
}

/// The last component of a file's path.
pub fn file_name(map: &Map, file: Result<FileId, u32>) -> String {
    let path = match file {
        Ok(file) => map.files[file].path.as_str(),
        Err(other) => binding(map).other_files[other as usize].as_str(),
    };
    path.rsplit('/').next().unwrap().to_owned()
}

/// The records whose code has `address`: the function, then inlined calls, the innermost last.
pub fn instances(binding: &Binding, address: u64) -> Vec<FunctionInstance> {
    let covers = |start: u64, end: u64| start <= address && address < end;
    let Some(function) = binding.functions.iter().position(|f| covers(f.start, f.end)) else {
        return Vec::new();
    };
    let mut chain = vec![FunctionInstance::Concrete(function as u32)];
    let mut parent = None;
    loop {
        let inner = binding.inlines.iter().enumerate();
        let mut inner =
            inner.filter(|(_, inline)| inline.parent == parent && covers(inline.start, inline.end));
        let Some((index, _)) = inner.next() else { break };
        assert!(
            inner.next().is_none(),
            "{address:#x} is in two inlined calls side by side"
        );
        parent = Some(index as u32);
        chain.push(FunctionInstance::Inlined(index as u32));
    }
    chain
}

/// What the binding says about `address`, innermost first; the innermost has the row's position.
pub fn chain(map: &Map, address: u64) -> Vec<Position> {
    let binding = binding(map);
    let after = binding.rows.partition_point(|row| row.start <= address);
    let row = binding.rows[..after].last().filter(|row| address < row.end);
    let (mut file, mut line, mut column) = match row {
        Some(row) => (file_name(map, row.file), row.line, row.column),
        None => ("??".to_owned(), 0, 0),
    };
    let mut chain = Vec::new();
    for instance in instances(binding, address).into_iter().rev() {
        let (function, call) = match instance {
            FunctionInstance::Inlined(index) => {
                let inline = &binding.inlines[index as usize];
                let call = (
                    file_name(map, inline.call_file),
                    inline.call_line,
                    inline.call_column,
                );
                (inline.name.clone(), Some(call))
            }
            FunctionInstance::Concrete(index) => (binding.functions[index as usize].name.clone(), None),
            FunctionInstance::Anywhere(_) => unreachable!(),
        };
        chain.push(Position {
            function,
            file,
            line,
            column,
        });
        (file, line, column) = call.unwrap_or_default();
    }
    chain
}
