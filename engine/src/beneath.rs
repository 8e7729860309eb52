//! Where a stack stands to MPI: outside of it, or in which of its operations.
//!
//! A name alone does not tell. Profilers, and programs that watch themselves, have functions of their own by MPI's names, which call MPI by
//! its second ones (`PMPI_Send`); who sleeps in such a function has not entered MPI. So a frame is MPI's if its library is, or if
//! nothing is known of libraries. What is linked into one file with the program is MPI's if frames below it are named as the
//! libraries name their own functions.

use base::mpi_entry_point;
use library::{is_mpi_library, is_runtime_library, symbols};
use progress::Beneath;
use snapshot::{Frame, Task};

/// Where a stack stands to MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InMpi {
    /// No frame is MPI's.
    Outside,
    /// In an operation of MPI.
    Inside {
        /// The frame of the entry point, counted from the outermost.
        at: usize,
        /// Its name, in C.
        function: String,
    },
    /// In a function of the program's file that has the name of an operation, and may be that or the program's own.
    Named {
        /// The frame, counted from the outermost.
        at: usize,
        /// Its name, in C.
        function: String,
    },
    /// In a library of MPI, and nobody knows by which entry point.
    SomewhereInside,
    /// A frame without a name may be MPI's.
    Unknown,
}

/// Where the frames of a task, or of one of its threads, stand.
pub(crate) fn in_mpi(task: &Task, frames: &[Frame]) -> InMpi {
    let has_modules = frames.iter().any(|frame| frame.module.is_some());
    let mut named = None;
    let mut nameless = false;
    for (at, frame) in frames.iter().enumerate() {
        let module = frame.module.as_deref().unwrap_or_default();
        let entry = mpi_entry_point(&frame.function);
        match entry {
            Some(function) if is_mpi_library(module) || !has_modules => {
                return InMpi::Inside { at, function };
            }
            // In the map, or in a library that is not MPI's: it is the program's own.
            Some(_) if frame.module.is_none() || !is_program(task, module) => {}
            Some(function) if named.is_some() => return InMpi::Inside { at, function },
            Some(function) => named = Some((at, function)),
            None if is_mpi_library(module) => return InMpi::SomewhereInside,
            None if symbols::is_internal_of_mpi(&frame.function) => {
                return match named {
                    Some((at, function)) => InMpi::Inside { at, function },
                    None => InMpi::SomewhereInside,
                };
            }
            None => nameless |= matches!(frame.function.as_str(), "" | "??") && !is_runtime_library(module),
        }
    }
    match named {
        Some((at, function)) => InMpi::Named { at, function },
        None if nameless => InMpi::Unknown,
        None => InMpi::Outside,
    }
}

/// Whether a task is in MPI and in no function below the entry point, where it would wait: it comes or goes. Other tools may not record
/// what lies below.
pub(crate) fn is_at_entry(task: &Task) -> bool {
    let is_exact = task.frames.last().is_some_and(|frame| frame.pc.is_some());
    is_exact && matches!(in_mpi(task, &task.frames), InMpi::Inside { at, .. } if at + 1 == task.frames.len())
}

/// Whether a task stands at the first instruction of the operation of MPI that it is in: nothing of it has been executed.
pub(crate) fn has_not_begun(task: &Task) -> bool {
    is_at_entry(task) && task.frames.last().is_some_and(|frame| frame.at_start)
}

/// What tells tasks in one function that the map does not hold from each other: the operation of MPI that they are in there.
pub(crate) fn operation(task: &Task) -> Option<Beneath> {
    let (operation, entry) = match in_mpi(task, &task.frames) {
        InMpi::Inside { at, function } => (function, Some(at)),
        InMpi::Named { at, function } => {
            let module = task.frames[at].module.as_deref().unwrap_or_default();
            (format!("{function} of {}", base::last_component(module)), None)
        }
        InMpi::SomewhereInside => ("MPI".to_owned(), None),
        InMpi::Outside | InMpi::Unknown => return None,
    };
    Some(Beneath {
        operation,
        entry,
        begun: !has_not_begun(task),
    })
}

/// Whether a file is the task's program, as far as that is known.
fn is_program(task: &Task, module: &str) -> bool {
    task.program.is_empty() || base::last_component(module) == base::last_component(&task.program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(frames: &[(&str, Option<&str>)]) -> InMpi {
        let frame = |&(function, module): &(&str, Option<&str>)| Frame {
            function: function.to_owned(),
            module: module.map(str::to_owned),
            ..Frame::default()
        };
        let task = Task {
            program: "/home/a/app".into(),
            ..Task::default()
        };
        in_mpi(&task, &Vec::from_iter(frames.iter().map(frame)))
    }

    fn inside(at: usize) -> InMpi {
        InMpi::Inside {
            at,
            function: "MPI_Send".to_owned(),
        }
    }

    #[test]
    fn a_function_of_an_operations_name_is_not_yet_the_operation() {
        let (app, tool, mpi, libc) = (
            Some("app"),
            Some("libtool.so"),
            Some("libmpi.so.40.30.4"),
            Some("libc.so.6"),
        );
        assert_eq!(
            of(&[("main", None), ("MPI_Send", mpi), ("poll", libc)]),
            inside(1)
        );
        assert_eq!(
            of(&[("main", None), ("MPI_Send", tool), ("PMPI_Send", mpi)]),
            inside(2)
        );
        assert_eq!(
            of(&[("main", None), ("MPI_Send", tool), ("nanosleep", libc)]),
            InMpi::Outside
        );
        // One that the map holds has no library.
        assert_eq!(
            of(&[("main", None), ("MPI_Send", None), ("nanosleep", libc)]),
            InMpi::Outside
        );
        assert_eq!(
            of(&[("main", None), ("MPI_Send", None), ("PMPI_Send", mpi)]),
            inside(2)
        );
        // Linked into the program.
        assert_eq!(
            of(&[("main", app), ("MPI_Send", app), ("MPIDI_Progress", app)]),
            inside(1)
        );
        assert_eq!(
            of(&[("main", app), ("MPI_Send", app), ("PMPI_Send", app)]),
            inside(2)
        );
        let named = InMpi::Named {
            at: 1,
            function: "MPI_Send".to_owned(),
        };
        assert_eq!(
            of(&[("main", app), ("MPI_Send", app), ("nanosleep", libc)]),
            named
        );
        // Nothing is known of libraries.
        assert_eq!(
            of(&[("main", None), ("MPI_Send", None), ("poll", None)]),
            inside(1)
        );
        assert_eq!(of(&[("main", None), ("helper", tool)]), InMpi::Outside);
        assert_eq!(of(&[("main", None), ("??", tool)]), InMpi::Unknown);
        assert_eq!(
            of(&[("main", None), ("opal_progress", Some("libopen-pal.so.40"))]),
            InMpi::SomewhereInside
        );
    }
}
