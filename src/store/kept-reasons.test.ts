import assert from "node:assert/strict";
import { test } from "node:test";
import { readNotSent } from "../domain/not-sent.ts";
import { daysMs, hoursMs } from "../lib/duration.ts";
import { KeptReasons, listTellers, type TellingEvent, withReasons } from "./kept-reasons.ts";

const TEXT = `[0,${Array.from({ length: 7 }, (_, n) => `["dst_${n}","demos",0,"Tour"]`).join(",")}]`;
const telling = (id: string, parts: Partial<TellingEvent> = {}): TellingEvent => ({
  id,
  accountId: "acc_1",
  acceptedAtMs: 0,
  notSent: TEXT,
  ...parts,
});

function keeping(...events: readonly TellingEvent[]): KeptReasons {
  const reasons = new KeptReasons();
  reasons.keep(events);
  return reasons;
}

test("an event names the one of its account that has the same reasons, and reads as if it had them", () => {
  const reasons = keeping(telling("evt_1"));
  const row = { notSent: reasons.toRow(telling("evt_2")) };
  assert.equal(row.notSent, '[0,"evt_1"]');
  assert.deepEqual(listTellers([row, row, { notSent: TEXT }, { notSent: null }]), ["evt_1"]);
  assert.deepEqual(withReasons(row, new Map([["evt_1", TEXT]])), { notSent: TEXT });
});

test("an event has its reasons itself when they are others, another account's, short, or an hour old", () => {
  const reasons = keeping(telling("evt_1", { acceptedAtMs: 5 }));
  const others: readonly Partial<TellingEvent>[] = [
    { notSent: TEXT.replace("Tour", "Demo") },
    { accountId: "acc_2" },
    { notSent: '[0,["dst_1","plan"]]' },
    { acceptedAtMs: 5 + hoursMs(1) },
    // A clock that was set back.
    { acceptedAtMs: 4 },
  ];
  for (const parts of others) {
    const event = telling("evt_2", { acceptedAtMs: 5, ...parts });
    assert.equal(reasons.toRow(event), event.notSent);
  }
  const short = telling("evt_3", { notSent: '[0,["dst_1","plan"]]' });
  reasons.keep([short]);
  assert.equal(reasons.toRow({ ...short, id: "evt_4" }), short.notSent);
});

test("an event names none of the day before, which may be dropped as a whole", () => {
  const reasons = keeping(telling("evt_1", { acceptedAtMs: daysMs(1) - 1 }));
  assert.equal(reasons.toRow(telling("evt_2", { acceptedAtMs: daysMs(1) - 1 })), '[0,"evt_1"]');
  assert.equal(reasons.toRow(telling("evt_2", { acceptedAtMs: daysMs(1) })), TEXT);
});

test("an event whose reasons went with another one has none", () => {
  assert.deepEqual(withReasons({ notSent: '[0,"evt_1"]' }, new Map()), { notSent: null });
});

test("a node of before reads a name as no reasons", () => {
  assert.deepEqual(readNotSent('[0,"evt_01m7wdafa00000000000000001"]'), { webhooks: [], more: 0 });
});

test("texts that never come back take no more memory than is set", () => {
  const texts = Array.from({ length: 10 }, (_, n) => TEXT + "x".repeat(200_000) + n);
  const reasons = keeping(...texts.map((notSent, n) => telling(`evt_${n}`, { notSent })));
  const known = texts.filter((notSent) => reasons.toRow(telling("evt_10", { notSent })) !== notSent);
  assert.ok(known.length > 0 && known.length <= 5, `${known.length} of them`);
});
