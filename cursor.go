package cbor

// NOTE: The cursor is the only code that knows the wire format. It goes over
// the bytes once, by heads: an initial byte and its argument (RFC 8949,
// section 3). Its invariants:
//
//   - buf[pos:] is unread and contiguous; buf[0] has the offset base, so
//     that off() = base + pos. In memory buf is the whole input.
//   - full is buf without the clip of MaxItemBytes. The clip spares the hot
//     path the check: only more can tell a limit from the end of the input.
//   - more is called in three places: before an initial byte, before an
//     argument, and before the body of a string.
//   - frames are the containers that a walk, or a user who pulls heads, has
//     open. Building values recurses and needs none.

import (
	"encoding/binary"
	"io"
	"math"
)

// The major types of RFC 8949, section 3.1.
const (
	majorUint = iota
	majorNegInt
	majorBytes
	majorText
	majorArray
	majorMap
	majorTag
	majorSimple
)

// Initial bytes, and parts of them, with a meaning of their own.
const (
	infoMask       = 0x1f
	infoIndefinite = 31 // the additional information for indefinite length
	initialBreak   = 0xff
)

func isIndefinite(ib byte) bool { return ib&infoMask == infoIndefinite }

type cursor struct {
	buf    []byte
	pos    int
	base   int64
	full   []byte
	src    *source // nil in memory
	mark   int64   // where rewind goes back to
	hold   bool    // keep what was read since the mark; else more moves the mark
	end    int64   // the offset where the item must have ended, or noEnd
	budget int     // elements that lengths from the wire may still reserve
	max    int     // arrays, maps and tags that may be open

	frames  []frame
	rest    uint64 // bytes of the body that a walk is inside
	restOff int64  // the offset of the head of its string
}

// A frame is an open array, map, tag, or string of indefinite length. An item
// is taken off left when its head is read, not when it ends. An indefinite
// frame counts down from a number that it never exhausts. In a map, keys and
// values count as one each, so that left is even before a key.
type frame struct {
	left uint64
	ib   byte   // the initial byte of the head that opened it
	loop uint32 // the iterator of the Decoder that leaves it, or zero
}

const unbounded = 1 << 63

// noEnd is the end of an item if MaxItemBytes does not limit it.
const noEnd = math.MaxInt64

func (c *cursor) off() int64 { return c.base + int64(c.pos) }

// begin prepares for a top-level item at pos: its limits are counted from here.
// It returns io.EOF if there is none.
func (c *cursor) begin(o *Options) error {
	if err := o.check(c.off()); err != nil {
		return err
	}
	c.max = o.levels()
	c.end = o.itemEnd(c.off())
	c.clip()
	if c.pos == len(c.full) {
		if c.src == nil {
			return io.EOF
		}
		if err := c.fill(1); err != nil {
			return err
		}
	}
	c.budget = len(c.buf) - c.pos
	return nil
}

// clip ends buf where the item must have ended.
func (c *cursor) clip() {
	c.buf = c.full
	if n := c.end - c.base; n < int64(len(c.buf)) {
		c.buf = c.buf[:n]
	}
}

// more makes the n bytes at pos available, which buf does not have. The
// error, if there is one, is about the head at off.
func (c *cursor) more(n uint64, off int64) error {
	if c.end != noEnd && n > uint64(c.end-c.off()) {
		return errorAt(off, ErrLimit, "item is longer than Options.MaxItemBytes")
	}
	if c.src != nil {
		switch err := c.fill(n); err {
		case io.EOF:
		case errHeld:
			return errorAt(off, ErrLimit, "string of %d bytes is longer than memory can be", n)
		default:
			return err
		}
	}
	return &DecodeError{Offset: off, Err: io.ErrUnexpectedEOF}
}

// peek returns the initial byte at pos.
func (c *cursor) peek() (byte, error) {
	if c.pos >= len(c.buf) {
		if err := c.more(1, c.off()); err != nil {
			return 0, err
		}
	}
	return c.buf[c.pos], nil
}

// head reads the next head. For an indefinite length or a break the argument
// is zero; for a float it is the bits. An error leaves pos before the head.
func (c *cursor) head() (ib byte, arg uint64, err error) {
	ib, err = c.peek()
	if err != nil {
		return 0, 0, err
	}
	if ib&infoMask < 24 {
		c.pos++
		return ib, uint64(ib & infoMask), nil
	}
	arg, err = c.longHead(ib)
	return ib, arg, err
}

// longHead reads a head whose argument is not in its initial byte, ib.
func (c *cursor) longHead(ib byte) (arg uint64, err error) {
	info := ib & infoMask
	if info > 27 {
		return 0, c.unusualHead(ib)
	}
	size := 1 << (info - 24) // RFC 8949, section 3: 1, 2, 4 or 8 bytes follow
	if size >= len(c.buf)-c.pos {
		if err := c.more(uint64(1+size), c.off()); err != nil {
			return 0, err
		}
	}
	arg = argument(c.buf[c.pos+1:], size)
	if ib == majorSimple<<5|24 && arg < 32 { // RFC 8949, section 3.3
		return 0, errorAt(c.off(), ErrMalformed, "not well-formed: simple value %d in two bytes", arg)
	}
	c.pos += 1 + size
	return arg, nil
}

// argument returns the argument in the first size bytes of b.
func argument(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	}
	return binary.BigEndian.Uint64(b)
}

// unusualHead reads a head whose initial byte stands for an indefinite length
// or a break, and refuses the others without an argument.
func (c *cursor) unusualHead(ib byte) error {
	if !isIndefinite(ib) { // RFC 8949, section 3: 28 to 30 are reserved
		return errorAt(c.off(), ErrMalformed, "not well-formed: reserved additional information %d", ib&infoMask)
	}
	switch ib >> 5 {
	case majorUint, majorNegInt, majorTag: // RFC 8949, section 3.2
		return errorAt(c.off(), ErrMalformed, "not well-formed: %v of indefinite length", kindOf(ib&^infoMask))
	}
	c.pos++
	return nil
}

// errBreak returns the error for the break that was read at off.
func errBreak(off int64) error { // RFC 8949, section 3.2.1
	return errorAt(off, ErrMalformed, "not well-formed: break outside an indefinite-length item, or after a map key")
}

// atBreak reports whether the next byte is a break, and if so reads it.
func (c *cursor) atBreak() (bool, error) {
	ib, err := c.peek()
	if err != nil || ib != initialBreak {
		return false, err
	}
	c.pos++
	return true, nil
}

// body returns the n bytes of the string whose head is at off. They alias the
// input and have no capacity beyond their length.
func (c *cursor) body(n uint64, off int64) ([]byte, error) {
	if n > uint64(len(c.buf)-c.pos) {
		if err := c.more(n, off); err != nil {
			return nil, err
		}
	}
	i, j := c.pos, c.pos+int(n)
	c.pos = j
	return c.buf[i:j:j], nil
}

// piece returns the next of the n > 0 bytes that are left of the string whose
// head is at off, as many as are there.
func (c *cursor) piece(n uint64, off int64) ([]byte, error) {
	if c.pos == len(c.buf) {
		if err := c.more(1, off); err != nil {
			return nil, err
		}
	}
	i := c.pos
	c.pos += int(min(n, uint64(len(c.buf)-i)))
	return c.buf[i:c.pos:c.pos], nil
}

// chunk returns the next chunk of the indefinite-length string that began with
// ib, and the offset of its head; ok is false at the break.
func (c *cursor) chunk(ib byte) (body []byte, off int64, ok bool, err error) {
	if end, err := c.atBreak(); end || err != nil {
		return nil, 0, false, err
	}
	off = c.off()
	if err := c.checkChunk(ib); err != nil {
		return nil, 0, false, err
	}
	_, n, err := c.head()
	if err != nil {
		return nil, 0, false, err
	}
	body, err = c.body(n, off)
	return body, off, err == nil, err
}

// checkChunk looks at the initial byte at pos, which is there and is no break:
// the chunks of a string that began with ib are strings of the same major type
// and of definite length (RFC 8949, section 3.2.3).
func (c *cursor) checkChunk(ib byte) error {
	if chunk := c.buf[c.pos]; chunk>>5 != ib>>5 || isIndefinite(chunk) {
		return errorAt(c.off(), ErrMalformed, "not well-formed: a chunk of a %v must be one of definite length", kindOf(ib&^infoMask))
	}
	return nil
}

// open adds the frame for the head (ib, arg) at off if it opens one.
func (c *cursor) open(ib byte, arg uint64, off int64) error {
	f := frame{left: unbounded, ib: ib}
	switch ib >> 5 {
	case majorBytes, majorText:
		if isIndefinite(ib) {
			c.push(f)
		}
		return nil
	case majorArray:
		if !isIndefinite(ib) {
			f.left = min(arg, unbounded/4) // more cannot come
		}
	case majorMap:
		if !isIndefinite(ib) {
			f.left = 2 * min(arg, unbounded/4)
		}
	case majorTag:
		f.left = 1
	default:
		return nil
	}
	if len(c.frames) >= c.max {
		return errDepth(off, c.max)
	}
	c.push(f)
	return nil
}

// push opens the frame f. It is no append, with which the frames of Wellformed
// would escape to the heap (Go 1.26).
func (c *cursor) push(f frame) {
	n := len(c.frames)
	if n == cap(c.frames) {
		grown := make([]frame, n, 2*n+8)
		copy(grown, c.frames)
		c.frames = grown
	}
	c.frames = c.frames[:n+1]
	c.frames[n] = f
}

func errDepth(off int64, max int) error {
	return errorAt(off, ErrLimit, "more than %d levels of arrays, maps and tags; see Options.MaxDepth", max)
}

// next reads the next head inside the innermost frame and opens a frame for it,
// if it needs one. Where the innermost frame ends, next closes it instead and
// returns its initial byte and closed = true. The body of a string that is not
// indefinite, arg bytes, is left to the caller.
func (c *cursor) next() (ib byte, arg uint64, closed bool, err error) {
	var top *frame
	if n := len(c.frames); n > 0 {
		top = &c.frames[n-1]
		if top.left == 0 {
			c.frames = c.frames[:n-1]
			return top.ib, 0, true, nil
		}
	}
	off := c.off()
	if ib, err = c.peek(); err != nil {
		return 0, 0, false, err
	}
	if ib == initialBreak {
		if top == nil || !isIndefinite(top.ib) || top.ib>>5 == majorMap && top.left%2 != 0 {
			return 0, 0, false, errBreak(off)
		}
		c.pos++
		c.frames = c.frames[:len(c.frames)-1]
		return top.ib, 0, true, nil
	}
	if top != nil && top.ib>>5 <= majorText {
		if err := c.checkChunk(top.ib); err != nil {
			return 0, 0, false, err
		}
	}
	if ib, arg, err = c.head(); err != nil {
		return 0, 0, false, err
	}
	if isString(ib) && c.end != noEnd && arg > uint64(c.end-c.off()) {
		return 0, 0, false, c.more(arg, off)
	}
	if top != nil {
		top.left--
	}
	return ib, arg, false, c.open(ib, arg, off)
}

// isString reports whether ib begins a string of definite length.
func isString(ib byte) bool {
	return (ib>>5 == majorBytes || ib>>5 == majorText) && !isIndefinite(ib)
}

// skipItem passes over the next item and checks that it is well-formed.
func (c *cursor) skipItem() error {
	floor := len(c.frames)
	if err := c.step(); err != nil {
		return err
	}
	return c.walk(floor)
}

// step reads the next head or closes the innermost frame; rest is then what
// there is of a body.
func (c *cursor) step() error {
	off := c.off()
	ib, arg, closed, err := c.next()
	if !closed && isString(ib) {
		c.rest, c.restOff = arg, off
	}
	return err
}

// walk passes over what is left of the frames above floor, and of the string
// before. After an error of the reader it can be called again.
func (c *cursor) walk(floor int) error {
	for {
		for c.rest > 0 {
			p, err := c.piece(c.rest, c.restOff)
			if err != nil {
				return err
			}
			c.rest -= uint64(len(p))
		}
		if len(c.frames) <= floor {
			return nil
		}
		if c.skipSmall(floor); len(c.frames) <= floor {
			return nil
		}
		if err := c.step(); err != nil {
			return err
		}
	}
}

// skipSmall passes over what is left of the frames above floor as far as it is
// at hand and simple: items of definite length whose argument has two bytes at
// most. It is three times as fast as step.
func (c *cursor) skipSmall(floor int) {
	buf := c.buf
	for len(c.frames) > floor {
		top := &c.frames[len(c.frames)-1]
		if top.ib>>5 < majorArray {
			return
		}
		pos, left := c.pos, top.left
		for left > 0 && pos < len(buf) {
			size := itemSize(buf[pos:])
			if size == 0 || size > len(buf)-pos {
				break
			}
			pos += size
			left--
		}
		c.pos, top.left = pos, left
		if left == 0 {
			c.frames = c.frames[:len(c.frames)-1]
			continue
		}
		if pos == len(buf) || len(c.frames) >= c.max {
			return
		}
		ib := buf[pos]
		n := uint64(ib & infoMask)
		switch {
		case n >= 24:
			return
		case ib>>5 == majorMap:
			n *= 2
		case ib>>5 != majorArray:
			return
		}
		c.pos++
		top.left--
		c.push(frame{left: n, ib: ib})
	}
}

// itemSize returns the size in bytes of the item at the start of b, or zero if
// its first three bytes do not tell it.
func itemSize(b []byte) int {
	ib := b[0]
	if size := int(itemSizes[ib]); size > 0 {
		return size
	}
	switch ib &^ (1 << 5) { // a text string is like a byte string
	case majorBytes<<5 | 24:
		if len(b) > 1 {
			return 2 + int(b[1])
		}
	case majorBytes<<5 | 25:
		if len(b) > 2 {
			return 3 + int(binary.BigEndian.Uint16(b[1:]))
		}
	}
	return 0
}

// itemSizes has the size in bytes of the items that begin with each initial
// byte, or zero if that byte does not tell it.
var itemSizes = func() (sizes [256]uint8) {
	for ib := range sizes {
		info := ib & infoMask
		switch major := ib >> 5; {
		case (major == majorBytes || major == majorText) && info < 24:
			sizes[ib] = uint8(1 + info)
		case major > majorNegInt && major != majorSimple || info > 27:
		case info < 24:
			sizes[ib] = 1
		case major != majorSimple || info != 24: // simple values below 32 are not well-formed there
			sizes[ib] = uint8(1 + 1<<(info-24))
		}
	}
	return sizes
}()

// reserve returns how many of n elements may be allocated before they are read:
// no more than bytes are at hand, and in all no more than the budget, so that
// nested heads that each claim the rest of the input gain nothing.
func (c *cursor) reserve(n uint64) int {
	k := int(min(n, uint64(len(c.buf)-c.pos), uint64(c.budget)))
	c.budget -= k
	return k
}

// float returns the value of a float head. A NaN keeps its payload, which Go's
// own conversions would make quiet.
func float(ib byte, arg uint64) float64 {
	switch ib & infoMask {
	case 25:
		return halfFloat(uint16(arg))
	case 26:
		if arg&0x7fffffff > 0x7f800000 {
			return math.Float64frombits(arg>>31<<63 | 0x7ff<<52 | arg&0x7fffff<<29)
		}
		return float64(math.Float32frombits(uint32(arg)))
	}
	return math.Float64frombits(arg)
}

// halfFloat returns the value of a binary16 (RFC 8949, appendix D).
func halfFloat(h uint16) float64 {
	sign, exp, mant := uint64(h>>15)<<63, uint64(h>>10&31), uint64(h&0x3ff)
	switch exp {
	case 0:
		f := float64(mant) * 0x1p-24
		return math.Float64frombits(math.Float64bits(f) | sign)
	case 31:
		return math.Float64frombits(sign | 0x7ff<<52 | mant<<42)
	}
	return math.Float64frombits(sign | (exp+1023-15)<<52 | mant<<42)
}
