/* Context switch for aarch64 (AAPCS64), see context.hpp.
 *
 * A suspended context is its stack pointer; the stack holds, from there upwards:
 *
 *     offset  content
 *       0     x29
 *       8     x30, the return address
 *      16     x19 .. x28
 *      96     d8 .. d15: the lower halves of v8 .. v15, the upper ones are the caller's to save
 *     160     FPCR, 8 bytes unused
 *
 * FPCR is written only where the two sides differ: that is slow. FPSR, the flags, is nobody's to
 * keep. With branch protection x30 is signed by the stack pointer that its owner has at the return,
 * so it can be checked on whichever OS thread that is.
 */

#define FRAME_SIZE 176

/* The hint instructions are no-ops where the processor has no branch protection. */
#if defined(__ARM_FEATURE_PAC_DEFAULT)
#define FEATURE_PAC 2
#else
#define FEATURE_PAC 0
#endif
#if defined(__ARM_FEATURE_BTI_DEFAULT)
#define FEATURE_BTI 1
#else
#define FEATURE_BTI 0
#endif

        .text

/* Stores the callee-saved registers, the frame of the table above, and its address in [x0].
 * x9: FPCR. */
.macro SAVE_FRAME
#if FEATURE_PAC
        hint    25              /* paciasp, which is a landing pad too */
        .cfi_negate_ra_state
#elif FEATURE_BTI
        hint    34              /* bti c */
#endif
        sub     sp, sp, FRAME_SIZE
        .cfi_def_cfa_offset FRAME_SIZE
        stp     x29, x30, [sp]
        stp     x19, x20, [sp, 16]
        stp     x21, x22, [sp, 32]
        stp     x23, x24, [sp, 48]
        stp     x25, x26, [sp, 64]
        stp     x27, x28, [sp, 80]
        stp     d8, d9, [sp, 96]
        stp     d10, d11, [sp, 112]
        stp     d12, d13, [sp, 128]
        stp     d14, d15, [sp, 144]
        FRAME_SAVED
        mrs     x9, fpcr
        str     x9, [sp, 160]
        mov     x10, sp
        str     x10, [x0]
.endm

/* For unwinders: the registers lie in the frame at sp. */
.macro FRAME_SAVED
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        .cfi_rel_offset x19, 16
        .cfi_rel_offset x20, 24
        .cfi_rel_offset x21, 32
        .cfi_rel_offset x22, 40
        .cfi_rel_offset x23, 48
        .cfi_rel_offset x24, 56
        .cfi_rel_offset x25, 64
        .cfi_rel_offset x26, 72
        .cfi_rel_offset x27, 80
        .cfi_rel_offset x28, 88
        .cfi_rel_offset d8, 96
        .cfi_rel_offset d9, 104
        .cfi_rel_offset d10, 112
        .cfi_rel_offset d11, 120
        .cfi_rel_offset d12, 128
        .cfi_rel_offset d13, 136
        .cfi_rel_offset d14, 144
        .cfi_rel_offset d15, 152
.endm

/* Continues the context at sp and returns the After in x2:x3 to it. x9: the FPCR in force. */
.macro RESTORE_FRAME
        ldr     x10, [sp, 160]
        cmp     x9, x10
        b.eq    1f
        msr     fpcr, x10
1:      mov     x0, x2
        mov     x1, x3
        ldp     d14, d15, [sp, 144]
        ldp     d12, d13, [sp, 128]
        ldp     d10, d11, [sp, 112]
        ldp     d8, d9, [sp, 96]
        ldp     x27, x28, [sp, 80]
        ldp     x25, x26, [sp, 64]
        ldp     x23, x24, [sp, 48]
        ldp     x21, x22, [sp, 32]
        ldp     x19, x20, [sp, 16]
        ldp     x29, x30, [sp]
        add     sp, sp, FRAME_SIZE
        .cfi_def_cfa_offset 0
        .cfi_restore x29
        .cfi_restore x30
        .cfi_restore x19
        .cfi_restore x20
        .cfi_restore x21
        .cfi_restore x22
        .cfi_restore x23
        .cfi_restore x24
        .cfi_restore x25
        .cfi_restore x26
        .cfi_restore x27
        .cfi_restore x28
        .cfi_restore d8
        .cfi_restore d9
        .cfi_restore d10
        .cfi_restore d11
        .cfi_restore d12
        .cfi_restore d13
        .cfi_restore d14
        .cfi_restore d15
#if FEATURE_PAC
        hint    29              /* autiasp */
        .cfi_negate_ra_state
#endif
        ret
.endm

/* After kumiko_context_switch(void** from, void* target, void (*function)(void*), void* argument)
 *                             x0           x1            x2                       x3        */
        .globl  kumiko_context_switch
        .hidden kumiko_context_switch
        .type   kumiko_context_switch, %function
        .p2align 4
kumiko_context_switch:
        .cfi_startproc
        SAVE_FRAME
        mov     sp, x1          /* the same frame on another stack: the CFI above goes on to hold */
        RESTORE_FRAME
        .cfi_endproc
        .size   kumiko_context_switch, . - kumiko_context_switch

/* After kumiko_context_start(void** from, void* top, void* (*entry)(void*), void* argument)
 *                            x0           x1         x2                     x3        */
        .globl  kumiko_context_start
        .hidden kumiko_context_start
        .type   kumiko_context_start, %function
        .p2align 4
kumiko_context_start:
        .cfi_startproc
        SAVE_FRAME
        b       context_base
        .cfi_endproc
        .size   kumiko_context_start, . - kumiko_context_start

/* The first frame of every lightweight thread; unwinders stop here, for it has no caller.
 * It lies at the top of the stack and keeps nothing there. */
        .type   context_base, %function
context_base:
        .cfi_startproc
        .cfi_undefined x30
        .cfi_undefined x29
        mov     sp, x1
        .cfi_def_cfa sp, 0
        mov     x29, xzr        /* ends the chain of frame records */
        mov     x0, x3
        blr     x2
        mrs     x9, fpcr
        mov     x2, xzr         /* After{} */
        mov     x3, xzr
        mov     sp, x0
        .cfi_def_cfa sp, FRAME_SIZE
#if FEATURE_PAC
        .cfi_negate_ra_state
#endif
        FRAME_SAVED
        RESTORE_FRAME
        .cfi_endproc
        .size   context_base, . - context_base

#if FEATURE_BTI || FEATURE_PAC
/* GNU_PROPERTY_AARCH64_FEATURE_1_AND: this file keeps to what it says below. */
        .section .note.gnu.property, "a", %note
        .p2align 3
        .long   4, 16, 5
        .asciz  "GNU"
        .long   0xc0000000, 4, FEATURE_BTI | FEATURE_PAC, 0
#endif

        .section .note.GNU-stack, "", %progbits
