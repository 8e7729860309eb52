
/* Epochs of windows. Who opens its window for whom, and who is done with whose, are signals that are counted like messages: each post is for one start, each
 * complete for one wait, in their order. */

enum { POSTS, COMPLETES, SHARES, EXCLUDES, SHARES_ALL };

/* The members of a group as ranks of a window. Memory for the caller to free; null if they are not known, or there are none. */
static int *peers_of(MPI_Win window, MPI_Group group, int *size)
{
    MPI_Group all;
    int *peers = NULL;
    *size = 0;
    if (PMPI_Group_size(group, size) != MPI_SUCCESS || *size <= 0) return NULL;
    if (PMPI_Win_get_group(window, &all) != MPI_SUCCESS) return NULL;
    int *own = malloc(2 * sizeof(int) * (size_t)*size);
    if (own) {
        peers = own + *size;
        for (int i = 0; i < *size; i++) own[i] = i;
        if (PMPI_Group_translate_ranks(group, *size, own, all, peers) == MPI_SUCCESS)
            memcpy(own, peers, sizeof(int) * (size_t)*size);
        else
            *size = 0;
    } else {
        *size = 0;
    }
    PMPI_Group_free(&all);
    return own;
}

/* The handles of what an epoch waits for. */
static void take_epoch(struct handles *handles, MPI_Win window, uint32_t signal)
{
    handles->count = (int)hindmost_epoch_handles(HANDLE(window), signal, NULL, 0);
    handles->all = handles->few;
    if (handles->count > FEW) handles->all = malloc(sizeof(uint64_t) * (size_t)handles->count);
    if (!handles->all) handles->count = 0;
    handles->given = handles->count;
    hindmost_epoch_handles(HANDLE(window), signal, handles->all, (size_t)handles->count);
}

EXPORTED int MPI_Win_post(MPI_Group group, int assertion, MPI_Win window)
{
    struct hindmost_call call = CALL(MPI_Win_post, OTHER);
    int size;
    if (here.is_inside) return REAL(MPI_Win_post)(group, assertion, window);
    call.communicator = HANDLE(window);
    call.kind = WINDOW;
    if (!begins(&call, NULL, 0)) return REAL(MPI_Win_post)(group, assertion, window);
    int *peers = peers_of(window, group, &size);
    /* Counted before it is done: whoever is told early is never said to wait in vain. */
    hindmost_signal(HANDLE(window), POSTS, peers, (size_t)size);
    int result = REAL(MPI_Win_post)(group, assertion, window);
    if (result == MPI_SUCCESS) hindmost_epoch(&call, COMPLETES, peers, (size_t)size);
    free(peers);
    ends(&call, outcome_of(result));
    return result;
}

EXPORTED int MPI_Win_start(MPI_Group group, int assertion, MPI_Win window)
{
    struct hindmost_call call = CALL(MPI_Win_start, HELD);
    struct handles handles;
    int size;
    if (here.is_inside) return REAL(MPI_Win_start)(group, assertion, window);
    call.communicator = HANDLE(window);
    call.kind = WINDOW;
    int *peers = peers_of(window, group, &size);
    hindmost_epoch(&call, POSTS, peers, (size_t)size);
    free(peers);
    /* The program knows that all have posted, and the library need not ask. */
    if (assertion & MPI_MODE_NOCHECK) hindmost_epoch_is_met(HANDLE(window), POSTS);
    take_epoch(&handles, window, POSTS);
    call.count = handles.given;
    int recorded = begins(&call, handles.all, (size_t)handles.count);
    int result = REAL(MPI_Win_start)(group, assertion, window);
    if (result != MPI_SUCCESS) hindmost_epoch_ends(HANDLE(window), POSTS, 0);
    if (recorded) ends(&call, outcome_of(result));
    drop_handles(&handles);
    return result;
}

EXPORTED int MPI_Win_complete(MPI_Win window)
{
    struct hindmost_call call = CALL(MPI_Win_complete, EPOCH);
    struct handles handles;
    if (here.is_inside) return REAL(MPI_Win_complete)(window);
    call.communicator = HANDLE(window);
    call.kind = WINDOW;
    take_epoch(&handles, window, POSTS);
    call.count = handles.given;
    /* Of several targets one may hold it whose post has come: by what is done to its window. */
    if (handles.count == 1) call.does = HELD;
    hindmost_signal_epoch(HANDLE(window), POSTS, COMPLETES);
    int recorded = begins(&call, handles.all, (size_t)handles.count);
    int result = REAL(MPI_Win_complete)(window);
    hindmost_epoch_ends(HANDLE(window), POSTS, result == MPI_SUCCESS);
    if (recorded) ends(&call, outcome_of(result));
    drop_handles(&handles);
    return result;
}

EXPORTED int MPI_Win_wait(MPI_Win window)
{
    struct hindmost_call call = CALL(MPI_Win_wait, COMPLETES_ALL);
    struct handles handles;
    if (here.is_inside) return REAL(MPI_Win_wait)(window);
    call.communicator = HANDLE(window);
    call.kind = WINDOW;
    take_epoch(&handles, window, COMPLETES);
    call.count = handles.given;
    int recorded = begins(&call, handles.all, (size_t)handles.count);
    int result = REAL(MPI_Win_wait)(window);
    hindmost_epoch_ends(HANDLE(window), COMPLETES, result == MPI_SUCCESS);
    if (recorded) ends(&call, outcome_of(result));
    drop_handles(&handles);
    return result;
}

EXPORTED int MPI_Win_test(MPI_Win window, int *flag)
{
    struct hindmost_call call = CALL(MPI_Win_test, ASKS_ALL);
    struct handles handles;
    if (here.is_inside) return REAL(MPI_Win_test)(window, flag);
    call.communicator = HANDLE(window);
    call.kind = WINDOW;
    take_epoch(&handles, window, COMPLETES);
    call.count = handles.given;
    int recorded = begins(&call, handles.all, (size_t)handles.count);
    int result = REAL(MPI_Win_test)(window, flag);
    if (result == MPI_SUCCESS && *flag) hindmost_epoch_ends(HANDLE(window), COMPLETES, 1);
    if (recorded) ends(&call, result != MPI_SUCCESS ? FAILED : *flag ? DONE : UNANSWERED);
    drop_handles(&handles);
    return result;
}

/* Who leaves a fence knows that all have entered it, unless it is known to end no epoch: the recorder knows whether one is open. */
EXPORTED int MPI_Win_fence(int assertion, MPI_Win window)
{
    struct hindmost_call call = CALL(MPI_Win_fence, FENCE);
    if (here.is_inside) return REAL(MPI_Win_fence)(assertion, window);
    call.communicator = HANDLE(window);
    call.kind = WINDOW;
    call.count = (assertion & MPI_MODE_NOPRECEDE ? 1 : 0) | (assertion & MPI_MODE_NOSUCCEED ? 2 : 0);
    if (!begins(&call, NULL, 0)) return REAL(MPI_Win_fence)(assertion, window);
    int result = REAL(MPI_Win_fence)(assertion, window);
    ends(&call, outcome_of(result));
    return result;
}

/* Locks: what a task has asked for and not given back. A library may ask the other task at once, or at any time up to the call that completes what was done, so all of these
 * calls may wait. What the program promises to be free is nobody's. */

/* No rank: the parts of all. */
#define ALL_PARTS (-3)

EXPORTED int MPI_Win_lock(int type, int rank, int assertion, MPI_Win window)
{
    struct hindmost_call call = CALL(MPI_Win_lock, OTHER);
    if (here.is_inside) return REAL(MPI_Win_lock)(type, rank, assertion, window);
    int is_asked = rank != MPI_PROC_NULL && !(assertion & MPI_MODE_NOCHECK);
    if (is_asked) call.does = LOCKS;
    call.communicator = HANDLE(window);
    call.kind = WINDOW;
    call.destination = rank_of(rank);
    call.send_tag = type == MPI_LOCK_EXCLUSIVE ? EXCLUDES : SHARES;
    if (!begins(&call, NULL, 0)) return REAL(MPI_Win_lock)(type, rank, assertion, window);
    int result = REAL(MPI_Win_lock)(type, rank, assertion, window);
    if (result == MPI_SUCCESS && is_asked) hindmost_lock(HANDLE(window), rank, (uint32_t)call.send_tag);
    ends(&call, outcome_of(result));
    return result;
}

EXPORTED int MPI_Win_lock_all(int assertion, MPI_Win window)
{
    struct hindmost_call call = CALL(MPI_Win_lock_all, OTHER);
    if (here.is_inside) return REAL(MPI_Win_lock_all)(assertion, window);
    int is_asked = !(assertion & MPI_MODE_NOCHECK);
    if (is_asked) call.does = LOCKS;
    call.communicator = HANDLE(window);
    call.kind = WINDOW;
    call.destination = ALL_PARTS;
    call.send_tag = SHARES_ALL;
    if (!begins(&call, NULL, 0)) return REAL(MPI_Win_lock_all)(assertion, window);
    int result = REAL(MPI_Win_lock_all)(assertion, window);
    if (result == MPI_SUCCESS && is_asked) hindmost_lock(HANDLE(window), ALL_PARTS, SHARES_ALL);
    ends(&call, outcome_of(result));
    return result;
}

/* Calls that complete what was done to the part of `rank`, or to all; some give the lock back. */
#define SYNCHRONISE(function, parameters, arguments, rank, gives_back)                                                      \
    EXPORTED int function parameters                                                                                        \
    {                                                                                                                       \
        struct hindmost_call call = CALL(function, SYNCHRONISES);                                                           \
        if (here.is_inside) return REAL(function) arguments;                                                                \
        call.communicator = HANDLE(window);                                                                                 \
        call.kind = WINDOW;                                                                                                 \
        call.destination = (rank);                                                                                          \
        if (!begins(&call, NULL, 0)) return REAL(function) arguments;                                                       \
        int result = REAL(function) arguments;                                                                              \
        if (result == MPI_SUCCESS && (gives_back)) hindmost_unlock(HANDLE(window), call.destination);                       \
        ends(&call, outcome_of(result));                                                                                    \
        return result;                                                                                                      \
    }
SYNCHRONISE(MPI_Win_unlock, (int rank, MPI_Win window), (rank, window), rank_of(rank), rank >= 0)
SYNCHRONISE(MPI_Win_unlock_all, (MPI_Win window), (window), ALL_PARTS, 1)
SYNCHRONISE(MPI_Win_flush, (int rank, MPI_Win window), (rank, window), rank_of(rank), 0)
SYNCHRONISE(MPI_Win_flush_all, (MPI_Win window), (window), ALL_PARTS, 0)
SYNCHRONISE(MPI_Win_flush_local, (int rank, MPI_Win window), (rank, window), rank_of(rank), 0)
SYNCHRONISE(MPI_Win_flush_local_all, (MPI_Win window), (window), ALL_PARTS, 0)
