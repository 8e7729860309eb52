//! The probe: stops tasks for microseconds, unwinds, reads listed variables, lets go.
