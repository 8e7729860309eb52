/* A switch in a loop as a state machine. */
#include "observe.h"

enum state { START, WORK, REST, DONE };

int main(void)
{
    enum state s = START;
    int work = 0;
    int rest = 0;
    int i = 0;
    while (s != DONE) {
        switch (s) {
        case START:
            s = WORK;
            break;
        case WORK:
            work++;
            s = input(i) > 4 ? REST : WORK;
            break;
        case REST:
            rest++;
            s = WORK;
            break;
        case DONE:
            break;
        }
        i++;
        if (i > 7)
            s = DONE;
    }
    observe(work);
    return 0;
}
