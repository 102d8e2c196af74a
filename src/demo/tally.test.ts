/** The demo's oracle and its verdict: when anything fails between intake and receiver, the demo must not succeed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DECLARED_TYPES } from "../../test/kit/declared-types.ts";
import type { ReceivedWebhook } from "../receiver/receiver.ts";
import { shortfalls, summary } from "./summary.ts";
import { type Tally, createTally, percentile } from "./tally.ts";

let deliveries = 0;

function webhook(
  id: string,
  change: { event?: string; webhookId?: string | null; valid?: boolean } = {},
): ReceivedWebhook {
  const { event = "demo_viewed", webhookId = `dlv_${(deliveries += 1)}`, valid = true } = change;
  const verification = valid ? ({ valid, webhookId } as const) : ({ valid, reason: "signature_mismatch" } as const);
  return { body: Buffer.from(JSON.stringify({ id, event })), headers: [], receivedAtMs: 0, verification };
}

/** A run in which everything goes well: one record of each family. */
function goodRun(): Tally {
  const tally = createTally();
  tally.handedIn([{ id: "a" }, { id: "b" }], 100);
  tally.answered("a", "accepted");
  tally.arrived(webhook("a"), 110);
  // The webhook is faster than the answer to the product.
  tally.arrived(webhook("b", { event: "chat_conversation_completed" }), 130);
  tally.answered("b", "accepted");
  return tally;
}

const GOOD = { accepted: 2, delivered: 2 };

describe("the demo succeeds", () => {
  test("when everything accepted was delivered, arrived and verified, of both families", () => {
    const counts = goodRun().counts();
    assert.deepEqual(counts.byEvent, { demo_viewed: 1, chat_conversation_completed: 1 });
    assert.deepEqual(counts.latenciesMs, [10, 30]);
    assert.deepEqual(shortfalls(counts, GOOD), []);
    const lines = summary(counts, GOOD);
    assert.equal(lines[1], "accepted 2 = delivered 2 = verified 2");
    assert.equal(lines[2], "  demo_viewed 1, chat_conversation_completed 1");
    assert.match(lines[4] ?? "", /p50 10 ms, p95 30 ms$/);
  });

  test("when a delivery arrives again: at least once is what is promised", () => {
    const tally = goodRun();
    tally.handedIn([{ id: "c" }], 200);
    tally.arrived(webhook("c", { webhookId: "dlv_again" }), 210);
    tally.answered("c", "accepted");
    assert.deepEqual(tally.arrived(webhook("c", { webhookId: "dlv_again" }), 300), { latencyMs: null, isRepeat: true });
    assert.deepEqual(shortfalls(tally.counts(), { accepted: 3, delivered: 3 }), []);
    assert.equal(tally.counts().repeats, 1);
  });

  test("when a declared type's record arrived, whose key is not called id", () => {
    const tally = createTally(DECLARED_TYPES);
    tally.handedIn([{ id: "booking-1" }], 100);
    tally.answered("booking-1", "accepted");
    const body = Buffer.from('{"booking":{"id":"booking-1"},"event":"meeting_booked"}');
    assert.equal(tally.arrived({ ...webhook("none"), body }, 110).latencyMs, 10);
    assert.deepEqual(tally.counts().missing, []);
  });

  test("when another program sent a record as well", () => {
    const tally = goodRun();
    tally.arrived(webhook("of somebody else"), 140);
    assert.deepEqual(shortfalls(tally.counts(), { accepted: 3, delivered: 3 }), []);
  });

  test("when the answer to a record was lost, and the record was accepted", () => {
    const tally = goodRun();
    tally.handedIn([{ id: "c" }], 200);
    tally.answered("c", "unknown");
    tally.arrived(webhook("c"), 210);
    assert.deepEqual(shortfalls(tally.counts(), { accepted: 3, delivered: 3 }), []);
  });
});

const FAULTS: readonly {
  readonly name: string;
  readonly happens: (tally: Tally) => void;
  readonly service?: { accepted: number; delivered: number };
  readonly says: RegExp;
}[] = [
  {
    name: "a record was accepted and did not arrive",
    happens(tally) {
      tally.handedIn([{ id: "lost" }], 200);
      tally.answered("lost", "accepted");
    },
    service: { accepted: 3, delivered: 2 },
    says: /1 accepted records are not delivered; accepted but not arrived: lost/,
  },
  {
    name: "the service says delivered and nothing arrived",
    happens(tally) {
      tally.handedIn([{ id: "lost" }], 200);
      tally.answered("lost", "accepted");
    },
    service: { accepted: 3, delivered: 3 },
    says: /3 deliveries, but 2 arrived and verified; accepted but not arrived: lost/,
  },
  {
    name: "one arrived and did not verify",
    happens(tally) {
      tally.handedIn([{ id: "c" }], 200);
      tally.answered("c", "accepted");
      tally.arrived(webhook("c", { valid: false }), 210);
    },
    service: { accepted: 3, delivered: 3 },
    says: /but 2 arrived and verified; accepted but not arrived: c/,
  },
  {
    name: "the product was told accepted, and the service did not count it",
    happens(tally) {
      tally.handedIn([{ id: "c" }], 200);
      tally.answered("c", "accepted");
      tally.arrived(webhook("c"), 210);
    },
    says: /1 accepted records are not delivered/,
  },
  {
    name: "a record was delivered twice under two ids",
    happens: (tally) => tally.arrived(webhook("a"), 210),
    service: { accepted: 2, delivered: 3 },
    says: /1 deliveries are more than was accepted/,
  },
  {
    name: "a repeat was taken for new",
    happens: (tally) => tally.answeredRepeat("accepted"),
    says: /1 records were accepted a second time/,
  },
  {
    name: "a record was refused",
    happens(tally) {
      tally.handedIn([{ id: "c" }], 200);
      tally.answered("c", "refused");
    },
    says: /1 records were refused/,
  },
];

describe("the demo does not succeed when", () => {
  for (const { name, happens, service = GOOD, says } of FAULTS) {
    test(name, () => {
      const tally = goodRun();
      happens(tally);
      assert.match(shortfalls(tally.counts(), service).join("; "), says);
      assert.match(summary(tally.counts(), service).join("\n"), /^ {2}✗ /m);
    });
  }

  test("a family is missing", () => {
    const tally = createTally();
    tally.handedIn([{ id: "a" }], 0);
    tally.answered("a", "accepted");
    tally.arrived(webhook("a"), 1);
    const found = shortfalls(tally.counts(), { accepted: 1, delivered: 1 });
    assert.deepEqual(found, ["no chat_conversation_completed has arrived"]);
  });

  test("nothing happened at all", () => {
    const found = shortfalls(createTally().counts(), { accepted: 0, delivered: 0 });
    assert.equal(found.length, 2);
    assert.match(summary(createTally().counts(), { accepted: 0, delivered: 0 }).join("\n"), /p50 –, p95 –/);
  });
});

test("survives a body that a reader of the secret signed", () => {
  const tally = goodRun();
  for (const text of ["", "null", "[]", "{}", '{"id":{},"event":[]}', "nonsense"]) {
    tally.arrived({ ...webhook("x"), body: Buffer.from(text) }, 200);
  }
  assert.equal(tally.counts().verified, 8);
});

test("an equation that is not true is not written as one", () => {
  const [, equation] = summary(goodRun().counts(), { accepted: 3, delivered: 2 });
  assert.equal(equation, "accepted 3 ≠ delivered 2 = verified 2");
});

test("a percentile is the value at or below which that share lies", () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.equal(percentile(values, 0.5), 50);
  assert.equal(percentile(values, 0.95), 95);
  assert.equal(percentile([7], 0.5), 7);
  assert.equal(percentile([], 0.5), null);
});

test("what is through is forgotten, however long a demo runs", () => {
  const tally = createTally();
  for (let count = 0; count < 20_100; count += 1) {
    tally.handedIn([{ id: `r${count}` }], 0);
    tally.answered(`r${count}`, "accepted");
    tally.arrived(webhook(`r${count}`), 1);
  }
  const { verified, missing, latenciesMs } = tally.counts();
  assert.equal(verified, 20_100);
  assert.deepEqual(missing, []);
  assert.equal(latenciesMs.length, 10_000);
});
