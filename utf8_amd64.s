//go:build !purego

#include "textflag.h"

// NOTE: The check is that of Keiser and Lemire, "Validating UTF-8 in less than
// one instruction per byte" (Software: Practice and Experience 51, 2021). Three
// tables, by the high and the low half of a byte and by the high half of the
// next one, give the faults that each of them leaves possible for the pair;
// a fault in all three is one of the pair. Whether a byte must be a
// continuation because of the bytes two or three before it, which no pair
// tells, is compared with the fault TWO_CONTS.
//
// Each block is loaded anew at one, two and three bytes before it, which takes
// less time than to shift the block before it in. So a block may begin
// anywhere behind the third byte, and the last one ends where the text does:
// no load reaches beyond the text on either side.

// TOO_SHORT    0x01  a leading byte, then no continuation
// TOO_LONG     0x02  ASCII, then a continuation
// OVERLONG_3   0x04  e0, then 80 to 9f
// TOO_LARGE    0x08  f4 to ff, then 90 to bf
// SURROGATE    0x10  ed, then a0 to bf
// OVERLONG_2   0x20  c0 or c1, then a continuation
// OVERLONG_4   0x40  f0, then 80 to 8f; also f5 to ff, then 80 to 8f
// TWO_CONTS    0x80  two continuations; its place is that of the sign

// By the high half of the first byte, from 0 to f.
DATA high1<>+0(SB)/8, $0x0202020202020202
DATA high1<>+8(SB)/8, $0x4915012180808080
GLOBL high1<>(SB), RODATA|NOPTR, $16

// By the low half of the first byte.
DATA low1<>+0(SB)/8, $0xcbcbcb8b8383a3e7
DATA low1<>+8(SB)/8, $0xcbcbdbcbcbcbcbcb
GLOBL low1<>(SB), RODATA|NOPTR, $16

// By the high half of the second byte.
DATA high2<>+0(SB)/8, $0x0101010101010101
DATA high2<>+8(SB)/8, $0x01010101babaaee6
GLOBL high2<>(SB), RODATA|NOPTR, $16

// The low half of a byte; what taken from e0 and f0 leaves 80; the sign.
DATA bytes<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
DATA bytes<>+8(SB)/8, $0x6060606060606060
DATA bytes<>+16(SB)/8, $0x7070707070707070
DATA bytes<>+24(SB)/8, $0x8080808080808080
GLOBL bytes<>(SB), RODATA|NOPTR, $32

// The largest bytes that the last four may be without asking for more.
DATA ends<>+0(SB)/4, $0xbfdfefff
GLOBL ends<>(SB), RODATA|NOPTR, $4

// Loaded i bytes on, it shuffles a vector of 16 bytes down by i.
DATA down<>+0(SB)/8, $0x0706050403020100
DATA down<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA down<>+16(SB)/8, $0x8080808080808080
DATA down<>+24(SB)/8, $0x8080808080808080
GLOBL down<>(SB), RODATA|NOPTR, $32

#define TABLES \
	VPBROADCASTQ   bytes<>+0(SB), Y8   \
	VBROADCASTI128 high1<>(SB), Y9     \
	VBROADCASTI128 low1<>(SB), Y10     \
	VBROADCASTI128 high2<>(SB), Y11    \
	VPBROADCASTQ   bytes<>+8(SB), Y12  \
	VPBROADCASTQ   bytes<>+16(SB), Y13 \
	VPBROADCASTQ   bytes<>+24(SB), Y14

// CHECK adds the faults of the bytes in Y0 to Y15, where Y1, Y2 and Y3 are the
// bytes one, two and three before them.
#define CHECK \
	VPSRLW   $4, Y1, Y4   \
	VPAND    Y8, Y4, Y4   \
	VPSHUFB  Y4, Y9, Y4   \
	VPAND    Y8, Y1, Y5   \
	VPSHUFB  Y5, Y10, Y5  \
	VPSRLW   $4, Y0, Y6   \
	VPAND    Y8, Y6, Y6   \
	VPSHUFB  Y6, Y11, Y6  \
	VPAND    Y4, Y5, Y4   \
	VPAND    Y4, Y6, Y4   \
	VPSUBUSB Y12, Y2, Y2  \
	VPSUBUSB Y13, Y3, Y3  \
	VPOR     Y2, Y3, Y3   \
	VPAND    Y14, Y3, Y3  \
	VPXOR    Y3, Y4, Y4   \
	VPOR     Y4, Y15, Y15

#define LOAD(off) \
	VMOVDQU (off)(SI), Y0   \
	VMOVDQU (off-1)(SI), Y1 \
	VMOVDQU (off-2)(SI), Y2 \
	VMOVDQU (off-3)(SI), Y3

// CUT adds a fault to Y15 if a character is cut off at end, and sets the flag
// Z if Y15 has none.
#define CUT(end) \
	VMOVD    -4(end), X0      \
	VMOVD    ends<>(SB), X1   \
	VPSUBUSB X1, X0, X0       \
	VPOR     Y0, Y15, Y15     \
	VPTEST   Y15, Y15

// func validText(s []byte) bool
TEXT ·validText(SB), NOSPLIT, $0-25
	CMPB  ·useAVX2(SB), $1
	JNE   std
	MOVQ  s_base+0(FP), SI
	MOVQ  s_len+8(FP), CX
	LEAQ  (SI)(CX*1), DX     // the end
	VPXOR Y15, Y15, Y15
	CMPQ  CX, $32
	JLT   below32
	LEAQ  -64(DX), DI
	CMPQ  CX, $64
	JGE   ascii

	// 32 to 63 bytes
	VMOVDQU   (SI), Y0
	VPOR      -32(DX), Y0, Y1
	VPMOVMSKB Y1, AX
	TESTL     AX, AX
	JZ        valid
	JMP       first

	// SI is at or before DI, and no character is cut off at SI.
	PCALIGN $32

ascii:
	VMOVDQU   (SI), Y0
	VPOR      32(SI), Y0, Y1
	VPMOVMSKB Y1, AX
	TESTL     AX, AX
	JNZ       text
	ADDQ      $64, SI
	CMPQ      SI, DI
	JLS       ascii
	VMOVDQU   (DI), Y1
	VPOR      32(DI), Y1, Y1
	VPMOVMSKB Y1, AX
	TESTL     AX, AX
	JZ        valid

text:
	CMPQ SI, s_base+0(FP)
	JEQ  first
	TABLES
	JMP  blocks

below32:
	CMPQ        CX, $16
	JLT         below16
	LEAQ        down<>+32(SB), AX
	SUBQ        CX, AX
	VMOVDQU     (SI), X0
	VMOVDQU     -16(DX), X1
	VPSHUFB     (AX), X1, X1       // without those in X0; zeros behind
	VINSERTI128 $1, X1, Y0, Y0
	JMP         first

below16:
	CMPQ    CX, $8
	JLT     below8
	MOVQ    -8(DX), AX
	NEGL    CX
	LEAL    15(CX), CX
	SHLL    $3, CX
	SHRQ    $8, AX
	SHRQ    CX, AX                 // by 16-n bytes in all
	VMOVQ   (SI), X0
	VPINSRQ $1, AX, X0, X0
	MOVL    $16, CX
	JMP     first

below8:
	CMPQ  CX, $4
	JLT   std
	MOVL  (SI), AX
	MOVL  -4(DX), BX
	LEAL  -4(CX), CX
	SHLL  $3, CX
	SHLQ  CX, BX
	ORQ   BX, AX
	VMOVQ AX, X0
	MOVL  $8, CX

	// Y0 has the first 32 bytes of the text, or all of it and zeros; CX is
	// its length, or anything up to 32 if there is no more.
first:
	TABLES
	VPERM2I128 $0x08, Y0, Y0, Y3   // zeros and the lower half
	VPALIGNR   $15, Y3, Y0, Y1
	VPALIGNR   $14, Y3, Y0, Y2
	VPALIGNR   $13, Y3, Y0, Y3
	CHECK
	CMPQ       CX, $32
	JLE        done
	ADDQ       $32, SI
	CMPQ       CX, $64
	JGE        blocks
	CMPQ       CX, $48
	JGT        last

	// 33 to 48 bytes: there may not be three bytes before the last 32.
	VMOVDQU -16(DX), X0
	VMOVDQU -17(DX), X1
	VMOVDQU -18(DX), X2
	VMOVDQU -19(DX), X3
	CHECK
	JMP     done

	PCALIGN $32

blocks:
	CMPQ      SI, DI
	JHI       below64
	VMOVDQU   (SI), Y0
	VPOR      32(SI), Y0, Y1
	VPMOVMSKB Y1, AX
	TESTL     AX, AX
	JZ        cut
	LOAD(0)
	CHECK
	LOAD(32)
	CHECK
	ADDQ      $64, SI
	JMP       blocks

cut:
	CUT(SI)
	JZ  ascii
	JMP invalid

below64:
	LEAQ 32(SI), AX
	CMPQ AX, DX
	JHI  last
	LOAD(0)
	CHECK
	ADDQ $32, SI

last:
	CMPQ SI, DX
	JEQ  done
	LEAQ -32(DX), SI
	LOAD(0)
	CHECK

done:
	CUT(DX)
	JNZ invalid

valid:
	VZEROUPPER
	MOVB $1, ret+24(FP)
	RET

invalid:
	VZEROUPPER
	MOVB $0, ret+24(FP)
	RET

std:
	JMP ·validStd(SB)

// func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL subleaf+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
