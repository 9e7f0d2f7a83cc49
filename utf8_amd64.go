//go:build !purego

package cbor

import "unicode/utf8"

// useAVX2 is a variable so that tests can turn it off.
var useAVX2 = hasAVX2()

// validText is validUTF8 without a guess at the content. It is assembly that
// goes to validStd itself: a Go function between them costs 1.5 ns a call.
//
//go:noescape
func validText(s []byte) bool

// validStd is what validText does without AVX2 or for less than 4 bytes.
//
//lint:ignore U1000 the assembly calls it
func validStd(s []byte) bool { return utf8.Valid(s) }

// hasAVX2 reports whether the processor has AVX2 and the system keeps its
// registers.
func hasAVX2() bool {
	if maxLeaf, _, _, _ := cpuid(0, 0); maxLeaf < 7 {
		return false
	}
	const (
		avx      = 1<<27 | 1<<28 // OSXSAVE, AVX
		ymmState = 1<<1 | 1<<2   // XMM and YMM registers
		avx2     = 1 << 5
	)
	if _, _, c, _ := cpuid(1, 0); c&avx != avx || xgetbv()&ymmState != ymmState {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b&avx2 != 0
}

// cpuid returns the registers after the instruction CPUID.
func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)

// xgetbv returns the lower half of XCR0. It needs OSXSAVE.
func xgetbv() uint32
