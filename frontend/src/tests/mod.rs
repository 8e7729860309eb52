//! What C constructs become. Each case is a small file and its ir in the form of [`print`].

mod bodies;
mod builds;
mod cxx;
mod groups;
mod hostile;
mod libraries;
mod mixed;
mod packed;
mod parts;
mod preprocessed;
mod preprocessor;
mod print;
mod structure;
mod untuned;

use crate::{Macros, Source, parse};
use expect_test::Expect;

/// Checks the ir of a lone file.
fn check(text: &str, expect: Expect) {
    check_with(&[], text, expect);
}

/// Checks the ir of a file that was gathered together with `headers`.
fn check_with(headers: &[(&str, &str)], text: &str, expect: Expect) {
    check_as("t.c", headers, text, expect);
}

/// Checks the ir of a lone file of C++.
fn check_cxx(text: &str, expect: Expect) {
    check_as("t.cc", &[], text, expect);
}

fn check_as(path: &str, headers: &[(&str, &str)], text: &str, expect: Expect) {
    let source = |(path, text): &(&'static str, &'static str)| Source {
        path,
        text: text.as_bytes(),
    };
    let headers: Vec<(&'static str, &'static str)> =
        headers.iter().map(|(p, t)| (leak(p), leak(t))).collect();
    let own = (leak(path), leak(text));
    let macros = Macros::gather(headers.iter().chain([&own]).map(source));
    let unit = parse(&source(&own), &macros);
    packed::check_packing(&unit);
    expect.assert_eq(&print::unit(&unit));
}

/// Test inputs live as long as the test process; this spares every case a lifetime.
fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}
