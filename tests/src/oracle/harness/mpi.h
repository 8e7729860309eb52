/* The functions of MPI that generated programs and loops call, for running them without MPI. */
#ifndef HX_MPI_H
#define HX_MPI_H
#define MPI_COMM_WORLD 0
#define MPI_INT 1
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_rank(int communicator, int *rank);
int MPI_Bcast(void *buffer, int count, int type, int root, int communicator);
int MPI_Barrier(int communicator);
int MPI_Finalize(void);
#endif
