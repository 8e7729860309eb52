//! Stacks, frame by frame, against gdb.

use crate::gdb;
use crate::support::{Target, compile, complete, names, snap, snap_in, snap_with, until};
use progress_map::Map;
use runtime_probe::Options;

const DEEP: &str = r#"
#include <stdio.h>
#include <string.h>
volatile int sink;
__attribute__((noinline)) static void spin(void) { puts("ready"); fflush(stdout); for (;;) sink++; }
__attribute__((noinline)) int odd(int n, int pad);
__attribute__((noinline)) int even(int n, int pad) {
    volatile char room[pad];               /* moves the stack pointer by an amount only known at run time */
    room[pad - 1] = n;
    if (n == 0) spin();
    int below = odd(n - 1, pad + 16);
    return below + room[pad - 1];
}
__attribute__((noinline)) int odd(int n, int pad) {
    volatile int keep = n * 3;
    int below = even(n - 1, pad);
    return below * keep + sink;
}
int main(void) { return even(120, 32); }
"#;

/// Compares the physical frames of a process that stands still with gdb's.
fn check_against_gdb(target: &Target) -> usize {
    let task = snap(&Map::default(), target.pid());
    assert!(complete(&task), "{:?}", task.error);
    let expected: Vec<gdb::GdbFrame> = gdb::frames(target.pid(), &[])
        .into_iter()
        .filter(|frame| !frame.inlined)
        .collect();
    let bases = gdb::bases(target.pid());
    let found: Vec<_> = task.frames.iter().rev().collect();
    assert_eq!(found.len(), expected.len(), "{:#?}\n{expected:#?}", names(&task));
    for (found, expected) in found.iter().zip(&expected) {
        let module = found.module.as_deref().unwrap_or_default();
        // An executable at a fixed address is linked where it is mapped.
        let base = bases
            .get(module)
            .copied()
            .filter(|&base| found.pc.unwrap() < base)
            .unwrap_or(0);
        assert_eq!(
            found.pc.unwrap().wrapping_add(base),
            expected.pc,
            "{found:?} {expected:?}"
        );
        // Libraries give one address several names (`__read`, `read`, `__GI___libc_read`).
        let plain = |name: &str| {
            name.trim_start_matches("__GI_")
                .trim_start_matches('_')
                .replace("libc_", "")
                .trim_end_matches("_impl")
                .to_owned()
        };
        assert_eq!(plain(&found.function), plain(&expected.name));
    }
    found.len()
}

fn check_stopped(program: &str, compiler: &str, flags: &str, deepest: usize) {
    let program = compile(compiler, program, flags);
    let target = program.start(&[]);
    std::thread::sleep(std::time::Duration::from_millis(50));
    target.signal("STOP");
    until("stopped", || crate::support::state(target.pid()) == 'T');
    assert!(check_against_gdb(&target) > deepest);
}

#[test]
fn deep_recursion() {
    for compiler in ["gcc", "clang"] {
        for flags in ["-g -O0", "-O2", "-O2 -fomit-frame-pointer -no-pie", "-O1 -static"] {
            check_stopped(DEEP, compiler, flags, 120);
        }
    }
}

#[test]
fn no_asynchronous_tables() {
    // Such code has .debug_frame at most.
    check_stopped(
        DEEP,
        "gcc",
        "-g -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables",
        120,
    );
}

#[test]
fn a_cut_copy_is_reported_with_the_frames_it_has() {
    let program = compile("gcc", DEEP, "-O2");
    let target = program.start(&[]);
    let options = Options {
        limit: 4096,
        ..Options::default()
    };
    snap_in(&Map::default(), target.pid(), "spin");
    let task = snap_with(&Map::default(), target.pid(), options);
    let error = task.error.clone().unwrap();
    assert!(
        error.contains("stack deeper than the 4224 bytes copied: outermost frames are missing"),
        "{error}"
    );
    assert!(task.frames.len() > 4, "{:?}", names(&task));
    assert_eq!(names(&task)[0], "spin");
}

#[test]
fn blocked_in_the_kernel() {
    const NAP: &str = r#"
#include <stdio.h>
#include <time.h>
int main(void) { puts("ready"); fflush(stdout); struct timespec t = {1000, 0}; return nanosleep(&t, 0); }
"#;
    const READ: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) { int ends[2]; char c; if (pipe(ends)) return 1; puts("ready"); fflush(stdout); return read(ends[0], &c, 1); }
"#;
    for program in [NAP, READ] {
        check_stopped(program, "gcc", "-g -O2", 3);
    }
}

#[test]
fn the_vdso_is_a_module_like_others() {
    const CLOCK: &str = r#"
#include <stdio.h>
#include <time.h>
int main(void) { struct timespec t; puts("ready"); fflush(stdout); for (;;) clock_gettime(CLOCK_MONOTONIC, &t); }
"#;
    let program = compile("gcc", CLOCK, "-O2");
    let target = program.start(&[]);
    let mut seen = false;
    until("caught in the vDSO", || {
        let task = snap(&Map::default(), target.pid());
        assert!(complete(&task), "{:?}", task.error);
        assert!(names(&task).contains(&"main"));
        let innermost = task.frames.last().unwrap();
        seen |= innermost.module.as_deref() == Some("[vdso]");
        seen
    });
}

#[test]
fn every_program_counter_unwinds() {
    // Prologues, epilogues, PLT stubs, library code: wherever the task happens to be.
    const BUSY: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static int fill(int *v, int n, int seed) { for (int i = 0; i < n; i++) v[i] = seed = seed * 1103515245 + 12345; return seed; }
int main(void) {
    int v[64]; char text[64]; int seed = 1;
    puts("ready"); fflush(stdout);
    for (;;) { seed = fill(v, 64, seed); qsort(v, 64, sizeof *v, compare); snprintf(text, sizeof text, "%d %f", v[3], v[5] * 0.5); seed += strlen(text); }
}
"#;
    for flags in ["-O0", "-O2"] {
        let program = compile("gcc", BUSY, flags);
        let target = program.start(&[]);
        for _ in 0..60 {
            let task = snap(&Map::default(), target.pid());
            assert!(complete(&task), "{:?} {:?}", task.error, names(&task));
            let names = names(&task);
            assert_eq!(names.last(), Some(&"_start"), "{names:?}");
            assert!(names.contains(&"main"), "{names:?}");
        }
    }
}

/// gcc's unwind entries are wrong behind the instruction that gives the caller its frame pointer back, where a function aligns its stack.
#[test]
fn the_last_instructions_of_a_function_that_aligns_its_stack_unwind() {
    // Makes the instruction behind `pop %rbp` or `leave`, or the one behind that, jump to itself, before `aligned` is called.
    const ENDS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
__attribute__((noipa)) void fill(char *room) { room[0] = 1; }
/* In a section of its own, so that nothing stands behind its last byte. */
__attribute__((noipa, section("alone"))) int aligned(int n)
{
    _Alignas(64) char room[64];
    char *more = __builtin_alloca(n);
    fill(room), fill(more);
    return room[0] + more[0];
}
__attribute__((noipa)) int outer(int n) { volatile int own = n; own += aligned(n); return own; }
__attribute__((noipa)) int outermost(int n) { volatile int own = n; own += outer(n); return own; }
int main(int argc, char **argv)
{
    static const unsigned char end[] = {0x49, 0x8d, 0x62, 0xf8, 0xc3}; /* lea -8(%r10),%rsp; ret */
    unsigned char *at = (unsigned char *)aligned;
    for (int room = 400; memcmp(at, end, sizeof end); at++)
        if (!room--) { puts("gcc made other code"); return 1; }
    if (argc > 1) at += 4;
    mprotect((void *)((unsigned long)at & -4096), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
    at[0] = 0xeb, at[1] = 0xfe; /* jmp . */
    puts("ready"); fflush(stdout);
    return 1 + outermost(100);
}
"#;
    for flags in ["-O0 -g", "-O2 -g", "-Os -g"] {
        let program = compile("gcc", ENDS, flags);
        for arguments in [&[][..], &["ret"]] {
            let target = program.start(arguments);
            let task = snap_in(&Map::default(), target.pid(), "aligned");
            let names = names(&task);
            assert!(
                complete(&task),
                "{flags} {arguments:?}: {:?} {names:?}",
                task.error
            );
            assert_eq!(
                names[..4],
                ["aligned", "outer", "outermost", "main"],
                "{flags} {arguments:?}"
            );
        }
    }
}

#[test]
fn a_signal_handler_on_a_stack_of_its_own() {
    const HANDLER: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
volatile int sink;
__attribute__((noinline)) static void inside(void) { puts("ready"); fflush(stdout); for (;;) sink++; }
static void handler(int number) { inside(); sink = number; }
__attribute__((noinline)) static void work(void) { raise(SIGUSR1); sink++; }
int main(void) {
    stack_t stack = {.ss_sp = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), .ss_size = 1 << 16};
    sigaltstack(&stack, 0);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, 0);
    work();
    return sink;
}
"#;
    check_stopped(HANDLER, "gcc", "-g -O0", 8);
    check_stopped(HANDLER, "gcc", "-O2", 8);

    let program = compile("gcc", HANDLER, "-O2");
    let target = program.start(&[]);
    let task = snap(&Map::default(), target.pid());
    let names = names(&task);
    assert!(
        names.contains(&"<signal handler called>") && names.contains(&"main"),
        "{names:?}"
    );
}

#[test]
fn a_call_through_a_null_pointer() {
    // SIGSEGV's handler spins: the frame below it has no code at its address.
    const NULL: &str = r#"
#include <signal.h>
#include <stdio.h>
volatile int sink; void (*volatile nowhere)(void);
static void handler(int number) { puts("ready"); fflush(stdout); for (;;) sink += number; }
int main(void) { signal(SIGSEGV, handler); nowhere(); return sink; }
"#;
    let program = compile("gcc", NULL, "-O0");
    let target = program.start(&[]);
    let task = snap_in(&Map::default(), target.pid(), "handler");
    let names = names(&task);
    assert!(complete(&task), "{:?} {names:?}", task.error);
    let at = names
        .iter()
        .position(|name| *name == "<signal handler called>")
        .unwrap();
    assert_eq!(names[at + 1..at + 3], ["??", "main"]);
}

/// The main thread's stack grows when it is touched, and not when it is read from outside.
#[test]
fn a_stack_pointer_at_the_end_of_what_is_there_is_followed() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stay(char *where);
__asm__(".text\n.globl stay\n.type stay,@function\nstay:\n.cfi_startproc\n push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp,-16\n"
        " mov %rsp,%rbp\n.cfi_def_cfa_register %rbp\n mov %rdi,%rsp\n1: jmp 1b\n.cfi_endproc\n.size stay,.-stay\n");

static char *lowest(void)
{
    char line[4096], *start = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "[stack]"))
            start = (char *)strtoul(line, 0, 16);
    fclose(maps);
    return start;
}

int main(int argc, char **argv)
{
    char *end = lowest();
    volatile char *room = __builtin_alloca((char *)__builtin_frame_address(0) - end - 8192);
    room[0] = (char)argc;
    puts("ready");
    fflush(stdout);
    stay(end + atoi(argv[1]));
}
"#;
    let program = compile("gcc", source, "-g -O1");
    // Within the red zone of the lowest page, and just below it: the room is made, and nothing touched yet.
    for offset in ["64", "0", "-16"] {
        let target = program.start(&[offset]);
        std::thread::sleep(std::time::Duration::from_millis(50));
        let task = snap(&Map::default(), target.pid());
        let names = Vec::from_iter(task.frames.iter().map(|frame| frame.function.as_str()));
        assert_eq!(task.error, None, "{offset}: {names:?}");
        assert!(names.ends_with(&["main", "stay"]), "{offset}: {names:?}");
    }
}
