//! A map as JSON, field by field, in the form in which the readers of other languages print what they have read.

use base::{Cause, Id, Span};
use progress_map::{
    Across, Assumption, Binding, BoundVariable, Cut, Direction, Encoding, FileId, Function, FunctionInstance,
    Grounds, Growth, Interference, Loop, LoopSource, Lov, LovClass, Map, Outsider, PathStep, Point,
    PointKind, Provenance, RangePart, Refusal, Refused, Scope, ScopeKind, Storage, Term, TermOp,
};
use serde_json::{Map as Object, Value, json};

/// The whole map.
pub fn a_map(map: &Map) -> Value {
    json!({
        "version": progress_map::VERSION,
        "files": list(&map.files, |f| json!({"path": f.path, "hash": hex(&f.hash)})),
        "functions": list(&map.functions, a_function),
        "diagnostics": list(&map.diagnostics, |d| json!({
            "severity": d.severity.word(),
            "subject": d.subject,
            "message": d.message,
            "span": a_span(d.span),
        })),
        "mpi_calls": list(&map.mpi_calls, |call| json!({
            "function": call.function.index(),
            "point": call.point.index(),
            "arguments": list(&call.arguments, |argument| json!({
                "index": argument.index,
                "text": argument.text,
                "term": argument.term.as_ref().map(a_term),
                "settled": argument.settled,
            })),
        })),
        "handed": list(&map.handed, |handed| json!({
            "function": handed.function.index(),
            "point": handed.point.index(),
            "variable": a_storage(&handed.variable),
            "callee": handed.callee.index(),
            "parameter": a_storage(&handed.parameter),
        })),
        "binding": map.binding.as_ref().map(a_binding),
        "libraries": Vec::from_iter(map.libraries.iter().map(a_binding)),
    })
}

fn list<'a, T: 'a>(items: impl IntoIterator<Item = &'a T>, convert: impl FnMut(&'a T) -> Value) -> Value {
    Value::from_iter(items.into_iter().map(convert))
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn a_span(span: Span) -> Value {
    json!([span.line, span.column, span.end_line, span.end_column])
}

/// A function with all that is in it.
pub fn a_function(f: &Function) -> Value {
    json!({
        "name": f.name,
        "linkage_name": f.linkage_name,
        "file": f.file.index(),
        "is_static": f.is_static,
        "span": a_span(f.span),
        "confidence": f.confidence.word(),
        "confidence_reason": f.confidence_reason.as_ref().map(ToString::to_string),
        "reading": f.reading.word(),
        "points": list(&f.points, a_point),
        "edges": list(&f.edges, |(from, to)| json!([from.index(), to.index()])),
        "scopes": list(&f.scopes, a_scope),
        "loops": list(&f.loops, a_loop),
    })
}

fn a_point(point: &Point) -> Value {
    let (kind, callee) = match &point.kind {
        PointKind::Entry => ("entry", None),
        PointKind::Exit => ("exit", None),
        PointKind::Eval => ("eval", None),
        PointKind::Return => ("return", None),
        PointKind::Branch => ("branch", None),
        PointKind::Call(name) => ("call", Some(name)),
        PointKind::IndirectCall => ("indirect_call", None),
        PointKind::MacroCall(name) => ("macro_call", Some(name)),
    };
    let mut object = json!({
        "kind": kind,
        "span": a_span(point.span),
        "scope": point.scope.index(),
        "innermost_loop": point.innermost_loop.map(Id::index),
        "unsequenced": list(&point.unsequenced, |u| json!([u.group, u.operand])),
    });
    if let Some(callee) = callee {
        object["callee"] = json!(callee);
    }
    object
}

fn a_scope(scope: &Scope) -> Value {
    let mut object = Object::new();
    let kind = match scope.kind {
        ScopeKind::Function => "function",
        ScopeKind::Block => "block",
        ScopeKind::Loop(id) => {
            object.insert("loop".to_owned(), json!(id.map(Id::index)));
            "loop"
        }
        ScopeKind::Branch => "branch",
        ScopeKind::Arm(arm) => {
            object.insert("arm".to_owned(), json!(arm));
            "arm"
        }
    };
    object.insert("kind".to_owned(), json!(kind));
    object.insert("parent".to_owned(), json!(scope.parent.map(Id::index)));
    object.insert("line".to_owned(), json!(scope.line));
    object.insert("end_line".to_owned(), json!(scope.end_line));
    Value::Object(object)
}

fn a_loop(l: &Loop) -> Value {
    json!({
        "parent": l.parent.map(Id::index),
        "source": match l.source {
            LoopSource::While => "while",
            LoopSource::DoWhile => "do",
            LoopSource::For => "for",
            LoopSource::Goto => "goto",
        },
        "reducible": l.reducible,
        "header": l.header.index(),
        "span": a_span(l.span),
        "lovs": list(&l.lovs, a_lov),
        "refused": list(&l.refused, a_refused),
    })
}

fn a_refused(refused: &Refused) -> Value {
    let mut object = json!({ "name": refused.name });
    let mut words = Vec::new();
    match &refused.why {
        Refusal::Interference(how) => interference(&mut object, &mut words, how),
        why => {
            words.push(why.code());
            refusal(&mut object, why);
        }
    }
    object["why"] = json!(words);
    object
}

fn refusal(object: &mut Value, why: &Refusal) {
    match why {
        Refusal::UnknownStep { line }
        | Refusal::FractionAdded { line }
        | Refusal::StepMayBeTooLarge { line } => object["line"] = json!(line),
        Refusal::StepTooLarge { line, value } => {
            object["line"] = json!(line);
            object["value"] = json!(value);
        }
        Refusal::DirectionUnknown { step } => object["step"] = a_term(step),
        Refusal::WrapsAround { bits } => object["value"] = json!(bits.unwrap_or(0)),
        Refusal::ReadInPart { because } => {
            let doubt = because.as_ref();
            let cause = doubt.and_then(|doubt| Cause::ALL.iter().position(|&each| each == doubt.cause));
            object["value"] = json!(cause.map_or(0, |place| place + 1));
            object["line"] = json!(doubt.map_or(0, |doubt| doubt.line));
            object["names"] = json!([doubt.map_or("", |doubt| &doubt.name)]);
        }
        Refusal::Divided
        | Refusal::MovesBothWays
        | Refusal::StepsCancelOut
        | Refusal::AddedAndMultiplied
        | Refusal::StartNotPositive
        | Refusal::GrowsWithoutBound
        | Refusal::StandsAtZero
        | Refusal::Interference(_) => {}
    }
}

fn interference(object: &mut Value, words: &mut Vec<&'static str>, how: &Interference) {
    words.push(how.code());
    match how {
        Interference::Path(how) => interference(object, words, how),
        Interference::OtherPath { line }
        | Interference::PathAssigned { line }
        | Interference::PointerWrite { line }
        | Interference::Hidden { line }
        | Interference::Unsequenced { line }
        | Interference::SetByCall { line } => object["line"] = json!(line),
        Interference::MemberAddressTaken { member: name }
        | Interference::Union { member: name }
        | Interference::RootThroughPointer { root: name }
        | Interference::ByFunction { function: name }
        | Interference::WrittenOver { function: name }
        | Interference::ByMacro { name } => object["names"] = json!([name]),
        Interference::Unmapped(outsider)
        | Interference::Promised { callee: outsider }
        | Interference::UnmappedLeaves(outsider) => object["names"] = json!([name(outsider)]),
        Interference::CallsBack { outsider, function } => object["names"] = json!([name(outsider), function]),
        Interference::NoVariable
        | Interference::ThroughPointer
        | Interference::Static
        | Interference::AddressTaken
        | Interference::InLoop
        | Interference::OnTheWay
        | Interference::RangeKept => {}
    }
}

fn a_grounds(grounds: &Grounds) -> Value {
    let kept = |how: &Interference| {
        let mut object = json!({});
        let mut words = Vec::new();
        interference(&mut object, &mut words, how);
        object["why"] = json!(words);
        object
    };
    let provenance = grounds.provenance.as_ref().map(|provenance| match provenance {
        Provenance::Kept(how) => json!({ "kept": kept(how) }),
        Provenance::From {
            kind,
            variable,
            function,
            line,
        } => json!({ "kind": kind.code(), "variable": variable, "function": function, "line": line }),
    });
    json!({
        "moves": grounds.moves.code(),
        "provenance": provenance,
        "unseen": grounds.unseen.as_ref().map(kept),
    })
}

fn name(outsider: &Outsider) -> &str {
    match outsider {
        Outsider::Named(name) => name,
        Outsider::BehindPointer => "",
    }
}

fn a_lov(lov: &Lov) -> Value {
    json!({
        "name": lov.name,
        "class": match lov.class {
            LovClass::Strict => "strict",
            LovClass::Weak => "weak",
        },
        "direction": match lov.direction {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::SignOfStep => "sign_of_step",
        },
        "growth": match lov.growth {
            Growth::Additive => "additive",
            Growth::Multiplicative => "multiplicative",
            Growth::Floating => "floating",
        },
        "across": match lov.across {
            Across::SameSequence => "same_sequence",
            Across::Relative => "relative",
            Across::Nothing => "nothing",
        },
        "assumption": match lov.assumption {
            Assumption::Proven => "proven",
            Assumption::Assumed => "assumed",
            Assumption::RankDependent => "rank_dependent",
        },
        "grounds": a_grounds(&lov.grounds),
        "storage": a_storage(&lov.storage),
        "updates": list(&lov.updates, |p| json!(p.index())),
        "cut": match &lov.cut {
            Cut::Updates => json!("updates"),
            Cut::Header { offsets, per_iteration } => json!({
                "offsets": list(offsets, |(p, offset)| json!([p.index(), offset])),
                "per_iteration": per_iteration,
            }),
        },
        "step": lov.step.as_ref().map(a_term),
        "start": lov.start.as_ref().map(a_term),
        "unsigned_bits": lov.unsigned_bits,
    })
}

fn a_term(term: &Term) -> Value {
    match term {
        Term::Constant(value) => json!(value),
        // JSON has none of the others.
        Term::Float(value) if !value.is_finite() => Value::Null,
        // Through text, as Python's went: the JSON parser may be off by the last bit.
        Term::Float(value) => serde_json::from_str(&format!("{value:?}")).unwrap(),
        Term::Variable {
            name,
            storage,
            negated,
        } => json!({"name": name, "storage": a_storage(storage), "negated": negated}),
        Term::Arithmetic { op, operands } => {
            let op = match op {
                TermOp::Add => "+",
                TermOp::Sub => "-",
                TermOp::Mul => "*",
                TermOp::Div => "/",
                TermOp::Rem => "%",
            };
            json!({"op": op, "operands": operands.iter().map(a_term).collect::<Vec<_>>()})
        }
    }
}

fn a_storage(storage: &Storage) -> Value {
    let step = |base: &Storage, step: String| {
        let mut value = a_storage(base);
        if let Some(steps) = value["steps"].as_array_mut() {
            steps.push(json!(step));
        }
        value
    };
    match storage {
        Storage::Local { name, line } => json!({"base": "local", "name": name, "line": line, "steps": []}),
        Storage::Global { name } => json!({"base": "global", "name": name, "steps": []}),
        Storage::Range { variable, line, part } => {
            let step = match part {
                RangePart::Index => "index",
                RangePart::Position => "position",
            };
            json!({"base": "local", "name": variable, "line": line, "steps": [step]})
        }
        Storage::Pointee(base) => step(base, "*".to_owned()),
        Storage::Member { base, member, arrow } => {
            step(base, format!("{}{member}", if *arrow { "->" } else { "." }))
        }
    }
}

fn a_binding(b: &Binding) -> Value {
    json!({
        "build_id": hex(&b.build_id),
        "text_hash": hex(&b.text_hash),
        "executable": b.executable,
        "producer": b.producer,
        "other_files": b.other_files,
        "rows": list(&b.rows, |r| json!([r.start, r.end, a_file(r.file), r.line, r.column, r.statement])),
        "functions": list(&b.functions, |f| json!({
            "start": f.start,
            "end": f.end,
            "function": f.function.map(Id::index),
            "name": f.name,
            "frame_base": hex(&f.frame_base),
            "optimised": f.optimised,
        })),
        "inlines": list(&b.inlines, |i| json!({
            "start": i.start,
            "end": i.end,
            "parent": i.parent,
            "function": i.function.map(Id::index),
            "name": i.name,
            "call": [a_file(i.call_file), i.call_line, i.call_column],
        })),
        "variables": list(&b.variables, a_variable),
        "calls": list(&b.calls, |call| json!({
            "return_address": call.return_address,
            "callees": call.callees,
            "passed": list(&call.passed, |p| json!([p.register, hex(&p.expression)])),
        })),
        "merges": list(&b.merges, |merge| json!({
            "function": merge.function.index(),
            "shown": merge.shown.index(),
            "other": merge.other.index(),
            "return_address": merge.return_address,
        })),
        "mpi_calls": list(&b.mpi_calls, |call| json!({
            "return_address": call.return_address,
            "arguments": list(&call.arguments, |a| json!([a.index, hex(&a.expression)])),
        })),
    })
}

pub fn a_file(file: Result<FileId, u32>) -> Value {
    match file {
        Ok(file) => json!({"file": file.index()}),
        Err(other) => json!({"other": other}),
    }
}

fn a_variable(v: &BoundVariable) -> Value {
    json!({
        "instance": match v.instance {
            FunctionInstance::Anywhere(id) => json!(["anywhere", id.index()]),
            FunctionInstance::Concrete(index) => json!(["concrete", index]),
            FunctionInstance::Inlined(index) => json!(["inlined", index]),
        },
        "name": v.name,
        "scope": v.scope,
        "locations": list(&v.locations, |l| json!([l.start, l.end, hex(&l.expression)])),
        "path": list(&v.path, |step| match step {
            PathStep::Offset(bytes) => json!(bytes),
            PathStep::Deref => json!("deref"),
        }),
        "encoding": match v.encoding {
            Encoding::Signed(size) => json!(["signed", size]),
            Encoding::Unsigned(size) => json!(["unsigned", size]),
            Encoding::Float(size) => json!(["float", size]),
            Encoding::Address => json!(["address", 0]),
        },
    })
}
