//! Two C parsers that share no code must agree on what programs do: the programs of the corpus, and random ones.
//!
//! Real trees: `cargo xtask second-opinion PATH… -- FLAGS…`.

use std::path::PathBuf;
use tests::oracle::generate::Profile;
use tests::oracle::judge::Directory;
use tests::second::{Comparison, Detail, compare, files_of, installed, program, random_programs};

const COMPILERS: [&str; 2] = ["gcc", "clang-14"];

fn all_agree(found: &Comparison) {
    assert!(found.left_out.is_empty() && found.faults.is_empty(), "{found}");
}

fn mpi_headers(directory: &Directory) -> Vec<String> {
    // The random programs' own mpi.h does for the corpus too: what MPI declares is not compared.
    vec![format!("-I{}", directory.path.display())]
}

#[test]
fn the_corpus_is_read_alike() {
    let corpus = corpus::directory();
    let files = files_of(corpus, "c");
    let headers = [corpus::directory().join("stall.h")];
    for compiler in ["mpicc.openmpi", "mpicc.mpich"]
        .into_iter()
        .filter(|name| installed(name))
    {
        let found = compare(&files, &headers, compiler, &[], Detail::Effects).unwrap();
        all_agree(&found);
        assert!(found.files >= 6 && found.same > 500, "{found}");
        assert_eq!(found.functions.len(), 1, "all of it is understood: {found}");
    }
}

#[test]
fn random_programs_are_read_alike() {
    let directory = Directory::of_seed(None, 0).unwrap();
    let files = random_programs(
        &directory.path,
        &[(Profile::Plain, 0..20), (Profile::Hard, 0..60)],
    );
    for compiler in COMPILERS.into_iter().filter(|name| installed(name)) {
        let found = compare(&files, &[], compiler, &mpi_headers(&directory), Detail::Effects).unwrap();
        all_agree(&found);
        assert!(found.same > 10_000, "{found}");
    }
}

/// The comparison sees what differs: another text is given to the compiler than to the tolerant parser.
#[test]
fn a_difference_is_found() {
    let directory = Directory::of_seed(None, 1).unwrap();
    let path = directory.path.join("x.c");
    std::fs::write(
        &path,
        "int g(int);\n#ifndef EXTRA\n#define EXTRA 0\n#endif\nint f(int n) {\n  while (n > 0) {\n    n--;\n#if EXTRA\n    g(n);\n#endif\n  }\n  return n;\n}\n",
    )
    .unwrap();
    let same = compare(std::slice::from_ref(&path), &[], "gcc", &[], Detail::Effects).unwrap();
    all_agree(&same);
    assert_eq!(
        same.explained["an arm of #if that this build leaves out"], 1,
        "{same}"
    );
    let with = compare(
        std::slice::from_ref(&path),
        &[],
        "gcc",
        &["-DEXTRA=1".to_owned()],
        Detail::Effects,
    )
    .unwrap();
    all_agree(&with);
    assert!(with.explained.is_empty() && with.same == same.same + 1, "{with}");
    let renamed = compare(
        &[path],
        &[],
        "gcc",
        &["-Dg=h".to_owned(), "-DEXTRA=1".to_owned()],
        Detail::Effects,
    )
    .unwrap();
    assert_eq!(renamed.faults.len(), 1, "{renamed}");
}

/// What binds how: every operator, in random expressions. The tolerant parser's grammar once read `!n--` as `(!n)--`.
#[test]
fn random_expressions_are_read_alike() {
    let directory = Directory::of_seed(None, 2).unwrap();
    let files: Vec<PathBuf> = (0..40)
        .map(|seed| {
            let path = directory.path.join(format!("expressions-{seed}.c"));
            std::fs::write(&path, program(seed, 100)).unwrap();
            path
        })
        .collect();
    let found = compare(&files, &[], "gcc", &[], Detail::Operators).unwrap();
    all_agree(&found);
    assert!(found.same > 40_000, "{found}");
}
