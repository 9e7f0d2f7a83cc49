package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMemory tests that memory does not grow with the input.
func TestMemory(t *testing.T) {
	const limit = 24 << 10 // KiB of resident memory, the Go runtime included
	size := 20_000_000     // bytes; holding half of them is more than the limit
	if testing.Short() {
		t.Skip("takes a while")
	}
	record := "\xa4\x62id\x1a\x00\x01\x02\x03\x64name\x6ahello worl\x63raw\x4a0123456789\x61f\xfb@\x09!\xfbTD-\x18"
	records := strings.Repeat(record, 1000)
	digits := strings.Repeat("0", 50_000)
	head := string([]byte{0x5a, byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)})
	for _, tt := range []struct{ name, begin, body, end string }{
		{"one array", "\x9f", records, "\xff"},
		{"a sequence", "", records, ""},
		{"one byte string", head, digits, ""},
		{"one text string", "\x7a" + head[1:], digits, ""},
		{"one bignum", "\xc2" + head, digits, ""},
		{"an array in a map", "\xbf\x01\x9f", strings.Repeat("\x00", 50_000), "\xff\xff"},
	} {
		for _, args := range [][]string{{"diag"}, {"diag", "-indent"}, {"json"}, {"check"}, {"annotate"}} {
			kib, err := peak(tt.begin, tt.body, size/len(tt.body), tt.end, append(args, "-quiet")...)
			if err != nil || kib > limit {
				t.Errorf("%s of %s: %d KiB of memory, %v", args, tt.name, kib, err)
			}
		}
	}
}

// peak runs the command on begin, count times body, and end, and returns how
// much memory it took at most.
func peak(begin, body string, count int, end string, args ...string) (kib int, err error) {
	cmd := exec.Command(bin, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer cmd.Wait()
	defer in.Close()
	if _, err := io.WriteString(in, begin); err != nil {
		return 0, err
	}
	for range count {
		if _, err := io.WriteString(in, body); err != nil {
			return 0, err
		}
	}
	// It waits for the rest. What Wait tells would count the memory of the test.
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(peak, &kib); err != nil {
		return 0, err
	}
	if _, err := io.WriteString(in, end); err != nil {
		return 0, err
	}
	in.Close()
	return kib, cmd.Wait()
}
