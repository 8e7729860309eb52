//! The functions that the shim calls, in C's terms. Their declarations are those of `integrations/gcc/hindmost_rows.h`.
//!
//! All numbers that they return are 0, or something is wrong and [`hindmost_compilation_trouble`] says what.

#![allow(
    unsafe_code,
    reason = "the compiler hands over C's pointers, lengths and texts"
)]

use crate::{Compilation, absolute, text};
use base::{Id as _, IdVec};
use gcc_trees::{Code, FunctionTree, Place, Row, RowId, Rows, Traits, TypeId, TypeRow};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// In the place of a row: there is none.
const NOTHING: u32 = u32::MAX;

/// `struct hindmost_row`.
#[repr(C)]
pub struct RawRow {
    code: u32,
    flags: u32,
    ty: u32,
    file: u32,
    caret: [u32; 2],
    start: [u32; 2],
    last: [u32; 2],
    first: u32,
    count: u32,
    value: i64,
    name: *const c_char,
    scope: *const c_char,
}

const _: () = assert!(size_of::<RawRow>() == 72);

/// `struct hindmost_type`.
#[repr(C)]
pub struct RawType {
    code: u32,
    flags: u32,
    bits: u32,
    inner: u32,
    size: i64,
    name: *const c_char,
}

const _: () = assert!(size_of::<RawType>() == 32);

/// `struct hindmost_rows`.
#[repr(C)]
pub struct RawRows {
    rows: *const RawRow,
    row_count: usize,
    operands: *const u32,
    operand_count: usize,
    types: *const RawType,
    type_count: usize,
    files: *const *const c_char,
    file_count: usize,
}

/// `struct hindmost_function`.
#[repr(C)]
pub struct RawFunction {
    declaration: u32,
    body: u32,
    returns: u32,
    first: u32,
    count: u32,
    end: [u32; 2],
}

/// `struct hindmost_class`.
#[repr(C)]
pub struct RawClass {
    declaration: u32,
    name: *const c_char,
    bases: *const *const c_char,
    base_count: usize,
    knows_bases: c_int,
    has_library_base: c_int,
    has_arrow: c_int,
    is_local: c_int,
}

/// A new compilation, for a compiler whose tree codes have these names and that runs in `directory`; null if it cannot be.
///
/// # Safety
/// `names` holds `count` texts, and `directory` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_new(
    names: *const *const c_char,
    count: usize,
    directory: *const c_char,
    language: c_int,
) -> *mut Compilation {
    let made = catch_unwind(|| {
        // SAFETY: the caller's promise.
        let names = unsafe { slice(names, count) };
        // SAFETY: the caller's promise, for each of them.
        let codes = names.iter().map(|&name| Code::of(unsafe { named(name) }));
        // SAFETY: the caller's promise.
        let directory = unsafe { named(directory) };
        Box::into_raw(Box::new(Compilation {
            codes: codes.collect(),
            directory: Path::new(directory).to_owned(),
            paths: Arc::default(),
            read: gcc_trees::Compilation::new(text, named_language(language)),
            trouble: CString::default(),
        }))
    });
    made.unwrap_or(std::ptr::null_mut())
}

/// Reads a function.
///
/// # Safety
/// The compilation is one that [`hindmost_compilation_new`] has made; the rows are what their header says, and stay there for the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_function(
    compilation: *mut Compilation,
    rows: *const RawRows,
    function: *const RawFunction,
) -> c_int {
    let read = |compilation: &mut Compilation, rows: &Rows<'_>| {
        // SAFETY: the caller's promise.
        let function = unsafe { &*function };
        let tree = FunctionTree {
            declaration: existing(rows, function.declaration)?,
            body: existing(rows, function.body),
            returns: Some(function.returns)
                .filter(|&ty| ty != NOTHING)
                .map(|ty| TypeId::from_index(ty as usize))
                .filter(|&ty| rows.has_type(ty)),
            parameters: rows
                .range(function.first as usize, function.count as usize)?
                .iter()
                .flatten()
                .copied()
                .collect(),
            end: (function.end[0], function.end[1]),
        };
        compilation.read.function(rows, &tree);
        Some(())
    };
    // SAFETY: the caller's promise.
    unsafe { with_rows(compilation, rows, read) }
}

/// Reads the declaration of a variable at file scope.
///
/// # Safety
/// As of [`hindmost_compilation_function`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_variable(
    compilation: *mut Compilation,
    rows: *const RawRows,
    declaration: u32,
    initial: u32,
) -> c_int {
    let read = |compilation: &mut Compilation, rows: &Rows<'_>| {
        let declaration = existing(rows, declaration)?;
        compilation
            .read
            .variable(rows, declaration, existing(rows, initial));
        Some(())
    };
    // SAFETY: the caller's promise.
    unsafe { with_rows(compilation, rows, read) }
}

/// Reads the declaration of a function that has attributes.
///
/// # Safety
/// As of [`hindmost_compilation_function`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_declared(
    compilation: *mut Compilation,
    rows: *const RawRows,
    declaration: u32,
) -> c_int {
    let read = |compilation: &mut Compilation, rows: &Rows<'_>| {
        compilation.read.declared(rows, existing(rows, declaration)?);
        Some(())
    };
    // SAFETY: the caller's promise.
    unsafe { with_rows(compilation, rows, read) }
}

/// Reads the members of a structure or union.
///
/// # Safety
/// As of [`hindmost_compilation_function`]; `members` holds `count` rows, and `of` is null or a class.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_members(
    compilation: *mut Compilation,
    rows: *const RawRows,
    members: *const u32,
    count: usize,
    in_union: c_int,
    of: *const RawClass,
) -> c_int {
    let read = |compilation: &mut Compilation, rows: &Rows<'_>| {
        // SAFETY: the caller's promise.
        let members = unsafe { slice(members, count) }.iter();
        let members = Vec::from_iter(members.filter_map(|&member| existing(rows, member)));
        // SAFETY: the caller's promise.
        let of = unsafe { of.as_ref() };
        // SAFETY: the caller's promise.
        let of = of.map(|of| unsafe { class(of) });
        compilation
            .read
            .members(rows, &members, in_union != 0, of.as_ref());
        Some(())
    };
    // SAFETY: the caller's promise.
    unsafe { with_rows(compilation, rows, read) }
}

/// Reads the head of a class of C++.
///
/// # Safety
/// As of [`hindmost_compilation_function`]; `of` is a class.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_class(
    compilation: *mut Compilation,
    rows: *const RawRows,
    of: *const RawClass,
) -> c_int {
    let read = |compilation: &mut Compilation, rows: &Rows<'_>| {
        // SAFETY: the caller's promise.
        let of = unsafe { &*of };
        let declaration = existing(rows, of.declaration)?;
        // SAFETY: the caller's promise.
        compilation.read.class(rows, declaration, unsafe { class(of) });
        Some(())
    };
    // SAFETY: the caller's promise.
    unsafe { with_rows(compilation, rows, read) }
}

/// Gives the fragments of all that has been read to `write`, in pieces; `source` is the file that is compiled. Nothing can be read afterwards.
///
/// # Safety
/// The compilation is one that [`hindmost_compilation_new`] has made; `source` is a text or null, and `write` takes `context` and bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_finish(
    compilation: *mut Compilation,
    source: *const c_char,
    write: extern "C" fn(*mut c_void, *const u8, usize),
    context: *mut c_void,
) -> c_int {
    let finish = |compilation: &mut Compilation| {
        let mut read = std::mem::replace(
            &mut compilation.read,
            gcc_trees::Compilation::new(text, ir::Language::C),
        );
        // SAFETY: the caller's promise.
        let source = unsafe { named(source) };
        read.source(&absolute(&compilation.directory, source));
        for unit in read.finish() {
            let fragment = embed::fragment::write(ir::packed::LAYOUT, &ir::packed::pack(&unit));
            write(context, fragment.as_ptr(), fragment.len());
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { guarded(compilation, finish) }
}

/// What went wrong last.
///
/// # Safety
/// The compilation is one that [`hindmost_compilation_new`] has made. The text is there until something else goes wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_trouble(compilation: *const Compilation) -> *const c_char {
    // SAFETY: the caller's promise.
    match unsafe { compilation.as_ref() } {
        Some(compilation) => compilation.trouble.as_ptr(),
        None => c"it has ended already".as_ptr(),
    }
}

/// Forgets a compilation.
///
/// # Safety
/// It is null, or one that [`hindmost_compilation_new`] has made, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hindmost_compilation_free(compilation: *mut Compilation) {
    if !compilation.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(compilation) });
    }
}

/// Does something with the rows that the compiler has handed over.
///
/// # Safety
/// As of [`hindmost_compilation_function`].
unsafe fn with_rows(
    compilation: *mut Compilation,
    rows: *const RawRows,
    read: impl FnOnce(&mut Compilation, &Rows<'_>) -> Option<()>,
) -> c_int {
    let read = |compilation: &mut Compilation| {
        // SAFETY: the caller's promise.
        let rows = unsafe { &*rows };
        // SAFETY: the caller's promise.
        let rows = unsafe { taken(compilation, rows) }?;
        read(compilation, &rows).ok_or_else(|| "the compiler's trees are not what they should be".to_owned())
    };
    // SAFETY: the caller's promise.
    unsafe { guarded(compilation, read) }
}

/// Runs something that may fail or panic; what went wrong is kept.
///
/// # Safety
/// The compilation is null or one that [`hindmost_compilation_new`] has made.
unsafe fn guarded(
    compilation: *mut Compilation,
    run: impl FnOnce(&mut Compilation) -> Result<(), String>,
) -> c_int {
    // SAFETY: the caller's promise.
    let Some(compilation) = (unsafe { compilation.as_mut() }) else {
        return 1;
    };
    let done = catch_unwind(AssertUnwindSafe(|| run(compilation)));
    match done.unwrap_or_else(|_| Err("the plugin has failed in a way that it should not".to_owned())) {
        Ok(()) => 0,
        Err(trouble) => {
            compilation.trouble = CString::new(trouble).unwrap_or_default();
            1
        }
    }
}

/// The rows in Rust's terms.
///
/// # Safety
/// They are what their header says.
unsafe fn taken<'a>(compilation: &mut Compilation, raw: &RawRows) -> Result<Rows<'a>, String> {
    // SAFETY: the caller's promise, for each of these.
    let files = unsafe { slice(raw.files, raw.file_count) };
    for &file in files.iter().skip(compilation.paths.len()) {
        // SAFETY: the caller's promise.
        let name = unsafe { named(file) };
        let path = absolute(&compilation.directory, name);
        Arc::make_mut(&mut compilation.paths).push(path);
    }
    // SAFETY: as above.
    let types = unsafe { slice(raw.types, raw.type_count) };
    let codes = &compilation.codes;
    let code = |code: u32| codes.get(code as usize).copied().unwrap_or(Code::Other);
    let types: IdVec<TypeId, TypeRow<'a>> = types
        .iter()
        .map(|ty| TypeRow {
            code: code(ty.code),
            is_unsigned: ty.flags & 1 != 0,
            is_const: ty.flags & 2 != 0,
            is_atomic: ty.flags & 4 != 0,
            bits: ty.bits,
            inner: (ty.inner != NOTHING).then(|| TypeId::from_index(ty.inner as usize)),
            size: (ty.size >= 0).then_some(ty.size),
            // SAFETY: the caller's promise.
            class: unsafe { named(ty.name) },
        })
        .collect();
    // SAFETY: as above.
    let operands = unsafe { slice(raw.operands, raw.operand_count) };
    let operands = operands
        .iter()
        .map(|&row| (row != NOTHING).then(|| RowId::from_index(row as usize)))
        .collect();
    // SAFETY: as above.
    let rows = unsafe { slice(raw.rows, raw.row_count) };
    let rows: IdVec<RowId, Row<'a>> = rows
        .iter()
        .map(|row| {
            let has = |flag: u32| row.flags & (1 << flag) != 0;
            let place = Place {
                file: row.file,
                caret: (row.caret[0], row.caret[1]),
                start: (row.start[0], row.start[1]),
                last: (row.last[0], row.last[1]),
                in_macro: has(0),
            };
            Row {
                code: code(row.code),
                traits: Traits {
                    is_static: has(1),
                    is_external: has(2),
                    is_public: has(3),
                    address_taken: has(4),
                    is_artificial: has(5),
                    at_file_scope: has(6),
                    is_bit_field: has(8),
                    has_cleanup: has(9),
                    is_constructor: has(10),
                    is_alias: has(11),
                    is_nested: has(12),
                    is_method: has(13),
                    is_standard: has(14),
                    is_virtual: has(15),
                    constructs: has(16),
                    is_for_exceptions: has(17),
                    is_outer: has(18),
                    stands_for: has(19),
                },
                ty: (row.ty != NOTHING).then(|| TypeId::from_index(row.ty as usize)),
                place: (row.file != NOTHING).then_some(place),
                operands: row.first as usize..(row.first as usize).saturating_add(row.count as usize),
                value: (has(7) || has(8)).then_some(row.value),
                // SAFETY: the caller's promise.
                name: unsafe { named(row.name) },
                // SAFETY: the caller's promise.
                scope: unsafe { named(row.scope) },
            }
        })
        .collect();
    Rows::new(rows, operands, types, Arc::clone(&compilation.paths))
        .map_err(|malformed| malformed.to_string())
}

/// A value of `enum hindmost_language`.
fn named_language(language: c_int) -> ir::Language {
    match language {
        1 => ir::Language::Cxx,
        2 => ir::Language::Fortran,
        _ => ir::Language::C,
    }
}

/// What is known of a class, in the terms of `ir`.
///
/// # Safety
/// It is what its header says.
unsafe fn class(of: &RawClass) -> ir::ClassHead {
    // SAFETY: the caller's promise.
    let bases = unsafe { slice(of.bases, of.base_count) };
    // SAFETY: the caller's promise, for each of them.
    let bases = Vec::from_iter(bases.iter().map(|&base| unsafe { named(base) }.to_owned()));
    ir::ClassHead {
        // SAFETY: the caller's promise.
        name: unsafe { named(of.name) }.to_owned(),
        bases: (of.knows_bases != 0).then_some(bases),
        has_library_base: of.has_library_base != 0,
        has_arrow: of.has_arrow != 0,
        is_local: of.is_local != 0,
    }
}

fn existing(rows: &Rows<'_>, row: u32) -> Option<RowId> {
    let row = (row != NOTHING).then(|| RowId::from_index(row as usize))?;
    rows.has(row).then_some(row)
}

/// A C array.
///
/// # Safety
/// It is null, or has as many elements.
unsafe fn slice<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// A C text; one that is no UTF-8 is taken for none.
///
/// # Safety
/// It is null, or ends with a zero.
unsafe fn named<'a>(text: *const c_char) -> &'a str {
    if text.is_null() {
        return "";
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}
