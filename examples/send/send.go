// Sends a record until Bellwire has it: go run send.go acme demo_viewed 6f1c… < record.json
package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

func send(account, eventType, key string, record []byte, giveUp time.Time) (string, error) {
	url := fmt.Sprintf("%s/v1/accounts/%s/events/%s", os.Getenv("BELLWIRE_URL"), account, eventType)
	client := &http.Client{Timeout: 30 * time.Second}
	for pause := 250 * time.Millisecond; ; pause = min(pause*2, 30*time.Second) {
		request, err := http.NewRequest("POST", url, bytes.NewReader(record))
		if err != nil {
			return "", err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("BELLWIRE_API_KEY"))
		request.Header.Set("Content-Type", "application/json")
		// The same key with each try: a record that arrived although its answer did not becomes no second event.
		request.Header.Set("Idempotency-Key", key)
		wait := time.Duration(float64(pause) * (0.5 + rand.Float64()/2))
		answer, err := client.Do(request)
		if err == nil {
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode < 300 {
				return string(text), nil
			}
			err = fmt.Errorf("%s", text)
			if answer.StatusCode < 500 && answer.StatusCode != 408 && answer.StatusCode != 429 {
				return "", err // Refused: it would be again. Correct the record.
			}
			seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
			wait = max(wait, time.Duration(seconds)*time.Second)
		}
		if time.Now().Add(wait).After(giveUp) {
			return "", err // Keep the record, and send it later with the same key.
		}
		time.Sleep(wait)
	}
}

func main() {
	record, _ := io.ReadAll(os.Stdin)
	text, err := send(os.Args[1], os.Args[2], os.Args[3], record, time.Now().Add(time.Minute))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(text)
}
