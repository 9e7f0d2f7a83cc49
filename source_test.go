package cbor

import (
	"math"
	"testing"
)

// TestBlockCap looks at the sizes of blocks for strings up to what cannot be.
func TestBlockCap(t *testing.T) {
	for _, n := range []uint64{1, blockSize, blockSize + 1, 1 << 20, 1<<31 - 1, 1 << 31, 1 << 32, 1 << 62, 1 << 63, math.MaxUint64} {
		for _, have := range []int{0, 1, blockSize, 1 << 20, 1 << 28, maxHeld - 1} {
			if uint64(have) >= n {
				continue
			}
			got := blockCap(n, have)
			if got <= have || got > maxHeld {
				t.Errorf("%d bytes of which %d are there: a block of %d", n, have, got)
			}
			if uint64(got) > max(blockSize, 14*uint64(have)) {
				t.Errorf("%d bytes of which %d are there: a block of %d is more than 14 times as much", n, have, got)
			}
		}
	}
}
