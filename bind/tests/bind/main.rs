//! Binding compiled programs, held against what binutils, llvm and gdb say about the same bytes.

mod elsewhere;
mod files;
mod hostile;
mod lines;
mod support;
mod values;
mod variables;
