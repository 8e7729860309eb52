#include "table.hpp"

void read_part(Table &table, int rank)
{
    table.put("mass", 1.5 + rank);
    table.put("speed", 0.5 * rank);
    if (rank % 3 != 2)
        table.put("charge", 1.0);
}

double model(const Table &table)
{
    double energy = 0.5 * table.get("mass") * table.get("speed") * table.get("speed");
    return energy + table.get("charge");
}
