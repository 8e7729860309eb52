/* A program made up by a number. Each episode has a root, which receives what all others send, in one of many ways; what it does next depends on who came first there, which request was complete first, and how often it had
 * asked in vain. The others sleep at random. Rank 0 prints a number for each episode, into which all of that went. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EPISODES = 24, MOST = 24, LENGTH = 20000, MOST_EACH = 3 };

static uint64_t trail;
static int values[MOST][LENGTH];

static void note(uint64_t value) { trail = (trail ^ (value + 0x9e3779b97f4a7c15ull)) * 0x100000001b3ull; }

static void came(int place, const MPI_Status *status)
{
    note((uint64_t)place);
    note((uint64_t)status->MPI_SOURCE << 32 | (uint32_t)status->MPI_TAG);
}

static uint64_t state;
static int below(int most)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (uint64_t)most);
}

static void doze(void) { usleep((useconds_t)(random() % 2500)); }

struct episode {
    MPI_Comm comm;
    int rank, size, root, each, total;
    int way, completes, is_named;
};

/* What this episode takes from rank `from` as its `number`-th message. */
static int tag_of(const struct episode *episode, int from, int number) { return 3 + (from + number + episode->way) % 3; }

static void sends(const struct episode *episode)
{
    for (int i = 0; i < episode->each; i++) {
        int length = (episode->rank + i) % 4 == 0 ? LENGTH : 1;
        values[0][0] = episode->rank * 100 + i;
        doze();
        MPI_Send(values[0], length, MPI_INT, episode->root, tag_of(episode, episode->rank, i), episode->comm);
    }
}

/* From whom the n-th receive takes: of all, or of each sender in turn. */
static int source_of(const struct episode *episode, int n)
{
    if (!episode->is_named) return MPI_ANY_SOURCE;
    int other = n / episode->each;
    return other < episode->root ? other : other + 1;
}

static void posts(const struct episode *episode, MPI_Request *requests, int count)
{
    for (int i = 0; i < count; i++)
        MPI_Irecv(values[i], LENGTH, MPI_INT, source_of(episode, i), MPI_ANY_TAG, episode->comm, &requests[i]);
}

static void done(int place, const MPI_Status *status)
{
    came(place, status);
    note((uint64_t)values[place][0]);
}

/* Completes some, at least one, in one of the ways that MPI has; their places. Prepared ones stay what they are. */
static int some(int completes, MPI_Request *requests, int count, int *places, MPI_Status *statuses)
{
    int flag = 0, number = 0;
    uint64_t polls = 0;
    switch (completes) {
    case 0:
        MPI_Waitany(count, requests, places, statuses);
        number = 1;
        break;
    case 1:
        MPI_Waitsome(count, requests, &number, places, statuses);
        break;
    case 2:
        for (; !flag; polls++) {
            MPI_Testany(count, requests, places, &flag, statuses);
            if (!flag) usleep(100);
        }
        number = 1;
        break;
    case 3:
        for (; !number; polls++) {
            MPI_Testsome(count, requests, &number, places, statuses);
            if (!number) usleep(100);
        }
        break;
    default:
        /* One after the other; those that are not under way are null here. */
        for (int i = 0; !number; i = (i + 1) % count) {
            if (requests[i] == MPI_REQUEST_NULL) continue;
            polls++;
            if (completes == 4) {
                MPI_Test(&requests[i], &flag, statuses);
            } else {
                MPI_Request_get_status(requests[i], &flag, statuses);
                if (flag) MPI_Wait(&requests[i], statuses);
            }
            if (flag) places[number++] = i;
            else usleep(50);
        }
    }
    note(polls);
    for (int i = 0; i < number; i++) done(places[i], &statuses[i]);
    return number;
}

static void posted(const struct episode *episode)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int places[MOST];
    posts(episode, requests, episode->total);
    for (int left = episode->total; left > 0;) left -= some(episode->completes, requests, episode->total, places, statuses);
}

static void all_together(const struct episode *episode)
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int flag = 0, polls = 0;
    posts(episode, requests, episode->total);
    for (; !flag; polls++) {
        MPI_Testall(episode->total, requests, &flag, statuses);
        if (!flag) usleep(100);
    }
    note((uint64_t)polls);
    for (int i = 0; i < episode->total; i++) done(i, &statuses[i]);
}

/* A few prepared receives, started again and again. Their type is freed long before. */
static void prepared(const struct episode *episode)
{
    MPI_Request requests[3], active[3];
    MPI_Status statuses[3];
    MPI_Datatype type;
    int places[3], count = episode->total < 3 ? episode->total : 3, started = count, left = episode->total;
    MPI_Type_contiguous(LENGTH, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < count; i++)
        MPI_Recv_init(values[i], 1, type, MPI_ANY_SOURCE, MPI_ANY_TAG, episode->comm, &requests[i]);
    MPI_Type_free(&type);
    MPI_Startall(count, requests);
    for (int i = 0; i < count; i++) active[i] = requests[i];
    while (left > 0) {
        int number = some(episode->completes, active, count, places, statuses);
        left -= number;
        for (int i = 0; i < number; i++) {
            active[places[i]] = MPI_REQUEST_NULL;
            if (started == episode->total) continue;
            started++;
            active[places[i]] = requests[places[i]];
            MPI_Start(&active[places[i]]);
        }
    }
    for (int i = 0; i < count; i++) MPI_Request_free(&requests[i]);
}

/* The same in rounds, which are complete together. */
static void prepared_rounds(const struct episode *episode)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    for (int i = 0; i < 3; i++)
        MPI_Recv_init(values[i], LENGTH, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, episode->comm, &requests[i]);
    for (int left = episode->total; left > 0;) {
        int count = left < 3 ? left : 3;
        MPI_Startall(count, requests);
        MPI_Waitall(count, requests, statuses);
        for (int i = 0; i < count; i++) done(i, &statuses[i]);
        left -= count;
    }
    for (int i = 0; i < 3; i++) MPI_Request_free(&requests[i]);
}

/* One receive is cancelled when a message may have come, or not; so is a prepared one. */
static void cancelled(const struct episode *episode)
{
    MPI_Request request;
    MPI_Status status;
    int is_prepared = episode->completes % 2, is_cancelled, left = episode->total;
    if (is_prepared) {
        MPI_Recv_init(values[0], LENGTH, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, episode->comm, &request);
        MPI_Start(&request);
    } else {
        posts(episode, &request, 1);
    }
    doze();
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    note((uint64_t)is_cancelled);
    if (!is_cancelled) {
        done(0, &status);
        left--;
    }
    for (; left > 0; left--) {
        MPI_Recv(values[0], LENGTH, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, episode->comm, &status);
        done(0, &status);
    }
    if (is_prepared) MPI_Request_free(&request);
}

/* Asks each sender in turn whether something has come from it. */
static void asks_each(const struct episode *episode)
{
    MPI_Status status;
    int flag, left[64], polls = 0;
    for (int i = 0; i < episode->size; i++) left[i] = i == episode->root ? 0 : episode->each;
    for (int all = episode->total, from = 0; all > 0; from = (from + 1) % episode->size) {
        if (!left[from]) continue;
        polls++;
        MPI_Iprobe(from, MPI_ANY_TAG, episode->comm, &flag, &status);
        if (!flag) {
            usleep(50);
            continue;
        }
        MPI_Recv(values[0], LENGTH, MPI_INT, from, status.MPI_TAG, episode->comm, &status);
        note((uint64_t)polls);
        done(0, &status);
        left[from]--;
        all--;
    }
}

/* Beside the receives there is an operation of all, and a message to itself. */
static void mixed(const struct episode *episode, MPI_Request *collective)
{
    MPI_Request requests[MOST + 2];
    MPI_Status statuses[MOST + 2];
    int places[MOST + 2], own = 7;
    posts(episode, requests, episode->total);
    requests[episode->total] = *collective;
    MPI_Isend(&own, 1, MPI_INT, (episode->root + 1) % episode->size, 99, episode->comm, &requests[episode->total + 1]);
    for (int left = episode->total + 2, number; left > 0; left -= number) {
        MPI_Waitsome(episode->total + 2, requests, &number, places, statuses);
        for (int i = 0; i < number; i++) {
            note((uint64_t)places[i]);
            if (places[i] < episode->total) done(places[i], &statuses[i]);
        }
        usleep(200);
    }
}

static void receives(const struct episode *episode)
{
    MPI_Status status;
    for (int i = 0; i < episode->total; i++) {
        MPI_Recv(values[0], LENGTH, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, episode->comm, &status);
        done(0, &status);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    unsigned seed = 0;
    MPI_Comm comms[2] = { MPI_COMM_WORLD, MPI_COMM_NULL };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[1]);
    FILE *file = fopen("/dev/urandom", "r");
    if (!file || fread(&seed, sizeof seed, 1, file) != 1) abort();
    fclose(file);
    srandom(seed);
    note(strtoull(argc > 1 ? argv[1] : "1", NULL, 10));
    state = trail;
    if (rank == 0) printf("order:");
    for (int i = 0; i < EPISODES; i++) {
        struct episode episode = { .comm = comms[below(2)], .size = size, .root = below(size), .each = 1 + below(MOST_EACH) };
        MPI_Request collective;
        int one = 1, sum;
        MPI_Comm_rank(episode.comm, &episode.rank);
        episode.total = episode.each * (size - 1);
        episode.way = below(8);
        episode.completes = below(6);
        episode.is_named = below(2);
        trail = state;
        if (episode.way == 6) MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, episode.comm, &collective);
        if (episode.rank == episode.root) {
            switch (episode.way) {
            case 0: receives(&episode); break;
            case 1: posted(&episode); break;
            case 2: all_together(&episode); break;
            case 3: prepared(&episode); break;
            case 4: prepared_rounds(&episode); break;
            case 5: cancelled(&episode); break;
            case 6: mixed(&episode, &collective); break;
            default: asks_each(&episode);
            }
        } else {
            sends(&episode);
            if (episode.way == 6) {
                doze();
                MPI_Wait(&collective, MPI_STATUS_IGNORE);
                if (episode.rank == (episode.root + 1) % size)
                    MPI_Recv(&sum, 1, MPI_INT, episode.root, 99, episode.comm, MPI_STATUS_IGNORE);
            }
        }
        /* What all do next depends on it. */
        MPI_Bcast(&trail, 1, MPI_UINT64_T, episode.root, episode.comm);
        state = trail;
        if (rank == 0) printf(" %d:%016llx", episode.way, (unsigned long long)trail);
    }
    if (rank == 0) printf("\n");
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
