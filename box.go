//go:build !purego

package cbor

// NOTE: An interface holds a pointer to a number or a string header. Here these
// are taken from blocks, one allocation for many, instead of one each. What a
// block of numbers or of string bytes holds has no pointers; a block of headers
// does, and is dropped when its item ends. Boxing an int64 beyond 255 takes a
// third of the time of the runtime (Go 1.26).

import (
	"math"
	"unsafe"
)

// An eface is the layout of an empty interface.
type eface struct{ typ, data unsafe.Pointer }

func typeWord(v any) unsafe.Pointer { return (*eface)(unsafe.Pointer(&v)).typ }

var (
	int64Word   = typeWord(int64(0))
	float64Word = typeWord(float64(0))
	stringWord  = typeWord("")
	arrayWord   = typeWord([]any(nil))
	mapWord     = typeWord(Map(nil))
)

func box(typ, data unsafe.Pointer) (v any) {
	*(*eface)(unsafe.Pointer(&v)) = eface{typ, data}
	return v
}

// boxInt returns i as an interface.
func (b *builder) boxInt(i int64) any {
	if uint64(i) < 256 || b.scratch == nil {
		return i // the runtime allocates nothing below 256
	}
	return box(int64Word, unsafe.Pointer(b.number(uint64(i))))
}

// boxFloat returns f as an interface.
func (b *builder) boxFloat(f float64) any {
	if b.scratch == nil {
		return f
	}
	return box(float64Word, unsafe.Pointer(b.number(math.Float64bits(f))))
}

// number returns a pointer to u in a block.
func (b *builder) number(u uint64) *uint64 {
	n := len(b.numbers) - 1
	if n < 0 {
		b.numbers = make([]uint64, b.blockLen(&b.numbersLen, numberBlock, 3))
		n = len(b.numbers) - 1
	}
	p := &b.numbers[n]
	b.numbers = b.numbers[:n]
	*p = u
	return p
}

// boxString returns s as an interface. A header in a block keeps all strings
// of the block alive, so that long ones get their own, and none of a block alias
// different blocks of a stream.
func (b *builder) boxString(s string) any {
	if len(s) > maxShort || s == "" || b.scratch == nil {
		return s
	}
	n := len(b.headers) - 1
	if n < 0 || b.headersBase != b.base {
		b.headersBase = b.base
		b.headers = make([]string, b.blockLen(&b.headersLen, headerBlock, 2))
		n = len(b.headers) - 1
	}
	p := &b.headers[n]
	b.headers = b.headers[:n]
	*p = s
	return box(stringWord, unsafe.Pointer(p))
}

// boxAlias is boxString for a string longer than maxShort that aliases the
// input. It boxes the beginning and then lets the header tell the whole length.
func (b *builder) boxAlias(s string) any {
	v := b.boxString(s[:maxShort])
	*(*string)((*eface)(unsafe.Pointer(&v)).data) = s
	return v
}

// boxText returns the string of s, of 23 bytes at most, as an interface: its
// header and its bytes are one allocation.
func boxText(s []byte) any {
	if len(s) == 0 || len(s) > 16 {
		return string(s)
	}
	t := new(struct {
		header string
		bytes  [16]byte
	})
	copy(t.bytes[:], s)
	t.header = aliasString(t.bytes[:len(s)])
	return box(stringWord, unsafe.Pointer(&t.header))
}

// maxTiny is the most elements of a slice whose header stands in one allocation
// with them.
const maxTiny = 10

// tiny returns a slice with room for n elements, and where its header goes to
// be boxed.
func tiny[E any](n int) (s []E, header *[]E) {
	switch n {
	case 1:
		return headed[E, [1]E]()
	case 2:
		return headed[E, [2]E]()
	case 3:
		return headed[E, [3]E]()
	case 4:
		return headed[E, [4]E]()
	case 5:
		return headed[E, [5]E]()
	case 6:
		return headed[E, [6]E]()
	case 7:
		return headed[E, [7]E]()
	case 8:
		return headed[E, [8]E]()
	case 9:
		return headed[E, [9]E]()
	}
	return headed[E, [maxTiny]E]()
}

// headed returns a slice over an array A of E, and a header in front of it.
func headed[E, A any]() (s []E, header *[]E) {
	t := new(struct {
		header []E
		array  A
	})
	n := unsafe.Sizeof(t.array) / unsafe.Sizeof(*new(E))
	return unsafe.Slice((*E)(unsafe.Pointer(&t.array)), n)[:0], &t.header
}

// boxArray returns a as an interface, whose header goes to the one from tiny.
func boxArray(header *[]any, a []any) any {
	*header = a
	return box(arrayWord, unsafe.Pointer(header))
}

// boxMap returns m as an interface, whose header goes to the one from tiny.
func boxMap(header *[]Entry, m Map) any {
	*header = m
	return box(mapWord, unsafe.Pointer(header))
}
