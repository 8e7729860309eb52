//! Ties a map to one build of an executable: ELF and DWARF to pc ranges and variable locations.
