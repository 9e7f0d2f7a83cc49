package cbor

import "math"

// NOTE: A Map of known length is filled as it is read. Other maps are made when
// they end, of the entries that wait on a stack: their size and the types of all
// keys are known then, and a count from the wire sizes no map. An entry comes on
// the stack when its value was read, so that of nested maps only the innermost
// one has its entries on top.

// A key is the key of a map.
type key struct {
	text  string // of a text key
	value any    // as Decode gives it, or an *oddKey; may be nil for a text key
	hash  uint32
	class keyClass
}

// A keyClass says which Go maps can hold a key.
type keyClass uint8

const (
	textKeys       keyClass = iota // map[string]any: text strings
	comparableKeys                 // map[any]any: keys that are equal in Go if they are as data items
	oddKeys                        // Map: arrays, maps, tags, integers beyond uint64 and int64, NaN
)

// A textEntry is an entry whose key is text and not boxed.
type textEntry struct {
	key   string
	value any
}

// An oddKey stands for a key of the class oddKeys as long as its map is open.
type oddKey struct {
	text  string // what tells it from other odd keys
	value any    // as Decode gives it
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
	least, most := b.mapClasses()
	b.anyMap = false
	return b.mapOf(ib, n, off, least, most)
}

// mapOf returns the map whose head (ib, n) is at off. It can hold keys of the
// class least, and is of a type that can hold those that there are, which must
// not be beyond most.
func (b *builder) mapOf(ib byte, n uint64, off int64, least, most keyClass) (any, error) {
	if err := b.enter(off); err != nil {
		return nil, err
	}
	b.acquire()
	o := openMap{first: b.off(), class: least, texts: len(b.texts), entries: len(b.entries), hashes: len(b.hashes)}
	indefinite := isIndefinite(ib)
	if !indefinite {
		b.makeRoomFor(&o, n)
	}
	var k key
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
		at := b.off()
		if err := b.readKey(&k, most); err != nil {
			b.path = b.path[:0]
			return nil, err
		}
		end := b.off()
		v, err := b.value()
		if err != nil {
			return nil, b.inPair(err, span{at, end})
		}
		o.class = max(o.class, k.class)
		switch {
		case o.class == textKeys:
			if len(b.texts) == cap(b.texts) {
				b.texts = roomFor(b.texts, 1)
			}
			b.texts = append(b.texts, textEntry{k.text, v})
		case o.m != nil:
			o.odd = o.odd || k.class == oddKeys
			o.m = append(o.m, Entry{b.boxKey(&k), v})
			b.hashes = append(b.hashes, k.hash)
		default:
			if len(b.texts) > o.texts {
				b.boxTexts(&o)
			}
			if len(b.entries) == cap(b.entries) {
				b.entries = roomFor(b.entries, 1)
			}
			b.entries = append(b.entries, Entry{b.boxKey(&k), v})
		}
	}
	m, err := b.closeMap(&o)
	b.depth++
	return m, err
}

// An openMap is a map that is being read.
type openMap struct {
	m       Map      // the entries, if it is a Map of known length
	header  *[]Entry // of m, or nil
	first   int64    // the offset of the first key
	texts   int      // where its entries begin on the stack of those with text keys,
	entries int      // and on the stack of others
	hashes  int      // where the hashes of the keys of m begin on theirs
	class   keyClass // the greatest of the keys, and what the map must hold
	odd     bool     // m has an oddKey
}

// makeRoomFor makes room for n entries as far as the budget allows; a pair has
// two bytes at least.
func (b *builder) makeRoomFor(o *openMap, n uint64) {
	room := b.reserve(2*min(n, math.MaxInt32)) / 2
	switch {
	case o.class == textKeys:
		b.texts = roomFor(b.texts, room)
	case o.class == comparableKeys || uint64(room) < n:
		b.entries = roomFor(b.entries, room)
	case n > 0:
		o.m, o.header = newMap(room)
	}
}

// roomFor returns s with room for n more elements. The room doubles at least:
// append grows by a quarter, which on deep nesting allocates five times what is
// used.
func roomFor[E any](s []E, n int) []E {
	if n <= cap(s)-len(s) {
		return s
	}
	grown := make([]E, len(s), max(2*cap(s), len(s)+n, 8))
	copy(grown, s)
	return grown
}

// newMap returns a Map with room for n > 0 entries, and where its header goes,
// or nil.
func newMap(n int) (m Map, header *[]Entry) {
	if n <= maxTiny {
		return tiny[Entry](n)
	}
	return make(Map, 0, n), nil
}

// boxKey returns the key as it stands in an Entry.
func (b *builder) boxKey(k *key) any {
	if k.class == textKeys && k.value == nil {
		return b.boxString(k.text)
	}
	return k.value
}

// boxTexts moves the entries of o with text keys to the stack of others.
func (b *builder) boxTexts(o *openMap) {
	b.usedTexts = max(b.usedTexts, len(b.texts))
	for _, e := range b.texts[o.texts:] {
		b.entries = append(roomFor(b.entries, 1), Entry{b.boxString(e.key), e.value})
	}
	b.texts = b.texts[:o.texts]
}

// closeMap returns the map whose entries were read.
func (b *builder) closeMap(o *openMap) (any, error) {
	if o.m == nil {
		m := b.goMap(o)
		if m == nil {
			b.fillMap(o)
		}
		b.usedTexts = max(b.usedTexts, len(b.texts))
		b.usedEntries = max(b.usedEntries, len(b.entries))
		b.texts, b.entries = b.texts[:o.texts], b.entries[:o.entries]
		if m != nil {
			return m, nil
		}
		if o.m == nil {
			return emptyMap, nil
		}
	}
	m, err := b.ordered(o, b.hashes[o.hashes:])
	b.hashes = b.hashes[:o.hashes]
	return m, err
}

// goMap returns the map of Go with the entries of o, or nil if there is none
// for their keys, or these are not unique and must be.
func (b *builder) goMap(o *openMap) any {
	switch o.class {
	case textKeys:
		entries := b.texts[o.texts:]
		m := make(map[string]any, len(entries))
		for i := range entries {
			m[entries[i].key] = entries[i].value
		}
		if len(m) == len(entries) || b.opt.AllowDuplicateKeys {
			return m
		}
	case comparableKeys:
		b.boxTexts(o)
		entries := b.entries[o.entries:]
		m := make(map[any]any, len(entries))
		for i := range entries {
			m[entries[i].Key] = entries[i].Value
		}
		if len(m) == len(entries) || b.opt.AllowDuplicateKeys {
			return m
		}
	}
	return nil
}

// fillMap makes o.m of the entries of o, if there are any.
func (b *builder) fillMap(o *openMap) {
	b.boxTexts(o)
	entries := b.entries[o.entries:]
	if len(entries) == 0 {
		return
	}
	o.m, o.header = newMap(len(entries))
	o.m = append(o.m, entries...)
	for i := range entries {
		_, odd := entries[i].Key.(*oddKey)
		o.odd = o.odd || odd
		b.hashes = append(b.hashes, hashKey(entries[i].Key))
	}
}

// ordered returns the Map whose entries are in o.m.
func (b *builder) ordered(o *openMap, hashes []uint32) (any, error) {
	m := o.m
	if len(m) <= maxFiltered || !ascending(m) {
		if dups := duplicates(b, mapKeys(m), hashes, b.opt.AllowDuplicateKeys); dups != nil {
			if !b.opt.AllowDuplicateKeys {
				return nil, b.duplicate(b.keySpan(o.first, dups[0].i))
			}
			m = merge(m, dups)
		}
	}
	if o.odd {
		for i := range m {
			if k, ok := m[i].Key.(*oddKey); ok {
				m[i].Key = k.value
			}
		}
	}
	if o.header != nil {
		return boxMap(o.header, m), nil
	}
	return m, nil
}

// merge returns m without the duplicates, whose values replace the earlier ones.
func merge(m Map, dups []duplicate) Map {
	for _, d := range dups {
		m[d.first].Value = m[d.i].Value
	}
	n := dups[0].i
	for i := n; i < len(m); i++ {
		if len(dups) > 0 && dups[0].i == i {
			dups = dups[1:]
			continue
		}
		m[n] = m[i]
		n++
	}
	clear(m[n:])
	return m[:n:n]
}

// readKey reads the next key into k; its class must not be beyond most.
func (b *builder) readKey(k *key, most keyClass) error {
	if b.pos < len(b.buf) {
		n := int(b.buf[b.pos]) - majorText<<5
		if s := b.buf[b.pos+1:]; n >= 0 && n < 24 && n <= len(s) {
			off := b.off()
			b.pos += 1 + n
			return b.shortKey(k, s[:n:n], off)
		}
	}
	return b.longKey(k, most)
}

// longKey is readKey for a key that is not short text at hand.
func (b *builder) longKey(k *key, most keyClass) error {
	if most > textKeys && b.pos < len(b.buf) && b.uintKey(k) {
		return nil
	}
	off := b.off()
	ib, arg, err := b.head()
	if err != nil {
		return err
	}
	if ib>>5 <= majorNegInt && arg <= math.MaxInt64 && most > textKeys {
		i := int64(arg) ^ -int64(ib>>5) // the complement if negative
		k.class, k.value, k.hash = comparableKeys, b.boxInt(i), intHash(i)
		return nil
	}
	if ib>>5 != majorText {
		return b.otherKey(k, ib, arg, off, most)
	}
	k.class, k.value = textKeys, nil
	k.text, err = b.textString(ib, arg, off)
	k.hash = textHash(k.text)
	return err
}

// uintKey makes k the next key if that is a short unsigned integer and at hand.
func (b *builder) uintKey(k *key) bool {
	ib, rest := b.buf[b.pos], b.buf[b.pos+1:]
	var i int64
	switch {
	case ib < majorUint<<5|24:
		b.pos++
		k.class, k.value, k.hash = comparableKeys, oneByte[ib].value, intHash(int64(ib))
		return true
	case ib == majorUint<<5|24 && len(rest) >= 1:
		b.pos += 2
		i = int64(argument(rest, 1))
	case ib == majorUint<<5|25 && len(rest) >= 2:
		b.pos += 3
		i = int64(argument(rest, 2))
	case ib == majorUint<<5|26 && len(rest) >= 4:
		b.pos += 5
		i = int64(argument(rest, 4))
	default:
		return false
	}
	k.class, k.value, k.hash = comparableKeys, b.boxInt(i), intHash(i)
	return true
}

// otherKey makes k the key that is not text and whose head (ib, arg) is at off.
func (b *builder) otherKey(k *key, ib byte, arg uint64, off int64, most keyClass) (err error) {
	k.class = classOf(ib, arg)
	if k.class > most && ib != initialBreak {
		return errMapKey(ib, most, off)
	}
	odd := ""
	switch ib >> 5 {
	case majorUint, majorNegInt:
		switch {
		case k.class == oddKeys:
			k.value, odd = bigNegative(arg), string(appendHead(nil, ib, arg))
		case arg > math.MaxInt64:
			k.value = arg
		default:
			k.value = b.boxInt(int64(arg) ^ -int64(ib>>5))
		}
	case majorBytes:
		k.value, err = b.byteKey(ib, arg, off)
	case majorSimple:
		if k.class == oddKeys {
			f := float(ib, arg)
			k.value, odd = f, string(appendFloat(nil, f))
		} else {
			k.value, err = b.simple(ib, arg, off)
		}
	default:
		k.value, err = b.containerKey(ib, arg, off)
		if err == nil {
			odd = b.digestKey(off)
		}
	}
	if err != nil {
		return err
	}
	if k.class == oddKeys {
		k.value = &oddKey{odd, k.value}
	}
	k.hash = hashKey(k.value)
	return nil
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
	typ, what := "map[string]any", "text strings"
	if most == comparableKeys {
		typ, what = "map[any]any", "keys that Go can compare"
	}
	return errorAt(off, ErrMapKey, "%v as a key of a %s, which takes only %s", kindOf(ib), typ, what)
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

// containerKey returns the array, map or tag whose head (ib, arg) is at off and
// which is a key.
func (b *builder) containerKey(ib byte, arg uint64, off int64) (v any, err error) {
	b.inKey++
	switch ib >> 5 {
	case majorArray:
		v, err = b.array(ib, arg, off)
	case majorMap:
		v, err = b.mapValue(ib, arg, off)
	case majorTag:
		v, err = b.tag(arg, off)
	}
	b.inKey--
	return v, err
}
