typedef struct { int items[256]; int count; } Bag;
void bag_add(Bag *bag, int item);
void merge_up(Bag *bag);
void spread_down(Bag *bag);
