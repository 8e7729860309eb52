/* Prints progress maps as JSON, in the form of ../python/hindmost_map.py: an example of hindmost_map.h, and what tests
 * hold it against.
 *
 *     cc -o map_to_json map_to_json.c
 *     map_to_json app.hmap                   the whole map
 *     map_to_json app.hmap 0x401136 ...      what stands at addresses of the bound program
 *     map_to_json --each FILE                many inputs in one file, each after its length in four bytes: a line for each,
 *                                            the map or the reason why it is none
 */
#define HINDMOST_MAP_IMPLEMENTATION
#include "hindmost_map.h"

#include <inttypes.h>
#include <stdio.h>

static void text(hm_text text) {
    size_t i;
    putchar('"');
    for (i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (c == '"' || c == '\\') printf("\\%c", c);
        else if (c < 0x20) printf("\\u%04x", c);
        else putchar(c);
    }
    putchar('"');
}

static void maybe_text(hm_text value) {
    if (value.bytes) text(value);
    else printf("null");
}

static void hex(const void *bytes, size_t length) {
    const unsigned char *at = (const unsigned char *)bytes;
    putchar('"');
    for (; length; length--) printf("%02x", *at++);
    putchar('"');
}

static void id(uint32_t value) {
    if (value == HM_NONE) printf("null");
    else printf("%" PRIu32, value);
}

static void word(const char *const *words, int value) {
    printf("\"%s\"", words[value]);
}

static void comma(size_t index) {
    if (index) putchar(',');
}

static void span(hm_span s) {
    printf("[%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", s.line, s.column, s.end_line, s.end_column);
}

static void storage(const hm_storage *s) {
    static const char *const marks[] = {"*", ".", "->", "index", "position"};
    size_t i;
    printf("{\"base\":\"%s\",\"name\":", s->is_global ? "global" : "local");
    text(s->name);
    if (!s->is_global) printf(",\"line\":%" PRIu32, s->line);
    printf(",\"steps\":[");
    for (i = 0; i < s->step_count; i++) {
        hm_text member = s->steps[i].member;
        char *joined = (char *)malloc(member.length + sizeof "position");
        hm_text whole;
        comma(i);
        if (!joined) exit(2);
        whole.length = strlen(marks[s->steps[i].kind]);
        memcpy(joined, marks[s->steps[i].kind], whole.length);
        if (member.length) memcpy(joined + whole.length, member.bytes, member.length);
        whole.length += member.length;
        whole.bytes = joined;
        text(whole);
        free(joined);
    }
    printf("]}");
}

/* The shortest digits that are read as the same number. JSON has no others than finite ones. */
static void number(double value) {
    char digits[40];
    int precision;
    if (value - value != 0) {
        printf("null");
        return;
    }
    for (precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    printf("%s%s", digits, strpbrk(digits, ".en") ? "" : ".0");
}

static void term(const hm_term *t) {
    static const char *const ops[] = {"+", "-", "*", "/", "%"};
    switch (t->kind) {
    case HM_NO_TERM: printf("null"); break;
    case HM_INTEGER: printf("%" PRId64, t->integer); break;
    case HM_NUMBER: number(t->number); break;
    case HM_VARIABLE:
    case HM_MINUS_VARIABLE:
        printf("{\"name\":");
        text(t->name);
        printf(",\"storage\":");
        storage(&t->storage);
        printf(",\"negated\":%s}", t->kind == HM_MINUS_VARIABLE ? "true" : "false");
        break;
    default:
        printf("{\"op\":\"%s\",\"operands\":[", ops[t->kind - HM_ADD]);
        term(&t->operands[0]);
        putchar(',');
        term(&t->operands[1]);
        printf("]}");
    }
}

static const char *const assumptions[] = {"proven", "assumed", "rank_dependent"};

/* The fields of a reason, inside of an object. */
static void reason(const hm_reason *r) {
    unsigned needs = hm_refusals[r->code].needs, i;
    printf("\"why\":[");
    for (i = 0; i < r->paths; i++) printf("\"path-changed\",");
    printf("\"%s\"]", hm_refusals[r->code].word);
    if (needs & HM_LINE) printf(",\"line\":%" PRIu32, r->line);
    if (needs & HM_VALUE) printf(",\"value\":%" PRId64, r->value);
    if (needs & HM_TERM) printf(",\"step\":"), term(&r->step);
    if (needs & (HM_NAME | HM_TWO_NAMES)) printf(",\"names\":["), text(r->names[0]);
    if (needs & HM_TWO_NAMES) putchar(','), text(r->names[1]);
    if (needs & (HM_NAME | HM_TWO_NAMES)) putchar(']');
}

static void grounds(const hm_grounds *g) {
    printf("{\"moves\":\"%s\",\"provenance\":", hm_moves[g->moves]);
    if (g->provenance == HM_NO_PROVENANCE) {
        printf("null");
    } else if (g->provenance == HM_KEPT) {
        printf("{\"kept\":{"), reason(&g->kept), printf("}}");
    } else {
        printf("{\"kind\":\"%s\",\"variable\":", hm_provenances[g->provenance].word), text(g->variable);
        printf(",\"function\":"), text(g->function);
        printf(",\"line\":%" PRIu32 "}", g->line);
    }
    printf(",\"unseen\":");
    if (g->is_unseen) printf("{"), reason(&g->unseen), printf("}");
    else printf("null");
    putchar('}');
}

static void lov(const hm_lov *l) {
    static const char *const classes[] = {"strict", "weak"};
    static const char *const directions[] = {"up", "down", "sign_of_step"};
    static const char *const growths[] = {"additive", "multiplicative", "floating"};
    static const char *const across[] = {"same_sequence", "relative", "nothing"};
    size_t i;
    printf("{\"name\":"), text(l->name);
    printf(",\"class\":"), word(classes, l->lov_class);
    printf(",\"direction\":"), word(directions, l->direction);
    printf(",\"growth\":"), word(growths, l->growth);
    printf(",\"across\":"), word(across, l->across);
    printf(",\"assumption\":"), word(assumptions, l->assumption);
    printf(",\"grounds\":"), grounds(&l->grounds);
    printf(",\"storage\":"), storage(&l->storage);
    printf(",\"updates\":[");
    for (i = 0; i < l->update_count; i++) comma(i), id(l->updates[i]);
    printf("],\"cut\":");
    if (l->cut_at_header) {
        printf("{\"offsets\":[");
        for (i = 0; i < l->offset_count; i++) {
            comma(i);
            printf("[%" PRIu32 ",%" PRId64 "]", l->offsets[i].point, l->offsets[i].offset);
        }
        printf("],\"per_iteration\":%" PRId64 "}", l->per_iteration);
    } else {
        printf("\"updates\"");
    }
    printf(",\"step\":"), term(&l->step);
    printf(",\"start\":"), term(&l->start);
    printf(",\"unsigned_bits\":");
    if (l->unsigned_bits) printf("%u}", l->unsigned_bits);
    else printf("null}");
}

static void a_loop(const hm_loop *l) {
    static const char *const statements[] = {"while", "do", "for", "goto"};
    size_t i;
    printf("{\"parent\":"), id(l->parent);
    printf(",\"source\":"), word(statements, l->statement);
    printf(",\"reducible\":%s,\"header\":%" PRIu32 ",\"span\":", l->is_reducible ? "true" : "false", l->header);
    span(l->span);
    printf(",\"lovs\":[");
    for (i = 0; i < l->lov_count; i++) comma(i), lov(&l->lovs[i]);
    printf("],\"refused\":[");
    for (i = 0; i < l->refused_count; i++) {
        comma(i);
        printf("{\"name\":"), text(l->refused[i].name), putchar(',');
        reason(&l->refused[i].why), putchar('}');
    }
    printf("]}");
}

static void point(const hm_point *p) {
    static const char *const kinds[] = {"eval", "branch", "call", "indirect_call", "macro_call", "entry", "exit", "return"};
    size_t i;
    printf("{\"kind\":"), word(kinds, p->kind);
    if (p->kind == HM_CALL || p->kind == HM_MACRO_CALL) printf(",\"callee\":"), text(p->callee);
    printf(",\"span\":"), span(p->span);
    printf(",\"scope\":%" PRIu32 ",\"innermost_loop\":", p->scope), id(p->innermost_loop);
    printf(",\"unsequenced\":[");
    for (i = 0; i < p->unsequenced_count; i++) {
        comma(i);
        printf("[%" PRIu32 ",%" PRIu32 "]", p->unsequenced[i].group, p->unsequenced[i].operand);
    }
    printf("]}");
}

static void scope(const hm_scope *s) {
    static const char *const kinds[] = {"function", "block", "loop", "branch", "arm"};
    printf("{\"kind\":"), word(kinds, s->kind);
    printf(",\"parent\":"), id(s->parent);
    if (s->kind == HM_SCOPE_LOOP) printf(",\"loop\":"), id(s->id);
    if (s->kind == HM_SCOPE_ARM) printf(",\"arm\":%" PRIu32, s->id);
    printf(",\"line\":%" PRIu32 ",\"end_line\":%" PRIu32 "}", s->line, s->end_line);
}

static void function(const hm_function *f) {
    static const char *const confidences[] = {"clean", "repaired", "partial"};
    static const char *const readings[] = {"as_written", "preprocessed", "exactly"};
    size_t i;
    printf("{\"name\":"), text(f->name);
    printf(",\"linkage_name\":"), maybe_text(f->linkage_name);
    printf(",\"file\":%" PRIu32 ",\"is_static\":%s,\"span\":", f->file, f->is_static ? "true" : "false"), span(f->span);
    printf(",\"confidence\":"), word(confidences, f->confidence);
    printf(",\"confidence_reason\":"), maybe_text(f->confidence_reason);
    printf(",\"reading\":"), word(readings, f->reading);
    printf(",\"points\":[");
    for (i = 0; i < f->point_count; i++) comma(i), point(&f->points[i]);
    printf("],\"edges\":[");
    for (i = 0; i < f->edge_count; i++) {
        comma(i);
        printf("[%" PRIu32 ",%" PRIu32 "]", f->edges[i].from, f->edges[i].to);
    }
    printf("],\"scopes\":[");
    for (i = 0; i < f->scope_count; i++) comma(i), scope(&f->scopes[i]);
    printf("],\"loops\":[");
    for (i = 0; i < f->loop_count; i++) comma(i), a_loop(&f->loops[i]);
    printf("]}");
}

static void file_code(hm_file_code file) {
    printf("{\"%s\":%" PRIu32 "}", file.is_other ? "other" : "file", file.index);
}

static void variable(const hm_variable *v) {
    static const char *const instances[] = {"anywhere", "concrete", "inlined"};
    static const char *const encodings[] = {"signed", "unsigned", "float", "address"};
    size_t i;
    printf("{\"instance\":[\"%s\",%" PRIu32 "],\"name\":", instances[v->instance], v->index), text(v->name);
    printf(",\"scope\":[");
    for (i = 0; i < v->scope_count; i++) {
        comma(i);
        printf("[%" PRIu64 ",%" PRIu64 "]", v->scope[i].start, v->scope[i].end);
    }
    printf("],\"locations\":[");
    for (i = 0; i < v->location_count; i++) {
        comma(i);
        printf("[%" PRIu64 ",%" PRIu64 ",", v->locations[i].start, v->locations[i].end);
        hex(v->locations[i].expression.bytes, v->locations[i].expression.length);
        putchar(']');
    }
    printf("],\"path\":[");
    for (i = 0; i < v->path_count; i++) {
        comma(i);
        if (v->path[i].follows) printf("\"deref\"");
        else printf("%" PRIu64, v->path[i].offset);
    }
    printf("],\"encoding\":[\"%s\",%u]}", encodings[v->encoding], v->size);
}

static void inlined(const hm_inline *each) {
    printf("{\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"parent\":", each->start, each->end), id(each->parent);
    printf(",\"function\":"), id(each->function);
    printf(",\"name\":"), text(each->name);
    printf(",\"call\":["), file_code(each->call_file);
    printf(",%" PRIu32 ",%" PRIu32 "]}", each->call_line, each->call_column);
}

static void row(const hm_row *r) {
    printf("[%" PRIu64 ",%" PRIu64 ",", r->start, r->end), file_code(r->file);
    printf(",%" PRIu32 ",%" PRIu32 ",%s]", r->line, r->column, r->is_statement ? "true" : "false");
}

static void binding(const hm_binding *b) {
    size_t i, n;
    printf("{\"build_id\":"), hex(b->build_id.bytes, b->build_id.length);
    printf(",\"text_hash\":"), hex(b->text_hash, sizeof b->text_hash);
    printf(",\"executable\":"), text(b->executable);
    printf(",\"producer\":"), text(b->producer);
    printf(",\"other_files\":[");
    for (i = 0; i < b->other_file_count; i++) comma(i), text(b->other_files[i]);
    printf("],\"rows\":[");
    for (i = 0; i < b->row_count; i++) comma(i), row(&b->rows[i]);
    printf("],\"functions\":[");
    for (i = 0; i < b->function_count; i++) {
        const hm_bound_function *f = &b->functions[i];
        comma(i);
        printf("{\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"function\":", f->start, f->end), id(f->function);
        printf(",\"name\":"), text(f->name);
        printf(",\"frame_base\":"), hex(f->frame_base.bytes, f->frame_base.length);
        printf(",\"optimised\":%s}", f->is_optimised ? "true" : "false");
    }
    printf("],\"inlines\":[");
    for (i = 0; i < b->inline_count; i++) comma(i), inlined(&b->inlines[i]);
    printf("],\"variables\":[");
    for (i = 0; i < b->variable_count; i++) comma(i), variable(&b->variables[i]);
    printf("],\"calls\":[");
    for (i = 0; i < b->call_count; i++) {
        const hm_bound_call *call = &b->calls[i];
        comma(i);
        printf("{\"return_address\":%" PRIu64 ",\"callees\":[", call->return_address);
        for (n = 0; n < call->callee_count; n++) comma(n), id(call->callees[n]);
        printf("],\"passed\":[");
        for (n = 0; n < call->passed_count; n++) {
            comma(n);
            printf("[%u,", call->passed[n].dwarf_register);
            hex(call->passed[n].expression.bytes, call->passed[n].expression.length);
            putchar(']');
        }
        printf("]}");
    }
    printf("],\"merges\":[");
    for (i = 0; i < b->merge_count; i++) {
        const hm_merge *merge = &b->merges[i];
        comma(i);
        printf("{\"function\":%" PRIu32 ",\"shown\":%" PRIu32 ",\"other\":%" PRIu32 ",\"return_address\":", merge->function,
               merge->shown, merge->other);
        if (merge->return_address) printf("%" PRIu64 "}", merge->return_address);
        else printf("null}");
    }
    printf("],\"mpi_calls\":[");
    for (i = 0; i < b->mpi_call_count; i++) {
        const hm_bound_mpi_call *call = &b->mpi_calls[i];
        comma(i);
        printf("{\"return_address\":%" PRIu64 ",\"arguments\":[", call->return_address);
        for (n = 0; n < call->argument_count; n++) {
            comma(n);
            printf("[%u,", call->arguments[n].index);
            hex(call->arguments[n].expression.bytes, call->arguments[n].expression.length);
            putchar(']');
        }
        printf("]}");
    }
    printf("]}");
}

static void local(hm_text name, uint32_t line) {
    printf("{\"base\":\"local\",\"name\":"), text(name);
    printf(",\"line\":%" PRIu32 ",\"steps\":[]}", line);
}

static void whole(const hm_map *map) {
    static const char *const severities[] = {"note", "warning", "error"};
    size_t i, n;
    printf("{\"version\":%d,\"files\":[", HM_VERSION);
    for (i = 0; i < map->file_count; i++) {
        comma(i);
        printf("{\"path\":"), text(map->files[i].path);
        printf(",\"hash\":"), hex(map->files[i].hash, sizeof map->files[i].hash);
        putchar('}');
    }
    printf("],\"functions\":[");
    for (i = 0; i < map->function_count; i++) comma(i), function(&map->functions[i]);
    printf("],\"diagnostics\":[");
    for (i = 0; i < map->diagnostic_count; i++) {
        const hm_diagnostic *d = &map->diagnostics[i];
        comma(i);
        printf("{\"severity\":"), word(severities, d->severity);
        printf(",\"subject\":"), text(d->subject);
        printf(",\"message\":"), text(d->message);
        printf(",\"span\":"), span(d->span);
        putchar('}');
    }
    printf("],\"mpi_calls\":[");
    for (i = 0; i < map->mpi_call_count; i++) {
        const hm_mpi_call *call = &map->mpi_calls[i];
        comma(i);
        printf("{\"function\":%" PRIu32 ",\"point\":%" PRIu32 ",\"arguments\":[", call->function, call->point);
        for (n = 0; n < call->argument_count; n++) {
            const hm_argument *argument = &call->arguments[n];
            comma(n);
            printf("{\"index\":%u,\"text\":", argument->index), text(argument->text);
            printf(",\"term\":"), term(&argument->term);
            printf(",\"settled\":%s}", argument->is_settled ? "true" : "false");
        }
        printf("]}");
    }
    printf("],\"handed\":[");
    for (i = 0; i < map->handed_count; i++) {
        const hm_handed *h = &map->handed[i];
        comma(i);
        printf("{\"function\":%" PRIu32 ",\"point\":%" PRIu32 ",\"variable\":", h->function, h->point);
        local(h->variable, h->variable_line);
        printf(",\"callee\":%" PRIu32 ",\"parameter\":", h->callee), local(h->parameter, h->parameter_line);
        putchar('}');
    }
    printf("],\"binding\":");
    if (map->binding_count) binding(&map->bindings[0]);
    else printf("null");
    printf(",\"libraries\":[");
    for (i = 1; i < map->binding_count; i++) comma(i - 1), binding(&map->bindings[i]);
    printf("]}\n");
}

static void at(const hm_map *map, uint64_t address) {
    const hm_binding *b = map->binding_count ? &map->bindings[0] : NULL;
    const hm_row *r = b ? hm_row_at(b, address) : NULL;
    const hm_bound_function *f = b ? hm_function_at(b, address) : NULL;
    const hm_inline *i = b ? hm_inline_at(b, address) : NULL;
    printf("{\"row\":");
    if (r) row(r);
    else printf("null");
    printf(",\"function\":");
    if (f) text(f->name);
    else printf("null");
    printf(",\"inline\":");
    if (i) inlined(i);
    else printf("null");
    printf("}\n");
}

static unsigned char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    size_t room = 0, got;
    *length = 0;
    if (!file) return NULL;
    do {
        room = room ? 2 * room : 1 << 16;
        bytes = (unsigned char *)realloc(bytes, room);
        if (!bytes) break;
        got = fread(bytes + *length, 1, room - *length, file);
        *length += got;
    } while (*length == room);
    fclose(file);
    return bytes;
}

static int each(const unsigned char *bytes, size_t length) {
    while (length >= 4) {
        size_t one = (size_t)bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
        const char *why;
        unsigned char *copy;
        hm_map *map;
        if (one > length - 4) return 2;
        /* A block of its own: what is read beyond its end is noticed. */
        copy = (unsigned char *)malloc(one ? one : 1);
        if (!copy) return 2;
        memcpy(copy, bytes + 4, one);
        map = hm_read(copy, one, 0, &why);
        free(copy);
        if (map) whole(map);
        else printf("\"%s\"\n", why);
        hm_free(map);
        bytes += 4 + one;
        length -= 4 + one;
    }
    return length ? 2 : 0;
}

int main(int count, char **words) {
    const char *why;
    unsigned char *bytes;
    size_t length;
    hm_map *map;
    int is_each = count == 3 && !strcmp(words[1], "--each"), i, status = 0;
    if (count < 2) {
        fprintf(stderr, "usage: map_to_json FILE [ADDRESS...]\n");
        return 2;
    }
    bytes = read_file(words[is_each ? 2 : 1], &length);
    if (!bytes) {
        fprintf(stderr, "%s: cannot be read\n", words[is_each ? 2 : 1]);
        return 2;
    }
    if (is_each) {
        status = each(bytes, length);
        free(bytes);
        return status;
    }
    map = hm_read(bytes, length, 0, &why);
    free(bytes);
    if (!map) {
        fprintf(stderr, "%s: %s\n", words[1], why);
        return 2;
    }
    if (count == 2) whole(map);
    for (i = 2; i < count; i++) at(map, strtoull(words[i], NULL, 0));
    hm_free(map);
    return 0;
}
