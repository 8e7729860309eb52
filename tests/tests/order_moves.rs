//! Every way in which C and C++ let a variable change, each as a loop that is run: operators, operands, casts, other names, captures,
//! bindings.
//!
//! What the map claims of a variable must be what the runs show, for each row of the tables: thousands of operators, operands and
//! types ([`tests::loops::table`]), and the rows that are written in `loops/`. That the analysis does not refuse everything is held by
//! the number of rows that it claims something of.

use progress_map::Map;
use tests::loops::table::{self, Row};
use tests::loops::{Claim, Language, claims, run};
use tests::oracle::judge::Command;

/// How many rows are one program.
const TOGETHER: usize = 1500;

/// Judges rows, `together` of them in one program, and returns how many have a variable that is strict on all ranks, however it is counted.
fn judge(name: &'static str, language: Language, head: &str, rows: &[Row], together: usize) -> usize {
    let command = Command::find().unwrap_or_else(|e| panic!("{e}"));
    let mut won = 0;
    let mut false_claims = Vec::new();
    for rows in rows.chunks(together) {
        let mut sheet = table::sheet(name, language, head, rows);
        sheet.only_claims = true;
        let dir = command.directory(0).unwrap();
        let file = format!("clean.{}", language.ending());
        let map = command.map_as(&dir.path, &file, &sheet.text);
        let bytes = std::fs::read(map.unwrap_or_else(|e| panic!("{e}"))).unwrap();
        let map = Map::from_bytes(&bytes).unwrap();
        let runs = run(&sheet, &map, &dir.path).unwrap_or_else(|e| panic!("{e}"));
        let claims = claims(&sheet, &map, &runs).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(claims.len(), rows.len());
        for (row, (claim, contradictions)) in rows.iter().zip(claims) {
            let Row { before, body, .. } = row;
            won += usize::from(matches!(claim, Claim::StrictSame(_) | Claim::StrictRelative));
            println!("{:<22} {before} | {body}", claim.to_string());
            false_claims.extend(
                contradictions
                    .into_iter()
                    .map(|why| format!("{before} | {body}: {why}")),
            );
        }
    }
    println!("{name}: {won} of {} tell the iteration", rows.len());
    assert!(
        false_claims.is_empty(),
        "{} false claims in {name}:\n{}",
        false_claims.len(),
        false_claims.join("\n")
    );
    won
}

const C_HEAD: &str = include_str!("loops/aliases.h");

/// The head of the tables of C++.
fn cxx_head() -> String {
    include_str!("loops/captures.h").replace("#include \"aliases.h\"\n", C_HEAD)
}

#[test]
fn operators_of_c() {
    let won = judge(
        "operators of C",
        Language::C,
        C_HEAD,
        &table::operators(Language::C),
        TOGETHER,
    );
    assert!(won >= OPERATORS_OF_C, "only {won} rows are claimed");
}

#[test]
fn operators_of_cxx() {
    let rows = table::operators(Language::Cxx);
    let won = judge("operators of C++", Language::Cxx, &cxx_head(), &rows, TOGETHER);
    assert!(won >= OPERATORS_OF_CXX, "only {won} rows are claimed");
}

#[test]
fn other_names_in_c() {
    // Whose address is taken is asked of the whole program, by name: each row is a program of its own.
    let rows = table::written(include_str!("loops/aliases.rows")).unwrap();
    let won = judge("aliases.rows", Language::C, C_HEAD, &rows, 1);
    assert!(won >= ALIASES, "only {won} rows are claimed");
}

#[test]
fn captures_and_references_of_cxx() {
    let rows = table::written(include_str!("loops/captures.rows")).unwrap();
    let won = judge("captures.rows", Language::Cxx, &cxx_head(), &rows, TOGETHER);
    assert!(won >= CAPTURES, "only {won} rows are claimed");
}

#[test]
fn objects_of_cxx() {
    // Members count by name in the whole program: each row is a program of its own.
    let rows = table::written(include_str!("loops/methods.rows")).unwrap();
    let head = include_str!("loops/methods.h");
    let won = judge("methods.rows", Language::Cxx, head, &rows, 1);
    assert!(won >= METHODS, "only {won} rows are claimed");
}

#[test]
fn accessors_of_cxx() {
    let rows = table::written(include_str!("loops/accessors.rows")).unwrap();
    let head = include_str!("loops/accessors.h");
    let won = judge("accessors.rows", Language::Cxx, head, &rows, 1);
    assert!(won >= ACCESSORS, "only {won} rows are claimed");
}

/// How many rows must be claimed.
const OPERATORS_OF_C: usize = 650;
const OPERATORS_OF_CXX: usize = 680;
const ALIASES: usize = 11;
const CAPTURES: usize = 6;
const METHODS: usize = 16;
const ACCESSORS: usize = 9;
