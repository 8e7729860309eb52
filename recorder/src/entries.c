
/* What the program calls under the names of MPI is one jump each. Where it leads is decided at the first call, which is when the program certainly has its MPI: to the functions of
 * this file or, in a program of another MPI, whose handles have another size, to that MPI's own with all registers as they are; nothing is recorded there.
 *
 * Nothing of this file runs before that call, no constructor either: launchers, shells and scripts are started with it as well, and are none of its business. */

/* Lets all jumps lead to the functions that have these names in another library. */
static void lead_to(void *scope)
{
    char name[256] = "P";
    const char *from = hindmost_names;
    for (int i = 0; i < HINDMOST_FUNCTIONS; i++) {
        size_t length = strcspn(from, "\n");
        if (length + 2 > sizeof name) break;
        memcpy(name + 1, from, length);
        name[length + 1] = 0;
        hindmost_entries[i] = dlsym(scope, name + 1);
        hindmost_entries[HINDMOST_FUNCTIONS + i] = dlsym(scope, name);
        from += length + 1;
    }
}

/* The library that `init` is in, opened; null if it cannot be told. */
static void *library_of(void *init, int mode)
{
    Dl_info found;
    return init && dladdr(init, &found) ? dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD | mode) : NULL;
}

/* Decides, for a program whose MPI has its PMPI_Init at `init`. Only two families differ; the rest keeps to MPICH's binary interface. */
static void decide(void *init, void *scope)
{
    void *library = library_of(init, 0);
    int is_open_mpi = library && dlsym(library, "ompi_mpi_comm_world") != NULL;
    if (library) dlclose(library);
#ifdef OPEN_MPI
    int is_ours = is_open_mpi;
#else
    int is_ours = !is_open_mpi;
#endif
    if (is_ours || !library) {
        memcpy(hindmost_entries, hindmost_own, sizeof hindmost_entries);
        return;
    }
    lead_to(scope);
    const char *directory = getenv("HINDMOST_RECORD");
    if (directory && *directory)
        fprintf(stderr,
                "hindmost: nothing is recorded of process %d: the recorder is for another MPI than the program's (hindmost recorder --mpicc makes one)\n",
                (int)getpid());
}

/* PMPI_Init of the MPI behind this file, as names are looked up; null if the program has none yet. Another recorder, which may stand between, knows what is behind itself. */
EXPORTED void *hindmost_behind(void)
{
    void *init = dlsym(RTLD_NEXT, "PMPI_Init");
    void *library = library_of(init, 0);
    if (!library) return init;
    void *(*behind)(void) = (void *(*)(void))dlsym(library, "hindmost_behind");
    dlclose(library);
    return behind ? behind() : init;
}

/* The program calls MPI for the first time. If it had none when it was started (Python loads it, say, and keeps it to itself), the code that calls tells which one it is; from now on all
 * see it, this library and other recorders. */
HIDDEN void hindmost_meets(void *caller)
{
    void *init = hindmost_behind();
    if (!init) {
        void *module = library_of(caller, 0);
        init = module ? dlsym(module, "PMPI_Init") : NULL;
        library_of(init, RTLD_GLOBAL);
    }
    decide(init, RTLD_NEXT);
}

/* The first call: finds out which MPI the program has, and goes on with all arguments as they were. */
__asm__(".pushsection .text\n"
        ".hidden hindmost_first\n.globl hindmost_first\n.type hindmost_first, @function\nhindmost_first:\n.cfi_startproc\n"
        "pushq %rdi\n.cfi_adjust_cfa_offset 8\npushq %rsi\n.cfi_adjust_cfa_offset 8\npushq %rdx\n.cfi_adjust_cfa_offset 8\n"
        "pushq %rcx\n.cfi_adjust_cfa_offset 8\npushq %r8\n.cfi_adjust_cfa_offset 8\npushq %r9\n.cfi_adjust_cfa_offset 8\n"
        "pushq %rax\n.cfi_adjust_cfa_offset 8\n"
        "movq 56(%rsp), %rdi\ncall hindmost_meets\n"
        "popq %rax\n.cfi_adjust_cfa_offset -8\npopq %r9\n.cfi_adjust_cfa_offset -8\npopq %r8\n.cfi_adjust_cfa_offset -8\n"
        "popq %rcx\n.cfi_adjust_cfa_offset -8\npopq %rdx\n.cfi_adjust_cfa_offset -8\npopq %rsi\n.cfi_adjust_cfa_offset -8\n"
        "popq %rdi\n.cfi_adjust_cfa_offset -8\n"
        "leaq hindmost_entries(%rip), %r11\nmovl %eax, %eax\njmp *(%r11,%rax,8)\n"
        ".cfi_endproc\n.size hindmost_first, .-hindmost_first\n.popsection");
