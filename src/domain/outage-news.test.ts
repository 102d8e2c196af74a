import assert from "node:assert/strict";
import { test } from "node:test";
import { HEALTHY } from "./destination-health.ts";
import { hoursMs, minutesMs } from "../lib/duration.ts";
import { type Condition, type Told, UNTOLD, findOutageNews } from "./outage-news.ts";

const WELL: Condition = { state: "on", health: HEALTHY };
const OPEN: Condition = {
  state: "on",
  health: { failingSinceMs: 1, failureScore: 8, consecutiveOpens: 1, notBeforeMs: 9 },
};
const SCORED: Condition = { state: "on", health: { ...OPEN.health, consecutiveOpens: 0 } };
const OFF: Condition = { ...OPEN, state: "off" };
const PAUSED: Condition = { ...OPEN, state: "paused" };

const NOW = hoursMs(100);
const TOLD: Told = { isTold: true, toldAtMs: NOW - minutesMs(5) };

interface Case {
  readonly when: string;
  readonly before: Condition & Told;
  readonly after: Condition;
  readonly news: ReturnType<typeof findOutageNews>;
}

const CASES: readonly Case[] = [
  { when: "it is well and stays so", before: { ...WELL, ...UNTOLD }, after: WELL, news: null },
  { when: "it fails now and then", before: { ...WELL, ...UNTOLD }, after: SCORED, news: null },
  {
    when: "its breaker opens",
    before: { ...SCORED, ...UNTOLD },
    after: OPEN,
    news: { kind: "failing", told: { isTold: true, toldAtMs: NOW } },
  },
  { when: "a probe of a told outage fails", before: { ...OPEN, ...TOLD }, after: OPEN, news: null },
  {
    when: "a told outage ends",
    before: { ...OPEN, ...TOLD },
    after: WELL,
    news: { kind: "recovered", told: { isTold: false, toldAtMs: TOLD.toldAtMs } },
  },
  { when: "an untold outage ends", before: { ...OPEN, ...UNTOLD }, after: WELL, news: null },
  {
    when: "it is turned off",
    before: { ...OPEN, ...TOLD },
    after: OFF,
    news: { kind: "turned_off", told: { isTold: false, toldAtMs: TOLD.toldAtMs } },
  },
  { when: "an attempt ends after it was turned off", before: { ...OFF, ...TOLD }, after: OFF, news: null },
  { when: "an attempt ends after somebody paused it", before: { ...PAUSED, ...TOLD }, after: PAUSED, news: null },
  {
    when: "it fails again within the hour",
    before: { ...SCORED, isTold: false, toldAtMs: NOW - hoursMs(1) + 1 },
    after: OPEN,
    news: null,
  },
  {
    when: "an outage outlasts the quiet hour",
    before: { ...OPEN, isTold: false, toldAtMs: NOW - hoursMs(1) },
    after: OPEN,
    news: { kind: "failing", told: { isTold: true, toldAtMs: NOW } },
  },
];

for (const { when, before, after, news } of CASES) {
  test(`${news === null ? "nothing" : news.kind} is news when ${when}`, () => {
    assert.deepEqual(findOutageNews(before, after, NOW), news);
  });
}
