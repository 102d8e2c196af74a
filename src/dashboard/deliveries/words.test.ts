import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RETRY_SCHEDULE } from "../../domain/retry-schedule.ts";
import { hoursMs, minutesMs, secondsMs } from "../../lib/duration.ts";
import type { ReportedDestination } from "../../store/contract/destinations.ts";
import type { ListedDelivery } from "../../store/contract/log.ts";
import { START_MS } from "../../../test/kit/world/virtual-clock.ts";
import { toClass, toDeliveryRow, lastAttemptAtMs, notResendable, toStatus } from "./words.ts";

const owner = { kind: "alert", id: "alr_1", name: "Everyone", isDeleted: false } as const;
const destination = { id: "dst_1", url: "https://hook.example.com/in", owner, state: "on", notBeforeMs: 0 };

const listed: ListedDelivery = {
  id: "dlv_1",
  eventId: "evt_1",
  eventType: "demo_viewed",
  destinationId: "dst_1",
  isTest: false,
  state: "pending",
  attemptsMade: 3,
  attemptsInSchedule: 3,
  dueAtMs: START_MS,
  createdAtMs: START_MS,
  last: { outcome: "response", status: 503, totalMs: 1_200 },
  sourceId: "s1",
  about: { who: "Jane Doe", what: "Product tour" },
};

function makeRow(changes: Partial<ListedDelivery>, around: Partial<ReportedDestination> = {}) {
  const known = { ...destination, ...around } as ReportedDestination;
  return toDeliveryRow(
    { ...listed, ...changes },
    { schedule: RETRY_SCHEDULE, destinations: new Map([["dst_1", known]]) },
  );
}

test("a status is derived from state and attempts", () => {
  assert.equal(toStatus("pending", 0), "waiting");
  assert.equal(toStatus("pending", 1), "retrying");
  assert.equal(toStatus("delivered", 1), "delivered");
  assert.equal(toStatus("failed", 10), "failed");
  assert.equal(toStatus("cancelled", 0), "cancelled");
});

test("a row says where, how often, what came back and when it goes on", () => {
  const { status, attemptsMax, last, nextAttemptAtMs, destination: shown } = makeRow({});
  assert.deepEqual(
    { status, attemptsMax, last, nextAttemptAtMs, shown },
    {
      status: "retrying",
      attemptsMax: 10,
      last: { code: "503", class: "server_error", totalMs: 1_200 },
      nextAttemptAtMs: START_MS,
      shown: { id: "dst_1", url: "https://hook.example.com/in", owner },
    },
  );
});

test("the next attempt is unknown while the destination is not on, and later while it is held back", () => {
  assert.equal(makeRow({}, { state: "paused" }).nextAttemptAtMs, null);
  assert.equal(makeRow({}, { state: "off" }).nextAttemptAtMs, null);
  assert.equal(makeRow({}, { notBeforeMs: START_MS + 5 }).nextAttemptAtMs, START_MS + 5);
  assert.equal(makeRow({ state: "delivered", dueAtMs: null }).nextAttemptAtMs, null);
});

test("a test of values that were not saved has no destination", () => {
  assert.equal(makeRow({ destinationId: null, isTest: true, state: "failed" }).destination, null);
});

test("the last attempt of the schedule is the sum of what is left of it", () => {
  const at = (attemptsInSchedule: number) =>
    lastAttemptAtMs(RETRY_SCHEDULE, { nextAtMs: START_MS, attemptsInSchedule });
  assert.equal(at(9), START_MS);
  assert.equal(at(8), START_MS + hoursMs(24));
  assert.equal(at(0), START_MS + secondsMs(5) + minutesMs(35) + hoursMs(2 + 5 + 10 + 14 + 20 + 24));
  assert.equal(lastAttemptAtMs(RETRY_SCHEDULE, { nextAtMs: null, attemptsInSchedule: 3 }), null);
});

test("what was met has a class also without its details", () => {
  assert.equal(toClass({ outcome: "response", status: 204 }), "success");
  assert.equal(toClass({ outcome: "response", status: 410 }), "gone");
  assert.equal(toClass({ outcome: "timeout", status: null }), "timeout");
  assert.equal(toClass({ outcome: "tls_error", status: null }), "certificate");
});

describe("a delivery cannot be sent again", () => {
  const ended = { state: "failed", isTest: false, body: "{}" } as const;
  const on = { owner, state: "on" } as const;
  const gone = { ...on, owner: { ...owner, isDeleted: true } };
  const waits = { ...ended, state: "pending" } as const;
  const ROWS: readonly [string, Parameters<typeof notResendable>, RegExp | null][] = [
    ["unless it has failed", [ended, on], null],
    ["unless it was delivered", [{ ...ended, state: "delivered" }, on], null],
    ["unless it waits", [waits, on], null],
    ["while it waits for a webhook that is paused", [waits, { ...on, state: "paused" }], /paused. Turn it on/],
    ["while it waits for a webhook that is off", [waits, { ...on, state: "off" }], /turned off. Turn it on/],
    ["unless it has ended, whatever its webhook does", [ended, { ...on, state: "paused" }], null],
    ["when it was a test", [{ ...ended, isTest: true }, on], /new test/],
    ["when its payload is gone", [{ ...ended, body: null }, on], /retention time/],
    ["when its alert was deleted", [ended, gone], /nowhere to send/],
    ["when its webhook was removed", [ended, null], /nowhere to send/],
  ];
  for (const [what, args, reason] of ROWS) {
    test(what, () => {
      const words = notResendable(...args);
      if (reason === null) assert.equal(words, null);
      else assert.match(words ?? "", reason);
    });
  }
});
