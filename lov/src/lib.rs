//! Loop-order variables: which variables tell a loop's iteration, and what that rests on.
