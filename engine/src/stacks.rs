//! Recorded stacks as the order reads them.

use crate::Map;
use crate::alike::Alike;
use crate::beneath;
use base::{mpi_entry_point, mpi_name};
use progress::{ExecutionPoint, Frame, Located, Order, Value};
use rayon::prelude::*;
use snapshot::Task;
use std::borrow::Cow;

/// So many tasks are answered for without a second thread. A hung job spins on all processors, and on such a machine handing work over
/// takes longer than the work.
pub const TASKS_FOR_ONE_THREAD: usize = 256;

/// Tasks as they are looked up in the map: of each stack the first two.
pub(crate) struct LookedUp {
    pub(crate) alike: Alike,
    /// By [`LookedUpId`](crate::alike::LookedUpId).
    pub(crate) located: Vec<Located>,
}

impl LookedUp {
    /// Looks tasks up that are alike in this way.
    pub(crate) fn of(order: &Order<'_>, tasks: &[Task], alike: Alike) -> Self {
        let locate = |&at: &usize| order.locate(&execution_point(order.map(), &tasks[at]));
        let located = match alike.looked_up.len() {
            0..=TASKS_FOR_ONE_THREAD => alike.looked_up.iter().map(locate).collect(),
            _ => alike.looked_up.par_iter().map(locate).collect(),
        };
        Self { alike, located }
    }

    /// What was looked up for a task: of itself, or of the first task with its stack.
    pub(crate) fn of_stack(&self, task: usize) -> &Located {
        &self.located[self.alike.likes[task].looked_up.index()]
    }

    /// A task as if it had been looked up itself.
    pub(crate) fn of_task(&self, tasks: &[Task], task: usize) -> Cow<'_, Located> {
        let located = self.of_stack(task);
        let is_own = self.alike.looked_up[self.alike.likes[task].looked_up.index()] == task;
        if is_own {
            Cow::Borrowed(located)
        } else {
            Cow::Owned(renamed(located, &tasks[task]))
        }
    }
}

/// What was looked up for one task, as it is of another one with the same stack.
pub(crate) fn renamed(located: &Located, task: &Task) -> Located {
    let obstacle = located.obstacle.as_ref();
    Located {
        task: task.task.clone(),
        rank: task.rank,
        pid: task.pid,
        obstacle: obstacle.map(|obstacle| obstacle.of_task(&task.task)),
        ..located.clone()
    }
}

/// Why a task was read by another map than this one: it runs another program, whose functions and lines are not those of the same names here.
pub(crate) fn other_program(map: &Map, task: &Task) -> Option<String> {
    let binding = map.binding.as_ref()?;
    if task.build.is_empty() || task.build == crate::build_id_text(&binding.build_id) {
        return None;
    }
    let [own, mapped] = [&*task.program, &binding.executable].map(base::last_component);
    Some(if own == mapped {
        format!("it runs another build of {own}: nothing but MPI orders tasks of different builds")
    } else {
        format!(
            "it runs {own}, and the map is of {mapped}: nothing but MPI orders tasks of different programs"
        )
    })
}

/// One recorded task as an execution point of this map. Whatever is missing stays missing, with its reason.
pub(crate) fn execution_point(map: &Map, task: &Task) -> ExecutionPoint {
    ExecutionPoint {
        task: task.task.clone(),
        rank: task.rank,
        pid: task.pid,
        frames: task.frames.iter().map(frame).collect(),
        beneath: beneath::operation(task),
        incomplete: task.error.clone().or_else(|| other_program(map, task)).or_else(|| {
            let guessed = task.frames.iter().find(|frame| frame.guessed)?;
            Some(format!(
                "the frame of {} and those around it were found without unwind information: they are guessed",
                guessed.function
            ))
        }),
    }
}

/// What the probe calls the frame that the kernel puts between a signal's handler and what it interrupts.
const SIGNAL_TRAMPOLINE: &str = "<signal handler called>";

/// The name of a frame's function. MPI's entry points for Fortran (`mpi_send_`, `MPI_SEND`) have that of C, by which the map knows their calls; a function of the
/// program that is called so has lines.
fn name_of(recorded: &snapshot::Frame) -> String {
    let symbol = &recorded.function;
    match mpi_entry_point(symbol) {
        Some(name) if recorded.line.is_none() && mpi_name(symbol) != name => name,
        _ => symbol.clone(),
    }
}

fn frame(recorded: &snapshot::Frame) -> Frame {
    let mut frame = Frame {
        function: name_of(recorded),
        file: recorded.file.clone(),
        line: recorded.line.filter(|&line| line > 0),
        column: recorded.column.filter(|&column| column > 0),
        inexact: recorded.inexact,
        pc: recorded.pc,
        registers: recorded.registers.clone(),
        slots: recorded.slots.clone(),
        module: recorded.module.clone(),
        inlined: recorded.inlined,
        interrupted: recorded.function == SIGNAL_TRAMPOLINE,
        straight: recorded.straight,
        missing: recorded.missing.clone(),
        ..Frame::default()
    };
    for (name, value) in &recorded.values {
        match *value {
            snapshot::Value::Integer(value) => {
                frame.values.insert(name.clone(), Value::Int(value.into()));
            }
            snapshot::Value::Unsigned(value) => {
                frame.values.insert(name.clone(), Value::Int(value.into()));
            }
            snapshot::Value::Float(value) => {
                frame.values.insert(name.clone(), Value::Float(value));
            }
            snapshot::Value::Other(_) => {
                let reason = "the recorded value is not a number".to_owned();
                frame.missing.insert(name.clone(), reason);
            }
        }
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_values_and_anything_else_is_missing() {
        let text = r#"{"task":"a","frames":[{"function":"f","line":0,"values":{"i":18446744073709551615,"s":"x","t":1.5}}]}"#;
        let (_, tasks) = snapshot::read(text).unwrap();
        let point = execution_point(&Map::default(), &tasks[0]);
        assert_eq!(point.frames[0].values["i"], Value::Int(u64::MAX.into()));
        assert_eq!(point.frames[0].values["t"], Value::Float(1.5));
        assert_eq!(point.incomplete, None);
        assert_eq!(point.frames[0].missing["s"], "the recorded value is not a number");
        assert_eq!(
            point.frames[0].line, None,
            "line 0 is how debug info says that it has none"
        );
    }

    #[test]
    fn a_stack_with_guessed_frames_has_no_place_in_the_order() {
        let text = r#"{"task":"a","frames":[{"function":"f","guessed":true},{"function":"g"}]}"#;
        let (_, tasks) = snapshot::read(text).unwrap();
        assert!(
            execution_point(&Map::default(), &tasks[0])
                .incomplete
                .unwrap()
                .contains("guessed")
        );
    }
}
