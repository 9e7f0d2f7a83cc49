package cbor

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
	text    []byte
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
	if len(s) > maxShort || len(s) <= 1 {
		return string(s)
	}
	n := len(b.text)
	if cap(b.text)-n < len(s) {
		length := len(s) + b.blockLen(&b.textLen, textBlock, 1)
		b.text, n = make([]byte, 0, length), 0
	}
	b.text = append(b.text, s...)
	return aliasString(b.text[n:])
}
