/* The gcc plugin of hindmost: while a file is compiled, what gcc's front end has understood of it goes into the object file, as a fragment of the map.

   It looks at each function when the front end is done with it, before anything is lowered or optimised: then conditions, loops and jumps are still
   those of the source, every name has its declaration and every node its place. What it sees is the same at every -O. It only reads; what the
   compiler makes is what it makes without it, but for one more section that no program loads.

   Whatever goes wrong costs the fragment: one note, and the build goes on. With -fplugin-arg-NAME-strict it is an error. */
#include "gcc-plugin.h"
#include "plugin-version.h"
#include "tree.h"
#include "cp/cp-tree.h"
#include "tree-iterator.h"
#include "stringpool.h"
#include "attribs.h"
#include "hash-map.h"
#include "hash-set.h"
#include "vec.h"
#include "langhooks.h"
#include "output.h"
#include "options.h"
#include "flags.h"
#include "real.h"
#include "function.h"
#include "diagnostic-core.h"
#include "cpplib.h"
#include "toplev.h"
#include "basic-block.h"
#include "cgraph.h"
#include "tree-dfa.h"

extern "C" {
#include "hindmost_rows.h"
}

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

/* Compilers of other languages do not have these, and must load the plugin all the same. */
extern struct cpp_reader *parse_in __attribute__((weak));
extern const char *type_as_string(tree, int) __attribute__((weak));
extern int uses_template_parms(tree) __attribute__((weak));
extern tree cp_global_trees[CPTI_MAX] __attribute__((weak));

namespace {

/* Deeper trees are not followed: gcc itself recurses over them, too. */
const int DEEPEST = 5000;

bool is_strict = false;
hindmost_language language = HINDMOST_C;
bool is_cxx = false;
bool is_fortran = false;
/* Trouble has been told; nothing is read any more. */
bool has_given_up = false;
hindmost_compilation *compilation = NULL;

hash_map<tree, uint32_t> *row_of_tree;
hash_map<tree, uint32_t> *row_of_type;
/* The members of all types that have been read. */
hash_set<tree> *known_members;
/* Those that functions of C++ name, some of them before their class has ended. */
hash_set<tree> *used_members;
/* Of Fortran: the variables that procedures within the one that declares them name. */
hash_set<tree> *seen_from_within;
/* Of Fortran: the procedure that is read. */
tree current = NULL_TREE;
/* What the front end of Fortran does with a file. */
void (*parse_fortran)(void) = NULL;
auto_vec<hindmost_row> rows;
auto_vec<uint32_t> operands;
auto_vec<hindmost_type> types;
auto_vec<const char *> files;
auto_vec<char *> texts;
uint32_t last_file = HINDMOST_NOTHING;

void give_up(const char *why)
{
    if (has_given_up)
        return;
    has_given_up = true;
    if (is_strict)
        error_at(UNKNOWN_LOCATION, "hindmost: no fragment of the map: %s", why);
    else /* No warning, which -Werror would make an error of. */
        inform(UNKNOWN_LOCATION, "hindmost: no fragment of the map: %s", why);
}

void check(int trouble)
{
    if (trouble)
        give_up(hindmost_compilation_trouble(compilation));
}

void clear()
{
    row_of_tree->empty();
    row_of_type->empty();
    rows.truncate(0);
    operands.truncate(0);
    types.truncate(0);
    for (unsigned at = 0; at < texts.length(); at++)
        free(texts[at]);
    texts.truncate(0);
}

hindmost_rows all()
{
    hindmost_rows found = { rows.address(), rows.length(), operands.address(), operands.length(),
                            types.address(), types.length(), files.address(), files.length() };
    return found;
}

uint32_t file_of(const char *name)
{
    if (!name)
        return HINDMOST_NOTHING;
    if (last_file != HINDMOST_NOTHING && files[last_file] == name)
        return last_file;
    for (last_file = 0; last_file < files.length(); last_file++)
        if (files[last_file] == name || !strcmp(files[last_file], name))
            return last_file;
    files.safe_push(name);
    return last_file;
}

void put_place(hindmost_row &row, location_t at)
{
    row.file = HINDMOST_NOTHING;
    if (at == UNKNOWN_LOCATION || LOCATION_LOCUS(at) <= BUILTINS_LOCATION)
        return;
    expanded_location caret = expand_location(at);
    location_t start_at = get_start(at), end_at = get_finish(at);
    expanded_location start = start_at == at ? caret : expand_location(start_at);
    expanded_location end = end_at == at ? caret : expand_location(end_at);
    /* Of what was made out of several trees gcc may know where it is and not where it begins. */
    if (!start.line)
        start = caret;
    row.file = file_of(caret.file);
    row.line = caret.line;
    row.column = caret.column;
    row.start_line = start.line;
    row.start_column = start.column;
    row.end_line = end.line;
    row.end_column = end.column;
    if (linemap_location_from_macro_expansion_p(line_table, LOCATION_LOCUS(start_at)))
        row.flags |= HINDMOST_IN_MACRO;
}

/* A text that lives as long as the rows. */
const char *kept(char *text)
{
    texts.safe_push(text);
    return text;
}

/* Whether a header of the system, or the compiler, declares something. */
bool is_standard(tree declared)
{
    location_t at = DECL_SOURCE_LOCATION(declared);
    return at <= BUILTINS_LOCATION || in_system_header_at(at);
}

/* The name of a class of C++, empty if it has none. */
const char *name_of_class(tree type)
{
    tree named = TYPE_NAME(TYPE_MAIN_VARIANT(type));
    if (named && TREE_CODE(named) == TYPE_DECL)
        named = DECL_NAME(named);
    /* The compiler's own names begin with what no name of the source does. */
    if (!named || TREE_CODE(named) != IDENTIFIER_NODE || !ISIDST(IDENTIFIER_POINTER(named)[0]))
        return "";
    return IDENTIFIER_POINTER(named);
}

/* The namespaces and classes around something, in Fortran the module and the procedures, outermost first; null if there are none. */
const char *scope_of(tree context)
{
    char *scope = NULL;
    while (context && TREE_CODE(context) != TRANSLATION_UNIT_DECL) {
        const char *name = "";
        if (TYPE_P(context))
            name = name_of_class(context);
        else if ((TREE_CODE(context) == NAMESPACE_DECL || is_fortran) && DECL_NAME(context))
            name = IDENTIFIER_POINTER(DECL_NAME(context));
        if (*name && strcmp(name, "::")) {
            char *longer = scope ? concat(name, "::", scope, NULL) : xstrdup(name);
            free(scope);
            scope = longer;
        }
        context = TYPE_P(context) ? TYPE_CONTEXT(context) : DECL_CONTEXT(context);
    }
    return scope ? kept(scope) : NULL;
}

uint32_t put_type(tree type, int depth)
{
    if (!type || type == error_mark_node || depth > 64)
        return HINDMOST_NOTHING;
    if (uint32_t *known = row_of_type->get(type))
        return *known;
    hindmost_type row = {};
    row.code = TREE_CODE(type);
    row.inner = HINDMOST_NOTHING;
    row.size = -1;
    if (TYPE_QUALS(type) & TYPE_QUAL_CONST)
        row.flags |= HINDMOST_CONST;
    if (TYPE_QUALS(type) & TYPE_QUAL_ATOMIC)
        row.flags |= HINDMOST_ATOMIC;
    switch (TREE_CODE(type)) {
    case INTEGER_TYPE:
    case ENUMERAL_TYPE:
    case BOOLEAN_TYPE:
    case REAL_TYPE:
        row.bits = TYPE_PRECISION(type);
        if (TREE_CODE(type) != REAL_TYPE && TYPE_UNSIGNED(type))
            row.flags |= HINDMOST_UNSIGNED;
        break;
    case POINTER_TYPE:
    case REFERENCE_TYPE:
    case ARRAY_TYPE:
        row.inner = put_type(TREE_TYPE(type), depth + 1);
        break;
    case RECORD_TYPE:
    case UNION_TYPE:
        if (is_cxx && TYPE_STUB_DECL(TYPE_MAIN_VARIANT(type)) && !is_standard(TYPE_STUB_DECL(TYPE_MAIN_VARIANT(type))))
            row.name = name_of_class(type);
        break;
    default:
        break;
    }
    tree size = TYPE_SIZE_UNIT(type);
    if (size && tree_fits_shwi_p(size))
        row.size = tree_to_shwi(size);
    uint32_t id = types.length();
    types.safe_push(row);
    row_of_type->put(type, id);
    return id;
}

uint32_t put(tree t, int depth);

/* Whether something is read that stands there. */
bool is_asked(location_t at)
{
    return !has_given_up && at > BUILTINS_LOCATION && !in_system_header_at(at);
}

/* Adds a row with these operands. */
uint32_t push(hindmost_row &row, const vec<uint32_t> &own)
{
    row.first = operands.length();
    row.count = own.length();
    for (unsigned at = 0; at < own.length(); at++)
        operands.safe_push(own[at]);
    rows.safe_push(row);
    return rows.length() - 1;
}

/* The name of a function of C++ as the source has it: the compiler has its own for constructors and conversions. */
const char *name_of_function(tree t)
{
    if (DECL_CONSTRUCTOR_P(t))
        return name_of_class(DECL_CONTEXT(t));
    if (DECL_DESTRUCTOR_P(t))
        return kept(concat("~", name_of_class(DECL_CONTEXT(t)), NULL));
    if (IDENTIFIER_CONV_OP_P(DECL_NAME(t)))
        return kept(concat("operator ", type_as_string(DECL_CONV_FN_TYPE(t), TFF_PLAIN_IDENTIFIER), NULL));
    return IDENTIFIER_POINTER(DECL_NAME(t));
}

void put_declaration_of_cxx(hindmost_row &row, tree t)
{
    tree context = DECL_CONTEXT(t);
    bool in_class = context && TYPE_P(context);
    if (context && (TREE_CODE(context) == NAMESPACE_DECL || (TREE_CODE(t) == VAR_DECL && in_class)))
        row.flags |= HINDMOST_FILE_SCOPE;
    if (TREE_CODE(t) != FUNCTION_DECL)
        return;
    if (is_standard(t))
        row.flags |= HINDMOST_STANDARD;
    row.scope = scope_of(context);
    if (DECL_NAME(t) && DECL_LANG_SPECIFIC(t))
        row.name = name_of_function(t);
    if (TREE_CODE(TREE_TYPE(t)) == METHOD_TYPE)
        row.flags |= HINDMOST_METHOD;
    if (DECL_VIRTUAL_P(t))
        row.flags |= HINDMOST_VIRTUAL;
}

/* The function that a call through a pointer to a class names: those that override it have its name. */
tree virtual_function(tree reference)
{
    tree type = obj_type_ref_class(reference);
    if (!type || !TYPE_BINFO(type) || !tree_fits_uhwi_p(OBJ_TYPE_REF_TOKEN(reference)))
        return NULL_TREE;
    tree each = BINFO_VIRTUALS(TYPE_BINFO(type));
    for (unsigned HOST_WIDE_INT at = tree_to_uhwi(OBJ_TYPE_REF_TOKEN(reference)); each && at > 0; at--)
        each = TREE_CHAIN(each);
    tree function = each ? TREE_VALUE(each) : NULL_TREE;
    return function && TREE_CODE(function) == FUNCTION_DECL ? function : NULL_TREE;
}

/* The arguments, the first at the lowest bit, that a procedure of Fortran only reads: `intent(in)` of what no pointer leads to. */
int64_t arguments_only_read(tree function)
{
    tree said = lookup_attribute("fn spec", TYPE_ATTRIBUTES(TREE_TYPE(function)));
    if (!said)
        return 0;
    /* Two letters for the result, and two for each argument. */
    tree text = TREE_VALUE(TREE_VALUE(said));
    const char *letters = TREE_STRING_POINTER(text);
    int64_t found = 0;
    for (int at = 2; at + 1 < TREE_STRING_LENGTH(text) && at / 2 - 1 < 63; at += 2)
        if (letters[at] == 'r' || letters[at] == 'R')
            found |= (int64_t) 1 << (at / 2 - 1);
    return found;
}

/* Names a variable of a module by its symbol, `__module_MOD_name`: where the module is used, its declaration has no context. What is bound to C
   has the name that it has there. */
void put_symbol_of_fortran(hindmost_row &row, tree variable)
{
    row.flags |= HINDMOST_FILE_SCOPE;
    if (!DECL_ASSEMBLER_NAME_SET_P(variable))
        return;
    const char *symbol = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(variable));
    if (*symbol == '*')
        symbol++;
    const char *joint = "_MOD_";
    size_t own = strlen(joint) + strlen(row.name), all = strlen(symbol);
    bool in_module = all > own + 2 && !strncmp(symbol, "__", 2) && !strncmp(symbol + all - own, joint, strlen(joint))
                     && !strcmp(symbol + all - strlen(row.name), row.name);
    if (in_module)
        row.scope = kept(xstrndup(symbol + 2, all - own - 2));
    else
        row.name = symbol;
}

void put_declaration_of_fortran(hindmost_row &row, tree t)
{
    tree context = DECL_CONTEXT(t);
    bool in_module = context && TREE_CODE(context) == NAMESPACE_DECL;
    if (TREE_CODE(t) == FUNCTION_DECL)
        row.scope = scope_of(context);
    else if (row.name && VAR_P(t) && (in_module || DECL_EXTERNAL(t)))
        put_symbol_of_fortran(row, t);
    if (TREE_CODE(t) == FUNCTION_DECL) {
        row.value = arguments_only_read(t);
        row.flags |= HINDMOST_HAS_VALUE;
    }
    if (VAR_P(t) || TREE_CODE(t) == PARM_DECL) {
        if (seen_from_within->contains(t))
            row.flags |= HINDMOST_ADDRESSABLE;
        if (context && TREE_CODE(context) == FUNCTION_DECL && context != current)
            row.flags |= HINDMOST_OUTER;
    }
}

void put_declaration(hindmost_row &row, tree t)
{
    if (DECL_NAME(t))
        row.name = IDENTIFIER_POINTER(DECL_NAME(t));
    if (is_cxx)
        put_declaration_of_cxx(row, t);
    if (is_fortran)
        put_declaration_of_fortran(row, t);
    if (DECL_ARTIFICIAL(t))
        row.flags |= HINDMOST_ARTIFICIAL;
    tree context = DECL_CONTEXT(t);
    if (!context || TREE_CODE(context) == TRANSLATION_UNIT_DECL)
        row.flags |= HINDMOST_FILE_SCOPE;
    if (TREE_CODE(t) == VAR_DECL || TREE_CODE(t) == FUNCTION_DECL) {
        if (TREE_STATIC(t))
            row.flags |= HINDMOST_STATIC;
        if (DECL_EXTERNAL(t))
            row.flags |= HINDMOST_EXTERNAL;
        if (TREE_PUBLIC(t))
            row.flags |= HINDMOST_PUBLIC;
    }
    /* Fortran gives every argument by its address. */
    if (!is_fortran && TREE_CODE(t) != FIELD_DECL && TREE_CODE(t) != LABEL_DECL && TREE_ADDRESSABLE(t))
        row.flags |= HINDMOST_ADDRESSABLE;
    if (TREE_CODE(t) == VAR_DECL && lookup_attribute("cleanup", DECL_ATTRIBUTES(t)))
        row.flags |= HINDMOST_CLEANUP;
    if (TREE_CODE(t) == FUNCTION_DECL) {
        tree attributes = DECL_ATTRIBUTES(t);
        if (lookup_attribute("constructor", attributes) || lookup_attribute("destructor", attributes))
            row.flags |= HINDMOST_CONSTRUCTOR;
        if (lookup_attribute("alias", attributes) || lookup_attribute("ifunc", attributes) || lookup_attribute("weakref", attributes))
            row.flags |= HINDMOST_ALIAS;
        if (!is_fortran && context && TREE_CODE(context) == FUNCTION_DECL && DECL_STRUCT_FUNCTION(t))
            row.flags |= HINDMOST_NESTED;
    }
    if (TREE_CODE(t) == FIELD_DECL && DECL_BIT_FIELD_TYPE(t) && DECL_SIZE(t) && tree_fits_shwi_p(DECL_SIZE(t))) {
        row.flags |= HINDMOST_BIT_FIELD;
        row.value = tree_to_shwi(DECL_SIZE(t));
    }
}

/* Whether a class of the source declares a member: no lambda's, nor one that a template has made. */
bool is_declared_member(tree member)
{
    tree type = DECL_CONTEXT(member);
    return !DECL_ARTIFICIAL(member) && type && CLASS_TYPE_P(type) && !CLASSTYPE_TEMPLATE_INFO(type) && *name_of_class(type);
}

/* What C++ alone has. Whether all of the tree is read then. */
bool put_of_cxx(hindmost_row &row, tree t, vec<uint32_t> &own, int depth)
{
    switch ((int) TREE_CODE(t)) {
    case AGGR_INIT_EXPR:
        if (AGGR_INIT_VIA_CTOR_P(t))
            row.flags |= HINDMOST_CONSTRUCTS;
        own.safe_push(put(AGGR_INIT_EXPR_FN(t), depth + 1));
        for (int at = 0; at < aggr_init_expr_nargs(t); at++)
            own.safe_push(put(AGGR_INIT_EXPR_ARG(t, at), depth + 1));
        return true;
    case MODIFY_EXPR:
    case INIT_EXPR: {
        /* The end of an object's life, and its table of virtual functions: the source has neither. */
        tree target = TREE_OPERAND(t, 0), value = TREE_OPERAND(t, 1);
        bool is_table = TREE_CODE(target) == COMPONENT_REF && DECL_VIRTUAL_P(TREE_OPERAND(target, 1));
        if (!is_table && !(value && TREE_CLOBBER_P(value)))
            return false;
        row.code = VOID_CST;
        return true;
    }
    case CLEANUP_STMT:
        if (CLEANUP_EH_ONLY(t))
            row.flags |= HINDMOST_EH_ONLY;
        return false;
    case TARGET_EXPR:
        if (CLEANUP_EH_ONLY(t))
            row.flags |= HINDMOST_EH_ONLY;
        return false;
    case VAR_DECL:
        /* What a lambda has captured, a part of a structured binding. */
        if (DECL_HAS_VALUE_EXPR_P(t))
            own.safe_push(put(DECL_VALUE_EXPR(t), depth + 1));
        return true;
    default:
        return false;
    }
}

/* What Fortran alone has: a variable that stands for a part of another one (in `common`, of an array's descriptor), and constants that are handed over
   by their address. */
bool put_of_fortran(hindmost_row &row, tree t, vec<uint32_t> &own, int depth)
{
    if (!VAR_P(t))
        return false;
    if (DECL_HAS_VALUE_EXPR_P(t)) {
        row.flags |= HINDMOST_STANDS_FOR;
        own.safe_push(put(DECL_VALUE_EXPR(t), depth + 1));
    } else if (TREE_READONLY(t) && DECL_ARTIFICIAL(t) && DECL_INITIAL(t)) {
        row.flags |= HINDMOST_STANDS_FOR;
        own.safe_push(put(DECL_INITIAL(t), depth + 1));
    }
    return true;
}

/* The row of a tree. Each tree has one, wherever it stands: what is shared is seen to be shared. */
uint32_t put(tree t, int depth)
{
    if (!t || TYPE_P(t) || TREE_CODE(t) == IDENTIFIER_NODE || TREE_CODE(t) == TREE_LIST || TREE_CODE(t) == OMP_CLAUSE)
        return HINDMOST_NOTHING;
    if (uint32_t *known = row_of_tree->get(t))
        return *known;
    hindmost_row row = {};
    row.code = TREE_CODE(t);
    row.type = HINDMOST_NOTHING;
    row.file = HINDMOST_NOTHING;
    if (depth > DEEPEST) {
        row.code = ERROR_MARK;
        return push(row, vNULL);
    }
    if (CODE_CONTAINS_STRUCT(TREE_CODE(t), TS_TYPED) && TREE_TYPE(t))
        row.type = put_type(TREE_TYPE(t), 0);
    if (EXPR_P(t))
        put_place(row, EXPR_LOCATION(t));
    else if (DECL_P(t))
        put_place(row, DECL_SOURCE_LOCATION(t));
    auto_vec<uint32_t, 8> own;
    switch (TREE_CODE(t)) {
    case INTEGER_CST:
        if (tree_fits_shwi_p(t) || tree_fits_uhwi_p(t)) {
            row.flags |= HINDMOST_HAS_VALUE;
            row.value = (int64_t) TREE_INT_CST_LOW(t);
        }
        break;
    case REAL_CST: {
        char text[64];
        real_to_decimal(text, TREE_REAL_CST_PTR(t), sizeof text, 0, 1);
        texts.safe_push(xstrdup(text));
        row.name = texts.last();
        break;
    }
    case STATEMENT_LIST:
        for (tree_stmt_iterator i = tsi_start(t); !tsi_end_p(i); tsi_next(&i)) {
            tree_code code = TREE_CODE(tsi_stmt(i));
            if (code != DEBUG_BEGIN_STMT && code != PREDICT_EXPR)
                own.safe_push(put(tsi_stmt(i), depth + 1));
        }
        break;
    case CONSTRUCTOR: {
        unsigned HOST_WIDE_INT at;
        tree value;
        FOR_EACH_CONSTRUCTOR_VALUE(CONSTRUCTOR_ELTS(t), at, value)
            own.safe_push(put(value, depth + 1));
        break;
    }
    case TREE_VEC:
        for (int at = 0; at < TREE_VEC_LENGTH(t); at++)
            own.safe_push(put(TREE_VEC_ELT(t, at), depth + 1));
        break;
    case BIND_EXPR:
        own.safe_push(put(BIND_EXPR_BODY(t), depth + 1));
        for (tree each = is_fortran ? BIND_EXPR_VARS(t) : NULL_TREE; each; each = DECL_CHAIN(each))
            if (VAR_P(each) && !DECL_ARTIFICIAL(each) && !DECL_EXTERNAL(each) && !DECL_HAS_VALUE_EXPR_P(each))
                own.safe_push(put(each, depth + 1));
        break;
    case DECL_EXPR: {
        tree declared = DECL_EXPR_DECL(t);
        own.safe_push(put(declared, depth + 1));
        if (TREE_CODE(declared) == VAR_DECL && !DECL_EXTERNAL(declared) && DECL_INITIAL(declared))
            own.safe_push(put(DECL_INITIAL(declared), depth + 1));
        break;
    }
    case CALL_EXPR: {
        tree called = CALL_EXPR_FN(t);
        if (is_cxx && called && TREE_CODE(called) == OBJ_TYPE_REF)
            if (tree function = virtual_function(called))
                called = function;
        own.safe_push(put(called, depth + 1));
        for (int at = 0; at < call_expr_nargs(t); at++)
            own.safe_push(put(CALL_EXPR_ARG(t, at), depth + 1));
        break;
    }
    case ASM_EXPR:
        break;
    default:
        /* What a precompiled header declares no event has told of: whether it is a union, which functions there are. */
        if (!is_fortran && TREE_CODE(t) == FIELD_DECL && is_asked(DECL_SOURCE_LOCATION(t)) && !known_members->contains(t)) {
            if (!is_cxx)
                give_up("a type comes from a precompiled header");
            else if (is_declared_member(t))
                used_members->add(t);
        }
        if (DECL_P(t))
            put_declaration(row, t);
        if (is_cxx && put_of_cxx(row, t, own, depth))
            break;
        if (is_fortran && put_of_fortran(row, t, own, depth))
            break;
        if (EXPR_P(t))
            for (int at = 0; at < TREE_OPERAND_LENGTH(t); at++)
                own.safe_push(put(TREE_OPERAND(t, at), depth + 1));
        break;
    }
    uint32_t id = push(row, own);
    row_of_tree->put(t, id);
    return id;
}

/* The front end has read a whole function. */
void on_function(void *event, void *)
{
    tree function = (tree) event;
    if (!is_asked(DECL_SOURCE_LOCATION(function)) || !DECL_SAVED_TREE(function))
        return;
    /* What the compiler has made stands nowhere in the source; of a constructor it makes several. */
    if (is_cxx && (!DECL_LANG_SPECIFIC(function) || (DECL_ARTIFICIAL(function) && !LAMBDA_FUNCTION_P(function))
                   || DECL_DEFAULTED_FN(function) || DECL_CLONED_FUNCTION_P(function)))
        return;
    clear();
    hindmost_function head = {};
    head.declaration = put(function, 0);
    auto_vec<uint32_t, 8> parameters;
    for (tree each = DECL_ARGUMENTS(function); each; each = DECL_CHAIN(each))
        parameters.safe_push(put(each, 0));
    head.body = put(DECL_SAVED_TREE(function), 0);
    head.returns = put_type(TREE_TYPE(TREE_TYPE(function)), 0);
    head.first = operands.length();
    head.count = parameters.length();
    for (unsigned at = 0; at < parameters.length(); at++)
        operands.safe_push(parameters[at]);
    if (struct function *body = DECL_STRUCT_FUNCTION(function)) {
        expanded_location end = expand_location(body->function_end_locus);
        head.end_line = end.line;
        head.end_column = end.column;
    }
    hindmost_rows found = all();
    check(hindmost_compilation_function(compilation, &found, &head));
}

void on_declaration(void *event, void *);

/* Notes the variables of other procedures that one names. */
tree note_outer(tree *at, int *, void *within)
{
    if (VAR_P(*at) && DECL_HAS_VALUE_EXPR_P(*at)) {
        tree whole = DECL_VALUE_EXPR(*at);
        walk_tree_without_duplicates(&whole, note_outer, within);
    }
    if ((VAR_P(*at) || TREE_CODE(*at) == PARM_DECL) && DECL_CONTEXT(*at) && TREE_CODE(DECL_CONTEXT(*at)) == FUNCTION_DECL
        && DECL_CONTEXT(*at) != (tree) within)
        seen_from_within->add(*at);
    return NULL_TREE;
}

/* The front end of Fortran has no event for a function: it reads the file, and then all of them are there, not yet lowered. */
void parse_and_read(void)
{
    parse_fortran();
    if (has_given_up || seen_error())
        return;
    symtab_node *node;
    FOR_EACH_SYMBOL(node)
        if (TREE_CODE(node->decl) == FUNCTION_DECL && DECL_SAVED_TREE(node->decl))
            walk_tree_without_duplicates(&DECL_SAVED_TREE(node->decl), note_outer, node->decl);
    FOR_EACH_SYMBOL(node) {
        if (has_given_up)
            break;
        if (TREE_CODE(node->decl) == FUNCTION_DECL) {
            current = node->decl;
            on_function(node->decl, NULL);
        } else
            on_declaration(node->decl, NULL);
    }
    current = NULL_TREE;
}

/* The front end has read the declaration of something. */
void on_declaration(void *event, void *)
{
    tree declared = (tree) event;
    if (!DECL_P(declared) || !is_asked(DECL_SOURCE_LOCATION(declared)))
        return;
    tree context = DECL_CONTEXT(declared);
    bool at_file_scope = !context || TREE_CODE(context) == TRANSLATION_UNIT_DECL || TREE_CODE(context) == NAMESPACE_DECL || TYPE_P(context);
    if (TREE_CODE(declared) == VAR_DECL && (at_file_scope || DECL_EXTERNAL(declared))) {
        clear();
        uint32_t row = put(declared, 0);
        tree initial = DECL_INITIAL(declared);
        uint32_t value = initial && initial != error_mark_node ? put(initial, 0) : HINDMOST_NOTHING;
        hindmost_rows found = all();
        check(hindmost_compilation_variable(compilation, &found, row, value));
    } else if (TREE_CODE(declared) == FUNCTION_DECL && DECL_ATTRIBUTES(declared)) {
        clear();
        uint32_t row = put(declared, 0);
        hindmost_rows found = all();
        check(hindmost_compilation_declared(compilation, &found, row));
    }
}

/* Whether a type without fields of its own name stands inside of another's braces. */
bool stands_in(tree inner, tree outer)
{
    tree of_inner = TYPE_STUB_DECL(inner), of_outer = TYPE_STUB_DECL(outer);
    if (!of_inner || !of_outer)
        return !TYPE_NAME(inner);
    expanded_location there = expand_location(DECL_SOURCE_LOCATION(of_inner));
    expanded_location here = expand_location(DECL_SOURCE_LOCATION(of_outer));
    return there.file && here.file && !strcmp(there.file, here.file)
           && (there.line > here.line || (there.line == here.line && there.column > here.column));
}

void put_members(tree type, bool in_union, int depth, const hindmost_class *of)
{
    auto_vec<uint32_t> members;
    clear();
    for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
        if (TREE_CODE(field) != FIELD_DECL)
            continue;
        known_members->add(field);
        if (DECL_NAME(field))
            members.safe_push(put(field, 0));
    }
    hindmost_rows found = all();
    check(hindmost_compilation_members(compilation, &found, members.address(), members.length(), in_union, of));
    if (!in_union || depth > 64)
        return;
    for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
        tree inner = TREE_CODE(field) == FIELD_DECL ? strip_array_types(TREE_TYPE(field)) : NULL_TREE;
        if (inner && RECORD_OR_UNION_TYPE_P(inner) && stands_in(TYPE_MAIN_VARIANT(inner), TYPE_MAIN_VARIANT(type)))
            put_members(inner, true, depth + 1, of);
    }
}

/* Tells of a class of C++, and of its members. */
void put_class(tree type)
{
    tree binfo = TYPE_BINFO(type);
    hindmost_class head = {};
    head.name = name_of_class(type);
    head.knows_bases = binfo && !uses_template_parms(type);
    head.is_local = decl_function_context(TYPE_NAME(type)) != NULL_TREE;
    auto_vec<const char *> bases;
    tree each;
    for (int at = 0; binfo && BINFO_BASE_ITERATE(binfo, at, each); at++) {
        tree base = BINFO_TYPE(each);
        if (!CLASS_TYPE_P(base))
            head.knows_bases = 0;
        else if (is_standard(TYPE_NAME(TYPE_MAIN_VARIANT(base))))
            head.has_library_base = 1;
        else
            bases.safe_push(name_of_class(base));
    }
    head.bases = bases.address();
    head.base_count = bases.length();
    for (tree member = TYPE_FIELDS(type); member; member = DECL_CHAIN(member))
        if (DECL_DECLARES_FUNCTION_P(member) && DECL_NAME(member) && !strcmp(IDENTIFIER_POINTER(DECL_NAME(member)), "operator->"))
            head.has_arrow = 1;
    clear();
    head.declaration = put(TYPE_NAME(type), 0);
    hindmost_rows found = all();
    check(hindmost_compilation_class(compilation, &found, &head));
    put_members(type, TREE_CODE(type) == UNION_TYPE, 0, &head);
}

/* The front end has read a whole type. */
void on_type(void *event, void *)
{
    tree type = (tree) event;
    if (!type || type == error_mark_node || !RECORD_OR_UNION_TYPE_P(type) || !TYPE_FIELDS(type))
        return;
    if (is_cxx) {
        tree named = TYPE_NAME(type);
        if (named && TREE_CODE(named) == TYPE_DECL && is_asked(DECL_SOURCE_LOCATION(named)))
            put_class(type);
    } else if (is_asked(DECL_SOURCE_LOCATION(TYPE_FIELDS(type))))
        put_members(type, TREE_CODE(type) == UNION_TYPE, 0, NULL);
}

/* Bytes as the text of an assembler's directive. */
void write_bytes(void *, const unsigned char *bytes, size_t count)
{
    const size_t of_line = 256;
    char line[of_line * 4];
    for (size_t at = 0; at < count;) {
        size_t behind = at + of_line < count ? at + of_line : count;
        char *end = line;
        for (; at < behind; at++) {
            unsigned char byte = bytes[at];
            if (byte >= ' ' && byte < 127 && byte != '"' && byte != '\\') {
                *end++ = byte;
                continue;
            }
            /* Always three digits, since a digit may follow. */
            *end++ = '\\';
            *end++ = '0' + (byte >> 6);
            *end++ = '0' + (byte >> 3 & 7);
            *end++ = '0' + (byte & 7);
        }
        fputs("\t.ascii\t\"", asm_out_file);
        fwrite(line, 1, end - line, asm_out_file);
        fputs("\"\n", asm_out_file);
    }
}

bool check_member(const tree &member, void *)
{
    if (!known_members->contains(member))
        give_up("a type comes from a precompiled header");
    return !has_given_up;
}

/* All functions are compiled; the assembler's text is still open. */
void on_end(void *, void *)
{
    if (!has_given_up)
        used_members->traverse<void *, check_member>(NULL);
    if (!has_given_up && !seen_error() && !flag_syntax_only && asm_out_file) {
        if (flag_generate_lto)
            give_up("link-time optimisation leaves out what it does not know; build without -flto, or use hindmost embed");
        else {
            fputs("\t.pushsection\t.hindmost.units,\"MS\",@progbits,1\n", asm_out_file);
            check(hindmost_compilation_finish(compilation, main_input_filename, write_bytes, NULL));
            fputs("\t.popsection\n", asm_out_file);
        }
    }
    hindmost_compilation_free(compilation);
    compilation = NULL;
    has_given_up = true;
}

} // namespace

__attribute__((visibility("default"))) int plugin_init(struct plugin_name_args *info, struct plugin_gcc_version *version)
{
    for (int at = 0; at < info->argc; at++) {
        if (!strcmp(info->argv[at].key, "strict"))
            is_strict = true;
        else
            inform(UNKNOWN_LOCATION, "hindmost: the plugin has no option %qs", info->argv[at].key);
    }
    if (!plugin_default_version_check(version, &gcc_version)) {
        give_up("the plugin was made for another gcc than this one: hindmost plugin makes it for this one");
        return 0;
    }
    if (!strncmp(lang_hooks.name, "GNU C++", 7))
        language = HINDMOST_CXX;
    else if (!strncmp(lang_hooks.name, "GNU Fortran", 11))
        language = HINDMOST_FORTRAN;
    else if (strncmp(lang_hooks.name, "GNU C", 5) != 0) {
        give_up("the plugin reads C, C++ and Fortran");
        return 0;
    }
    is_cxx = language == HINDMOST_CXX;
    is_fortran = language == HINDMOST_FORTRAN;
    if (flag_syntax_only || flag_preprocess_only)
        return 0;
    if (!is_fortran && cpp_get_options(parse_in)->preprocessed) {
        give_up("the source is preprocessed already, so that its columns are not known");
        return 0;
    }
    row_of_tree = new hash_map<tree, uint32_t>;
    row_of_type = new hash_map<tree, uint32_t>;
    known_members = new hash_set<tree>;
    used_members = new hash_set<tree>;
    seen_from_within = new hash_set<tree>;
    auto_vec<const char *> names;
    for (int code = 0; code < MAX_TREE_CODES; code++)
        names.safe_push(get_tree_code_name((tree_code) code));
    compilation = hindmost_compilation_new(names.address(), names.length(), get_src_pwd(), language);
    if (!compilation) {
        give_up("it cannot begin");
        return 0;
    }
    if (is_fortran) {
        parse_fortran = lang_hooks.parse_file;
        lang_hooks.parse_file = parse_and_read;
    } else {
        register_callback(info->base_name, PLUGIN_PRE_GENERICIZE, on_function, NULL);
        register_callback(info->base_name, PLUGIN_FINISH_DECL, on_declaration, NULL);
        register_callback(info->base_name, PLUGIN_FINISH_TYPE, on_type, NULL);
    }
    register_callback(info->base_name, PLUGIN_FINISH_UNIT, on_end, NULL);
    return 0;
}
