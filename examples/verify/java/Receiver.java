// A webhook receiver with nothing but the JDK (17 or newer): java Receiver.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    // One secret, or two with a comma between them while the secret is being rotated.
    private static final List<String> SECRETS = Arrays.stream(System.getenv("WEBHOOK_SECRETS").split("[\\s,]+"))
            .filter(secret -> !secret.isEmpty()).toList();

    /** Whether the signature was made over exactly these bytes with one of our secrets. */
    static boolean isGenuine(byte[] rawBody, String signature) throws GeneralSecurityException {
        byte[] given = signature.getBytes(StandardCharsets.UTF_8);
        for (String secret : SECRETS) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            byte[] expected = Base64.getEncoder().encode(mac.doFinal(rawBody));
            // Takes the same time wherever the two differ.
            if (MessageDigest.isEqual(given, expected)) return true;
        }
        return false;
    }

    static void webhook(HttpExchange exchange) throws IOException {
        // The signature covers the bytes as they were sent: verify before parsing.
        byte[] rawBody = exchange.getRequestBody().readAllBytes();
        String signature = exchange.getRequestHeaders().getFirst("x-service-signature");
        boolean genuine;
        try {
            genuine = isGenuine(rawBody, signature == null ? "" : signature);
        } catch (GeneralSecurityException error) {
            throw new IOException(error);
        }
        exchange.sendResponseHeaders(genuine ? 200 : 401, -1);
        exchange.close();
        if (!genuine) return;
        String id = Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("webhook-id"), "");
        // A test from the dashboard: nothing has happened, and its body is a sample.
        boolean isTest = id.startsWith("test_");
        // A repeat has the same webhook-id: remember the ones you have handled.
        System.out.println((isTest ? "test " : "event ") + id);
    }

    public static void main(String[] arguments) throws IOException {
        // Anybody can sign with a secret that is empty.
        if (SECRETS.isEmpty()) throw new IllegalStateException("set WEBHOOK_SECRETS");
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/webhooks", Receiver::webhook);
        server.start();
        System.out.println("listening on " + server.getAddress().getPort());
    }
}
