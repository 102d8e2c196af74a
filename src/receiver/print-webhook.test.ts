/** The printed form of a webhook; nothing in it can take over the terminal. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { webhookDetails, webhookLine } from "./print-webhook.ts";
import type { ReceivedWebhook } from "./receiver.ts";
import { terminalLines, terminalText } from "./terminal-text.ts";

const VERIFIED = { valid: true, webhookId: "dlv_1" } as const;

function webhook(body: unknown, change: Partial<ReceivedWebhook> = {}): ReceivedWebhook {
  return {
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    headers: [["Webhook-Timestamp", String(Date.UTC(2026, 10, 20, 12, 0, 1) / 1000)]],
    receivedAtMs: Date.UTC(2026, 10, 20, 12, 0, 2),
    verification: VERIFIED,
    ...change,
  };
}

const SESSION = { event: "demo_viewed", name: "Product tour", lead: { email: "ada@example.com" } };

describe("the line of a webhook", () => {
  test("names the attempt's time, the event, the demo and the lead", () => {
    assert.equal(
      webhookLine(webhook(SESSION)),
      "✓ 12:00:01Z  demo_viewed                  Product tour · ada@example.com",
    );
  });

  test("shows a conversation's summary, and an unknown visitor as such", () => {
    const chat = { event: "chat_conversation_completed", conversation_summary: "Only looking around.", lead: null };
    assert.equal(
      webhookLine(webhook(chat)),
      "✓ 12:00:01Z  chat_conversation_completed  Only looking around. · unknown visitor",
    );
  });

  test("shows the first two telling texts of a declared type, and its whole name", () => {
    const lead = {
      id: "8f14e45f-ceea-467f-9d5a-0e2b6c1f7a31",
      identified_at: "2026-11-20T12:00:00Z",
      lead: { email: "ada@example.com", name: "Ada Lovelace", score: 72 },
      company: { name: "Example Analytics" },
      event: "lead_identified_by_a_form.of_the_site",
    };
    const line = webhookLine(webhook(lead));
    assert.equal(line, "✓ 12:00:01Z  lead_identified_by_a_form.of_the_site  ada@example.com · Ada Lovelace");
    assert.match(webhookLine(webhook({ event: "order_paid", name: "Order 7" })), / {2}Order 7$/);
    assert.match(webhookLine(webhook({ event: "order_paid", total: 7 })), / {2}\(no text in it\)$/);
  });

  test("says that it is a test, by the id that is signed", () => {
    const line = (id: string) => webhookLine(webhook(SESSION, { headers: [["Webhook-Id", id]] }));
    assert.match(line("test_dlv_1"), / · ada@example.com · a test$/);
    assert.doesNotMatch(line("dlv_1"), /test/);
  });

  test("says why one does not verify", () => {
    const line = webhookLine(webhook(SESSION, { verification: { valid: false, reason: "timestamp_too_old" } }));
    assert.match(line, /^✗ .* · NOT VERIFIED: webhook-timestamp is too old/);
  });

  test("takes the time of arrival when the attempt states none", () => {
    for (const value of ["", "soon", "9".repeat(40)]) {
      assert.match(webhookLine(webhook(SESSION, { headers: [["webhook-timestamp", value]] })), /^✓ 12:00:02Z/);
    }
  });

  test("survives whatever a body is", () => {
    const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    for (const body of ["", "null", "[1]", "7", "{", "{}", deep, '{"name":5,"event":null,"lead":"x"}']) {
      assert.match(webhookLine(webhook(body)), /^✓ 12:00:01Z  \(no /);
    }
  });

  test("passes no control character on, wherever it stands", () => {
    const evil = "\u001b[2J\u009b31m\r\n\u202etxt\u0007\ud800\u2028";
    const all = { event: evil, name: evil, lead: { email: evil } };
    const changed = webhook(all, { headers: [[`x-${evil}`, evil]], verification: VERIFIED });
    const shown = [webhookLine(changed), ...webhookDetails(changed)];
    for (const line of shown) assert.doesNotMatch(line, /[\p{Cc}\u202e\u2028\ud800]/u);
    assert.match(shown[0] ?? "", /\\u\{1b\}\[2J/);
  });

  test("cuts long texts", () => {
    const line = webhookLine(webhook({ event: "e".repeat(100), name: "n".repeat(1_000_000), lead: null }));
    assert.ok(line.length < 160, `${line.length} characters`);
  });
});

describe("the details of a webhook", () => {
  test("are its headers and its body, laid out", () => {
    const lines = webhookDetails(webhook(SESSION, { headers: [["Webhook-Id", "dlv_1"]] }));
    assert.deepEqual(lines.slice(0, 4), ["    Webhook-Id: dlv_1", "", "    {", '      "event": "demo_viewed",']);
  });

  test("show a body that is not JSON as it came", () => {
    assert.deepEqual(webhookDetails(webhook("a=b\nc", { headers: [] })), ["", "    a=b", "    c", ""]);
  });
});

describe("text for a terminal", () => {
  test("keeps letters of all scripts and emoji", () => {
    const texts = ["Präsentation – 日本", "👩‍👧 ok", "שלום", "می‌خواهم"];
    for (const text of texts) assert.equal(terminalText(text, 50), text);
  });

  test("counts characters, not units, when it cuts", () => {
    assert.equal(terminalText("😀😀😀😀", 4), "😀😀😀😀");
    assert.equal(terminalText("😀😀😀😀😀", 4), "😀😀😀…");
  });

  test("keeps as many lines as asked for", () => {
    assert.deepEqual(terminalLines("a\r\nb\nc", { charsMax: 5, linesMax: 2 }), ["a", "b", "…"]);
    assert.deepEqual(terminalLines("a\nb", { charsMax: 5, linesMax: 2 }), ["a", "b"]);
  });
});
