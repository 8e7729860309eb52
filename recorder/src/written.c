
/* What every MPI has and no rule covers: the beginning and the end, requests, and handles that are freed. */

#if MPI_VERSION >= 4
/* The session that the world's ranks were asked of, in a program without MPI_COMM_WORLD. */
static MPI_Session hindmost_session;
static int hindmost_has_session;
#endif

/* The world's ranks are not told any more; a session keeps nothing of MPI beyond its end. */
static void leave_world(void)
{
    if (hindmost_has_world) PMPI_Group_free(&hindmost_world_group);
    hindmost_has_world = 0;
}

static void world_is_there(void)
{
    int rank, size;
    MPI_Comm parent = MPI_COMM_NULL;
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) return;
    leave_world();
#if MPI_VERSION >= 4
    hindmost_has_session = 0;
#endif
    hindmost_has_world = PMPI_Comm_group(MPI_COMM_WORLD, &hindmost_world_group) == MPI_SUCCESS;
    describe(MPI_COMM_WORLD, HANDLE(MPI_COMM_WORLD), COMMUNICATOR, 0, 0, 1, 0);
    describe(MPI_COMM_SELF, HANDLE(MPI_COMM_SELF), COMMUNICATOR, 0, 0, 1, 0);
    if (PMPI_Comm_get_parent(&parent) == MPI_SUCCESS)
        describe(parent, COMM_HANDLE(parent), COMMUNICATOR, 0, HINDMOST_MPI_Comm_spawn + 1, 0, 0);
    hindmost_world((uint32_t)rank, (uint32_t)size, parent != MPI_COMM_NULL);
    int level = MPI_THREAD_MULTIPLE;
    hindmost_share(PMPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE);
    hindmost_stage(2);
}

EXPORTED int MPI_Init(int *argc, char ***argv)
{
    struct hindmost_call call = CALL(MPI_Init, OTHER);
    if (here.is_inside) return REAL(MPI_Init)(argc, argv);
    hindmost_tell(hindmost_trace_stamp);
    hindmost_open(hindmost_names, sizeof hindmost_names - 1);
    hindmost_begin();
    hindmost_stage(1);
    int recorded = begins(&call, NULL, 0);
    here.is_inside = 1;
    int result = REAL(MPI_Init)(argc, argv);
    if (result == MPI_SUCCESS && recorded) world_is_there();
    here.is_inside = 0;
    if (recorded) ends(&call, outcome_of(result));
    return result;
}

EXPORTED int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    struct hindmost_call call = CALL(MPI_Init_thread, OTHER);
    if (here.is_inside) return REAL(MPI_Init_thread)(argc, argv, required, provided);
    hindmost_tell(hindmost_trace_stamp);
    hindmost_open(hindmost_names, sizeof hindmost_names - 1);
    hindmost_begin();
    hindmost_stage(1);
    int recorded = begins(&call, NULL, 0);
    here.is_inside = 1;
    int result = REAL(MPI_Init_thread)(argc, argv, required, provided);
    if (result == MPI_SUCCESS && recorded) world_is_there();
    here.is_inside = 0;
    if (recorded) ends(&call, outcome_of(result));
    return result;
}

EXPORTED int MPI_Finalize(void)
{
    struct hindmost_call call = CALL(MPI_Finalize, COLLECTIVE);
    if (here.is_inside) return REAL(MPI_Finalize)();
    if (hindmost_has_world) call.communicator = HANDLE(MPI_COMM_WORLD);
    if (!begins(&call, NULL, 0)) return REAL(MPI_Finalize)();
    hindmost_stage(3);
    leave_world();
    int result = REAL(MPI_Finalize)();
    hindmost_stage(4);
    ends(&call, outcome_of(result));
    return result;
}

#if MPI_VERSION >= 4
/* A program of sessions alone has no MPI_COMM_WORLD; the set of all processes has the same ranks. Those are told as long as the session that they were asked of is open. Whether the
 * program comes back with another session nobody knows, so that the end of one is no end of its use of MPI. */
static void session_is_there(MPI_Session session)
{
    int rank, size;
    if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &hindmost_world_group) != MPI_SUCCESS) return;
    hindmost_has_world = 1;
    hindmost_session = session;
    hindmost_has_session = 1;
    if (PMPI_Group_rank(hindmost_world_group, &rank) != MPI_SUCCESS || rank < 0) return;
    if (PMPI_Group_size(hindmost_world_group, &size) != MPI_SUCCESS) return;
    hindmost_world((uint32_t)rank, (uint32_t)size, 0);
    /* Each session has a level of its own, and whether later ones let threads call is not known. */
    hindmost_share(1);
    hindmost_stage(2);
}

EXPORTED int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    static int is_taken;
    struct hindmost_call call = CALL(MPI_Session_init, OTHER);
    if (here.is_inside) return REAL(MPI_Session_init)(info, errhandler, session);
    hindmost_tell(hindmost_trace_stamp);
    hindmost_open(hindmost_names, sizeof hindmost_names - 1);
    hindmost_begin();
    int recorded = begins(&call, NULL, 0);
    here.is_inside = 1;
    int result = REAL(MPI_Session_init)(info, errhandler, session);
    /* Of threads that begin sessions at one time one asks for the ranks. */
    if (result == MPI_SUCCESS && recorded && !__atomic_exchange_n(&is_taken, 1, __ATOMIC_ACQUIRE)) {
        if (!hindmost_has_world) session_is_there(*session);
        __atomic_store_n(&is_taken, 0, __ATOMIC_RELEASE);
    }
    here.is_inside = 0;
    if (recorded) ends(&call, outcome_of(result));
    return result;
}

EXPORTED int MPI_Session_finalize(MPI_Session *session)
{
    struct hindmost_call call = CALL(MPI_Session_finalize, OTHER);
    if (here.is_inside) return REAL(MPI_Session_finalize)(session);
    if (!begins(&call, NULL, 0)) return REAL(MPI_Session_finalize)(session);
    if (session && hindmost_has_session && *session == hindmost_session) {
        hindmost_has_session = 0;
        leave_world();
    }
    int result = REAL(MPI_Session_finalize)(session);
    ends(&call, outcome_of(result));
    return result;
}
#endif

EXPORTED int MPI_Abort(MPI_Comm comm, int errorcode)
{
    hindmost_stage(5);
    return REAL(MPI_Abort)(comm, errorcode);
}

/* The program cancels requests: whether one that is complete was cancelled is told by its status alone. */
static int hindmost_cancels;

EXPORTED int MPI_Cancel(MPI_Request *request)
{
    if (here.is_inside) return REAL(MPI_Cancel)(request);
    __atomic_store_n(&hindmost_cancels, 1, __ATOMIC_RELAXED);
    if (!hindmost_cancel(REQUEST_HANDLE(*request))) return MPI_SUCCESS;
    struct prepared *prepared = prepared_of(REQUEST_HANDLE(*request));
    return REAL(MPI_Cancel)(prepared && prepared->named != MPI_REQUEST_NULL ? &prepared->named : request);
}

/* Statuses of our own, where the program wants none and one is needed to know what came. */
static MPI_Status *own_statuses(const struct handles *handles, MPI_Status *statuses, MPI_Status *few)
{
    if (statuses != MPI_STATUSES_IGNORE) return statuses;
    int is_needed = __atomic_load_n(&hindmost_cancels, __ATOMIC_RELAXED) || hindmost_open_requests(handles->all, (size_t)handles->count);
    if (!is_needed) return statuses;
    if (handles->count <= FEW) return few;
    MPI_Status *many = malloc(sizeof(MPI_Status) * (size_t)handles->count);
    return many ? many : statuses;
}

static void completed(const struct handles *handles, int index, const MPI_Status *status)
{
    if (index < 0 || index >= handles->count || !handles->all[index]) return;
    int is_cancelled = 0;
    if (status && __atomic_load_n(&hindmost_cancels, __ATOMIC_RELAXED)) PMPI_Test_cancelled(status, &is_cancelled);
    if (is_cancelled) hindmost_cancelled(handles->all[index]);
    else if (status) hindmost_complete(handles->all[index], rank_of(status->MPI_SOURCE), status->MPI_TAG);
    else hindmost_complete(handles->all[index], -1, -1);
}

/* Where the request stands in the list of a call that is given one, and what stands for all in that of a call that completes all together. */
static const int first_place = 0;

EXPORTED int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct hindmost_call call = CALL(MPI_Wait, COMPLETES_ALL);
    struct handles handles;
    struct passed passed;
    MPI_Status own;
    if (here.is_inside) return REAL(MPI_Wait)(request, status);
    take_handles(&handles, 1, request);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) return REAL(MPI_Wait)(request, status);
    if (status == MPI_STATUS_IGNORE) status = &own;
    pass(&passed, &handles, request);
    int result = REAL(MPI_Wait)(passed.all, status);
    give_back(&passed, &handles, request);
    if (result == MPI_SUCCESS) completed(&handles, 0, status);
    ends(&call, outcome_of(result));
    return result;
}

EXPORTED int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct hindmost_call call = CALL(MPI_Test, ASKS_ALL);
    struct handles handles;
    struct passed passed;
    MPI_Status own;
    if (here.is_inside) return REAL(MPI_Test)(request, flag, status);
    take_handles(&handles, 1, request);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) return REAL(MPI_Test)(request, flag, status);
    if (status == MPI_STATUS_IGNORE) status = &own;
    pass(&passed, &handles, request);
    int result;
    if (call.follows == NOTHING) result = REAL(MPI_Test)(passed.all, flag, status);
    else result = (*flag = call.follows == NAMED) ? REAL(MPI_Wait)(passed.all, status) : not_yet(&handles, passed.all);
    give_back(&passed, &handles, request);
    if (result == MPI_SUCCESS && *flag) completed(&handles, 0, status);
    if (result == MPI_SUCCESS && *flag) hindmost_chose(&call, &first_place, 1);
    ends(&call, result != MPI_SUCCESS ? FAILED : *flag ? DONE : UNANSWERED);
    return result;
}

EXPORTED int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct hindmost_call call = CALL(MPI_Request_get_status, ASKS_ALL);
    struct handles handles;
    struct passed passed;
    if (here.is_inside) return REAL(MPI_Request_get_status)(request, flag, status);
    take_handles(&handles, 1, &request);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) return REAL(MPI_Request_get_status)(request, flag, status);
    pass(&passed, &handles, &request);
    int result;
    do result = REAL(MPI_Request_get_status)(passed.all[0], flag, status);
    while (call.follows == NAMED && result == MPI_SUCCESS && !*flag && !sched_yield());
    if (call.follows == NOT_YET) *flag = 0;
    if (result == MPI_SUCCESS && *flag) hindmost_chose(&call, &first_place, 1);
    ends(&call, result != MPI_SUCCESS ? FAILED : *flag ? DONE : UNANSWERED);
    return result;
}

EXPORTED int MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses)
{
    struct hindmost_call call = CALL(MPI_Waitall, COMPLETES_ALL);
    struct handles handles;
    struct passed passed;
    MPI_Status few[FEW], *used;
    if (here.is_inside) return REAL(MPI_Waitall)(count, requests, statuses);
    take_handles(&handles, count, requests);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) {
        drop_handles(&handles);
        return REAL(MPI_Waitall)(count, requests, statuses);
    }
    used = own_statuses(&handles, statuses, few);
    pass(&passed, &handles, requests);
    int result = REAL(MPI_Waitall)(count, passed.all, used);
    give_back(&passed, &handles, requests);
    if (result == MPI_SUCCESS)
        for (int i = 0; i < handles.count; i++) completed(&handles, i, used == MPI_STATUSES_IGNORE ? NULL : &used[i]);
    ends(&call, outcome_of(result));
    if (used != statuses && used != few) free(used);
    drop_handles(&handles);
    return result;
}

EXPORTED int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
    struct hindmost_call call = CALL(MPI_Testall, ASKS_ALL);
    struct handles handles;
    struct passed passed;
    MPI_Status few[FEW], *used;
    if (here.is_inside) return REAL(MPI_Testall)(count, requests, flag, statuses);
    take_handles(&handles, count, requests);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) {
        drop_handles(&handles);
        return REAL(MPI_Testall)(count, requests, flag, statuses);
    }
    used = own_statuses(&handles, statuses, few);
    pass(&passed, &handles, requests);
    int result;
    if (call.follows == NOTHING) result = REAL(MPI_Testall)(count, passed.all, flag, used);
    else result = (*flag = call.follows == NAMED) ? REAL(MPI_Waitall)(count, passed.all, used) : not_yet(&handles, passed.all);
    give_back(&passed, &handles, requests);
    if (result == MPI_SUCCESS && *flag)
        for (int i = 0; i < handles.count; i++) completed(&handles, i, used == MPI_STATUSES_IGNORE ? NULL : &used[i]);
    if (result == MPI_SUCCESS && *flag) hindmost_chose(&call, &first_place, 1);
    ends(&call, result != MPI_SUCCESS ? FAILED : *flag ? DONE : UNANSWERED);
    if (used != statuses && used != few) free(used);
    drop_handles(&handles);
    return result;
}

EXPORTED int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct hindmost_call call = CALL(MPI_Waitany, COMPLETES_ONE);
    struct handles handles;
    struct passed passed;
    MPI_Status own;
    if (here.is_inside) return REAL(MPI_Waitany)(count, requests, index, status);
    take_handles(&handles, count, requests);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) {
        drop_handles(&handles);
        return REAL(MPI_Waitany)(count, requests, index, status);
    }
    if (status == MPI_STATUS_IGNORE) status = &own;
    pass(&passed, &handles, requests);
    int result;
    if (call.follows == NAMED) result = REAL(MPI_Wait)(&passed.all[*index = hindmost_choice(&call, 0)], status);
    else result = REAL(MPI_Waitany)(count, passed.all, index, status);
    give_back(&passed, &handles, requests);
    if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) completed(&handles, *index, status);
    if (result == MPI_SUCCESS) hindmost_chose(&call, index, *index != MPI_UNDEFINED);
    ends(&call, outcome_of(result));
    drop_handles(&handles);
    return result;
}

EXPORTED int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct hindmost_call call = CALL(MPI_Testany, ASKS_ONE);
    struct handles handles;
    struct passed passed;
    MPI_Status own;
    if (here.is_inside) return REAL(MPI_Testany)(count, requests, index, flag, status);
    take_handles(&handles, count, requests);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) {
        drop_handles(&handles);
        return REAL(MPI_Testany)(count, requests, index, flag, status);
    }
    if (status == MPI_STATUS_IGNORE) status = &own;
    pass(&passed, &handles, requests);
    int result;
    if (call.follows == NOTHING) {
        result = REAL(MPI_Testany)(count, passed.all, index, flag, status);
    } else {
        *flag = call.follows == NAMED;
        *index = *flag ? hindmost_choice(&call, 0) : MPI_UNDEFINED;
        result = *flag ? REAL(MPI_Wait)(&passed.all[*index], status) : not_yet(&handles, passed.all);
    }
    give_back(&passed, &handles, requests);
    if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) completed(&handles, *index, status);
    if (result == MPI_SUCCESS && *flag) hindmost_chose(&call, index, *index != MPI_UNDEFINED);
    ends(&call, result != MPI_SUCCESS ? FAILED : *flag ? DONE : UNANSWERED);
    drop_handles(&handles);
    return result;
}

/* MPI_Waitsome and MPI_Testsome: those of the first `done` indices are complete. */
static void completed_some(const struct hindmost_call *call, const struct handles *handles, int done, const int *indices, const MPI_Status *statuses)
{
    hindmost_chose(call, indices, done == MPI_UNDEFINED ? 0 : (size_t)done);
    if (done == MPI_UNDEFINED) return;
    for (int i = 0; i < done && i < handles->count; i++)
        completed(handles, indices[i], statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i]);
}

EXPORTED int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
    struct hindmost_call call = CALL(MPI_Waitsome, COMPLETES_ONE);
    struct handles handles;
    struct passed passed;
    MPI_Status few[FEW], *used;
    if (here.is_inside) return REAL(MPI_Waitsome)(count, requests, done, indices, statuses);
    take_handles(&handles, count, requests);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) {
        drop_handles(&handles);
        return REAL(MPI_Waitsome)(count, requests, done, indices, statuses);
    }
    used = own_statuses(&handles, statuses, few);
    pass(&passed, &handles, requests);
    int result;
    if (call.follows == NAMED) result = wait_for_chosen(&call, passed.all, done, indices, used);
    else result = REAL(MPI_Waitsome)(count, passed.all, done, indices, used);
    give_back(&passed, &handles, requests);
    if (result == MPI_SUCCESS) completed_some(&call, &handles, *done, indices, used);
    ends(&call, outcome_of(result));
    if (used != statuses && used != few) free(used);
    drop_handles(&handles);
    return result;
}

EXPORTED int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
    struct hindmost_call call = CALL(MPI_Testsome, ASKS_ONE);
    struct handles handles;
    struct passed passed;
    MPI_Status few[FEW], *used;
    if (here.is_inside) return REAL(MPI_Testsome)(count, requests, done, indices, statuses);
    take_handles(&handles, count, requests);
    call.count = handles.given;
    if (!begins(&call, handles.all, (size_t)handles.count)) {
        drop_handles(&handles);
        return REAL(MPI_Testsome)(count, requests, done, indices, statuses);
    }
    used = own_statuses(&handles, statuses, few);
    pass(&passed, &handles, requests);
    int result;
    *done = 0;
    if (call.follows == NAMED) result = wait_for_chosen(&call, passed.all, done, indices, used);
    else if (call.follows == NOT_YET) result = not_yet(&handles, passed.all);
    else result = REAL(MPI_Testsome)(count, passed.all, done, indices, used);
    give_back(&passed, &handles, requests);
    if (result == MPI_SUCCESS && *done) completed_some(&call, &handles, *done, indices, used);
    ends(&call, result != MPI_SUCCESS ? FAILED : *done ? DONE : UNANSWERED);
    if (used != statuses && used != few) free(used);
    drop_handles(&handles);
    return result;
}

EXPORTED int MPI_Start(MPI_Request *request)
{
    if (here.is_inside) return REAL(MPI_Start)(request);
    uint64_t handle = REQUEST_HANDLE(*request);
    here.is_inside = 1;
    int result = start(request);
    here.is_inside = 0;
    if (result == MPI_SUCCESS && handle) hindmost_activate(handle);
    return result;
}

EXPORTED int MPI_Startall(int count, MPI_Request requests[])
{
    int64_t source, tag;
    int result = MPI_SUCCESS;
    if (here.is_inside) return REAL(MPI_Startall)(count, requests);
    here.is_inside = 1;
    if (__atomic_load_n(&hindmost_prepared_count, __ATOMIC_RELAXED)) {
        for (int i = 0; i < count && result == MPI_SUCCESS; i++) result = start(&requests[i]);
    } else {
        for (int i = 0; i < count; i++) hindmost_starts(REQUEST_HANDLE(requests[i]), &source, &tag);
        result = REAL(MPI_Startall)(count, requests);
    }
    here.is_inside = 0;
    for (int i = 0; result == MPI_SUCCESS && i < count; i++)
        if (REQUEST_HANDLE(requests[i])) hindmost_activate(REQUEST_HANDLE(requests[i]));
    return result;
}

EXPORTED int MPI_Request_free(MPI_Request *request)
{
    uint64_t handle = REQUEST_HANDLE(*request);
    if (!here.is_inside) forget_prepared(handle);
    int result = REAL(MPI_Request_free)(request);
    if (result == MPI_SUCCESS && handle && !here.is_inside) hindmost_free(handle);
    return result;
}

/* Calls that end what `handle` names: all of its members take part. */
#define FREES(function, type, null, what)                                                                                  \
    EXPORTED int function(type *object)                                                                                    \
    {                                                                                                                      \
        struct hindmost_call call = CALL(function, COLLECTIVE);                                                            \
        if (here.is_inside || *object == (null)) return REAL(function)(object);                                               \
        uint64_t handle = HANDLE(*object);                                                                                 \
        call.communicator = handle;                                                                                        \
        call.kind = (what);                                                                                                \
        if (!begins(&call, NULL, 0)) return REAL(function)(object);                                                           \
        int result = REAL(function)(object);                                                                                  \
        ends(&call, outcome_of(result));                                                                                   \
        if (result == MPI_SUCCESS) hindmost_communicator_freed(handle, (what));                                            \
        return result;                                                                                                     \
    }
FREES(MPI_Comm_free, MPI_Comm, MPI_COMM_NULL, COMMUNICATOR)
FREES(MPI_Comm_disconnect, MPI_Comm, MPI_COMM_NULL, COMMUNICATOR)
FREES(MPI_Win_free, MPI_Win, MPI_WIN_NULL, WINDOW)
FREES(MPI_File_close, MPI_File, MPI_FILE_NULL, SHARED_FILE)

