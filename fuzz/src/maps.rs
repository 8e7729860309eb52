//! A progress map of unknown origin, with its checksums made right: a fuzzer cannot.

use engine::Map;
use progress_map::Reader;
use progress_map::generate::reseal;

/// Any bytes are a map that keeps the rules of maps, or an error; and whoever uses such a map may trust it.
pub(crate) fn map(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    reseal(&mut bytes);
    let whole = Map::from_bytes(&bytes);
    lazily(&bytes, whole.is_ok());
    let map = match whole {
        Ok(map) => map,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(map.validate(), Ok(()));
    let written = map.to_bytes();
    let again = Map::from_bytes(&written);
    assert!(
        again.as_ref() == Ok(&map),
        "a map that was read is not read again: {again:?}"
    );

    let summary = engine::summary(&map);
    let _ = (report::summary_text(&summary), report::summary_json(&summary));
    for file in map.files.ids().take(4) {
        for line in 0..40 {
            let view = engine::line_view(&map, file, line);
            let _ = (report::line_text(&view), report::line_json(&view));
        }
    }
    crate::programs::with_binding(&map);
}

/// Piece by piece, as commands that need little of a map read it.
fn lazily(bytes: &[u8], whole: bool) {
    let Ok(reader) = Reader::new(bytes) else {
        assert!(!whole);
        return;
    };
    let _ = (reader.bindings(), reader.diagnostics());
    if let Ok(index) = reader.index() {
        for (id, _) in index.heads() {
            assert!(!whole || matches!(reader.function(&index, id), Ok(Some(_))));
        }
    }
}
