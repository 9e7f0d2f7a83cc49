package cbor

import (
	"io"
	"math"
	"math/bits"
)

// PeekKind returns the kind of the next item from its initial byte, and
// consumes nothing: KindEnd at the end of the enclosing array or map, and
// [io.EOF] where there is no other top-level item. A byte that begins no item
// is KindInvalid with an ErrMalformed.
func (d *Decoder) PeekKind() (Kind, error) {
	end, err := d.ended()
	if err != nil {
		return KindInvalid, err
	}
	if end {
		return KindEnd, nil
	}
	ib, err := d.b.peek()
	if err != nil {
		return KindInvalid, d.failed(err)
	}
	switch kind := kindOf(ib); kind {
	case KindInvalid:
		_, _, err = d.b.head()
		return KindInvalid, d.failed(err)
	case KindEnd:
		return KindInvalid, d.failed(errBreak(d.b.off()))
	default:
		return kind, nil
	}
}

// More reports whether there is another item in the innermost array or map, or
// at the top level. It is true between a tag and its content. It is false on an
// error, which the next call of another method returns. It consumes nothing.
func (d *Decoder) More() bool {
	if d.kept != nil {
		return false
	}
	end, err := d.ended()
	if err != nil && err != io.EOF {
		d.kept = err
	}
	return !end && err == nil
}

// head reads the head of the next item, which must be there. The cursor is
// then behind the head at off, but the item is not counted.
func (d *Decoder) head() (ib byte, arg uint64, off int64, err error) {
	if d.err != nil || d.kept != nil || d.passing || len(d.b.frames) == 0 || isIndefinite(d.top().ib) || d.top().left == 0 {
		if err := d.item(); err != nil {
			return 0, 0, 0, err
		}
	}
	d.calls++
	off = d.b.off()
	ib, arg, err = d.b.head()
	if err == nil && ib == initialBreak {
		err = errBreak(off)
	}
	if err != nil {
		return 0, 0, 0, d.failed(err)
	}
	return ib, arg, off, nil
}

// unread goes back to the head at off, after which nothing was read.
func (d *Decoder) unread(off int64) { d.b.pos = int(off - d.b.base) }

// mismatch goes back to the head at off, which is not of the type asked for.
func (d *Decoder) mismatch(ib byte, off int64, want string) error {
	d.unread(off)
	return d.typeError("%v, not %s", kindOf(ib), want)
}

// ReadUint64 reads an unsigned integer.
func (d *Decoder) ReadUint64() (uint64, error) {
	ib, arg, off, err := d.head()
	if err != nil {
		return 0, err
	}
	if ib>>5 != majorUint {
		return 0, d.mismatch(ib, off, "unsigned integer")
	}
	d.take()
	return arg, nil
}

// ReadInt64 reads an integer. One that does not fit is an ErrType.
func (d *Decoder) ReadInt64() (int64, error) {
	ib, arg, off, err := d.head()
	if err != nil {
		return 0, err
	}
	if ib>>5 > majorNegInt {
		return 0, d.mismatch(ib, off, "integer")
	}
	if arg > math.MaxInt64 {
		d.unread(off)
		return 0, d.typeError("%v does not fit int64", kindOf(ib))
	}
	d.take()
	if ib>>5 == majorNegInt {
		return ^int64(arg), nil
	}
	return int64(arg), nil
}

// ReadFloat64 reads a float of any width, or an integer that a float64 holds
// exactly.
func (d *Decoder) ReadFloat64() (float64, error) {
	ib, arg, off, err := d.head()
	if err != nil {
		return 0, err
	}
	f, ok := float64(arg), true
	switch ib >> 5 {
	case majorUint:
		ok = exactFloat(arg)
	case majorNegInt: // -1 - arg is exact if arg + 1 is
		ok = arg == math.MaxUint64 || exactFloat(arg+1)
		f = -float64(arg + 1)
		if arg == math.MaxUint64 {
			f = -0x1p64
		}
	default:
		if kindOf(ib) != KindFloat {
			return 0, d.mismatch(ib, off, "number")
		}
		f = float(ib, arg)
	}
	if !ok {
		d.unread(off)
		return 0, d.typeError("%v has no exact float64", kindOf(ib))
	}
	d.take()
	return f, nil
}

// exactFloat reports whether a float64 holds u: its significant bits are 53 at most.
func exactFloat(u uint64) bool {
	return u == 0 || bits.Len64(u)-bits.TrailingZeros64(u) <= 53
}

// ReadBool reads false or true.
func (d *Decoder) ReadBool() (bool, error) {
	ib, _, off, err := d.head()
	if err != nil {
		return false, err
	}
	if kindOf(ib) != KindBool {
		return false, d.mismatch(ib, off, "boolean")
	}
	d.take()
	return ib&infoMask == 21, nil
}

// ReadNull reads null or undefined.
func (d *Decoder) ReadNull() error {
	ib, _, off, err := d.head()
	if err != nil {
		return err
	}
	if k := kindOf(ib); k != KindNull && k != KindUndefined {
		return d.mismatch(ib, off, "null or undefined")
	}
	d.take()
	return nil
}

// ReadSimple reads any simple value, false (20) to undefined (23) too.
func (d *Decoder) ReadSimple() (Simple, error) {
	ib, arg, off, err := d.head()
	if err != nil {
		return 0, err
	}
	if ib>>5 != majorSimple || kindOf(ib) == KindFloat {
		return 0, d.mismatch(ib, off, "simple value")
	}
	d.take()
	return Simple(arg), nil
}

// ReadTag reads the number of a tag. Its content comes next.
func (d *Decoder) ReadTag() (uint64, error) {
	ib, arg, off, err := d.head()
	if err != nil {
		return 0, err
	}
	if ib>>5 != majorTag {
		return 0, d.mismatch(ib, off, "tag")
	}
	return arg, d.open(ib, arg, off)
}

// open counts the array, map or tag whose head was read, and opens its frame.
func (d *Decoder) open(ib byte, arg uint64, off int64) error {
	if len(d.b.frames) > 0 {
		d.top().left--
	}
	if err := d.b.open(ib, arg, off); err != nil {
		return d.failed(err)
	}
	return nil
}

// ReadArrayHeader reads the head of an array and returns the count of its
// elements, or -1 if the length is indefinite. ReadEnd is due behind them.
func (d *Decoder) ReadArrayHeader() (n int64, err error) {
	return d.header(majorArray)
}

// ReadMapHeader reads the head of a map and returns the count of its pairs, or
// -1 if the length is indefinite. The keys and values come in turn; ReadEnd is
// due behind them.
func (d *Decoder) ReadMapHeader() (n int64, err error) {
	return d.header(majorMap)
}

func (d *Decoder) header(major byte) (int64, error) {
	ib, arg, off, err := d.head()
	if err != nil {
		return 0, err
	}
	if ib>>5 != major {
		return 0, d.mismatch(ib, off, kindOf(major<<5).String())
	}
	if arg > math.MaxInt64 {
		return 0, d.failed(errorAt(off, ErrLimit, "%v of %d items", kindOf(ib), arg))
	}
	if err := d.open(ib, arg, off); err != nil {
		return 0, err
	}
	if isIndefinite(ib) {
		return -1, nil
	}
	return int64(arg), nil
}

// ReadEnd leaves the innermost array or map, of definite or indefinite length.
// Items that are left in it are an ErrType.
func (d *Decoder) ReadEnd() error {
	if err := d.resume(); err != nil {
		return err
	}
	if len(d.b.frames) == 0 {
		return d.typeError("no array or map is open")
	}
	top := d.top()
	if top.ib>>5 == majorTag {
		return d.typeError("the content of a tag is still to be read")
	}
	end, err := d.atEnd()
	switch {
	case err != nil:
		return d.failed(err)
	case !end:
		return d.typeError("the %v has more items; read or Skip them", kindOf(top.ib&^infoMask))
	case top.loop != 0:
		return d.typeError("the loop over the %v leaves it", kindOf(top.ib&^infoMask))
	}
	if isIndefinite(top.ib) {
		d.b.pos++ // the break
	}
	d.b.frames = d.b.frames[:len(d.b.frames)-1]
	d.settle()
	return nil
}

// str reads the head of a string, holding it for rewind.
func (d *Decoder) str(major byte) (ib byte, n uint64, off int64, err error) {
	if err := d.item(); err != nil {
		return 0, 0, 0, err
	}
	d.holdItem()
	off = d.b.off()
	if ib, n, err = d.b.head(); err == nil && ib == initialBreak {
		err = errBreak(off)
	}
	if err != nil {
		return 0, 0, 0, d.release(err, 0)
	}
	if ib>>5 != major {
		d.b.hold = false
		return 0, 0, 0, d.mismatch(ib, off, kindOf(major<<5).String())
	}
	return ib, n, off, nil
}

// strDone ends a string that str began.
func (d *Decoder) strDone(err error) error {
	if err != nil {
		return d.release(err, 0)
	}
	d.b.hold = false
	d.take()
	return nil
}

// ReadBytes reads a byte string. One of definite length aliases the buffer or
// the data; chunks are joined in a new slice.
func (d *Decoder) ReadBytes() ([]byte, error) {
	ib, n, off, err := d.str(majorBytes)
	if err != nil {
		return nil, err
	}
	s, err := d.b.byteString(ib, n, off)
	if err = d.strDone(err); err != nil {
		return nil, err
	}
	return s, nil
}

// ReadText reads a text string, as [Options].InvalidUTF8 and AliasText say.
func (d *Decoder) ReadText() (string, error) {
	ib, n, off, err := d.str(majorText)
	if err != nil {
		return "", err
	}
	s, err := d.b.textString(ib, n, off)
	if err = d.strDone(err); err != nil {
		return "", err
	}
	return s, nil
}

// ReadTextBytes is like ReadText without the copy: text of definite length
// aliases the buffer or the data. A caller who changes it changes the input.
func (d *Decoder) ReadTextBytes() ([]byte, error) {
	ib, n, off, err := d.str(majorText)
	if err != nil {
		return nil, err
	}
	s, err := d.b.textBytes(ib, n, off)
	if err = d.strDone(err); err != nil {
		return nil, err
	}
	return s, nil
}
