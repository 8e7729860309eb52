//! Rows, functions and inlined calls, against the symbolisers of binutils and llvm.

use crate::support::{BUILDS, Position, Program, binding, chain, have, run};
use progress_map::Map;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Addresses all over the functions of the map's sources: all of them for small functions.
fn addresses(map: &Map) -> Vec<u64> {
    let functions = binding(map)
        .functions
        .iter()
        .filter(|function| function.function.is_some());
    functions
        .flat_map(|function| function.start..function.end)
        .collect()
}

/// Feeds addresses to a symboliser and returns its answer.
fn ask(command: &mut Command, addresses: &[u64]) -> String {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let questions = String::from_iter(addresses.iter().map(|address| format!("{address:#x}\n")));
    let writer = std::thread::spawn(move || input.write_all(questions.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// `file:line` or `file:line:column`, with what may follow it.
fn position(function: &str, place: &str, with_column: bool) -> Position {
    let place = place.split(" (discriminator").next().unwrap().trim_end();
    let number = |text: &str| text.parse().unwrap_or(0);
    let (place, column) = if with_column {
        place
            .rsplit_once(':')
            .map(|(place, column)| (place, number(column)))
            .unwrap()
    } else {
        (place, 0)
    };
    let (file, line) = place.rsplit_once(':').unwrap();
    Position {
        function: function.to_owned(),
        file: file.rsplit('/').next().unwrap().to_owned(),
        line: number(line),
        column,
    }
}

#[test]
fn every_address_has_a_row_and_tables_are_in_order() {
    for (compiler, flags) in BUILDS {
        let Some(program) = Program::solve(compiler, flags) else {
            continue;
        };
        let map = program.bound();
        let binding = binding(&map);
        let label = &program.label;
        assert!(binding.rows.iter().all(|row| row.start < row.end));
        assert!(
            binding.rows.windows(2).all(|pair| pair[0].end <= pair[1].start),
            "{label}"
        );
        assert!(
            binding
                .functions
                .windows(2)
                .all(|pair| pair[0].end <= pair[1].start),
            "{label}"
        );
        let mut last = vec![];
        for (index, inline) in binding.inlines.iter().enumerate() {
            let (start, end) = match inline.parent {
                Some(parent) => {
                    assert!((parent as usize) < index, "{label}: a child before its parent");
                    let parent = &binding.inlines[parent as usize];
                    (parent.start, parent.end)
                }
                None => {
                    let mut functions = binding.functions.iter();
                    let function = functions.find(|f| f.start <= inline.start && inline.start < f.end);
                    function.map(|f| (f.start, f.end)).unwrap()
                }
            };
            assert!(
                start <= inline.start && inline.start < inline.end && inline.end <= end,
                "{label}"
            );
            last.push(inline.start);
        }
        assert!(
            last.is_sorted(),
            "{label}: inlined calls are not sorted by address"
        );
        for (id, function) in map.functions.iter_enumerated() {
            // LTO may inline everything into main.
            if flags.contains(&"-flto") && function.name != "main" {
                continue;
            }
            let inlined_only = ["relax", "weight"].contains(&function.name.as_str());
            let pieces = Vec::from_iter(binding.functions.iter().filter(|f| f.function == Some(id)));
            assert!(
                inlined_only || !pieces.is_empty(),
                "{label}: {} has no code",
                function.name
            );
        }
        if compiler == "gcc" && flags.contains(&"-O2") {
            let mut names = binding.functions.iter().map(|function| &function.name);
            let cold = names.clone().filter(|name| *name == "unlikely").count();
            assert!(
                cold == 2 || names.all(|name| name != "unlikely"),
                "{label}: the cold part is missing"
            );
        }
        for address in addresses(&map) {
            let chain = chain(&map, address);
            assert_ne!(chain[0].file, "??", "{label}: no row at {address:#x}");
            let outer = chain.last().unwrap();
            let function = map
                .functions
                .iter()
                .find(|function| function.name == outer.function)
                .unwrap();
            // Line 0 is the compiler's way to say that the code belongs to no line.
            let inside =
                map.files[function.file].path.ends_with(&outer.file) && function.span.covers_line(outer.line);
            assert!(outer.line == 0 || inside, "{label}: {outer:?} at {address:#x}");
        }
    }
}

/// binutils: function and line of the whole chain of inlined calls. Its file is that of the function's unit even for a
/// function of a header, and it loses inlined calls in what clang writes: llvm's symboliser is the oracle for those.
#[test]
fn chains_equal_those_of_addr2line() {
    if !have("addr2line") {
        return;
    }
    for (compiler, flags) in BUILDS.into_iter().filter(|(compiler, _)| *compiler == "gcc") {
        let Some(program) = Program::solve(compiler, flags) else {
            continue;
        };
        let map = program.bound();
        let addresses = addresses(&map);
        let mut command = Command::new("addr2line");
        let answer = ask(
            command.args(["-a", "-i", "-f", "-e"]).arg(&program.path),
            &addresses,
        );
        let mut lines = answer.lines().peekable();
        for address in &addresses {
            let asked = lines.next().unwrap().trim_start_matches("0x");
            assert_eq!(u64::from_str_radix(asked, 16).unwrap(), *address);
            let mut expected = Vec::new();
            while lines.peek().is_some_and(|line| !line.starts_with("0x")) {
                let function = lines.next().unwrap();
                expected.push(position(function, lines.next().unwrap(), false));
            }
            let mut found = chain(&map, *address);
            for position in found.iter_mut().chain(&mut expected) {
                (position.column, position.file) = (0, String::new());
            }
            assert_eq!(found, expected, "{} at {address:#x}", program.label);
        }
        eprintln!(
            "{}: {} addresses equal addr2line's",
            program.label,
            addresses.len()
        );
    }
}

/// llvm: the same with columns.
#[test]
fn chains_equal_those_of_llvm_symbolizer() {
    if !have("llvm-symbolizer") {
        return;
    }
    for (compiler, flags) in BUILDS {
        let Some(program) = Program::solve(compiler, flags) else {
            continue;
        };
        let map = program.bound();
        let addresses = addresses(&map);
        let mut command = Command::new("llvm-symbolizer");
        let answer = ask(
            command
                .args(["--inlining", "--functions=short", "--obj"])
                .arg(&program.path),
            &addresses,
        );
        for (address, block) in addresses.iter().zip(answer.split("\n\n")) {
            let lines = Vec::from_iter(block.lines().filter(|line| !line.is_empty()));
            let expected = Vec::from_iter(lines.chunks(2).map(|pair| position(pair[0], pair[1], true)));
            let found = chain(&map, *address);
            assert_eq!(found, expected, "{} at {address:#x}", program.label);
        }
        eprintln!(
            "{}: {} addresses equal llvm-symbolizer's",
            program.label,
            addresses.len()
        );
    }
}

/// binutils: every line-table row of every unit, as objdump decodes it.
#[test]
fn rows_equal_those_of_objdump() {
    if !have("objdump") {
        return;
    }
    for (compiler, flags) in BUILDS {
        let Some(program) = Program::solve(compiler, flags) else {
            continue;
        };
        let map = program.bound();
        let text = run(Command::new("objdump")
            .arg("--dwarf=decodedline")
            .arg(&program.path));
        let mut rows: Vec<(u64, Option<(String, u32)>)> = Vec::new();
        for line in text.lines() {
            let words = Vec::from_iter(line.split_whitespace());
            let [file, number, address, ..] = words[..] else {
                continue;
            };
            let Some(address) = address
                .strip_prefix("0x")
                .and_then(|hex| u64::from_str_radix(hex, 16).ok())
            else {
                continue;
            };
            let end = number == "-" || words.contains(&"END");
            let file = file.rsplit('/').next().unwrap().to_owned();
            rows.push((address, (!end).then(|| (file, number.parse().unwrap()))));
        }
        assert!(rows.len() > 50, "{}: {text}", program.label);
        let mut compared = 0;
        for pair in rows.windows(2) {
            let [(start, Some((file, line))), (end, _)] = pair else {
                continue;
            };
            if start < end {
                let binding = binding(&map);
                let after = binding.rows.partition_point(|row| row.start <= *start);
                let row = &binding.rows[after.checked_sub(1).expect("a row")];
                assert!(
                    end <= &row.end,
                    "{}: {start:#x}-{end:#x} against {row:x?}",
                    program.label
                );
                assert_eq!(
                    (&crate::support::file_name(&map, row.file), row.line),
                    (file, *line),
                    "{start:#x}"
                );
                compared += 1;
            }
        }
        eprintln!("{}: {compared} rows equal objdump's", program.label);
    }
}
