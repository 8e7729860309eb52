//! The order: compares execution points by the map alone.
