package main

import "fmt"

func Example() {
	if err := run(nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// signature by key "11" is valid; payload "This is the content."
	// payload "Uhis is the content.": the signature is not valid
}
