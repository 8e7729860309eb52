
/* A second run that follows a first one: which requests its calls complete, and prepared receives that leave open what they take. */

/* The handles of a list of requests, on the stack if they are few. They are noted before the call: MPI sets those to null that it completes. */
#define FEW 64
struct handles {
    uint64_t few[FEW], *all;
    int count, given;
};

static void take_handles(struct handles *handles, int count, const MPI_Request *requests)
{
    handles->count = count > 0 && requests ? count : 0;
    handles->all = handles->few;
    if (handles->count > FEW) handles->all = malloc(sizeof(uint64_t) * (size_t)handles->count);
    if (!handles->all) handles->count = 0;
    handles->given = 0;
    for (int i = 0; i < handles->count; i++) {
        handles->all[i] = REQUEST_HANDLE(requests[i]);
        handles->given += handles->all[i] != 0;
    }
}

static void drop_handles(struct handles *handles)
{
    if (handles->all != handles->few) free(handles->all);
}

static int hindmost_followed_lock;

static void lock_followed(void)
{
    while (__atomic_exchange_n(&hindmost_followed_lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
}

static void unlock_followed(void) { __atomic_store_n(&hindmost_followed_lock, 0, __ATOMIC_RELEASE); }

/* A communicator in which nothing is ever sent, for receives that take nothing; null if it cannot be had. */
static MPI_Comm nobody(void)
{
    static MPI_Comm made;
    static int is_made;
    lock_followed();
    if (!is_made) {
        is_made = 1;
        if (!hindmost_has_world || PMPI_Comm_dup(MPI_COMM_SELF, &made) != MPI_SUCCESS) made = MPI_COMM_NULL;
    }
    unlock_followed();
    return made;
}

/* A receive follows one that took nothing, or another message than comes first. */
static void follow(const struct hindmost_call *call, int *source, int *tag, MPI_Comm *comm)
{
    MPI_Comm none = call->follows == NEVER ? nobody() : MPI_COMM_NULL;
    if (call->follows == NAMED) {
        *source = (int)call->source;
        *tag = (int)call->receive_tag;
    } else if (none != MPI_COMM_NULL) {
        *source = 0;
        *comm = none;
    }
}

/* A prepared receive from anybody, or under any tag. A start that follows is another receive, beside the prepared request, whose handle the program keeps: MPI gives no way to change what is prepared. */
struct prepared {
    struct prepared *next;
    uint64_t handle;
    void *buffer;
    int64_t count;
    MPI_Datatype type;
    MPI_Comm comm;
    int source, tag;
    /* What is under way in its place; null if nothing is. */
    MPI_Request named;
};

enum { PREPARED_LISTS = 256 };
static struct prepared *hindmost_prepared[PREPARED_LISTS];
static int hindmost_prepared_count;

static struct prepared **prepared_list(uint64_t handle)
{
    return &hindmost_prepared[(handle * 0x9e3779b97f4a7c15ull) >> 56];
}

static struct prepared *prepared_of(uint64_t handle)
{
    if (!handle || !__atomic_load_n(&hindmost_prepared_count, __ATOMIC_RELAXED)) return NULL;
    lock_followed();
    struct prepared *found = *prepared_list(handle);
    while (found && found->handle != handle) found = found->next;
    unlock_followed();
    return found;
}

/* A receive is prepared. Its type may be freed before it is started, so that one of our own is kept. */
static void prepares_receive(void *buffer, int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm, const MPI_Request *request)
{
    if ((source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG) || source == MPI_PROC_NULL || !hindmost_is_following()) return;
    struct prepared *new = malloc(sizeof *new);
    if (!new) return;
    if (PMPI_Type_dup(type, &new->type) != MPI_SUCCESS) {
        free(new);
        return;
    }
    new->handle = REQUEST_HANDLE(*request);
    new->buffer = buffer;
    new->count = count;
    new->comm = comm;
    new->source = source;
    new->tag = tag;
    new->named = MPI_REQUEST_NULL;
    lock_followed();
    struct prepared **list = prepared_list(new->handle);
    new->next = *list;
    *list = new;
    __atomic_fetch_add(&hindmost_prepared_count, 1, __ATOMIC_RELAXED);
    unlock_followed();
}

/* A prepared request is freed: what runs in its place is complete when its message has come. */
static void forget_prepared(uint64_t handle)
{
    struct prepared *found = prepared_of(handle);
    if (!found) return;
    lock_followed();
    struct prepared **at = prepared_list(handle);
    while (*at != found) at = &(*at)->next;
    *at = found->next;
    __atomic_fetch_sub(&hindmost_prepared_count, 1, __ATOMIC_RELAXED);
    unlock_followed();
    if (found->named != MPI_REQUEST_NULL) REAL(MPI_Request_free)(&found->named);
    PMPI_Type_free(&found->type);
    free(found);
}

/* Starts what is prepared, or in its place what a first run has done there. */
static int start(MPI_Request *request)
{
    struct hindmost_call call;
    uint64_t handle = REQUEST_HANDLE(*request);
    struct prepared *prepared = prepared_of(handle);
    call.follows = handle ? hindmost_starts(handle, &call.source, &call.receive_tag) : NOTHING;
    if (call.follows == NOTHING || !prepared) return REAL(MPI_Start)(request);
    int source = prepared->source, tag = prepared->tag;
    MPI_Comm comm = prepared->comm;
    follow(&call, &source, &tag, &comm);
#if MPI_VERSION >= 4
    return REAL(MPI_Irecv_c)(prepared->buffer, (MPI_Count)prepared->count, prepared->type, source, tag, comm, &prepared->named);
#else
    return REAL(MPI_Irecv)(prepared->buffer, (int)prepared->count, prepared->type, source, tag, comm, &prepared->named);
#endif
}

/* The requests that MPI is given for those of the program: of a prepared one that which runs in its place. */
struct passed {
    MPI_Request few[FEW], *all;
};

static void pass(struct passed *passed, const struct handles *handles, MPI_Request *requests)
{
    int is_any = 0;
    passed->all = requests;
    for (int i = 0; i < handles->count && !is_any; i++) {
        struct prepared *prepared = prepared_of(handles->all[i]);
        is_any = prepared && prepared->named != MPI_REQUEST_NULL;
    }
    if (!is_any) return;
    MPI_Request *all = passed->few;
    if (handles->count > FEW) all = malloc(sizeof(MPI_Request) * (size_t)handles->count);
    if (!all) return;
    for (int i = 0; i < handles->count; i++) {
        struct prepared *prepared = prepared_of(handles->all[i]);
        all[i] = prepared && prepared->named != MPI_REQUEST_NULL ? prepared->named : requests[i];
    }
    passed->all = all;
}

static void give_back(struct passed *passed, const struct handles *handles, MPI_Request *requests)
{
    if (passed->all == requests) return;
    for (int i = 0; i < handles->count; i++) {
        struct prepared *prepared = prepared_of(handles->all[i]);
        if (prepared && prepared->named != MPI_REQUEST_NULL) prepared->named = passed->all[i];
        else requests[i] = passed->all[i];
    }
    if (passed->all != passed->few) free(passed->all);
}

/* MPI goes on, but none of these is completed. */
static int not_yet(const struct handles *handles, const MPI_Request *requests)
{
    int is_complete;
    for (int i = 0; i < handles->count; i++)
        if (handles->all[i]) return REAL(MPI_Request_get_status)(requests[i], &is_complete, MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* Waits for those that a first run has completed here. */
static int wait_for_chosen(const struct hindmost_call *call, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    int result = MPI_SUCCESS, place;
    for (*done = 0; (place = hindmost_choice(call, (size_t)*done)) >= 0; ++*done) {
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*done];
        int one = REAL(MPI_Wait)(&requests[place], status);
        indices[*done] = place;
        if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = one;
        if (one != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
    }
    return result;
}
