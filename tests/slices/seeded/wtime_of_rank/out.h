#include <mpi.h>
typedef struct { double began, last, every; int count; MPI_Comm comm; double *buffer; int width; } Saver;
void saver_open(Saver *s, MPI_Comm comm, double every, int width);
int saver_due(Saver *s);
void saver_save(Saver *s, const double *data);
void saver_close(Saver *s);
double work(double *data, int width, int step);
