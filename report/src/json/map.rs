//! The wire forms of `show`: one line of a map, and a map in figures.

use super::{VERSION, document};
use engine::{BindingFacts, LineView, LoopView, LovView, PointView, Summary, Token, TupleView};
use serde::Serialize;

/// What a map knows about one line, as JSON.
pub fn line_json(view: &LineView) -> String {
    document(&LineOut {
        schema: "hindmost-line",
        version: VERSION,
        file: &view.path,
        line: view.line,
        functions: view
            .functions
            .iter()
            .map(|function| FunctionOut {
                name: &function.name,
                first_line: function.lines.0,
                last_line: function.lines.1,
                confidence: function.confidence.word(),
                confidence_reason: function.confidence_reason.as_deref(),
                confidence_code: function.confidence_code,
                reading: function.reading.word(),
                tuples: function.tuples.iter().map(tuple).collect(),
                loops: function.loops.iter().map(loop_out).collect(),
            })
            .collect(),
        nearest_lines: &view.nearest,
    })
}

#[derive(Serialize)]
struct LineOut<'a> {
    schema: &'static str,
    version: u32,
    file: &'a str,
    line: u32,
    functions: Vec<FunctionOut<'a>>,
    nearest_lines: &'a [u32],
}

#[derive(Serialize)]
struct FunctionOut<'a> {
    name: &'a str,
    first_line: u32,
    last_line: u32,
    confidence: &'static str,
    confidence_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence_code: Option<&'static str>,
    reading: &'static str,
    tuples: Vec<TupleOut<'a>>,
    loops: Vec<LoopOut<'a>>,
}

#[derive(Serialize)]
struct TupleOut<'a> {
    tuple: String,
    elements: Vec<ElementOut>,
    points: Vec<PointOut<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ElementOut {
    Displacement(i64),
    Branch(i64),
    Loop(usize),
}

#[derive(Serialize)]
struct PointOut<'a> {
    kind: &'static str,
    callee: Option<&'a str>,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
struct LoopOut<'a> {
    id: usize,
    statement: &'static str,
    line: u32,
    reducible: bool,
    lovs: Vec<LovOut<'a>>,
    refused: Vec<RefusedOut<'a>>,
}

#[derive(Serialize)]
struct LovOut<'a> {
    name: &'a str,
    class: &'static str,
    direction: &'static str,
    growth: &'static str,
    across: &'static str,
    assumption: &'static str,
    start: Option<&'a str>,
    step: Option<&'a str>,
    cut: &'static str,
    updated_at: &'a [u32],
    because: &'a str,
    because_codes: &'a [&'static str],
}

#[derive(Serialize)]
struct RefusedOut<'a> {
    name: &'a str,
    reason: String,
    reason_code: &'static str,
}

fn tuple(view: &TupleView) -> TupleOut<'_> {
    let element = |token: &Token| match *token {
        Token::Displacement(lines) => ElementOut::Displacement(lines),
        Token::Branch(lines) => ElementOut::Branch(lines),
        Token::Iteration(id) => ElementOut::Loop(base::Id::index(id)),
    };
    TupleOut {
        tuple: view.tuple.to_string(),
        elements: view.tuple.0.iter().map(element).collect(),
        points: view.points.iter().map(point).collect(),
    }
}

fn point(point: &PointView) -> PointOut<'_> {
    PointOut {
        kind: point.kind,
        callee: point.callee.as_deref(),
        line: point.span.line,
        column: point.span.column,
        end_line: point.span.end_line,
        end_column: point.span.end_column,
    }
}

fn loop_out(view: &LoopView) -> LoopOut<'_> {
    let refused = view.refused.iter().map(|refused| RefusedOut {
        name: &refused.name,
        reason: refused.why.to_string(),
        reason_code: refused.why.code(),
    });
    LoopOut {
        id: base::Id::index(view.id),
        statement: view.statement,
        line: view.line,
        reducible: view.reducible,
        lovs: view.lovs.iter().map(lov).collect(),
        refused: refused.collect(),
    }
}

fn lov(lov: &LovView) -> LovOut<'_> {
    LovOut {
        name: &lov.name,
        class: lov.class,
        direction: lov.direction,
        growth: lov.growth,
        across: lov.across,
        assumption: lov.assumption,
        start: lov.start.as_deref(),
        step: lov.step.as_deref(),
        cut: lov.cut,
        updated_at: &lov.updated_at,
        because: &lov.because,
        because_codes: &lov.because_codes,
    }
}

/// A map in figures, as JSON.
pub fn summary_json(summary: &Summary) -> String {
    document(&SummaryOut {
        schema: "hindmost-map",
        version: VERSION,
        files: summary.files,
        functions: summary.functions,
        functions_repaired: summary.repaired,
        functions_partial: summary
            .partial
            .iter()
            .map(|of| PlaceOut {
                place: &of.place,
                function: &of.function,
                reason: of.reason.to_string(),
                reason_code: of.reason.cause.code(),
            })
            .collect(),
        points: summary.points,
        loops: summary.loops,
        loops_ordered: summary.ordered_loops(),
        shares: summary
            .shares
            .iter()
            .map(|share| ShareOut {
                class: share.class,
                across: share.across,
                loops: share.loops,
            })
            .collect(),
        loops_unordered: summary
            .unordered
            .iter()
            .map(|of| UnorderedOut {
                place: &of.place,
                function: &of.function,
                reason: &of.reason,
                reason_codes: &of.reason_codes,
            })
            .collect(),
        diagnostics: &summary.diagnostics,
        binding: summary.binding.as_ref().map(binding),
    })
}

#[derive(Serialize)]
struct SummaryOut<'a> {
    schema: &'static str,
    version: u32,
    files: usize,
    functions: usize,
    functions_repaired: usize,
    functions_partial: Vec<PlaceOut<'a>>,
    points: usize,
    loops: usize,
    loops_ordered: usize,
    shares: Vec<ShareOut>,
    loops_unordered: Vec<UnorderedOut<'a>>,
    diagnostics: &'a [String],
    binding: Option<BindingOut<'a>>,
}

#[derive(Serialize)]
struct PlaceOut<'a> {
    place: &'a str,
    function: &'a str,
    reason: String,
    reason_code: &'static str,
}

#[derive(Serialize)]
struct UnorderedOut<'a> {
    place: &'a str,
    function: &'a str,
    reason: &'a str,
    reason_codes: &'a [&'static str],
}

#[derive(Serialize)]
struct ShareOut {
    class: &'static str,
    across: &'static str,
    loops: usize,
}

#[derive(Serialize)]
struct BindingOut<'a> {
    build_id: &'a str,
    executable: &'a str,
    producer: &'a str,
    rows: usize,
    functions: usize,
    functions_in_map: usize,
    inlined_calls: usize,
    variables: usize,
    variables_located: usize,
}

fn binding(binding: &BindingFacts) -> BindingOut<'_> {
    BindingOut {
        build_id: &binding.build_id,
        executable: &binding.executable,
        producer: &binding.producer,
        rows: binding.rows,
        functions: binding.functions.1,
        functions_in_map: binding.functions.0,
        inlined_calls: binding.inlines,
        variables: binding.variables.1,
        variables_located: binding.variables.0,
    }
}
