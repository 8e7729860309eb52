//! The sources that an executable was built from, as its debug info names them.

use crate::debug::{Debug, UnitId, text};
use crate::elf::Image;
use crate::lines::{UnitFiles, primary_path, rows};
use std::collections::{BTreeMap, BTreeSet};

/// A source language that maps can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// C of any standard.
    C,
    /// C++ of any standard.
    Cxx,
}

/// A source file of an executable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceUnit {
    /// The path, made absolute by the directory of the compilation and normalised. It stays relative when the build
    /// hid its directories (`-ffile-prefix-map`).
    pub path: String,
    /// The language of the unit, or of a unit that includes the header.
    pub language: Language,
    /// The compiler as `DW_AT_producer` names it; may hold its options.
    pub producer: String,
    /// A file that others include, named because it holds code.
    pub is_header: bool,
}

/// What debug info tells of the sources of an executable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The C and C++ sources, sorted by path, each once. Headers are among them when they hold code (inline functions, or
    /// parts of functions that were included).
    pub units: Vec<SourceUnit>,
    /// The directories of all files that the units name, headers that hold declarations alone included, sorted: where the
    /// compiler found headers. Spelled like the paths of `units`.
    pub directories: Vec<String>,
    /// The sources in other languages, sorted by path, each once.
    pub others: Vec<OtherSource>,
}

/// A source file in a language that no front end reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OtherSource {
    /// As [`SourceUnit::path`]; empty if debug info does not say.
    pub path: String,
    /// The name that DWARF has for the language, without the year: `Fortran`, `Rust`.
    pub language: String,
}

/// The sources, and where their headers are.
pub(crate) fn sources(image: &Image<'_>, debug: &Debug<'_>) -> Sources {
    let mut files = UnitFiles::new(debug);
    Sources {
        units: source_units(image, debug, &mut files),
        directories: directories(debug, &mut files),
        others: others(debug),
    }
}

fn others(debug: &Debug<'_>) -> Vec<OtherSource> {
    let mut found = BTreeSet::new();
    for unit in debug.units.ids() {
        // Many programs have some assembly beside their own language; to name it would tell the user nothing.
        let dwarf =
            language_of_dwarf(debug, unit).filter(|&language| language != gimli::DW_LANG_Mips_Assembler);
        if let Some(other) = dwarf.filter(|_| language(debug, unit).is_none()) {
            let name = other.to_string();
            let name = name.trim_start_matches("DW_LANG_");
            let language = name.trim_end_matches(|last: char| last.is_ascii_digit());
            found.insert(OtherSource {
                path: primary_path(debug, unit).unwrap_or_default(),
                language: language.to_owned(),
            });
        }
    }
    found.into_iter().collect()
}

/// The directories of all files that line tables name.
fn directories(debug: &Debug<'_>, files: &mut UnitFiles<'_, '_>) -> Vec<String> {
    let mut found = BTreeSet::new();
    for unit in debug.units.ids() {
        for path in files.all(unit) {
            let path = &files.paths.paths[path];
            if let Some((directory, _)) = path.rsplit_once('/') {
                found.insert(directory.to_owned());
            }
        }
    }
    found.into_iter().collect()
}

/// All C and C++ sources, sorted by path, each once.
fn source_units(image: &Image<'_>, debug: &Debug<'_>, files: &mut UnitFiles<'_, '_>) -> Vec<SourceUnit> {
    let mut found: BTreeMap<String, SourceUnit> = BTreeMap::new();
    for unit in debug.units.ids() {
        if let (Some(path), Some(language)) = (primary_path(debug, unit), language(debug, unit)) {
            found.entry(path.clone()).or_insert_with(|| SourceUnit {
                path,
                language,
                producer: producer(debug, unit),
                is_header: false,
            });
        }
    }
    let (rows, _) = rows(image, files);
    let mut headers: BTreeMap<_, UnitId> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.line != 0) {
        headers.entry(row.path).or_insert(row.unit);
    }
    for (path, unit) in headers {
        let path = &files.paths.paths[path];
        if let Some(language) = language(debug, unit).filter(|_| !found.contains_key(path)) {
            let header = SourceUnit {
                path: path.clone(),
                language,
                producer: producer(debug, unit),
                is_header: true,
            };
            found.insert(path.clone(), header);
        }
    }
    found.into_values().collect()
}

/// The compiler of a unit; empty when it does not say.
pub(crate) fn producer(debug: &Debug<'_>, unit: UnitId) -> String {
    let unit = debug.whole(unit);
    let root = debug.root(unit);
    root.and_then(|root| debug.string_attr(unit, &root, gimli::DW_AT_producer))
        .map_or_else(String::new, text)
}

fn language_of_dwarf(debug: &Debug<'_>, unit: UnitId) -> Option<gimli::DwLang> {
    let unit = debug.whole(unit);
    let root = debug.root(unit)?;
    match root.attr_value(gimli::DW_AT_language)? {
        gimli::AttributeValue::Language(language) => Some(language),
        _ => None,
    }
}

/// Whether a unit is written in C++.
pub(crate) fn is_cxx(debug: &Debug<'_>, unit: UnitId) -> bool {
    language(debug, unit) == Some(Language::Cxx)
}

fn language(debug: &Debug<'_>, unit: UnitId) -> Option<Language> {
    match language_of_dwarf(debug, unit)? {
        gimli::DW_LANG_C
        | gimli::DW_LANG_C89
        | gimli::DW_LANG_C99
        | gimli::DW_LANG_C11
        | gimli::DW_LANG_C17 => Some(Language::C),
        gimli::DW_LANG_C_plus_plus
        | gimli::DW_LANG_C_plus_plus_03
        | gimli::DW_LANG_C_plus_plus_11
        | gimli::DW_LANG_C_plus_plus_14
        | gimli::DW_LANG_C_plus_plus_17
        | gimli::DW_LANG_C_plus_plus_20 => Some(Language::Cxx),
        _ => None,
    }
}
