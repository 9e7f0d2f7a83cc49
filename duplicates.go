package cbor

import (
	"hash/maphash"
	"math/bits"
)

// A duplicate is key i of a map, which equals key first before it.
type duplicate struct{ i, first int }

// A keySet are the keys of a map. As a type parameter it need not be allocated.
type keySet interface {
	equal(i, j int) bool
	seededHash(i int) uint32
}

// duplicates returns the keys, with the given hashes, that equal an earlier one:
// the first of them, or all.
func duplicates[K keySet](b *builder, keys K, hashes []uint32, all bool) []duplicate {
	if len(hashes) <= maxFiltered {
		return fewDuplicates(keys, hashes, all)
	}
	size := 1 << bits.Len(uint(2*len(hashes)))
	if cap(b.slots) < size {
		b.slots = make([]uint32, size)
	}
	slots := b.slots[:size]
	dups, ok := hashDuplicates(keys, hashes, all, slots, 4*len(hashes)+64)
	if !ok {
		for i := range hashes {
			hashes[i] = keys.seededHash(i)
		}
		dups, _ = hashDuplicates(keys, hashes, all, slots, -1)
	}
	return dups
}

// hashDuplicates is duplicates with an open hash table of indices plus one, at
// most half full. It gives up after the given number of steps, if that is not
// negative: the first hashes are cheap but not proof against keys that are made
// to collide.
func hashDuplicates[K keySet](keys K, hashes []uint32, all bool, slots []uint32, steps int) (dups []duplicate, ok bool) {
	clear(slots)
	shift := bits.LeadingZeros32(uint32(len(slots))) + 1
	for i, h := range hashes {
		slot := h >> shift
		for slots[slot] != 0 {
			if j := int(slots[slot] - 1); hashes[j] == h && keys.equal(i, j) {
				dups = append(dups, duplicate{i, j})
				break
			}
			slot = (slot + 1) & uint32(len(slots)-1)
			if steps--; steps == 0 {
				return nil, false
			}
		}
		switch {
		case slots[slot] == 0:
			slots[slot] = uint32(i + 1)
		case !all:
			return dups, true
		}
	}
	return dups, true
}

// maxFiltered is the most keys that fewDuplicates takes less time for than a
// hash table.
const maxFiltered = 32

// fewDuplicates is duplicates for few keys: only those with the same bit in a
// filter of 128 are compared with all others.
func fewDuplicates[K keySet](keys K, hashes []uint32, all bool) (dups []duplicate) {
	var seen [2]uint64
	for i, h := range hashes {
		word, bit := &seen[h>>31], uint64(1)<<(h>>25&63)
		if *word&bit == 0 {
			*word |= bit
			continue
		}
		for j, g := range hashes[:i] {
			if g == h && keys.equal(i, j) {
				dups = append(dups, duplicate{i, j})
				if !all {
					return dups
				}
				break
			}
		}
	}
	return dups
}

// mapKeys are the keys of a Map.
type mapKeys Map

func (m mapKeys) equal(i, j int) bool     { return equalKeys(m[i].Key, m[j].Key) }
func (m mapKeys) seededHash(i int) uint32 { return seededHash(m[i].Key) }

// equalKeys reports whether two keys are equal as data items.
func equalKeys(k, l any) bool {
	if k, ok := k.(*oddKey); ok {
		l, ok := l.(*oddKey)
		return ok && k.text == l.text
	}
	return k == l
}

// ascending reports whether each key is greater than the one before, as in
// deterministic encodings (RFC 8949, section 4.2), so that all are different.
// Only text and int64 keys are compared.
func ascending(m Map) bool {
	if k, ok := m[0].Key.(int64); ok {
		for i := range m[1:] {
			l, ok := m[i+1].Key.(int64)
			if !ok || k >= l {
				return false
			}
			k = l
		}
		return true
	}
	k, ok := m[0].Key.(string)
	for i := 1; i < len(m) && ok; i++ {
		var l string
		if l, ok = m[i].Key.(string); !ok || k >= l {
			return false
		}
		k = l
	}
	return ok
}

// hashFactor is 2^64 divided by the golden ratio.
const hashFactor = 0x9e3779b97f4a7c15

// hashKey returns a hash of k.
func hashKey(k any) uint32 {
	switch k := k.(type) {
	case string:
		return textHash(k)
	case int64:
		return intHash(k)
	case *oddKey:
		return textHash(k.text)
	}
	return seededHash(k)
}

func intHash(i int64) uint32 { return uint32(uint64(i) * hashFactor >> 32) }

// textHash returns a hash of the length and up to 16 bytes of s.
func textHash[T string | []byte](s T) uint32 {
	n := len(s)
	var h uint64
	switch {
	case n >= 8:
		h = load64(s) ^ bits.RotateLeft64(load64(s[n-8:]), 29)
	case n >= 4:
		h = uint64(load32(s)) | uint64(load32(s[n-4:]))<<32
	case n > 0:
		h = uint64(s[0]) | uint64(s[n-1])<<8 | uint64(s[n/2])<<16
	}
	return uint32((h + uint64(n)) * hashFactor >> 32)
}

func load32[T string | []byte](s T) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func load64[T string | []byte](s T) uint64 {
	return uint64(load32(s)) | uint64(load32(s[4:]))<<32
}

// seed keeps the collisions of hashes from those who make the input.
var seed = maphash.MakeSeed()

func seededHash(k any) uint32 {
	switch k := k.(type) {
	case nil: // in pure Go, maphash panics on it (Go 1.26)
		return 0
	case *oddKey:
		return uint32(maphash.String(seed, k.text))
	}
	return uint32(maphash.Comparable(seed, k))
}
