package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	smithy "github.com/aws/smithy-go/encoding/cbor"
	fxcbor "github.com/fxamacker/cbor/v2"
	"github.com/streamcbor/cbor"
	"github.com/ugorji/go/codec"
)

// agree runs each contender once and compares what they return with what the first
// one does. A contender of another package may refuse the work; one of ours may not.
func agree(by []contender) (refused []error, err error) {
	refused = make([]error, len(by))
	var want any
	for i, c := range by {
		v, err := c.do()
		switch {
		case err != nil && strings.HasPrefix(c.name, ours):
			return nil, fmt.Errorf("%s: %w", c.name, err)
		case err != nil:
			refused[i] = err
			continue
		}
		got, err := normal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if i == 0 {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			return nil, fmt.Errorf("%s and %s disagree%s", by[0].name, c.name, difference(want, got))
		}
	}
	return refused, nil
}

// Forms of values that would otherwise be taken for others.
type (
	octets string // a byte string
	tagged struct {
		number  uint64
		content any
	}
)

// normal returns v in the form that all contenders share: numbers are float64 (ugorji
// makes that of bignums), undefined is nil (which fxamacker and ugorji make of it),
// keys of maps are text, tag 259 is left out, and structs are what encoding/json makes
// of them.
func normal(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, string, float64, tail:
		if t, ok := v.(tail); ok {
			last, err := normal(t.last)
			return []any{float64(t.count), last}, err
		}
		return v, nil
	case []byte:
		return octets(v), nil
	case []any:
		return normalList(v)
	case map[string]any:
		return normalMap(v)
	case map[any]any:
		return normalMap(v)
	case time.Time:
		return tagged{1, float64(v.Unix())}, nil
	}
	if n, ok := number(v); ok {
		return n, nil
	}
	if x, ok, err := special(v); ok {
		return x, err
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var x any
	err = json.Unmarshal(encoded, &x)
	return x, err
}

// number returns an integer, float or bignum as a float64.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case smithy.Uint:
		return float64(v), true
	case smithy.NegInt:
		return -float64(v), true
	case smithy.Float32:
		return float64(v), true
	case smithy.Float64:
		return float64(v), true
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f, true
	case big.Int:
		return number(&v)
	}
	return 0, false
}

// special returns the normal form of the types that packages have of their own.
func special(v any) (x any, ok bool, err error) {
	switch v := v.(type) {
	case cbor.Simple, *smithy.Undefined, *smithy.Nil:
		return nil, true, nil
	case cbor.Map:
		m := make(map[any]any, len(v))
		for _, e := range v {
			m[e.Key] = e.Value
		}
		x, err = normalMap(m)
	case cbor.Tag:
		x, err = normalTag(v.Number, v.Content)
	case fxcbor.Tag:
		x, err = normalTag(v.Number, v.Content)
	case codec.RawExt:
		x, err = normalTag(v.Tag, v.Value)
	case *codec.RawExt:
		x, err = normalTag(v.Tag, v.Value)
	case *smithy.Tag:
		x, err = normalTag(v.ID, v.Value)
	case smithy.Bool:
		x = bool(v)
	case smithy.String:
		x = string(v)
	case smithy.Slice:
		x = octets(v)
	case smithy.List:
		x, err = normalList(v)
	case smithy.Map:
		x, err = normalMap(v)
	default:
		return nil, false, nil
	}
	return x, true, err
}

func normalList[E any](v []E) (any, error) {
	list := make([]any, len(v))
	for i, e := range v {
		var err error
		if list[i], err = normal(e); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func normalMap[K comparable, V any](v map[K]V) (any, error) {
	m := make(map[string]any, len(v))
	for k, e := range v {
		value, err := normal(e)
		if err != nil {
			return nil, err
		}
		m[fmt.Sprint(k)] = value
	}
	if len(m) != len(v) {
		return nil, errors.New("two keys of a map have the same text")
	}
	return m, nil
}

// normalTag returns what others make of the tags that they know.
func normalTag(number uint64, content any) (any, error) {
	x, err := normal(content)
	switch b, isBytes := x.(octets); {
	case number == 259:
		return x, err
	case number == 2 && isBytes:
		f, _ := new(big.Float).SetInt(new(big.Int).SetBytes([]byte(b))).Float64()
		return f, err
	}
	return tagged{number, x}, err
}

// difference says where a and b, which are in normal form, begin to differ.
func difference(a, b any) string {
	switch a := a.(type) {
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				if !reflect.DeepEqual(a[i], b[i]) {
					return fmt.Sprintf(" at /%d%s", i, strings.TrimPrefix(difference(a[i], b[i]), " at "))
				}
			}
		}
	case map[string]any:
		if b, ok := b.(map[string]any); ok && len(a) == len(b) {
			for k := range a {
				if !reflect.DeepEqual(a[k], b[k]) {
					return fmt.Sprintf(" at /%s%s", k, strings.TrimPrefix(difference(a[k], b[k]), " at "))
				}
			}
		}
	}
	return fmt.Sprintf(": %.80T(%.80v) and %.80T(%.80v)", a, a, b, b)
}
