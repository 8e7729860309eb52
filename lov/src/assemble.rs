//! From the analyses of a program to the static half of its map.

use crate::classify::Variables;
use crate::constants::Constants;
use crate::{decisive, handed, inner_step, iterated, mpi, passed_constant, pointer_call, shown};
use base::{Confidence, Doubt, Id as _, IdVec};
use dataflow::{Flow, FunctionIndex, FunctionInfo, Loops, Program};
use ir::LoopKind;
use progress_map::{
    AddressTaken, Choice, File, FileId, Function, FunctionId, Handler, Iterated, Loop, LoopId, LoopSource,
    MacroCalls, Map, MpiCall, PassedConstant, Point, PointId, PointerCall, Refusal, Refused, ScopeKind,
    Storage,
};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The map of `program`; `variables` holds for each of its functions those of each loop. What the map does not hold is let
/// go function by function: the analyses of a large tree and its map need not be there both.
pub(crate) fn map(program: Program<'_>, mut variables: Vec<Vec<Variables>>) -> Map {
    let all = variables.iter_mut().flatten();
    let stepped = Vec::from_iter(all.flat_map(|each| std::mem::take(&mut each.stepped)));
    let (files, file_of) = files(&program);
    let macros = calls_of_macros(&program, &file_of, |each| each.after_arguments);
    let may_call = calls_of_macros(&program, &file_of, |each| !each.after_arguments);
    // What is handed to a callee can be told only while the analyses of both are there.
    let handed = candidates(&program, handed::candidates);
    let addresses = candidates(&program, shown::candidates);
    let taken = pointer_call::targets(&program);
    let constants = candidates(&program, passed_constant::constants);
    let units = program.units;
    let Bodies {
        functions,
        indices,
        beside,
    } = bodies(program, variables, &file_of);
    let ids: BTreeMap<FunctionIndex, FunctionId> = indices.iter().copied().zip(functions.ids()).collect();
    let address_taken = address_taken(taken, &ids);
    let constants = by_id(&functions, &indices, constants).flat_map(|(function, passed)| {
        passed
            .into_iter()
            .map(move |(point, register, value)| PassedConstant {
                function,
                point,
                register,
                value,
            })
    });
    let passed_constants = Vec::from_iter(constants);
    let handed = handed::of_wanted(&ids, by_id(&functions, &indices, handed), &functions);
    let InFunctions {
        mpi_calls,
        choices,
        decisive,
        iterated,
        pointer_calls,
        handlers,
    } = in_functions(&functions, beside);
    let decisive = decisive::of_recursive(&functions, decisive.into_iter());
    let mut diagnostics: Vec<_> = units.iter().flat_map(|unit| unit.diagnostics.clone()).collect();
    diagnostics.sort();
    let mut map = Map {
        files,
        functions,
        diagnostics,
        mpi_calls,
        handed,
        choices,
        decisive,
        address_taken,
        pointer_calls,
        handlers,
        passed_constants,
        shown: Vec::new(),
        iterated,
        inner_steps: Vec::new(),
        macros,
        may_call,
        binding: None,
        libraries: Vec::new(),
    };
    // Which addresses matter, the rest of the map tells.
    map.shown = shown::of_wanted(&map, by_id(&map.functions, &indices, addresses), &ids);
    map.inner_steps = inner_step::agreed(stepped.into_iter(), &ids);
    map
}

/// What the map says of places in functions, in the order of these.
#[derive(Default)]
struct InFunctions {
    mpi_calls: Vec<MpiCall>,
    choices: Vec<Choice>,
    decisive: Vec<(FunctionId, decisive::Decisive)>,
    iterated: Vec<Iterated>,
    pointer_calls: Vec<PointerCall>,
    handlers: Vec<Handler>,
}

fn in_functions(functions: &IdVec<FunctionId, Function>, beside: Vec<Beside>) -> InFunctions {
    let mut found = InFunctions::default();
    for (function, own) in functions.ids().zip(beside) {
        found
            .mpi_calls
            .extend(own.calls.into_iter().map(|(point, arguments)| MpiCall {
                function,
                point,
                arguments,
            }));
        found
            .iterated
            .extend(own.containers.into_iter().map(|(iterator, container)| Iterated {
                function,
                iterator,
                container,
            }));
        found.pointer_calls.extend(
            own.pointer_calls
                .into_iter()
                .map(|(point, arguments)| PointerCall {
                    function,
                    point,
                    arguments,
                }),
        );
        let handlers = own.handlers.into_iter();
        found
            .handlers
            .extend(handlers.map(|point| Handler { function, point }));
        found
            .decisive
            .extend(own.decisive.into_iter().map(|call| (function, call)));
        let own = own.choices.into_iter();
        found
            .choices
            .extend(own.map(|bounds| Choice { function, bounds }));
    }
    found
}

/// The functions whose addresses are taken, sorted.
fn address_taken(
    taken: Vec<(FunctionIndex, Option<u8>)>,
    ids: &BTreeMap<FunctionIndex, FunctionId>,
) -> Vec<AddressTaken> {
    let taken = taken.into_iter().filter_map(|(index, parameters)| {
        let function = *ids.get(&index)?;
        Some(AddressTaken { function, parameters })
    });
    let mut taken = Vec::from_iter(taken);
    taken.sort();
    taken
}

/// The files by path, so that the map does not depend on the order in which they were given, and the file of each unit.
fn files(program: &Program<'_>) -> (IdVec<FileId, File>, Vec<Option<FileId>>) {
    let mut by_path: Vec<usize> = (0..program.units.len()).collect();
    by_path.sort_by(|&a, &b| program.units[a].path.cmp(&program.units[b].path));
    let mut files: IdVec<FileId, File> = IdVec::new();
    let mut file_of = vec![None; program.units.len()];
    for unit in by_path {
        let source = &program.units[unit];
        file_of[unit] = Some(files.push(File {
            path: source.path.clone(),
            hash: source.content_hash,
        }));
    }
    (files, file_of)
}

/// What `of` finds in each function.
fn candidates<'p, 'u, T: Send>(
    program: &'p Program<'u>,
    of: impl Fn(&'p Program<'u>, &'p FunctionInfo<'u>) -> Vec<T> + Sync,
) -> IdVec<FunctionIndex, Vec<T>> {
    let functions = program.functions.as_slice().par_iter();
    let found: Vec<Vec<T>> = functions.map(|info| of(program, info)).collect();
    found.into()
}

/// The functions of a map.
struct Bodies {
    functions: IdVec<FunctionId, Function>,
    /// What each is in the program.
    indices: Vec<FunctionIndex>,
    /// What the map holds of each beside it.
    beside: Vec<Beside>,
}

/// Makes the functions of the map, in its order; the analyses of each go as it is made.
fn bodies(program: Program<'_>, variables: Vec<Vec<Variables>>, file_of: &[Option<FileId>]) -> Bodies {
    let units = program.units;
    let constants = Constants::of(units);
    let of_function = |(index, (info, variables)): (usize, (FunctionInfo<'_>, Vec<Variables>))| {
        let file = file_of[info.unit]?;
        let beside = Beside {
            calls: mpi::calls(&info, &constants),
            pointer_calls: pointer_call::calls(&info),
            handlers: info.flow.handlers.clone(),
            decisive: decisive::calls(&info),
            containers: iterated::containers(&info),
            choices: if units[info.unit].is_compiled_once() {
                info.flow.choices.clone()
            } else {
                Vec::new()
            },
        };
        let index = FunctionIndex::from_index(index);
        Some((function(info, file, variables), index, beside))
    };
    let all = Vec::from_iter(program.functions.into_iter().zip(variables).enumerate());
    let mut functions: Vec<(Function, FunctionIndex, Beside)> =
        all.into_par_iter().filter_map(of_function).collect();
    functions.sort_by(|(a, ..), (b, ..)| (a.file, a.span, &a.name).cmp(&(b.file, b.span, &b.name)));
    let mut beside = Vec::with_capacity(functions.len());
    let mut indices = Vec::with_capacity(functions.len());
    let functions = functions.into_iter().map(|(function, index, own)| {
        beside.push(own);
        indices.push(index);
        function
    });
    Bodies {
        functions: functions.collect(),
        indices,
        beside,
    }
}

/// What was found in each function of the map; `indices` are those in the program.
fn by_id<T>(
    functions: &IdVec<FunctionId, Function>,
    indices: &[FunctionIndex],
    mut found: IdVec<FunctionIndex, Vec<T>>,
) -> impl Iterator<Item = (FunctionId, Vec<T>)> {
    let all = functions.ids().zip(indices);
    all.map(move |(id, &index)| (id, std::mem::take(&mut found[index])))
}

/// What the wanted ones of the macros of these files call.
fn calls_of_macros(
    program: &Program<'_>,
    file_of: &[Option<FileId>],
    wanted: fn(&ir::MacroCalls) -> bool,
) -> Vec<MacroCalls> {
    let mut all = Vec::new();
    for (source, &file) in program.units.iter().zip(file_of) {
        let Some(file) = file else { continue };
        let macros = source.macros.iter();
        let macros = macros.filter(|&each| wanted(each));
        all.extend(macros.map(|each| MacroCalls {
            file,
            name: each.name.clone(),
            callees: each.callees.clone(),
        }));
    }
    all.sort();
    all
}

/// What the map holds of a function beside the function.
struct Beside {
    calls: mpi::Calls,
    pointer_calls: Vec<(PointId, u8)>,
    choices: Vec<Vec<PointId>>,
    handlers: Vec<PointId>,
    decisive: Vec<decisive::Decisive>,
    containers: Vec<(Storage, Storage)>,
}

fn function(info: FunctionInfo<'_>, file: FileId, variables: Vec<Variables>) -> Function {
    let source = info.function;
    let (mut flow, forest) = (info.flow, info.loops);
    let (confidence, confidence_reason) = match flow.distrust.take() {
        Some(reason) if source.confidence != Confidence::Partial => (Confidence::Partial, Some(reason)),
        _ => (source.confidence, source.confidence_reason.clone()),
    };
    let edges = flow
        .succs
        .iter_enumerated()
        .flat_map(|(point, succs)| succs.iter().map(move |&succ| (point, succ)))
        .collect();
    let mut loops = loops(&mut flow, &forest, variables);
    if confidence == Confidence::Partial {
        for each in loops.iter_mut() {
            refuse_all(each, confidence_reason.as_ref());
        }
    }
    let scopes = flow.scopes;
    let innermost = forest.innermost;
    let points = flow.points.into_iter().zip(innermost);
    let points = points.map(|(each, innermost_loop)| Point {
        kind: each.kind_in_map(source),
        span: each.span,
        scope: each.scope,
        innermost_loop,
        unsequenced: each.unsequenced.into(),
    });
    Function {
        name: source.name.clone(),
        linkage_name: source.linkage_name.clone(),
        file,
        is_static: source.is_static,
        span: source.span,
        confidence,
        confidence_reason,
        reading: source.reading,
        points: points.collect(),
        edges,
        scopes,
        loops,
    }
}

/// The loops of the map, with their variables. The scopes of the source that are loops learn which one they are.
fn loops(flow: &mut Flow, forest: &Loops, variables: Vec<Variables>) -> IdVec<LoopId, Loop> {
    let mut statements = BTreeMap::new();
    for &(scope, kind, header) in &flow.loop_statements {
        statements.entry(header).or_insert((scope, kind));
    }
    let mut loops = IdVec::new();
    for ((id, node), variables) in forest.loops.iter_enumerated().zip(variables) {
        let mut span = flow.points[node.header].span;
        let mut source = LoopSource::Goto;
        if let Some(&(scope, kind)) = statements.get(&node.header) {
            flow.scopes[scope].kind = ScopeKind::Loop(Some(id));
            span.end_line = flow.scopes[scope].end_line;
            source = match kind {
                LoopKind::While => LoopSource::While,
                LoopKind::DoWhile => LoopSource::DoWhile,
                LoopKind::For => LoopSource::For,
            };
        }
        loops.push(Loop {
            parent: node.parent,
            source,
            span,
            header: node.header,
            reducible: node.reducible,
            lovs: variables.lovs,
            refused: variables.refused,
        });
    }
    loops
}

/// Refuses all variables of a loop in a function that was read in part: what was not understood may change them.
fn refuse_all(in_loop: &mut Loop, because: Option<&Doubt>) {
    let refused = in_loop.lovs.drain(..).map(|lov| Refused {
        name: lov.name,
        why: Refusal::ReadInPart {
            because: because.cloned(),
        },
    });
    in_loop.refused.extend(refused);
}
