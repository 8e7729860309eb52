//! Raw against preprocessed: a function that was understood from raw text, and the same function rebuilt from what a
//! compiler's preprocessor made of it, must have the same loops, assignments, branches and calls at the same lines and
//! columns. Neither path to the ir knows of the other, so each is a check of the other.

use base::{Cause, Confidence};
use frontend::{Macros, Source, parse, parse_preprocessed, same_function};
use ir::Function;
use std::path::{Path, PathBuf};
use tests::oracle::generate::Profile;
use tests::oracle::judge::Directory;
use tests::second::{doings, files_of, has_alternatives, installed, preprocess, random_programs};

fn ungrammatical(function: &Function) -> bool {
    let doubt = function.confidence_reason.as_ref();
    doubt.is_some_and(|doubt| doubt.cause == Cause::SyntaxError)
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
            let same = same_function(&rebuilt.functions, function).map(|same| &rebuilt.functions[same]);
            let same = same.unwrap_or_else(|| panic!("{path}: {} was not rebuilt", function.name));
            // What the grammar does not know is an error in either text; all else that makes a reading doubtful is of macros.
            assert!(
                same.confidence == Confidence::Clean || (ungrammatical(function) && ungrammatical(same)),
                "{path}: {} {:?}",
                same.name,
                same.confidence_reason
            );
            if function.confidence == Confidence::Clean && !has_alternatives(function) {
                let place = format!("{compiler}: {path}: {}", function.name);
                assert_eq!(same.span, function.span, "{place}");
                let (one, other) = (doings(function), doings(same));
                let only = |one: &[String], other: &[String]| {
                    let only = one.iter().filter(|each| !other.contains(each));
                    Vec::from_iter(only.cloned())
                };
                let none: Vec<String> = Vec::new();
                assert_eq!(
                    (only(&one, &other), only(&other, &one)),
                    (none.clone(), none),
                    "{place}: as written, and as preprocessed"
                );
                assert_eq!(one, other, "{place}");
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
