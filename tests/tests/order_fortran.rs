//! Programs of Fortran, random ones and some that were written to be hard, by what the plugin for gcc has understood of them: as `order_cxx` for C and C++,
//! nothing that is said of their processes may be wrong. Any number of further seeds: `order-cxx --fortran A..B --build 'gfortran-12 -O2 -fplugin=FILE'`.

use tests::second::made_plugin;
use tests::stands::{Figures, Source, check, generate_fortran};
use tests::stopped::has_tools;

/// So many calls of a program are looked at.
const STOPS: usize = 24;

#[test]
fn nothing_is_wrong_in_programs_of_fortran() {
    const GFORTRAN: &str = "gfortran-12";
    if !has_tools(&[GFORTRAN, "gcc-12"]) {
        return;
    }
    let Some(plugin) = made_plugin("gcc-12") else {
        return;
    };
    let written = [
        Source::written("loops.f90", include_str!("order_fortran/loops.f90")),
        Source::written("procedures.f90", include_str!("order_fortran/procedures.f90")),
        Source::written("shapes.f90", include_str!("order_fortran/shapes.f90")),
        Source::written("files.f90", include_str!("order_fortran/files.f90")),
        Source::written("fixed.f", include_str!("order_fortran/fixed.f")),
    ];
    let sources = Vec::from_iter(written.into_iter().chain((1..7).map(generate_fortran)));
    for level in ["-O0", "-O2", "-Os"] {
        let mut figures = Figures::default();
        for source in &sources {
            let flags = format!("{level} -fplugin={}", plugin.display());
            check(source, STOPS, GFORTRAN, &flags, &mut figures);
        }
        assert!(
            figures.wrong.is_empty(),
            "{figures}\n{}",
            figures.wrong.join("\n")
        );
        // Silence is no way to be right.
        assert!(figures.right > 40, "{level}: {figures}");
    }
}
