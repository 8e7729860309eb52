#include "sides.hpp"

Cell::Cell(int column, int row)
{
    x = column;
    y = row;
    if (x > 0)
        open |= 1u << Left;
    if (x < 1)
        open |= 1u << Right;
    if (y > 0)
        open |= 1u << Down;
    if (y < 1 && x < 1) /* BUG: the cells at the right have one above, too */
        open |= 1u << Up;
}

int Cell::beside(Side side) const
{
    const int dx[] = {-1, 1, 0, 0}, dy[] = {0, 0, -1, 1};
    return (y + dy[side]) * 2 + x + dx[side];
}
