//! The tables against the `mpi.h` of each MPI on this machine: somebody else's account of the same functions.

use library::{Access, Argument, function};
use std::process::{Command, Stdio};

/// What a preprocessor makes of `mpi.h`; `None` without that compiler.
fn preprocessed(compiler: &str) -> Option<String> {
    let mut command = Command::new(compiler);
    command.args(["-E", "-P", "-x", "c", "-include", "mpi.h", "/dev/null"]);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The names and parameters of all functions of MPI that a header declares.
fn declared(text: &str) -> Vec<(&str, Vec<String>)> {
    let mut found = Vec::new();
    for statement in text.split([';', '{', '}']) {
        let words = statement.match_indices("MPI_").map(|(at, _)| at);
        let mut starts =
            words.filter(|&at| !statement[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
        // Types of MPI, and attributes, may stand in front of the name.
        let declaration = starts.find_map(|at| {
            let (name, rest) = statement[at..].split_once('(')?;
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let name = name.trim_end();
            let is_function =
                name.chars().all(is_name) && name[4..].contains(|c: char| c.is_ascii_lowercase());
            (is_function && !statement.contains("typedef")).then_some((name, rest.split_once(')')?.0))
        });
        let Some((name, parameters)) = declaration else {
            continue;
        };
        let parameters = parameters.split(',').map(|parameter| parameter.trim().to_owned());
        found.push((
            name,
            parameters
                .filter(|parameter| !["", "void", "..."].contains(&parameter.as_str()))
                .collect(),
        ));
    }
    found
}

/// Whether what a row says of an argument can be of a parameter that is declared so.
fn fits(argument: Argument, parameter: &str) -> bool {
    let is_function = ["_function", "_fn"]
        .iter()
        .any(|part| parameter.split(' ').next().is_some_and(|ty| ty.contains(part)));
    if is_function {
        return argument.access == Access::Calls;
    }
    let is_pointer = parameter.contains(['*', '[']);
    let is_constant = parameter.starts_with("const ");
    match argument.access {
        Access::Value | Access::Object => !is_pointer,
        Access::Reads | Access::ReadsLater => is_pointer,
        Access::Writes => is_pointer && !is_constant,
        // Others may write to what is attached or has its address taken.
        Access::WritesLater => is_pointer,
        Access::Calls => false,
    }
}

#[test]
fn tables_agree_with_the_headers_of_this_machine() {
    let mut headers = 0;
    for compiler in ["mpicc.mpich", "mpicc.openmpi", "mpicc"] {
        let Some(text) = preprocessed(compiler) else {
            continue;
        };
        headers += 1;
        let declared = declared(&text);
        assert!(
            declared.len() > 380,
            "{compiler}: only {} functions",
            declared.len()
        );
        for (name, parameters) in declared {
            let Some(row) = function(name) else {
                panic!("{compiler}: no row for {name}");
            };
            assert_eq!(
                row.arguments.len(),
                parameters.len(),
                "{compiler}: arguments of {name}: {parameters:?}"
            );
            for (index, parameter) in parameters.iter().enumerate() {
                let argument = row.arguments[index];
                assert!(
                    fits(argument, parameter),
                    "{compiler}: argument {index} of {name}, {parameter}: {argument:?}"
                );
            }
        }
    }
    assert!(headers > 0, "no compiler for MPI on this machine");
}
