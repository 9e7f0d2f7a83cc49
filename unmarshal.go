package cbor

import (
	"math"
	"math/big"
	"reflect"
	"strings"
	"sync"
)

// An Unmarshaler decodes itself from one encoded item, tags and all. The data
// aliases the input unless CopyBytes is set. An error comes out of the decoder
// wrapped beside [ErrType].
type Unmarshaler interface {
	UnmarshalCBOR(data []byte) error
}

// An UnmarshalerFrom reads exactly one item from d, which holds that item and
// is not to be used after the method has returned. Less or more than one item
// is an [ErrType]. The item was walked over once before: what stands inside n
// such methods is read n times more.
type UnmarshalerFrom interface {
	UnmarshalCBORFrom(d *Decoder) error
}

// Unmarshal decodes data, which holds exactly one item, into the value that v,
// a non-nil pointer, points to. The errors are those of [Decode] and an
// [ErrType] for an item that the target does not hold, which ends the call: what
// came before it in data is then in the target, but for the element of a slice or
// the entry of a map that it is in. What is passed over because no
// target takes it must be well-formed and is not looked at further.
//
//	Go type                  takes                                  fxamacker/cbor
//	bool                     false, true
//	int…, uint…              integers and bignums that fit          also simple values, into any number
//	float32, float64         floats of any width, integers,         the same; bignums that fit 64 bits
//	                         bignums; rounded, but no overflow
//	string                   text strings
//	[]byte, [N]byte          byte strings, arrays of integers       arrays too
//	[N]T                     arrays: zeroes the rest, drops what
//	                         is too much
//	[]T                      arrays: as if appended to v[:0]        elements keep old values that data
//	                                                                does not replace
//	map                      maps: added to the entries there are;  the last of duplicate keys counts;
//	                         map[any]any takes the keys of MapAny   tags as keys of map[any]any
//	struct                   maps; arrays with the option toarray,
//	                         of as many elements as fields
//	pointer                  what its element takes; allocated      null behind a tag allocates
//	                         where it is nil
//	interface                what Decode returns, if it has the     replaces a pointer in an any; with
//	                         methods, but nil for undefined; a      methods, only into a pointer in it
//	                         non-nil pointer in it is decoded into
//	time.Time                tags 0 and 1, RFC 3339 text and        other tags refused; NaN and
//	                         numbers without a tag                  infinities are the zero time
//	big.Int                  integers, bignums
//	RawMessage               any item, with its tags                a copy, without tag 55799
//	Tag                      tagged items, with any number          not tag 55799
//	Map                      maps, in the order of the input        no such type
//	Simple                   simple values, also false to undefined
//	ByteString               byte strings                           null makes it empty
//	UnmarshalerFrom          any item                               no such interface
//	Unmarshaler              any item, also null; in a pointer      data is a copy, without tag 55799
//	                         null is nil
//	BinaryUnmarshaler        byte strings and what its kind takes;
//	                         url.URL also text
//	TextUnmarshaler          text strings and what its kind takes   only with an option
//
// Rules for all targets:
//
//	null, undefined          make pointers, slices, maps and interfaces nil and leave other targets alone
//	tags                     [Options].Tags come first, and what the TagFunc returns must fit the target; a tag
//	                         that the target does not know is dropped. fxamacker checks the content of tags 0 to 3
//	duplicate keys           ErrDuplicateKey, also for two keys that land on one field or are one key in Go, and
//	                         for keys that name no field; with AllowDuplicateKeys the last one counts, where
//	                         for fxamacker the first one sets a field; NaN as a key of a Go map is never replaced
//	mismatches               the first one ends the call; fxamacker goes on and returns the first error
//
// Rules for structs:
//
//	`cbor:"name"`            the key, a text string; without it the tag json counts, then the name of the field
//	`cbor:"-"`               the field is left alone, as unexported fields are
//	keyasint                 the key is the integer that name stands for
//	toarray, toindefarray    on a field named _: the fields are the elements of an array
//	omitempty, omitzero      are for encoders
//	embedded structs         their fields are promoted as encoding/json does, unless a tag names the struct; a nil
//	                         pointer to an unexported struct is an ErrType
//	matching                 a field of exactly the name of the key, or else the first one that differs in case,
//	                         for fxamacker only without a change of length in UTF-8
//	unknown keys             are passed over, or an ErrType with DisallowUnknownFields; so are keys that cannot
//	                         name a field, such as arrays, which are an error for fxamacker
//
// Byte strings of definite length in []byte and RawMessage alias data unless
// CopyBytes is set, strings and ByteStrings under AliasText, as for Decode. The
// caller owns all else. Existing slices and maps are used again, but for slices
// of bytes, which may alias an earlier input.
func Unmarshal(data []byte, v any) error { return Options{}.Unmarshal(data, v) }

// UnmarshalFirst is like [Unmarshal] for the first item in data, and returns
// the bytes after it. Rest aliases data.
func UnmarshalFirst(data []byte, v any) (rest []byte, err error) {
	return Options{}.UnmarshalFirst(data, v)
}

// Unmarshal is like the function [Unmarshal], under the options.
func (o Options) Unmarshal(data []byte, v any) error {
	n, err := o.unmarshal(data, v)
	if err == nil && n < len(data) {
		return errTrailing(int64(n))
	}
	return err
}

// UnmarshalFirst is like the function [UnmarshalFirst], under the options.
func (o Options) UnmarshalFirst(data []byte, v any) (rest []byte, err error) {
	n, err := o.unmarshal(data, v)
	if err != nil {
		return nil, err
	}
	return data[n:], nil
}

// An unmarshaling is a builder with the plan that it used last. One that calls
// plans cannot be on the stack.
type unmarshaling struct {
	builder
	typ  reflect.Type // of the target, a pointer
	plan *plan        // for what it points to
}

var unmarshalings = sync.Pool{New: func() any { return new(unmarshaling) }}

// unmarshal decodes the first item of data and returns its length.
func (o *Options) unmarshal(data []byte, v any) (int, error) {
	b := unmarshalings.Get().(*unmarshaling)
	b.buf, b.full, b.pos = data, data, 0
	b.opt = *o
	err := b.begin(o)
	if err == nil {
		b.depth = b.max
		if err = b.run(v); err != nil {
			err = b.failed(err)
		}
		b.forget(maxPooled)
	}
	n := b.pos
	if cap(b.frames) > maxKept {
		b.frames = nil
	}
	b.buf, b.full, b.opt.Tags = nil, nil, nil
	unmarshalings.Put(b)
	return n, err
}

// run is into with the plan used last, if it is for v.
func (b *unmarshaling) run(v any) error {
	ptr := reflect.ValueOf(v)
	if typ := reflect.TypeOf(v); typ != b.typ || typ == nil {
		if typ == nil || typ.Kind() != reflect.Pointer {
			return b.into(v)
		}
		b.typ, b.plan = typ, planFor(typ.Elem())
	}
	if ptr.IsNil() {
		return b.into(v)
	}
	b.acquire()
	return b.decodeInto(b.plan, refBehind(ptr))
}

// into decodes the next item into the value that v points to. Before it, depth
// must be set and, on a stream, the item be held.
func (b *builder) into(v any) error {
	ptr := reflect.ValueOf(v)
	if ptr.Kind() != reflect.Pointer || ptr.IsNil() {
		return errorAt(b.off(), ErrType, "the target must be a non-nil pointer, not %s", describeTarget(ptr))
	}
	b.acquire()
	return b.decodeInto(planFor(ptr.Type().Elem()), refBehind(ptr))
}

func describeTarget(v reflect.Value) string {
	switch {
	case !v.IsValid():
		return "nil"
	case v.Kind() == reflect.Pointer:
		return "a nil " + v.Type().String()
	}
	return v.Type().String()
}

// A headAt is a head with its offset.
type headAt struct {
	off int64
	arg uint64
	ib  byte
}

// small reads the next head if it is at hand and its argument is in its initial
// byte. It is for the inliner, with readHead for the others.
func (c *cursor) small() (h headAt, ok bool) {
	if c.pos < len(c.buf) {
		if ib := c.buf[c.pos]; ib&infoMask < 24 {
			h = headAt{c.base + int64(c.pos), uint64(ib & infoMask), ib}
			c.pos++
			return h, true
		}
	}
	return h, false
}

func (c *cursor) readHead() (h headAt, err error) {
	if c.pos >= len(c.buf) {
		if err := c.more(1, c.off()); err != nil {
			return h, err
		}
	}
	h.off, h.ib = c.off(), c.buf[c.pos]
	if h.arg = uint64(h.ib & infoMask); h.arg < 24 {
		c.pos++
		return h, nil
	}
	h.arg, err = c.longHead(h.ib)
	return h, err
}

// unread goes back to the head h, after which nothing was read.
func (c *cursor) unread(h headAt) { c.pos = int(h.off - c.base) }

// decodeInto decodes the next item into r by p.
func (b *builder) decodeInto(p *plan, r ref) error {
	h, ok := b.small()
	if !ok {
		var err error
		if h, err = b.readHead(); err != nil {
			return err
		}
	}
	return p.decode(p, b, r, h)
}

// pass passes over the next item. The walk has a frame to itself, so that it
// leaves those of a Decoder alone, and as many levels as are left.
func (b *builder) pass() error {
	if b.pos < len(b.buf) {
		if size := int(itemSizes[b.buf[b.pos]]); size > 0 && size <= len(b.buf)-b.pos {
			b.pos += size
			return nil
		}
	}
	floor, max := len(b.frames), b.max
	b.frames = append(b.frames, frame{left: unbounded, ib: majorArray << 5})
	b.max = floor + 1 + b.depth
	err := b.skipItem()
	if e, ok := err.(*DecodeError); ok && err.Error() == errDepth(e.Offset, b.max).Error() {
		err = errDepth(e.Offset, max)
	}
	b.frames, b.max = b.frames[:floor], max
	if err != nil {
		b.rest = 0
	}
	return err
}

// other does what all plans have in common for items that are not of their
// kinds.
func (p *plan) other(b *builder, r ref, h headAt) error {
	switch {
	case isNull(h.ib):
		if p.nillable {
			p.value(r).SetZero()
		}
		return nil
	case h.ib == initialBreak:
		return errBreak(h.off)
	case h.ib>>5 == majorTag:
		return p.tagged(b, r, h)
	}
	return p.mismatch(kindOf(h.ib).String(), h.off)
}

// isNull reports whether ib is null or undefined.
func isNull(ib byte) bool { return ib == majorSimple<<5|22 || ib == majorSimple<<5|23 }

// tagged decodes the tag whose head is h.
func (p *plan) tagged(b *builder, r ref, h headAt) error {
	if fn := b.opt.Tags[h.arg]; fn != nil {
		x, err := b.tag(h.arg, h.off)
		if err != nil {
			return err
		}
		return p.assign(p.value(r), x, h.off)
	}
	if p.tags.has(h.arg) {
		if err := b.enter(h.off); err != nil {
			return err
		}
		x, err := b.scalarTag(h.arg, h.off)
		if err != nil {
			return err
		}
		b.depth++
		return p.assign(p.value(r), x, h.off)
	}
	return p.dropTag(b, r, h)
}

// drops reports whether p drops the tag number.
func (p *plan) drops(b *builder, number uint64) bool {
	return !p.tags.has(number) && b.opt.Tags[number] == nil
}

// dropTag decodes the content of the tag whose head is h.
func (p *plan) dropTag(b *builder, r ref, h headAt) error {
	if err := b.enter(h.off); err != nil {
		return err
	}
	if err := b.decodeInto(p, r); err != nil {
		return err
	}
	b.depth++
	return nil
}

// assign stores x, which comes from the tag at off, in v.
func (p *plan) assign(v reflect.Value, x any, off int64) error {
	if x == nil {
		if p.nillable {
			v.SetZero()
		}
		return nil
	}
	r := reflect.ValueOf(x)
	if p.sealed {
		return p.mismatch("the value of a tag, of type "+r.Type().String()+",", off)
	}
	if r.Type().AssignableTo(p.typ) {
		v.Set(r)
		return nil
	}
	if p.typ.Kind() == reflect.Pointer && p.elem != nil {
		if v.IsNil() {
			v.Set(reflect.New(p.typ.Elem()))
		}
		return p.elem.assign(v.Elem(), x, off)
	}
	if r.Kind() == reflect.Pointer && !r.IsNil() && r.Elem().Type().AssignableTo(p.typ) && p.typ != reflect.TypeFor[big.Int]() {
		v.Set(r.Elem())
		return nil
	}
	if !store(v, x) {
		return p.mismatch("the value of a tag, of type "+r.Type().String()+",", off)
	}
	return nil
}

// store sets v to x, a scalar as Decode returns it, if v is of a kind for it.
func store(v reflect.Value, x any) bool {
	k := v.Kind()
	switch x := x.(type) {
	case int64:
		return storeInteger(v, big.NewInt(x))
	case uint64:
		return storeInteger(v, new(big.Int).SetUint64(x))
	case *big.Int:
		return x != nil && storeInteger(v, x)
	case float64:
		if v.CanFloat() && !v.OverflowFloat(x) {
			v.SetFloat(x)
			return true
		}
	case bool:
		if k == reflect.Bool {
			v.SetBool(x)
			return true
		}
	case string:
		if k == reflect.String {
			v.SetString(x)
			return true
		}
	case []byte:
		if k == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(x)
			return true
		}
	}
	return false
}

// storeInteger sets v to x if it fits.
func storeInteger(v reflect.Value, x *big.Int) bool {
	switch {
	case v.CanInt():
		if x.IsInt64() && !v.OverflowInt(x.Int64()) {
			v.SetInt(x.Int64())
			return true
		}
	case v.CanUint():
		if x.IsUint64() && !v.OverflowUint(x.Uint64()) {
			v.SetUint(x.Uint64())
			return true
		}
	case v.Kind() == reflect.Float32: // rounded once
		if f, _ := new(big.Float).SetInt(x).Float32(); !math.IsInf(float64(f), 0) {
			v.SetFloat(float64(f))
			return true
		}
	case v.CanFloat():
		if f, _ := x.Float64(); !math.IsInf(f, 0) && !v.OverflowFloat(f) {
			v.SetFloat(f)
			return true
		}
	case v.Type() == reflect.TypeFor[big.Int]():
		v.Addr().Interface().(*big.Int).Set(x)
		return true
	}
	return false
}

// A mismatch is an item that does not fit its target.
type mismatch struct {
	what  string
	typ   reflect.Type
	label string // the field, once known
	cause error  // of a method of the type
}

func (m *mismatch) Error() string {
	var s strings.Builder
	s.WriteString(m.what)
	s.WriteString(" does not fit ")
	s.WriteString(m.typ.String())
	if m.label != "" {
		s.WriteString(" (" + m.label + ")")
	}
	if m.cause != nil {
		s.WriteString(": " + m.cause.Error())
	}
	return s.String()
}

func (m *mismatch) Unwrap() []error {
	if m.cause != nil {
		return []error{ErrType, m.cause}
	}
	return []error{ErrType}
}

// mismatch returns the error for what is at off, which p does not take.
func (p *plan) mismatch(what string, off int64) error {
	return &DecodeError{Offset: off, Err: &mismatch{what: what, typ: p.typ}}
}

// refused returns the error for what is at off, which a method of the type
// refused.
func (p *plan) refused(what string, off int64, cause error) error {
	return &DecodeError{Offset: off, Err: &mismatch{what: what, typ: p.typ, cause: notEOF(cause)}}
}
