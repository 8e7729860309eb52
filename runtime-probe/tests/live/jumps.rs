//! Entry points of MPI that are one jump to a function without a symbol, as some of MPICH's are: whoever waits there is in the entry point.

use crate::support::{compile, names, snap, until};
use progress_map::Map;

const STRIPPED: &str = r#"
#include <stdio.h>
#include <unistd.h>
volatile int gate = 1, sink;
#define HIDDEN static __attribute__((noipa))
HIDDEN void own(void) { while (gate) pause(); sink++; }
HIDDEN void shared(void) { while (gate) pause(); sink += 2; }
HIDDEN void helper(void) { while (gate) pause(); sink += 3; }
void MPI_Waitany(void) { own(); }
void MPI_Testany(void) { shared(); }
void MPI_Testsome(void) { shared(); }
void report(void) { helper(); }
int main(int argc, char **argv)
{
    puts("ready");
    fflush(stdout);
    switch (argv[1][0]) {
    case 'o': MPI_Waitany(); break;
    case 's': MPI_Testany(); break;
    case 't': MPI_Testsome(); break;
    case 'h': report(); break;
    }
    return argc + sink;
}
"#;

#[test]
fn what_an_entry_point_jumps_to_has_its_name() {
    for flags in ["-O2 -fcf-protection=none", "-O2 -fcf-protection=full"] {
        let program = compile("gcc", STRIPPED, &format!("{flags} -rdynamic -s"));
        // What two entry points share, and what any other function jumps to, may be called by others: it has no name.
        for (argument, expected) in [("o", "MPI_Waitany"), ("s", "??"), ("t", "??"), ("h", "??")] {
            let target = program.start(&[argument]);
            let mut chain = Vec::new();
            until(flags, || {
                let task = snap(&Map::default(), target.pid());
                chain = names(&task).into_iter().map(str::to_owned).collect();
                chain.iter().any(|name| name == "pause")
            });
            let inner = chain.iter().position(|name| name == "pause").unwrap();
            assert_eq!(chain[inner + 1], expected, "{flags} {argument}: {chain:?}");
        }
    }
}
