//! Where a host has the map from: a file that it shares with who asks, or the stream. Only what is byte for byte the map is used.

use crate::brought::Site;
use cluster::{MapFrames, Seen, SentMap};
use nodes::Merge;
use progress_map::generate;
use runtime_probe::Options;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Whether a host is sent maps which lie in these files. It looks at the task by them in either case.
fn are_sent(site: &Site, host: &str, maps: &[(&[u8], &Path)]) -> bool {
    let shared = site.directory.join("hindmost-probe");
    fs::write(&shared, &site.bytes).unwrap();
    let mut gathering = site.ask(site.probe().found_at(&shared), &[host]);
    let maps = maps.iter().map(|(bytes, file)| SentMap {
        bytes: bytes.to_vec(),
        file: Some((file.to_path_buf(), *blake3::hash(bytes).as_bytes())),
    });
    gathering.set_maps(&MapFrames::of(maps.collect()).unwrap());
    for _ in 0..2 {
        let mut merge = Merge::default();
        let look = Options::default().as_look();
        let mut take = |seen: Seen| merge.add(seen.node, None, seen.report);
        gathering.look(look, || {}, &mut take).unwrap();
        let merged = merge.finish(&|_| host);
        let [task] = &merged.tasks[..] else {
            panic!("{host}: {:?}", merged.tasks)
        };
        // What a map says that is of no build.
        let error = task.error.as_deref().unwrap_or_default();
        assert!(
            error.contains("the map is not bound to a build"),
            "{host}: {error}"
        );
    }
    drop(gathering);
    site.sent_to(host) > 64 << 10
}

#[test]
fn a_host_that_sees_the_same_map_is_not_sent_it() {
    let site = Site::new("maps");
    let large = |seed| generate::synthetic(60_000, seed).to_bytes();
    let (one, other) = (large(1), large(2));
    let [first, second, altered, missing] =
        ["first", "second", "altered", "missing"].map(|name| site.directory.join(format!("{name}.hmap")));
    fs::write(&first, &one).unwrap();
    fs::write(&second, &other).unwrap();
    fs::write(&altered, &one[1..]).unwrap();
    assert!(!are_sent(&site, "with", &[(&one, &first)]));
    assert!(!are_sent(
        &site,
        "with-both",
        &[(&one, &first), (&other, &second)]
    ));
    assert!(are_sent(&site, "without", &[(&one, &missing)]));
    assert!(are_sent(&site, "with-one", &[(&one, &first), (&other, &missing)]));
    assert!(are_sent(&site, "altered", &[(&one, &altered)]));
    assert!(are_sent(&site, "another", &[(&one, &second)]));
    // A file that gives nothing costs no more than its time.
    let pipe = site.directory.join("pipe.hmap");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(are_sent(&site, "pipe", &[(&one, &pipe)]));
    // What is small is sent at once.
    let small = generate::synthetic(100, 3).to_bytes();
    assert!(!are_sent(&site, "small", &[(&small, &missing)]));
}
