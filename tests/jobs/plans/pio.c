/* The case study of AutomaDeD (section 5.1), after its description: tasks write through I/O groups, each with one writer, which may belong to another
 * group and then has two duties: it writes for the one group, and hands its own buffer to the writer of the other. While it writes it probes whether that one asks
 * for its buffer. Two sets of buffers are written, a large and then a small one, with tags that are fixed at compile time: a task that still writes the
 * large set answers the request for the small one, and waits for that request for ever when it comes to the small set itself.
 *
 * Groups are {0,1,2} and {3,4}. Rank 3 writes the large set of the first group, rank 1 its small one, rank 0 both of the second. On a big machine the bad order happens
 * by chance; here rank 2 waits with its large buffer until rank 0 is so far. With PLAN=fixed each set has tags of its own, and the job ends. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_REQUEST = 7, TAG_SIZE, TAG_BUFFER, TAG_GO, TAGS };
enum { LARGE, SMALL };

static int rank, is_fixed;
static int buffer[2][1000];
static int dataWritten;

static int tag_of(int tag, int set)
{
    return is_fixed ? tag + set * TAGS : tag;
}

/* The duty of a task that does not write: it waits for the writer's request, and answers with its buffer. */
static void answer(int writer, int set)
{
    int request, size = set == LARGE ? 1000 : 10;
    MPI_Recv(&request, 1, MPI_INT, writer, tag_of(TAG_REQUEST, set), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&size, 1, MPI_INT, writer, tag_of(TAG_SIZE, set), MPI_COMM_WORLD);
    MPI_Send(buffer[set], size, MPI_INT, writer, tag_of(TAG_BUFFER, set), MPI_COMM_WORLD);
    dataWritten++;
}

/* The writer asks one member after the other. If it has the other duty as well, it answers its own writer meanwhile. How often it has. */
static int write_group(const int *members, int count, int own_writer, int set)
{
    int answered = 0;
    for (int each = 0; each < count; each++) {
        int request = set, size, is_there = 0, is_asked;
        MPI_Request receive;
        MPI_Send(&request, 1, MPI_INT, members[each], tag_of(TAG_REQUEST, set), MPI_COMM_WORLD);
        MPI_Irecv(&size, 1, MPI_INT, members[each], tag_of(TAG_SIZE, set), MPI_COMM_WORLD, &receive);
        if (is_fixed && set == SMALL && rank == 0 && each == 0)
            MPI_Send(&request, 1, MPI_INT, 2, TAG_GO, MPI_COMM_WORLD);
        while (!is_there) {
            MPI_Test(&receive, &is_there, MPI_STATUS_IGNORE);
            MPI_Iprobe(own_writer, tag_of(TAG_REQUEST, set), MPI_COMM_WORLD, &is_asked, MPI_STATUS_IGNORE);
            if (is_asked) {
                answer(own_writer, set);
                answered++;
            }
        }
        int *room = malloc(sizeof(int) * (size_t)size);
        MPI_Recv(room, size, MPI_INT, members[each], tag_of(TAG_BUFFER, set), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(room);
    }
    return answered;
}

static void Pclose_forWrite(int set)
{
    static const int first[] = { 0, 1, 2 }, second[] = { 3, 4 }, small[] = { 0, 2 };
    int first_writer = set == LARGE ? 3 : 1, go;
    int own_writer = rank < 3 ? first_writer : 0;
    int answered = 0;
    if (rank == first_writer)
        answered = write_group(set == LARGE ? first : small, set == LARGE ? 3 : 2, rank == 3 ? 0 : MPI_PROC_NULL, set);
    if (rank == 0)
        answered = write_group(second, 2, own_writer, set);
    if (rank == 2 && set == LARGE)
        MPI_Recv(&go, 1, MPI_INT, 0, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!answered && rank != own_writer)
        answer(own_writer, set);
}

int main(int argc, char **argv)
{
    const char *plan = getenv("PLAN");
    int go = 0;
    is_fixed = plan && !strcmp(plan, "fixed");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Pclose_forWrite(LARGE);
    Pclose_forWrite(SMALL);
    if (rank == 0 && !is_fixed)
        MPI_Send(&go, 1, MPI_INT, 2, TAG_GO, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
