/* hindmost_map.h: reads progress maps (.hmap) of hindmost. One file, C99 or C++, nothing but the C library.
 *
 * Written from docs/map-format.md alone; the comments name its sections. In one source file of a program:
 *
 *     #define HINDMOST_MAP_IMPLEMENTATION
 *     #include "hindmost_map.h"
 *
 *     const char *why;
 *     hm_map *map = hm_read(bytes, length, 0, &why);
 *     if (!map) { fprintf(stderr, "%s\n", why); return 1; }
 *     const hm_row *row = map->binding_count ? hm_row_at(&map->bindings[0], address) : NULL;
 *     ...
 *     hm_free(map);
 *
 * Any bytes give a map or NULL with a reason: no access outside of them, no endless loop, and no more memory than the
 * caller allows. Every id in a map that is returned is in range, and parents come before children. The other promises
 * of the format are hindmost's to keep; they are not checked here.
 *
 * Texts point into memory of the map and end with no zero byte: print them with "%.*s". Ids count from 0, HM_NONE is
 * no id.
 *
 * Licensed under MIT or Apache-2.0, at your option, as hindmost is. */
#ifndef HINDMOST_MAP_H
#define HINDMOST_MAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HM_VERSION 3
#define HM_NONE UINT32_MAX

typedef struct { const char *bytes; size_t length; } hm_text;
typedef struct { uint32_t line, column, end_line, end_column; } hm_span;

typedef struct { hm_text path; unsigned char hash[32]; } hm_file;

enum { HM_CLEAN, HM_REPAIRED, HM_PARTIAL };
enum { HM_AS_WRITTEN, HM_PREPROCESSED, HM_EXACTLY };
enum { HM_EVAL, HM_BRANCH, HM_CALL, HM_INDIRECT_CALL, HM_MACRO_CALL, HM_ENTRY, HM_EXIT, HM_RETURN };
enum { HM_SCOPE_FUNCTION, HM_SCOPE_BLOCK, HM_SCOPE_LOOP, HM_SCOPE_BRANCH, HM_SCOPE_ARM };
enum { HM_WHILE, HM_DO, HM_FOR, HM_GOTO };
enum { HM_STRICT, HM_WEAK };
enum { HM_UP, HM_DOWN, HM_SIGN_OF_STEP };
enum { HM_ADDITIVE, HM_MULTIPLICATIVE, HM_FLOATING };
enum { HM_SAME_SEQUENCE, HM_RELATIVE, HM_NOTHING };
enum { HM_PROVEN, HM_ASSUMED, HM_RANK_DEPENDENT };
enum { HM_NO_TERM, HM_INTEGER, HM_NUMBER, HM_VARIABLE, HM_MINUS_VARIABLE, HM_ADD, HM_SUB, HM_MUL, HM_DIV, HM_REM };
enum { HM_POINTEE, HM_MEMBER, HM_ARROW, HM_INDEX, HM_POSITION };
enum { HM_NOTE, HM_WARNING, HM_ERROR };
enum { HM_ANYWHERE, HM_CONCRETE, HM_INLINED };
enum { HM_SIGNED, HM_UNSIGNED, HM_FLOAT, HM_ADDRESS };

typedef struct { uint32_t group, operand; } hm_unsequenced;

typedef struct {
    int kind;
    hm_text callee; /* of calls and macros */
    hm_span span;
    uint32_t scope, innermost_loop;
    hm_unsequenced *unsequenced;
    size_t unsequenced_count;
} hm_point;

typedef struct { uint32_t from, to; } hm_edge;

/* `id` is the loop of a loop statement (HM_NONE if it never repeats) and the number of an arm. */
typedef struct { int kind; uint32_t parent, id, line, end_line; } hm_scope;

/* Where a variable lives: a base, and steps outwards from it. */
typedef struct { int kind; hm_text member; } hm_step;
typedef struct { int is_global; hm_text name; uint32_t line; hm_step *steps; size_t step_count; } hm_storage;

typedef struct hm_term {
    int kind;
    int64_t integer;
    double number;
    hm_text name;
    hm_storage storage;
    struct hm_term *operands; /* two of them */
} hm_term;

typedef struct { uint32_t point; int64_t offset; } hm_offset;

/* What a reason has beside its code. */
enum { HM_LINE = 1, HM_VALUE = 2, HM_TERM = 4, HM_NAME = 8, HM_TWO_NAMES = 16, HM_PATH = 32 };

/* Why a variable does not order its loop, or how it may change unseen, by code: docs/map-format.md, "Refused candidate". */
static const struct { const char *word; unsigned needs; } hm_refusals[] = {
    {"divided-among-threads", 0},
    {"step-unknown", HM_LINE},
    {"step-fraction", HM_LINE},
    {"step-too-large", HM_LINE | HM_VALUE},
    {"step-may-be-too-large", HM_LINE},
    {"steps-both-ways", 0},
    {"steps-cancel-out", 0},
    {"steps-of-unknown-direction", HM_TERM},
    {"steps-of-two-kinds", 0},
    {"start-not-positive", 0},
    {"grows-without-bound", 0},
    {"stands-at-zero", 0},
    {"wraps-around", HM_VALUE},
    {"function-read-in-part", HM_VALUE | HM_LINE | HM_NAME},
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
    {"no-variable", 0},
    {"changed-through-pointer", 0},
    {"changed-by-other-calls", 0},
    {"address-taken", 0},
    {"member-address-taken", HM_NAME},
    {"in-union", HM_NAME},
    {"path-changed-through-pointer", HM_NAME},
    {"changed-by-other-path", HM_LINE},
    {"path-assigned", HM_LINE},
    {"pointer-write", HM_LINE},
    {"name-hidden", HM_LINE},
    {"unsequenced", HM_LINE},
    {"operand-changed-in-loop", 0},
    {"operand-changed-before-loop", 0},
    {"set-by-call", HM_LINE},
    {"changed-by-function", HM_NAME},
    {"written-over", HM_NAME},
    {"changed-by-macro", HM_NAME},
    {"changed-by-unmapped-function", HM_NAME},
    {"changed-by-call-back", HM_TWO_NAMES},
    {"promised-constant", HM_NAME},
    {"taken-to-stay", HM_NAME},
    {"range-taken-to-stay", 0},
    {"path-changed", HM_PATH},
};

typedef struct {
    unsigned code, paths; /* how many times HM_PATH stood before the code */
    uint32_t line;
    int64_t value;
    hm_term step;
    hm_text names[2];
} hm_reason;

typedef struct {
    hm_text name;
    hm_reason why;
} hm_refused;

/* How an iteration moves a variable. */
static const char *const hm_moves[] = {"moves-by-same-amount", "moves-on-every-cycle", "moves-on-some-cycles", "may-round-off"};

/* What decides whether a value is the same on every task, by code, with what it is about: docs/map-format.md, "Grounds". The first is
 * none; of the second there is a reason, how the value may have changed. */
enum { HM_VARIABLE_NAME = 1, HM_FUNCTION_NAME = 2, HM_AT_LINE = 4 };
static const struct { const char *word; unsigned about; } hm_provenances[] = {
    {NULL, 0},
    {"kept", 0},
    {"too-much-to-follow", 0},
    {"build-choice", HM_AT_LINE},
    {"memory", HM_AT_LINE},
    {"address", HM_AT_LINE},
    {"not-understood", HM_AT_LINE},
    {"unknown-call", 0},
    {"computed-by-call", HM_FUNCTION_NAME},
    {"returned-by-call", HM_FUNCTION_NAME},
    {"returned-by-unmapped-function", HM_FUNCTION_NAME},
    {"written-by-call", HM_FUNCTION_NAME},
    {"changed-through-pointer", HM_VARIABLE_NAME},
    {"promised-constant", HM_VARIABLE_NAME},
    {"named-as-rank", HM_VARIABLE_NAME},
    {"command-line", 0},
    {"argument-of-unknown-callers", HM_VARIABLE_NAME | HM_FUNCTION_NAME},
    {"argument-left-out", HM_VARIABLE_NAME | HM_FUNCTION_NAME},
    {"taken-for-constant", HM_VARIABLE_NAME},
    {"defined-elsewhere", HM_VARIABLE_NAME},
    {"initial-value", HM_VARIABLE_NAME},
    {"exception", HM_VARIABLE_NAME},
    {"global", HM_VARIABLE_NAME},
    {"unknown-callers", HM_FUNCTION_NAME},
    {"unknown-start", 0},
    {"structure-copied", 0},
    {"element-address", 0},
};
enum { HM_NO_PROVENANCE, HM_KEPT };

/* Why a variable orders its loop, and as what. */
typedef struct {
    unsigned moves, provenance; /* places in the tables above */
    hm_reason kept;             /* of HM_KEPT */
    hm_text variable, function;
    uint32_t line;
    int is_unseen; /* whether its updates are all its changes is assumed, for a reason */
    hm_reason unseen;
} hm_grounds;

typedef struct {
    hm_text name;
    int lov_class, direction, growth, across, assumption;
    hm_grounds grounds;
    unsigned unsigned_bits; /* 0 unless unsigned */
    hm_storage storage;
    uint32_t *updates;
    size_t update_count;
    int cut_at_header; /* else at the updates */
    hm_offset *offsets;
    size_t offset_count;
    int64_t per_iteration;
    hm_term step, start;
} hm_lov;

typedef struct {
    uint32_t parent, header;
    int statement, is_reducible;
    hm_span span;
    hm_lov *lovs;
    size_t lov_count;
    hm_refused *refused;
    size_t refused_count;
} hm_loop;

typedef struct {
    hm_text name;
    hm_text linkage_name, confidence_reason; /* bytes is NULL when there is none */
    uint32_t file;
    int is_static, confidence, reading;
    hm_span span;
    hm_scope *scopes;
    size_t scope_count;
    hm_point *points;
    size_t point_count;
    hm_edge *edges;
    size_t edge_count;
    hm_loop *loops;
    size_t loop_count;
} hm_function;

typedef struct { int severity; hm_text subject, message; hm_span span; } hm_diagnostic;

typedef struct { unsigned index; hm_text text; hm_term term; int is_settled; } hm_argument;
typedef struct { uint32_t function, point; hm_argument *arguments; size_t argument_count; } hm_mpi_call;

typedef struct {
    uint32_t function, point, callee;
    hm_text variable, parameter;
    uint32_t variable_line, parameter_line;
} hm_handed;

/* A file of the map, or one of the binding's other files. */
typedef struct { int is_other; uint32_t index; } hm_file_code;

typedef struct { uint64_t start, end; hm_file_code file; uint32_t line, column; int is_statement; } hm_row;

typedef struct {
    uint64_t start, end;
    uint32_t function; /* of the map, or HM_NONE */
    hm_text name, frame_base;
    int is_optimised;
} hm_bound_function;

typedef struct {
    uint64_t start, end;
    uint32_t parent, function;
    hm_text name;
    hm_file_code call_file;
    uint32_t call_line, call_column;
} hm_inline;

typedef struct { uint64_t start, end; } hm_range;
typedef struct { uint64_t start, end; hm_text expression; } hm_location;
typedef struct { int follows; uint64_t offset; } hm_path_step;

typedef struct {
    int instance;
    uint32_t index;
    hm_text name;
    hm_range *scope;
    size_t scope_count;
    hm_location *locations;
    size_t location_count;
    hm_path_step *path;
    size_t path_count;
    int encoding;
    unsigned size;
} hm_variable;

typedef struct { unsigned dwarf_register; hm_text expression; } hm_passed;
typedef struct {
    uint64_t return_address;
    uint32_t *callees;
    size_t callee_count;
    hm_passed *passed;
    size_t passed_count;
} hm_bound_call;

/* A frame that shows the position of the call `shown` may be inside the call `other`; return_address:
 * of the only call instruction of which that is said, 0: of each that has the position. */
typedef struct { uint32_t function, shown, other; uint64_t return_address; } hm_merge;

/* An argument of a call of an MPI function: its place from 0, and a DWARF expression for its value. */
typedef struct { unsigned index; hm_text expression; } hm_passed_argument;

typedef struct {
    uint64_t return_address;
    hm_passed_argument *arguments;
    size_t argument_count;
} hm_bound_mpi_call;

typedef struct {
    hm_text build_id;
    unsigned char text_hash[32];
    hm_text executable, producer;
    hm_text *other_files;
    size_t other_file_count;
    hm_row *rows;
    size_t row_count;
    hm_bound_function *functions;
    size_t function_count;
    hm_inline *inlines;
    size_t inline_count;
    hm_variable *variables;
    size_t variable_count;
    hm_bound_call *calls;
    size_t call_count;
    hm_merge *merges;
    size_t merge_count;
    hm_bound_mpi_call *mpi_calls;
    size_t mpi_call_count;
} hm_binding;

typedef struct {
    hm_file *files;
    size_t file_count;
    hm_function *functions;
    size_t function_count;
    hm_diagnostic *diagnostics;
    size_t diagnostic_count;
    hm_mpi_call *mpi_calls;
    size_t mpi_call_count;
    hm_handed *handed;
    size_t handed_count;
    hm_binding *bindings; /* of the program first, then of its libraries; none if the map is not bound */
    size_t binding_count;
    void *memory; /* hm_free's */
} hm_map;

/* Reads the one record that `bytes` holds, or the one inside the program that they are. `limit` bounds the memory in bytes; 0 stands for what any real map needs.
 * The bytes may go away afterwards. On failure returns NULL, and `*why` (if `why` is not NULL) is a fixed text. */
hm_map *hm_read(const void *bytes, size_t length, size_t limit, const char **why);
void hm_free(hm_map *map);

/* Where the map is inside a program: the content of its section .hindmost.map, in `program` itself. On failure returns NULL, and
 * `*why` (if `why` is not NULL) is a fixed text. */
const void *hm_embedded(const void *program, size_t length, size_t *map_length, const char **why);

/* The row, the concrete function and the innermost inlined call that hold an address (as linked), or NULL. */
const hm_row *hm_row_at(const hm_binding *binding, uint64_t address);
const hm_bound_function *hm_function_at(const hm_binding *binding, uint64_t address);
const hm_inline *hm_inline_at(const hm_binding *binding, uint64_t address);

#ifdef __cplusplus
}
#endif
#endif /* HINDMOST_MAP_H */

#if defined(HINDMOST_MAP_IMPLEMENTATION) && !defined(HINDMOST_MAP_IMPLEMENTED)
#define HINDMOST_MAP_IMPLEMENTED

#include <stdlib.h>
#include <string.h>

/* Memory: blocks that are freed together. */

typedef struct hm_block { struct hm_block *next; } hm_block;

typedef struct {
    hm_block *blocks;
    size_t left;    /* how much may still be allocated */
    size_t inflate; /* how much may still be inflated or written out as text */
    const char *why;
} hm_reader;

static void hm_fail(hm_reader *r, const char *why) {
    if (!r->why) r->why = why;
}

/* Zeroed room for `count` elements; NULL after a failure, and for none. */
static void *hm_room(hm_reader *r, size_t count, size_t size) {
    const size_t head = 16; /* keeps what follows aligned */
    hm_block *block;
    if (r->why || count == 0) return NULL;
    if (r->left < head || count > (r->left - head) / size) {
        hm_fail(r, "the map needs more memory than is allowed");
        return NULL;
    }
    block = (hm_block *)calloc(1, head + count * size);
    if (!block) {
        hm_fail(r, "out of memory");
        return NULL;
    }
    r->left -= head + count * size;
    block->next = r->blocks;
    r->blocks = block;
    return (char *)block + head;
}

static void hm_free_blocks(hm_block *block) {
    while (block) {
        hm_block *next = block->next;
        free(block);
        block = next;
    }
}

/* Record: little-endian words and checksums. */

static uint32_t hm_word(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t hm_long(const unsigned char *at) {
    return (uint64_t)hm_word(at) | (uint64_t)hm_word(at + 4) << 32;
}

static uint32_t hm_crc(uint32_t crc, const unsigned char *bytes, size_t length) {
    uint32_t table[16];
    uint32_t i;
    size_t at;
    for (i = 0; i < 16; i++) {
        uint32_t value = i;
        int bit;
        for (bit = 0; bit < 4; bit++) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        table[i] = value;
    }
    crc = ~crc;
    for (at = 0; at < length; at++) {
        crc ^= bytes[at];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

/* Inflating: RFC 1951. */

typedef struct {
    const unsigned char *in;
    size_t in_length, in_at;
    unsigned char *out;
    size_t out_length, out_at;
    uint32_t held;
    int held_bits, bad;
} hm_inflater;

typedef struct { uint16_t count[16], symbol[288]; } hm_code;

static uint32_t hm_bits(hm_inflater *z, int need) {
    uint32_t value;
    while (z->held_bits < need) {
        if (z->in_at == z->in_length) {
            z->bad = 1;
            return 0;
        }
        z->held |= (uint32_t)z->in[z->in_at++] << z->held_bits;
        z->held_bits += 8;
    }
    value = z->held & ((1u << need) - 1);
    z->held >>= need;
    z->held_bits -= need;
    return value;
}

/* The code of these lengths; 0 if they claim more codes than there are. */
static int hm_make_code(hm_code *code, const unsigned char *lengths, int count) {
    uint16_t offset[16];
    int i, left = 1;
    memset(code, 0, sizeof *code);
    for (i = 0; i < count; i++) code->count[lengths[i]]++;
    code->count[0] = 0;
    offset[0] = offset[1] = 0;
    for (i = 1; i < 16; i++) {
        left = left * 2 - code->count[i];
        if (left < 0) return 0;
        if (i < 15) offset[i + 1] = (uint16_t)(offset[i] + code->count[i]);
    }
    for (i = 0; i < count; i++) {
        if (lengths[i]) code->symbol[offset[lengths[i]]++] = (uint16_t)i;
    }
    return 1;
}

static int hm_symbol(hm_inflater *z, const hm_code *code) {
    int length, value = 0, first = 0, index = 0;
    for (length = 1; length < 16; length++) {
        value |= (int)hm_bits(z, 1);
        if (z->bad) return -1;
        if (value - code->count[length] < first) return code->symbol[index + (value - first)];
        index += code->count[length];
        first = (first + code->count[length]) * 2;
        value *= 2;
    }
    z->bad = 1;
    return -1;
}

static void hm_inflate_codes(hm_inflater *z, const hm_code *literals, const hm_code *distances) {
    static const uint16_t base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t far_base[30] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                          193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static const unsigned char far_extra[30] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    for (;;) {
        int symbol = hm_symbol(z, literals);
        size_t length, distance;
        if (z->bad || symbol == 256) return;
        if (symbol < 256) {
            if (z->out_at == z->out_length) { z->bad = 1; return; }
            z->out[z->out_at++] = (unsigned char)symbol;
            continue;
        }
        if (symbol > 285) { z->bad = 1; return; }
        length = base[symbol - 257] + hm_bits(z, extra[symbol - 257]);
        symbol = hm_symbol(z, distances);
        if (z->bad || symbol > 29) { z->bad = 1; return; }
        distance = far_base[symbol] + hm_bits(z, far_extra[symbol]);
        if (z->bad || distance > z->out_at || length > z->out_length - z->out_at) { z->bad = 1; return; }
        for (; length; length--, z->out_at++) z->out[z->out_at] = z->out[z->out_at - distance];
    }
}

static void hm_inflate_stored(hm_inflater *z) {
    const unsigned char *head;
    size_t length;
    z->held = 0;
    z->held_bits = 0;
    if (z->in_length - z->in_at < 4) { z->bad = 1; return; }
    head = z->in + z->in_at;
    length = (size_t)head[0] | (size_t)head[1] << 8;
    z->in_at += 4;
    if ((head[0] ^ head[2]) != 0xff || (head[1] ^ head[3]) != 0xff || length > z->in_length - z->in_at ||
        length > z->out_length - z->out_at) {
        z->bad = 1;
        return;
    }
    if (length) memcpy(z->out + z->out_at, z->in + z->in_at, length);
    z->in_at += length;
    z->out_at += length;
}

static void hm_inflate_block(hm_inflater *z, int kind) {
    static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[320];
    hm_code literals, distances;
    int at, i, literal_count = 288, distance_count = 30;
    memset(lengths, 0, sizeof lengths);
    if (kind == 1) {
        for (i = 0; i < 288; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
        for (i = 0; i < 30; i++) lengths[288 + i] = 5;
    } else {
        int code_count;
        literal_count = (int)hm_bits(z, 5) + 257;
        distance_count = (int)hm_bits(z, 5) + 1;
        code_count = (int)hm_bits(z, 4) + 4;
        if (z->bad || literal_count > 286 || distance_count > 30) { z->bad = 1; return; }
        for (i = 0; i < code_count; i++) lengths[order[i]] = (unsigned char)hm_bits(z, 3);
        if (z->bad || !hm_make_code(&literals, lengths, 19)) { z->bad = 1; return; }
        memset(lengths, 0, sizeof lengths);
        for (at = 0; at < literal_count + distance_count;) {
            int symbol = hm_symbol(z, &literals), repeat = 1;
            unsigned char length = 0;
            if (z->bad) return;
            if (symbol < 16) {
                length = (unsigned char)symbol;
            } else if (symbol == 16) {
                if (at == 0) { z->bad = 1; return; }
                length = lengths[at - 1];
                repeat = 3 + (int)hm_bits(z, 2);
            } else if (symbol == 17) {
                repeat = 3 + (int)hm_bits(z, 3);
            } else {
                repeat = 11 + (int)hm_bits(z, 7);
            }
            if (z->bad || at + repeat > literal_count + distance_count) { z->bad = 1; return; }
            for (; repeat; repeat--) lengths[at++] = length;
        }
    }
    if (!hm_make_code(&literals, lengths, literal_count) ||
        !hm_make_code(&distances, lengths + literal_count, distance_count)) {
        z->bad = 1;
        return;
    }
    hm_inflate_codes(z, &literals, &distances);
}

/* Whether the stream is whole and fills `out` exactly. */
static int hm_inflate(const unsigned char *in, size_t in_length, unsigned char *out, size_t out_length) {
    hm_inflater z;
    int last;
    memset(&z, 0, sizeof z);
    z.in = in;
    z.in_length = in_length;
    z.out = out;
    z.out_length = out_length;
    do {
        int kind;
        last = (int)hm_bits(&z, 1);
        kind = (int)hm_bits(&z, 2);
        if (z.bad || kind == 3) return 0;
        if (kind == 0) hm_inflate_stored(&z);
        else hm_inflate_block(&z, kind);
    } while (!last && !z.bad);
    return !z.bad && z.out_at == out_length;
}

/* Section, Numbers. */

enum { HM_COLUMNS = 64 }; /* the highest number that is known, plus one, and some */

typedef struct { const unsigned char *bytes; size_t length, at; } hm_column;

typedef struct {
    hm_reader *r;
    const hm_text *strings;
    size_t string_count;
    hm_column columns[HM_COLUMNS];
} hm_section;

static size_t hm_left(const hm_section *s, int column) {
    return s->r->why ? 0 : s->columns[column].length - s->columns[column].at;
}

static const unsigned char *hm_take(hm_section *s, int column, size_t count) {
    hm_column *from = &s->columns[column];
    const unsigned char *bytes;
    if (s->r->why) return NULL;
    if (count > from->length - from->at) {
        hm_fail(s->r, "a column ends too early");
        return NULL;
    }
    if (count == 0) return (const unsigned char *)""; /* an absent column has no bytes at all */
    bytes = from->bytes + from->at;
    from->at += count;
    return bytes;
}

static unsigned hm_byte(hm_section *s, int column) {
    const unsigned char *byte = hm_take(s, column, 1);
    return byte ? *byte : 0;
}

static uint64_t hm_u(hm_section *s, int column) {
    uint64_t value = 0;
    int shift;
    for (shift = 0; shift < 70; shift += 7) {
        unsigned byte = hm_byte(s, column);
        if (s->r->why) return 0;
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    hm_fail(s->r, "a number has more than 64 bits");
    return 0;
}

static uint64_t hm_zigzag(uint64_t value) {
    return value >> 1 ^ (0 - (value & 1));
}

static int64_t hm_s(hm_section *s, int column) {
    uint64_t value = hm_zigzag(hm_u(s, column));
    int64_t out;
    memcpy(&out, &value, sizeof out);
    return out;
}

/* Differences of 32-bit numbers fit 32 bits, with a sign where they may be negative. */
static uint32_t hm_near(hm_section *s, int column, uint32_t base) {
    uint64_t code = hm_u(s, column);
    if (code > UINT32_MAX) hm_fail(s->r, "a number is out of range");
    return base + (uint32_t)hm_zigzag(code);
}

static uint32_t hm_u32(hm_section *s, int column) {
    uint64_t value = hm_u(s, column);
    if (value > UINT32_MAX) hm_fail(s->r, "a number is out of range");
    return (uint32_t)value;
}

static uint32_t hm_after(hm_section *s, int column, uint32_t base) {
    return base + hm_u32(s, column);
}

static uint64_t hm_near64(hm_section *s, int column, uint64_t base) {
    return base + hm_zigzag(hm_u(s, column));
}

static uint64_t hm_after64(hm_section *s, int column, uint64_t base) {
    return base + hm_u(s, column);
}

/* A count of elements that each take a byte of `of` at least. */
static size_t hm_count(hm_section *s, int column, int of) {
    uint64_t count = hm_u(s, column);
    if (count > hm_left(s, of)) {
        hm_fail(s->r, "a count is larger than what it counts");
        return 0;
    }
    return (size_t)count;
}

static uint32_t hm_parent(hm_section *s, int column, size_t index) {
    uint64_t code = hm_u(s, column);
    if (code == 0) return HM_NONE;
    /* Zero steps back would be the element itself. */
    if (code - 1 > index || code == 1) hm_fail(s->r, "a parent does not come before its child");
    return s->r->why ? HM_NONE : (uint32_t)(index - (size_t)(code - 1));
}

static uint32_t hm_id(hm_section *s, uint32_t id, size_t count) {
    if (id >= count) hm_fail(s->r, "an id is out of range");
    return id;
}

static hm_text hm_string_of(hm_section *s, uint64_t number) {
    hm_text none = {NULL, 0};
    if (s->r->why) return none;
    if (number >= s->string_count) {
        hm_fail(s->r, "there is no such string");
        return none;
    }
    return s->strings[number];
}

static hm_text hm_string(hm_section *s, int column) {
    return hm_string_of(s, hm_u(s, column));
}

static hm_span hm_a_span(hm_section *s, int first, uint32_t line, uint32_t column) {
    hm_span span;
    span.line = hm_near(s, first, line);
    span.column = hm_near(s, first + 1, column);
    span.end_line = hm_after(s, first + 2, span.line);
    span.end_column = hm_after(s, first + 3, span.end_line == span.line ? span.column : 0);
    return span;
}

static void hm_open(hm_section *s, hm_reader *r, const unsigned char *bytes, size_t length, const hm_text *strings,
                    size_t string_count) {
    hm_section directory;
    uint64_t count, i, last = 0;
    size_t content;
    memset(s, 0, sizeof *s);
    memset(&directory, 0, sizeof directory);
    s->r = directory.r = r;
    s->strings = strings;
    s->string_count = string_count;
    directory.columns[0].bytes = bytes;
    directory.columns[0].length = length;
    count = hm_u(&directory, 0);
    if (count > length) hm_fail(r, "a section has more columns than bytes");
    /* The directory is gone through twice: what it describes begins where it ends. */
    directory.columns[1] = directory.columns[0];
    for (i = 0; i < 3 * count && !r->why; i++) (void)hm_u(&directory, 0);
    content = directory.columns[0].at;
    for (i = 0; i < count && !r->why; i++) {
        uint64_t number = hm_u(&directory, 1), raw = hm_u(&directory, 1), stored = hm_u(&directory, 1);
        const unsigned char *at = bytes + content;
        if (r->why) return;
        if (i && number <= last) { hm_fail(r, "columns are not in order"); return; }
        last = number;
        if (stored > length - content || stored > raw) { hm_fail(r, "a column is longer than its section"); return; }
        content += (size_t)stored;
        if (number >= HM_COLUMNS) continue;
        if (stored < raw) {
            unsigned char *out;
            if (raw > r->inflate) { hm_fail(r, "a column inflates to more than a map may"); return; }
            r->inflate -= (size_t)raw;
            out = (unsigned char *)hm_room(r, (size_t)raw, 1);
            if (!out) return;
            if (!hm_inflate(at, (size_t)stored, out, (size_t)raw)) { hm_fail(r, "a column cannot be inflated"); return; }
            at = out;
        }
        s->columns[number].bytes = at;
        s->columns[number].length = (size_t)raw;
    }
    if (!r->why && content != length) hm_fail(r, "a section is longer than its columns");
}

static void hm_close(hm_section *s) {
    int i;
    for (i = 0; i < HM_COLUMNS && !s->r->why; i++) {
        /* Columns that this reader does not know may be there and have not been read at all. */
        if (s->columns[i].at && hm_left(s, i)) hm_fail(s->r, "a column is longer than its content");
    }
}

/* Static half. */

static hm_text *hm_strings(hm_section *s, size_t *count) {
    hm_text *strings = (hm_text *)hm_room(s->r, hm_left(s, 0), sizeof *strings);
    *count = 0;
    while (hm_left(s, 0)) {
        uint64_t length = hm_u(s, 0);
        if (length > hm_left(s, 1)) { hm_fail(s->r, "a string is longer than all of them"); break; }
        strings[*count].length = (size_t)length;
        strings[*count].bytes = (const char *)hm_take(s, 1, (size_t)length);
        ++*count;
    }
    hm_close(s);
    return strings;
}

static void hm_files(hm_section *s, hm_map *map) {
    hm_text before = {NULL, 0};
    map->files = (hm_file *)hm_room(s->r, hm_left(s, 0), sizeof *map->files);
    while (hm_left(s, 0)) {
        uint64_t shared = hm_u(s, 0), more = hm_u(s, 1);
        const unsigned char *rest, *hash;
        char *path;
        if (shared > before.length || more > hm_left(s, 2)) { hm_fail(s->r, "a path is cut off"); break; }
        rest = hm_take(s, 2, (size_t)more);
        hash = hm_take(s, 3, 32);
        if (s->r->why) break;
        if (shared + more > s->r->inflate) { hm_fail(s->r, "paths are longer than a map may have them"); break; }
        s->r->inflate -= (size_t)(shared + more);
        path = (char *)hm_room(s->r, (size_t)(shared + more) + 1, 1);
        if (!path) break;
        if (shared) memcpy(path, before.bytes, (size_t)shared);
        if (more) memcpy(path + shared, rest, (size_t)more);
        before.bytes = path;
        before.length = (size_t)(shared + more);
        map->files[map->file_count].path = before;
        memcpy(map->files[map->file_count].hash, hash, 32);
        map->file_count++;
    }
    hm_close(s);
}

/* Returns how many functions each BODY holds; there are `body_count`. */
static uint64_t *hm_heads(hm_section *s, hm_map *map, size_t body_count) {
    uint64_t *blocks, held = 0;
    uint32_t name = 0, file = 0, end_line = 0;
    int tells_reading = hm_left(s, 10) > 0;
    size_t i;
    map->functions = (hm_function *)hm_room(s->r, hm_left(s, 1), sizeof *map->functions);
    while (hm_left(s, 1)) {
        hm_function *f = &map->functions[map->function_count];
        unsigned flags = hm_byte(s, 1);
        uint32_t before = file;
        if (flags >> 5 || (flags >> 1 & 3) == 3) { hm_fail(s->r, "a function has unknown flags"); break; }
        name = hm_near(s, 0, name);
        f->name = hm_string_of(s, name);
        if (flags & 8) f->linkage_name = hm_string(s, 2);
        f->is_static = flags & 1;
        f->confidence = (int)(flags >> 1 & 3);
        if (flags & 16) f->confidence_reason = hm_string(s, 3);
        if (tells_reading) f->reading = (int)hm_byte(s, 10);
        if (f->reading > HM_EXACTLY) { hm_fail(s->r, "a function was read in no known way"); break; }
        file = hm_near(s, 4, file);
        f->file = hm_id(s, file, map->file_count);
        f->span = hm_a_span(s, 5, file == before ? end_line : 0, 0);
        end_line = f->span.end_line;
        map->function_count++;
    }
    blocks = (uint64_t *)hm_room(s->r, body_count, sizeof *blocks);
    for (i = 0; i < body_count && !s->r->why; i++) {
        blocks[i] = hm_u(s, 9);
        if (blocks[i] > map->function_count - held) { hm_fail(s->r, "the bodies are not those of all functions"); break; }
        held += blocks[i];
    }
    if (!s->r->why && held != map->function_count) hm_fail(s->r, "the bodies are not those of all functions");
    hm_close(s);
    return blocks;
}

static void hm_scopes(hm_section *s, hm_function *f) {
    /* By parent: where its last child ended, and its next arm. */
    struct family { uint32_t end, next_arm; int has_child; } *families;
    uint32_t next_loop = 0;
    size_t i;
    families = (struct family *)hm_room(s->r, f->scope_count, sizeof *families);
    f->scopes = (hm_scope *)hm_room(s->r, f->scope_count, sizeof *f->scopes);
    for (i = 0; i < f->scope_count && !s->r->why; i++) {
        hm_scope *scope = &f->scopes[i];
        unsigned kind = hm_byte(s, 14);
        uint64_t code = hm_u(s, 15), length;
        uint32_t line = f->span.line, end = f->span.end_line, arm = 0;
        if (kind > 5 || code >> 1 > UINT32_MAX) { hm_fail(s->r, "a scope is of no known kind"); return; }
        scope->parent = HM_NONE;
        scope->id = HM_NONE;
        if (code & 1) {
            uint64_t out = code >> 1;
            if (i == 0 || out > 64) { hm_fail(s->r, "a scope has no such parent"); return; }
            scope->parent = (uint32_t)i - 1;
            for (; out && scope->parent != HM_NONE; out--) scope->parent = f->scopes[scope->parent].parent;
            if (scope->parent == HM_NONE) { hm_fail(s->r, "a scope has no such parent"); return; }
        } else if (code) {
            if (code >> 1 > i) { hm_fail(s->r, "a parent does not come before its child"); return; }
            scope->parent = (uint32_t)(i - (size_t)(code >> 1));
        }
        if (scope->parent != HM_NONE) {
            struct family *family = &families[scope->parent];
            line = family->has_child ? family->end : f->scopes[scope->parent].line;
            end = f->scopes[scope->parent].end_line;
            arm = family->next_arm;
        }
        scope->kind = kind == 5 ? HM_SCOPE_LOOP : (int)kind;
        if (kind == 2) {
            scope->id = hm_id(s, hm_near(s, 18, next_loop), f->loop_count);
            next_loop = scope->id + 1;
        } else if (kind == 4) {
            scope->id = hm_near(s, 18, arm);
        }
        scope->line = hm_near(s, 16, line);
        length = hm_u(s, 17);
        if (length > (uint64_t)UINT32_MAX + 1) { hm_fail(s->r, "a number is out of range"); return; }
        scope->end_line = length ? scope->line + (uint32_t)(length - 1) : end;
        if (scope->parent != HM_NONE) {
            families[scope->parent].has_child = 1;
            families[scope->parent].end = scope->end_line;
            if (kind == 4) families[scope->parent].next_arm = scope->id + 1;
        }
    }
}

static void hm_points(hm_section *s, hm_function *f) {
    /* By scope: one more than the last point's loop value; 0 before the first. */
    uint64_t *loop_in;
    uint32_t line = f->span.line, column = 0, group = 0, scope = 0, last_loop = 0;
    uint64_t unseen = 1; /* one more than the highest scope before */
    size_t i, n;
    loop_in = (uint64_t *)hm_room(s->r, f->scope_count, sizeof *loop_in);
    f->points = (hm_point *)hm_room(s->r, f->point_count, sizeof *f->points);
    for (i = 0; i < f->point_count && !s->r->why; i++) {
        hm_point *point = &f->points[i];
        unsigned kind = hm_byte(s, 1), is_whole = kind & 8;
        uint64_t code;
        uint32_t expected;
        const hm_scope *in;
        kind &= ~8u;
        if (kind > 7) { hm_fail(s->r, "a point is of no known kind"); return; }
        point->kind = (int)kind;
        if (kind == 2 || kind == 4) point->callee = hm_string(s, 2);
        code = hm_u(s, 7);
        if (code & 1) {
            if (code >> 1 > UINT32_MAX) { hm_fail(s->r, "a number is out of range"); return; }
            scope = hm_id(s, (uint32_t)unseen + (uint32_t)(code >> 1), f->scope_count);
        } else {
            uint64_t out = code >> 1;
            if (out > 64 || scope >= f->scope_count) { hm_fail(s->r, "an id is out of range"); return; }
            for (; out && scope != HM_NONE; out--) scope = f->scopes[scope].parent;
            if (scope == HM_NONE) { hm_fail(s->r, "a scope has no such parent"); return; }
        }
        if (s->r->why) return;
        if (scope + (uint64_t)1 > unseen) unseen = scope + (uint64_t)1;
        point->scope = scope;
        in = &f->scopes[scope];
        if (loop_in[scope]) expected = (uint32_t)(loop_in[scope] - 1);
        else if (in->kind == HM_SCOPE_LOOP && in->id != HM_NONE) expected = in->id + 1;
        else if (in->parent != HM_NONE && loop_in[in->parent]) expected = (uint32_t)(loop_in[in->parent] - 1);
        else expected = last_loop;
        last_loop = hm_near(s, 8, expected);
        loop_in[scope] = last_loop + (uint64_t)1;
        point->innermost_loop = last_loop ? hm_id(s, last_loop - 1, f->loop_count) : HM_NONE;
        if (is_whole) {
            point->span = f->span;
        } else {
            point->span = hm_a_span(s, 3, line, column);
            line = point->span.line;
            column = point->span.column;
        }
        point->unsequenced_count = hm_count(s, 9, 10);
        point->unsequenced = (hm_unsequenced *)hm_room(s->r, point->unsequenced_count, sizeof *point->unsequenced);
        for (n = 0; n < point->unsequenced_count && !s->r->why; n++) {
            group = hm_near(s, 10, group);
            point->unsequenced[n].group = group;
            point->unsequenced[n].operand = hm_u32(s, 11);
        }
    }
}

static int hm_edge_order(const void *left, const void *right) {
    const hm_edge *a = (const hm_edge *)left, *b = (const hm_edge *)right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->to == b->to ? 0 : a->to < b->to ? -1 : 1;
}

static void hm_edges(hm_section *s, hm_function *f) {
    size_t point, at = 0;
    f->edges = (hm_edge *)hm_room(s->r, f->edge_count, sizeof *f->edges);
    for (point = 0; point < f->point_count && !s->r->why; point++) {
        uint64_t code = hm_u(s, 12), others = code >> 1;
        size_t here = (size_t)!(code & 1);
        if (others > f->edge_count - at || here > f->edge_count - at - others) {
            hm_fail(s->r, "a function has other edges than it states");
            return;
        }
        if (here) {
            f->edges[at].from = (uint32_t)point;
            f->edges[at++].to = hm_id(s, (uint32_t)point + 1, f->point_count);
        }
        for (; others && !s->r->why; others--) {
            f->edges[at].from = (uint32_t)point;
            f->edges[at++].to = hm_id(s, hm_near(s, 13, (uint32_t)point), f->point_count);
        }
    }
    if (!s->r->why && at != f->edge_count) hm_fail(s->r, "a function has other edges than it states");
    if (!s->r->why && at) qsort(f->edges, at, sizeof *f->edges, hm_edge_order);
}

/* Text: numbers in place of zero characters. */
static hm_storage hm_a_storage(hm_section *s, uint32_t line, hm_text listed) {
    hm_storage storage;
    uint64_t shape = hm_u(s, 44);
    size_t i;
    memset(&storage, 0, sizeof storage);
    storage.is_global = (int)(shape & 1);
    storage.name = shape >= 2 ? hm_string(s, 45) : listed;
    if (!storage.is_global) storage.line = hm_near(s, 46, line);
    if (shape < 2 || s->r->why) return storage;
    if ((shape - 2) / 2 > 64) { hm_fail(s->r, "a variable is too many steps away"); return storage; }
    storage.step_count = (size_t)(shape - 2) / 2;
    storage.steps = (hm_step *)hm_room(s->r, storage.step_count, sizeof *storage.steps);
    for (i = 0; i < storage.step_count && !s->r->why; i++) {
        unsigned kind = hm_byte(s, 47);
        if (kind > HM_POSITION) { hm_fail(s->r, "a step is of no known kind"); break; }
        storage.steps[i].kind = (int)kind;
        if (kind == HM_MEMBER || kind == HM_ARROW) storage.steps[i].member = hm_string(s, 48);
    }
    return storage;
}

static hm_term hm_a_term(hm_section *s, uint32_t line, int depth) {
    hm_term term;
    unsigned kind = hm_byte(s, 40);
    memset(&term, 0, sizeof term);
    term.kind = (int)kind;
    if (kind == HM_INTEGER) {
        term.integer = hm_s(s, 41);
    } else if (kind == HM_NUMBER) {
        const unsigned char *bytes = hm_take(s, 42, 8);
        uint64_t bits = bytes ? hm_long(bytes) : 0;
        memcpy(&term.number, &bits, sizeof bits);
    } else if (kind == HM_VARIABLE || kind == HM_MINUS_VARIABLE) {
        term.name = hm_string(s, 43);
        term.storage = hm_a_storage(s, line, term.name);
    } else if (kind >= HM_ADD && kind <= HM_REM && depth < 4) {
        term.operands = (hm_term *)hm_room(s->r, 2, sizeof *term.operands);
        if (term.operands) {
            term.operands[0] = hm_a_term(s, line, depth + 1);
            term.operands[1] = hm_a_term(s, line, depth + 1);
            if (!term.operands[0].kind || !term.operands[1].kind) hm_fail(s->r, "a term lacks an operand");
        }
    } else if (kind) {
        hm_fail(s->r, "a term is of no known kind, or too deep");
    }
    return term;
}

static void hm_a_reason(hm_section *s, const hm_function *f, uint32_t *line, hm_reason *reason) {
    unsigned needs;
    do {
        reason->code = hm_byte(s, 61);
        if (reason->code >= sizeof hm_refusals / sizeof *hm_refusals || !hm_refusals[reason->code].word) {
            hm_fail(s->r, "a reason is of no known kind");
            reason->code = 0;
        }
        needs = hm_refusals[reason->code].needs;
        reason->paths += needs == HM_PATH;
    } while (needs == HM_PATH && reason->paths <= 4 && !s->r->why);
    if (needs == HM_PATH) hm_fail(s->r, "a reason is a path that never ends");
    if (needs & HM_LINE) reason->line = *line = hm_near(s, 58, *line);
    if (needs & HM_VALUE) reason->value = hm_s(s, 59);
    if (needs & HM_TERM) {
        reason->step = hm_a_term(s, f->span.line, 0);
        if (!reason->step.kind) hm_fail(s->r, "a step is none");
    }
    if (needs & (HM_NAME | HM_TWO_NAMES)) reason->names[0] = hm_string(s, 60);
    if (needs & HM_TWO_NAMES) reason->names[1] = hm_string(s, 60);
}

static void hm_some_grounds(hm_section *s, const hm_function *f, uint32_t *line, hm_grounds *grounds) {
    unsigned about, unseen;
    grounds->moves = hm_byte(s, 62);
    grounds->provenance = hm_byte(s, 63);
    if (grounds->moves >= sizeof hm_moves / sizeof *hm_moves ||
        grounds->provenance >= sizeof hm_provenances / sizeof *hm_provenances) {
        hm_fail(s->r, "a variable is accepted for no known reason");
        grounds->moves = grounds->provenance = 0;
    }
    if (grounds->provenance == HM_KEPT) hm_a_reason(s, f, line, &grounds->kept);
    about = hm_provenances[grounds->provenance].about;
    if (about & HM_VARIABLE_NAME) grounds->variable = hm_string(s, 60);
    if (about & HM_FUNCTION_NAME) grounds->function = hm_string(s, 60);
    if (about & HM_AT_LINE) grounds->line = *line = hm_near(s, 58, *line);
    unseen = hm_byte(s, 56);
    if (unseen > 1) hm_fail(s->r, "a variable has unknown traits");
    grounds->is_unseen = unseen == 1;
    if (grounds->is_unseen) hm_a_reason(s, f, line, &grounds->unseen);
}

static void hm_a_lov(hm_section *s, const hm_function *f, uint32_t header, uint32_t *line, hm_lov *lov) {
    unsigned traits;
    uint64_t cut;
    uint32_t point = header;
    size_t i;
    lov->name = hm_string(s, 29);
    traits = hm_byte(s, 30);
    lov->lov_class = (int)(traits % 2), traits /= 2;
    lov->direction = (int)(traits % 3), traits /= 3;
    lov->growth = (int)(traits % 3), traits /= 3;
    lov->across = (int)(traits % 3), traits /= 3;
    lov->assumption = (int)traits;
    if (traits > 2) hm_fail(s->r, "a variable has unknown traits");
    hm_some_grounds(s, f, line, &lov->grounds);
    lov->storage = hm_a_storage(s, f->span.line, lov->name);
    lov->update_count = hm_count(s, 34, 35);
    lov->updates = (uint32_t *)hm_room(s->r, lov->update_count, sizeof *lov->updates);
    for (i = 0; i < lov->update_count && !s->r->why; i++) {
        point = hm_near(s, 35, point);
        lov->updates[i] = hm_id(s, point, f->point_count);
    }
    cut = hm_u(s, 36);
    if (cut) {
        lov->cut_at_header = 1;
        if (cut - 1 > hm_left(s, 37)) hm_fail(s->r, "a count is larger than what it counts");
        lov->offset_count = s->r->why ? 0 : (size_t)(cut - 1);
        lov->offsets = (hm_offset *)hm_room(s->r, lov->offset_count, sizeof *lov->offsets);
        point = header;
        for (i = 0; i < lov->offset_count && !s->r->why; i++) {
            point = hm_near(s, 37, point);
            lov->offsets[i].point = hm_id(s, point, f->point_count);
            lov->offsets[i].offset = hm_s(s, 38);
        }
        lov->per_iteration = hm_s(s, 39);
    }
    lov->step = hm_a_term(s, f->span.line, 0);
    lov->start = hm_a_term(s, f->span.line, 0);
    lov->unsigned_bits = hm_byte(s, 57);
    if (lov->unsigned_bits > 64) hm_fail(s->r, "a variable has unknown traits");
}

static void hm_loops(hm_section *s, hm_function *f) {
    /* By loop, plus one: the last line of its statement, and the first point in it. */
    struct place { uint64_t end, point; } *places;
    uint32_t header = 0;
    size_t i, n;
    places = (struct place *)hm_room(s->r, f->loop_count, sizeof *places);
    f->loops = (hm_loop *)hm_room(s->r, f->loop_count, sizeof *f->loops);
    if (s->r->why) return;
    for (i = 0; i < f->scope_count; i++) {
        const hm_scope *scope = &f->scopes[i];
        if (scope->kind == HM_SCOPE_LOOP && scope->id != HM_NONE && !places[scope->id].end)
            places[scope->id].end = scope->end_line + (uint64_t)1;
    }
    for (i = 0; i < f->point_count; i++) {
        const hm_scope *scope = &f->scopes[f->points[i].scope];
        if (scope->kind == HM_SCOPE_LOOP && scope->id != HM_NONE && !places[scope->id].point)
            places[scope->id].point = i + (uint64_t)1;
    }
    for (i = 0; i < f->loop_count && !s->r->why; i++) {
        hm_loop *loop = &f->loops[i];
        unsigned kind;
        uint32_t near_line;
        hm_span near;
        loop->parent = hm_parent(s, 20, i);
        kind = hm_byte(s, 21);
        if (kind > 7) { hm_fail(s->r, "a loop is of no known kind"); return; }
        loop->statement = (int)(kind & 3);
        loop->is_reducible = !(kind & 4);
        header = hm_near(s, 22, places[i].point ? (uint32_t)(places[i].point - 1) : header);
        loop->header = hm_id(s, header, f->point_count);
        if (s->r->why) return;
        near = f->points[header].span;
        if (places[i].end) near.end_line = (uint32_t)(places[i].end - 1);
        loop->span.line = hm_near(s, 23, near.line);
        loop->span.column = hm_near(s, 24, near.column);
        loop->span.end_line = hm_near(s, 25, near.end_line);
        loop->span.end_column = hm_near(s, 26, near.end_column);
        loop->lov_count = hm_count(s, 27, 29);
        loop->refused_count = hm_count(s, 28, 32);
        loop->lovs = (hm_lov *)hm_room(s->r, loop->lov_count, sizeof *loop->lovs);
        loop->refused = (hm_refused *)hm_room(s->r, loop->refused_count, sizeof *loop->refused);
        near_line = loop->span.line;
        for (n = 0; n < loop->lov_count && !s->r->why; n++) hm_a_lov(s, f, header, &near_line, &loop->lovs[n]);
        for (n = 0; n < loop->refused_count && !s->r->why; n++) {
            loop->refused[n].name = hm_string(s, 32);
            hm_a_reason(s, f, &near_line, &loop->refused[n].why);
        }
    }
}

static void hm_a_body(hm_section *s, hm_function *f) {
    uint64_t edges;
    f->point_count = hm_count(s, 0, 1);
    edges = hm_u(s, 0);
    /* The successor that follows has no entry of its own. */
    if (edges > hm_left(s, 13) + (uint64_t)f->point_count) hm_fail(s->r, "a count is larger than what it counts");
    f->edge_count = (size_t)edges;
    f->scope_count = hm_count(s, 0, 14);
    f->loop_count = hm_count(s, 0, 21);
    hm_scopes(s, f);
    hm_points(s, f);
    hm_edges(s, f);
    hm_loops(s, f);
}

static void hm_diagnostics(hm_section *s, hm_map *map) {
    uint32_t line = 0;
    map->diagnostics = (hm_diagnostic *)hm_room(s->r, hm_left(s, 0), sizeof *map->diagnostics);
    while (hm_left(s, 0)) {
        hm_diagnostic *d = &map->diagnostics[map->diagnostic_count++];
        d->severity = (int)hm_byte(s, 0);
        if (d->severity > 2) hm_fail(s->r, "a message is of no known kind");
        d->subject = hm_string(s, 1);
        d->message = hm_string(s, 2);
        d->span = hm_a_span(s, 3, line, 0);
        line = d->span.line;
    }
    hm_close(s);
}

static void hm_mpi_calls(hm_section *s, hm_map *map) {
    uint32_t function = 0;
    size_t i;
    map->mpi_calls = (hm_mpi_call *)hm_room(s->r, hm_left(s, 0), sizeof *map->mpi_calls);
    while (hm_left(s, 0)) {
        hm_mpi_call *call = &map->mpi_calls[map->mpi_call_count++];
        call->function = function = hm_id(s, hm_near(s, 0, function), map->function_count);
        call->point = hm_u32(s, 1);
        if (s->r->why) break;
        (void)hm_id(s, call->point, map->functions[function].point_count);
        call->argument_count = hm_count(s, 2, 3);
        call->arguments = (hm_argument *)hm_room(s->r, call->argument_count, sizeof *call->arguments);
        for (i = 0; i < call->argument_count && !s->r->why; i++) {
            hm_argument *argument = &call->arguments[i];
            argument->index = hm_byte(s, 3);
            argument->text = hm_string(s, 4);
            argument->term = hm_a_term(s, map->functions[function].span.line, 0);
            argument->is_settled = hm_byte(s, 5) != 0;
        }
    }
    hm_close(s);
}

static void hm_handed_on(hm_section *s, hm_map *map) {
    uint32_t function = 0, callee = 0;
    map->handed = (hm_handed *)hm_room(s->r, hm_left(s, 0), sizeof *map->handed);
    while (hm_left(s, 0)) {
        hm_handed *each = &map->handed[map->handed_count++];
        each->function = function = hm_id(s, hm_near(s, 0, function), map->function_count);
        each->point = hm_u32(s, 1);
        if (s->r->why) break;
        (void)hm_id(s, each->point, map->functions[function].point_count);
        each->variable = hm_string(s, 2);
        each->variable_line = hm_near(s, 3, map->functions[function].span.line);
        each->callee = callee = hm_id(s, hm_near(s, 4, callee), map->function_count);
        if (s->r->why) break;
        each->parameter = hm_string(s, 5);
        each->parameter_line = hm_near(s, 6, map->functions[callee].span.line);
    }
    hm_close(s);
}

/* Binding. */

static hm_file_code hm_a_file(hm_section *s, uint64_t code, const hm_map *map, const hm_binding *b) {
    hm_file_code file;
    file.is_other = (int)(code & 1);
    file.index = (uint32_t)(code >> 1);
    if (code >> 1 >= (file.is_other ? b->other_file_count : map->file_count)) hm_fail(s->r, "an id is out of range");
    return file;
}

static uint32_t hm_maybe_function(hm_section *s, uint32_t value, const hm_map *map) {
    return value ? hm_id(s, value - 1, map->function_count) : HM_NONE;
}

static void hm_build(hm_section *s, hm_binding *b) {
    const unsigned char *hash;
    b->build_id.length = hm_left(s, 0);
    b->build_id.bytes = (const char *)hm_take(s, 0, b->build_id.length);
    hash = hm_take(s, 1, 32);
    if (hash) memcpy(b->text_hash, hash, 32);
    b->executable = hm_string(s, 2);
    b->producer = hm_string(s, 2);
    b->other_files = (hm_text *)hm_room(s->r, hm_left(s, 3), sizeof *b->other_files);
    while (hm_left(s, 3)) b->other_files[b->other_file_count++] = hm_string(s, 3);
    hm_close(s);
}

static void hm_rows(hm_section *s, const hm_map *map, hm_binding *b) {
    uint64_t end = 0, file = 0;
    uint32_t line = 0;
    b->rows = (hm_row *)hm_room(s->r, hm_left(s, 4), sizeof *b->rows);
    while (hm_left(s, 4)) {
        hm_row *row = &b->rows[b->row_count++];
        uint64_t code;
        row->start = hm_after64(s, 0, end);
        row->end = end = hm_after64(s, 1, row->start);
        file = hm_near64(s, 2, file);
        row->file = hm_a_file(s, file, map, b);
        row->line = line = hm_near(s, 3, line);
        code = hm_u(s, 4);
        if (code >> 1 > UINT32_MAX) hm_fail(s->r, "a number is out of range");
        row->column = (uint32_t)(code >> 1);
        row->is_statement = (int)(code & 1);
    }
    hm_close(s);
}

static void hm_bound_functions(hm_section *s, const hm_map *map, hm_binding *b) {
    uint64_t end = 0;
    uint32_t function = 0;
    b->functions = (hm_bound_function *)hm_room(s->r, hm_left(s, 4), sizeof *b->functions);
    while (hm_left(s, 4)) {
        hm_bound_function *f = &b->functions[b->function_count++];
        f->start = hm_after64(s, 0, end);
        f->end = end = hm_after64(s, 1, f->start);
        function = hm_near(s, 2, function);
        f->function = hm_maybe_function(s, function, map);
        f->name = hm_string(s, 3);
        f->frame_base = hm_string(s, 4);
        f->is_optimised = hm_u(s, 5) != 0;
    }
    hm_close(s);
}

static void hm_inlines(hm_section *s, const hm_map *map, hm_binding *b) {
    uint64_t file = 0;
    uint32_t function = 0, line = 0;
    b->inlines = (hm_inline *)hm_room(s->r, hm_left(s, 8), sizeof *b->inlines);
    while (hm_left(s, 8)) {
        size_t index = b->inline_count++;
        hm_inline *each = &b->inlines[index];
        uint64_t near = index ? b->inlines[index - 1].start : 0;
        each->parent = hm_parent(s, 5, index);
        if (each->parent != HM_NONE) near = b->inlines[each->parent].start;
        each->start = hm_near64(s, 0, near);
        each->end = hm_after64(s, 1, each->start);
        function = hm_near(s, 2, function);
        each->function = hm_maybe_function(s, function, map);
        each->name = hm_string(s, 3);
        file = hm_near64(s, 6, file);
        each->call_file = hm_a_file(s, file, map, b);
        each->call_line = line = hm_near(s, 7, line);
        each->call_column = hm_u32(s, 8);
    }
    hm_close(s);
}

static void hm_a_variable(hm_section *s, const hm_map *map, const hm_binding *b, uint32_t *last, hm_variable *v) {
    uint64_t base = 0, end, count;
    unsigned kind = hm_byte(s, 0);
    size_t i;
    if (kind > 2) { hm_fail(s->r, "a variable is of no known instance"); return; }
    v->instance = (int)kind;
    v->index = last[kind] = hm_near(s, 1, last[kind]);
    (void)hm_id(s, v->index, kind == 0 ? map->function_count : kind == 1 ? b->function_count : b->inline_count);
    if (s->r->why) return;
    if (kind == 1) base = b->functions[v->index].start;
    if (kind == 2) base = b->inlines[v->index].start;
    v->name = hm_string(s, 2);
    v->scope_count = hm_count(s, 3, 4);
    v->scope = (hm_range *)hm_room(s->r, v->scope_count, sizeof *v->scope);
    for (i = 0, end = base; i < v->scope_count && !s->r->why; i++) {
        v->scope[i].start = hm_near64(s, 4, end);
        v->scope[i].end = end = hm_after64(s, 5, v->scope[i].start);
    }
    count = hm_u(s, 6);
    if (count > 1 && count - 1 > hm_left(s, 7)) { hm_fail(s->r, "a count is larger than what it counts"); return; }
    v->location_count = count > 1 ? (size_t)(count - 1) : (size_t)count;
    v->locations = (hm_location *)hm_room(s->r, v->location_count, sizeof *v->locations);
    for (i = 0, end = base; i < v->location_count && !s->r->why; i++) {
        v->locations[i].end = UINT64_MAX;
        if (count > 1) {
            v->locations[i].start = hm_near64(s, 7, end);
            v->locations[i].end = end = hm_after64(s, 8, v->locations[i].start);
        }
        v->locations[i].expression = hm_string(s, 9);
    }
    v->path_count = hm_count(s, 10, 11);
    v->path = (hm_path_step *)hm_room(s->r, v->path_count, sizeof *v->path);
    for (i = 0; i < v->path_count && !s->r->why; i++) {
        unsigned step = hm_byte(s, 11);
        if (step > 1) { hm_fail(s->r, "a step is of no known kind"); return; }
        v->path[i].follows = step == 0;
        if (step) v->path[i].offset = hm_u(s, 12);
    }
    v->encoding = (int)hm_byte(s, 13);
    v->size = hm_byte(s, 13);
    if (v->encoding > 3) hm_fail(s->r, "a value is of no known kind");
}

static void hm_variables(hm_section *s, const hm_map *map, hm_binding *b) {
    uint32_t last[3] = {0, 0, 0};
    b->variables = (hm_variable *)hm_room(s->r, hm_left(s, 0), sizeof *b->variables);
    while (hm_left(s, 0)) hm_a_variable(s, map, b, last, &b->variables[b->variable_count++]);
    hm_close(s);
}

static void hm_bound_calls(hm_section *s, hm_binding *b) {
    uint64_t address = 0;
    uint32_t callee = 0;
    size_t i;
    b->calls = (hm_bound_call *)hm_room(s->r, hm_left(s, 0), sizeof *b->calls);
    while (hm_left(s, 0)) {
        hm_bound_call *call = &b->calls[b->call_count++];
        call->return_address = address = hm_after64(s, 0, address);
        call->callee_count = hm_count(s, 1, 2);
        call->callees = (uint32_t *)hm_room(s->r, call->callee_count, sizeof *call->callees);
        for (i = 0; i < call->callee_count && !s->r->why; i++)
            call->callees[i] = callee = hm_id(s, hm_near(s, 2, callee), b->function_count);
        call->passed_count = hm_count(s, 3, 4);
        call->passed = (hm_passed *)hm_room(s->r, call->passed_count, sizeof *call->passed);
        for (i = 0; i < call->passed_count && !s->r->why; i++) {
            call->passed[i].dwarf_register = hm_byte(s, 4);
            call->passed[i].expression = hm_string(s, 5);
        }
    }
    hm_close(s);
}

static void hm_merges(hm_section *s, const hm_map *map, hm_binding *b) {
    uint32_t function = 0, shown = 0;
    uint64_t address = 0;
    int has_addresses = hm_left(s, 3) > 0;
    b->merges = (hm_merge *)hm_room(s->r, hm_left(s, 0), sizeof *b->merges);
    while (hm_left(s, 0)) {
        hm_merge *merge = &b->merges[b->merge_count++];
        merge->function = function = hm_id(s, hm_near(s, 0, function), map->function_count);
        merge->shown = shown = hm_near(s, 1, shown);
        merge->other = hm_near(s, 2, shown);
        if (has_addresses) address = hm_near64(s, 3, address);
        merge->return_address = address;
    }
    hm_close(s);
}

static void hm_bound_mpi_calls(hm_section *s, hm_binding *b) {
    uint64_t address = 0;
    size_t i;
    b->mpi_calls = (hm_bound_mpi_call *)hm_room(s->r, hm_left(s, 0), sizeof *b->mpi_calls);
    while (hm_left(s, 0)) {
        hm_bound_mpi_call *call = &b->mpi_calls[b->mpi_call_count++];
        call->return_address = address = hm_after64(s, 0, address);
        call->argument_count = hm_count(s, 1, 2);
        call->arguments = (hm_passed_argument *)hm_room(s->r, call->argument_count, sizeof *call->arguments);
        for (i = 0; i < call->argument_count && !s->r->why; i++) {
            call->arguments[i].index = hm_byte(s, 2);
            call->arguments[i].expression = hm_string(s, 3);
        }
    }
    hm_close(s);
}

/* Record. */

enum { HM_STRS, HM_FILE, HM_HEAD, HM_BODY, HM_DIAG, HM_MPIC, HM_HAND, HM_BIND, HM_BSTR, HM_ROWS, HM_BFUN, HM_BINL, HM_BVAR, HM_BCAL, HM_BMRG, HM_BMPI, HM_TAGS };

typedef struct { int tag; const unsigned char *bytes; size_t length; } hm_stored;

static int hm_tag(const unsigned char *name) {
    static const char names[] = "STRSFILEHEADBODYDIAGMPICHANDBINDBSTRROWSBFUNBINLBVARBCALBMRGBMPI";
    int tag;
    for (tag = 0; tag < HM_TAGS; tag++) {
        if (!memcmp(names + 4 * tag, name, 4)) return tag;
    }
    return -1;
}

/* The first section of a tag from `from` on, before the next round of a binding's. */
static const hm_stored *hm_find(const hm_stored *sections, size_t count, size_t from, int tag) {
    size_t i;
    for (i = from; i < count; i++) {
        if (tag > HM_BIND && i > from && sections[i].tag == HM_BIND) return NULL;
        if (sections[i].tag == tag) return &sections[i];
    }
    return NULL;
}

/* Checks the frame, in the order that the format asks for, and lists the sections that are known. */
static hm_stored *hm_sections(hm_reader *r, const unsigned char *bytes, size_t length, size_t *found) {
    static const unsigned char magic[8] = {0x89, 'H', 'M', 'A', 'P', 0x0d, 0x0a, 0x1a};
    hm_stored *sections;
    uint64_t stated, count, i;
    size_t at, last_bind = 0, n;
    *found = 0;
    if (length < 8 || memcmp(bytes, magic, 8)) { hm_fail(r, "not a progress map"); return NULL; }
    if (length < 12) { hm_fail(r, "the map is cut off"); return NULL; }
    if (hm_word(bytes + 8) > HM_VERSION) { hm_fail(r, "the map is of a newer format than this reader knows"); return NULL; }
    if (hm_word(bytes + 8) < HM_VERSION) { hm_fail(r, "the map is of an older format: make it again"); return NULL; }
    if (length < 32) { hm_fail(r, "the map is cut off"); return NULL; }
    count = hm_word(bytes + 12);
    stated = hm_long(bytes + 16);
    if (count > (length - 32) / 24 || stated > length) { hm_fail(r, "the map is cut off"); return NULL; }
    if (hm_crc(hm_crc(0, bytes, 28), bytes + 32, (size_t)count * 24) != hm_word(bytes + 28)) {
        hm_fail(r, "the checksum of the header differs");
        return NULL;
    }
    if (stated != length || stated % 8) { hm_fail(r, "the map is not as long as it states"); return NULL; }
    sections = (hm_stored *)hm_room(r, (size_t)count, sizeof *sections);
    at = 32 + (size_t)count * 24;
    for (i = 0; i < count && !r->why; i++) {
        const unsigned char *entry = bytes + 32 + i * 24;
        uint64_t size = hm_long(entry + 8);
        int tag = hm_tag(entry);
        if (size > length - at) { hm_fail(r, "a section is longer than the map"); break; }
        if (hm_crc(0, bytes + at, (size_t)size) != hm_word(entry + 16)) { hm_fail(r, "the checksum of a section differs"); break; }
        if (tag < 0) {
            if (hm_word(entry + 4) & 1) hm_fail(r, "the map has a required section that this reader does not know");
        } else {
            if (tag == HM_BIND) last_bind = *found;
            for (n = tag > HM_BIND ? last_bind : 0; n < *found; n++) {
                if (sections[n].tag == tag && tag != HM_BODY && tag != HM_BIND) hm_fail(r, "a section occurs twice");
            }
            sections[*found].tag = tag;
            sections[*found].bytes = bytes + at;
            sections[(*found)++].length = (size_t)size;
        }
        at += (size_t)size;
    }
    if (!r->why && length - at > 7) hm_fail(r, "the map is longer than its sections");
    return sections;
}

/* Opens a section that has to be there; with `optional` set one that need not be is empty. */
static void hm_open_tag(hm_section *s, hm_reader *r, const hm_stored *stored, int optional, const hm_text *strings, size_t count) {
    memset(s, 0, sizeof *s);
    s->r = r;
    if (stored) hm_open(s, r, stored->bytes, stored->length, strings, count);
    else if (!optional) hm_fail(r, "a section is missing");
}

static void hm_a_binding(hm_reader *r, const hm_map *map, const hm_stored *all, size_t count, size_t from, hm_binding *b) {
    hm_section s;
    hm_text *strings;
    size_t n = 0;
    hm_open_tag(&s, r, hm_find(all, count, from, HM_BSTR), 0, NULL, 0);
    strings = hm_strings(&s, &n);
    hm_open_tag(&s, r, &all[from], 0, strings, n);
    hm_build(&s, b);
    hm_open_tag(&s, r, hm_find(all, count, from, HM_ROWS), 0, strings, n);
    hm_rows(&s, map, b);
    hm_open_tag(&s, r, hm_find(all, count, from, HM_BFUN), 0, strings, n);
    hm_bound_functions(&s, map, b);
    hm_open_tag(&s, r, hm_find(all, count, from, HM_BINL), 0, strings, n);
    hm_inlines(&s, map, b);
    hm_open_tag(&s, r, hm_find(all, count, from, HM_BVAR), 0, strings, n);
    hm_variables(&s, map, b);
    hm_open_tag(&s, r, hm_find(all, count, from, HM_BCAL), 1, strings, n);
    hm_bound_calls(&s, b);
    hm_open_tag(&s, r, hm_find(all, count, from, HM_BMRG), 1, strings, n);
    hm_merges(&s, map, b);
    hm_open_tag(&s, r, hm_find(all, count, from, HM_BMPI), 1, strings, n);
    hm_bound_mpi_calls(&s, b);
}

static void hm_whole(hm_reader *r, hm_map *map, const unsigned char *bytes, size_t length) {
    hm_section s;
    hm_text *strings;
    uint64_t *blocks, n;
    size_t count, string_count, i, bodies = 0, function = 0;
    hm_stored *all = hm_sections(r, bytes, length, &count);
    if (r->why) return;
    for (i = 0; i < count; i++) bodies += all[i].tag == HM_BODY;
    hm_open_tag(&s, r, hm_find(all, count, 0, HM_STRS), 0, NULL, 0);
    strings = hm_strings(&s, &string_count);
    hm_open_tag(&s, r, hm_find(all, count, 0, HM_FILE), 0, NULL, 0);
    hm_files(&s, map);
    hm_open_tag(&s, r, hm_find(all, count, 0, HM_HEAD), 0, strings, string_count);
    blocks = hm_heads(&s, map, bodies);
    for (i = 0, bodies = 0; i < count && !r->why; i++) {
        if (all[i].tag != HM_BODY) continue;
        hm_open_tag(&s, r, &all[i], 0, strings, string_count);
        for (n = blocks[bodies++]; n && !r->why; n--) hm_a_body(&s, &map->functions[function++]);
        hm_close(&s);
    }
    hm_open_tag(&s, r, hm_find(all, count, 0, HM_DIAG), 0, strings, string_count);
    hm_diagnostics(&s, map);
    hm_open_tag(&s, r, hm_find(all, count, 0, HM_MPIC), 1, strings, string_count);
    hm_mpi_calls(&s, map);
    hm_open_tag(&s, r, hm_find(all, count, 0, HM_HAND), 1, strings, string_count);
    hm_handed_on(&s, map);
    for (i = 0; i < count; i++) map->binding_count += all[i].tag == HM_BIND;
    map->bindings = (hm_binding *)hm_room(r, map->binding_count, sizeof *map->bindings);
    for (i = 0, bodies = 0; i < count && !r->why; i++) {
        if (all[i].tag == HM_BIND) hm_a_binding(r, map, all, count, i, &map->bindings[bodies++]);
    }
}

/* Inside programs. */

static uint32_t hm_half(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static int hm_is_elf(const void *bytes, size_t length) {
    return length >= 4 && !memcmp(bytes, "\x7f" "ELF", 4);
}

const void *hm_embedded(const void *program, size_t length, size_t *map_length, const char **why) {
    static const char name[] = ".hindmost.map";
    const unsigned char *bytes = (const unsigned char *)program, *sections, *names = NULL;
    uint64_t table, count, index, start, size, names_size = 0;
    const char *ignored;
    if (!why) why = &ignored;
    *why = NULL;
    if (!hm_is_elf(program, length) || length < 64 || bytes[4] != 2 || bytes[5] != 1) {
        *why = "not an ELF file of 64 bits, lowest byte first";
        return NULL;
    }
    table = hm_long(bytes + 40);
    if (!table || hm_half(bytes + 58) != 64) {
        *why = "the program has no section table";
        return NULL;
    }
    *why = "the program's section table is damaged";
    if (table > length || length - table < 64) return NULL;
    sections = bytes + table;
    count = hm_half(bytes + 60);
    index = hm_half(bytes + 62);
    /* So many sections that the header cannot count them are counted in the first one. */
    if (!count) count = hm_long(sections + 32);
    if (index == 0xffff) index = hm_word(sections + 40);
    if (count > (length - table) / 64 || index >= count) return NULL;
    start = hm_long(sections + index * 64 + 24);
    size = hm_long(sections + index * 64 + 32);
    if (start > length || size > length - start) return NULL;
    names = bytes + start;
    names_size = size;
    for (index = 0; index < count; index++) {
        const unsigned char *section = sections + index * 64;
        uint64_t at = hm_word(section);
        if (at > names_size || names_size - at < sizeof name || memcmp(names + at, name, sizeof name)) continue;
        start = hm_long(section + 24);
        size = hm_long(section + 32);
        if (start > length || size > length - start) {
            *why = "the map is longer than the program that it is in";
            return NULL;
        }
        *why = NULL;
        if (map_length) *map_length = (size_t)size;
        return bytes + start;
    }
    *why = "the program has no map inside";
    return NULL;
}

hm_map *hm_read(const void *bytes, size_t length, size_t limit, const char **why) {
    hm_reader r;
    hm_map *map;
    unsigned char *own;
    memset(&r, 0, sizeof r);
    if (hm_is_elf(bytes, length)) {
        bytes = hm_embedded(bytes, length, &length, why);
        if (!bytes) return NULL;
        /* The first record, of several that a linker may have joined. */
        if (length >= 24) {
            uint64_t record = hm_long((const unsigned char *)bytes + 16);
            if (record < length) length = (size_t)record;
        }
    }
    r.inflate = length > (SIZE_MAX - (256u << 10)) / 64 ? SIZE_MAX : (256u << 10) + 64 * length;
    r.left = limit ? limit : length > (SIZE_MAX - (64u << 20)) / 512 ? SIZE_MAX : (64u << 20) + 512 * length;
    map = (hm_map *)hm_room(&r, 1, sizeof *map);
    /* Texts point into it. */
    own = (unsigned char *)hm_room(&r, length ? length : 1, 1);
    if (own && length) memcpy(own, bytes, length);
    if (!r.why) hm_whole(&r, map, own, length);
    if (why) *why = r.why;
    if (r.why) {
        hm_free_blocks(r.blocks);
        return NULL;
    }
    map->memory = r.blocks;
    return map;
}

void hm_free(hm_map *map) {
    if (map) hm_free_blocks((hm_block *)map->memory);
}

/* Lookups. */

const hm_row *hm_row_at(const hm_binding *binding, uint64_t address) {
    size_t low = 0, high = binding->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (binding->rows[middle].end <= address) low = middle + 1;
        else high = middle;
    }
    if (low == binding->row_count || binding->rows[low].start > address) return NULL;
    return &binding->rows[low];
}

const hm_bound_function *hm_function_at(const hm_binding *binding, uint64_t address) {
    size_t low = 0, high = binding->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (binding->functions[middle].end <= address) low = middle + 1;
        else high = middle;
    }
    if (low == binding->function_count || binding->functions[low].start > address) return NULL;
    return &binding->functions[low];
}

const hm_inline *hm_inline_at(const hm_binding *binding, uint64_t address) {
    const hm_inline *innermost = NULL;
    size_t i, deepest = 0;
    for (i = 0; i < binding->inline_count; i++) {
        const hm_inline *each = &binding->inlines[i];
        size_t depth = 1;
        uint32_t parent;
        if (address < each->start || address >= each->end) continue;
        for (parent = each->parent; parent != HM_NONE; parent = binding->inlines[parent].parent) depth++;
        if (depth > deepest) {
            deepest = depth;
            innermost = each;
        }
    }
    return innermost;
}

#endif /* HINDMOST_MAP_IMPLEMENTATION */
