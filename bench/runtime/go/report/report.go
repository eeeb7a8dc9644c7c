// Package report reads name=value arguments and prints the line of JSON that the driver reads, as
// support/arguments.hpp and support/report.hpp do for the C++ programs.
package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

var given = map[string]string{}
var asked = map[string]string{}

func init() {
	for _, word := range os.Args[1:] {
		name, value, found := strings.Cut(word, "=")
		if !found {
			fail(fmt.Errorf("'%s' is not of the form name=value", word))
		}
		given[name] = value
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

func text(name, fallback string) string {
	value, found := given[name]
	if !found {
		value = fallback
	}
	asked[name] = value
	return value
}

// Integer gives the argument's value.
func Integer(name string, fallback int) int {
	number, err := strconv.Atoi(text(name, strconv.Itoa(fallback)))
	if err != nil {
		fail(err)
	}
	return number
}

// Real gives the argument's value.
func Real(name string, fallback float64) float64 {
	number, err := strconv.ParseFloat(text(name, strconv.FormatFloat(fallback, 'g', -1, 64)), 64)
	if err != nil {
		fail(err)
	}
	return number
}

// Workers limits the OS threads that run goroutines to the argument's value. It ends the reading of
// arguments: unknown ones are refused.
func Workers() {
	runtime.GOMAXPROCS(Integer("workers", 1))
	for name := range given {
		if _, known := asked[name]; !known {
			fail(fmt.Errorf("unknown argument '%s'", name))
		}
	}
}

// Seconds measures the wall time of a call.
func Seconds(function func()) float64 {
	begin := time.Now()
	function()
	return time.Since(begin).Seconds()
}

// Print prints the report.
func Print(benchmark, system string, seconds float64, operations int, result map[string]int) {
	line, err := json.Marshal(map[string]any{
		"benchmark":        benchmark,
		"system":           system,
		"workers":          runtime.GOMAXPROCS(0),
		"parameters":       asked,
		"seconds":          seconds,
		"operations":       operations,
		"ns_per_operation": seconds * 1e9 / float64(operations),
		"result":           result,
		"peak_rss_bytes":   peakRss(),
	})
	if err != nil {
		fail(err)
	}
	fmt.Println(string(line))
}

func peakRss() int {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		kibibytes := 0
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kibibytes); n == 1 {
			return kibibytes * 1024
		}
	}
	return 0
}
