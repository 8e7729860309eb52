//! What judges slices: programs that are run with everything outside the slice taken out.
//!
//! * [`suite`]: small hand-written programs, each of which asks for the slices of the lines on which it shows a value.
//! * [`neutralise`](mod@neutralise) takes out what is not in a slice, on the text as written; [`batch`] runs thousands of
//!   such texts; [`judge`](mod@judge) compares, and measures its own sharpness.
//! * [`matrix`] and [`objects`]: programs of C++ for the same judge, every way to change an object, and random ones.
//! * [`fortran`] and [`fortran_judge`](mod@fortran_judge): the same for Fortran, as gcc's plugin has read it.
//! * [`dynamic`]: random programs ([`generate`](mod@generate)), whose slices must hold what their runs rested on.

pub mod batch;
pub mod dynamic;
pub mod fortran;
pub mod fortran_judge;
pub mod generate;
pub mod judge;
pub mod matrix;
pub mod names;
pub mod neutralise;
pub mod objects;
pub mod slicing;
pub mod suite;
