package cbor

import (
	"fmt"
	"testing"
)

// TestForget decodes items and looks for what the working memory still refers to.
func TestForget(t *testing.T) {
	items := []string{
		"a2 6161 01 6162 6163",                           // text keys
		"a3 6161 6178 6162 6179 01 617a",                 // then an integer
		"a3 6161 6178 01 6179 8101 617a",                 // then an array
		"bf 6161 6178 01 6179 8101 617a ff",              // of indefinite length
		"a2 6161 a2 6162 6163 8101 02 6164 a1 01 6165",   // in each other
		"a2 6161 a2 6162 6163 01 1c",                     // malformed
		"a3 6161 6178 6161 6179 01 617a",                 // with a duplicate
		"82 a3 6161 6178 6162 6179 01 617a a1 6161 61ff", // invalid at the end
	}
	for _, item := range items {
		for _, m := range []MapMode{MapAuto, MapText, MapAny, MapOrdered} {
			for _, allow := range []bool{false, true} {
				var b builder
				b.reset(unhex(t, item), &Options{Maps: m, AllowDuplicateKeys: allow})
				b.acquire()
				b.item()
				b.forget(maxPooled)
				when := fmt.Sprintf("%s, mode %d, allow %v", item, m, allow)
				for _, e := range b.texts[:cap(b.texts)] {
					if e != (textEntry{}) {
						t.Errorf("%s: still has %v", when, e)
					}
				}
				for _, e := range b.entries[:cap(b.entries)] {
					if e != (Entry{}) {
						t.Errorf("%s: still has %v", when, e)
					}
				}
				if len(b.texts)+len(b.entries)+len(b.hashes)+len(b.unknown)+len(b.path)+len(b.digests)+b.inKey != 0 || b.headers != nil {
					t.Errorf("%s: not empty", when)
				}
				b.release()
			}
		}
	}
}
