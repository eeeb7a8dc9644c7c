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
#define FRAME_REGISTERS x29, x30, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, d8, d9, d10, d11, d12, d13, d14, d15

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
.set .Loffset, 0
.irp pair, "x29, x30", "x19, x20", "x21, x22", "x23, x24", "x25, x26", "x27, x28", "d8, d9", "d10, d11", "d12, d13", "d14, d15"
        stp     \pair, [sp, .Loffset]
        .set .Loffset, .Loffset + 16
.endr
        FRAME_SAVED
        mrs     x9, fpcr
        str     x9, [sp, 160]
        mov     x10, sp
        str     x10, [x0]
.endm

/* For unwinders: the registers lie in the frame at sp. */
.macro FRAME_SAVED
.set .Loffset, 0
.irp register, FRAME_REGISTERS
        .cfi_rel_offset \register, .Loffset
        .set .Loffset, .Loffset + 8
.endr
.endm

/* Continues the context at sp and returns the After in x2:x3 to it. x9: the FPCR in force. */
.macro RESTORE_FRAME
        ldr     x10, [sp, 160]
        cmp     x9, x10
        b.eq    1f
        msr     fpcr, x10
1:      mov     x0, x2
        mov     x1, x3
.set .Loffset, 144
.irp pair, "d14, d15", "d12, d13", "d10, d11", "d8, d9", "x27, x28", "x25, x26", "x23, x24", "x21, x22", "x19, x20", "x29, x30"
        ldp     \pair, [sp, .Loffset]
        .set .Loffset, .Loffset - 16
.endr
        add     sp, sp, FRAME_SIZE
        .cfi_def_cfa_offset 0
.irp register, FRAME_REGISTERS
        .cfi_restore \register
.endr
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
