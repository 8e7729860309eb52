//! Holds functions as raw text has them against the same functions as the preprocessor left them, on a real tree: `two-readings
//! COMPILER DIR… -- FLAGS…`. Compared are functions that are clean in both and hold no macros and no `#if`.

use base::Confidence;
use frontend::{Macros, Source, parse, parse_preprocessed, same_function};
use std::collections::BTreeSet;
use tests::second::{doings, has_alternatives, preprocess};

fn main() {
    let args = Vec::from_iter(std::env::args().skip(1));
    let mut parts = args.splitn(2, |arg| arg == "--");
    let Some([compiler, directories @ ..]) = parts.next() else {
        eprintln!("usage: two-readings COMPILER DIR… -- FLAGS…");
        std::process::exit(2);
    };
    let flags = parts.next().unwrap_or_default();
    let entries = directories
        .iter()
        .flat_map(|directory| walkdir::WalkDir::new(directory).sort_by_file_name());
    let ending = |path: &std::path::Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.unwrap_or_default().to_owned()
    };
    let all: Vec<(String, Vec<u8>)> = entries
        .flatten()
        .filter(|entry| ["c", "cc", "cpp", "cxx", "h", "hpp"].contains(&ending(entry.path()).as_str()))
        .filter_map(|entry| {
            let text = std::fs::read(entry.path()).ok()?;
            Some((entry.path().display().to_string(), text))
        })
        .collect();
    let macros = Macros::gather(all.iter().map(|(path, text)| Source { path, text }));
    let (mut files, mut failed, mut compared, mut partial, mut differ) = (0, 0, 0, 0, 0);
    for (path, text) in &all {
        if ["h", "hpp"].contains(&ending(std::path::Path::new(path)).as_str()) {
            continue;
        }
        let source = Source { path, text };
        let Ok(output) = preprocess(compiler, flags, std::path::Path::new(path)) else {
            failed += 1;
            continue;
        };
        files += 1;
        let raw = parse(&source, &macros);
        let rebuilt = match parse_preprocessed(&source, &output, &macros) {
            Ok(rebuilt) => rebuilt,
            Err(why) => {
                println!("{path}: {why}");
                continue;
            }
        };
        for function in &raw.functions {
            let Some(same) = same_function(&rebuilt.functions, function).map(|same| &rebuilt.functions[same])
            else {
                continue;
            };
            if same.confidence == Confidence::Partial {
                partial += usize::from(function.confidence == Confidence::Clean);
                if function.confidence == Confidence::Clean {
                    println!("{path}: {}: {:?}", function.name, same.confidence_reason);
                }
                continue;
            }
            if function.confidence != Confidence::Clean || has_alternatives(function) {
                continue;
            }
            compared += 1;
            let (one, other) = (doings(function), doings(same));
            if one != other {
                differ += 1;
                let (one, other) = (BTreeSet::from_iter(one), BTreeSet::from_iter(other));
                println!(
                    "{path}: {}: raw {:?}, preprocessed {:?}",
                    function.name,
                    one.difference(&other).take(3).collect::<Vec<_>>(),
                    other.difference(&one).take(3).collect::<Vec<_>>()
                );
            }
        }
    }
    println!(
        "{files} files ({failed} not preprocessed), {compared} functions compared, {differ} differ; {partial} clean as written and in part as preprocessed"
    );
}
