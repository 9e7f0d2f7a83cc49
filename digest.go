package cbor

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
)

// NOTE: Keys that are arrays, maps or tags are compared as data items by the
// SHA-256 of a canonical form: shortest heads, floats in 64 bits, strings
// joined, containers of indefinite length, maps sorted by key. A key inside a
// key is already digested when the outer one is, and long maps enter the form
// by their digest, so that each byte is digested once at any nesting.

// A digest stands for the key at the offsets from start to end.
type digest struct {
	start, end int64
	sum        [sha256.Size]byte
}

// Marks in the canonical form, which begin no item.
const (
	markKey = 0x1c // the digest of a key follows
	markMap = 0x1d // the digest of a map follows
)

// digestKey returns the digest of the key that was just read and began at start.
func (b *builder) digestKey(start int64) string {
	i := len(b.digests)
	for i > 0 && b.digests[i-1].start > start {
		i--
	}
	inner := b.digests[i:]
	raw := b.outside(inner, start)
	c := canonical{
		cursor: cursor{buf: raw, full: raw, base: start, end: noEnd},
		mode:   b.opt.InvalidUTF8,
		inner:  inner,
		out:    b.form[:0],
		tmp:    b.formTmp[:0],
	}
	c.item()
	b.form, b.formTmp = c.out, c.tmp
	sum := sha256.Sum256(c.out)
	b.digests = b.digests[:i]
	if b.inKey > 0 {
		b.digests = append(b.digests, digest{start, b.off(), sum})
	}
	return string(sum[:])
}

// outside returns the input from start to pos without the inner keys, which a
// stream would else join again at each level.
func (b *builder) outside(inner []digest, start int64) []byte {
	if len(inner) == 0 {
		return b.bytes(span{start, b.off()})
	}
	b.outer = b.outer[:0]
	for _, d := range inner {
		b.outer = append(b.outer, b.bytes(span{start, d.start})...)
		start = d.end
	}
	b.outer = append(b.outer, b.bytes(span{start, b.off()})...)
	return b.outer
}

// A canonical writes the canonical form of an item. The item was read before,
// so that no error can come.
type canonical struct {
	cursor
	mode  UTF8Mode
	inner []digest // of the keys inside, in their order
	out   []byte
	tmp   []byte
}

func (c *canonical) item() {
	off := c.off()
	if len(c.inner) > 0 && c.inner[0].start == off {
		c.out = append(append(c.out, markKey), c.inner[0].sum[:]...)
		c.base += c.inner[0].end - off // its bytes are not there
		c.inner = c.inner[1:]
		return
	}
	ib, arg, err := c.head()
	if err != nil {
		return
	}
	switch ib >> 5 {
	case majorBytes, majorText:
		c.str(ib, arg, off)
	case majorArray:
		c.out = append(c.out, majorArray<<5|infoIndefinite)
		for i := uint64(0); c.another(ib, arg, i); i++ {
			c.item()
		}
		c.out = append(c.out, initialBreak)
	case majorMap:
		c.pairs(ib, arg)
	case majorTag:
		c.out = appendHead(c.out, ib, arg)
		c.item()
	default:
		if info := ib & infoMask; ib>>5 == majorSimple && info >= 25 && info <= 27 {
			c.out = appendFloat(c.out, float(ib, arg))
		} else {
			c.out = appendHead(c.out, ib, arg)
		}
	}
}

// another reports whether item i of the container that began with (ib, n) is there.
func (c *canonical) another(ib byte, n, i uint64) bool {
	if isIndefinite(ib) {
		end, err := c.atBreak()
		return !end && err == nil
	}
	return i < n && c.pos < len(c.buf)
}

func (c *canonical) str(ib byte, n uint64, off int64) {
	var s []byte
	if isIndefinite(ib) {
		for {
			chunk, _, ok, err := c.chunk(ib)
			if !ok || err != nil {
				break
			}
			s = c.appendString(s, ib, chunk)
		}
	} else {
		body, _ := c.body(n, off)
		s = c.appendString(nil, ib, body)
	}
	c.out = append(appendHead(c.out, ib, uint64(len(s))), s...)
}

func (c *canonical) appendString(dst []byte, ib byte, s []byte) []byte {
	if ib>>5 == majorText && c.mode == ReplaceInvalidUTF8 {
		return appendValidUTF8(dst, s)
	}
	return append(dst, s...)
}

// pairs writes the pairs of a map in the order of their keys; of equal keys,
// which only AllowDuplicateKeys lets through, the last.
func (c *canonical) pairs(ib byte, n uint64) {
	var few [8]pairSpan
	spans := few[:0]
	base := len(c.out)
	c.out = append(c.out, majorMap<<5|infoIndefinite)
	for i := uint64(0); c.another(ib, n, i); i++ {
		s := pairSpan{key: len(c.out) - base}
		c.item()
		s.value = len(c.out) - base
		c.item()
		s.end = len(c.out) - base
		spans = append(spans, s)
	}
	if len(spans) > 1 {
		c.sort(base, spans)
	}
	c.out = append(c.out, initialBreak)
	if len(c.out)-base > 2*sha256.Size {
		sum := sha256.Sum256(c.out[base:])
		c.out = append(append(c.out[:base], markMap), sum[:]...)
	}
}

// A pairSpan is where a pair is in the canonical form of its map.
type pairSpan struct{ key, value, end int }

// sort puts the pairs of the map that begins at base in the order of their keys.
func (c *canonical) sort(base int, spans []pairSpan) {
	c.tmp = append(c.tmp[:0], c.out[base:]...)
	t := c.tmp
	slices.SortStableFunc(spans, func(p, q pairSpan) int {
		return bytes.Compare(t[p.key:p.value], t[q.key:q.value])
	})
	c.out = c.out[:base+1]
	for i, s := range spans {
		if i+1 < len(spans) && bytes.Equal(t[s.key:s.value], t[spans[i+1].key:spans[i+1].value]) {
			continue
		}
		c.out = append(c.out, t[s.key:s.end]...)
	}
}

// appendHead appends the shortest head of the major type of ib.
func appendHead(dst []byte, ib byte, arg uint64) []byte {
	ib &^= infoMask
	switch {
	case arg < 24:
		return append(dst, ib|byte(arg))
	case arg <= math.MaxUint8:
		return append(dst, ib|24, byte(arg))
	case arg <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, ib|25), uint16(arg))
	case arg <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, ib|26), uint32(arg))
	}
	return binary.BigEndian.AppendUint64(append(dst, ib|27), arg)
}

// appendFloat appends f in 64 bits; negative zero equals zero as a key.
func appendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		f = 0
	}
	return binary.BigEndian.AppendUint64(append(dst, majorSimple<<5|27), math.Float64bits(f))
}
