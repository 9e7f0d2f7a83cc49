package cbor

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

// cachedKey returns the cached key with the text s, which has the given hash. It
// is nil if the cache is not for s.
func (b *builder) cachedKey(s []byte, hash uint32) *cachedKey {
	c := &b.keyCache
	if len(s) < minCached || len(s) > maxCached || c.misses > cacheTrial && c.hits < c.misses {
		return nil
	}
	i := hash >> (32 - cacheBits)
	e := &c.keys[i]
	if e.text == string(s) {
		c.hits++
	} else {
		c.misses++
		if c.seen[i] != hash || !validUTF8(s) {
			c.seen[i] = hash
			return nil
		}
		*e = cachedKey{text: string(s)}
	}
	if e.boxed == nil && b.opt.Maps == MapOrdered {
		e.boxed = e.text
	}
	return e
}
