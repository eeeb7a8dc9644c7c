package main

import (
	"runtime"
	"sync"
	"sync/atomic"

	"kumiko/bench/report"
)

const threads = 2

func main() {
	yields := report.Integer("yields", 1000000)
	report.Workers()
	var present, done int64
	var group sync.WaitGroup
	seconds := report.Seconds(func() {
		group.Add(threads)
		for i := 0; i < threads; i++ {
			go func() {
				atomic.AddInt64(&present, 1)
				for atomic.LoadInt64(&present) < threads {
					runtime.Gosched()
				}
				for y := 0; y < yields; y++ {
					runtime.Gosched()
				}
				atomic.AddInt64(&done, int64(yields))
				group.Done()
			}()
		}
		group.Wait()
	})
	report.Print("yield", "go", seconds, threads*yields, map[string]int{"yields": int(done)})
}
