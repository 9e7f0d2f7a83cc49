package cbor

import (
	"io"
	"slices"
)

// A Decoder reads the items of a CBOR sequence (RFC 8742), whole or head by
// head, from an [io.Reader] or from memory. It is not safe for concurrent use, nor
// for use by the methods and TagFuncs that it calls.
//
// It returns an item as soon as its last byte has arrived, and its work is
// linear in the bytes read. What it returned stays as it was: memory behind it
// is never overwritten. A byte string from a stream aliases a block of 16 KiB,
// or has memory of its own if it is longer; from memory it aliases the data.
//
// An error of the reader, such as an expired deadline, is returned as it is and
// leaves the Decoder where the item or head began: call again and it goes on.
// What passes over an item without holding it (Skip, Chunks, BytesReader,
// WriteDiagnostic, WriteAnnotated, the end of an iterator) stays in progress,
// and the next call of any method finishes it first. Malformed data, an
// exceeded limit and the end of the stream inside an item end the Decoder: all
// later calls return the same error. After any other error of the input the
// Decoder goes on: with the same item after a ReadX method, and with the next
// one after ReadValue and Decode.
//
// The zero Decoder is ready for use after Reset or ResetBytes.
type Decoder struct {
	b     builder
	src   source
	err   error // ends the Decoder
	kept  error // that More met, for the next call
	last  error // that a method returned
	again bool  // it is one of the reader

	// What is in progress: the frames above floor, and then skip more items
	// in the frame below.
	passing  bool
	skipping bool // by Skip
	building bool // an item, from the mark on: user code that it called panicked
	lent     bool // to UnmarshalCBORFrom, and was not reset
	floor    int
	skip     int

	calls uint64 // tells a BytesReader that another method was called
	loops uint32 // the number of loops over arrays and maps that there were
}

// NewDecoder returns a Decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder { return Options{}.NewDecoder(r) }

// NewDecoderBytes returns a Decoder that reads from data, which it aliases.
func NewDecoderBytes(data []byte) *Decoder { return Options{}.NewDecoderBytes(data) }

// NewDecoder is like the function [NewDecoder], under the options.
func (o Options) NewDecoder(r io.Reader) *Decoder {
	d := &Decoder{b: builder{opt: o}}
	d.Reset(r)
	return d
}

// NewDecoderBytes is like the function [NewDecoderBytes], under the options.
func (o Options) NewDecoderBytes(data []byte) *Decoder {
	d := &Decoder{b: builder{opt: o}}
	d.ResetBytes(data)
	return d
}

// Reset makes d read from r, with the options that it has. It keeps its buffer
// where nothing aliases it.
func (d *Decoder) Reset(r io.Reader) {
	free := block{}
	if s := &d.src; len(s.blocks) > 0 && !s.aliased {
		if last := s.blocks[len(s.blocks)-1].data; cap(last) == blockSize {
			free.data = last[:0]
		}
	}
	clear(d.src.blocks)
	d.src = source{r: r, blocks: d.src.blocks[:0]}
	if free.data != nil {
		d.src.blocks = append(d.src.blocks, free)
	}
	d.reset(cursor{full: free.data, src: &d.src})
}

// ResetBytes makes d read from data, with the options that it has.
func (d *Decoder) ResetBytes(data []byte) {
	d.src = source{}
	d.reset(cursor{full: data})
}

func (d *Decoder) reset(c cursor) {
	c.frames = d.b.frames[:0]
	c.end = noEnd
	c.clip()
	d.b.failed(nil)
	d.b.forget(maxKept)
	d.b = builder{cursor: c, scratch: d.b.scratch, opt: d.b.opt}
	*d = Decoder{b: d.b, src: d.src, calls: d.calls + 1, loops: d.loops}
}

// resume returns an error that is due, and finishes what is in progress.
func (d *Decoder) resume() error {
	d.calls++
	if d.err != nil {
		return d.err
	}
	if err := d.kept; err != nil {
		d.kept = nil
		return err
	}
	if d.passing {
		return d.finish()
	}
	return nil
}

// ended makes d ready for the next item and reports whether the array or map
// has ended instead. At the top level it begins the item or returns io.EOF.
func (d *Decoder) ended() (bool, error) {
	if err := d.resume(); err != nil {
		return false, err
	}
	if len(d.b.frames) == 0 {
		return false, d.failed(d.b.begin(&d.b.opt))
	}
	end, err := d.atEnd()
	return end, d.failed(err)
}

// failed returns the error of the cursor to the user, and ends the Decoder if
// that cannot go on.
func (d *Decoder) failed(err error) error {
	d.last, d.again = err, false
	switch e := err.(type) {
	case nil:
		return nil
	case *readError:
		d.again = true
		return e.err
	case *DecodeError:
		if e.final() {
			d.err = err
		}
	}
	return err
}

// final reports whether no more can be read behind the fault.
func (e *DecodeError) final() bool {
	f, ok := e.Err.(*fault)
	return e.Err == io.ErrUnexpectedEOF || ok && (f.category == ErrMalformed || f.category == ErrLimit)
}

// pass begins to pass over the frames above floor and then over skip items.
func (d *Decoder) pass(floor, skip int) {
	d.passing, d.skipping, d.building, d.floor, d.skip = true, false, false, floor, skip
}

// finish ends what pass began.
func (d *Decoder) finish() error {
	c := &d.b.cursor
	if d.building {
		d.b.failed(nil)
		c.frames, c.rest, c.max = c.frames[:d.floor], 0, d.b.opt.levels()
		c.rewind()
		d.building = false
	}
	c.hold = false
	for {
		if err := c.walk(d.floor); err != nil {
			return d.failed(err)
		}
		if d.skip == 0 {
			break
		}
		end, err := d.atEnd()
		if err != nil {
			return d.failed(err)
		}
		if end {
			break
		}
		if err := c.step(); err != nil {
			return d.failed(err)
		}
		d.skip--
	}
	d.passing, d.skipping = false, false
	d.settle()
	return nil
}

// settle closes the tags whose content was read.
func (d *Decoder) settle() {
	f := d.b.frames
	for len(f) > 0 && f[len(f)-1].ib>>5 == majorTag && f[len(f)-1].left == 0 {
		f = f[:len(f)-1]
	}
	d.b.frames = f
}

// take counts an item that was read, not a tag, in the innermost frame.
func (d *Decoder) take() {
	if f := d.b.frames; len(f) > 0 {
		if f[len(f)-1].left--; f[len(f)-1].left == 0 {
			d.settle()
		}
	}
}

// atEnd reports whether the innermost array or map, if there is one, has ended.
func (d *Decoder) atEnd() (bool, error) {
	c := &d.b.cursor
	if len(c.frames) == 0 {
		return false, nil
	}
	top := d.top()
	if top.left == 0 || !isIndefinite(top.ib) {
		return top.left == 0, nil
	}
	ib, err := c.peek()
	if err != nil || ib != initialBreak {
		return false, err
	}
	if top.ib>>5 == majorMap && top.left%2 != 0 {
		return false, errBreak(c.off())
	}
	return true, nil
}

// item makes d ready for the next item, which must be there.
func (d *Decoder) item() error {
	end, err := d.ended()
	if err == nil && end {
		err = d.typeError("the %v has no more items; ReadEnd leaves it", kindOf(d.top().ib&^infoMask))
	}
	return err
}

func (d *Decoder) top() *frame { return &d.b.frames[len(d.b.frames)-1] }

// typeError returns an ErrType about what comes next.
func (d *Decoder) typeError(format string, args ...any) error {
	return d.failed(errorAt(d.b.off(), ErrType, format, args...))
}

// holdItem keeps the bytes from here on, for rewind.
func (d *Decoder) holdItem() {
	d.b.setMark()
	d.b.hold = true
}

// release ends what holdItem began. After an error d is back at the mark, and
// skip items from there are to be passed over unless the reader failed.
func (d *Decoder) release(err error, skip int) error {
	d.b.hold = false
	if err == nil {
		return nil
	}
	err = d.b.failed(err)
	d.b.rewind()
	if _, ok := err.(*readError); !ok && skip > 0 {
		d.pass(len(d.b.frames), skip)
	}
	return d.failed(err)
}

// beginItem makes d ready for the next item, to be built and then held until
// endItem.
func (d *Decoder) beginItem() error {
	if err := d.item(); err != nil {
		return err
	}
	d.holdItem()
	d.b.depth = d.b.max - len(d.b.frames)
	d.pass(len(d.b.frames), 1)
	d.building = true
	return nil
}

// endItem ends the item that was built, or failed to be.
func (d *Decoder) endItem(err error) error {
	d.passing, d.building = false, false
	if err != nil {
		err = d.release(err, 1)
	} else {
		d.b.hold = false
		d.take()
	}
	if len(d.b.frames) == 0 && d.b.pos == len(d.b.full) {
		d.b.release() // d may now wait for long
	} else {
		d.b.forget(maxKept)
	}
	return err
}

// ReadValue returns the next item as [Decode] does. The bytes of the item are
// held until its end; byte strings in it alias them.
func (d *Decoder) ReadValue() (any, error) {
	if err := d.beginItem(); err != nil {
		return nil, err
	}
	v, err := d.b.value()
	if err = d.endItem(err); err != nil {
		return nil, err
	}
	return v, nil
}

// Decode decodes the next item into the value that v points to, as [Unmarshal]
// does. What aliases the data there aliases the buffer here.
func (d *Decoder) Decode(v any) error {
	if err := d.beginItem(); err != nil {
		return err
	}
	return d.endItem(d.b.into(v))
}

// ReadRaw returns the bytes of the next item, which it checks to be
// well-formed. From a stream they alias the buffer, or are joined in new memory
// if they are not in one block of it; in memory they alias the data. With
// CopyBytes the caller owns them.
func (d *Decoder) ReadRaw() (RawMessage, error) {
	if err := d.item(); err != nil {
		return nil, err
	}
	d.holdItem()
	floor := len(d.b.frames)
	var top frame
	if floor > 0 {
		top = *d.top()
	}
	if err := d.b.skipItem(); err != nil {
		d.b.frames, d.b.rest = d.b.frames[:floor], 0
		if floor > 0 {
			*d.top() = top
		}
		return nil, d.release(err, 0)
	}
	raw := d.b.since(d.b.mark)
	if d.b.opt.CopyBytes {
		raw = append(make([]byte, 0, len(raw)), raw...)
	} else {
		d.b.keep()
	}
	d.b.hold = false
	d.settle()
	return raw, nil
}

// Skip passes over the next item, which it checks to be well-formed, and holds
// nothing of it. After an error of the reader inside the item, another Skip
// finishes the same item.
func (d *Decoder) Skip() error {
	if d.skipping && d.kept == nil && d.err == nil {
		d.calls++
		return d.finish()
	}
	if err := d.item(); err != nil {
		return err
	}
	floor := len(d.b.frames)
	if err := d.b.step(); err != nil {
		return d.failed(err)
	}
	d.pass(floor, 0)
	d.skipping = true
	return d.finish()
}

// InputOffset returns how many bytes of the input were consumed.
func (d *Decoder) InputOffset() int64 { return d.b.off() }

// Depth returns how many arrays and maps are open.
func (d *Decoder) Depth() int {
	depth := 0
	for _, f := range d.b.frames {
		if f.ib>>5 == majorArray || f.ib>>5 == majorMap {
			depth++
		}
	}
	return depth
}

// Buffered returns what was read from the reader and not consumed; in memory,
// the rest of the data. It aliases the buffer, which is not overwritten.
func (d *Decoder) Buffered() []byte {
	c := &d.b.cursor
	c.keep()
	rest := c.full[c.pos:len(c.full):len(c.full)]
	if c.src == nil || c.src.bi+1 >= len(c.src.blocks) {
		return rest
	}
	rest = slices.Clone(rest)
	for _, b := range c.src.blocks[c.src.bi+1:] {
		rest = append(rest, b.data...)
	}
	return rest
}
