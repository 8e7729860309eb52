#ifndef CONFIG_H
#define CONFIG_H
struct config {
    int width;
    int height;
    int verbose;
};
extern struct config config;
void read_config(int width, int height);
int area(void);
#endif
