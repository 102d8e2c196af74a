// Sends a record until Bellwire has it: java Send.java acme demo_viewed 6f1c… < record.json
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

public class Send {
    static String send(String account, String type, String key, byte[] record, long giveUpMs) throws Exception {
        var url = URI.create(System.getenv("BELLWIRE_URL") + "/v1/accounts/" + account + "/events/" + type);
        // The same key with each try: a record that arrived although its answer did not becomes no second event.
        var request = HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(30))
            .header("Authorization", "Bearer " + System.getenv("BELLWIRE_API_KEY"))
            .header("Content-Type", "application/json").header("Idempotency-Key", key)
            .POST(BodyPublishers.ofByteArray(record)).build();
        var client = HttpClient.newHttpClient();
        for (long pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, 30_000)) {
            long waitMs = (long) (pauseMs * (0.5 + Math.random() / 2));
            String text;
            try {
                var answer = client.send(request, BodyHandlers.ofString());
                int status = answer.statusCode();
                text = answer.body();
                if (status < 300) return text;
                // Refused: it would be again. Correct the record.
                if (status < 500 && status != 408 && status != 429) throw new IllegalArgumentException(text);
                long seconds = answer.headers().firstValueAsLong("Retry-After").orElse(0);
                waitMs = Math.max(waitMs, seconds * 1000);
            } catch (IOException error) {
                text = String.valueOf(error.getMessage());
            }
            // Keep the record, and send it later with the same key.
            if (System.currentTimeMillis() + waitMs > giveUpMs) throw new IllegalStateException(text);
            Thread.sleep(waitMs);
        }
    }

    public static void main(String[] args) throws Exception {
        try {
            long giveUpMs = System.currentTimeMillis() + 60_000;
            System.out.println(send(args[0], args[1], args[2], System.in.readAllBytes(), giveUpMs));
        } catch (IllegalArgumentException | IllegalStateException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }
}
