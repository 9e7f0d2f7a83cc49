package cbor

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// NOTE: The pairs of the maps that are open stand on one stack, and a map is
// made of its pairs when it ends: its size and the types of all its keys are
// known then, a Map is in the order of the input without a second walk, and a
// count from the wire sizes no map.

// A pair is a key and a value of a map that is being read.
type pair struct {
	key   key
	value any
	off   int64 // of the key
}

// A key is the key of a map. Its text is the key itself if it is a text key;
// for an odd key it is what tells it from other odd keys.
type key struct {
	text  string
	value any // as Decode gives it; may be nil for a text key
	class keyClass
}

// A keyClass says which Go maps can hold a key.
type keyClass uint8

const (
	textKeys       keyClass = iota // map[string]any: text strings
	comparableKeys                 // map[any]any: keys that are equal in Go if they are as data items
	oddKeys                        // Map: arrays, maps, tags, integers beyond uint64 and int64, NaN
)

// boxKey returns the key as Decode gives it.
func (b *builder) boxKey(k *key) any {
	if k.class == textKeys && k.value == nil {
		return b.boxString(k.text)
	}
	return k.value
}

// mapClasses returns the classes of keys that the map at hand takes for
// granted and at most.
func (b *builder) mapClasses() (least, most keyClass) {
	switch b.opt.Maps {
	case MapText:
		return textKeys, textKeys
	case MapAny:
		return comparableKeys, comparableKeys
	case MapOrdered:
		return oddKeys, oddKeys
	}
	if b.anyMap {
		return comparableKeys, oddKeys
	}
	return textKeys, oddKeys
}

// mapValue returns the map whose head (ib, n) is at off.
func (b *builder) mapValue(ib byte, n uint64, off int64) (any, error) {
	if err := b.enter(off); err != nil {
		return nil, err
	}
	b.acquire()
	class, most := b.mapClasses()
	b.anyMap = false
	base := len(b.pairs)
	indefinite := isIndefinite(ib)
	if !indefinite {
		b.growPairs(n)
	}
	for i := uint64(0); indefinite || i < n; i++ {
		if indefinite {
			end, err := b.atBreak()
			if err != nil {
				return nil, err
			}
			if end {
				break
			}
		}
		at := b.pushPair()
		if err := b.readKey(at, most); err != nil {
			b.path = b.path[:0]
			return nil, err
		}
		end := b.off()
		class = max(class, b.pairs[at].key.class)
		v, err := b.value()
		p := &b.pairs[at]
		if err != nil {
			return nil, b.inPair(err, span{p.off, end})
		}
		p.value = v
	}
	m, err := b.makeMap(b.pairs[base:], class)
	b.used = max(b.used, len(b.pairs))
	b.pairs = b.pairs[:base]
	b.depth++
	return m, err
}

// pushPair pushes a pair whose key begins at pos and returns its index. Its
// fields are those of an earlier one.
func (b *builder) pushPair() int {
	n := len(b.pairs)
	if n == cap(b.pairs) {
		b.morePairs(8)
	}
	b.pairs = b.pairs[:n+1]
	b.pairs[n].off = b.off()
	return n
}

// growPairs makes room for n more pairs as far as the budget allows; a pair
// has two bytes at least.
func (b *builder) growPairs(n uint64) {
	if room := cap(b.pairs) - len(b.pairs); uint64(room) < n {
		if k := b.reserve(2*min(n, math.MaxInt32)) / 2; k > room {
			b.morePairs(k)
		}
	}
}

// morePairs makes room for n more pairs. The room doubles at least: append grows
// by a quarter, which on deep nesting allocates five times what is used.
func (b *builder) morePairs(n int) {
	grown := make([]pair, len(b.pairs), max(2*cap(b.pairs), len(b.pairs)+n))
	copy(grown, b.pairs)
	b.pairs = grown
}

// readKey reads the key of the pair at the given index; its class must not be
// beyond most. Short text and integers are handled in place.
func (b *builder) readKey(at int, most keyClass) error {
	k := &b.pairs[at].key
	if b.pos < len(b.buf) {
		n := int(b.buf[b.pos]) - majorText<<5
		if s := b.buf[b.pos+1:]; n >= 0 && n < 24 && n <= len(s) {
			b.pos += 1 + n
			return b.textKey(k, s[:n:n], b.pairs[at].off)
		}
	}
	ib, arg, err := b.head()
	if err != nil {
		return err
	}
	if ib>>5 <= majorNegInt && arg <= math.MaxInt64 && most > textKeys {
		k.class, k.text, k.value = comparableKeys, "", b.boxInt(int64(arg)^-int64(ib>>5))
		return nil
	}
	if ib>>5 != majorText {
		k, err := b.otherKey(ib, arg, b.pairs[at].off, most)
		b.pairs[at].key = k
		return err
	}
	text, err := b.textString(ib, arg, b.pairs[at].off)
	b.setText(k, text)
	return err
}

// textKey makes k the key with the short text s, whose head is at off.
func (b *builder) textKey(k *key, s []byte, off int64) error {
	if c := b.cachedKey(s); c != nil {
		k.class, k.text, k.value = textKeys, c.text, c.boxed
		return nil
	}
	text, err := b.text(s, off)
	b.setText(k, text)
	return err
}

func (b *builder) setText(k *key, text string) {
	k.class, k.text, k.value = textKeys, text, nil
	if b.opt.Maps == MapOrdered {
		k.value = b.boxString(text)
	}
}

// otherKey reads the key that is not text and whose head (ib, arg) is at off.
func (b *builder) otherKey(ib byte, arg uint64, off int64, most keyClass) (k key, err error) {
	k.class = classOf(ib, arg)
	if k.class > most && ib != initialBreak {
		return k, errMapKey(ib, most, off)
	}
	switch ib >> 5 {
	case majorUint, majorNegInt:
		switch {
		case k.class == oddKeys:
			k.value, k.text = bigNegative(arg), string(appendHead(nil, ib, arg))
		case arg > math.MaxInt64:
			k.value = arg
		default:
			k.value = b.boxInt(int64(arg) ^ -int64(ib>>5)) // its complement if negative
		}
	case majorBytes:
		k.value, err = b.byteKey(ib, arg, off)
	case majorSimple:
		if k.class == oddKeys {
			f := float(ib, arg)
			k.value, k.text = f, string(appendFloat(nil, f))
		} else {
			k.value, err = b.simple(ib, arg, off)
		}
	default:
		err = b.oddKey(&k, ib, arg, off)
	}
	return k, err
}

// classOf returns the class of a key, which is not text, from its head.
func classOf(ib byte, arg uint64) keyClass {
	switch ib >> 5 {
	case majorArray, majorMap, majorTag:
		return oddKeys
	case majorNegInt:
		if arg > math.MaxInt64 {
			return oddKeys
		}
	case majorSimple:
		if info := ib & infoMask; info >= 25 && info <= 27 && math.IsNaN(float(ib, arg)) {
			return oddKeys
		}
	}
	return comparableKeys
}

func errMapKey(ib byte, most keyClass, off int64) error {
	mode, what := "MapText", "text strings"
	if most == comparableKeys {
		mode, what = "MapAny", "keys that Go can compare"
	}
	return errorAt(off, ErrMapKey, "%v as a map key, where %s allows only %s", kindOf(ib), mode, what)
}

// byteKey returns the byte string whose head (ib, n) is at off as a map key.
func (b *builder) byteKey(ib byte, n uint64, off int64) (any, error) {
	if isIndefinite(ib) {
		s, err := b.joinBytes(ib)
		return ByteString(aliasString(s)), err
	}
	s, err := b.body(n, off)
	if err != nil {
		return nil, err
	}
	if b.opt.AliasText {
		b.keep()
		return ByteString(aliasString(s)), nil
	}
	return ByteString(s), nil
}

// oddKey reads the array, map or tag whose head (ib, arg) is at off as the key k.
func (b *builder) oddKey(k *key, ib byte, arg uint64, off int64) (err error) {
	b.inKey++
	switch ib >> 5 {
	case majorArray:
		k.value, err = b.array(ib, arg, off)
	case majorMap:
		k.value, err = b.mapValue(ib, arg, off)
	case majorTag:
		k.value, err = b.tag(arg, off)
	}
	b.inKey--
	if err == nil {
		k.text = b.digestKey(off)
	}
	return err
}

// makeMap returns the map of the pairs, whose keys have at most the given class.
func (b *builder) makeMap(pairs []pair, class keyClass) (any, error) {
	switch class {
	case textKeys:
		m := make(map[string]any, len(pairs))
		for i := range pairs {
			m[pairs[i].key.text] = pairs[i].value
		}
		if len(m) == len(pairs) || b.opt.AllowDuplicateKeys {
			return m, nil
		}
	case comparableKeys:
		m := make(map[any]any, len(pairs))
		for i := range pairs {
			m[b.boxKey(&pairs[i].key)] = pairs[i].value
		}
		if len(m) == len(pairs) || b.opt.AllowDuplicateKeys {
			return m, nil
		}
	}
	pairs, dup := b.uniquePairs(pairs, b.opt.AllowDuplicateKeys)
	if dup != nil {
		err := errorAt(dup.off, ErrDuplicateKey, "duplicate map key")
		return nil, b.inMap(err, dup.key, dup.off)
	}
	switch n := len(pairs); {
	case n == 0:
		return emptyMap, nil
	case n <= maxTiny:
		m, header := tiny[Entry](n)
		return boxMap(header, b.appendEntries(m, pairs)), nil
	default:
		return b.appendEntries(make(Map, 0, n), pairs), nil
	}
}

// appendEntries appends the pairs to m.
func (b *builder) appendEntries(m Map, pairs []pair) Map {
	for i := range pairs {
		m = append(m, Entry{b.boxKey(&pairs[i].key), pairs[i].value})
	}
	return m
}

// uniquePairs returns the first pair whose key equals an earlier one; or, if
// merge is set, the pairs without these, their values moved to the earlier ones.
func (b *builder) uniquePairs(pairs []pair, merge bool) (unique []pair, dup *pair) {
	if ascending(pairs) {
		return pairs, nil
	}
	if len(pairs) <= maxFiltered {
		return filterPairs(pairs, merge)
	}
	return b.hashPairs(pairs, merge)
}

// hashPairs is like uniquePairs, with an open hash table of indices plus one,
// at most half full. It begins with a hash that is cheap but not proof against
// keys that are made to collide, and leaves it where they do.
func (b *builder) hashPairs(pairs []pair, merge bool) (unique []pair, dup *pair) {
	size := 1 << bits.Len(uint(2*len(pairs)))
	if cap(b.slots) < size {
		b.slots = make([]uint32, size)
	}
	slots := b.slots[:size]
	clear(slots)
	n := 0 // pairs[:n] are unique and in the table
	hash := (*key).cheapHash
	shift := bits.LeadingZeros64(uint64(size)) + 1
	for i, steps := 0, 0; i < len(pairs); i++ {
		p := &pairs[i]
		slot := int(hash(&p.key) >> shift)
		for slots[slot] != 0 && !p.key.equal(&pairs[slots[slot]-1].key) {
			slot = (slot + 1) & (size - 1)
			steps++
		}
		switch {
		case slots[slot] == 0:
			if n != i {
				pairs[n] = *p
			}
			n++
			slots[slot] = uint32(n)
		case !merge:
			return nil, p
		default:
			pairs[slots[slot]-1].value = p.value
		}
		if steps > 4*len(pairs)+64 {
			hash, steps = (*key).seededHash, math.MinInt
			clear(slots)
			for j := range pairs[:n] {
				slot := int(hash(&pairs[j].key) >> shift)
				for slots[slot] != 0 {
					slot = (slot + 1) & (size - 1)
				}
				slots[slot] = uint32(j + 1)
			}
		}
	}
	return pairs[:n], nil
}

// maxFiltered is the most pairs that filterPairs takes less time for than a
// hash table.
const maxFiltered = 32

// filterPairs is like uniquePairs for few pairs: only keys with the same cheap
// hash in a filter of 128 bits are compared with all others.
func filterPairs(pairs []pair, merge bool) (unique []pair, dup *pair) {
	var seen [2]uint64
	n := 0
next:
	for i := range pairs {
		p := &pairs[i]
		h := p.key.cheapHash() >> 57
		word, bit := &seen[h>>6&1], uint64(1)<<(h&63)
		if *word&bit != 0 {
			for j := range pairs[:n] {
				if !p.key.equal(&pairs[j].key) {
					continue
				}
				if !merge {
					return nil, p
				}
				pairs[j].value = p.value
				continue next
			}
		}
		*word |= bit
		if n != i {
			pairs[n] = *p
		}
		n++
	}
	return pairs[:n], nil
}

// cheapHash returns a hash in the upper bits.
func (k *key) cheapHash() uint64 {
	if k.class == comparableKeys {
		if i, ok := k.value.(int64); ok {
			return uint64(i) * hashFactor
		}
		return k.seededHash()
	}
	if len(k.text) < minCached {
		return uint64(len(k.text)) * hashFactor
	}
	return keyHash(k.text)
}

// ascending reports whether each key is greater than the one before, as in
// deterministic encodings (RFC 8949, section 4.2), so that all are different.
// Only text and int64 keys are compared.
func ascending(pairs []pair) bool {
	for i := 1; i < len(pairs); i++ {
		p, q := &pairs[i-1].key, &pairs[i].key
		if p.class != q.class {
			return false
		}
		if p.class == textKeys {
			if p.text >= q.text {
				return false
			}
			continue
		}
		m, ok1 := p.value.(int64)
		n, ok2 := q.value.(int64)
		if !ok1 || !ok2 || m >= n {
			return false
		}
	}
	return true
}

func (k *key) equal(l *key) bool {
	if k.class != l.class {
		return false
	}
	if k.class == comparableKeys {
		return k.value == l.value
	}
	return k.text == l.text
}

// seed keeps the collisions of hashes from those who make the input.
var seed = maphash.MakeSeed()

func (k *key) seededHash() uint64 {
	if k.class == comparableKeys {
		if k.value == nil {
			return 0 // in pure Go, maphash panics on it (Go 1.26)
		}
		return maphash.Comparable(seed, k.value)
	}
	return maphash.String(seed, k.text)
}
