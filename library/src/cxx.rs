//! Functions of C++.

use crate::argument::words::*;
use crate::table::{Function, Value, table};

pub(crate) static FUNCTIONS: &[Function] = table! { Value::Differs;
    "operator new" (N; IN) allocates;
    "operator new[]" (N; IN) allocates;
    "operator delete" (IN; IN);
    "operator delete[]" (IN; IN);
    // What a stream, or another object of the library, takes on its right it reads: `std::cout << text`.
    "std::operator<<" (OUT IN) returns_first;
};
