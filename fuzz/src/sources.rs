//! Source text to a map.

use engine::{Map, MapProgress, Parser, SourceFile};

/// Any bytes are a map that keeps the rules of maps, whose file is read as it was written; and the order of the files does
/// not matter.
///
/// The first byte says which languages the files are in, and whether a preprocessor takes part; files end with a zero byte.
pub(crate) fn sources(bytes: &[u8]) {
    let Some((&kind, text)) = bytes.split_first() else {
        return;
    };
    const NAMES: [[&str; 3]; 4] = [
        ["a.c", "b.h", "c.c"],
        ["a.cpp", "b.h", "c.cc"],
        ["a.c", "b.h", "c.cpp"],
        ["a.h", "b.hpp", "c.c"],
    ];
    let names = NAMES[usize::from(kind) % NAMES.len()];
    let mut texts = text.splitn(3, |&byte| byte == 0);
    let files = Vec::from_iter(names.iter().zip(&mut texts).map(|(name, text)| SourceFile {
        path: (*name).to_owned(),
        bytes: text.to_vec(),
    }));
    let map = if kind & 4 == 0 {
        engine::map_sources(files.clone(), &silent)
    } else {
        // The second text stands for what a preprocessor makes of the first.
        let made = files.get(1).map(|file| file.bytes.clone()).unwrap_or_default();
        let preprocess = |path: &str| {
            if path == names[0] {
                vec![made.clone()]
            } else {
                Vec::new()
            }
        };
        engine::map_preprocessed(
            files.clone(),
            engine::CompiledUnits::default(),
            &preprocess,
            Parser::Tolerant,
            None,
            &silent,
        )
    };
    assert_eq!(map.validate(), Ok(()));
    let written = map.to_bytes();
    assert_eq!(Map::from_bytes(&written).as_ref(), Ok(&map));
    if kind & 12 == 8 {
        let mut turned = files;
        turned.reverse();
        assert!(engine::map_sources(turned, &silent).to_bytes() == written);
    }
}

fn silent(_: MapProgress) {}
