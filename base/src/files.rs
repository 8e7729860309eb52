//! What the names of files tell: the language, whether it is a header, and which names may be one file.

/// What a source file is, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file of C that is compiled by itself.
    C,
    /// A file of C++, or of what builds on it (CUDA, HIP), that is compiled by itself.
    Cxx,
    /// A header of C, or of C++: many of the latter end in `.h` as well.
    Header,
    /// A header that is certainly one of C++.
    CxxHeader,
    /// Fortran.
    Fortran,
    /// The language of an assembler.
    Assembly,
}

impl FileKind {
    /// The kind of the file at `path`; nothing where the name does not tell.
    pub fn of(path: &str) -> Option<Self> {
        let name = last_component(path);
        Some(match name.rsplit_once('.')?.1 {
            "c" => Self::C,
            "cc" | "cpp" | "cxx" | "c++" | "C" | "cu" | "hip" => Self::Cxx,
            "h" => Self::Header,
            "hpp" | "hh" | "hxx" | "H" | "h++" | "cuh" | "ipp" | "tpp" | "txx" | "inl" => Self::CxxHeader,
            "f" | "F" | "f90" | "F90" | "f95" | "F95" | "f03" | "f08" => Self::Fortran,
            "s" | "S" | "asm" => Self::Assembly,
            _ => return None,
        })
    }

    /// Whether a program holds the code of such a file once. A header is compiled into many files, and what its macros mean may
    /// be another thing in each.
    pub fn is_compiled_once(self) -> bool {
        matches!(self, Self::C | Self::Cxx)
    }

    /// Whether it is C or C++, a header or not.
    pub fn is_c_or_cxx(self) -> bool {
        !matches!(self, Self::Fortran | Self::Assembly)
    }
}

/// What stands behind the last slash of a path.
pub fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether two spellings of a path can name one file: the shorter is a tail of the longer, component by component. `.` does not
/// count, `..` may stand for anything that is above it, and an absolute path has no longer spelling.
pub fn may_be_one_file(a: &str, b: &str) -> bool {
    // What stands in front of a leading slash is the root; elsewhere an empty component is nothing.
    let components = |path: &'_ str| {
        let parts = path.split('/').enumerate();
        let kept =
            parts.filter(|(at, part)| !matches!(*part, "" | ".") || (*at == 0 && path.starts_with('/')));
        Vec::from_iter(kept.map(|(_, part)| part.to_owned()))
    };
    let (a, b) = (components(a), components(b));
    if a.is_empty() || b.is_empty() {
        return false;
    }
    for (x, y) in a.iter().rev().zip(b.iter().rev()) {
        match (x.as_str(), y.as_str()) {
            ("..", _) | (_, "..") => return true,
            (x, y) if x != y => return false,
            _ => {}
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_ending() {
        for (path, kind) in [
            ("src/a.c", Some(FileKind::C)),
            ("src/a.C", Some(FileKind::Cxx)),
            ("kernel.cu", Some(FileKind::Cxx)),
            ("a.h", Some(FileKind::Header)),
            ("a.tpp", Some(FileKind::CxxHeader)),
            ("a.f90", Some(FileKind::Fortran)),
            ("a.S", Some(FileKind::Assembly)),
            ("a.c/README", None),
            ("Makefile", None),
        ] {
            assert_eq!(FileKind::of(path), kind, "{path}");
        }
        assert!(FileKind::Cxx.is_compiled_once() && !FileKind::Header.is_compiled_once());
        assert!(FileKind::CxxHeader.is_c_or_cxx() && !FileKind::Fortran.is_c_or_cxx());
    }

    #[test]
    fn a_tail_names_the_whole() {
        for (a, b) in [
            ("/src/app/poisson.c", "poisson.c"),
            ("app/poisson.c", "./app/poisson.c"),
            ("poisson.c", "/src/poisson.c"),
            ("/build/../src/poisson.c", "/src/poisson.c"),
            ("../poisson.c", "/src/poisson.c"),
            ("a//b.c", "a/b.c"),
        ] {
            assert!(may_be_one_file(a, b) && may_be_one_file(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("/src/app/poisson.c", "son.c"),
            ("/a/poisson.c", "/b/a/poisson.c"),
            ("/a/poisson.c", "b/a/poisson.c"),
            ("x.c", ""),
            ("x.c", "x.c/y.c"),
        ] {
            assert!(!may_be_one_file(a, b) && !may_be_one_file(b, a), "{a} {b}");
        }
    }
}
