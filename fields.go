package cbor

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A structPlan has the fields of a struct in the order of the type.
type structPlan struct {
	name    string // of the type
	fields  []field
	expect  []expected // for each field, apart so that the hot loop touches little
	toArray bool
	byName  map[string]int
	byFold  map[string]int // by the folded name
	byNum   map[int64]int
	longest int    // bytes of the longest folded name
	bad     string // a field with keyasint whose name is no integer
}

// A field is a field of a struct, perhaps of one that is embedded in it.
type field struct {
	name  string // the key
	key   string // the key, encoded in its shortest form
	num   int64  // the key, if isNum
	isNum bool
	label string // the type and the field, for errors
	index []int
	typ   reflect.Type
	// Where it is in the struct; or parent, the plan of the struct, if there is
	// an embedded pointer on the way.
	offset uintptr
	parent *plan
	plan   *plan
	bad    bool // keyasint with a name that is no integer
	named  bool // has its name from a tag
	// It is an embedded unexported struct, or a pointer to one, for which plan is.
	sealed, unexported bool
}

// An expected is the encoded key of a field.
type expected struct {
	key  string
	word uint64 // its first 8 bytes, of which
	mask uint64 // has the bits that count
}

// structure plans the struct type of p.
func (m planner) structure(p *plan) *structPlan {
	t := p.typ
	s := &structPlan{
		name:   t.Name(),
		fields: visibleFields(t),
		byName: map[string]int{},
		byFold: map[string]int{},
		byNum:  map[int64]int{},
	}
	for i := range t.NumField() {
		s.toArray = s.toArray || asksForArray(t.Field(i))
	}
	if f, ok := t.FieldByName("_"); ok { // perhaps of an embedded struct
		s.toArray = s.toArray || asksForArray(f)
	}
	s.expect = make([]expected, len(s.fields))
	for i := range s.fields {
		f := &s.fields[i]
		if s.name != "" {
			f.label = s.name + "." + f.label
		}
		f.plan = m.plan(f.typ)
		f.locate(p)
		if f.unexported {
			f.plan, f.parent = f.plan.elem, p
		}
		if f.bad {
			s.bad = f.label
		}
		f.encodeKey()
		s.expect[i] = expect(f.key)
		if f.isNum {
			s.byNum[f.num] = i
			continue
		}
		s.byName[f.name] = i
		fold := string(appendFolded(nil, []byte(f.name)))
		s.longest = max(s.longest, len(fold))
		if _, ok := s.byFold[fold]; !ok {
			s.byFold[fold] = i
		}
	}
	return s
}

// seal tells the plans of embedded unexported structs, which are complete, that
// they are.
func (p *plan) seal() {
	if p.fields == nil {
		return
	}
	for i := range p.fields.fields {
		if f := &p.fields.fields[i]; f.sealed {
			sealed := *f.plan
			sealed.sealed = true
			f.plan = &sealed
		}
	}
}

// visibleFields returns the fields of t and of the structs that it embeds,
// after Go's rules of promotion as encoding/json applies them: of the fields
// with one name the least nested, of these one whose tag names it; if there are
// still several, none.
func visibleFields(t reflect.Type) []field {
	type level struct {
		typ   reflect.Type
		index []int
	}
	var all []field
	visited := map[reflect.Type]bool{}
	for next := []level{{typ: t}}; len(next) > 0; {
		current := next
		next = nil
		count := map[reflect.Type]int{}
		for _, l := range current {
			count[l.typ]++
		}
		for _, l := range current {
			if visited[l.typ] {
				continue
			}
			visited[l.typ] = true
			for i := range l.typ.NumField() {
				f, embedded, ok := fieldOf(l.typ.Field(i))
				if !ok {
					continue
				}
				f.index = append(slices.Clone(l.index), i)
				copies := min(count[l.typ], 2) // twice at one depth hides both
				for range copies {
					if embedded != nil {
						next = append(next, level{embedded, f.index})
					} else {
						all = append(all, f)
					}
				}
			}
		}
	}
	return dominant(all)
}

// fieldOf returns the field for f; or, if f embeds a struct whose fields are
// promoted, that struct.
func fieldOf(f reflect.StructField) (fld field, embedded reflect.Type, ok bool) {
	tag := f.Tag.Get("cbor")
	if tag == "" {
		tag = f.Tag.Get("json")
	}
	if tag == "-" || f.Name == "_" {
		return fld, nil, false
	}
	typ := f.Type
	if f.Anonymous && typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if !f.IsExported() && (!f.Anonymous || typ.Kind() != reflect.Struct) {
		return fld, nil, false
	}
	name, options, _ := strings.Cut(tag, ",")
	if f.Anonymous && name == "" && typ.Kind() == reflect.Struct {
		return fld, typ, true
	}
	if !f.IsExported() && (hasHooks(typ) || typ == reflect.TypeFor[Tag]()) {
		return fld, nil, false // with methods that are not for us to call
	}
	fld = field{name: name, label: f.Name, typ: f.Type, named: name != "", sealed: !f.IsExported()}
	fld.unexported = fld.sealed && typ != f.Type
	if name == "" {
		fld.name = f.Name
	}
	if hasOption(options, "keyasint") {
		n, err := strconv.ParseInt(fld.name, 10, 64)
		fld.num, fld.isNum, fld.bad = n, err == nil, err != nil
	}
	return fld, nil, utf8.ValidString(fld.name)
}

// asksForArray reports whether f has the option toarray for its struct, or
// toindefarray, which is the same to a decoder.
func asksForArray(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("cbor"), ",")
	return f.Name == "_" && (hasOption(options, "toarray") || hasOption(options, "toindefarray"))
}

// hasHooks reports whether t decodes itself from some items.
func hasHooks(t reflect.Type) bool {
	ptr := reflect.PointerTo(t)
	for _, hook := range []reflect.Type{unmarshaler, unmarshalerFrom, binaryType, textType} {
		if ptr.Implements(hook) {
			return true
		}
	}
	return false
}

// encodeKey sets the encoded key.
func (f *field) encodeKey() {
	if f.isNum {
		sign := f.num >> 63
		f.key = string(appendHead(nil, byte(sign&majorNegInt)<<5, uint64(f.num^sign)))
	} else {
		f.key = string(appendHead(nil, majorText<<5, uint64(len(f.name)))) + f.name
	}
}

func expect(key string) expected {
	e := expected{key: key}
	for i := range min(len(key), 8) {
		e.word |= uint64(key[i]) << (8 * i)
		e.mask |= 0xff << (8 * i)
	}
	return e
}

// locate finds out where f is in the struct of p.
func (f *field) locate(p *plan) {
	t := p.typ
	for _, i := range f.index {
		if t.Kind() == reflect.Pointer {
			f.parent = p
			return
		}
		f.offset += t.Field(i).Offset
		t = t.Field(i).Type
	}
}

func hasOption(options, option string) bool {
	return slices.Contains(strings.Split(options, ","), option)
}

// dominant returns the fields that are not hidden, in the order of the type.
func dominant(all []field) []field {
	type name struct {
		text  string
		num   int64
		isNum bool
	}
	groups := map[name][]field{}
	for _, f := range all {
		n := name{text: f.name}
		if f.isNum {
			n = name{num: f.num, isNum: true}
		}
		groups[n] = append(groups[n], f)
	}
	rank := func(f field) int {
		if f.named {
			return 2 * len(f.index)
		}
		return 2*len(f.index) + 1
	}
	var visible []field
	for _, g := range groups {
		slices.SortStableFunc(g, func(x, y field) int { return cmp.Compare(rank(x), rank(y)) })
		if len(g) == 1 || rank(g[0]) < rank(g[1]) {
			visible = append(visible, g[0])
		}
	}
	slices.SortFunc(visible, func(x, y field) int { return slices.Compare(x.index, y.index) })
	return visible
}

// byText returns the field that a text key names, or -1: one with this very
// name, or else the first with the name in other case.
func (s *structPlan) byText(key []byte) int {
	if i, ok := s.byName[string(key)]; ok {
		return i
	}
	if len(key) > 3*s.longest { // folding makes no more than 3 bytes one
		return -1
	}
	var buf [64]byte
	if i, ok := s.byFold[string(appendFolded(buf[:0], key))]; ok {
		return i
	}
	return -1
}

// byArgument returns the field that the head (ib, arg) names if it is an integer,
// or -1.
func (s *structPlan) byArgument(ib byte, arg uint64) int {
	if ib>>5 > majorNegInt || arg > math.MaxInt64 || len(s.byNum) == 0 {
		return -1
	}
	if i, ok := s.byNum[int64(arg)^-int64(ib>>5)]; ok {
		return i
	}
	return -1
}

// appendFolded appends s with each character replaced by the first of those
// that differ from it in case only, so that what strings.EqualFold calls equal
// becomes equal.
func appendFolded(dst, s []byte) []byte {
	for len(s) > 0 {
		c := s[0]
		if c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			dst, s = append(dst, c), s[1:]
			continue
		}
		r, n := utf8.DecodeRune(s)
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, foldRune(r))
		}
		s = s[n:]
	}
	return dst
}

// foldRune returns the least rune that differs from r in case only.
func foldRune(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}
