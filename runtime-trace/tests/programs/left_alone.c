/* Functions that cannot be rewritten, each for another reason, and one beside them that can. */
#include <stdio.h>

/* Too short for a jump: another function stands directly behind it. */
__asm__(".text\n.p2align 4\n"
        ".globl too_short\n.type too_short, @function\ntoo_short: ret\n.size too_short, .-too_short\n"
        ".globl behind_it\n.type behind_it, @function\nbehind_it: lea 1(%rdi,%rdi), %eax\nret\n.p2align 4\n.size behind_it, .-behind_it\n");
/* Another one jumps behind its first instruction. */
__asm__(".text\n.p2align 4\n"
        ".globl shared\n.type shared, @function\nshared: mov $100, %eax\nmiddle: add %edi, %eax\nret\n.p2align 4\n.size shared, .-shared\n"
        ".globl shares\n.type shares, @function\nshares: mov $200, %eax\nmov %edi, %edi\njmp middle\n.p2align 4\n.size shares, .-shares\n");
/* Its loop begins where it begins. */
__asm__(".text\n.p2align 4\n"
        ".globl again\n.type again, @function\nagain: add $3, %esi\ndec %edi\njnz again\nmov %esi, %eax\nret\n.p2align 4\n.size again, .-again\n");
/* A label within its first five bytes has its address in data alone. */
__asm__(".text\n.p2align 4\n"
        ".globl computed\n.type computed, @function\ncomputed: xor %eax, %eax\nhere: inc %eax\ncmp %edi, %eax\njge there\nmov places(%rip), %rcx\njmp *%rcx\n"
        "there: ret\n.p2align 4\n.size computed, .-computed\n"
        ".section .data.rel.ro, \"aw\"\n.p2align 3\nplaces: .quad here\n.text\n");
/* Its end has no room: what is before it can be jumped to, and what follows is another function. */
__asm__(".text\n.p2align 4\n"
        ".globl ends_short\n.type ends_short, @function\nends_short: mov $7, %eax\ntest %edi, %edi\njz out\nmov $8, %eax\nout: ret\n.size ends_short, .-ends_short\n"
        ".globl follows\n.type follows, @function\nfollows: lea 5(%rdi,%rdi), %eax\nret\n.p2align 4\n.size follows, .-follows\n");

/* There is room for a short jump at its end, and for the far one that it leads to behind the function that follows. */
__asm__(".text\n.p2align 4\n"
        ".globl near_filling\n.type near_filling, @function\nnear_filling: mov $7, %eax\ntest %edi, %edi\njz end\nmov $8, %eax\nend: ret\nnop\n.size near_filling, .-near_filling\n"
        ".globl with_filling\n.type with_filling, @function\nwith_filling: lea 5(%rdi,%rdi), %eax\nret\n.skip 12, 0x90\n.p2align 4\n.size with_filling, 5\n");
/* It calls within its first five bytes, and an exception passes through that call in other programs: what it calls returns to where it was called. */
__asm__(".text\n.p2align 4\n"
        ".globl calls\n.type calls, @function\ncalls: .cfi_startproc\nsub $8, %rsp\n.cfi_def_cfa_offset 16\ncall where\nadd $8, %rsp\n.cfi_def_cfa_offset 8\nret\n"
        ".cfi_endproc\n.p2align 4\n.size calls, .-calls\n");
int calls(void);
__attribute__((noinline)) int where(void)
{
    return (int)((char *)__builtin_return_address(0) - (char *)calls);
}

int near_filling(int), with_filling(int), behind_it(int), shared(int), shares(int), again(int, int), computed(int), ends_short(int), follows(int);

/* A table of jumps, to ends and to calls that are ends. */
__attribute__((noinline)) int chooses(int n)
{
    switch (n) {
    case 1: return follows(1);
    case 2: puts("two"); return 4;
    case 3: return behind_it(2) + 1;
    case 4: return 9;
    case 5: puts("five"); return 3;
    case 6: return again(n, n);
    case 8: return 11;
    case 9: return ends_short(0);
    }
    return -1;
}

__attribute__((noinline)) int traced(int n)
{
    __asm__ volatile("sub $128, %%rsp\ncall too_short\nadd $128, %%rsp" ::: "memory", "cc");
    return near_filling(n) + with_filling(n) + behind_it(n) + shared(n) + shares(n) + again(n, 0) + computed(n) + ends_short(n) + follows(n) + calls() + chooses(n);
}

int main(void)
{
    int sum = 0;
    for (int n = 1; n <= 10; n++) sum += traced(n);
    printf("%d\n", sum);
    return 0;
}
