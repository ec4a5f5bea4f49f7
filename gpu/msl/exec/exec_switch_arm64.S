// exec_switch(save, to): leaves one context, with the registers that calls preserve on its stack, and enters another.
// exec_resume is its second half: a signal handler may send a thread there, with the stack pointer at a saved context.
#ifdef __APPLE__
#define NAME(n) _##n
#else
#define NAME(n) n
#endif

    .text
    .globl NAME(exec_switch)
    .globl NAME(exec_resume)
    .p2align 4
NAME(exec_switch):
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
NAME(exec_resume):
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
#ifndef __APPLE__
    .section .note.GNU-stack,"",%progbits
#endif
