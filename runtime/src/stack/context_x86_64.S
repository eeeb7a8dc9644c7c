/* Context switch for x86-64 (System V ABI), see context.hpp.
 *
 * A suspended context is its stack pointer; the stack holds, from there upwards:
 *
 *     offset  content
 *       0     MXCSR (4 bytes): only its control bits are callee-saved, the flags travel along
 *       4     x87 control word (2 bytes), 2 bytes unused
 *       8     r15
 *      16     r14
 *      24     r13
 *      32     r12
 *      40     rbx
 *      48     rbp
 *      56     return address
 *
 * The control words are loaded only where the two sides differ: fldcw and ldmxcsr are slow.
 */

        .text

/* Pushes the callee-saved registers: the frame of the table above. */
.macro SAVE_FRAME
.irp register, rbp, rbx, r12, r13, r14, r15
        pushq   %\register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\register, 0
.endr
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr 0(%rsp)
        fnstcw  4(%rsp)
.endm

/* Continues the context at rsp and returns the After in rdx:rcx to it.
 * r8: where the control words in force have just been stored. */
.macro RESTORE_FRAME
        movl    0(%r8), %eax
        cmpl    0(%rsp), %eax
        jne     8f
1:      movzwl  4(%r8), %eax
        cmpw    4(%rsp), %ax
        jne     9f
2:      movq    %rdx, %rax
        movq    %rcx, %rdx
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
.irp register, r15, r14, r13, r12, rbx, rbp
        popq    %\register
        .cfi_adjust_cfa_offset -8
        .cfi_restore %\register
.endr
        ret
8:      ldmxcsr 0(%rsp)
        jmp     1b
9:      fldcw   4(%rsp)
        jmp     2b
.endm

/* After kumiko_context_switch(void** from, void* target, void (*function)(void*), void* argument)
 *                             rdi          rsi           rdx                      rcx       */
        .globl  kumiko_context_switch
        .hidden kumiko_context_switch
        .type   kumiko_context_switch, @function
        .p2align 4
kumiko_context_switch:
        .cfi_startproc
        SAVE_FRAME
        movq    %rsp, (%rdi)
        movq    %rsp, %r8
        movq    %rsi, %rsp      /* the same frame on another stack: the CFI above goes on to hold */
        RESTORE_FRAME
        .cfi_endproc
        .size   kumiko_context_switch, . - kumiko_context_switch

/* After kumiko_context_start(void** from, void* top, void* (*entry)(void*), void* argument)
 *                            rdi          rsi        rdx                    rcx       */
        .globl  kumiko_context_start
        .hidden kumiko_context_start
        .type   kumiko_context_start, @function
        .p2align 4
kumiko_context_start:
        .cfi_startproc
        SAVE_FRAME
        movq    %rsp, (%rdi)
        jmp     context_base
        .cfi_endproc
        .size   kumiko_context_start, . - kumiko_context_start

/* The first frame of every lightweight thread; unwinders stop here, for it has no caller.
 * Its 16 bytes: the control words at the end. */
        .type   context_base, @function
context_base:
        .cfi_startproc
        .cfi_undefined %rip
        .cfi_undefined %rbp
        leaq    -16(%rsi), %rsp
        .cfi_def_cfa %rsp, 16
        xorl    %ebp, %ebp      /* ends the chain of frame pointers */
        movq    %rcx, %rdi
        call    *%rdx
        movq    %rsp, %r8
        stmxcsr 0(%r8)
        fnstcw  4(%r8)
        xorl    %edx, %edx
        xorl    %ecx, %ecx
        movq    %rax, %rsp
        .cfi_def_cfa %rsp, 64
        .cfi_offset %rip, -8
        .cfi_offset %rbp, -16
        .cfi_offset %rbx, -24
        .cfi_offset %r12, -32
        .cfi_offset %r13, -40
        .cfi_offset %r14, -48
        .cfi_offset %r15, -56
        RESTORE_FRAME
        .cfi_endproc
        .size   context_base, . - context_base

        .section .note.GNU-stack, "", @progbits
