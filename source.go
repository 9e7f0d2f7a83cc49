package cbor

// NOTE: On a stream, the cursor stands in the last of a list of blocks, or in
// an earlier one while an item is read again after an error of the reader.
// Invariants:
//
//   - The blocks joined are all bytes that were read since the mark, which is
//     in blocks[0]; full is the block at bi.
//   - A block is left only where more was called, and takes nothing of what
//     more was called for: a second reading meets each edge with pos at the
//     end of the block, but for strings that were passed over by pieces.
//   - The bytes of a block are written once. Only where nothing aliases the
//     block, and the mark is at pos, does its rest move to its front.
//   - Only source.read calls Read.

import (
	"errors"
	"io"
	"math"
	"slices"
)

const (
	// blockSize is how much is read at once, and the most that a small byte
	// string from a stream keeps alive.
	blockSize = 16 << 10
	// minRead is the least room for which Read is called.
	minRead = 512
	// maxEmptyReads is how often a reader may return 0, nil in a row.
	maxEmptyReads = 100
	// maxHeld is the most bytes of a string that are held.
	maxHeld = math.MaxInt/2 + 1
)

// A source is where a cursor on a stream gets more bytes from.
type source struct {
	r       io.Reader
	err     error // came with the last bytes, to be returned by the next read
	blocks  []block
	bi      int
	aliased bool // something that was returned aliases the last block
}

type block struct {
	data []byte
	base int64
}

// A readError is an error of the reader.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }

// errHeld is the error of fill for a string beyond maxHeld.
var errHeld = errors.New("cbor: string does not fit memory")

var errBadRead = errors.New("cbor: the reader returned an impossible count from Read")

// read reads at least one byte into p, which is not empty.
func (s *source) read(p []byte) (int, error) {
	if err := s.err; err != nil {
		s.err = nil
		return 0, err
	}
	for range maxEmptyReads {
		n, err := s.r.Read(p)
		if n < 0 || n > len(p) {
			return 0, errBadRead
		}
		if n > 0 {
			s.err = err
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}

// setMark makes pos the place that rewind goes back to.
func (c *cursor) setMark() {
	c.mark = c.off()
	if s := c.src; s != nil && s.bi > 0 {
		s.blocks = slices.Delete(s.blocks, 0, s.bi)
		s.bi = 0
	}
}

// rewind goes back to the mark.
func (c *cursor) rewind() {
	if c.src != nil && c.src.bi > 0 {
		c.enterBlock(0)
	}
	c.pos = int(c.mark - c.base)
}

// enterBlock goes to the start of block i.
func (c *cursor) enterBlock(i int) {
	c.src.bi = i
	c.pos = 0
	c.load()
}

// load takes over what the current block has. The other way round, from cursor
// to source, no pointer goes: it would move cursors in memory to the heap.
func (c *cursor) load() {
	b := &c.src.blocks[c.src.bi]
	c.full, c.base = b.data, b.base
	c.clip()
}

// keep is called before something that aliases the input is returned.
func (c *cursor) keep() {
	if c.src != nil {
		c.src.aliased = true
	}
}

// fill makes the n bytes at pos available. The error is io.EOF, errHeld or a
// *readError.
func (c *cursor) fill(n uint64) error {
	s := c.src
	for uint64(len(c.full)-c.pos) < n {
		if !c.hold {
			c.setMark()
		}
		if s.bi+1 < len(s.blocks) {
			if c.pos < len(c.full) {
				c.joinBlocks(n)
			}
			c.enterBlock(s.bi + 1)
			continue
		}
		if len(c.full)-c.pos >= maxHeld {
			return errHeld
		}
		c.makeRoom(n)
		b := &s.blocks[s.bi].data
		m, err := s.read((*b)[len(*b):cap(*b)])
		if err == io.EOF {
			return err
		}
		if err != nil {
			return &readError{err}
		}
		*b = (*b)[:len(*b)+m]
		c.load()
		if c.budget < math.MaxInt32/2 {
			c.budget += m
		}
	}
	return nil
}

// joinBlocks makes a block of the n bytes at pos, or of those that are there,
// which begin in the current block and end in a later one. It is for a string
// that ReadRaw passed over by pieces, with edges inside, before the reader
// failed, and that is now wanted whole.
func (c *cursor) joinBlocks(n uint64) {
	s := c.src
	size := 0
	for _, b := range s.blocks[s.bi:] {
		size += len(b.data)
	}
	size -= c.pos
	length := int(min(n, uint64(size)))
	joined := make([]byte, 0, length)
	if uint64(size) < n {
		joined = make([]byte, 0, max(size, blockCap(n, size)))
	}
	first := &s.blocks[s.bi]
	joined = append(joined, first.data[c.pos:]...)
	first.data = first.data[:c.pos:c.pos]
	next := s.bi + 1
	for len(joined) < length {
		b := &s.blocks[next]
		k := min(len(b.data), length-len(joined))
		joined = append(joined, b.data[:k]...)
		if b.data, b.base = b.data[k:], b.base+int64(k); len(b.data) == 0 {
			next++
		}
	}
	if uint64(size) < n { // the last block may be empty yet
		next = len(s.blocks)
	}
	s.blocks = slices.Replace(s.blocks, s.bi+1, next, block{joined, c.off()})
	if len(s.blocks) == s.bi+2 { // the last one
		s.aliased = false
	}
}

// makeRoom makes room to read into, in the current block or a new one, for the
// n bytes at pos or the beginning of them.
func (c *cursor) makeRoom(n uint64) {
	s := c.src
	if len(s.blocks) == 0 {
		s.blocks = append(s.blocks, block{base: c.base})
	}
	b := &s.blocks[s.bi]
	left, room := b.data[c.pos:], cap(b.data)-len(b.data)
	atMark := c.mark == c.off()
	shared := cap(b.data) <= blockSize // else a string has it to itself
	switch {
	case c.pos == 0 && room > 0: // perhaps a block that is too small for all
		return
	case shared && atMark && !s.aliased && c.pos > 0 && n <= uint64(cap(b.data)) && (len(left) == 0 || room < minRead):
		copy(b.data[:cap(b.data)], left)
		b.data, b.base = b.data[:len(left)], c.off()
		c.enterBlock(s.bi)
		return
	case shared && room >= minRead && uint64(cap(b.data)-c.pos) >= n:
		return
	}
	next := block{append(make([]byte, 0, blockCap(n, len(left))), left...), c.off()}
	switch {
	case atMark:
		clear(s.blocks)
		s.blocks = append(s.blocks[:0], next)
	case c.pos == 0:
		*b = next
	default:
		b.data = b.data[:c.pos:c.pos]
		s.blocks = append(s.blocks, next)
	}
	s.aliased = false
	c.enterBlock(len(s.blocks) - 1)
}

// blockCap returns the capacity of a block for n bytes of which have are there.
// A long string gets a block of its own, in stages: a false claim allocates at
// most 16 times what has arrived, an honest one 1.4 times its size.
func blockCap(n uint64, have int) int {
	if n <= blockSize {
		return blockSize
	}
	if n > 14*uint64(have) {
		n = min(n, max(blockSize, 4*uint64(have)))
	}
	return int(min(n, maxHeld))
}

// since returns the input from offset off, which is not before the mark while
// hold is set, to pos. It aliases the input if it is in one block.
func (c *cursor) since(off int64) []byte {
	if off >= c.base {
		return c.full[off-c.base : c.pos : c.pos]
	}
	i := c.src.bi
	for c.src.blocks[i].base > off {
		i--
	}
	joined := make([]byte, 0, c.off()-off)
	for ; i < c.src.bi; i++ {
		b := &c.src.blocks[i]
		joined = append(joined, b.data[max(0, off-b.base):]...)
	}
	return append(joined, c.full[:c.pos]...)
}

// ownsBlock reports whether s, which was just read, is a whole block of a
// stream, whose memory it can have.
func (c *cursor) ownsBlock(s []byte) bool {
	return c.src != nil && len(s) > blockSize && c.pos == len(s) && cap(c.full) == len(s)
}
