//! Who hears of work while it lasts: nothing here prints.

use engine::MapProgress;

/// Hears what is worth knowing before the work is done.
pub trait Listener: Sync {
    /// Something is not as the user may expect, and work goes on without it.
    fn warn(&self, message: &str);

    /// A map of so many files is being made; what is returned hears of each step, and is dropped at the end.
    fn making(&self, files: usize) -> Box<dyn Fn(MapProgress) + Sync + '_>;
}
