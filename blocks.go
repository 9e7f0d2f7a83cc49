package cbor

import "sync"

// A scratch is what a builder needs once an array or map begins. It is used for one item after the other, without what it refers to.
type scratch struct {
	blocks
	keyCache
	texts   []textEntry  // of the open maps with text keys alone
	entries []Entry      // of other open maps
	hashes  []uint32     // of the keys of the open Maps of known length
	unknown []unknownKey // of the open structs
	slots   []uint32     // of duplicates
	path    []string     // of an error, innermost segment first
	inKey   int          // keys that enclose the item
	digests []digest     // of the keys inside the outermost of these

	form, formTmp, outer []byte // of digestKey

	usedTexts, usedEntries int // the most that there were
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// A scratch keeps room for so many entries between items: in a Decoder, which may
// live long, 32 KiB; in the pool, which the garbage collector empties, 4 MiB,
// since fresh memory takes half of the time of a map of 100,000 integers.
const (
	maxKept   = 1 << 10
	maxPooled = 1 << 17
)

// forget drops what the scratch still refers to of the last item, and room for
// more entries, hashes and keys than most.
func (b *builder) forget(most int) {
	s := b.scratch
	if s == nil {
		return
	}
	if cap(s.texts) > most || cap(s.entries) > most {
		s.texts, s.entries = nil, nil
	} else {
		clear(s.texts[:s.usedTexts])
		clear(s.entries[:s.usedEntries])
	}
	s.usedTexts, s.usedEntries = 0, 0
	if cap(s.hashes) > most || cap(s.unknown) > most || cap(s.slots) > 4*most {
		s.hashes, s.unknown, s.slots = nil, nil, nil
	}
	if cap(s.form)+cap(s.formTmp)+cap(s.outer) > 16*most {
		s.form, s.formTmp, s.outer = nil, nil, nil
	}
	s.digests, s.inKey = nil, 0
	s.headers, s.headersLen = nil, 0
	s.hits, s.misses = 0, 0
}

// acquire makes sure that the builder has a scratch.
func (b *builder) acquire() {
	if b.scratch == nil {
		b.scratch = scratches.Get().(*scratch)
	}
}

// release gives the scratch back, if there is one.
func (b *builder) release() {
	if b.scratch != nil {
		b.forget(maxPooled)
		scratches.Put(b.scratch)
		b.scratch = nil
	}
}

// Numbers and short strings are placed in blocks. A value that is retained
// keeps the blocks alive that it and, for a string, its neighbours are in: at
// most 16 KiB.
const (
	maxShort    = 32   // bytes of a string that is placed in blocks
	numberBlock = 256  // numbers, 2 KiB
	headerBlock = 128  // string headers, 2 KiB
	textBlock   = 2048 // bytes of strings
)

// blocks are the blocks of a builder that have room left.
type blocks struct {
	numbers []uint64
	headers []string
	chars   []byte

	headersBase int64 // of the input that the headers may alias

	// How large the blocks are that come next: few values take small ones.
	numbersLen, headersLen, textLen int
}

// blockLen returns the length of the next block: it grows to most, and is no
// more than the rest of the input can fill with values of size bytes each.
func (c *cursor) blockLen(length *int, most, size int) int {
	*length = min(max(8, 4**length), most)
	return min(*length, 1+(len(c.buf)-c.pos)/size)
}

// copyText returns a string with the bytes of s.
func (b *builder) copyText(s []byte) string {
	if len(s) > maxShort || len(s) <= 1 || b.scratch == nil {
		return string(s)
	}
	n := len(b.chars)
	if cap(b.chars)-n < len(s) {
		length := len(s) + b.blockLen(&b.textLen, textBlock, 1)
		b.chars, n = make([]byte, 0, length), 0
	}
	b.chars = append(b.chars, s...)
	return aliasString(b.chars[n:])
}
