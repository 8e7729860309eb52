//! What is left out or marked because machine code does not say for certain where control goes, on code of a few bytes each.

use super::blocks::blocks;
use super::decode::{Callee, Piece, callee, decode, of_library};
use super::file::{File, Names, UnwindEntry};
use super::function::{self, Leaves};
use super::stack::own_slots;
use super::tables::{entries, is_of_table};
use super::tail_jumps::tail_jumps;
use crate::elf::Image;
use crate::stack::{FRAME_POINTER, STACK_POINTER};
use crate::unwinding::{Cfa, Row};
use iced_x86::{Decoder, DecoderOptions, Instruction};
use progress_map::{TailJump, TailTarget};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Where the code of all files here begins.
const BASE: u64 = 0x1000;

/// A program whose only section is this code.
fn program(code: &[u8]) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.text\0\0";
    const CODE: usize = 64 + NAMES.len();
    let mut file = vec![0; 64];
    file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    file[16..24].copy_from_slice(&[2, 0, 62, 0, 1, 0, 0, 0]);
    file[40..48].copy_from_slice(&((CODE + code.len()) as u64).to_le_bytes());
    file[52..54].copy_from_slice(&64_u16.to_le_bytes());
    file[58..64].copy_from_slice(&[64, 0, 3, 0, 1, 0]);
    file.extend_from_slice(NAMES);
    file.extend_from_slice(code);
    let mut header = |name: u32, kind: u32, [flags, address, offset, size]: [u64; 4]| {
        file.extend([name.to_le_bytes(), kind.to_le_bytes()].concat());
        let words = [flags, address, offset, size, 0, 1, 0];
        file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    };
    header(0, 0, [0; 4]);
    header(0, 3, [0, 0, 64, NAMES.len() as u64]);
    // SHF_ALLOC and SHF_EXECINSTR.
    header(1, 1, [6, BASE, CODE as u64, code.len() as u64]);
    file
}

/// A piece of code, of which the unwind table says that the CFA is sixteen bytes above the stack pointer.
fn frame(code: Range<u64>) -> UnwindEntry {
    let code = BASE + code.start..BASE + code.end;
    let row = Row {
        code: code.clone(),
        cfa: Cfa::Above(STACK_POINTER, 16),
        saves: false,
    };
    UnwindEntry {
        code,
        exceptions: None,
        unwinding: vec![row],
        objects: None,
    }
}

/// Looks at a program that consists of these pieces, with `names` as the test sets them.
fn with_pieces<T>(
    parts: &[&[u8]],
    name: impl FnOnce(&mut Names),
    look: impl FnOnce(&File<'_, '_>, &[Option<Piece>]) -> T,
) -> T {
    with_pieces_above(STACK_POINTER, parts, name, look)
}

/// The same, where the CFA is sixteen bytes above this register.
fn with_pieces_above<T>(
    register: u16,
    parts: &[&[u8]],
    name: impl FnOnce(&mut Names),
    look: impl FnOnce(&File<'_, '_>, &[Option<Piece>]) -> T,
) -> T {
    let program = program(&parts.concat());
    let image = Image::parse(&program).expect("it is a program");
    let mut frames = Vec::new();
    let mut end = 0;
    for part in parts {
        let start = end;
        end += part.len() as u64;
        let mut entry = frame(start..end);
        entry.unwinding[0].cfa = Cfa::Above(register, 16);
        frames.push(entry);
    }
    let mut names = Names {
        cells: BTreeMap::new(),
        returns_twice: BTreeSet::new(),
        cold: BTreeSet::new(),
    };
    name(&mut names);
    let mut file = File {
        image: &image,
        names,
        frames,
        never_returns: BTreeSet::new(),
    };
    let pieces = super::pieces(&mut file);
    look(&file, &pieces)
}

/// Whether all of a function can be decoded.
fn is_decoded(code: &[u8], name: impl FnOnce(&mut Names)) -> bool {
    with_pieces(&[code], name, |_, pieces| pieces[0].is_some())
}

fn nothing(_: &mut Names) {}

#[test]
fn code_that_is_none_is_not_decoded() {
    // nop; ret.
    assert!(is_decoded(&[0x90, 0xc3], nothing));
    // An instruction that 64-bit mode does not have.
    assert!(!is_decoded(&[0x90, 0x06, 0xc3], nothing));
    // It is behind the return, where control does not come.
    assert!(is_decoded(&[0x90, 0xc3, 0x06], nothing));
}

#[test]
fn instructions_that_overlap_are_not_decoded() {
    // jmp to the next instruction; ret.
    assert!(is_decoded(&[0xeb, 0x00, 0xc3], nothing));
    // jmp into itself: inc eax; ret.
    assert!(!is_decoded(&[0xeb, 0xff, 0xc0, 0xc3], nothing));
}

#[test]
fn transactions_are_not_followed() {
    // xbegin to the next instruction; ret.
    assert!(!is_decoded(&[0xc7, 0xf8, 0, 0, 0, 0, 0xc3], nothing));
}

#[test]
fn code_that_the_file_does_not_have_is_not_decoded() {
    with_pieces(&[&[0x90, 0xc3]], nothing, |file, _| {
        assert!(decode(file, &frame(0..2), &BTreeSet::new()).is_some());
        assert!(decode(file, &frame(0..3), &BTreeSet::new()).is_none());
    });
}

#[test]
fn a_function_whose_table_of_exceptions_cannot_be_read_is_not_decoded() {
    // ret; and behind it a table: no base, no types, offsets as ULEB128, of no bytes and of one byte.
    // Behind these one whose offsets have two bytes each, as no compiler writes them.
    let code = [
        0xc3, 0xff, 0xff, 0x01, 0x00, 0xff, 0xff, 0x01, 0x01, 0x00, 0xff, 0xff, 0x02, 0x01, 0x00,
    ];
    with_pieces(&[&code], nothing, |file, _| {
        let with_table = |at: u64| {
            let mut frame = frame(0..1);
            frame.exceptions = Some(BASE + at);
            decode(file, &frame, &BTreeSet::new()).is_some()
        };
        assert!(with_table(1));
        assert!(!with_table(5));
        assert!(!with_table(10));
        assert!(!with_table(0x100));
    });
}

#[test]
fn a_function_that_calls_what_returns_twice_is_not_decoded() {
    // call the next instruction but one; ret; ret.
    let code = [0xe8, 1, 0, 0, 0, 0xc3, 0xc3];
    let twice = |names: &mut Names| names.returns_twice.extend([BASE + 6]);
    assert!(is_decoded(&code, nothing));
    assert!(!is_decoded(&code, twice));
    // call through the cell of a name; ret.
    let code = [0xff, 0x15, 0, 0, 0, 0, 0xc3];
    let through =
        |name: &'static str| move |names: &mut Names| drop(names.cells.insert(BASE + 6, name.to_owned()));
    assert!(is_decoded(&code, through("puts")));
    assert!(!is_decoded(&code, through("_setjmp@GLIBC_2.2.5")));
    assert!(!is_decoded(&code, through("vfork")));
}

#[test]
fn what_is_known_of_libraries_is_what_their_names_tell() {
    assert_eq!(of_library("MPI_Send"), Some(Callee::Returns));
    assert_eq!(of_library("MPI_Abort"), Some(Callee::Unknown));
    assert_eq!(of_library("exit@GLIBC_2.2.5"), Some(Callee::NeverReturns));
    for symbol in [
        "_ZSt20__throw_length_errorPKc",
        "__cxa_throw@CXXABI_1.3",
        "_Unwind_Resume",
    ] {
        assert_eq!(of_library(symbol), Some(Callee::NeverReturns), "{symbol}");
    }
    // `throw_away(int)` is a program's own.
    assert_eq!(of_library("_Z10throw_awayi"), Some(Callee::Unknown));
    assert_eq!(of_library("strlen"), Some(Callee::OnItsOwn));
    // It calls a function of the program.
    assert_eq!(of_library("qsort"), Some(Callee::Unknown));
    assert_eq!(of_library("of_nobody"), Some(Callee::Unknown));
    // Into the middle of a function there is no call.
    with_pieces(&[&[0x90, 0xc3]], nothing, |file, _| {
        assert_eq!(callee(file, BASE), Some(Callee::Here(BASE)));
        assert_eq!(callee(file, BASE + 1), Some(Callee::Unknown));
    });
}

#[test]
fn behind_calls_that_never_return_there_is_no_way() {
    // Twice: call the next piece; ret.
    let calls: &[u8] = &[0xe8, 1, 0, 0, 0, 0xc3];
    let decoded = |last: &[u8]| {
        with_pieces(&[calls, calls, last], nothing, |_, pieces| {
            let counts = pieces.iter().flatten().map(|piece| piece.steps.len());
            Vec::from_iter(counts)
        })
    };
    // jmp to itself. Who calls it does not come back either.
    assert_eq!(decoded(&[0xeb, 0xfe]), [1, 1, 1]);
    // je to the next instruction; jmp to where rax says, which may come back.
    assert_eq!(decoded(&[0x74, 0, 0xff, 0xe0]), [2, 2, 2]);
    // ret.
    assert_eq!(decoded(&[0xc3]), [2, 2, 1]);
    // An instruction that 64-bit mode does not have: nobody knows what is there.
    assert_eq!(decoded(&[0x06]), [2, 2]);
    // jmp into the second piece's return.
    assert_eq!(decoded(&[0xeb, 0xfd]), [2, 2, 1]);
}

/// The code of all functions of a program that call something, as ranges of blocks.
fn code_of(parts: &[&[u8]]) -> Vec<(u64, u64)> {
    with_pieces(parts, nothing, |file, pieces| {
        let functions = function::functions(file, pieces);
        let code = function::assemble(file, pieces, &functions).code;
        let blocks = code.blocks.iter();
        blocks
            .map(|block| (block.start - BASE, block.end - BASE))
            .collect()
    })
}

#[test]
fn a_function_with_a_piece_that_is_not_decoded_has_no_code() {
    // call nobody; jmp into the second piece, behind its first instruction; and there nop, nop, ret.
    let jumps = [0xe8, 0, 1, 0, 0, 0xeb, 0x01];
    assert_eq!(
        code_of(&[&jumps, &[0x90, 0x90, 0xc3]]),
        [(0, 5), (5, 7), (7, 8), (8, 10)]
    );
    assert_eq!(code_of(&[&jumps, &[0x90, 0x90, 0x06]]), []);
}

#[test]
fn a_way_into_an_instruction_leaves_the_function_out() {
    // An instruction of two bytes and ret; a jump to where they begin, or one byte further on.
    let has_blocks = |jump: [u8; 2]| {
        with_pieces(&[&[0x66, 0x90, 0xc3], &jump], nothing, |file, pieces| {
            let decoded = |frame| decode(file, frame, &BTreeSet::new()).expect("it can be decoded");
            let [first, second] = [0, 1].map(|at| (&file.frames[at], decoded(&file.frames[at])));
            let whole = [(first.0, &first.1), (second.0, &second.1)];
            blocks(&whole, false, &mut Leaves::new(file, pieces, &[0, 1])).is_some()
        })
    };
    assert!(has_blocks([0xeb, 0xfb]));
    assert!(!has_blocks([0xeb, 0xfc]));
}

/// Asks something of the first piece, each piece being a function of its own.
pub(super) fn of_first<T>(parts: &[&[u8]], ask: impl FnOnce(&mut Leaves<'_, '_, '_>) -> T) -> T {
    with_pieces(parts, nothing, |file, pieces| {
        let function_of = Vec::from_iter(0..pieces.len());
        ask(&mut Leaves::new(file, pieces, &function_of))
    })
}

#[test]
fn what_is_not_known_to_keep_away_from_mpi_may_come_to_it() {
    let may_communicate =
        |parts: &[&[u8]]| of_first(parts, |first| first.may_communicate(Callee::Here(BASE)));
    assert!(!may_communicate(&[&[0x90, 0xc3]]));
    // call a piece that returns; that is not decoded; call nobody.
    let calls = [0xe8, 1, 0, 0, 0, 0xc3];
    assert!(!may_communicate(&[&calls, &[0xc3]]));
    assert!(may_communicate(&[&calls, &[0x06]]));
    assert!(may_communicate(&[&[0xe8, 0, 1, 0, 0, 0xc3]]));
    // jmp nobody; jmp rax.
    assert!(may_communicate(&[&[0xe9, 0, 1, 0, 0]]));
    assert!(may_communicate(&[&[0xff, 0xe0]]));
    let of = |callee| of_first(&[&[0xc3]], |first| first.may_communicate(callee));
    assert!(of(Callee::Unknown) && of(Callee::NeverReturns) && of(Callee::Returns));
    assert!(!of(Callee::OnItsOwn));
}

#[test]
fn a_call_comes_back_for_certain_only_where_that_is_known() {
    let of = |code: &[u8], callee| of_first(&[code], |first| first.returns(callee));
    assert!(of(&[0xc3], Callee::Here(BASE)));
    // ud2; what is not decoded.
    assert!(!of(&[0x0f, 0x0b], Callee::Here(BASE)));
    assert!(!of(&[0x06], Callee::Here(BASE)));
    assert!(of(&[0xc3], Callee::Returns));
    assert!(!of(&[0xc3], Callee::Unknown) && !of(&[0xc3], Callee::OnItsOwn));
}

#[test]
fn a_function_is_entered_again_unless_its_jumps_are_known_to_lead_elsewhere() {
    let again = |parts: &[&[u8]]| of_first(parts, |first| first.may_be_entered_again(0));
    assert!(!again(&[&[0xeb, 0x00, 0xc3]]));
    // jmp the second piece: it returns; jumps back; is not decoded.
    let jump = [0xeb, 0x00];
    assert!(!again(&[&jump, &[0xc3]]));
    assert!(again(&[&jump, &[0xeb, 0xfc]]));
    assert!(again(&[&jump, &[0x06]]));
    // jmp rax; jmp nobody.
    assert!(again(&[&[0xff, 0xe0]]));
    assert!(again(&[&[0xe9, 0, 1, 0, 0]]));
}

#[test]
fn what_is_not_known_counts_as_a_jump_to_anywhere() {
    let check = |parts: &[&[u8]], bound: Option<Range<u64>>, expected: &[(u64, TailTarget)]| {
        with_pieces(parts, nothing, |file, pieces| {
            let function_of = function::functions(file, pieces);
            let bound = bound.map(|code| BASE + code.start..BASE + code.end);
            let found = tail_jumps(file, pieces, &function_of, bound.into_iter());
            let expected = expected.iter().map(|&(at, to)| TailJump { at: BASE + at, to });
            assert_eq!(found, Vec::from_iter(expected));
        });
    };
    let anywhere = TailTarget::Anywhere;
    check(&[&[0xc3], &[0xc3]], Some(0..1), &[]);
    // jmp the second piece.
    check(
        &[&[0xeb, 0x00], &[0xc3]],
        None,
        &[(0, TailTarget::Function(BASE + 2))],
    );
    // Code that is not decoded, or not described; jmp nobody; jmp rax.
    check(&[&[0x06]], None, &[(0, anywhere)]);
    check(&[&[0xc3]], Some(0..2), &[(0, anywhere)]);
    check(&[&[0xc3]], Some(8..9), &[(8, anywhere)]);
    check(&[&[0xe9, 0, 1, 0, 0]], None, &[(0, anywhere)]);
    check(&[&[0x90, 0xff, 0xe0]], None, &[(1, anywhere)]);
}

#[test]
fn a_computed_jump_is_one_of_a_table_only_behind_what_reads_the_table() {
    let check = |code: &[u8], expected: bool| {
        let decoder = Decoder::with_ip(64, code, BASE, DecoderOptions::NONE);
        let all = Vec::from_iter(decoder);
        let before = |count: usize| all.len().checked_sub(count).map(|at| &all[at]);
        let jump: &Instruction = all.last().expect("there is a jump");
        assert_eq!(is_of_table(before(3), before(2), jump), expected, "{code:x?}");
    };
    // movsxd rax, [rdx+4*rax]; add rax, rdx; jmp rax.
    check(&[0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xd0, 0xff, 0xe0], true);
    // The sum is of another table: add rax, rcx.
    check(&[0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xc8, 0xff, 0xe0], false);
    // The sum is in another register: jmp rcx.
    check(&[0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xd0, 0xff, 0xe1], false);
    // A difference: sub rax, rdx.
    check(&[0x48, 0x63, 0x04, 0x82, 0x48, 0x29, 0xd0, 0xff, 0xe0], false);
    // Entries of eight bytes; no table: movsxd rax, [rdx+8*rax]; movsxd rax, [rdx].
    check(&[0x48, 0x63, 0x04, 0xc2, 0x48, 0x01, 0xd0, 0xff, 0xe0], false);
    check(&[0x48, 0x63, 0x02, 0x48, 0x01, 0xd0, 0xff, 0xe0], false);
    // Not from where the table begins: movsxd rax, [rdx+4*rax+4].
    check(
        &[0x48, 0x63, 0x44, 0x82, 0x04, 0x48, 0x01, 0xd0, 0xff, 0xe0],
        false,
    );
    // Nothing in front of it.
    check(&[0xff, 0xe0], false);
    // jmp [8*rax+0x2000]; with a base; with entries of four bytes; a pointer of the program.
    check(&[0xff, 0x24, 0xc5, 0, 0x20, 0, 0], true);
    check(&[0xff, 0x24, 0xc2], false);
    check(&[0xff, 0x24, 0x85, 0, 0x20, 0, 0], false);
    check(&[0xff, 0x25, 0, 0x20, 0, 0], false);
}

#[test]
fn a_table_of_jumps_ends_where_an_entry_leads_out_of_the_function() {
    // nop, ret; and behind them a table of distances from there: to both, out of the function, and to the first again.
    let table = [-2_i32, -1, 64, -2].map(i32::to_le_bytes).concat();
    let code = [&[0x90, 0xc3], &table[..]].concat();
    with_pieces(&[&code], nothing, |file, _| {
        let mut found = BTreeSet::new();
        let target = |bytes: [u8; 4]| (BASE + 2).wrapping_add_signed(i32::from_le_bytes(bytes).into());
        let read = entries(file, &frame(0..2), BASE + 2..BASE + 18, &target, &mut found);
        assert!(read.is_ok());
        assert_eq!(Vec::from_iter(found), [BASE, BASE + 1]);
    });
}

/// The slots that a function alone writes to, by their distance from the CFA.
fn slots(code: &[u8]) -> Vec<i32> {
    slots_above(STACK_POINTER, code)
}

/// The same, where debug info tells of no variable but this one.
fn slots_beside(object: Option<Range<i64>>, code: &[u8]) -> Vec<i32> {
    with_pieces(&[code], nothing, |file, pieces| {
        let piece = pieces[0].as_ref().expect("it can be decoded");
        let entry = UnwindEntry {
            objects: Some(object.into_iter().collect()),
            ..frame(0..code.len() as u64)
        };
        assert_eq!(entry.code, file.frames[0].code);
        own_slots(&[(&entry, piece)]).into_keys().collect()
    })
}

/// The same, where the CFA is sixteen bytes above this register.
fn slots_above(register: u16, code: &[u8]) -> Vec<i32> {
    with_pieces_above(register, &[code], nothing, |file, pieces| {
        let piece = pieces[0].as_ref().expect("it can be decoded");
        own_slots(&[(&file.frames[0], piece)]).into_keys().collect()
    })
}

#[test]
fn a_slot_whose_address_may_have_gone_somewhere_is_nobodys() {
    // mov dword [rsp+8], 1.
    let store = [0xc7, 0x44, 0x24, 0x08, 1, 0, 0, 0];
    let with = |rest: &[u8]| slots(&[&store, rest, &[0xc3]].concat());
    assert_eq!(with(&[]), [-8]);
    // lea rax, [rsp+12]: it begins above the slot; [rsp+8]; [rsp]: an object that may extend to it.
    assert_eq!(with(&[0x48, 0x8d, 0x44, 0x24, 0x0c]), [-8]);
    assert_eq!(with(&[0x48, 0x8d, 0x44, 0x24, 0x08]), []);
    assert_eq!(with(&[0x48, 0x8d, 0x04, 0x24]), []);
    // mov rax, rsp; mov [rsp+4*rax], ecx.
    assert_eq!(with(&[0x48, 0x89, 0xe0]), []);
    assert_eq!(with(&[0x89, 0x0c, 0x84]), []);
    // What is written below the stack pointer, and one byte alone, is kept nowhere: mov [rsp-8], ecx; mov [rsp+8], cl.
    assert_eq!(slots(&[0x89, 0x4c, 0x24, 0xf8, 0xc3]), []);
    assert_eq!(slots(&[0x88, 0x4c, 0x24, 0x08, 0xc3]), []);
}

#[test]
fn an_address_in_a_variable_leads_nowhere_else() {
    // mov dword [rsp+8], 1: the slot at -8.
    let store = [0xc7, 0x44, 0x24, 0x08, 1, 0, 0, 0];
    let with =
        |object: Option<Range<i64>>, rest: &[u8]| slots_beside(object, &[&store, rest, &[0xc3]].concat());
    let below = -16..-8;
    // lea rax, [rsp]; mov [rsp+4*rax], ecx; lea rax, [rsp+4*rax+4].
    let (begins, indexed, inside) = (
        &[0x48, 0x8d, 0x04, 0x24][..],
        &[0x89, 0x0c, 0x84][..],
        &[0x48, 0x8d, 0x44, 0x84, 0x04][..],
    );
    for into in [begins, indexed, inside] {
        assert_eq!(with(Some(below.clone()), into), [-8], "{into:x?}");
        // What has no name may be there.
        assert_eq!(with(None, into), [], "{into:x?}");
        assert_eq!(with(Some(-64..-32), into), [], "{into:x?}");
        // The slot is a part of the variable.
        assert_eq!(with(Some(-16..-4), into), [], "{into:x?}");
    }
    // Nor is it one where nothing goes anywhere: somebody else may know the variable.
    assert_eq!(with(Some(-8..0), &[]), []);
    // add rdi, rsp: from there it may go anywhere.
    assert_eq!(with(Some(below), &[0x48, 0x01, 0xe7]), []);
}

#[test]
fn what_lies_below_a_frame_leaves_its_slots_alone() {
    // mov dword [rbp-8], 1.
    let store = [0xc7, 0x45, 0xf8, 1, 0, 0, 0];
    let with = |rest: &[u8]| slots_above(FRAME_POINTER, &[&store, rest, &[0xc3]].concat());
    assert_eq!(with(&[]), [-24]);
    // sub rsp, rax; lea rdi, [rsp+15]; mov rax, rsp; push rcx; mov [rsp+4*rax], ecx: what is allocated and what is passed there.
    let below = [
        0x48, 0x29, 0xc4, 0x48, 0x8d, 0x7c, 0x24, 0x0f, 0x48, 0x89, 0xe0, 0x51, 0x89, 0x0c, 0x84,
    ];
    assert_eq!(with(&below), [-24]);
    // lea rdi, [rbp-16]: an object of the frame that may extend to the slot.
    assert_eq!(with(&[&below[..], &[0x48, 0x8d, 0x7d, 0xf0]].concat()), []);
    // and rsp, -64: what the stack pointer leads to may be a variable, wherever in the code that is.
    let align = [0x48, 0x83, 0xe4, 0xc0];
    // add rdi, rbp; lea rdi, [rbp+4*rax-4]; mov [rbp+4*rax-4], ecx; mov [rax+rbp], ecx: from there it may go anywhere.
    for anywhere in [
        &[0x48, 0x01, 0xef][..],
        &[0x48, 0x8d, 0x7c, 0x85, 0xfc],
        &[0x89, 0x4c, 0x85, 0xfc],
        &[0x89, 0x0c, 0x28],
    ] {
        assert_eq!(with(anywhere), [], "{anywhere:x?}");
    }
    assert_eq!(with(&[&below[..], &align].concat()), []);
    assert_eq!(with(&align), [-24]);
}
