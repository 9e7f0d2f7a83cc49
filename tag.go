package cbor

import (
	"math"
	"math/big"
	"time"
)

// The tags with a built-in meaning.
const (
	tagTime         = 0     // RFC 8949, section 3.4.1: RFC 3339 text
	tagEpoch        = 1     // RFC 8949, section 3.4.2: seconds since 1970
	tagBignum       = 2     // RFC 8949, section 3.4.3: unsigned
	tagNegBignum    = 3     // RFC 8949, section 3.4.3: -1 - n
	tagAnyMap       = 259   // a map with keys of any type (IANA registry of tags)
	tagSelfDescribe = 55799 // RFC 8949, section 3.4.6
)

// tag returns the value of the tag whose head is at off.
func (b *builder) tag(number uint64, off int64) (any, error) {
	if err := b.enter(off); err != nil {
		return nil, err
	}
	ib, err := b.peek()
	if err != nil {
		return nil, err
	}
	fn, ok := b.opt.Tags[number]
	builtin := !ok && !b.opt.RawTags
	b.anyMap = builtin && number == tagAnyMap && ib>>5 == majorMap
	v, err := b.value()
	if err != nil {
		return nil, err
	}
	b.depth++
	if builtin {
		return b.builtinTag(number, ib, v, off)
	}
	if fn == nil {
		return Tag{number, v}, nil
	}
	if v, err = fn(v); err != nil {
		return nil, &DecodeError{Offset: off, Err: &fault{ErrInvalidTag, "invalid content of " + tagName(number), notEOF(err)}}
	}
	return v, nil
}

// builtinTag returns the value of a tag over v, whose encoding begins with ib.
func (b *builder) builtinTag(number uint64, ib byte, v any, off int64) (any, error) {
	invalid := ""
	switch number {
	case tagTime:
		if s, ok := v.(string); ok && ib>>5 == majorText {
			t, ok := parseTime(s)
			if ok {
				return t, nil
			}
			invalid = "not a date and time of RFC 3339"
		} else {
			invalid = "not a text string"
		}
	case tagEpoch:
		if t, ok := epochTime(ib, v); ok {
			return t, nil
		}
		invalid = "not a number of seconds within the years 0 to 9999"
	case tagBignum, tagNegBignum:
		if s, ok := v.([]byte); ok && ib>>5 == majorBytes {
			return bignum(number, s), nil
		}
		invalid = "not a byte string"
	case tagAnyMap:
		if ib>>5 == majorMap {
			return v, nil
		}
		invalid = "not a map"
	case tagSelfDescribe:
		return v, nil
	default:
		return Tag{number, v}, nil
	}
	return nil, errorAt(off, ErrInvalidTag, "content of %s is %s", tagName(number), invalid)
}

func tagName(number uint64) string {
	return "tag " + new(big.Int).SetUint64(number).String()
}

// bignum returns the value of tag 2 or 3 over s, which may have leading zeros.
func bignum(number uint64, s []byte) *big.Int {
	i := new(big.Int).SetBytes(s)
	if number == tagNegBignum {
		i.Not(i)
	}
	return i
}

// The seconds since 1970 that are in the years 0 to 9999.
const (
	minEpoch = -62167219200
	maxEpoch = 253402300799
)

// epochTime returns the time of tag 1 over v, whose encoding begins with ib:
// an integer or a float.
func epochTime(ib byte, v any) (t time.Time, ok bool) {
	switch v := v.(type) {
	case int64:
		ok = ib>>5 <= majorNegInt && v >= minEpoch && v <= maxEpoch
		t = time.Unix(v, 0)
	case float64:
		if ib>>5 != majorSimple || !(v >= minEpoch && v < maxEpoch+1) {
			return t, false
		}
		sec := math.Floor(v)
		t = time.Unix(int64(sec), int64(math.Round((v-sec)*1e9)))
		ok = t.Unix() <= maxEpoch
	}
	return t.UTC(), ok
}

// parseTime parses a date-time of RFC 3339, section 5.6, more strictly than
// time.Parse does. Second 60 is the first of the next minute; digits of the
// fraction beyond the ninth are dropped.
func parseTime(s string) (t time.Time, ok bool) {
	const layout = "0000-00-00T00:00:00"
	if len(s) <= len(layout) {
		return t, false
	}
	for i := range len(layout) {
		switch c := s[i]; layout[i] {
		case '0':
			ok = c >= '0' && c <= '9'
		case 'T':
			ok = c == 'T' || c == 't'
		default:
			ok = c == layout[i]
		}
		if !ok {
			return t, false
		}
	}
	year, month, day := 100*digits(s[0:])+digits(s[2:]), digits(s[5:]), digits(s[8:])
	hour, minute, second := digits(s[11:]), digits(s[14:]), digits(s[17:])
	s = s[len(layout):]
	nsec := 0
	if s[0] == '.' {
		i := 1
		for scale := 100_000_000; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			nsec += int(s[i]-'0') * scale
			scale /= 10
		}
		if i == 1 {
			return t, false
		}
		s = s[i:]
	}
	zone, ok := parseZone(s)
	if !ok || hour > 23 || minute > 59 || second > 60 || month < 1 || month > 12 {
		return t, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, nsec, zone)
	d := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, d.Day() == day && t.Year() <= 9999
}

// parseZone parses the offset of RFC 3339: Z, or +hh:mm or -hh:mm.
func parseZone(s string) (*time.Location, bool) {
	if s == "Z" || s == "z" {
		return time.UTC, true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return nil, false
	}
	for _, i := range [...]int{1, 2, 4, 5} {
		if s[i] < '0' || s[i] > '9' {
			return nil, false
		}
	}
	hours, minutes := digits(s[1:]), digits(s[4:])
	if hours > 23 || minutes > 59 {
		return nil, false
	}
	offset := 60 * (60*hours + minutes)
	if s[0] == '-' {
		offset = -offset
	}
	if offset == 0 {
		return time.UTC, true
	}
	return time.FixedZone("", offset), true
}

// digits returns the number that the first two bytes of s, digits, stand for.
func digits(s string) int { return 10*int(s[0]-'0') + int(s[1]-'0') }
