package cbor

import "math"

// A span is where a key is in the input. It serves the path of an error, for
// which no string is made before there is one.
type span struct{ off, end int64 }

// bytes returns the bytes of k, which are not before the mark. They alias the
// input if they are in one block.
func (c *cursor) bytes(k span) []byte {
	if k.off >= c.base {
		return c.full[k.off-c.base : k.end-c.base]
	}
	i := c.src.bi
	for c.src.blocks[i].base > k.off {
		i--
	}
	joined := make([]byte, 0, k.end-k.off)
	for off := k.off; off < k.end; i++ {
		data, base := c.src.blocks[i].data, c.src.blocks[i].base
		if i == c.src.bi {
			data = c.full
		}
		joined = append(joined, data[off-base:min(k.end-base, int64(len(data)))]...)
		off = k.off + int64(len(joined))
	}
	return joined
}

// keyName returns the key k, which was read before, as it stands in a path.
func (b *builder) keyName(k span) string {
	raw := b.bytes(k)
	again := builder{cursor: cursor{buf: raw, full: raw, base: k.off, end: noEnd, max: b.max}, opt: b.opt}
	again.opt.AliasText = false
	if raw[0]>>5 == majorText {
		if h, err := again.readHead(); err == nil {
			if s, err := again.textString(h.ib, h.arg, h.off); err == nil {
				return s
			}
		}
	}
	again.pos = len(raw)
	return again.notation(k.off)
}

// inPair adds to the path of err that it happened in the value of the key k.
func (b *builder) inPair(err error, k span) error {
	if _, ok := err.(*DecodeError); ok {
		b.path = append(b.path, pointerEscaper.Replace(b.keyName(k)))
	}
	return err
}

// keySpan returns where key i is, in the map whose first key is at first.
func (b *builder) keySpan(first int64, i int) (k span) {
	data := b.bytes(span{first, b.off()})
	c := cursor{buf: data, full: data, base: first, end: noEnd, max: math.MaxInt}
	for range 2*i + 1 {
		k.off = c.off()
		if c.skipItem() != nil {
			break // cannot be: the keys were read before
		}
	}
	k.end = c.off()
	return k
}

// duplicate returns the error for a second key, k.
func (b *builder) duplicate(k span) error { return b.inPair(errDuplicate(k.off), k) }

func errDuplicate(off int64) error { return errorAt(off, ErrDuplicateKey, "duplicate map key") }
