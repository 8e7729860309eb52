//! The lines that a build has code of: which arms of conditional groups it has taken.

use crate::debug::{Debug, UnitId};
use crate::elf::Image;
use crate::lines::{UnitFiles, primary_path, rows};
use crate::paths::PathId;
use crate::walk::file_index;
use std::collections::{BTreeMap, BTreeSet};

/// By path, as in [`SourceUnit`](crate::SourceUnit): of each source that one unit compiles and no other one includes, the lines that have code. A line that is
/// listed was compiled; one that is not may have been compiled, too. Of files that are compiled more than once, or included, no line is given.
pub(crate) fn compiled_lines(image: &Image<'_>, debug: &Debug<'_>) -> BTreeMap<String, BTreeSet<u32>> {
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
            && let Some(declared) = declared(debug, &mut files, unit)
        {
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
    let is_compiled_once = |path: &PathId| own.contains(path) && uses.get(path) == Some(&1);
    let otherwise = uses.keys().filter(|path| !is_compiled_once(path));
    let otherwise = otherwise.map(|&path| (files.paths.paths[path].clone(), BTreeSet::new()));
    let mut lines: BTreeMap<String, BTreeSet<u32>> = otherwise.collect();
    for row in rows {
        if row.line != 0 && is_compiled_once(&row.path) {
            let path = &files.paths.paths[row.path];
            match lines.get_mut(path) {
                Some(lines) => {
                    lines.insert(row.line);
                }
                None => {
                    lines.insert(path.clone(), BTreeSet::from([row.line]));
                }
            }
        }
    }
    lines
}

/// The files in which something is declared that a unit has an entry of; `None` where its entries are damaged.
fn declared(debug: &Debug<'_>, files: &mut UnitFiles<'_, '_>, unit: UnitId) -> Option<BTreeSet<PathId>> {
    let mut found = BTreeSet::new();
    let mut cursor = debug.units[unit].entries();
    while let Some(entry) = cursor.next_dfs().ok()? {
        let file = entry.attr_value(gimli::DW_AT_decl_file).and_then(file_index);
        found.extend(file.and_then(|file| files.path(unit, file)));
    }
    Some(found)
}
