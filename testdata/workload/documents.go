package workload

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// documents are the names of well-known documents, each with a function that makes
// one of the same shape and of about the same length.
var documents = []struct {
	name string
	make func(*rand.Rand) any
}{
	{"twitter_status", statuses},
	{"citm_catalog", catalog},
	{"canada_geometry", geometry},
	{"golang_source", source},
	{"synthea_fhir", patient},
	{"string_unicode", scripts},
}

// Documents returns the documents, read from the folder dir where it has them and
// made where it does not.
func Documents(dir string) []Item {
	var items []Item
	for _, d := range documents {
		items = append(items, Item{d.name, func() []byte {
			if data, err := os.ReadFile(filepath.Join(dir, d.name+".cbor")); err == nil {
				return data
			}
			return appendValue(nil, d.make(random()))
		}})
	}
	return items
}

// pairs is a map as a list of keys and values, which keeps their order.
type pairs []any

// appendValue appends v, which is built from pairs, []any and scalars.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 0xf6)
	case bool:
		if v {
			return append(b, 0xf5)
		}
		return append(b, 0xf4)
	case int:
		return appendValue(b, int64(v))
	case int64:
		if v < 0 {
			return AppendHead(b, 1, uint64(-1-v))
		}
		return AppendHead(b, 0, uint64(v))
	case float64:
		return binary.BigEndian.AppendUint64(append(b, 0xfb), math.Float64bits(v))
	case string:
		return AppendText(b, v)
	case []any:
		b = AppendHead(b, 4, uint64(len(v)))
		for _, e := range v {
			b = appendValue(b, e)
		}
		return b
	case pairs:
		b = AppendHead(b, 5, uint64(len(v)/2))
		for _, e := range v {
			b = appendValue(b, e)
		}
		return b
	}
	panic(fmt.Sprintf("workload: no encoding for %T", v))
}

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// list returns n values that f makes.
func list(n int, f func(i int) any) []any {
	l := make([]any, n)
	for i := range l {
		l[i] = f(i)
	}
	return l
}

// words returns about n bytes of words in ASCII.
func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		for range 2 + r.IntN(8) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// runes returns n characters from lo to hi.
func runes(r *rand.Rand, n int, lo, hi rune) string {
	var b strings.Builder
	for range n {
		b.WriteRune(lo + r.Int32N(hi-lo))
	}
	return b.String()
}

// statuses are short messages, half of them in Japanese, with their authors.
func statuses(r *rand.Rand) any {
	return pairs{"statuses", list(170, func(i int) any {
		id := 505874924095815681 + int64(i)*1009
		text := words(r, 90)
		if i%2 == 0 {
			text = "@aym0566x \n\n" + runes(r, 60, 'ぁ', '龥')
		}
		return pairs{
			"metadata", pairs{"result_type", "recent", "iso_language_code", "ja"},
			"created_at", "Sun Aug 31 00:29:15 +0000 2014", "id", id, "id_str", fmt.Sprint(id), "text", text,
			"source", `<a href="http://twitter.com" rel="nofollow">Twitter Web Client</a>`, "truncated", false,
			"in_reply_to_status_id", nil, "in_reply_to_user_id", 866260188,
			"user", pairs{
				"id", 1186275104 + i, "name", runes(r, 8, 'ぁ', '龥'), "screen_name", words(r, 10), "location", "",
				"description", runes(r, 50, 'ぁ', '龥'), "url", nil, "protected", false, "followers_count", r.IntN(5000),
				"friends_count", r.IntN(900), "created_at", "Sat Feb 16 13:46:25 +0000 2013", "favourites_count", r.IntN(300),
				"utc_offset", nil, "time_zone", nil, "geo_enabled", false, "verified", false, "statuses_count", r.IntN(9000),
				"lang", "ja", "profile_image_url", "http://pbs.twimg.com/profile_images/497760886795153410/LDjAwR_y_normal.jpeg",
				"profile_link_color", "0084B4", "profile_use_background_image", true, "default_profile", true, "following", false,
			},
			"geo", nil, "coordinates", nil, "retweet_count", r.IntN(40), "favorite_count", r.IntN(9),
			"entities", pairs{"hashtags", []any{}, "urls", []any{}, "user_mentions", []any{
				pairs{"screen_name", "aym0566x", "name", runes(r, 6, 'ぁ', '龥'), "id", 866260188, "indices", []any{0, 9}},
			}},
			"favorited", false, "retweeted", false, "lang", "ja",
		}
	}), "search_metadata", pairs{"completed_in", 0.087, "max_id", int64(505874924095815681), "count", 100, "since_id", 0}}
}

// catalog has keys that are numbers and many short lists of integers.
func catalog(r *rand.Rand) any {
	const first = 138586341
	var names, topics, events pairs
	for i := range 180 {
		id := first + 4*i
		key := fmt.Sprint(id)
		names = append(names, key, words(r, 25))
		topics = append(topics, key, []any{id, id + 1, id + 2})
		events = append(events, key, pairs{
			"description", nil, "id", id, "logo", nil, "name", words(r, 20), "subTopicIds", []any{id, id + 1},
			"subjectCode", nil, "subtitle", nil, "topicIds", []any{id + 2, id + 3},
		})
	}
	id := func() int { return first + r.IntN(10_000_000) }
	return pairs{
		"areaNames", names[:34], "audienceSubCategoryNames", names[:4], "blockNames", pairs{}, "events", events,
		"performances", list(240, func(i int) any {
			return pairs{
				"eventId", first + 4*(i%180), "id", first + i, "logo", nil, "name", nil,
				"prices", list(2+i%3, func(int) any {
					return pairs{"amount", 90250, "audienceSubCategoryId", 337100890, "seatCategoryId", id()}
				}),
				"seatCategories", list(3, func(int) any {
					areas := list(3+r.IntN(5), func(int) any { return pairs{"areaId", id(), "blockIds", []any{}} })
					return pairs{"areas", areas, "seatCategoryId", id()}
				}),
				"seatMapImage", nil, "start", 1372701600000 + int64(i)*3600, "venueCode", "PLEYEL_PLEYEL",
			}
		}),
		"seatCategoryNames", names[:120], "subTopicNames", names[:38], "subjectNames", pairs{},
		"topicNames", names[:8], "topicSubTopics", topics[:8], "venueNames", pairs{"PLEYEL_PLEYEL", "Salle Pleyel"},
	}
}

// geometry has rings of coordinates.
func geometry(r *rand.Rand) any {
	rings := list(480, func(int) any {
		return list(14, func(int) any { return []any{-140 + 80*r.Float64(), 42 + 40*r.Float64()} })
	})
	return pairs{"type", "FeatureCollection", "features", []any{pairs{
		"type", "Feature", "properties", pairs{"name", "Canada"}, "geometry", pairs{"type", "Polygon", "coordinates", rings},
	}}}
}

// source is a tree of folders and files.
func source(r *rand.Rand) any {
	var node func(depth int) any
	node = func(depth int) any {
		kids := []any{}
		if depth > 0 {
			kids = list(8, func(int) any { return node(depth - 1) })
		}
		at := 1_316_289_444 + r.IntN(1e7)
		return pairs{
			"name", words(r, 6) + ".go", "kids", kids, "cl_weight", r.Float64(), "touches", r.IntN(40),
			"min_t", at, "max_t", at + 86400, "mean_t", at + 43200,
		}
	}
	return pairs{"tree", list(3, func(int) any { return node(4) }), "username", "gopher"}
}

// patient is a bundle of records with nested codes and references.
func patient(r *rand.Rand) any {
	uuid := func() string { return fmt.Sprintf("urn:uuid:%08x-7903-4e8d-b487-%012x", r.Uint32(), r.Uint64N(1<<48)) }
	code := func() any {
		system := pairs{"system", "http://snomed.info/sct", "code", fmt.Sprint(r.IntN(1e9)), "display", words(r, 25)}
		return pairs{"coding", []any{system}, "text", words(r, 25)}
	}
	return pairs{"resourceType", "Bundle", "type", "transaction", "entry", list(1050, func(i int) any {
		resource := pairs{
			"resourceType", "Observation", "id", uuid(), "status", "final",
			"category", []any{code()}, "code", code(), "subject", pairs{"reference", uuid()}, "encounter", pairs{"reference", uuid()},
			"effectiveDateTime", "2012-05-23T17:45:28-04:00", "issued", "2012-05-23T17:45:28.338-04:00",
			"valueQuantity", pairs{"value", 200 * r.Float64(), "unit", "mg/dL", "system", "http://unitsofmeasure.org", "code", "mg/dL"},
		}
		if i%20 == 0 {
			resource = append(resource, "text", pairs{"status", "generated", "div", "<div>" + words(r, 600) + "</div>"})
		}
		return pairs{"fullUrl", uuid(), "resource", resource, "request", pairs{"method", "POST", "url", "Observation"}}
	})}
}

// scripts has one string for each of many scripts, few of which are in ASCII.
func scripts(r *rand.Rand) any {
	var m pairs
	for _, s := range []struct {
		name   string
		lo, hi rune
	}{
		{"Arabic", 0x620, 0x6d3}, {"Armenian", 0x531, 0x556}, {"Bengali", 0x985, 0x9b9}, {"Braille", 0x2800, 0x28ff},
		{"CJK", 0x4e00, 0x9fa5}, {"Cyrillic", 0x400, 0x4ff}, {"Devanagari", 0x904, 0x939}, {"Ethiopic", 0x1200, 0x1248},
		{"Georgian", 0x10d0, 0x10ff}, {"Greek", 0x3b1, 0x3c9}, {"Hangul", 0xac00, 0xd7a3}, {"Hebrew", 0x5d0, 0x5ea},
		{"Hiragana", 0x3041, 0x3096}, {"Katakana", 0x30a1, 0x30fa}, {"Latin", 0x20, 0x7e}, {"Latin Extended-A", 0x100, 0x17f},
		{"Mathematical Operators", 0x2200, 0x22ff}, {"Mongolian", 0x1820, 0x1877}, {"Emoticons", 0x1f600, 0x1f64f},
		{"Gothic", 0x10330, 0x1034a}, {"Thai", 0xe01, 0xe3a}, {"Tibetan", 0xf40, 0xf69}, {"Yi", 0xa000, 0xa48c},
	} {
		m = append(m, s.name, runes(r, 270, s.lo, s.hi))
	}
	return m
}

// Vocabulary returns count different tokens of 14 bytes on average, as a sequence of
// text strings and as the keys of a map to their numbers. Three of five begin with
// U+2581, which marks the beginning of a word.
func Vocabulary(count int) (sequence, keys []byte) {
	r := random()
	seen := make(map[string]bool, count)
	keys = AppendHead(nil, 5, uint64(count))
	for len(seen) < count {
		token := ""
		if r.IntN(5) < 3 {
			token = "\u2581"
		}
		for range 5 + r.IntN(15) {
			token += string(rune('a' + r.IntN(26)))
		}
		if seen[token] {
			continue
		}
		keys = AppendHead(AppendText(keys, token), 0, uint64(len(seen)))
		seen[token] = true
		sequence = AppendText(sequence, token)
	}
	return sequence, keys
}
