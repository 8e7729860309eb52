//! The languages whose difference matters behind the front end.

/// A source language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// C of any standard.
    #[default]
    C,
    /// C++ of any standard, and what builds on it (CUDA, HIP, SYCL): a function may call others implicitly
    /// (constructors, destructors, operators), and share its name with others.
    Cxx,
}

impl Language {
    /// Whether it is C++.
    pub fn is_cxx(self) -> bool {
        self == Language::Cxx
    }
}
