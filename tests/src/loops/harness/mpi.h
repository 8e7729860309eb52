/* The functions of MPI that the sheets call, for running each rank alone: what is received differs by rank, what a
 * collective gives to all is the same. */
#ifndef HX_MPI_H
#define HX_MPI_H
#ifdef __cplusplus
extern "C" {
#endif
#define MPI_COMM_WORLD 0
#define MPI_INT 1
#define MPI_DOUBLE 2
#define MPI_SUM 1
#define MPI_MAX 2
#define MPI_STATUS_IGNORE ((MPI_Status *) 0)
typedef struct { int MPI_SOURCE; int MPI_TAG; } MPI_Status;
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_rank(int communicator, int *rank);
int MPI_Comm_size(int communicator, int *size);
int MPI_Bcast(void *buffer, int count, int type, int root, int communicator);
int MPI_Recv(void *buffer, int count, int type, int from, int tag, int communicator, MPI_Status *status);
int MPI_Send(const void *buffer, int count, int type, int to, int tag, int communicator);
int MPI_Sendrecv(const void *out, int outs, int out_type, int to, int out_tag, void *in, int ins, int in_type, int from,
                 int in_tag, int communicator, MPI_Status *status);
int MPI_Allreduce(const void *out, void *in, int count, int type, int operation, int communicator);
int MPI_Reduce(const void *out, void *in, int count, int type, int operation, int root, int communicator);
int MPI_Allgather(const void *out, int outs, int out_type, void *in, int ins, int in_type, int communicator);
int MPI_Scatter(const void *out, int outs, int out_type, void *in, int ins, int in_type, int root, int communicator);
int MPI_Scan(const void *out, void *in, int count, int type, int operation, int communicator);
int MPI_Comm_dup(int communicator, int *copy);
int MPI_Comm_split(int communicator, int color, int key, int *part);
int MPI_Barrier(int communicator);
int MPI_Test(int *request, int *flag, MPI_Status *status);
double MPI_Wtime(void);
int MPI_Finalize(void);
#ifdef __cplusplus
}
#endif
#endif
