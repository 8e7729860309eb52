//! The analysis of loops, per thousand of them, beside the parsing of the same text.

use crate::{least, program};
use base::FileKind;
use progress_map::Map;
use std::fmt::Write;
use std::path::Path;
use walkdir::WalkDir;

/// Functions in the generated program, four loops each.
const FUNCTIONS: usize = 1_000;

/// Prints the table.
///
/// # Errors
/// When the tree cannot be read.
pub fn print(tree: Option<&Path>) -> Result<(), String> {
    let files = match tree {
        Some(tree) => read(tree)?,
        None => vec![("generated.c".to_owned(), generated().into_bytes())],
    };
    let lines: usize = files
        .iter()
        .map(|(_, text)| text.split(|&byte| byte == b'\n').count())
        .sum();
    let (parsing, units) = least(|| program::units(&files));
    let (analysing, map) = least(|| lov::analyse(&units));
    let loops = loops(&map).max(1);
    println!(
        "\nLoop-order variables of {lines} lines, {loops} loops (analysis on all processors, parsing on one)\n"
    );
    let per_thousand = |time: std::time::Duration| time.as_secs_f64() * 1e6 / loops as f64;
    println!(
        "{:<44} {:>7.2} ms",
        "parse, per thousand loops",
        per_thousand(parsing)
    );
    println!(
        "{:<44} {:>7.2} ms",
        "analyse, per thousand loops",
        per_thousand(analysing)
    );
    Ok(())
}

fn loops(map: &Map) -> usize {
    map.functions.iter().map(|function| function.loops.len()).sum()
}

fn read(tree: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut files = Vec::new();
    for entry in WalkDir::new(tree).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        let path = entry.path().display().to_string();
        let is_c = matches!(FileKind::of(&path), Some(FileKind::C | FileKind::Header));
        if is_c && entry.file_type().is_file() {
            let text = std::fs::read(entry.path()).map_err(|error| format!("{path}: {error}"))?;
            files.push((path, text));
        }
    }
    Ok(files)
}

/// Functions that call each other, with loops of the common kinds.
fn generated() -> String {
    let mut text = String::from("int work(int); double residual(void);\n");
    for number in 0..FUNCTIONS {
        let callee = number / 2;
        // A string takes everything.
        let _ = write!(
            text,
            "void f{number}(int n, double *a, int *p) {{\n  int i, k = 0;\n  double t = 0.0, dt = 0.25;\n  \
             for (i = p[0]; i < n; i++) {{ a[i] = work(i); }}\n  \
             while (residual() > 1e-6) {{ k++; if (k > n) break; work(k); }}\n  \
             do {{ t += dt; {call} }} while (t < n);\n  \
             for (int m = n; m > 1; m /= 2) {{ work(m); }}\n}}\n",
            call = if number == 0 {
                String::new()
            } else {
                format!("f{callee}(n - 1, a, p);")
            },
        );
    }
    text.push_str("int main(int argc, char **argv) { double a[9]; int p[2]; f999(argc, a, p); f998(argc, a, p); return 0; }\n");
    text
}
