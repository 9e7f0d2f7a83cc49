package cbor

import "math/bits"

// Maps of the same kind have the same keys over and over: a small cache returns
// the string of a short text key that was seen lately, which is then neither
// checked nor copied. A key enters it when it is seen for the second time, as
// an allocation of its own: the cache keeps at most 64 short strings alive from
// item to item, and costs little where keys do not come again.
type keyCache struct {
	keys         [1 << cacheBits]cachedKey
	seen         [1 << cacheBits]uint32 // hashes of the last keys that were not there
	hits, misses int
}

type cachedKey struct {
	text  string
	boxed any // the same, or nil
}

const (
	cacheBits = 6
	// minCached and maxCached bound the length of cached keys: longer ones
	// are seldom the same again.
	minCached = 2
	maxCached = 16
	// cacheTrial is after how many misses the cache must have paid.
	cacheTrial = 256
)

// cachedKey returns the cached key with the text s. It is nil if the cache is not for s.
func (b *builder) cachedKey(s []byte) *cachedKey {
	c := &b.keyCache
	if len(s) < minCached || len(s) > maxCached || c.misses > cacheTrial && c.hits < c.misses {
		return nil
	}
	h := keyHash(s)
	i := h >> (64 - cacheBits)
	e := &c.keys[i]
	if e.text == string(s) {
		c.hits++
	} else {
		c.misses++
		if c.seen[i] != uint32(h>>16) || !validUTF8(s) {
			c.seen[i] = uint32(h >> 16)
			return nil
		}
		*e = cachedKey{text: string(s)}
	}
	if e.boxed == nil && b.opt.Maps == MapOrdered {
		e.boxed = e.text
	}
	return e
}

const hashFactor = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio

// keyHash returns a hash of s, at least minCached bytes, in the upper bits.
func keyHash[T string | []byte](s T) uint64 {
	n := len(s)
	var h uint64
	switch {
	case n >= 8:
		h = load64(s) ^ bits.RotateLeft64(load64(s[n-8:]), 29)
	case n >= 4:
		h = uint64(load32(s)) | uint64(load32(s[n-4:]))<<32
	default:
		h = uint64(s[0]) | uint64(s[n-1])<<8 | uint64(s[n/2])<<16
	}
	return (h + uint64(n)) * hashFactor
}

func load32[T string | []byte](s T) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func load64[T string | []byte](s T) uint64 {
	return uint64(load32(s)) | uint64(load32(s[4:]))<<32
}
