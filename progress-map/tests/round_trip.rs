//! What goes in comes out, the same map gives the same bytes, and what is not a map is refused by name.

use base::{Id, Reading};
use progress_map::generate::{arbitrary, bind, lov, reseal, synthetic, verbatim_bytes};
use progress_map::{
    Cut, FileId, FunctionId, LoopId, Map, PointId, ReadError, Reader, Refusal, Storage, Tag, VERSION, records,
};

#[test]
fn arbitrary_maps_come_back_whole() {
    for seed in 0..1000 {
        let map = arbitrary(seed);
        assert_eq!(map.validate(), Ok(()), "seed {seed}");
        for bytes in [map.to_bytes(), verbatim_bytes(&map)] {
            let read = Map::from_bytes(&bytes).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert_eq!(read, map, "seed {seed}");
            assert_eq!(read.to_bytes(), map.to_bytes(), "seed {seed}");
        }
    }
}

#[test]
fn a_map_of_many_blocks_comes_back_whole_and_function_by_function() {
    let mut map = synthetic(60_000, 7);
    map.binding = Some(bind(&map, 8));
    map.libraries = vec![bind(&map, 3), bind(&map, 5)];
    assert_eq!(map.validate(), Ok(()));
    let bytes = map.to_bytes();
    assert_eq!(bytes, map.clone().to_bytes());
    assert_eq!(bytes, map.to_bytes_by(3));
    assert_eq!(Map::from_bytes(&bytes).as_ref(), Ok(&map));

    let reader = Reader::new(&bytes).unwrap();
    let index = reader.index().unwrap();
    assert_eq!(index.files, map.files);
    assert_eq!(reader.diagnostics(), Ok(map.diagnostics.clone()));
    assert_eq!(reader.bindings(), Ok(Vec::from_iter(map.bindings().cloned())));
    for (id, function) in map.functions.iter_enumerated().step_by(97) {
        assert_eq!(reader.function(&index, id).unwrap().as_ref(), Some(function));
        assert!(index.find(&function.name, Some(function.file)).contains(&id));
        assert!(index.find(&function.name, None).contains(&id));
    }
    assert_eq!(reader.function(&index, map.functions.next_id()), Ok(None));
    assert!(index.find("no such function", None).is_empty());
}

#[test]
fn binding_adds_sections_and_changes_no_static_byte() {
    let mut map = synthetic(3000, 3);
    let unbound = map.to_bytes();
    map.binding = Some(bind(&map, 4));
    let bound = map.to_bytes();
    // The sections of the static half stand after the table; binding makes that seven entries longer.
    let sections = unbound[12];
    let content = |count: u8| 32 + 24 * usize::from(count);
    let static_half = &unbound[content(sections)..];
    let padding = static_half.iter().rev().take_while(|&&byte| byte == 0).count();
    let static_half = &static_half[..static_half.len() - padding];
    assert!(bound[content(sections + 7)..].starts_with(static_half));
    assert_eq!(bound[32..content(sections)], unbound[32..content(sections)]);
}

#[test]
fn a_reason_costs_little_though_it_names_its_line() {
    let mut map = synthetic(20_000, 9);
    let plain = map.to_bytes().len();
    let mut loops = 0;
    for id in map.functions.ids() {
        let function = &mut map.functions[id];
        for l in function.loops.ids() {
            let l = &mut function.loops[l];
            for refused in &mut l.refused {
                refused.why = Refusal::UnknownStep {
                    line: l.span.line + 2,
                };
                loops += 1;
            }
        }
    }
    let bytes = map.to_bytes();
    assert!(
        loops > 200 && bytes.len() < plain + loops,
        "{loops} reasons: {plain}, {}",
        bytes.len()
    );
    assert_eq!(Map::from_bytes(&bytes).as_ref(), Ok(&map));
}

#[test]
fn an_empty_map_is_a_map() {
    let bytes = Map::default().to_bytes();
    assert_eq!(Map::from_bytes(&bytes), Ok(Map::default()));
    assert!(bytes.len() <= 200, "{} bytes", bytes.len());
}

#[test]
fn a_map_that_repeats_itself_beyond_measure_is_still_read() {
    let mut map = synthetic(500, 1);
    let mut function = map.functions.iter().next().unwrap().clone();
    function.name = "x".repeat(200);
    (function.points, function.scopes, function.loops) = Default::default();
    function.edges.clear();
    map.functions = vec![function; 10_000].into();
    // Deflated it would be so small that the reader's limit for it is under the two megabytes of names.
    let bytes = map.to_bytes();
    assert_eq!(bytes, verbatim_bytes(&map));
    assert_eq!(Map::from_bytes(&bytes).as_ref(), Ok(&map));
}

#[test]
fn concatenated_maps_come_apart() {
    let maps = [arbitrary(1), synthetic(400, 2), Map::default()];
    let mut section = Vec::new();
    for map in &maps {
        section.extend_from_slice(&map.to_bytes());
        assert_eq!(section.len() % 8, 0);
        section.extend_from_slice(&[0; 24]);
    }
    let read = Vec::from_iter(records(&section).map(|record| Map::from_bytes(record.unwrap()).unwrap()));
    assert_eq!(read, maps);
    section.truncate(section.len() - 40);
    let last = records(&section).last().unwrap();
    assert!(matches!(last, Err(ReadError::Truncated { .. })));
    assert_eq!(records(&section).count(), 3);
    assert_eq!(records(&[0; 10]).count(), 0);
}

#[test]
fn what_is_not_a_map_is_refused_by_name() {
    let good = synthetic(400, 2).to_bytes();
    let read = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        Map::from_bytes(&bytes).unwrap_err()
    };
    let text = |change: &dyn Fn(&mut Vec<u8>)| read(change).to_string();

    assert_eq!(Map::from_bytes(b""), Err(ReadError::NotAMap));
    assert_eq!(Map::from_bytes(b"\x7fELF\x02\x01\x01\0"), Err(ReadError::NotAMap));
    assert_eq!(
        text(&|b| b.clear()),
        "not a progress map; make one with `hindmost map`"
    );
    assert_eq!(
        text(&|b| b.truncate(100)),
        format!(
            "map truncated at byte 100 of {}: make the map again with `hindmost map`",
            good.len()
        )
    );
    assert_eq!(
        text(&|b| b[8] = 9),
        format!(
            "map format version 9 is newer than this hindmost reads ({VERSION}): update hindmost, or make the map again \
             with `hindmost map`"
        )
    );
    assert_eq!(
        text(&|b| b[8] = 1),
        format!(
            "map format version 1 is older than this hindmost reads ({VERSION}): make the map again with `hindmost map`"
        )
    );
    assert_eq!(
        text(&|b| b[40] ^= 1),
        "map damaged: checksum of the header differs; make the map again with `hindmost map`"
    );
    let damaged = "map damaged: checksum of section 0 (STRS) differs; make the map again with `hindmost map`";
    let start = 32 + 24 * usize::from(good[12]);
    assert_eq!(text(&|b| b[start + 30] ^= 1), damaged);
    assert_eq!(
        read(&|b| b.extend([0; 8])),
        ReadError::Trailing {
            offset: good.len() as u64
        }
    );
    // The string table renamed: then it is an unknown section that must be understood.
    let renamed = read(&|b| {
        b[32] = b'X';
        reseal(b);
    });
    assert!(
        renamed.to_string().contains("understands section 0 (XTRS)"),
        "{renamed}"
    );
    // Not required: skipped, and then missed.
    let skipped = read(&|b| {
        b[32] = b'X';
        b[36] = 0;
        reseal(b);
    });
    assert_eq!(skipped, ReadError::Missing { tag: Tag(*b"STRS") });
    let repeated = read(&|b| {
        b.copy_within(32..36, 56);
        reseal(b);
    });
    assert!(
        matches!(repeated, ReadError::Repeated { section } if section.ordinal == 1),
        "{repeated}"
    );
}

/// Every broken promise is found, both in memory and after a trip through bytes.
#[test]
fn a_map_that_breaks_a_promise_is_refused() {
    type Break = fn(&mut Map);
    let first = FunctionId::from_index(0);
    assert!(!synthetic(400, 2).functions[first].loops.is_empty());
    let breaks: [(&str, Break); 16] = [
        ("its file is not in the map", |m| m.files = vec![].into()),
        ("files are not sorted", |m| {
            let file = m.files[FileId::from_index(0)].clone();
            m.files.push(file);
        }),
        ("functions are not sorted", |m| {
            let function = m.functions[FunctionId::from_index(0)].clone();
            m.functions.push(function);
        }),
        ("point 0 is not the entry", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            f.points[PointId::from_index(0)].kind = progress_map::PointKind::Eval;
        }),
        ("no such scope", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            f.points[PointId::from_index(2)].scope = progress_map::ScopeId::from_index(999);
        }),
        ("no such loop", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            f.points[PointId::from_index(2)].innermost_loop = Some(LoopId::from_index(999));
        }),
        ("joins points that the function does not have", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            let last = PointId::from_index(f.points.len() - 1);
            f.edges.push((last, PointId::from_index(999)));
        }),
        (
            "more edges than it states|fewer edges than it states|edges are not sorted",
            |m| {
                let f = &mut m.functions[FunctionId::from_index(0)];
                f.edges.reverse();
            },
        ),
        ("edges are not sorted|edges than it states", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            f.edges.insert(0, f.edges[0]);
        }),
        ("its header is not a point", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            f.loops[LoopId::from_index(0)].header = PointId::from_index(999);
        }),
        ("its parent does not come before it", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            f.loops[LoopId::from_index(0)].parent = Some(LoopId::from_index(0));
        }),
        ("an update of a variable stands at no point", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            let mut lov = lov("i");
            lov.updates = vec![PointId::from_index(999)];
            f.loops[LoopId::from_index(0)].lovs.push(lov);
        }),
        ("moves by nothing", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            let mut lov = lov("i");
            lov.cut = Cut::Header {
                offsets: Vec::new(),
                per_iteration: 0,
            };
            f.loops[LoopId::from_index(0)].lovs.push(lov);
        }),
        ("too many steps from its base", |m| {
            let f = &mut m.functions[FunctionId::from_index(0)];
            let mut lov = lov("i");
            for _ in 0..65 {
                lov.storage = Storage::Pointee(Box::new(lov.storage));
            }
            f.loops[LoopId::from_index(0)].lovs.push(lov);
        }),
        (
            "it starts before the one before it ends|it ends before it starts",
            |m| {
                let mut binding = bind(m, 1);
                binding.rows[3].start = binding.rows[1].start;
                m.binding = Some(binding);
            },
        ),
        ("there is no such instance", |m| {
            let mut binding = bind(m, 1);
            binding.variables[0].instance = progress_map::FunctionInstance::Inlined(9999);
            m.binding = Some(binding);
        }),
    ];
    for (expected, apply) in breaks {
        let mut map = synthetic(400, 2);
        apply(&mut map);
        assert!(map.validate().is_err(), "{expected}");
        let error = Map::from_bytes(&map.to_bytes()).unwrap_err().to_string();
        let found = expected.split('|').any(|part| error.contains(part));
        assert!(found, "expected '{expected}', got '{error}'");
    }
}

/// The numbers of the columns of the section `tag`.
fn columns_of(bytes: &[u8], tag: &[u8; 4]) -> Vec<u64> {
    let count = usize::from(bytes[12]);
    let mut at = 32 + 24 * count;
    for entry in bytes[32..at].to_vec().chunks_exact(24) {
        if &entry[..4] == tag {
            break;
        }
        at += u64::from_le_bytes(entry[8..16].try_into().unwrap()) as usize;
    }
    let mut number = || base::take_number::<u64>(bytes, &mut at).unwrap();
    let columns = 0..number();
    columns.map(|_| [number(), number(), number()][0]).collect()
}

/// Maps of writers that did not say how a function was read have no such column, and are read as they ever were.
#[test]
fn how_functions_were_read_takes_no_room_where_all_were_read_as_written() {
    let mut map = synthetic(600, 5);
    let as_written = map.to_bytes();
    assert!(!columns_of(&as_written, b"HEAD").contains(&10));
    assert_eq!(Map::from_bytes(&as_written).as_ref(), Ok(&map));

    let last = map.functions.ids().next_back().unwrap();
    map.functions[last].reading = Reading::Exactly;
    let exactly = map.to_bytes();
    assert!(columns_of(&exactly, b"HEAD").contains(&10));
    assert_eq!(Map::from_bytes(&exactly).as_ref(), Ok(&map));
}
