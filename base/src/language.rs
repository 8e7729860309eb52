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
    /// Fortran of any standard: two modules may each have a function of one name.
    Fortran,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 3] = [Language::C, Language::Cxx, Language::Fortran];

    /// Whether it is C++.
    pub fn is_cxx(self) -> bool {
        self == Language::Cxx
    }

    /// Whether several functions of a program may have one name without being `static`, so that a call by it may mean any of them.
    pub fn shares_names(self) -> bool {
        self != Language::C
    }
}
