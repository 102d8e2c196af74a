import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import type { DestinationHealthView, DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type { ExplainedOutcome, OutcomeClass } from "../../../src/dashboard/contract/outcomes.ts";
import { LIMITS } from "../../../src/domain/limits.ts";
import { explainDelivery } from "./explain-delivery.ts";

/** Local times, so that the sentences read the same in every time zone. */
const at = (day: number, hour: number, minute: number): number => new Date(2026, 10, day, hour, minute).getTime();
const NOW_MS = at(21, 11, 40);
const CREATED_MS = at(21, 11, 0);

const HEALTH: DestinationHealthView = {
  word: "healthy",
  failingSinceMs: null,
  lastFailure: null,
  waiting: { count: 0, isCapped: false },
  oldestWaitingAtMs: null,
  nextAttemptAtMs: null,
  heldUntilMs: null,
  turnsOffAtMs: null,
  offReason: null,
  changed: null,
  successRate: null,
  lastDay: [],
};
const DESTINATION: DestinationView = {
  id: "dst_1",
  owner: { kind: "alert", id: "alr_1", name: "New leads", isDeleted: false },
  url: "https://hooks.example.com/leads",
  tags: [],
  state: "on",
  health: HEALTH,
};

function attempt(number: number, status: number | OutcomeClass, startedAtMs = CREATED_MS): AttemptView {
  const isAnswer = typeof status === "number";
  const outcome: ExplainedOutcome = {
    class: isAnswer ? "server_error" : status,
    status: isAnswer ? `${status} X` : "Timed out",
    sentence: isAnswer ? "Your endpoint had an error." : "No answer in 15 s.",
    advice: "",
    remedy: null,
    response: isAnswer
      ? { status, headers: {}, body: { kind: "text", text: "" }, isCut: false, isPurged: false }
      : null,
    phase: null,
    technical: "",
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 10 },
    address: null,
  };
  return { number, startedAtMs, url: DESTINATION.url, requestHeaders: {}, outcome, sent: null };
}

function delivery(changes: Partial<DeliveryDetail>): DeliveryDetail {
  const attempts = changes.attempts ?? [];
  return {
    id: "dlv_1",
    status: "waiting",
    state: "pending",
    isTest: false,
    eventType: "demo_viewed",
    about: { who: "Jane Doe", what: "Product tour" },
    destination: DESTINATION,
    last: null,
    attemptsMade: attempts.length,
    attemptsInSchedule: attempts.length,
    attemptsMax: 10,
    nextAttemptAtMs: null,
    createdAtMs: CREATED_MS,
    eventId: "evt_1",
    webhookId: "dlv_1",
    sourceId: "s",
    destinationNow: DESTINATION,
    body: "{}",
    sentBodies: [],
    attempts,
    lastAttemptAtMs: null,
    settledAtMs: null,
    resent: null,
    notResendable: null,
    evidence: null,
    incidentId: null,
    email: null,
    ...changes,
  };
}

const paused = { ...DESTINATION, state: "paused" } as const;
const held = { ...DESTINATION, health: { ...HEALTH, heldUntilMs: at(21, 11, 52) } };
const failing = {
  ...held,
  health: { ...held.health, failingSinceMs: at(21, 11, 40), lastFailure: { atMs: at(21, 11, 45), code: "503" } },
};
const retrying = { status: "retrying", nextAttemptAtMs: at(21, 11, 52), lastAttemptAtMs: at(24, 3, 0) } as const;
const again = { by: "Ana", atMs: at(21, 11, 30) };

const CASES: readonly (readonly [name: string, detail: DeliveryDetail, words: string])[] = [
  [
    "retrying after equal answers",
    delivery({ ...retrying, attempts: [attempt(1, 503), attempt(2, 503), attempt(3, 503)] }),
    "Your endpoint answered 503 three times. We’ll try again at 11:52; 7 attempts left, until 24 Nov.",
  ],
  [
    "retrying after one answer",
    delivery({ ...retrying, attempts: [attempt(1, 503)] }),
    "Your endpoint answered 503. We’ll try again at 11:52; 9 attempts left, until 24 Nov.",
  ],
  [
    "retrying after several kinds of failures",
    delivery({ ...retrying, attempts: [attempt(1, 503), attempt(2, "timeout")] }),
    "2 attempts failed. The last one: no answer in 15 s. We’ll try again at 11:52; 8 attempts left, until 24 Nov.",
  ],
  [
    "retrying after the same failure without an answer",
    delivery({ ...retrying, attempts: [attempt(1, "timeout"), attempt(2, "timeout")] }),
    "No answer in 15 s. It was so in all 2 attempts. We’ll try again at 11:52; 8 attempts left, until 24 Nov.",
  ],
  [
    "the last attempt is planned for today",
    delivery({ ...retrying, lastAttemptAtMs: at(21, 15, 27), attempts: [attempt(1, 503)] }),
    "Your endpoint answered 503. We’ll try again at 11:52; 9 attempts left, until 15:27.",
  ],
  [
    "the last attempt is next, another day",
    delivery({
      ...retrying,
      nextAttemptAtMs: at(23, 9, 5),
      attempts: Array.from({ length: 9 }, (_, index) => attempt(index + 1, 500)),
    }),
    "Your endpoint answered 500 nine times. We’ll try for the last time on 23 Nov at 09:05.",
  ],
  [
    "the next attempt is due",
    delivery({ ...retrying, nextAttemptAtMs: NOW_MS - 1, attempts: [attempt(1, 503)] }),
    "Your endpoint answered 503. The next attempt is on its way.",
  ],
  [
    "the destination rests",
    delivery({ ...retrying, destinationNow: held, attempts: [attempt(1, 503)] }),
    "Your endpoint answered 503. Nothing goes to this endpoint for the moment, so that it can recover. " +
      "We’ll try again at 11:52; 9 attempts left, until 24 Nov.",
  ],
  [
    "not tried yet, because the destination rests",
    delivery({ nextAttemptAtMs: at(21, 11, 52), lastAttemptAtMs: at(24, 3, 0), destinationNow: failing }),
    "It has not been tried yet: webhooks to New leads have failed since 11:40. Their last answer: 503. " +
      "Nothing goes to this endpoint for the moment, so that it can recover. The first attempt goes out at 11:52.",
  ],
  [
    "not tried yet, because the destination rests since an earlier day",
    delivery({
      nextAttemptAtMs: at(21, 11, 52),
      destinationNow: { ...failing, health: { ...failing.health, failingSinceMs: at(19, 13, 49) } },
    }),
    "It has not been tried yet: webhooks to New leads have failed since 19 Nov 2026. Their last answer: 503. " +
      "Nothing goes to this endpoint for the moment, so that it can recover. The first attempt goes out at 11:52.",
  ],
  [
    "a fault that is not the endpoint's",
    delivery({ ...retrying, attemptsInSchedule: 0, status: "waiting", attempts: [attempt(1, "our_fault")] }),
    "No answer in 15 s. That says nothing about your endpoint. " +
      "We’ll try again at 11:52; 10 attempts left, until 24 Nov.",
  ],
  [
    "a body that could not be made",
    delivery({ status: "failed", attempts: [attempt(1, "body")] }),
    "No answer in 15 s. Nothing more is sent by itself; it can be sent again.",
  ],
  ["just accepted", delivery({ nextAttemptAtMs: NOW_MS }), "The first attempt is on its way."],
  [
    "accepted, and the first attempt is held back for seconds",
    delivery({ nextAttemptAtMs: NOW_MS + 40_000 }),
    "The first attempt goes out in 40 sec.",
  ],
  [
    "paused",
    delivery({ destinationNow: paused }),
    "It waits while New leads is paused, and goes out when that is turned on again.",
  ],
  [
    "off after failures",
    delivery({ status: "retrying", destinationNow: { ...DESTINATION, state: "off" }, attempts: [attempt(1, 410)] }),
    "Your endpoint answered 410. It waits because New leads is turned off, and goes out when that is turned on again.",
  ],
  [
    "delivered at once",
    delivery({ status: "delivered", attempts: [attempt(1, 200)], settledAtMs: CREATED_MS + 212 }),
    "Your endpoint accepted it on the first attempt, 212 ms after the event was accepted.",
  ],
  [
    "delivered after failures",
    delivery({ status: "delivered", attempts: [attempt(1, 503), attempt(2, 200)], settledAtMs: CREATED_MS + 5_212 }),
    "Your endpoint accepted it on attempt 2, 5.2 s after the event was accepted.",
  ],
  [
    "sent again and delivered",
    delivery({
      status: "delivered",
      resent: again,
      attempts: [attempt(1, 503), attempt(2, 200, again.atMs + 5)],
      settledAtMs: again.atMs + 300,
    }),
    "Sent again by Ana. Your endpoint accepted it on the first attempt, 300 ms after that.",
  ],
  [
    "sent again, on its way",
    delivery({ resent: again, attemptsInSchedule: 0, attempts: [attempt(1, 503)], nextAttemptAtMs: NOW_MS }),
    "Sent again by Ana. The next attempt is on its way.",
  ],
  [
    "failed for good",
    delivery({ status: "failed", attempts: Array.from({ length: 10 }, (_, index) => attempt(index + 1, 500)) }),
    "Your endpoint answered 500 ten times. All 10 attempts are used up. " +
      "Nothing more is sent by itself; it can be sent again.",
  ],
  [
    "failed, and its payload is gone",
    delivery({ status: "failed", attempts: [attempt(1, 500)], notResendable: "Its payload was deleted." }),
    "Your endpoint answered 500. No attempt is left. Nothing more is sent by itself.",
  ],
  [
    "cancelled with its webhook",
    delivery({ status: "cancelled", destinationNow: null, notResendable: "Its webhook was deleted." }),
    "Cancelled before it was delivered, because its webhook was deleted. Nothing more is sent by itself.",
  ],
  [
    "cancelled by a person with the backlog",
    delivery({ status: "cancelled", settledAtMs: CREATED_MS + 20_000 }),
    "Cancelled before it was delivered: somebody cancelled what waited. " +
      "Nothing more is sent by itself; it can be sent again.",
  ],
  [
    "cancelled because it had waited as long as it may",
    delivery({ status: "cancelled", settledAtMs: CREATED_MS + LIMITS.waitWhileOffMs }),
    "Cancelled before it was delivered: it had waited for 14 days. " +
      "Nothing more is sent by itself; it can be sent again.",
  ],
  [
    "cancelled by a person, old but tried a moment before that",
    delivery({
      status: "cancelled",
      attempts: [attempt(1, 503, CREATED_MS + LIMITS.waitWhileOffMs)],
      settledAtMs: CREATED_MS + LIMITS.waitWhileOffMs + 1,
    }),
    "Cancelled before it was delivered: somebody cancelled what waited. " +
      "Nothing more is sent by itself; it can be sent again.",
  ],
  [
    "a test that was accepted",
    delivery({ status: "delivered", isTest: true, attempts: [attempt(1, 200)], settledAtMs: CREATED_MS + 10 }),
    "This was a test, and your endpoint accepted it.",
  ],
  [
    "a test that failed",
    delivery({ status: "failed", isTest: true, attempts: [attempt(1, 503)], destinationNow: null }),
    "This was a test. Your endpoint had an error. Tests are not retried.",
  ],
];

for (const [name, detail, words] of CASES) {
  test(`says in words: ${name}`, () => assert.equal(explainDelivery(detail, NOW_MS), words));
}
