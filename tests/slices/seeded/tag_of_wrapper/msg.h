#include <mpi.h>
enum kind { COUNT = 1, DATA = 2 };
void msg_init(MPI_Comm comm);
void msg_send(const void *data, int count, MPI_Datatype type, int to, enum kind kind, int level);
void msg_recv(void *data, int count, MPI_Datatype type, int from, enum kind kind, int level);
int msg_rank(void);
int msg_size(void);
