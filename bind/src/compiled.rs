//! What a build tells of the texts that it was made of: the lines that it has code of, and so which arms of conditional groups it has taken; and, from
//! compilers that write them down, their checksums.

use crate::debug::{Debug, UnitId};
use crate::elf::Image;
use crate::lines::{UnitFiles, primary_path, rows};
use crate::paths::PathId;
use crate::walk::file_index;
use md5::Digest;
use std::collections::{BTreeMap, BTreeSet};

/// What a build tells of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledFile {
    /// The lines that have code, or the head of a function, counted from 1. A line that is listed was compiled; one that is not may have been compiled, too.
    /// Empty for a file that several units have.
    pub lines: BTreeSet<u32>,
    /// The unit includes it. Others may, too, if they take nothing from it that debug info would show: what its macros stand for.
    pub is_included: bool,
    /// The checksums of what the units have read as this file (DWARF 5, section 6.2.4.1, `DW_LNCT_MD5`; clang writes them and gcc 12 does not): one, unless it was
    /// changed between two compilations. Empty where they were not written down.
    pub texts: BTreeSet<Md5>,
}

/// A checksum as DWARF has it. It tells one text from another, and says nothing against somebody who forges one.
pub type Md5 = [u8; 16];

impl CompiledFile {
    /// Whether `text` is what the build has read as this file; `None` where it does not tell.
    pub fn is_made_of(&self, text: &[u8]) -> Option<bool> {
        (!self.texts.is_empty()).then(|| self.texts == BTreeSet::from([md5::Md5::digest(text).into()]))
    }
}

/// By path, as in [`SourceUnit`](crate::SourceUnit): the files that units compile or include.
pub(crate) fn compiled_files(image: &Image<'_>, debug: &Debug<'_>) -> BTreeMap<String, CompiledFile> {
    let mut files = UnitFiles::new(debug);
    // How many units have it as their own source or as another file. Units without a source have the files of others.
    let mut uses: BTreeMap<PathId, usize> = BTreeMap::new();
    let mut own: BTreeSet<PathId> = BTreeSet::new();
    let mut others: Vec<(UnitId, BTreeSet<PathId>)> = Vec::new();
    for unit in debug.units.ids() {
        let Some(path) = primary_path(debug, unit) else {
            continue;
        };
        let primary = files.paths.intern(path);
        own.insert(primary);
        *uses.entry(primary).or_default() += 1;
        let mut all = BTreeSet::from_iter(files.all(unit));
        all.remove(&primary);
        others.push((unit, all));
    }
    // The linker's optimisation inlines functions of one unit into another, whose line table then has the file of the first. Only what a unit includes is
    // declared in its own entries.
    for (unit, mut included) in others {
        if !included.is_disjoint(&own)
            && let Some(declared) = declared(debug, &mut files, unit, |_| true)
        {
            let declared = BTreeSet::from_iter(declared.into_iter().map(|(path, _)| path));
            included.retain(|path| !own.contains(path) || declared.contains(path));
        }
        for path in included {
            *uses.entry(path).or_default() += 1;
        }
    }
    let (rows, damaged) = rows(image, &mut files);
    if damaged > 0 {
        return BTreeMap::new();
    }
    let mut texts = files.texts();
    let mut file = |&path: &PathId| CompiledFile {
        lines: BTreeSet::new(),
        is_included: !own.contains(&path),
        texts: texts.remove(&path).unwrap_or_default(),
    };
    let mut found: BTreeMap<PathId, CompiledFile> = uses.keys().map(|path| (*path, file(path))).collect();
    let code = rows.iter().map(|row| (row.path, row.line));
    // The head of a function has no code, and what a conditional group chooses among may be nothing but heads.
    let is_function = |tag| tag == gimli::DW_TAG_subprogram;
    let heads = |unit| declared(debug, &mut files, unit, is_function).unwrap_or_default();
    let heads = Vec::from_iter(debug.units.ids().flat_map(heads));
    for (path, line) in code.chain(heads) {
        if line != 0
            && uses.get(&path) == Some(&1)
            && let Some(file) = found.get_mut(&path)
        {
            file.lines.insert(line);
        }
    }
    let path_of = |path: PathId| files.paths.paths[path].clone();
    found
        .into_iter()
        .map(|(path, file)| (path_of(path), file))
        .collect()
}

/// Where those things are declared that a unit has an entry of and whose tag is wanted: file and line, 0 where no line is given. `None` where
/// its entries are damaged.
fn declared(
    debug: &Debug<'_>,
    files: &mut UnitFiles<'_, '_>,
    unit: UnitId,
    is_wanted: impl Fn(gimli::DwTag) -> bool,
) -> Option<BTreeSet<(PathId, u32)>> {
    let mut found = BTreeSet::new();
    let mut cursor = debug.units[unit].entries();
    while let Some(entry) = cursor.next_dfs().ok()? {
        if !is_wanted(entry.tag()) {
            continue;
        }
        let file = entry.attr_value(gimli::DW_AT_decl_file).and_then(file_index);
        let line = entry.attr_value(gimli::DW_AT_decl_line);
        let line = line.and_then(|line| line.udata_value()?.try_into().ok());
        let path = file.and_then(|file| files.path(unit, file));
        found.extend(path.map(|path| (path, line.unwrap_or_default())));
    }
    Some(found)
}
