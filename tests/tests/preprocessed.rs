//! Raw against preprocessed: a function that was understood from raw text, and the same function rebuilt from what a
//! compiler's preprocessor made of it, must have the same loops, assignments, branches and calls at the same lines and
//! columns. Neither path to the ir knows of the other, so each is a check of the other.

use base::Confidence;
use frontend::{Macros, Source, parse, parse_preprocessed, same_function};
use ir::{Callee, ExprKind, Function, LoopKind, StmtKind};
use std::path::{Path, PathBuf};
use tests::oracle::generate::Profile;
use tests::oracle::judge::Directory;
use tests::second::{files_of, installed, preprocess, random_programs};

/// What a function does and where, in order of place.
fn doings(function: &Function) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |span: base::Span, what: String| found.push((span.line, span.column, what));
    for expr in function.exprs.iter() {
        match &expr.kind {
            ExprKind::Call { callee, args } => {
                let name = match callee {
                    Callee::Named(name) => name.clone(),
                    Callee::Macro(name) => format!("macro {name}"),
                    Callee::Indirect(_) => "pointer".to_owned(),
                };
                add(expr.span, format!("calls {name} with {}", args.len()));
            }
            ExprKind::Assign { .. } => add(expr.span, "assigns".to_owned()),
            ExprKind::Step { .. } => add(expr.span, "steps".to_owned()),
            _ => {}
        }
    }
    for stmt in function.stmts.iter() {
        match &stmt.kind {
            StmtKind::Loop { kind, cond, .. } => {
                let once = *kind == LoopKind::DoWhile
                    && cond.is_some_and(|cond| function.exprs[cond].kind == ExprKind::Int(0));
                if !once {
                    add(stmt.span, format!("loops by {kind:?}"));
                }
            }
            StmtKind::If { .. } => add(stmt.span, "asks".to_owned()),
            StmtKind::Return(_) => add(stmt.span, "returns".to_owned()),
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => add(stmt.span, "jumps".to_owned()),
            _ => {}
        }
    }
    for local in function.locals.iter() {
        add(local.span, format!("has {} of type {:?}", local.name, local.ty));
    }
    found.sort();
    found
        .into_iter()
        .map(|(line, column, what)| format!("{line}:{column} {what}"))
        .collect()
}

/// Whether a function depends on the build, or holds macros: then the two readings differ by right.
fn has_alternatives(function: &Function) -> bool {
    let macros = |kind: &ExprKind| {
        matches!(
            kind,
            ExprKind::Call {
                callee: Callee::Macro(_),
                ..
            }
        )
    };
    let arms = function
        .stmts
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Alternatives(_)));
    arms || function.exprs.iter().any(|expr| macros(&expr.kind))
}

/// Compares the two readings of each file; how many functions were compared.
fn compare(files: &[PathBuf], headers: &[PathBuf], compiler: &str, flags: &[String]) -> usize {
    let read = |path: &Path| std::fs::read(path).unwrap();
    let all: Vec<(String, Vec<u8>)> = files
        .iter()
        .chain(headers)
        .map(|path| (path.display().to_string(), read(path)))
        .collect();
    let macros = Macros::gather(all.iter().map(|(path, text)| Source { path, text }));
    let mut compared = 0;
    for (path, text) in &all[..files.len()] {
        let source = Source { path, text };
        let output = preprocess(compiler, flags, Path::new(path)).unwrap();
        let raw = parse(&source, &macros);
        let rebuilt = parse_preprocessed(&source, &output, &macros).unwrap();
        for function in &raw.functions {
            let same = rebuilt.functions.iter().find(|f| same_function(f, function));
            let same = same.unwrap_or_else(|| panic!("{path}: {} was not rebuilt", function.name));
            assert_eq!(
                same.confidence,
                Confidence::Clean,
                "{path}: {} {:?}",
                same.name,
                same.confidence_reason
            );
            if function.confidence == Confidence::Clean && !has_alternatives(function) {
                assert_eq!(
                    (same.span, doings(same)),
                    (function.span, doings(function)),
                    "{compiler}: {path}: {}",
                    function.name
                );
                compared += 1;
            }
        }
        assert_eq!(
            rebuilt.functions.len(),
            raw.functions.len(),
            "{compiler}: {path}: the same functions"
        );
    }
    compared
}

#[test]
fn the_corpus_is_the_same_before_and_after_preprocessing() {
    let corpus = corpus::directory();
    let files = files_of(corpus, "c");
    for compiler in ["mpicc.openmpi", "mpicc.mpich"] {
        if installed(compiler) {
            let compared = compare(&files, &[corpus.join("stall.h")], compiler, &[]);
            assert!(compared > 25, "{compiler}: {compared} functions");
        }
    }
}

#[test]
fn programs_of_cxx_are_the_same_before_and_after_preprocessing() {
    let executed = Path::new(env!("CARGO_MANIFEST_DIR")).join("slices");
    let files = files_of(&executed.join("cxx"), "cpp");
    assert!(files.len() > 30, "{} programs", files.len());
    let flags = [format!("-I{}", executed.display())];
    for compiler in ["g++", "clang++"] {
        if installed(compiler) {
            let compared = compare(&files, &[executed.join("observe.h")], compiler, &flags);
            assert!(compared > 100, "{compiler}: {compared} functions");
        }
    }
    let corpus = corpus::directory();
    let with_mpi = files_of(corpus, "cpp");
    for compiler in ["mpicxx.openmpi", "mpicxx.mpich"] {
        if installed(compiler) {
            let compared = compare(&with_mpi, &[corpus.join("stall.h")], compiler, &[]);
            assert!(compared >= 10, "{compiler}: {compared} functions");
        }
    }
}

#[test]
fn random_programs_are_the_same_before_and_after_preprocessing() {
    let directory = Directory::of_seed(None, 3).unwrap();
    let files = random_programs(
        &directory.path,
        &[(Profile::Plain, 100..120), (Profile::Hard, 100..150)],
    );
    let flags = vec![format!("-I{}", directory.path.display())];
    for compiler in ["gcc", "clang-14"] {
        if installed(compiler) {
            let compared = compare(&files, &[], compiler, &flags);
            assert!(compared > 200, "{compiler}: {compared} functions");
        }
    }
}
