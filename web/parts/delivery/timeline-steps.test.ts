import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { toSteps } from "./timeline-steps.ts";

type Life = Pick<
  DeliveryDetail,
  "status" | "createdAtMs" | "attempts" | "resent" | "isTest" | "nextAttemptAtMs" | "settledAtMs"
>;

const attempt = (number: number, startedAtMs: number) => ({ number, startedAtMs }) as AttemptView;
const LIFE: Life = {
  status: "delivered",
  createdAtMs: 10,
  attempts: [attempt(1, 20)],
  resent: null,
  isTest: false,
  nextAttemptAtMs: null,
  settledAtMs: 30,
};

/** Each step as a word and its time or number. */
function steps(changes: Partial<Life>): readonly string[] {
  return toSteps({ ...LIFE, ...changes } as DeliveryDetail).map((step) =>
    step.kind === "attempt" ? `attempt ${step.attempt.number}` : `${step.kind} ${step.atMs}`,
  );
}

for (const [name, changes, expected] of [
  ["delivered", {}, ["accepted 10", "attempt 1"]],
  ["retrying", { status: "retrying", nextAttemptAtMs: 99 }, ["accepted 10", "attempt 1", "next 99"]],
  ["waiting while paused", { status: "waiting", attempts: [] }, ["accepted 10", "next null"]],
  ["cancelled", { status: "cancelled", attempts: [], settledAtMs: 40 }, ["accepted 10", "cancelled 40"]],
  [
    "sent again between two attempts",
    { attempts: [attempt(1, 20), attempt(2, 60)], resent: { by: "Ana", atMs: 50 } },
    ["accepted 10", "attempt 1", "resent 50", "attempt 2"],
  ],
  [
    "sent again, and not gone out yet",
    { status: "waiting", nextAttemptAtMs: 99, resent: { by: "Ana", atMs: 50 } },
    ["accepted 10", "attempt 1", "resent 50", "next 99"],
  ],
  ["a test", { isTest: true, status: "failed" }, ["attempt 1"]],
] as const) {
  test(`the steps of a life: ${name}`, () => assert.deepEqual(steps(changes), expected));
}
