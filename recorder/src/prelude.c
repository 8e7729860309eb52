/* The flight recorder of hindmost, for one MPI library. Written by `hindmost recorder`; not to be edited. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process without MPI may be started with this library, a shell that starts the program, say, and another may load MPI later: nothing of MPI has to be there before
 * the program calls it. So Open MPI's handles are looked up when they are needed. */
#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global)                                                                                \
    ({                                                                                                                      \
        static void *known;                                                                                                 \
        void *found = __atomic_load_n(&known, __ATOMIC_RELAXED);                                                            \
        if (!found) {                                                                                                       \
            found = dlsym(RTLD_DEFAULT, #global);                                                                           \
            __atomic_store_n(&known, found, __ATOMIC_RELAXED);                                                              \
        }                                                                                                                   \
        (type)found;                                                                                                        \
    })
#endif

/* As `Call` of the crate runtime-pmpi. */
struct hindmost_call {
    uint32_t operation, does;
    uint64_t communicator;
    uint32_t kind, thread;
    int64_t destination, send_tag, source, receive_tag, count, root, bytes;
    uint64_t reduction, returns_to, row, serial, ordinal, entered, frame, state, sent, wildcard, follows;
};
/* As `Described` there. */
struct hindmost_described {
    uint64_t handle, parent, made_by, ordinal;
    const int *members, *remote, *sources, *destinations;
    uint32_t size, remote_size, kind, by_all, rank, source_count, destination_count, has_neighbours;
};

/* As `layout::does` of the crate recording. */
enum {
    OTHER, SENDS, BUFFERS, RECEIVES, EXCHANGES, PROBES, EVERY_PART, FROM_ROOT, TO_ROOT, PREFIX, COLLECTIVE,
    COMPLETES_ALL, COMPLETES_ONE, ASKS_ALL, ASKS_ONE, ASKS_MESSAGE, EPOCH, HELD, FENCE, LOCKS, SYNCHRONISES
};
enum { DONE, UNANSWERED, FAILED, STARTED };
/* As `follows` of the crate runtime-pmpi. */
enum { NOTHING, NAMED, NOT_YET, NEVER };
enum { COMMUNICATOR, WINDOW, SHARED_FILE, PREPARED };

/* As `Peers` there. */
struct hindmost_peers {
    uint32_t count, is_inter, rank;
};

/* As `NeighbourCounts` there. */
struct hindmost_neighbour_counts {
    uint32_t sources, destinations;
};

void hindmost_open(const char *names, size_t length);
void hindmost_tell(void (*stamp)(uint64_t, uint32_t, uint64_t, uint64_t, int64_t, uint64_t));
void hindmost_stage(uint64_t stage);
void hindmost_begin(void);
void hindmost_world(uint32_t rank, uint32_t size, uint32_t is_spawned);
void hindmost_share(uint32_t is_shared);
uint32_t hindmost_thread(void);
uint32_t hindmost_enter(struct hindmost_call *call, const uint64_t *requests, size_t count);
void hindmost_entered(const struct hindmost_call *call);
void hindmost_leave(const struct hindmost_call *call, uint32_t outcome);
struct hindmost_peers hindmost_peers(const struct hindmost_call *call);
struct hindmost_neighbour_counts hindmost_neighbours(const struct hindmost_call *call);
void hindmost_divide(const struct hindmost_call *call, uint64_t request, const uint64_t *portions, size_t given, size_t taken);
void hindmost_request(const struct hindmost_call *call, uint64_t handle, uint32_t persistent);
void hindmost_take(const struct hindmost_call *call, uint64_t message);
void hindmost_activate(uint64_t handle);
void hindmost_complete(uint64_t handle, int64_t source, int64_t tag);
uint32_t hindmost_cancel(uint64_t handle);
void hindmost_cancelled(uint64_t handle);
void hindmost_free(uint64_t handle);
uint32_t hindmost_is_following(void);
uint64_t hindmost_starts(uint64_t handle, int64_t *source, int64_t *tag);
int hindmost_choice(const struct hindmost_call *call, size_t number);
void hindmost_chose(const struct hindmost_call *call, const int *places, size_t count);
uint32_t hindmost_open_requests(const uint64_t *requests, size_t count);
void hindmost_signal(uint64_t window, uint32_t signal, const int *peers, size_t count);
void hindmost_signal_epoch(uint64_t window, uint32_t of, uint32_t signal);
void hindmost_epoch(const struct hindmost_call *call, uint32_t signal, const int *peers, size_t count);
size_t hindmost_epoch_handles(uint64_t window, uint32_t signal, uint64_t *handles, size_t most);
void hindmost_epoch_is_met(uint64_t window, uint32_t signal);
void hindmost_epoch_ends(uint64_t window, uint32_t signal, uint32_t is_met);
void hindmost_lock(uint64_t window, int64_t target, uint32_t how);
void hindmost_unlock(uint64_t window, int64_t target);
void hindmost_communicator(const struct hindmost_described *described);
void hindmost_communicator_freed(uint64_t handle, uint32_t kind);

/* The tracer of calls, where the program is started with it, too: calls of MPI are functions that begin and end, by the addresses of the jumps under their names. */
void hindmost_trace_enters(const void *function) __attribute__((weak));
void hindmost_trace_leaves(const void *function) __attribute__((weak));
void hindmost_trace_stamp(uint64_t time, uint32_t tie, uint64_t communicator, uint64_t peer, int64_t tag, uint64_t ordinal) __attribute__((weak));
extern const void *const hindmost_jumps[] __attribute__((visibility("hidden")));

/* Each function is there under its name for profiling as well: the Fortran layers of the libraries call that one, mostly. What the library has under that name is
 * looked up behind this file, at the first call. */
static inline void *real_of(void **known, const char *name)
{
    void *real = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (!real) {
        real = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, real, __ATOMIC_RELAXED);
    }
    return real;
}
#define REAL(function) ((__typeof__(&function))real_of(&hindmost_real[HINDMOST_##function], "P" #function))

#define EXPORTED __attribute__((visibility("default")))
#define CALL(name, what)                                                                                                    \
    begun(HINDMOST_##name, what, (uint64_t)(uintptr_t)__builtin_return_address(0), (uint64_t)(uintptr_t)__builtin_dwarf_cfa())
#define HANDLE(handle) ((uint64_t)(uintptr_t)(handle))
#define COMM_HANDLE(comm) ((comm) == MPI_COMM_NULL ? 0 : HANDLE(comm))
#define REQUEST_HANDLE(request) ((request) == MPI_REQUEST_NULL ? 0 : HANDLE(request))

/* Each field by itself: a compiler that is given an initialiser clears the whole with an instruction that takes longer to begin than all of these stores. */
static inline __attribute__((always_inline)) struct hindmost_call begun(uint32_t operation, uint32_t does, uint64_t returns_to, uint64_t frame)
{
    struct hindmost_call call;
    call.operation = operation;
    call.does = does;
    call.communicator = 0;
    call.kind = call.thread = 0;
    call.destination = call.send_tag = call.source = call.receive_tag = -1;
    call.count = call.root = call.bytes = 0;
    call.reduction = 0;
    call.returns_to = returns_to;
    call.row = call.serial = call.ordinal = call.entered = 0;
    call.frame = frame;
    call.state = call.sent = call.wildcard = call.follows = 0;
    return call;
}

/* The thread that calls: whether it is in a call of MPI already, for libraries call themselves, and its row. */
static __thread struct {
    uint32_t is_inside, row;
} here __attribute__((tls_model("initial-exec")));

static inline int begins(struct hindmost_call *call, const uint64_t *requests, size_t count)
{
    if (here.is_inside) return 0;
    if (!here.row) here.row = hindmost_thread();
    call->thread = here.row;
    if (!hindmost_enter(call, requests, count)) return 0;
    here.is_inside = 1;
    if (hindmost_trace_enters) {
        hindmost_trace_enters(hindmost_jumps[call->operation]);
        if (hindmost_trace_stamp) hindmost_entered(call);
    }
    return 1;
}

static inline void ends(const struct hindmost_call *call, uint32_t outcome)
{
    here.is_inside = 0;
    /* What the recorder tells the tracer of the end stands behind it. */
    if (hindmost_trace_leaves) hindmost_trace_leaves(hindmost_jumps[call->operation]);
    hindmost_leave(call, outcome);
}

static inline uint32_t outcome_of(int result) { return result == MPI_SUCCESS ? DONE : FAILED; }

static inline int64_t rank_of(int64_t rank)
{
    if (rank == MPI_PROC_NULL) return -2;
    if (rank == MPI_ANY_SOURCE) return -3;
    return rank < 0 ? -2 : rank;
}

static inline int64_t tag_of(int64_t tag) { return tag == MPI_ANY_TAG || tag < 0 ? -1 : tag; }

/* The sizes of types of MPI's own, which never change: some libraries take longer to tell a size than the rest of a call costs here. */
enum { KNOWN_SIZES = 16 };
static __thread struct {
    uint64_t type;
    int64_t size;
} known_sizes[KNOWN_SIZES] __attribute__((tls_model("initial-exec")));

/* The size of a type; negative if it is not known. */
static inline int64_t size_of(MPI_Datatype type)
{
    uint64_t handle = HANDLE(type), slot = (handle * 0x9e3779b97f4a7c15ull) >> 60;
    if (handle && known_sizes[slot].type == handle) return known_sizes[slot].size;
    int size = -1, integers, addresses, types, combiner;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS) return -1;
    if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED) {
        known_sizes[slot].type = handle;
        known_sizes[slot].size = size;
    }
    return size;
}

/* How many bytes so many elements are, plus one. A collective operation is an error unless all say the same, whatever types they say it in. */
static inline int64_t bytes_of(int64_t count, MPI_Datatype type)
{
    int64_t bytes, size = count < 0 ? -1 : size_of(type);
    return size < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes == INT64_MAX ? 0 : bytes + 1;
}

/* The same of a list of counts, one for each member. The two sides of an intercommunicator have lists of different lengths. */
#define BYTES_OF_ALL(counts, comm, type)                                                                                    \
    ({                                                                                                                      \
        int64_t sum = 0;                                                                                                    \
        int size = 0, is_inter = 1;                                                                                         \
        if (!(counts) || (comm) == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter ||     \
            PMPI_Comm_size(comm, &size) != MPI_SUCCESS)                                                                     \
            size = 0;                                                                                                       \
        for (int i = 0; i < size && sum >= 0; i++)                                                                          \
            if (__builtin_add_overflow(sum, (int64_t)(counts)[i], &sum)) sum = -1;                                          \
        size ? bytes_of(sum, type) : 0;                                                                                     \
    })

/* With whom a task divides what it gives and takes: how many these are (all members, or those of the other side where there are two), and whether it is the root, or has a portion at
 * the root. Nobody where portions are not kept; a wrong argument is for MPI to refuse. */
enum { MOST_PORTIONS = 1 << 13, FEW_PORTIONS = 64, NO_ROOT = INT_MIN };
struct peers {
    int count, is_root, has_portion, sources, destinations;
};
static inline struct peers peers_with(const struct hindmost_call *call, int root)
{
    struct peers peers = { 0 };
    struct hindmost_peers known = hindmost_peers(call);
    /* Those beside the root of the other side's data give nothing and take nothing. */
    if (known.count > MOST_PORTIONS / 2 || (known.is_inter && root == MPI_PROC_NULL)) return peers;
    peers.count = (int)known.count;
    peers.is_root = known.is_inter ? root == MPI_ROOT : root == (int)known.rank;
    peers.has_portion = !known.is_inter || !peers.is_root;
    return peers;
}

/* The same in a topology: to these a task gives, and of those it takes. */
static inline struct peers neighbours_of(const struct hindmost_call *call)
{
    struct peers peers = { 0 };
    struct hindmost_neighbour_counts known = hindmost_neighbours(call);
    if (known.sources > MOST_PORTIONS / 2 || known.destinations > MOST_PORTIONS / 2) return peers;
    peers.sources = (int)known.sources;
    peers.destinations = (int)known.destinations;
    peers.count = peers.sources + peers.destinations;
    return peers;
}

/* Notes how a call divides what it gives and takes: so many portions are given, each as a call of bytes_of says for peer `i`, and so many taken. What is prepared is divided when its request is started. */
#define DIVIDES(request, with_whom, how_many_given, bytes_given, how_many_taken, bytes_taken)                                    \
    do {                                                                                                                    \
        uint64_t few[FEW_PORTIONS], *portions = few;                                                                        \
        struct peers peers = with_whom;                                                                                     \
        int given = peers.count ? (how_many_given) : 0, taken = peers.count ? (how_many_taken) : 0;                         \
        if (given + taken > FEW_PORTIONS) portions = malloc(sizeof(uint64_t) * (size_t)(given + taken));                    \
        if (!portions || !peers.count) break;                                                                               \
        for (int i = 0; i < given; i++) portions[i] = (uint64_t)(bytes_given);                                              \
        for (int i = 0; i < taken; i++) portions[given + i] = (uint64_t)(bytes_taken);                                      \
        hindmost_divide(&call, request, portions, (size_t)given, (size_t)taken);                                            \
        if (portions != few) free(portions);                                                                                \
    } while (0)

/* As `REDUCTIONS` of the crate recording. */
static inline uint64_t reduction_of(MPI_Op op)
{
    /* One after the other, the most frequent first: each may have to be looked up. */
    return op == MPI_SUM ? 3 : op == MPI_MAX ? 1 : op == MPI_MIN ? 2 : op == MPI_PROD ? 4 : op == MPI_LAND ? 5 : op == MPI_BAND ? 6
         : op == MPI_LOR ? 7 : op == MPI_BOR ? 8 : op == MPI_LXOR ? 9 : op == MPI_BXOR ? 10 : op == MPI_MINLOC ? 11 : op == MPI_MAXLOC ? 12 : 0;
}

/* The world as a group, to translate ranks of other groups; set once, in MPI_Init. */
static MPI_Group hindmost_world_group;
static int hindmost_has_world;

/* The ranks of a group in the world. Memory for the caller to free; null if there is none. */
static int *ranks_of(MPI_Group group, int size)
{
    int *ranks = malloc(2 * sizeof(int) * (size_t)(size > 0 ? size : 1));
    if (!ranks) return NULL;
    for (int i = 0; i < size; i++) {
        ranks[size + i] = i;
        ranks[i] = -1;
    }
    if (hindmost_has_world && size > 0)
        PMPI_Group_translate_ranks(group, size, ranks + size, hindmost_world_group, ranks);
    for (int i = 0; i < size; i++)
        if (ranks[i] == MPI_UNDEFINED) ranks[i] = -1;
    return ranks;
}

/* The neighbours of a task in a communicator's topology, in the order in which it gives to them and takes of them, as ranks of the world; -1 for MPI_PROC_NULL. */
struct neighbours {
    int *sources, *destinations, source_count, destination_count, is_known;
};

static void neighbours_have(struct neighbours *found, int sources, int destinations)
{
    found->sources = malloc(2 * sizeof(int) * (size_t)(sources + 1));
    found->destinations = malloc(2 * sizeof(int) * (size_t)(destinations + 1));
    found->source_count = sources;
    found->destination_count = destinations;
    found->is_known = found->sources && found->destinations;
}

static struct neighbours neighbours_in(MPI_Comm comm, int rank, const int *members, int size)
{
    struct neighbours found = { 0 };
    int status = MPI_UNDEFINED, sources = 0, destinations = 0, is_told = 0;
    if (!members || PMPI_Topo_test(comm, &status) != MPI_SUCCESS || status == MPI_UNDEFINED) return found;
    if (status == MPI_CART && PMPI_Cartdim_get(comm, &sources) == MPI_SUCCESS) {
        neighbours_have(&found, 2 * sources, 2 * sources);
        for (int i = 0; found.is_known && i < sources; i++) {
            int *pair = found.sources + 2 * (size_t)i;
            if (PMPI_Cart_shift(comm, i, 1, &pair[0], &pair[1]) != MPI_SUCCESS) found.is_known = 0;
        }
        is_told = found.is_known;
        if (is_told) memcpy(found.destinations, found.sources, sizeof(int) * (size_t)found.source_count);
    } else if (status == MPI_GRAPH && PMPI_Graph_neighbors_count(comm, rank, &sources) == MPI_SUCCESS) {
        neighbours_have(&found, sources, sources);
        is_told = found.is_known && PMPI_Graph_neighbors(comm, rank, sources, found.sources) == MPI_SUCCESS;
        if (is_told) memcpy(found.destinations, found.sources, sizeof(int) * (size_t)sources);
#if MPI_VERSION > 2 || (MPI_VERSION == 2 && MPI_SUBVERSION >= 2)
    } else if (status == MPI_DIST_GRAPH) {
        int is_weighted;
        if (PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &is_weighted) == MPI_SUCCESS) {
            neighbours_have(&found, sources, destinations);
            /* The weights are of no use here, and there is room for them behind the ranks. */
            is_told = found.is_known && PMPI_Dist_graph_neighbors(comm, sources, found.sources, found.sources + sources + 1, destinations,
                                                                  found.destinations, found.destinations + destinations + 1) == MPI_SUCCESS;
        }
#endif
    }
    found.is_known = is_told;
    if (!is_told) found.source_count = found.destination_count = 0;
    for (int i = 0; i < found.source_count; i++)
        found.sources[i] = found.sources[i] >= 0 && found.sources[i] < size ? members[found.sources[i]] : -1;
    for (int i = 0; i < found.destination_count; i++)
        found.destinations[i] = found.destinations[i] >= 0 && found.destinations[i] < size ? members[found.destinations[i]] : -1;
    return found;
}

/* A new communicator, or what has a communicator's members: `handle` is its own. */
static void describe(MPI_Comm comm, uint64_t handle, uint32_t kind, uint64_t parent, uint32_t operation, int by_all,
                     uint64_t ordinal)
{
    if (comm == MPI_COMM_NULL || handle == 0) return;
    MPI_Group group;
    struct hindmost_described described = { .handle = handle, .kind = kind, .parent = parent, .made_by = operation,
                                            .by_all = by_all, .ordinal = ordinal };
    int size = 0, rank = 0, is_inter = 0, remote_size = 0;
    int *members = NULL, *remote = NULL;
    if (PMPI_Comm_size(comm, &size) != MPI_SUCCESS || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return;
    if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return;
    members = ranks_of(group, size);
    PMPI_Group_free(&group);
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter && PMPI_Comm_remote_size(comm, &remote_size) == MPI_SUCCESS &&
        PMPI_Comm_remote_group(comm, &group) == MPI_SUCCESS) {
        remote = ranks_of(group, remote_size);
        PMPI_Group_free(&group);
    }
    described.members = members;
    described.size = members ? (uint32_t)size : 0;
    described.remote = remote;
    described.remote_size = remote ? (uint32_t)remote_size : 0;
    described.rank = (uint32_t)rank;
    struct neighbours neighbours = { 0 };
    if (!is_inter && (kind == COMMUNICATOR || kind == PREPARED)) neighbours = neighbours_in(comm, rank, members, size);
    described.sources = neighbours.sources;
    described.destinations = neighbours.destinations;
    described.source_count = (uint32_t)neighbours.source_count;
    described.destination_count = (uint32_t)neighbours.destination_count;
    described.has_neighbours = (uint32_t)neighbours.is_known;
    hindmost_communicator(&described);
    free(neighbours.sources);
    free(neighbours.destinations);
    free(members);
    free(remote);
}

#if MPI_VERSION >= 3
/* A matched probe has taken a message: it is counted as received now, and its sender may wait until it is. */
static void took(const struct hindmost_call *call, const MPI_Status *status, uint64_t message)
{
    struct hindmost_call taken = *call;
    taken.source = rank_of(status->MPI_SOURCE);
    taken.receive_tag = status->MPI_TAG;
    hindmost_take(&taken, message);
}
#endif

/* A collective operation that is prepared: members may start what they have prepared in different orders, so that each has its own count of starts, which its preparation tells from others. */
static void prepares(const struct hindmost_call *call, MPI_Comm comm, uint64_t request, uint32_t does)
{
    struct hindmost_call prepared = *call;
    describe(comm, request, PREPARED, call->communicator, call->operation + 1, 1, call->ordinal);
    prepared.communicator = request;
    prepared.kind = PREPARED;
    prepared.does = does;
    hindmost_request(&prepared, request, 1);
}
