//! Positions of code as seen from one instance of a function.

use progress_map::{Binding, FileId, FunctionId, FunctionInstance, Row};
use std::collections::BTreeMap;

/// Positions of code as seen from one instance of a function: an inlined call stands where it is called.
pub(crate) struct Positions<'b> {
    binding: &'b Binding,
    /// Inlined calls by parent: those of functions are under `Concrete`.
    children: BTreeMap<FunctionInstance, Vec<u32>>,
}

impl<'b> Positions<'b> {
    pub(crate) fn new(binding: &'b Binding) -> Self {
        let mut children: BTreeMap<FunctionInstance, Vec<u32>> = BTreeMap::new();
        for (index, inline) in (0u32..).zip(&binding.inlines) {
            if let Some(parent) = binding.instance_around(inline.parent, inline.start) {
                children.entry(parent).or_default().push(index);
            }
        }
        Self { binding, children }
    }

    /// Whether the code of an instance may have moved.
    pub(crate) fn optimised(&self, instance: FunctionInstance) -> bool {
        let function = match instance {
            FunctionInstance::Anywhere(_) => None,
            FunctionInstance::Concrete(index) => self.binding.functions.get(index as usize),
            FunctionInstance::Inlined(index) => {
                let start = self
                    .binding
                    .inlines
                    .get(index as usize)
                    .map(|inline| inline.start);
                start.and_then(|start| self.binding.function_at(start))
            }
        };
        function.is_none_or(|function| function.optimised)
    }

    /// The rows of the function that an address lies in.
    pub(crate) fn rows_around(&self, address: u64) -> &'b [Row] {
        let Some(function) = self.binding.function_at(address) else {
            return &[];
        };
        let rows = &self.binding.rows;
        let first = rows.partition_point(|row| row.start < function.start);
        let end = rows.partition_point(|row| row.start < function.end);
        rows.get(first..end).unwrap_or_default()
    }

    /// The function of the map and the addresses of an instance.
    pub(crate) fn code(&self, instance: FunctionInstance) -> Option<(FunctionId, (u64, u64))> {
        match instance {
            FunctionInstance::Anywhere(_) => None,
            FunctionInstance::Concrete(index) => {
                let function = self.binding.functions.get(index as usize)?;
                Some((function.function?, (function.start, function.end)))
            }
            FunctionInstance::Inlined(index) => {
                let inline = self.binding.inlines.get(index as usize)?;
                Some((inline.function?, (inline.start, inline.end)))
            }
        }
    }

    /// The line and column of `file` at which an address stands as seen from an instance; `None` if it stands elsewhere.
    pub(crate) fn at(&self, instance: FunctionInstance, file: FileId, address: u64) -> Option<(u32, u32)> {
        let calls = self.children.get(&instance).map_or(&[][..], Vec::as_slice);
        let mut calls = calls.iter().map(|&index| &self.binding.inlines[index as usize]);
        let position = match calls.find(|call| (call.start..call.end).contains(&address)) {
            Some(call) => (call.call_file, call.call_line, call.call_column),
            None => {
                let row = self.binding.row_at(address)?;
                (row.file, row.line, row.column)
            }
        };
        let (of, line, column) = position;
        (of == Ok(file) && line != 0).then_some((line, column))
    }

    /// The stretches of `range` whose position is `bad`, sorted. Code without a position is.
    pub(crate) fn gaps(
        &self,
        instance: FunctionInstance,
        range: (u64, u64),
        mut bad: impl FnMut(u32, u32) -> bool,
    ) -> Vec<(u64, u64)> {
        let calls = self.children.get(&instance).map_or(&[][..], Vec::as_slice);
        let mut calls: Vec<_> = calls
            .iter()
            .map(|&index| &self.binding.inlines[index as usize])
            .collect();
        calls.sort_by_key(|call| call.start);
        let mut gaps: Vec<(u64, u64)> = Vec::new();
        let mut add = |start: u64, end: u64, bad: bool| {
            if start >= end || !bad {
                return;
            }
            match gaps.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => gaps.push((start, end)),
            }
        };
        let mut at = range.0;
        for call in calls {
            self.rows(at, call.start.min(range.1), &mut bad, &mut add);
            let start = at.max(call.start);
            add(
                start,
                call.end.min(range.1),
                bad(call.call_line, call.call_column),
            );
            at = at.max(call.end);
        }
        self.rows(at, range.1, &mut bad, &mut add);
        gaps
    }

    fn rows(
        &self,
        start: u64,
        end: u64,
        bad: &mut impl FnMut(u32, u32) -> bool,
        add: &mut impl FnMut(u64, u64, bool),
    ) {
        let first = self.binding.rows.partition_point(|row| row.end <= start);
        let mut at = start;
        for row in self.binding.rows[first..]
            .iter()
            .take_while(|row| row.start < end)
        {
            add(at, row.start.min(end), true);
            at = at.max(row.start);
            let stop = row.end.min(end);
            add(at, stop, row.line == 0 || bad(row.line, row.column));
            at = at.max(stop);
        }
        add(at, end, true);
    }
}
