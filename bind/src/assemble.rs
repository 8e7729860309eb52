//! Puts the binding together.

use crate::at_calls::AtCalls;
use crate::call_sites::CallSites;
use crate::calls::{Targets, bind_calls};
use crate::debug::Debug;
use crate::described::Described;
use crate::elf::{Identity, Image};
use crate::flow::{self, Decoded, Registers};
use crate::functions::{Identified, Layout, identify, layout, without_linkage_name};
use crate::handed::{Handing, lend};
use crate::merged::{Build, merges};
use crate::moved;
use crate::objects::FrameObjects;
use crate::optimised::{at_two, gcc};
use crate::passed::{bind_mpi_calls, callee_names};
use crate::paths::PathId;
use crate::range;
use crate::report::Report;
use crate::sites::bind_sites;
use crate::sources::producer;
use crate::stack::Frames;
use crate::trouble::Outcome;
use crate::variables::{VariableSearch, bind_variables};
use crate::wanted::{add_handed, global_names, wanted};
use crate::{backwards, carried, hidden, overwritten, steady};
use base::Diagnostic;
use progress_map::{Binding, BoundFunction, FunctionId, Map};
use std::collections::{BTreeMap, BTreeSet};

/// Makes the binding of `map` to one executable, in phases: which code belongs to which function of the map, where the
/// listed variables are, what its calls tell, and then which of all these places are to be believed.
pub(crate) fn assemble(
    map: &Map,
    image: &Image<'_>,
    debug: &Debug<'_>,
    identity: Identity,
    path: &str,
) -> (Binding, Vec<Diagnostic>) {
    let mut wanted = wanted(map);
    let on = add_handed(map, &mut wanted);
    let described = Described::new(map, image, debug, &global_names(&wanted));
    let forest = &described.forest;
    let mut report = Report::new(map, path);

    let first_row = |address: u64| described.row_at(address).map(|row| (row.path, row.line));
    let identified = identify(map, forest, &described.matching.files, first_row);
    let frames = Frames::new(image, debug, forest);
    let call_file = |path: Option<PathId>| described.call_file(path);
    let frame_base = |node| frames.of(node).base();
    let symbols = image.cxx_symbols(&without_linkage_name(forest));
    let laid_out = layout(forest, &identified.functions, call_file, frame_base, &symbols);
    report_code(&mut report, debug, &described, &identified, &laid_out);

    let bound = bind_variables(
        &VariableSearch {
            image,
            debug,
            forest,
            identified: &identified.functions,
            pieces: &laid_out.pieces,
            frames: &frames,
        },
        &wanted,
    );

    let names = callee_names(debug, forest);
    let build = Build {
        map,
        image,
        debug,
        names: &names,
        forest,
        identified: &identified.functions,
    };
    let position = |id: FunctionId, address: u64| described.position(&map.functions[id], address);
    let (mpi_calls, on_entry) = bind_mpi_calls(debug, forest, &frames, &names);
    let targets = Targets::new(debug, forest);
    let call_sites = CallSites::new(
        forest,
        &targets,
        &names,
        &identified.functions,
        &laid_out.pieces,
        position,
    );
    let (of_build, in_registers) = of_build(image, debug, &described, identity, path, &laid_out.functions);
    let mut binding = Binding {
        variables: bound.variables,
        merges: merges(&build, position),
        mpi_calls,
        sites: bind_sites(map, &names, forest, &identified.functions, position),
        linkage_names: in_order_of_number(laid_out.linkage_names),
        functions: laid_out.functions,
        inlines: laid_out.inlines,
        ..of_build
    };

    let compiler = compiler(debug);
    let backwards = backwards::withhold(map, &mut binding, &bound.momentary, &in_registers.writes);
    report.backwards(backwards);
    let handing = Handing {
        map,
        on: &on,
        objects: &bound.objects,
    };
    let at_calls = AtCalls {
        debug,
        forest,
        frames: &frames,
        pieces: &laid_out.pieces,
        sites: &call_sites,
    };
    let outcomes = hand_on(&handing, &at_calls, &mut binding, bound.outcomes);
    report.variables(&outcomes, forest);
    flow::note_signed(&mut binding);
    only_asked_leaf_calls(map, &mut binding);
    let hidden = hidden::withhold(map, &mut binding, &wanted, &bound.qualified, &call_sites);
    report.hidden(hidden);
    let overwritten = overwritten::withhold(map, &mut binding, compiler, &in_registers.writes);
    report.overwritten(overwritten);
    let described = carried::described(map, &binding);
    withhold_stale(map, compiler, &mut binding, &call_sites, &mut report);
    carried::add(map, &mut binding, &described, &in_registers.alike);
    range::add(&mut binding, bound.indices);
    binding.calls = bind_calls(
        debug,
        forest,
        &frames,
        &laid_out.pieces,
        &binding.variables,
        on_entry,
        &targets,
    );
    (binding, report.diagnostics())
}

/// Takes out locations that may hold an older or newer value than the source has there. Each rule looks at what the one before has left.
fn withhold_stale(
    map: &Map,
    compiler: moved::Compiler,
    binding: &mut Binding,
    call_sites: &CallSites,
    report: &mut Report<'_>,
) {
    report.steady(steady::withhold(map, binding));
    let barriers = call_sites.barriers();
    report.moved(moved::withhold(map, binding, compiler, &barriers));
}

/// What a build says of itself and its code, whatever the map asks for.
fn of_build(
    image: &Image<'_>,
    debug: &Debug<'_>,
    described: &Described,
    identity: Identity,
    path: &str,
    functions: &[BoundFunction],
) -> (Binding, Registers) {
    let bound = functions.iter().map(|function| function.start..function.end);
    let objects = FrameObjects::new(debug, &described.forest);
    let Decoded {
        code,
        tail_jumps,
        registers,
    } = flow::machine_code(image, bound, &objects);
    let binding = Binding {
        build_id: identity.build_id,
        text_hash: identity.text_hash,
        executable: path.to_owned(),
        producer: first_producer(debug),
        rows: described.bound_rows(debug),
        other_files: described.other_files(),
        code,
        tail_jumps,
        ..Binding::default()
    };
    (binding, registers)
}

/// Reports debug info that could not be read, and code that could not be told to be a function of the map.
fn report_code(
    report: &mut Report<'_>,
    debug: &Debug<'_>,
    described: &Described,
    identified: &Identified,
    laid_out: &Layout,
) {
    report.debug_info(debug, &described.forest.damaged, described.damaged_programs);
    let matching = &described.matching;
    let none = matching.files.iter().flatten().next().is_none();
    report.files(&matching.ambiguous, none);
    report.functions(&identified.elsewhere, laid_out.contested.len());
}

/// A variable that is handed to a parameter gets the places that the parameter has in inlined calls, and those that the description of a call gives.
/// Parameters that were only looked for to that end are left out. Returns what came of all others.
fn hand_on(
    handing: &Handing<'_, '_>,
    at_calls: &AtCalls<'_, '_, '_>,
    binding: &mut Binding,
    mut outcomes: Vec<Outcome>,
) -> Vec<Outcome> {
    let lent = lend(handing, binding, |binding| at_calls.places(handing, binding));
    let only_handed = &handing.on.only_handed;
    outcomes.retain(|outcome| !only_handed.contains(&(outcome.function, outcome.name.as_str())));
    for outcome in &mut outcomes {
        outcome.readable |= lent.contains(&(outcome.function, outcome.name.clone()));
    }
    outcomes
}

/// The first compiler that names itself.
fn first_producer(debug: &Debug<'_>) -> String {
    let mut producers = debug.units.ids().map(|unit| producer(debug, unit));
    producers
        .find(|producer| !producer.is_empty())
        .unwrap_or_default()
}

/// Who made the code, as far as it matters to what its variables show.
fn compiler(debug: &Debug<'_>) -> moved::Compiler {
    if !debug.units.ids().all(|unit| gcc(debug, unit)) {
        moved::Compiler::Other
    } else if debug.units.ids().all(|unit| at_two(debug, unit)) {
        moved::Compiler::GccAtTwo
    } else {
        moved::Compiler::Gcc
    }
}

fn in_order_of_number(names: BTreeMap<String, u32>) -> Vec<String> {
    let mut names = Vec::from_iter(names);
    names.sort_unstable_by_key(|&(_, number)| number);
    names.into_iter().map(|(name, _)| name).collect()
}

/// Leaves out the calls of leaves that nobody asks about: of functions without a decisive call.
fn only_asked_leaf_calls(map: &Map, binding: &mut Binding) {
    let deciding: BTreeSet<FunctionId> = map.decisive.iter().map(|call| call.function).collect();
    let code = &mut binding.code;
    let asked = binding
        .functions
        .iter()
        .filter(|bound| bound.function.is_some_and(|id| deciding.contains(&id)));
    let blocks = asked.filter_map(|bound| code.block_at(bound.start));
    let asked: BTreeSet<u32> = blocks.map(|block| code.blocks[block as usize].function).collect();
    let blocks = &code.blocks;
    code.leaf_calls
        .retain(|call| asked.contains(&blocks[call.block as usize].function));
}
