// A webhook receiver with nothing but Go's standard library.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

// One secret, or two with a comma between them while the secret is being rotated.
var secrets = strings.Fields(strings.ReplaceAll(os.Getenv("WEBHOOK_SECRETS"), ",", " "))

// isGenuine tells whether the signature was made over exactly these bytes with one of our secrets.
func isGenuine(rawBody []byte, signature string) bool {
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(rawBody)
		expected := base64.StdEncoding.EncodeToString(mac.Sum(nil))
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true
		}
	}
	return false
}

func webhook(response http.ResponseWriter, request *http.Request) {
	// The signature covers the bytes as they were sent: verify before parsing.
	rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 2<<20))
	if err != nil || !isGenuine(rawBody, request.Header.Get("x-service-signature")) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var event struct{ Event, ID string }
	_ = json.Unmarshal(rawBody, &event)
	id, kind := request.Header.Get("webhook-id"), "event"
	// A test from the dashboard: nothing has happened, and its body is a sample.
	if strings.HasPrefix(id, "test_") {
		kind = "test"
	}
	// Answer first and work afterwards. A repeat has the same webhook-id: remember the ones you have handled.
	fmt.Println(kind, id, event.Event, event.ID)
	response.WriteHeader(http.StatusOK)
}

func main() {
	// Anybody can sign with a secret that is empty.
	if len(secrets) == 0 {
		panic("set WEBHOOK_SECRETS")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	http.HandleFunc("POST /webhooks", webhook)
	panic(http.Serve(listener, nil))
}
