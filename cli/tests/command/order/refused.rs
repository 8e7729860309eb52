//! Files that are no stacks or no map.

use super::{ORDER, hung_job, sandbox};
use expect_test::{Expect, expect};

#[test]
fn stacks_that_are_none() {
    let sandbox = sandbox("bad-stacks", "");
    let refused = |stacks: &[u8], expected: Expect| {
        sandbox.write("stacks", stacks);
        expected.assert_eq(&sandbox.refused(&ORDER));
    };
    refused(
        b"",
        expect![[r#"
        hindmost: error: stacks: no task in it
    "#]],
    );
    refused(
        b"{\"task\": \"a\"}\nnonsense\n",
        expect![[r#"
            hindmost: error: stacks:2: not a task record: expected ident at line 1 column 2
            hint: `hindmost order --help` shows a line of recorded stacks
        "#]],
    );
    refused(
        b"{\"task\": \"a\"}\n{\"task\": \"a\"}\n",
        expect![[r#"
            hindmost: error: stacks:2: a second task named 'a'
            hint: `hindmost order --help` shows a line of recorded stacks
        "#]],
    );
    refused(
        b"{\"hindmost_snapshot\": 99}\n",
        expect![[r#"
            hindmost: error: stacks:1: snapshot version 99 is newer than this hindmost (it reads up to 1)
            hint: `hindmost order --help` shows a line of recorded stacks
        "#]],
    );
    refused(
        b"{\"task\": \"a\"}\n\xff\xfe\n",
        expect![[r#"
        hindmost: error: stacks:2: not UTF-8 text
    "#]],
    );
    let no_stack = sandbox.write("stacks", "{\"task\": \"a\"}\n");
    let run = sandbox.run(&ORDER);
    assert_eq!(run.code, Some(2), "{}", run.out);
    assert!(run.out.contains("task a has no stack"), "{}", run.out);
    std::fs::remove_file(no_stack).unwrap();
    expect![[r#"
        hindmost: error: cannot read stacks: No such file or directory (os error 2)
    "#]]
    .assert_eq(&sandbox.refused(&ORDER));
}

#[test]
fn maps_that_are_none() {
    let sandbox = sandbox("bad-maps", &hung_job());
    let bytes = std::fs::read(sandbox.path("a.hmap")).unwrap();
    sandbox.write("a.hmap", &bytes[..bytes.len() / 2]);
    assert!(sandbox.refused(&ORDER).contains("a.hmap: "));
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    sandbox.write("a.hmap", damaged);
    assert!(sandbox.refused(&ORDER).contains("a.hmap: "));
    sandbox.write("a.hmap", "");
    assert!(sandbox.refused(&ORDER).contains("a.hmap: "));
}
