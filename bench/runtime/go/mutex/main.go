package main

import (
	"sync"

	"kumiko/bench/report"
)

const threads = 2

func main() {
	turns := report.Integer("turns", 200000)
	report.Workers()
	var mutex sync.Mutex
	var itsTurn [threads]*sync.Cond
	for i := range itsTurn {
		itsTurn[i] = sync.NewCond(&mutex)
	}
	turn := 0
	play := func(self int) {
		for i := 0; i < turns; i++ {
			mutex.Lock()
			for turn%threads != self {
				itsTurn[self].Wait()
			}
			turn++
			itsTurn[1-self].Signal()
			mutex.Unlock()
		}
	}
	var group sync.WaitGroup
	seconds := report.Seconds(func() {
		group.Add(threads)
		for i := 0; i < threads; i++ {
			go func(self int) {
				play(self)
				group.Done()
			}(i)
		}
		group.Wait()
	})
	report.Print("mutex", "go", seconds, threads*turns, map[string]int{"turns": turn})
}
