//go:build !purego

package cbor

import "testing"

func init() {
	textWays = append(textWays, textWay{"validUTF8 without AVX2", func(s []byte) bool {
		defer func(saved bool) { useAVX2 = saved }(useAVX2)
		useAVX2 = false
		return validUTF8(s)
	}})
}

func TestHasAVX2(t *testing.T) {
	if !useAVX2 {
		t.Skip("this processor has no AVX2: the assembly is not tested")
	}
}
