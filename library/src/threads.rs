//! Threads of one process: POSIX, C and OpenMP.
//!
//! While a call waits for another thread, that thread may change any memory that both know: of such a call the effects are unknown.

use crate::argument::words::*;
use crate::table::{Function, Value, table};

pub(crate) static FUNCTIONS: &[Function] = table! { Value::Differs;
    "pthread_barrier_wait" (ONE) effects_unknown waits_for_threads;
    "pthread_cond_clockwait" (ONE ONE N IN) effects_unknown waits_for_threads;
    "pthread_cond_timedwait" (ONE ONE IN) effects_unknown waits_for_threads;
    "pthread_cond_wait" (ONE ONE) effects_unknown waits_for_threads;
    "pthread_clockjoin_np" (N ONE N IN) effects_unknown waits_for_threads;
    "pthread_exit" (IN) never_returns;
    "pthread_join" (N ONE) effects_unknown waits_for_threads;
    "pthread_mutex_clocklock" (ONE N IN) effects_unknown waits_for_threads;
    "pthread_mutex_lock" (ONE) effects_unknown waits_for_threads;
    "pthread_mutex_timedlock" (ONE IN) effects_unknown waits_for_threads;
    "pthread_rwlock_clockrdlock" (ONE N IN) effects_unknown waits_for_threads;
    "pthread_rwlock_clockwrlock" (ONE N IN) effects_unknown waits_for_threads;
    "pthread_rwlock_rdlock" (ONE) effects_unknown waits_for_threads;
    "pthread_rwlock_timedrdlock" (ONE IN) effects_unknown waits_for_threads;
    "pthread_rwlock_timedwrlock" (ONE IN) effects_unknown waits_for_threads;
    "pthread_rwlock_wrlock" (ONE) effects_unknown waits_for_threads;
    "pthread_spin_lock" (ONE) effects_unknown waits_for_threads;
    "pthread_timedjoin_np" (N ONE IN) effects_unknown waits_for_threads;
    "sem_clockwait" (ONE N IN) effects_unknown waits_for_threads;
    "sem_timedwait" (ONE IN) effects_unknown waits_for_threads;
    "sem_wait" (ONE) effects_unknown waits_for_threads;

    "cnd_timedwait" (ONE ONE IN) effects_unknown waits_for_threads;
    "cnd_wait" (ONE ONE) effects_unknown waits_for_threads;
    "mtx_lock" (ONE) effects_unknown waits_for_threads;
    "mtx_timedlock" (ONE IN) effects_unknown waits_for_threads;
    "thrd_join" (N ONE) effects_unknown waits_for_threads;
    "thrd_sleep" (IN ONE) sleeps;

    "omp_get_num_threads" ();
    "omp_get_thread_num" ();
    "omp_get_wtime" ();
    "omp_set_lock" (ONE) effects_unknown waits_for_threads;
    "omp_set_nest_lock" (ONE) effects_unknown waits_for_threads;
};
