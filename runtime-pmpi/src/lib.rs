//! The flight recorder inside each task: writes down what the task does in MPI, where it can be read at any moment.
//!
//! It runs inside production jobs, between a program and its MPI library, so three things come first. It never changes what the program
//! computes: no call of MPI is made from here, nothing is allocated once the file is mapped but at rare calls (constructors of communicators, epochs of windows),
//! and whatever there is no room for is counted and forgotten. It never ends the program: no panic, no wait for anybody but other threads for a
//! few instructions. And it costs little: some ten stores for each call.
//!
//! It knows no type of MPI: a C shim, which `recorder` writes for each library, turns handles and constants into numbers and calls the functions of
//! [`interface`]. What is written is described in `recording::layout`.
//!
//! # How it works
//!
//! - [`words`]: the mapped file as a slice of atomic words, which makes every store either seen or not.
//! - [`file`]: makes the file, with its header.
//! - [`tables`]: rows that are found by a key: communicators, channels, requests.
//! - [`recorder`]: what a call changes at its beginning and at its end.
//! - `epochs`: who has opened a window for whom.
//! - [`paths`] and [`modules`]: which call path a call stands on, and in which files that lies.
//! - `model`: the states that these are, and what followed what.
//! - `wishes`: what the environment asks for beside the recording.
//! - [`interface`] and [`following`]: what the shim calls.
//!
//! `unsafe` stands where the file is mapped, where C calls and where its loader, unwinder and stacks are read.

mod epochs;
pub mod file;
pub mod following;
pub mod interface;
mod locks;
mod model;
pub mod modules;
pub mod paths;
pub mod recorder;
pub mod tables;
mod wishes;
pub mod words;
