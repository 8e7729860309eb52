/* What the plugin tells hindmost of a function: the trees of gcc's front end as rows of plain numbers and names.

   Operands stand before what they are operands of. Rows live as long as the call that gets them; hindmost copies what it keeps. The layout is that
   of `runtime-gcc/src/interface.rs`, with which the plugin is linked. */
#ifndef HINDMOST_ROWS_H
#define HINDMOST_ROWS_H

#include <stddef.h>
#include <stdint.h>

#define HINDMOST_NOTHING UINT32_MAX

enum hindmost_language {
    HINDMOST_C,
    HINDMOST_CXX,
    HINDMOST_FORTRAN
};

enum hindmost_flag {
    HINDMOST_IN_MACRO = 1 << 0,    /* it begins in what a macro expands to */
    HINDMOST_STATIC = 1 << 1,      /* of a variable: it lives as long as the program */
    HINDMOST_EXTERNAL = 1 << 2,    /* it is defined elsewhere */
    HINDMOST_PUBLIC = 1 << 3,      /* other files can name it */
    HINDMOST_ADDRESSABLE = 1 << 4, /* its address is taken */
    HINDMOST_ARTIFICIAL = 1 << 5,  /* the compiler has made it */
    HINDMOST_FILE_SCOPE = 1 << 6,  /* it belongs to no function */
    HINDMOST_HAS_VALUE = 1 << 7,   /* `value` tells something */
    HINDMOST_BIT_FIELD = 1 << 8,   /* `value` is the width of the member in bits */
    HINDMOST_CLEANUP = 1 << 9,     /* a function is called when it goes out of scope */
    HINDMOST_CONSTRUCTOR = 1 << 10, /* the function runs before `main`, or behind it */
    HINDMOST_ALIAS = 1 << 11,      /* another name means it */
    HINDMOST_NESTED = 1 << 12,     /* of a function: it stands in another one */
    /* Of C++ alone. */
    HINDMOST_METHOD = 1 << 13,     /* the function has an object at hand, its first parameter */
    HINDMOST_STANDARD = 1 << 14,   /* a header of the system declares it */
    HINDMOST_VIRTUAL = 1 << 15,    /* a pointer to a base class may lead to the function */
    HINDMOST_CONSTRUCTS = 1 << 16, /* of an initialisation: its first argument is the object that it makes */
    HINDMOST_EH_ONLY = 1 << 17,    /* the clean-up is for exceptions alone */
    /* Of Fortran alone. */
    HINDMOST_OUTER = 1 << 18,      /* the variable is one of a procedure around the one that names it */
    HINDMOST_STANDS_FOR = 1 << 19  /* the variable is another name of its operand */
};

enum hindmost_type_flag {
    HINDMOST_UNSIGNED = 1 << 0,
    HINDMOST_CONST = 1 << 1,
    HINDMOST_ATOMIC = 1 << 2
};

struct hindmost_row {
    uint32_t code;  /* the tree's code */
    uint32_t flags; /* of hindmost_flag */
    uint32_t type;  /* a row of types, or HINDMOST_NOTHING */
    uint32_t file;  /* one of the files, or HINDMOST_NOTHING: it has no place */
    uint32_t line, column;             /* where gcc says that it is */
    uint32_t start_line, start_column; /* its first byte */
    uint32_t end_line, end_column;     /* its last byte */
    uint32_t first, count;             /* its operands among the operands, each a row or HINDMOST_NOTHING */
    int64_t value;                     /* of constants, sign extended; of procedures of Fortran a bit for each argument that is only read, the first lowest */
    const char *name;                  /* may be null */
    const char *scope;                 /* of a declaration of C++ or Fortran: the namespaces and classes, or the module, around it, as `a::B`; may be null */
};

struct hindmost_type {
    uint32_t code;
    uint32_t flags; /* of hindmost_type_flag */
    uint32_t bits;  /* precision of a number */
    uint32_t inner; /* what a pointer leads to, or an array holds: a row of types, or HINDMOST_NOTHING */
    int64_t size;   /* in bytes, -1 if it is not known */
    const char *name; /* of a class of C++ that no header of the system declares; may be null */
};

struct hindmost_rows {
    const struct hindmost_row *rows;
    size_t row_count;
    const uint32_t *operands;
    size_t operand_count;
    const struct hindmost_type *types;
    size_t type_count;
    const char *const *files;
    size_t file_count;
};

struct hindmost_function {
    uint32_t declaration; /* the row of its name */
    uint32_t body;
    uint32_t returns;     /* a row of types */
    uint32_t first, count; /* its parameters, among the operands */
    uint32_t end_line, end_column; /* its closing brace */
};

/* A class of C++ with a body. */
struct hindmost_class {
    uint32_t declaration;      /* the row of its name */
    const char *name;          /* empty if it has none */
    const char *const *bases;  /* the classes of the program that it derives from */
    size_t base_count;
    int knows_bases;           /* 0: it may derive from others as well */
    int has_library_base;
    int has_arrow;             /* it has an `operator->` */
    int is_local;              /* it stands in a function */
};

struct hindmost_compilation;

/* A new compilation, for a compiler whose tree codes have these names and that runs in `directory`; null if it cannot be. */
struct hindmost_compilation *hindmost_compilation_new(const char *const *code_names, size_t code_count, const char *directory,
                                                      enum hindmost_language language);
/* A function that has been read. The numbers that these return are 0, or the trouble is in hindmost_compilation_trouble. */
int hindmost_compilation_function(struct hindmost_compilation *, const struct hindmost_rows *, const struct hindmost_function *);
/* A variable at file scope: the row `declaration`, and of its initialiser, if it has one. */
int hindmost_compilation_variable(struct hindmost_compilation *, const struct hindmost_rows *, uint32_t declaration, uint32_t initial);
/* A function that is only declared, but with an attribute that matters. */
int hindmost_compilation_declared(struct hindmost_compilation *, const struct hindmost_rows *, uint32_t declaration);
/* The members of a structure or union: the rows `members`. `of` is the class that they are declared in, null in C. */
int hindmost_compilation_members(struct hindmost_compilation *, const struct hindmost_rows *, const uint32_t *members, size_t count, int in_union,
                                 const struct hindmost_class *of);
/* A class of C++. */
int hindmost_compilation_class(struct hindmost_compilation *, const struct hindmost_rows *, const struct hindmost_class *);
/* The fragments of all that has been read, for `write` in pieces; `source` is the file that is compiled. */
int hindmost_compilation_finish(struct hindmost_compilation *, const char *source, void (*write)(void *, const unsigned char *, size_t), void *context);
/* What went wrong last; as long as the compilation is there. */
const char *hindmost_compilation_trouble(const struct hindmost_compilation *);
void hindmost_compilation_free(struct hindmost_compilation *);

#endif
