//! Which shared objects are no part of a program, and what they are: the C library, runtimes of languages, MPI and what it stands on.
//!
//! All that tells is the name of the file. A program's own library may begin like one of these (`libmpi_solver.so`), so names are
//! compared as a whole, without the version; only where many are made by one scheme (`mca_pml_ob1.so`) by their beginning.

use crate::measured::Implementation::{self, Mpich, OpenMpi};

/// What a shared object is that no program brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedObject {
    /// The code that the kernel maps into every process.
    Kernel,
    /// The dynamic linker.
    Linker,
    /// The C library, or a part of it that has a file of its own.
    C,
    /// The runtime of a language.
    Language,
    /// A runtime of OpenMP.
    OpenMp,
    /// MPI itself, with its entry points.
    Mpi(Option<Implementation>),
    /// What MPI is built of, or what carries its messages.
    BelowMpi(Option<Implementation>),
    /// What MPI and others use to start tasks, to wait for events, and to learn of the machine.
    Helper,
}

impl SharedObject {
    /// Whether it is in every process, and begins each thread: no thread is there for its sake.
    pub fn is_in_every_process(self) -> bool {
        matches!(self, Self::Kernel | Self::Linker | Self::C)
    }

    /// The implementation of MPI that it belongs to, if only one has such a file.
    fn implementation(self) -> Option<Implementation> {
        match self {
            Self::Mpi(of) | Self::BelowMpi(of) => of,
            _ => None,
        }
    }
}

use SharedObject::{BelowMpi, C, Helper, Kernel, Language, Linker, Mpi, OpenMp};

/// By the name of the file, without what follows `.so` and without a version in front of it.
const BY_NAME: &[(&str, SharedObject)] = &[
    ("[vdso]", Kernel),
    ("ld", Linker),
    ("libc", C),
    ("libc++", Language),
    ("libc++abi", Language),
    ("libdl", C),
    ("libevent_core", Helper),
    ("libevent_pthreads", Helper),
    ("libfabric", BelowMpi(None)),
    ("libgcc_s", Language),
    ("libgfortran", Language),
    ("libgomp", OpenMp),
    ("libhwloc", Helper),
    ("libibverbs", Helper),
    ("libiomp5", OpenMp),
    ("libm", C),
    ("libmpi", Mpi(None)),
    // Cray's and Intel's are MPICH's, for each compiler or kind of build: `libmpi_gnu_123` is among the beginnings.
    ("libmpi_amd", Mpi(Some(Mpich))),
    ("libmpi_cray", Mpi(Some(Mpich))),
    ("libmpi_cxx", Mpi(Some(OpenMpi))),
    ("libmpi_dbg", Mpi(Some(Mpich))),
    ("libmpi_dbg_mt", Mpi(Some(Mpich))),
    ("libmpi_f77", Mpi(Some(OpenMpi))),
    ("libmpi_f90", Mpi(Some(OpenMpi))),
    ("libmpi_ibm", Mpi(Some(OpenMpi))),
    ("libmpi_intel", Mpi(Some(Mpich))),
    ("libmpi_mpifh", Mpi(Some(OpenMpi))),
    ("libmpi_mt", Mpi(Some(Mpich))),
    ("libmpi_nvidia", Mpi(Some(Mpich))),
    ("libmpi_usempi", Mpi(Some(OpenMpi))),
    ("libmpi_usempi_ignore_tkr", Mpi(Some(OpenMpi))),
    ("libmpi_usempif08", Mpi(Some(OpenMpi))),
    ("libmpich", Mpi(Some(Mpich))),
    ("libmpichcxx", Mpi(Some(Mpich))),
    ("libmpichfort", Mpi(Some(Mpich))),
    ("libmpicxx", Mpi(Some(Mpich))),
    ("libmpifort", Mpi(Some(Mpich))),
    ("libnuma", Helper),
    ("libomp", OpenMp),
    ("libopen-pal", BelowMpi(Some(OpenMpi))),
    ("libopen-rte", BelowMpi(Some(OpenMpi))),
    ("libpmi", Helper),
    ("libpmi2", Helper),
    ("libpmix", Helper),
    ("libpmpi", Mpi(Some(Mpich))),
    ("libprrte", Helper),
    ("libpsm2", BelowMpi(None)),
    ("libpsm_infinipath", BelowMpi(None)),
    ("libpthread", C),
    ("libquadmath", Language),
    ("librt", C),
    ("libstdc++", Language),
    ("libucm", BelowMpi(None)),
    ("libucp", BelowMpi(None)),
    ("libucs", BelowMpi(None)),
    ("libuct", BelowMpi(None)),
];

/// By the beginning of that name, which nobody else's begins with.
const BY_BEGINNING: &[(&str, SharedObject)] = &[
    ("ld-linux", Linker),
    ("ld-musl", Linker),
    ("libmpi_gnu_", Mpi(Some(Mpich))),
    ("libmpi_gtl_", BelowMpi(Some(Mpich))),
    ("libmpi_ibm_", Mpi(Some(OpenMpi))),
    ("libmpifort_", Mpi(Some(Mpich))),
    ("libuct_", BelowMpi(None)),
    ("linux-vdso", Kernel),
    ("mca_", BelowMpi(Some(OpenMpi))),
];

/// What the shared object of this path or name is; `None` of a program and its own libraries.
pub fn shared_object(path: &str) -> Option<SharedObject> {
    let plain = without_ending(path);
    let name = without_version(plain);
    // A program may be called as the linker is: only the file of a version, `ld-2.31.so`, is not.
    if name == "ld" && plain == "ld" {
        return None;
    }
    let by_name = BY_NAME.binary_search_by_key(&name, |&(known, _)| known).ok();
    let by_beginning = || {
        let mut known = BY_BEGINNING.iter();
        known
            .find(|(beginning, _)| plain.starts_with(beginning))
            .map(|&(_, object)| object)
    };
    match by_name.map(|at| BY_NAME[at].1).or_else(by_beginning) {
        Some(Mpi(None)) => Some(Mpi(by_version(path))),
        known => known,
    }
}

/// Whether a shared object belongs to the system, to MPI or to a language.
pub fn is_runtime_library(path: &str) -> bool {
    shared_object(path).is_some()
}

/// Whether a shared object is a part of MPI, or of what carries its messages.
pub fn is_mpi_library(path: &str) -> bool {
    shared_object(path).is_some_and(|object| matches!(object, Mpi(_) | BelowMpi(_)))
}

/// Whether a frame is of the system or of a language, by the shared object and the source file that it is in, as far as they are known.
pub fn is_of_language(module: Option<&str>, source: Option<&str>) -> bool {
    let object = module.and_then(shared_object);
    matches!(object, Some(Kernel | Linker | C | Language | OpenMp)) || source.is_some_and(is_header_of_cxx)
}

/// Whether a source file is a header of C++'s library: its templates become a part of the program.
pub fn is_header_of_cxx(source: &str) -> bool {
    source.contains("/include/c++/")
}

/// The name of a shared object as a reader wants it: `libgomp` of `/usr/lib/libgomp.so.1.0.0`.
pub fn without_ending(path: &str) -> &str {
    let name = base::last_component(path);
    name.split_once(".so").map_or(name, |(plain, _)| plain)
}

/// The implementation of MPI that these shared objects of one process belong to.
pub fn implementation<'a>(paths: impl Iterator<Item = &'a str>) -> Option<Implementation> {
    let of = paths.filter_map(|path| shared_object(path)?.implementation());
    // `libmpi.so.12` is that of the common interface of MPICH and its kin, and also of an Open MPI of 2015; the
    // other objects of the latter are in its processes as well.
    of.reduce(|one, other| if one == Mpich { other } else { one })
}

/// The implementation whose `libmpi` has this version.
fn by_version(path: &str) -> Option<Implementation> {
    let (_, version) = path.rsplit_once(".so.")?;
    match version.split('.').next()? {
        "12" => Some(Mpich),
        "20" | "40" => Some(OpenMpi),
        _ => None,
    }
}

/// `libc` of `libc-2.31`, and `libevent_core` of `libevent_core-2.1`; but all of `libopen-pal`.
fn without_version(plain: &str) -> &str {
    let parts = plain.split_once('-');
    let versioned = parts.filter(|(_, version)| version.starts_with(|first: char| first.is_ascii_digit()));
    versioned.map_or(plain, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_no_name_is_in_both_tables() {
        assert!(BY_NAME.is_sorted_by(|(one, _), (other, _)| one < other));
        assert!(BY_BEGINNING.is_sorted_by(|(one, _), (other, _)| one < other));
        for (name, _) in BY_NAME {
            let mut beginnings = BY_BEGINNING.iter().map(|(beginning, _)| beginning);
            assert!(!beginnings.any(|beginning| name.starts_with(beginning)), "{name}");
            assert_eq!(without_version(name), *name);
        }
    }

    #[test]
    fn shared_objects_are_known_by_the_names_of_their_files() {
        for (path, object) in [
            ("/usr/lib/libc.so.6", C),
            ("libc-2.31.so", C),
            ("ld-2.31.so", Linker),
            ("ld-linux-x86-64.so.2", Linker),
            ("/x/openmpi3/mca_pml_ob1.so", BelowMpi(Some(OpenMpi))),
            ("libopen-pal.so.40", BelowMpi(Some(OpenMpi))),
            ("libmpi_gnu_123.so.12", Mpi(Some(Mpich))),
            ("libevent_core-2.1.so.7", Helper),
            ("libuct_cma.so.0", BelowMpi(None)),
            ("libgomp.so.1.0.0", OpenMp),
            ("[vdso]", Kernel),
        ] {
            assert_eq!(shared_object(path), Some(object), "{path}");
        }
        for path in [
            "libcrypto.so.3",
            "libmine-2.so",
            "libmpi_solver.so",
            "libmpi.dat",
            "app",
            "ld",
            "",
        ] {
            assert_eq!(shared_object(path), None, "{path}");
        }
    }

    #[test]
    fn files_tell_whose_mpi_it_is() {
        for (path, of) in [
            ("libmpi.so.40.30.4", Some(OpenMpi)),
            ("/usr/lib/libmpich.so.12.2.1", Some(Mpich)),
            ("libmpi.so.12", Some(Mpich)),
            ("libmpi.so", None),
            ("libucp.so.0", None),
        ] {
            assert_eq!(implementation([path].into_iter()), of, "{path}");
        }
        let both = ["libmpi.so.12", "libopen-pal.so.13"];
        assert_eq!(implementation(both.into_iter()), Some(OpenMpi));
        assert_eq!(implementation(both.into_iter().rev()), Some(OpenMpi));
    }

    #[test]
    fn names_lose_path_and_ending() {
        assert_eq!(without_ending("/usr/lib/libgomp.so.1.0.0"), "libgomp");
        assert_eq!(without_ending("app"), "app");
    }
}
