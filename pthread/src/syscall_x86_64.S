/* Functions that cannot be written in C, for x86-64 (System V ABI): syscall() passes on arguments
 * whose number it does not know, and vfork() returns twice in its caller's frame. */

        .text

/* Futexes go to kumiko_futex(word, operation, value, time, word2, value3). */
        .globl  syscall
        .type   syscall, @function
        .p2align 4
syscall:
        .cfi_startproc
        cmpq    $202, %rdi      /* SYS_futex */
        jne     __wrap_syscall
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %rcx
        movq    %r9, %r8
        movq    8(%rsp), %r9
        jmp     kumiko_futex
        .cfi_endproc
        .size   syscall, . - syscall

/* The system call itself. --wrap leads here from the rest of this library. */
        .globl  __wrap_syscall
        .hidden __wrap_syscall
        .type   __wrap_syscall, @function
        .p2align 4
__wrap_syscall:
        .cfi_startproc
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %r10
        movq    %r9, %r8
        movq    8(%rsp), %r9
        syscall
        cmpq    $-4095, %rax
        jae     1f
        ret
1:      negq    %rax
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        call    __errno_location@PLT
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        movl    %edx, (%rax)
        movq    $-1, %rax
        ret
        .cfi_endproc
        .size   __wrap_syscall, . - __wrap_syscall

/* pid_t vfork(void): kumiko_vfork_target() says whose. */
        .globl  vfork
        .type   vfork, @function
        .p2align 4
vfork:
        .cfi_startproc
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    kumiko_vfork_target
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   vfork, . - vfork

        .section .note.GNU-stack, "", @progbits
