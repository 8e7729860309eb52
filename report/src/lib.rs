//! The answer as text and as versioned JSON.
