import assert from "node:assert/strict";
import { test } from "node:test";
import { HEALTHY } from "./destination-health.ts";
import { hoursMs, minutesMs } from "../lib/duration.ts";
import { type Condition, type Notified, NOT_NOTIFIED, findOutageNotification } from "./outage-notifications.ts";

const WELL: Condition = { state: "on", health: HEALTHY };
const OPEN: Condition = {
  state: "on",
  health: { failingSinceMs: 1, failureScore: 8, consecutiveOpens: 1, notBeforeMs: 9 },
};
const SCORED: Condition = { state: "on", health: { ...OPEN.health, consecutiveOpens: 0 } };
const OFF: Condition = { ...OPEN, state: "off" };
const PAUSED: Condition = { ...OPEN, state: "paused" };

const NOW = hoursMs(100);
const NOTIFIED: Notified = { isNotified: true, notifiedAtMs: NOW - minutesMs(5) };

interface Case {
  readonly when: string;
  readonly before: Condition & Notified;
  readonly after: Condition;
  readonly news: ReturnType<typeof findOutageNotification>;
}

const CASES: readonly Case[] = [
  { when: "it is well and stays so", before: { ...WELL, ...NOT_NOTIFIED }, after: WELL, news: null },
  { when: "it fails now and then", before: { ...WELL, ...NOT_NOTIFIED }, after: SCORED, news: null },
  {
    when: "its breaker opens",
    before: { ...SCORED, ...NOT_NOTIFIED },
    after: OPEN,
    news: { kind: "failing", notified: { isNotified: true, notifiedAtMs: NOW } },
  },
  { when: "a trial of an outage that was notified fails", before: { ...OPEN, ...NOTIFIED }, after: OPEN, news: null },
  {
    when: "an outage that was notified ends",
    before: { ...OPEN, ...NOTIFIED },
    after: WELL,
    news: { kind: "recovered", notified: { isNotified: false, notifiedAtMs: NOTIFIED.notifiedAtMs } },
  },
  { when: "an outage that was not notified ends", before: { ...OPEN, ...NOT_NOTIFIED }, after: WELL, news: null },
  {
    when: "it is turned off",
    before: { ...OPEN, ...NOTIFIED },
    after: OFF,
    news: { kind: "turned_off", notified: { isNotified: false, notifiedAtMs: NOTIFIED.notifiedAtMs } },
  },
  { when: "an attempt ends after it was turned off", before: { ...OFF, ...NOTIFIED }, after: OFF, news: null },
  { when: "an attempt ends after somebody paused it", before: { ...PAUSED, ...NOTIFIED }, after: PAUSED, news: null },
  {
    when: "it fails again within the hour",
    before: { ...SCORED, isNotified: false, notifiedAtMs: NOW - hoursMs(1) + 1 },
    after: OPEN,
    news: null,
  },
  {
    when: "an outage outlasts the quiet hour",
    before: { ...OPEN, isNotified: false, notifiedAtMs: NOW - hoursMs(1) },
    after: OPEN,
    news: { kind: "failing", notified: { isNotified: true, notifiedAtMs: NOW } },
  },
];

for (const { when, before, after, news } of CASES) {
  test(`${news === null ? "nothing" : news.kind} is news when ${when}`, () => {
    assert.deepEqual(findOutageNotification(before, after, NOW), news);
  });
}
