//! C source text to ir, by tree-sitter, tolerant of errors.
