<?php
// Sends a record until Bellwire has it: php send.php acme demo_viewed 6f1c… < record.json
function send(string $account, string $type, string $key, string $record, int $giveUpS = 60): string
{
    $call = curl_init(getenv('BELLWIRE_URL') . "/v1/accounts/$account/events/$type");
    // The same key with each try: a record that arrived although its answer did not becomes no second event.
    $headers = ['Authorization: Bearer ' . getenv('BELLWIRE_API_KEY'), 'Content-Type: application/json',
        "Idempotency-Key: $key"];
    curl_setopt_array($call, [CURLOPT_POSTFIELDS => $record, CURLOPT_HTTPHEADER => $headers, CURLOPT_TIMEOUT => 30,
        CURLOPT_RETURNTRANSFER => true]);
    $giveUp = microtime(true) + $giveUpS;
    for ($pause = 0.25; ; $pause = min($pause * 2, 30)) {
        $retryAfter = 0;
        curl_setopt($call, CURLOPT_HEADERFUNCTION, function ($_, string $line) use (&$retryAfter): int {
            if (stripos($line, 'retry-after:') === 0) {
                $retryAfter = (int) trim(substr($line, 12));
            }
            return strlen($line);
        });
        $text = curl_exec($call);
        $status = curl_getinfo($call, CURLINFO_RESPONSE_CODE);
        if ($text !== false && $status < 300) {
            return $text;
        }
        if ($text !== false && $status < 500 && $status !== 408 && $status !== 429) {
            throw new RuntimeException($text); // Refused: it would be again. Correct the record.
        }
        $wait = max($retryAfter, $pause * (0.5 + lcg_value() / 2));
        if (microtime(true) + $wait > $giveUp) {
            // Keep the record, and send it later with the same key.
            throw new RuntimeException($text === false ? curl_error($call) : $text);
        }
        usleep((int) ($wait * 1_000_000));
    }
}

try {
    echo send($argv[1], $argv[2], $argv[3], stream_get_contents(STDIN)), "\n";
} catch (RuntimeException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
