//! A map from its bytes, as much of it as a question needs.
//!
//! The map of a million lines takes a third of a second to read; the functions on a stack, or those of one file, a hundredth. What is
//! left out are bodies of functions that the question cannot reach. The order of stacks reaches no other function's body unless the map is
//! bound: then any function may have vanished into what it calls last, and all are read.

use crate::paths::find_in;
use crate::{Map, PathLookup};
use progress_map::{ReadError, Reader};
use snapshot::Task;
use std::collections::BTreeSet;

/// The map in `bytes`, to be asked about `tasks` and nothing else.
///
/// # Errors
/// When the bytes are no map. Of functions that are on no stack only the heads are looked at.
pub fn map_for_stacks<'t>(bytes: &[u8], tasks: impl IntoIterator<Item = &'t Task>) -> Result<Map, ReadError> {
    let reader = Reader::new(bytes)?;
    if reader.is_bound() {
        return reader.map();
    }
    let stacks = tasks.into_iter().flat_map(|task| {
        std::iter::once(&task.frames).chain(task.threads.iter().map(|thread| &thread.frames))
    });
    let on_stacks: BTreeSet<&str> = stacks.flatten().map(|frame| frame.function.as_str()).collect();
    reader.map_of(reader.index()?, &|head| on_stacks.contains(head.name))
}

/// The map in `bytes`, to be asked about the lines of the one file that `path` names and nothing else.
///
/// # Errors
/// When the bytes are no map. Of functions in other files only the heads are looked at.
pub fn map_for_file(bytes: &[u8], path: &str) -> Result<Map, ReadError> {
    let reader = Reader::new(bytes)?;
    let index = reader.index()?;
    match find_in(&index.files, path) {
        PathLookup::Found(file) => reader.map_of(index, &|head| head.file == file),
        PathLookup::Ambiguous(_) | PathLookup::Missing => reader.map_of(index, &|_| false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, SourceFile, find_file, line_view, map_sources};
    use base::RankSet;

    fn map() -> Map {
        let file = |name: &str, text: &str| SourceFile {
            path: name.to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let files = vec![
            file(
                "a.c",
                "int work(int n) {\n    int i;\n    for (i = 0; i < n; i++)\n        step(i);\n    return 0;\n}\n",
            ),
            file(
                "b.c",
                "int main(void) {\n    int k;\n    for (k = 0; k < 9; k++)\n        work(k);\n    return 0;\n}\n",
            ),
            file(
                "c.c",
                "int other(void) {\n    work(1);\n    MPI_Barrier(c);\n    return 0;\n}\n",
            ),
        ];
        map_sources(files, &|_| {})
    }

    #[test]
    fn a_part_answers_as_the_whole() {
        let map = map();
        let bytes = map.to_bytes();
        let stacks = r#"{"task":"0","rank":0,"frames":[{"function":"main","line":4,"values":{"k":3}},{"function":"work","line":4,"values":{"i":1}}]}
{"task":"1","rank":1,"frames":[{"function":"main","line":4,"values":{"k":3}},{"function":"work","line":4,"values":{"i":0}}]}"#;
        let (_, tasks) = snapshot::read(stacks).unwrap();
        let part = map_for_stacks(&bytes, &tasks).unwrap();
        let bodies = |map: &Map| Vec::from_iter(map.functions.iter().map(|f| !f.points.is_empty()));
        assert_eq!(bodies(&map), [true, true, true]);
        assert_eq!(bodies(&part), [true, true, false]);
        let of = |map: &Map| Analysis::new(map, &tasks, RankSet::default()).answer();
        assert_eq!(format!("{:?}", of(&part)), format!("{:?}", of(&map)));
        assert_eq!(of(&part).hindmost.len(), 1);
    }

    #[test]
    fn a_file_of_a_part_has_all_its_lines() {
        let map = map();
        let bytes = map.to_bytes();
        for (path, line) in [("a.c", 4), ("c.c", 3), ("c.c", 40)] {
            let part = map_for_file(&bytes, path).unwrap();
            let of = |map: &Map| match find_file(map, path) {
                PathLookup::Found(file) => line_view(map, file, line),
                other => panic!("{path}: {other:?}"),
            };
            assert_eq!(of(&part), of(&map), "{path}:{line}");
        }
        assert_eq!(
            find_file(&map_for_file(&bytes, "no.c").unwrap(), "no.c"),
            PathLookup::Missing
        );
    }
}
