//! Functions of C++.

use crate::argument::words::*;
use crate::table::{Function, Value, table};

pub(crate) static FUNCTIONS: &[Function] = table! { Value::Differs;
    "operator new" (N; IN) allocates;
    "operator new[]" (N; IN) allocates;
    "operator delete" (IN; IN);
    "operator delete[]" (IN; IN);
};
