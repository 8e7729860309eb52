//! What a debugger would see, at every place where a task can be stopped.

use super::{Activation, Event, FrameView, Halt, MEMBERS, Machine, Run, Seen, Ty, Value};

impl Machine<'_> {
    /// Records an event at `site`.
    pub(super) fn stop(&mut self, site: usize, leaf: Option<&str>) -> Run<()> {
        if self.events.len() >= self.setting.budget {
            return Err(Halt::Budget);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.site = site;
        }
        let frames = self.frames.iter().map(|frame| FrameView {
            function: frame.function,
            site: frame.site,
            values: self.values(frame),
        });
        self.events.push(Event {
            time: self.events.len(),
            frames: frames.collect(),
            leaf: leaf.map(str::to_owned),
            index: self.path.clone(),
        });
        Ok(())
    }

    fn values(&self, frame: &Activation) -> Vec<(String, Seen)> {
        let mut seen: Vec<&str> = Vec::new();
        let mut values = Vec::new();
        let slots = frame.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        for slot in slots.chain(self.globals.iter().rev()) {
            if seen.contains(&slot.name.as_str()) || (self.setting.c_view && !slot.declared) {
                continue;
            }
            seen.push(&slot.name);
            match slot.ty {
                Ty::Struct => self.members(&format!("{}.", slot.name), slot.cell, &mut values),
                Ty::StructPtr => {
                    if let Value::Address(at) = self.cells[slot.cell].value {
                        self.members(&format!("{}->", slot.name), at, &mut values);
                    }
                }
                Ty::Function => {}
                Ty::Array(_) => values.push((slot.name.clone(), self.seen(Value::Address(slot.cell)))),
                Ty::IntPtr => {
                    let value = self.cells[slot.cell].value;
                    values.push((slot.name.clone(), self.seen(value)));
                    if let Value::Address(at) = value
                        && let Some(cell) = self.cells.get(at)
                    {
                        values.push((format!("*{}", slot.name), self.seen(cell.value)));
                    }
                }
                _ if self.setting.c_view && !self.cells[slot.cell].known => {}
                _ => values.push((slot.name.clone(), self.seen(self.cells[slot.cell].value))),
            }
        }
        values
    }

    fn members(&self, prefix: &str, first: usize, values: &mut Vec<(String, Seen)>) {
        for (at, (member, _)) in MEMBERS.iter().enumerate() {
            if let Some(cell) = self
                .cells
                .get(first + at)
                .filter(|cell| cell.known || !self.setting.c_view)
            {
                values.push((format!("{prefix}{member}"), self.seen(cell.value)));
            }
        }
    }

    /// Addresses differ from rank to rank, as they do in real jobs.
    fn seen(&self, value: Value) -> Seen {
        match value {
            Value::Int(value) => match i64::try_from(value) {
                Ok(value) => Seen::Int(value),
                Err(_) => Seen::Unsigned(u64::try_from(value).unwrap_or(0)),
            },
            Value::Real(value) => Seen::Real(value),
            Value::Function(at) => Seen::Unsigned(0x40_1000 + at as u64 * 0x40),
            Value::Address(at) => {
                Seen::Unsigned(0x7ffc_0000_0000 + u64::from(self.setting.rank) * 0x1370 + at as u64 * 4)
            }
        }
    }
}
