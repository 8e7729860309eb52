/* One system call, again and again, by a main thread that notices when it ends early: with EINTR where no handler ever ran, or with a
 * count that is short. A child process, at which nobody looks, feeds it or lets it wait.
 *
 *   calls CALL TIMES   prints "ready", and at the end "DIFFERENCES of TIMES"; "refused REASON" when the kernel has no such call.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NAP = 3000, BLOCK = 4096, LARGE = 1 << 20 };
static char buffer[LARGE];
static int ends[2], pipes[2], epoll, set, queue, ring, listener;
static aio_context_t aio;
static unsigned word;
static mqd_t mail;

static void refuse(const char *what) {
    printf("refused %s: %s\n", what, strerror(errno));
    fflush(stdout);
    exit(0);
}
static struct timespec nap_of(long us) { return (struct timespec){us / 1000000, us % 1000000 * 1000}; }

/* The child: sends a block in two halves, for ever; or takes what comes, slowly; or nothing. */
static void halves(int fd) {
    for (;;) {
        usleep(NAP / 2);
        if (write(fd, buffer, BLOCK / 2) != BLOCK / 2) _exit(0);
    }
}
static void sink(int fd) {
    for (;;) {
        usleep(200);
        if (read(fd, buffer, LARGE / 8) <= 0) _exit(0);
    }
}
static void beside(void (*work)(int), int fd, int other) {
    pid_t parent = getpid();
    if (fork()) {
        close(fd);
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* It may have ended before. */
    if (getppid() != parent) _exit(0);
    if (other >= 0) close(other);
    signal(SIGPIPE, SIG_DFL);
    work(fd);
    _exit(0);
}
static void local(void) { if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) refuse("socketpair"); }
static int listening(struct sockaddr_in *at) {
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (fd < 0 || bind(fd, (void *)at, size) || listen(fd, 5) || getsockname(fd, (void *)at, &size)) refuse("TCP");
    return fd;
}
static void tcp(void) {
    struct sockaddr_in at;
    int fd = listening(&at);
    ends[1] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(ends[1], (void *)&at, sizeof at)) refuse("connect");
    ends[0] = accept(fd, 0, 0);
    close(fd);
}
static void limit(int fd, int what) {
    struct timeval time = {0, NAP};
    if (setsockopt(fd, SOL_SOCKET, what, &time, sizeof time)) refuse("SO_RCVTIMEO");
}

/* A time limit has passed, and nothing else has ended the call. */
static int timed_out(long result) { return result < 0 && (errno == EAGAIN || errno == ETIMEDOUT); }

static void prepare_all_local(void) { local(); beside(halves, ends[1], ends[0]); }
static void prepare_all_tcp(void) { tcp(); beside(halves, ends[1], ends[0]); }
static int recv_all(void) { return recv(ends[0], buffer, BLOCK, MSG_WAITALL) == BLOCK; }
static int recvmsg_all(void) {
    struct iovec part = {buffer, BLOCK};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return recvmsg(ends[0], &message, MSG_WAITALL) == BLOCK;
}
static void prepare_limited(void) { local(); limit(ends[0], SO_RCVTIMEO); }
static int recv_limited(void) { return timed_out(recv(ends[0], buffer, BLOCK, 0)); }
static int read_limited(void) { return timed_out(read(ends[0], buffer, BLOCK)); }
static int readv_limited(void) { struct iovec part = {buffer, BLOCK}; return timed_out(readv(ends[0], &part, 1)); }
static int recvmmsg_limited(void) {
    struct iovec part = {buffer, BLOCK};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    return timed_out(recvmmsg(ends[0], &message, 1, 0, 0));
}
static void prepare_accept(void) { struct sockaddr_in at; listener = listening(&at); limit(listener, SO_RCVTIMEO); }
static int accept_limited(void) { return timed_out(accept(listener, 0, 0)); }
static int accept4_limited(void) { return timed_out(accept4(listener, 0, 0, SOCK_CLOEXEC)); }
static void prepare_send(void) { local(); beside(sink, ends[1], ends[0]); }
static int send_large(void) { return send(ends[0], buffer, LARGE, 0) == LARGE; }
static int write_socket(void) { return write(ends[0], buffer, LARGE) == LARGE; }
static void prepare_pipe_out(void) { if (pipe(pipes)) refuse("pipe"); beside(sink, pipes[0], pipes[1]); }
static int write_pipe(void) { return write(pipes[1], buffer, LARGE) == LARGE; }
static int writev_pipe(void) {
    struct iovec parts[2] = {{buffer, LARGE / 2}, {buffer, LARGE / 2}};
    return writev(pipes[1], parts, 2) == LARGE;
}
static int file = -1;
static void prepare_sendfile(void) {
    prepare_send();
    file = memfd_create("hindmost", 0);
    if (file < 0 || ftruncate(file, LARGE)) refuse("memfd_create");
}
static int sendfile_large(void) { off_t from = 0; return sendfile(ends[0], file, &from, LARGE) == LARGE; }
static void prepare_pipe_in(void) { if (pipe(pipes)) refuse("pipe"); beside(halves, pipes[1], pipes[0]); }
static int read_pipe(void) { return read(pipes[0], buffer, BLOCK / 2) == BLOCK / 2; }

static void prepare_epoll(void) {
    local();
    epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event)) refuse("epoll");
}
static struct epoll_event event;
static int wait_epoll(void) { return epoll_wait(epoll, &event, 1, NAP / 1000) == 0; }
static int pwait_epoll(void) { sigset_t none; sigemptyset(&none); return epoll_pwait(epoll, &event, 1, NAP / 1000, &none) == 0; }
static int pwait2_epoll(void) {
    struct timespec time = nap_of(NAP);
    return syscall(441, epoll, &event, 1, &time, 0, 8L) == 0;
}
static void prepare_semaphore(void) {
    set = semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT);
    if (set < 0) refuse("semget");
}
static int wait_semaphore(void) {
    struct sembuf take = {0, -1, 0};
    struct timespec time = nap_of(NAP);
    return timed_out(semtimedop(set, &take, 1, &time));
}
static void posts(int fd) {
    (void)fd;
    struct sembuf give = {0, 1, 0};
    for (;;) { usleep(NAP); if (semop(set, &give, 1)) _exit(0); }
}
static void prepare_semop(void) { prepare_semaphore(); beside(posts, dup(0), -1); }
static int wait_semop(void) { struct sembuf take = {0, -1, 0}; return semop(set, &take, 1) == 0; }
static void block_signal(void) {
    sigset_t told;
    sigemptyset(&told);
    sigaddset(&told, SIGUSR1);
    sigprocmask(SIG_BLOCK, &told, 0);
}
static int wait_signal(void) {
    sigset_t told;
    struct timespec time = nap_of(NAP);
    sigemptyset(&told);
    sigaddset(&told, SIGUSR1);
    return timed_out(sigtimedwait(&told, 0, &time));
}
static void prepare_aio(void) { if (syscall(SYS_io_setup, 4, &aio)) refuse("io_setup"); }
static int wait_aio(void) {
    struct io_event event;
    struct timespec time = nap_of(NAP);
    return syscall(SYS_io_getevents, aio, 1L, 1L, &event, &time) == 0;
}
static int wait_aio_signals(void) {
    struct io_event event;
    struct timespec time = nap_of(NAP);
    return syscall(333, aio, 1L, 1L, &event, &time, 0L) == 0;
}
static void prepare_ring(void) {
    struct io_uring_params parameters = {0};
    ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
    if (ring < 0) refuse("io_uring_setup");
    if (!(parameters.features & IORING_FEAT_EXT_ARG)) { errno = ENOSYS; refuse("IORING_ENTER_EXT_ARG"); }
}
static int wait_ring(void) {
    struct __kernel_timespec time = {0, NAP * 1000};
    struct io_uring_getevents_arg argument = {.ts = (unsigned long)&time};
    long result = syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof argument);
    return result < 0 && errno == ETIME;
}

static void nothing(void) {}
static int wait_poll(void) { return poll(0, 0, NAP / 1000) == 0; }
static int wait_ppoll(void) { struct timespec time = nap_of(NAP); return ppoll(0, 0, &time, 0) == 0; }
static int wait_select(void) { struct timeval time = {0, NAP}; return select(0, 0, 0, 0, &time) == 0; }
static int wait_pselect(void) { struct timespec time = nap_of(NAP); return pselect(0, 0, 0, 0, &time, 0) == 0; }
static int sleep_nano(void) { struct timespec time = nap_of(NAP); return syscall(SYS_nanosleep, &time, 0) == 0; }
static int sleep_clock(void) { struct timespec time = nap_of(NAP); return clock_nanosleep(CLOCK_MONOTONIC, 0, &time, 0) == 0; }
static int sleep_until(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += NAP * 1000L;
    if (time.tv_nsec >= 1000000000) { time.tv_nsec -= 1000000000; time.tv_sec++; }
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, 0) == 0;
}
static int wait_futex(void) {
    struct timespec time = nap_of(NAP);
    return timed_out(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time, 0, 0));
}
static int wait_child(void) {
    pid_t child = fork();
    if (child == 0) { usleep(NAP); _exit(3); }
    int status = 0;
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3;
}
static int wait_id(void) {
    pid_t child = fork();
    if (child == 0) { usleep(NAP); _exit(3); }
    siginfo_t info;
    return waitid(P_PID, (id_t)child, &info, WEXITED) == 0 && info.si_status == 3;
}
static struct { long kind; char text[8]; } letter = {1, ""};
static void letters(int fd) {
    (void)fd;
    for (;;) { usleep(NAP); if (msgsnd(queue, &letter, sizeof letter.text, 0)) _exit(0); }
}
static void prepare_queue(void) {
    queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
    if (queue < 0) refuse("msgget");
    beside(letters, dup(0), -1);
}
static int wait_queue(void) { return msgrcv(queue, &letter, sizeof letter.text, 0, 0) == (ssize_t)sizeof letter.text; }
static void takes(int fd) {
    (void)fd;
    for (;;) { usleep(NAP / 16); if (msgrcv(queue, &letter, sizeof letter.text, 0, 0) < 0) _exit(0); }
}
static void prepare_full_queue(void) {
    queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
    if (queue < 0) refuse("msgget");
    struct msqid_ds size;
    msgctl(queue, IPC_STAT, &size);
    size.msg_qbytes = 64;
    msgctl(queue, IPC_SET, &size);
    beside(takes, dup(0), -1);
}
static int send_queue(void) { return msgsnd(queue, &letter, sizeof letter.text, 0) == 0; }
static void prepare_mail(void) {
    char name[64];
    struct mq_attr form = {.mq_maxmsg = 4, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/hindmost-%d", (int)getpid());
    mail = mq_open(name, O_RDWR | O_CREAT, 0600, &form);
    if (mail == (mqd_t)-1) refuse("mq_open");
    mq_unlink(name);
}
static int wait_mail(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += NAP * 1000L;
    if (time.tv_nsec >= 1000000000) { time.tv_nsec -= 1000000000; time.tv_sec++; }
    return timed_out(mq_timedreceive(mail, buffer, BLOCK, 0, &time));
}
static void fill_mail(void) {
    prepare_mail();
    for (int n = 0; n < 4; n++) if (mq_send(mail, buffer, 8, 0)) refuse("mq_send");
}
static struct timespec later(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += NAP * 1000L;
    if (time.tv_nsec >= 1000000000) { time.tv_nsec -= 1000000000; time.tv_sec++; }
    return time;
}
static int send_mail(void) {
    struct timespec time = later(CLOCK_REALTIME);
    return timed_out(mq_timedsend(mail, buffer, 8, 0, &time));
}
/* The kernel's struct futex_waitv, which older headers lack. */
static struct { unsigned long long value, address; unsigned flags, reserved; } waiter = {0, 0, 2 /* 32 bits */, 0};
static void prepare_waiters(void) {
    waiter.address = (unsigned long)&word;
    struct timespec time = {0, 0};
    if (syscall(449, &waiter, 1, 0, &time, CLOCK_MONOTONIC) == -1 && errno != ETIMEDOUT) refuse("futex_waitv");
}
static int wait_waiters(void) {
    struct timespec time = later(CLOCK_MONOTONIC);
    return timed_out(syscall(449, &waiter, 1, 0, &time, CLOCK_MONOTONIC));
}
/* These two end by a handler alone: each end must have had one. */
static volatile sig_atomic_t rung;
static void ring_bell(int signal) { (void)signal; rung++; }
static void prepare_bell(void) {
    struct sigaction action = {.sa_handler = ring_bell};
    struct itimerval each = {{0, NAP}, {0, NAP}};
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &each, 0);
}
static int wait_bell(void) { int before = rung; pause(); return rung > before; }
static void prepare_masked_bell(void) {
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm, 0);
    prepare_bell();
}
static int wait_masked_bell(void) {
    sigset_t none;
    sigemptyset(&none);
    int before = rung;
    sigsuspend(&none);
    return rung > before;
}
static void locks(int fd) {
    for (;;) { flock(fd, LOCK_EX); usleep(NAP); flock(fd, LOCK_UN); usleep(100); }
}
static void prepare_flock(void) {
    char name[] = "/tmp/hindmost-lock-XXXXXX";
    file = mkstemp(name);
    int other = open(name, O_RDWR);
    unlink(name);
    if (file < 0 || other < 0) refuse("mkstemp");
    beside(locks, other, -1);
}
static int wait_flock(void) { int taken = flock(file, LOCK_EX) == 0; flock(file, LOCK_UN); usleep(150); return taken; }

static const struct { const char *name; void (*prepare)(void); int (*call)(void); } calls[] = {
    {"recv-waitall-unix", prepare_all_local, recv_all},
    {"recv-waitall-tcp", prepare_all_tcp, recv_all},
    {"recvmsg-waitall", prepare_all_local, recvmsg_all},
    {"recv-timeout", prepare_limited, recv_limited},
    {"read-timeout", prepare_limited, read_limited},
    {"readv-timeout", prepare_limited, readv_limited},
    {"recvmmsg-timeout", prepare_limited, recvmmsg_limited},
    {"accept-timeout", prepare_accept, accept_limited},
    {"accept4-timeout", prepare_accept, accept4_limited},
    {"send-large", prepare_send, send_large},
    {"write-socket", prepare_send, write_socket},
    {"write-pipe", prepare_pipe_out, write_pipe},
    {"writev-pipe", prepare_pipe_out, writev_pipe},
    {"sendfile", prepare_sendfile, sendfile_large},
    {"epoll_wait", prepare_epoll, wait_epoll},
    {"epoll_pwait", prepare_epoll, pwait_epoll},
    {"epoll_pwait2", prepare_epoll, pwait2_epoll},
    {"semtimedop", prepare_semaphore, wait_semaphore},
    {"semop", prepare_semop, wait_semop},
    {"sigtimedwait", block_signal, wait_signal},
    {"io_getevents", prepare_aio, wait_aio},
    {"io_pgetevents", prepare_aio, wait_aio_signals},
    {"io_uring_enter", prepare_ring, wait_ring},
    {"read-pipe", prepare_pipe_in, read_pipe},
    {"poll", nothing, wait_poll},
    {"ppoll", nothing, wait_ppoll},
    {"select", nothing, wait_select},
    {"pselect", nothing, wait_pselect},
    {"nanosleep", nothing, sleep_nano},
    {"clock_nanosleep", nothing, sleep_clock},
    {"clock_nanosleep-until", nothing, sleep_until},
    {"futex", nothing, wait_futex},
    {"wait4", nothing, wait_child},
    {"waitid", nothing, wait_id},
    {"msgrcv", prepare_queue, wait_queue},
    {"msgsnd", prepare_full_queue, send_queue},
    {"mq_timedreceive", prepare_mail, wait_mail},
    {"flock", prepare_flock, wait_flock},
    {"mq_timedsend", fill_mail, send_mail},
    {"futex_waitv", prepare_waiters, wait_waiters},
    {"pause", prepare_bell, wait_bell},
    {"rt_sigsuspend", prepare_masked_bell, wait_masked_bell},
};

int main(int argc, char **argv) {
    int times = argc > 2 ? atoi(argv[2]) : 0, differences = 0;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (argc < 3 || strcmp(calls[i].name, argv[1])) continue;
        puts("ready");
        fflush(stdout);
        calls[i].prepare();
        for (int n = 0; n < times; n++) differences += !calls[i].call();
        if (set > 0) semctl(set, 0, IPC_RMID);
        if (queue > 0) msgctl(queue, IPC_RMID, 0);
        printf("%d of %d\n", differences, times);
        return 0;
    }
    fprintf(stderr, "calls: no such call\n");
    return 2;
}
