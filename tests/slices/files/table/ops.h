#ifndef OPS_H
#define OPS_H
struct op {
    int code;
    int (*run)(int, int);
};
int op_add(int a, int b);
int op_scale(int a, int b);
#endif
