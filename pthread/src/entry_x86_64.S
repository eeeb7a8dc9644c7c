/* How a thread of libkumiko_pthread enters the program, for x86-64 (System V ABI). */

        .text

/* void* kumiko_call_outermost(void* (*function)(void*), void* argument, void* top)
 *                             rdi                       rsi             rdx
 * Calls function(argument), on the stack that ends at `top` (a multiple of 16) unless that is null.
 * Unwinders see no caller: an exception that nobody catches ends in the program's std::terminate,
 * and pthread_exit() unwinds as far as here. */
        .globl  kumiko_call_outermost
        .hidden kumiko_call_outermost
        .type   kumiko_call_outermost, @function
        .p2align 4
kumiko_call_outermost:
        .cfi_startproc
        .cfi_undefined %rip
        pushq   %rbp
        .cfi_def_cfa %rsp, 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa %rbp, 16
        testq   %rdx, %rdx
        cmovnzq %rdx, %rsp
        movq    %rdi, %rax
        movq    %rsi, %rdi
        call    *%rax
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   kumiko_call_outermost, . - kumiko_call_outermost

        .section .note.GNU-stack, "", @progbits
