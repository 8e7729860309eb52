//! Which variables are bound, in which instances, and what is said about the others.

use crate::support::{MapBuilder, Program, binding};
use base::Severity;
use bind::bind;
use progress_map::{Encoding, FunctionInstance, Map, PathStep, Storage};

/// The message about a variable, with its severity.
fn message<'d>(diagnostics: &'d [base::Diagnostic], name: &str) -> Option<(Severity, &'d str)> {
    let quoted = format!("'{name}' of ");
    let found = diagnostics
        .iter()
        .find(|diagnostic| diagnostic.message.starts_with(&quoted))?;
    Some((found.severity, &found.message))
}

#[test]
fn encodings_and_paths() {
    for flags in [["-g", "-O0"], ["-gdwarf-4", "-O1"]] {
        let Some(program) = Program::solve("gcc", &flags) else {
            continue;
        };
        let map = program.bound();
        let expected = [
            ("it", Encoding::Signed(4), vec![]),
            ("err", Encoding::Float(8), vec![]),
            ("m", Encoding::Address, vec![]),
            (
                "m->level",
                Encoding::Signed(4),
                vec![PathStep::Deref, PathStep::Offset(8)],
            ),
            (
                "m->sweep",
                Encoding::Unsigned(4),
                vec![PathStep::Deref, PathStep::Offset(24)],
            ),
            (
                "m->range.last",
                Encoding::Signed(4),
                vec![PathStep::Deref, PathStep::Offset(16)],
            ),
            (
                "m->inner.step",
                Encoding::Signed(2),
                vec![PathStep::Deref, PathStep::Offset(20)],
            ),
            ("*p", Encoding::Float(8), vec![PathStep::Deref]),
            ("phase", Encoding::Signed(4), vec![]),
            ("c", Encoding::Unsigned(8), vec![]),
            ("calls", Encoding::Signed(4), vec![]),
            ("shared_count", Encoding::Signed(4), vec![]),
        ];
        for (name, encoding, path) in expected {
            let mut found = binding(&map)
                .variables
                .iter()
                .filter(|variable| variable.name == name)
                .peekable();
            assert!(found.peek().is_some(), "{}: {name} is missing", program.label);
            for variable in found {
                assert_eq!((variable.encoding, &variable.path), (encoding, &path), "{name}");
            }
        }
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let Some(program) = Program::solve("gcc", &["-g", "-O0"]) else {
        return;
    };
    let mut map = program.map();
    let diagnostics = bind(&mut map, &program.bytes, None, "program").unwrap();
    let expected = [
        ("per_thread", "thread-local"),
        ("stdout", "no definition"),
        ("m->inner.flag", "bit-field"),
        ("m->wide", "'long double'"),
        ("m->nothing", "no member 'nothing'"),
    ];
    for (name, reason) in expected {
        let (severity, text) = message(&diagnostics, name).unwrap_or_else(|| panic!("nothing about {name}"));
        assert!(severity == Severity::Warning && text.contains(reason), "{text}");
        let bound = binding(&map)
            .variables
            .iter()
            .any(|v| v.name == name && !v.locations.is_empty());
        assert!(!bound, "{name}");
    }
    assert_eq!(diagnostics.len(), expected.len(), "{diagnostics:#?}");
    let subject = &diagnostics[0].subject;
    assert!(subject.ends_with("/solve.c") && diagnostics[0].span.line > 0);
}

/// The variables of one name in one function, as (scope, is there a location).
fn scopes(map: &Map, function: &str, name: &str) -> Vec<u64> {
    let binding = binding(map);
    let index = binding.functions.iter().position(|f| f.name == function).unwrap() as u32;
    let mine = binding
        .variables
        .iter()
        .filter(|v| v.instance == FunctionInstance::Concrete(index) && v.name == name);
    let sizes = mine.map(|v| v.scope.iter().map(|(start, end)| end - start).sum());
    sizes.collect()
}

#[test]
fn shadowed_names_have_scopes_inside_each_other() {
    let Some(program) = Program::solve("gcc", &["-g", "-O0"]) else {
        return;
    };
    let map = program.bound();
    let mut sizes = scopes(&map, "shadow", "k");
    sizes.sort_unstable();
    assert_eq!(sizes.len(), 3, "{sizes:?}");
    assert!(0 < sizes[0] && sizes[0] < sizes[2]);
    assert_eq!(scopes(&map, "shadow", "total"), [0], "the whole function");
}

#[test]
fn statics_of_one_name_belong_to_their_files() {
    let Some(program) = Program::solve("gcc", &["-g", "-O2", "-flto"]) else {
        return;
    };
    let map = program.bound();
    let place = |function: &str| {
        let id = map
            .functions
            .iter_enumerated()
            .find(|(_, f)| f.name == function)
            .unwrap()
            .0;
        let instance = FunctionInstance::Anywhere(id);
        let mut found = binding(&map)
            .variables
            .iter()
            .filter(|v| v.instance == instance && v.name == "rounds");
        let variable = found.next().unwrap();
        assert!(found.next().is_none());
        variable.locations[0].expression.clone()
    };
    assert_ne!(place("globals"), place("norm"));
}

#[test]
fn every_inlined_copy_has_its_variables() {
    for (compiler, flags) in [("gcc", ["-g", "-O2"]), ("clang", ["-g", "-O2"])] {
        let Some(program) = Program::solve(compiler, &flags) else {
            continue;
        };
        let map = program.bound();
        let binding = binding(&map);
        let weight = map
            .functions
            .iter_enumerated()
            .find(|(_, f)| f.name == "weight")
            .unwrap()
            .0;
        let copies = binding
            .inlines
            .iter()
            .filter(|inline| inline.function == Some(weight));
        // `weight` is in a header: once below solve, once below norm.
        let callers = copies
            .map(|inline| inline.call_line)
            .collect::<std::collections::BTreeSet<_>>();
        assert!(callers.len() >= 2, "{callers:?}");
        let inlined = |v: &&progress_map::BoundVariable| matches!(v.instance, FunctionInstance::Inlined(_));
        let readable = binding.variables.iter().filter(inlined);
        let readable = readable
            .filter(|v| v.name == "w" && !v.locations.is_empty())
            .count();
        assert!(readable >= 2, "{}: {readable}", program.label);
    }
}

/// A line that no declaration has is forgiven when the name alone says which variable is meant.
#[test]
fn a_wrong_line_is_forgiven_only_for_a_single_variable() {
    let source = "int f(int n)\n{\n    int a = 0;\n    for (int i = 0; i < n; i++)\n        a += i;\n    \
                  for (int i = n; i; i--)\n        a ^= i;\n    return a;\n}\n\nint main(int argc, char **argv)\n{\n    \
                  return f(argc) + !argv;\n}\n";
    let Some(program) = Program::build("gcc", &["-g", "-O0"], &[("f.c", source)]) else {
        return;
    };
    let mut builder = MapBuilder::default();
    let file = builder.file("f.c", source);
    let local = |name: &str, line| {
        let name = name.to_owned();
        Storage::Local { name, line }
    };
    builder.function(
        file,
        "f",
        vec![("a", local("a", 2)), ("i", local("i", 5)), ("n", local("n", 1))],
    );
    let mut map = builder.map;
    let diagnostics = bind(&mut map, &program.bytes, None, "program").unwrap();
    let names = Vec::from_iter(binding(&map).variables.iter().map(|v| v.name.as_str()));
    assert_eq!(names, ["a", "n"]);
    assert!(
        message(&diagnostics, "i")
            .unwrap()
            .1
            .contains("several variables"),
        "{diagnostics:#?}"
    );
}

#[test]
fn outlined_openmp_loops_belong_to_their_function() {
    let source = "int main(int argc, char **argv)\n{\n    double sum = 0;\n    #pragma omp parallel for reduction(+ : sum)\n    \
                  for (int i = 0; i < argc * 100; i++) {\n        for (int j = 0; j < i; j++)\n            sum += j;\n    \
                  }\n    return sum == 1.5 || !argv;\n}\n";
    for flags in [["-g", "-O0", "-fopenmp"], ["-g", "-O2", "-fopenmp"]] {
        let Some(program) = Program::build("gcc", &flags, &[("omp.c", source)]) else {
            return;
        };
        let mut builder = MapBuilder::default();
        let file = builder.file("omp.c", source);
        let j = builder.local(file, "j", "int j");
        builder.function(file, "main", vec![("j", j)]);
        let mut map = builder.map;
        let diagnostics = bind(&mut map, &program.bytes, None, "program").unwrap();
        let functions = &binding(&map).functions;
        assert!(functions.len() >= 2 && functions.iter().all(|f| f.function.is_some() && f.name == "main"));
        let j = binding(&map)
            .variables
            .iter()
            .find(|v| v.name == "j" && !v.locations.is_empty());
        assert!(j.is_some(), "{diagnostics:#?}");
    }
}

#[test]
fn a_changed_source_is_noticed() {
    let Some(program) = Program::solve("gcc", &["-g", "-O0"]) else {
        return;
    };
    let mut map = program.map();
    let id = map
        .functions
        .iter_enumerated()
        .find(|(_, f)| f.name == "solve")
        .unwrap()
        .0;
    map.functions[id].span.line += 100;
    map.functions[id].span.end_line += 100;
    let diagnostics = bind(&mut map, &program.bytes, None, "program").unwrap();
    assert!(binding(&map).functions.iter().all(|f| f.function != Some(id)));
    assert!(
        diagnostics
            .iter()
            .any(|d| d.message.contains("another version of this source")),
        "{diagnostics:#?}"
    );
}

/// The members of `struct sim` are described where its constructor is.
const DECLARED: [(&str, &str); 3] = [
    (
        "sim.h",
        "namespace space { struct Sim { Sim(int n); double time; int cycle; int last; }; }\n",
    ),
    (
        "sim.cc",
        "#include \"sim.h\"\nspace::Sim::Sim(int n) : time(0.5), cycle(0), last(n) {}\n",
    ),
    (
        "main.cc",
        "#include \"sim.h\"
__attribute__((noinline)) int step(space::Sim &sim, int n)
{
    while (sim.cycle < n)
        ++sim.cycle;
    return sim.last;
}
int main(int argc, char **)
{
    space::Sim sim(argc);
    return step(sim, argc);
}
",
    ),
];

/// What the binding says of `sim.cycle`, with `others` compiled into the program, too.
fn declared(others: &[(&str, &str)]) -> Option<Vec<(Vec<PathStep>, Encoding)>> {
    let sources = Vec::from_iter(DECLARED.iter().chain(others).copied());
    let program = Program::build("clang++", &["-g", "-O1"], &sources)?;
    let mut builder = MapBuilder::default();
    let file = builder.file(program.scratch.0.join("main.cc").to_str().unwrap(), DECLARED[2].1);
    let cycle = Storage::Member {
        base: Box::new(builder.local(file, "sim", "int step(")),
        member: "cycle".to_owned(),
        arrow: false,
    };
    builder.function(file, "step", vec![("sim.cycle", cycle)]);
    let mut map = builder.map;
    bind(&mut map, &program.bytes, None, "program").unwrap();
    let found = binding(&map).variables.iter();
    Some(Vec::from_iter(
        found.map(|variable| (variable.path.clone(), variable.encoding)),
    ))
}

#[test]
fn a_class_that_is_only_declared_is_the_one_of_its_name() {
    let Some(alone) = declared(&[]) else { return };
    let place = (vec![PathStep::Deref, PathStep::Offset(8)], Encoding::Signed(4));
    assert_eq!(alone, std::slice::from_ref(&place));
    // Another class of that name is in another namespace, or belongs to its function or file.
    let apart = "struct Sim { int cycle; long more; } apart;
namespace { namespace space { struct Sim { int cycle; } hidden; } }
int use() { struct Sim { int cycle; } own; own.cycle = 1; return own.cycle + apart.cycle + space::hidden.cycle; }
";
    assert_eq!(declared(&[("apart.cc", apart)]), Some(vec![place.clone()]));
    let same = "#include \"sim.h\"\nspace::Sim other(3);\n";
    assert_eq!(declared(&[("same.cc", same)]), Some(vec![place]));
}

#[test]
fn of_two_different_classes_of_one_name_neither_is_taken() {
    for members in ["int cycle; double time;", "double time; float cycle; int last;"] {
        let other = format!("namespace space {{ struct Sim {{ {members} }} other; }}\n");
        let Some(found) = declared(&[("other.cc", &other)]) else {
            return;
        };
        assert_eq!(found, [], "{members}");
    }
}
