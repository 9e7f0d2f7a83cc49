package cbor

// Maps of the same kind have the same keys over and over: a small cache returns
// the string of a short text key that was seen lately, which is then neither
// checked nor copied. The key that came after the last one when that was met
// before is tried first, without a hash. A key enters the cache when it is seen
// for the second time, as an allocation of its own: the cache keeps at most 256
// short strings alive from item to item, and costs little where keys do not
// come again.
type keyCache struct {
	keys         [256]cachedKey
	seen         [256]uint32 // hashes of the last keys that were not there
	next         [256]uint8  // the index of the key that came after each key
	last         uint8       // the index of the last key
	hits, misses int
}

type cachedKey struct {
	text  string
	boxed any // the same, or nil
	hash  uint32
}

const (
	// minCached and maxCached bound the length of cached keys: longer ones
	// are seldom the same again.
	minCached = 2
	maxCached = 16
	// cacheTrial is after how many misses the cache must have paid.
	cacheTrial = 256
)

// shortKey makes k the key with the short text s, whose head is at off.
func (b *builder) shortKey(k *key, s []byte, off int64) (err error) {
	c := &b.keyCache
	i := c.next[c.last]
	e := &c.keys[i]
	if e.text == string(s) {
		c.hits++
	} else {
		k.hash = textHash(s)
		i = uint8(k.hash >> 24)
		if e = b.cachedKey(s, k.hash); e == nil {
			k.class, k.value = textKeys, nil
			k.text, err = b.text(s, off)
			if b.opt.InvalidUTF8 == ReplaceInvalidUTF8 {
				k.hash = textHash(k.text)
			}
			return err
		}
		c.next[c.last] = i
	}
	c.last = i
	k.class, k.text, k.value, k.hash = textKeys, e.text, e.boxed, e.hash
	return nil
}

// cachedKey returns the cached key with the text s, which has the given hash. It
// is nil if the cache is not for s.
func (b *builder) cachedKey(s []byte, hash uint32) *cachedKey {
	c := &b.keyCache
	if len(s) < minCached || len(s) > maxCached || c.misses > cacheTrial && c.hits < c.misses {
		return nil
	}
	i := hash >> 24
	e := &c.keys[i]
	if e.text == string(s) {
		c.hits++
	} else {
		c.misses++
		if c.seen[i] != hash || !validUTF8(s) {
			c.seen[i] = hash
			return nil
		}
		*e = cachedKey{text: string(s), hash: hash}
	}
	if e.boxed == nil && b.opt.Maps == MapOrdered {
		e.boxed = e.text
	}
	return e
}
