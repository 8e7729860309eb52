//! What gfortran calls in its own library for statements of Fortran (libgfortran 4 and 5: gcc 7 to 13).
//!
//! A statement of input or output is several calls, which share a structure of the caller's: one that begins it, one for each item, one that ends it. What stands in a
//! unit, and where, is the library's; a statement on a string keeps nothing, and `gcc-trees` gives its calls other names ([`of_string`]).

use crate::argument::Argument;
use crate::argument::words::*;
use crate::table::{Function, Value, table};

/// The structure of a statement of input or output: it leads to strings and variables of the program that are written (`iostat`, an internal unit).
const STATEMENT: Argument = OUT.inside();
/// An array with its bounds.
const ARRAY: Argument = OUT.inside();
/// The same, which is read.
const ARRAY_IN: Argument = IN.inside();

pub(crate) static FUNCTIONS: &[Function] = table! { Value::Differs;
    "_gfortran_st_backspace" (STATEMENT) units;
    "_gfortran_st_close" (STATEMENT) units;
    "_gfortran_st_endfile" (STATEMENT) units;
    "_gfortran_st_flush" (STATEMENT) units;
    "_gfortran_st_inquire" (STATEMENT) units;
    "_gfortran_st_open" (STATEMENT) units;
    "_gfortran_st_read" (STATEMENT) units;
    "_gfortran_st_read_done" (STATEMENT) units;
    "_gfortran_st_rewind" (STATEMENT) units;
    "_gfortran_st_write" (STATEMENT) units;
    "_gfortran_st_write_done" (STATEMENT) units;
    "_gfortran_transfer_array" (STATEMENT ARRAY N N) units;
    "_gfortran_transfer_array_write" (STATEMENT ARRAY_IN N N) units;
    "_gfortran_transfer_character" (STATEMENT OUT N) units;
    "_gfortran_transfer_character_wide" (STATEMENT OUT N N) units;
    "_gfortran_transfer_character_wide_write" (STATEMENT IN N N) units;
    "_gfortran_transfer_character_write" (STATEMENT IN N) units;
    "_gfortran_transfer_complex" (STATEMENT OUT N) units;
    "_gfortran_transfer_complex_write" (STATEMENT IN N) units;
    "_gfortran_transfer_integer" (STATEMENT OUT N) units;
    "_gfortran_transfer_integer_write" (STATEMENT IN N) units;
    "_gfortran_transfer_logical" (STATEMENT OUT N) units;
    "_gfortran_transfer_logical_write" (STATEMENT IN N) units;
    "_gfortran_transfer_real" (STATEMENT OUT N) units;
    "_gfortran_transfer_real_write" (STATEMENT IN N) units;

    // Numbers and clocks.
    "_gfortran_arandom_r4" (ARRAY) random;
    "_gfortran_arandom_r8" (ARRAY) random;
    "_gfortran_random_r4" (ONE) random;
    "_gfortran_random_r8" (ONE) random;
    "_gfortran_random_seed_i4" (ONE ARRAY ARRAY) random;
    "_gfortran_random_seed_i8" (ONE ARRAY ARRAY) random;
    "_gfortran_cpu_time_4" (ONE);
    "_gfortran_cpu_time_8" (ONE);
    "_gfortran_system_clock_4" (ONE ONE ONE);
    "_gfortran_system_clock_8" (ONE ONE ONE);

    // Text.
    "_gfortran_adjustl" (OUT N IN);
    "_gfortran_adjustr" (OUT N IN);
    "_gfortran_compare_string" (N IN N IN) of_arguments;
    "_gfortran_concat_string" (N OUT N IN N IN);
    "_gfortran_string_index" (N IN N IN N) of_arguments;
    "_gfortran_string_len_trim" (N IN) of_arguments;
    "_gfortran_string_scan" (N IN N IN N) of_arguments;
    "_gfortran_string_verify" (N IN N IN N) of_arguments;

    // The end, and what comes before the beginning.
    "_gfortran_error_stop_numeric" (N N) never_returns;
    "_gfortran_error_stop_string" (IN N N) never_returns;
    "_gfortran_os_error_at" (IN; IN) never_returns;
    "_gfortran_runtime_error" (IN; IN) never_returns;
    "_gfortran_runtime_error_at" (IN; IN) never_returns;
    "_gfortran_stop_numeric" (N N) never_returns;
    "_gfortran_stop_string" (IN N N) never_returns;
    "_gfortran_set_args" (N ARRAY_IN);
    "_gfortran_set_options" (N IN);
};

/// The name by which a call of this function is known that belongs to a statement on a string: the units of the program have no part in it.
#[must_use]
pub fn of_string(name: &str) -> String {
    format!("{name} of a string")
}
