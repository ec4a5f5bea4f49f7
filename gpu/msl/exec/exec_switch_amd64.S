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
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
NAME(exec_resume):
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
#ifndef __APPLE__
    .section .note.GNU-stack,"",@progbits
#endif
