//! Threads of one process: POSIX, C, C++ and OpenMP.
//!
//! While a call waits for another thread, that thread may change any memory that both know: of such a call the effects are unknown. After a
//! call that makes a thread, or lets one go on (`pthread_create`, `pthread_mutex_unlock`, `sem_post`), another one may do so as well, and
//! none of them waits: these have no rows. Neither has what may wait for those that are about to leave (`pthread_cond_destroy`,
//! `pthread_barrier_destroy`), nor `pthread_mutex_trylock`, behind which the memory is as others have left it.
//!
//! Members of classes of C++ that `libstdc++` has code of are here by the names that stacks show; no source calls them by these.

use crate::argument::words::*;
use crate::table::{Function, Value, table};

pub(crate) static FUNCTIONS: &[Function] = table! { Value::Differs;
    "pthread_barrier_wait" (ONE) effects_unknown waits_for_threads;
    "pthread_cond_clockwait" (ONE ONE N IN) effects_unknown waits_for_threads;
    "pthread_cond_timedwait" (ONE ONE IN) effects_unknown waits_for_threads;
    "pthread_cond_wait" (ONE ONE) effects_unknown waits_for_threads;
    "pthread_clockjoin_np" (N ONE N IN) effects_unknown waits_for_threads;
    "pthread_exit" (IN) never_returns;
    "flockfile" (ONE) effects_unknown waits_for_threads;
    "pthread_join" (N ONE) effects_unknown waits_for_threads;
    "pthread_mutex_clocklock" (ONE N IN) effects_unknown waits_for_threads;
    "pthread_mutex_lock" (ONE) effects_unknown waits_for_threads;
    "pthread_mutex_timedlock" (ONE IN) effects_unknown waits_for_threads;
    "pthread_once" (ONE FUNCTION) effects_unknown waits_for_threads;
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

    // They set up an object that no other thread has yet, or ask about one.
    "pthread_attr_destroy" (ONE);
    "pthread_attr_init" (ONE);
    "pthread_attr_setdetachstate" (ONE N);
    "pthread_attr_setstacksize" (ONE N);
    "pthread_barrier_init" (ONE IN N);
    "pthread_cond_init" (ONE IN);
    "pthread_condattr_destroy" (ONE);
    "pthread_condattr_init" (ONE);
    "pthread_equal" (N N) of_arguments;
    "pthread_mutex_destroy" (ONE);
    "pthread_mutex_init" (ONE IN);
    "pthread_mutexattr_destroy" (ONE);
    "pthread_mutexattr_init" (ONE);
    "pthread_mutexattr_settype" (ONE N);
    "pthread_rwlock_init" (ONE IN);
    "pthread_self" ();
    "pthread_spin_init" (ONE N);
    "sem_init" (ONE N N);

    "call_once" (ONE FUNCTION) effects_unknown waits_for_threads;
    "cnd_timedwait" (ONE ONE IN) effects_unknown waits_for_threads;
    "cnd_wait" (ONE ONE) effects_unknown waits_for_threads;
    "mtx_lock" (ONE) effects_unknown waits_for_threads;
    "mtx_timedlock" (ONE IN) effects_unknown waits_for_threads;
    "thrd_join" (N ONE) effects_unknown waits_for_threads;
    "thrd_sleep" (IN ONE) sleeps;

    "std::__atomic_futex_unsigned_base::_M_futex_wait_until" (ONE ONE N N N N) effects_unknown waits_for_threads;
    "std::__atomic_futex_unsigned_base::_M_futex_wait_until_steady" (ONE ONE N N N N) effects_unknown waits_for_threads;
    "std::condition_variable::wait" (ONE ONE) effects_unknown waits_for_threads;
    "std::thread::join" (ONE) effects_unknown waits_for_threads;

    "omp_get_num_threads" ();
    "omp_get_thread_num" ();
    "omp_get_wtime" ();
    "omp_set_lock" (ONE) effects_unknown waits_for_threads;
    "omp_set_nest_lock" (ONE) effects_unknown waits_for_threads;
};
