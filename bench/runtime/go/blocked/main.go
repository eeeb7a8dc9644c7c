package main

import (
	"sync"

	"kumiko/bench/report"
)

func main() {
	threads := report.Integer("threads", 100000)
	report.Workers()
	var mutex sync.Mutex
	allWait, release := sync.NewCond(&mutex), sync.NewCond(&mutex)
	waiting, passed, released := 0, 0, false
	waitForRelease := func() {
		mutex.Lock()
		defer mutex.Unlock()
		waiting++
		if waiting == threads {
			allWait.Signal()
		}
		for !released {
			release.Wait()
		}
		passed++
	}
	releaseAll := func() {
		mutex.Lock()
		defer mutex.Unlock()
		for waiting != threads {
			allWait.Wait()
		}
		released = true
		release.Broadcast()
	}
	var group sync.WaitGroup
	seconds := report.Seconds(func() {
		group.Add(threads)
		for i := 0; i < threads; i++ {
			go func() {
				waitForRelease()
				group.Done()
			}()
		}
		releaseAll()
		group.Wait()
	})
	report.Print("blocked", "go", seconds, threads, map[string]int{"passed": passed})
}
