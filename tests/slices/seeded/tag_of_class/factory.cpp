#include "channel.hpp"

static int tag_for(int field, bool upwards)
{
    return 2 * field + (upwards ? 1 : 0);
}

Channels make_channels(int rank, int size, int field)
{
    Channels all;
    if (rank + 1 < size)
        all.push_back(std::make_unique<Outgoing>(rank + 1, tag_for(field, true)));
    if (rank > 0)
        all.push_back(std::make_unique<Incoming>(rank - 1, tag_for(field, true)));
    if (rank > 0)
        all.push_back(std::make_unique<Outgoing>(rank - 1, tag_for(field, rank % 2 == 0))); /* BUG: false */
    if (rank + 1 < size)
        all.push_back(std::make_unique<Incoming>(rank + 1, tag_for(field, false)));
    return all;
}
