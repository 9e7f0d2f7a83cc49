//go:build race

package cbor

// raceEnabled: under the race detector a sync.Pool drops some of what it gets.
const raceEnabled = true
