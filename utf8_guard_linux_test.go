package cbor

import (
	"runtime/debug"
	"syscall"
	"testing"
	"unicode/utf8"
)

// guarded returns memory that lies between two pages that must not be read.
func guarded(t *testing.T) []byte {
	page := syscall.Getpagesize()
	mem, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("mmap: %v", err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, guard := range [][]byte{mem[:page], mem[2*page:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Skipf("mprotect: %v", err)
		}
	}
	return mem[page : 2*page]
}

// No check of text reads a byte before or behind it.
func TestValidUTF8Guard(t *testing.T) {
	mem := guarded(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for n := range 301 {
		for _, c := range sweepContents {
			text := sweepText(max(n, 4), c.first, c.fill, c.last)
			for _, text := range [][]byte{text[:n], text[len(text)-n:]} {
				for _, s := range [][]byte{mem[:n:n], mem[len(mem)-n:]} {
					copy(s, text)
					for _, way := range textWays {
						readGuarded(t, way, s, utf8.Valid(text))
					}
				}
			}
		}
	}
}

func readGuarded(t *testing.T, way textWay, s []byte, want bool) {
	defer func() {
		if fault := recover(); fault != nil {
			t.Fatalf("%s of %d bytes %x: %v", way.name, len(s), s[:min(len(s), 8)], fault)
		}
	}()
	if got := way.valid(s); got != want {
		t.Fatalf("%s of %x: got %v, want %v", way.name, s, got, want)
	}
}
