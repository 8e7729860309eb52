//! The commands of hindmost in real debuggers: live processes and cores, several of them in one debugger.
//!
//! What they print is held against the iterations in which the programs stay.

mod dap;
mod gdb;
mod lldb;
mod program;
mod statview;
