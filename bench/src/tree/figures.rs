//! What a map holds.

use crate::causes::Causes;
use crate::{percent, read, read_map};
use base::Confidence;
use progress::{ExecutionPoint, Frame, Order};
use progress_map::{Across, Function, Loop, LoopId, LovClass, Map, Reader};
use std::path::Path;
use std::time::{Duration, Instant};

/// How many causes are listed.
const CAUSES: usize = 12;

pub(crate) fn print(path: &Path, lines: usize) -> Result<(), String> {
    let map = read_map(path)?;
    let bytes = read(path)?.len();
    println!(
        "  map size                     {bytes} bytes, {:.2} per source line",
        bytes as f64 / lines.max(1) as f64
    );
    let (first, whole) = (least(|| first_answer(path))?, least(|| whole(path, &map))?);
    println!(
        "  map load to first answer     {:.1} ms (one function found and read); {:.1} ms to the first frame in the whole map",
        first.as_secs_f64() * 1e3,
        whole.as_secs_f64() * 1e3
    );
    functions(&map);
    loops(&map, "all loops", &|_, _| true);
    loops(&map, "loops with a call", &Function::calls_in_loop);
    Ok(())
}

/// The least time of five.
fn least(mut run: impl FnMut() -> Result<(), String>) -> Result<Duration, String> {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// From the file to one function, of the middle of the map.
fn first_answer(path: &Path) -> Result<(), String> {
    let bytes = read(path)?;
    let reader = Reader::new(&bytes).map_err(|error| error.to_string())?;
    let index = reader.index().map_err(|error| error.to_string())?;
    let middle = index.heads().nth(index.len() / 2);
    if let Some((_, head)) = middle {
        let found = index.find(head.name, Some(head.file));
        for id in found {
            let function = reader.function(&index, id).map_err(|error| error.to_string())?;
            std::hint::black_box(function);
        }
    }
    Ok(())
}

/// From the file to a frame looked up as the order does it.
fn whole(path: &Path, known: &Map) -> Result<(), String> {
    let map = read_map(path)?;
    let order = Order::new(&map);
    if let Some(function) = known.functions.iter().last() {
        let frame = Frame {
            function: function.name.clone(),
            file: Some(known.files[function.file].path.clone()),
            line: Some(function.span.end_line),
            ..Frame::default()
        };
        std::hint::black_box(order.locate(&ExecutionPoint {
            frames: vec![frame],
            ..ExecutionPoint::default()
        }));
    }
    Ok(())
}

fn functions(map: &Map) {
    let all = map.functions.len();
    let of = |confidence| {
        let matching = map.functions.iter().filter(|each| each.confidence == confidence);
        percent(matching.count(), all)
    };
    println!(
        "  functions                    {all}: {:.2} % clean, {:.2} % repaired, {:.2} % in part",
        of(Confidence::Clean),
        of(Confidence::Repaired),
        of(Confidence::Partial)
    );
    let mut causes = Causes::default();
    for function in map
        .functions
        .iter()
        .filter(|each| each.confidence == Confidence::Partial)
    {
        let cause = function.confidence_reason.as_ref().map(|doubt| doubt.cause);
        causes.add(cause.unwrap_or_default().code().to_owned(), || {
            place(map, function, function.span.line)
        });
    }
    causes.print(all, CAUSES);
}

fn place(map: &Map, function: &Function, line: u32) -> String {
    format!("{}:{line} ({})", map.files[function.file].path, function.name)
}

fn loops(map: &Map, title: &str, wanted: &dyn Fn(&Function, LoopId) -> bool) {
    let (mut all, mut strict, mut relative, mut weak) = (0, 0, 0, 0);
    let mut causes = Causes::default();
    for function in &map.functions {
        for (id, each) in function.loops.iter_enumerated() {
            if !wanted(function, id) {
                continue;
            }
            all += 1;
            let best = each.lovs.iter().find(|lov| lov.across != Across::Nothing);
            match best.filter(|_| each.reducible).map(|lov| (lov.class, lov.across)) {
                Some((LovClass::Strict, Across::SameSequence)) => strict += 1,
                Some((_, Across::Relative)) => relative += 1,
                Some(_) => weak += 1,
                None => causes.add(why(function, each), || place(map, function, each.span.line)),
            }
        }
    }
    let none = all - strict - relative - weak;
    println!(
        "  {title:<28} {all}: {:.1} % strict, {:.1} % relative, {:.1} % weak, {:.1} % none",
        percent(strict, all),
        percent(relative, all),
        percent(weak, all),
        percent(none, all)
    );
    causes.print(all, CAUSES);
}

/// Why no variable orders a loop on all tasks: what the variable that came closest lacks.
fn why(function: &Function, each: &Loop) -> String {
    if function.confidence == Confidence::Partial && each.lovs.is_empty() && each.refused.is_empty() {
        return "no variable changes in it, as far as the function was understood".to_owned();
    }
    match (each.reducible, each.lovs.first(), each.refused.first()) {
        (false, ..) => "entered by a jump into its middle".to_owned(),
        (_, Some(lov), _) => {
            let lack = lov.lack().map(|lack| lack.to_string());
            format!("not comparable across tasks: {}", lack.unwrap_or_default())
        }
        (_, None, Some(refused)) => format!("refused: {}", refused.why.code()),
        (_, None, None) => "no variable changes in it".to_owned(),
    }
}
