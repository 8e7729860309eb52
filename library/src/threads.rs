//! Threads of one process: POSIX and OpenMP.
//!
//! While a call waits for another thread, that thread may change any memory that both know: of such a call the effects are unknown.

use crate::argument::words::*;
use crate::table::{Function, Value, table};

pub(crate) static FUNCTIONS: &[Function] = table! { Value::Differs;
    "pthread_barrier_wait" (ONE) effects_unknown waits_for_threads;
    "pthread_cond_timedwait" (ONE ONE IN) effects_unknown waits_for_threads;
    "pthread_cond_wait" (ONE ONE) effects_unknown waits_for_threads;
    "pthread_exit" (IN) never_returns;
    "pthread_join" (N ONE) effects_unknown waits_for_threads;
    "pthread_mutex_lock" (ONE) effects_unknown waits_for_threads;
    "pthread_rwlock_rdlock" (ONE) effects_unknown waits_for_threads;
    "pthread_rwlock_wrlock" (ONE) effects_unknown waits_for_threads;
    "sem_wait" (ONE) effects_unknown waits_for_threads;

    "omp_get_num_threads" ();
    "omp_get_thread_num" ();
    "omp_get_wtime" ();
};
