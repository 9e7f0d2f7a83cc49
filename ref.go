//go:build !purego

package cbor

// NOTE: A ref is where a value goes that is being decoded: a pointer to it, whose
// type its plan knows. With a reflect.Value instead (the build tag purego) a
// struct of 8 fields takes about 1.5 times as long (Go 1.26). A ref points into
// a variable that is addressable, so that it keeps that variable alive.

import (
	"reflect"
	"unsafe"
)

type ref = unsafe.Pointer

// refOf returns the ref to v, which is addressable.
func refOf(v reflect.Value) ref { return v.Addr().UnsafePointer() }

// refBehind returns the ref to what ptr, a pointer, points to.
func refBehind(ptr reflect.Value) ref { return ptr.UnsafePointer() }

// refTo returns the ref to *x.
func refTo[T any](x *T) ref { return unsafe.Pointer(x) }

// as returns the pointer to the value, which is of type T or of one with the
// same underlying type.
func as[T any](r ref) *T { return (*T)(r) }

// value returns the value, which is of the type of p.
func (p *plan) value(r ref) reflect.Value { return reflect.NewAt(p.typ, r).Elem() }

// pointee returns the ref to what the pointer points to, which is made if it is
// nil.
func (p *plan) pointee(r ref) ref {
	ptr := (*unsafe.Pointer)(r)
	if *ptr == nil {
		*ptr = reflect.New(p.elem.typ).UnsafePointer()
	}
	return *ptr
}

// direct returns the ref to f in the struct, if no pointer is on the way.
func (f *field) direct(r ref) ref { return unsafe.Add(r, f.offset) }

func (p *plan) storeInt(r ref, i int64) {
	switch p.size {
	case 1:
		*(*int8)(r) = int8(i)
	case 2:
		*(*int16)(r) = int16(i)
	case 4:
		*(*int32)(r) = int32(i)
	default:
		*(*int64)(r) = i
	}
}

func (p *plan) storeUint(r ref, u uint64) { p.storeInt(r, int64(u)) }

func (p *plan) storeFloat(r ref, f float64) {
	if p.size == 4 {
		*(*float32)(r) = float32(f)
	} else {
		*(*float64)(r) = f
	}
}

func storeBool(r ref, x bool)     { *(*bool)(r) = x }
func storeString(r ref, s string) { *(*string)(r) = s }
func storeBytes(r ref, s []byte)  { *(*[]byte)(r) = s }

// elements are the elements of a slice or an array.
type elements struct {
	base unsafe.Pointer
	size uintptr
}

// elementsOf returns the elements of v, a slice.
func elementsOf(v reflect.Value, p *plan) elements { return elements{v.UnsafePointer(), p.elem.size} }

// elements returns the elements of the array.
func (p *plan) elements(r ref) elements { return elements{r, p.elem.size} }

func (e elements) at(i int) ref { return unsafe.Add(e.base, uintptr(i)*e.size) }
