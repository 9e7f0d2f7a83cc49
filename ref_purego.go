//go:build purego

package cbor

import "reflect"

type ref = reflect.Value

func refOf(v reflect.Value) ref       { return v }
func refBehind(ptr reflect.Value) ref { return ptr.Elem() }
func refTo[T any](x *T) ref           { return reflect.ValueOf(x).Elem() }

func as[T any](r ref) *T {
	if x, ok := r.Addr().Interface().(*T); ok {
		return x
	}
	return r.Addr().Convert(reflect.TypeFor[*T]()).Interface().(*T)
}

func (p *plan) value(r ref) reflect.Value { return r }

func (p *plan) pointee(r ref) ref {
	if r.IsNil() {
		r.Set(reflect.New(p.elem.typ))
	}
	return r.Elem()
}

func (f *field) direct(r ref) ref {
	for _, i := range f.index {
		r = r.Field(i)
	}
	return r
}

func (p *plan) storeInt(r ref, i int64)     { r.SetInt(i) }
func (p *plan) storeUint(r ref, u uint64)   { r.SetUint(u) }
func (p *plan) storeFloat(r ref, f float64) { r.SetFloat(f) }

func storeBool(r ref, x bool)     { r.SetBool(x) }
func storeString(r ref, s string) { r.SetString(s) }
func storeBytes(r ref, s []byte)  { r.SetBytes(s) }

type elements struct{ v reflect.Value }

func elementsOf(v reflect.Value, p *plan) elements { return elements{v} }
func (p *plan) elements(r ref) elements            { return elements{r} }
func (e elements) at(i int) ref                    { return e.v.Index(i) }
