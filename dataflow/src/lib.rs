//! Control flow, loop nesting, def-use chains and single-valuedness over ir.
