//! From an address to a source position, through the map's binding.
//!
//! SPMD tasks stand at few distinct addresses: answers are remembered, so the searches need no index.

use progress_map::{Binding, FileId, FunctionInstance, MachineLocation, Map};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The binding of a map, ready for lookups.
pub(crate) struct Locator<'m> {
    map: &'m Map,
    /// The binding itself.
    pub(crate) binding: &'m Binding,
    /// The build describes no variables: its compiler was told so.
    without_variables: bool,
    /// Indices of `binding.variables`, sorted by instance.
    by_instance: Vec<(FunctionInstance, u32)>,
    known: RefCell<BTreeMap<u64, Option<Rc<InlineChain>>>>,
    /// What functions count with, by the functions' numbers in the machine code, and whether it has 32 bits.
    counted: BTreeMap<u32, BTreeMap<MachineLocation, bool>>,
}

/// What stands at an address of a bound function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InlineChain {
    /// Index into `binding.functions`.
    pub(crate) function: u32,
    /// The function and the calls inlined into it that contain the address, outermost first; not empty.
    pub(crate) levels: Vec<Level>,
}

/// A function or inlined call at an address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) instance: FunctionInstance,
    pub(crate) name: String,
    /// The linker's name, of a function of C++.
    pub(crate) linkage_name: Option<String>,
    /// Whether the map holds its source.
    pub(crate) mapped: bool,
    /// The function of the map, for its file-scope variables.
    pub(crate) anywhere: Option<FunctionInstance>,
    pub(crate) position: Position,
}

/// A source position, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    /// The code may be among that of another position.
    pub(crate) inexact: bool,
}

impl<'m> Locator<'m> {
    pub(crate) fn new(map: &'m Map, binding: &'m Binding) -> Self {
        let mut by_instance: Vec<_> = (0u32..)
            .zip(&binding.variables)
            .map(|(index, variable)| (variable.instance, index))
            .collect();
        by_instance.sort_unstable();
        Locator {
            map,
            binding,
            without_variables: binding.describes_no_variables(),
            by_instance,
            known: RefCell::default(),
            counted: binding.code.counted(),
        }
    }

    /// What the code at `address` (as linked) counts with, and whether that has 32 bits.
    pub(crate) fn counted(&self, address: u64) -> impl Iterator<Item = (MachineLocation, bool)> + '_ {
        let code = &self.binding.code;
        let block = code
            .block_at(address)
            .and_then(|block| code.blocks.get(block as usize));
        let counted = block.and_then(|block| self.counted.get(&block.function));
        let counted = counted.into_iter().flatten();
        counted.map(|(&location, &half)| (location, half))
    }

    /// What stands at `address` (as linked), if it belongs to a bound function.
    pub(crate) fn place(&self, address: u64) -> Option<Rc<InlineChain>> {
        if let Some(known) = self.known.borrow().get(&address) {
            return known.clone();
        }
        let place = self.search(address).map(Rc::new);
        self.known.borrow_mut().insert(address, place.clone());
        place
    }

    /// The position of the code at `address` itself, inlined calls not undone.
    pub(crate) fn row(&self, address: u64) -> Position {
        match self.binding.row_at(address) {
            Some(row) => Position {
                inexact: !row.statement,
                ..self.position(row.file, row.line, row.column)
            },
            None => Position::default(),
        }
    }

    /// The listed variables of an instance.
    pub(crate) fn variables(&self, instance: FunctionInstance) -> impl Iterator<Item = u32> + '_ {
        let start = self.by_instance.partition_point(|&(other, _)| other < instance);
        self.by_instance[start..]
            .iter()
            .take_while(move |&&(other, _)| other == instance)
            .map(|&(_, index)| index)
    }

    /// The variables that the map lists for the loops of a level's function, if the build describes none at all.
    pub(crate) fn undescribed(&self, level: &Level) -> impl Iterator<Item = &'m str> {
        let function = match level.anywhere {
            Some(FunctionInstance::Anywhere(id)) if self.without_variables => Some(&self.map.functions[id]),
            _ => None,
        };
        let lovs = function
            .into_iter()
            .flat_map(|function| function.loops.iter().flat_map(|each| &each.lovs));
        lovs.map(|lov| lov.name.as_str())
    }

    fn search(&self, address: u64) -> Option<InlineChain> {
        let index = self.binding.index_at(address)?;
        let function = self.binding.functions.get(index as usize)?;
        let chain = self.binding.inlined_at(address);

        let mut levels = vec![Level {
            instance: FunctionInstance::Concrete(index),
            name: function.name.clone(),
            linkage_name: self.linkage_name(function.linkage_name),
            mapped: function.function.is_some(),
            anywhere: function.function.map(FunctionInstance::Anywhere),
            position: Position::default(),
        }];
        for inline in chain {
            let call = &self.binding.inlines[inline as usize];
            // The call stands in the level around it.
            if let Some(outer) = levels.last_mut() {
                outer.position = self.position(call.call_file, call.call_line, call.call_column);
            }
            levels.push(Level {
                instance: FunctionInstance::Inlined(inline),
                name: call.name.clone(),
                linkage_name: self.linkage_name(call.linkage_name),
                mapped: call.function.is_some(),
                anywhere: call.function.map(FunctionInstance::Anywhere),
                position: Position::default(),
            });
        }
        if let Some(innermost) = levels.last_mut() {
            innermost.position = self.row(address);
        }
        Some(InlineChain {
            function: index,
            levels,
        })
    }

    fn linkage_name(&self, index: Option<u32>) -> Option<String> {
        self.binding.linkage_names.get(index? as usize).cloned()
    }

    fn position(&self, file: Result<FileId, u32>, line: u32, column: u32) -> Position {
        let path = match file {
            Ok(id) => self.map.files.get(id).map(|file| &file.path),
            Err(index) => self.binding.other_files.get(index as usize),
        };
        let known = |number: u32| (number != 0).then_some(number);
        Position {
            file: path.cloned(),
            line: known(line),
            column: known(line).and(known(column)),
            inexact: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;
    use progress_map::{BoundFunction, BoundInline, File, Row};

    fn map() -> Map {
        let mut map = Map::default();
        let file = map.files.push(File {
            path: "/a/app.c".to_owned(),
            hash: [0; 32],
        });
        let row = |start, end, line| Row {
            start,
            end,
            file: Ok(file),
            line,
            column: line % 10,
            statement: true,
        };
        let inline = |start, end, parent, name: &str, line| BoundInline {
            start,
            end,
            parent,
            function: None,
            name: name.to_owned(),
            linkage_name: None,
            call_file: Ok(file),
            call_line: line,
            call_column: 3,
        };
        map.binding = Some(Binding {
            rows: vec![row(0x10, 0x20, 11), row(0x20, 0x28, 0), row(0x30, 0x40, 30)],
            functions: vec![BoundFunction {
                start: 0x10,
                end: 0x30,
                function: Some(FunctionId::from_index(0)),
                name: "f".to_owned(),
                linkage_name: None,
                frame_base: vec![0x9c],
                optimised: false,
            }],
            inlines: vec![
                inline(0x14, 0x28, None, "g", 50),
                inline(0x14, 0x18, Some(0), "h", 60),
                inline(0x20, 0x24, Some(0), "k", 70),
            ],
            ..Binding::default()
        });
        map
    }

    use progress_map::FunctionId;

    fn shown(address: u64) -> String {
        let map = map();
        let locator = Locator::new(&map, map.binding.as_ref().unwrap());
        let Some(place) = locator.place(address) else {
            return "nothing".to_owned();
        };
        let level = |level: &Level| format!("{}:{}", level.name, level.position.line.unwrap_or(0));
        place.levels.iter().map(level).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn inlined_calls_take_the_position_of_the_call() {
        assert_eq!(shown(0x10), "f:11");
        assert_eq!(shown(0x14), "f:50 g:60 h:11");
        assert_eq!(shown(0x18), "f:50 g:11");
        assert_eq!(shown(0x20), "f:50 g:70 k:0");
        assert_eq!(shown(0x2f), "f:0");
        assert_eq!(shown(0x30), "nothing");
        assert_eq!(shown(0x0f), "nothing");
    }
}
