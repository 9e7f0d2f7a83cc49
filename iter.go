package cbor

import (
	"io"
	"iter"
	"unicode/utf8"
)

// Array returns an iterator over the elements of the next item, an array: the
// body of the loop reads one element, and what it leaves unread of it is
// skipped. However the loop ends, the next call is behind the array.
//
// An error ends the loop, but for one of the reader: the body can then call
// again within its turn, and leaving the turn gives the element up, or tries
// again if the array was not begun yet. Another kind of item is one ErrType,
// which consumes nothing.
func (d *Decoder) Array() iter.Seq2[int, error] { return d.each(majorArray, 1) }

// Map returns an iterator over the pairs of the next item, a map: the body of
// the loop reads a key, then its value. All else is as for [Decoder.Array].
func (d *Decoder) Map() iter.Seq2[int, error] { return d.each(majorMap, 2) }

// each iterates over a container, of which each turn takes the given number of
// items.
func (d *Decoder) each(major byte, items uint64) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		_, err := d.header(major)
		for err != nil {
			if calls := d.calls; !yield(0, err) || !d.again || d.calls != calls {
				return
			}
			_, err = d.header(major)
		}
		d.loops++
		d.top().loop = d.loops
		l := loop{d: d, depth: len(d.b.frames), id: d.loops}
		defer l.leave()
		for i := 0; l.turn(i, items, yield); i++ {
		}
	}
}

// A loop is an iterator over the frame at depth, as long as that has its id.
type loop struct {
	d     *Decoder
	depth int
	id    uint32
}

// frame returns the frame of the loop, or nil if it was left: by Reset, or by
// a loop around this one.
func (l *loop) frame() *frame {
	if f := l.d.b.frames; len(f) >= l.depth && f[l.depth-1].loop == l.id {
		return &f[l.depth-1]
	}
	return nil
}

// turn does turn i of the loop and reports whether another one is due.
func (l *loop) turn(i int, items uint64, yield func(int, error) bool) bool {
	d := l.d
	end, err := d.ended()
	top := l.frame()
	if top == nil || err == nil && end {
		return false
	}
	left := top.left
	if d.passing {
		left -= min(left, uint64(d.skip))
	}
	target := left - min(left, items)
	if !yield(i, err) || d.err != nil && err != nil {
		return false
	}
	if top = l.frame(); top == nil {
		return false
	}
	left = top.left
	if left < target {
		yield(i, d.typeError("turn %d of the loop read more than its items", i))
		return false
	}
	if len(d.b.frames) != l.depth || left != target {
		d.pass(l.depth, int(left-target))
	}
	return true
}

// leave ends the loop: what is left of its frame is passed over.
func (l *loop) leave() {
	if l.frame() != nil {
		l.d.pass(l.depth-1, 0)
	}
}

// Items returns an iterator over the items that d reads next, decoded into T:
// those at the top level until the end of the input, or those of the array or
// map that is open until before its end, where ReadEnd is still due. It goes on
// after an error about the content of an item and ends after any other.
func Items[T any](d *Decoder) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			end, err := d.ended()
			if end || err == io.EOF {
				return
			}
			var v T
			if err == nil {
				err = d.Decode(&v)
			}
			if err != nil {
				v = *new(T)
			}
			goOn := err == nil || d.passing && !d.again && d.err == nil
			if !yield(v, err) || !goOn {
				return
			}
		}
	}
}

// Chunks returns an iterator over the next item, a byte or text string, piece
// by piece; it never holds the string whole. A piece is valid until the next
// iteration. The pieces are cut where the input happens to be, not where its
// chunks or characters end. Text is checked to be UTF-8, piece by piece and so
// perhaps before the string turns out to be cut off, but never changed: after an
// ErrInvalidUTF8 the string counts as consumed.
//
// After an error of the reader the loop can go on. However it ends, the next
// call is behind the string. Another kind of item is one ErrType, which
// consumes nothing.
func (d *Decoder) Chunks() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s, err := d.openString()
		for err != nil {
			if calls := d.calls; !yield(nil, err) || !d.again || d.calls != calls {
				return
			}
			s, err = d.openString()
		}
		for {
			p, err := s.next(maxPiece)
			if err == io.EOF || !yield(p, err) || s.err != nil {
				return
			}
		}
	}
}

// maxPiece bounds the pieces of Chunks in memory, where all bytes are there.
const maxPiece = 1 << 20

// BytesReader returns a reader of the next item, a byte or text string, which
// is never held whole. Its Read returns errors of the underlying reader as they
// are and can be called again. It checks text as Chunks does. Once another
// method of d was called, which passes over the rest of the string, Read is an
// ErrType.
func (d *Decoder) BytesReader() (io.Reader, error) {
	s, err := d.openString()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// A stringReader reads the string that d is inside of, while d.passing is set
// to pass over the rest of it.
type stringReader struct {
	d     *Decoder
	calls uint64 // of d, which end the reader
	floor int
	text  bool // to be checked
	check textCheck
	err   error
}

func (d *Decoder) openString() (*stringReader, error) {
	if err := d.item(); err != nil {
		return nil, err
	}
	c := &d.b.cursor
	ib, err := c.peek()
	if err != nil {
		return nil, d.failed(err)
	}
	if kind := kindOf(ib); kind != KindBytes && kind != KindText && kind != KindInvalid && kind != KindEnd {
		return nil, d.mismatch(ib, c.off(), "byte or text string")
	}
	floor := len(c.frames)
	if err := c.step(); err != nil {
		return nil, d.failed(err)
	}
	d.pass(floor, 0)
	text := ib>>5 == majorText && d.b.opt.InvalidUTF8 == RejectInvalidUTF8
	return &stringReader{d: d, calls: d.calls, floor: floor, text: text}, nil
}

func (s *stringReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	piece, err := s.next(uint64(len(p)))
	return copy(p, piece), err
}

// next returns the next piece, of n bytes at most, or io.EOF.
func (s *stringReader) next(n uint64) ([]byte, error) {
	d := s.d
	switch {
	case s.err != nil:
		return nil, s.err
	case s.calls != d.calls:
		s.err = d.typeError("the string was left when another method of the Decoder was called")
		return nil, s.err
	}
	for d.b.rest == 0 {
		if len(d.b.frames) == s.floor {
			d.passing = false
			d.settle()
			s.err = io.EOF
			return nil, s.err
		}
		if err := d.b.step(); err != nil {
			return nil, s.failed(err)
		}
	}
	p, err := d.b.piece(min(n, d.b.rest), d.b.restOff)
	if err != nil {
		return nil, s.failed(err)
	}
	d.b.rest -= uint64(len(p))
	if s.text && !s.check.valid(p, d.b.rest == 0) {
		s.err = d.failed(errUTF8(d.b.restOff))
		return nil, s.err
	}
	return p, nil
}

// failed keeps the error if the reader cannot go on after it.
func (s *stringReader) failed(err error) error {
	err = s.d.failed(err)
	s.err = s.d.err
	return err
}

// A textCheck checks UTF-8 that comes in pieces.
type textCheck struct {
	cut [utf8.UTFMax]byte // the beginning of a character
	n   int
}

// valid reports whether the text is valid with p, its last piece or not.
func (t *textCheck) valid(p []byte, last bool) bool {
	if t.n > 0 {
		for !utf8.FullRune(t.cut[:t.n]) {
			if len(p) == 0 {
				return !last
			}
			t.cut[t.n] = p[0]
			t.n, p = t.n+1, p[1:]
		}
		if !utf8.Valid(t.cut[:t.n]) {
			return false
		}
		t.n = 0
	}
	if !last {
		cut := len(p) - cutRune(p)
		t.n = copy(t.cut[:], p[cut:])
		p = p[:cut]
	}
	return validUTF8(p)
}
