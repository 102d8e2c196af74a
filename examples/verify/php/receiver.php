<?php
// A webhook receiver for any PHP server: php -S 127.0.0.1:3000 receiver.php

// One secret, or two with a comma between them while the secret is being rotated.
$secrets = preg_split('/[\s,]+/', (string) getenv('WEBHOOK_SECRETS'), -1, PREG_SPLIT_NO_EMPTY);
if ($secrets === []) {
    // Anybody can sign with a secret that is empty.
    error_log('set WEBHOOK_SECRETS');
    http_response_code(500);
    exit;
}

/** Whether the signature was made over exactly these bytes with one of our secrets. */
function isGenuine(string $rawBody, string $signature, array $secrets): bool
{
    foreach ($secrets as $secret) {
        $expected = base64_encode(hash_hmac('sha256', $rawBody, $secret, true));
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

// php://input, not $_POST: the signature covers the bytes as they were sent.
$rawBody = file_get_contents('php://input');
if (!isGenuine($rawBody, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', $secrets)) {
    http_response_code(401);
    exit;
}

$event = json_decode($rawBody, true);
$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
// A test from the dashboard: nothing has happened, and its body is a sample.
$kind = str_starts_with($id, 'test_') ? 'test' : 'event';
// Answer first and work afterwards. A repeat has the same webhook-id: remember the ones you have handled.
error_log("$kind $id {$event['event']} {$event['id']}");
http_response_code(200);
