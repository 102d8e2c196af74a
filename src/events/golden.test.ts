/**
 * The bodies byte for byte. Each case is two files in `golden/`: the record as the product sends it, formatted for
 * readers, and the body as receivers get it. The bodies were written from the specification, not by this program.
 */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { demoViewed } from "./demo-viewed.ts";
import { chatConversationCompleted } from "./chat-conversation-completed.ts";

const GOLDEN = join(import.meta.dirname, "golden");
const RECORD_SUFFIX = ".record.json";
const CASES = [
  "chat.custom-signals",
  "chat.ready-transcript",
  "chat.text",
  "chat.unicode-and-exact-numbers",
  "chat.voice",
  "demo.empty-utm-params",
  "demo.known-lead",
  "demo.offset",
  "demo.referers-with-queries",
  "demo.unknown-session",
];
const FAMILIES = { demo: demoViewed, chat: chatConversationCompleted };

const readGolden = (file: string): string => readFileSync(join(GOLDEN, file), "utf8");

test("every golden record is listed here", () => {
  const records = readdirSync(GOLDEN)
    .filter((file) => file.endsWith(RECORD_SUFFIX))
    .toSorted();
  assert.deepEqual(
    records.map((file) => file.slice(0, -RECORD_SUFFIX.length)),
    CASES,
  );
});

for (const name of CASES) {
  test(`builds the exact body of ${name}`, () => {
    const family = name.startsWith("demo.") ? FAMILIES.demo : FAMILIES.chat;
    const parsed = family.parse(readGolden(`${name}.record.json`));
    assert.ok(parsed.ok, parsed.ok ? "" : parsed.error.detail);
    const body = parsed.value.buildBody({ appUrl: "https://app.example.com" });
    assert.equal(body, readGolden(`${name}.body.json`));
  });
}

test("a record builds the same bytes every time it is asked", () => {
  const parsed = FAMILIES.chat.parse(readGolden("chat.unicode-and-exact-numbers.record.json"));
  assert.ok(parsed.ok);
  const account = { appUrl: "https://app.example.com" };
  assert.equal(parsed.value.buildBody(account), parsed.value.buildBody(account));
});
