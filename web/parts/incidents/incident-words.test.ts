import assert from "node:assert/strict";
import { test } from "node:test";
import type { IncidentFigures, StoredIncident } from "../../../src/dashboard/contract/incidents.ts";
import {
  courseInWords,
  logOf,
  cappedInWords,
  noneHitInWords,
  outcomes,
  responseChoices,
  responsesInWords,
  spanInWords,
} from "./incident-words.ts";

const FROM_MS = new Date(2026, 10, 20, 12, 0, 30).getTime();

const INCIDENT: StoredIncident = {
  id: "inc_1",
  destinationId: "dst_1",
  fromMs: FROM_MS,
  toMs: FROM_MS + 41 * 60_000,
  end: "recovered",
  offReason: null,
  interruptions: 0,
  responses: [],
};

const FIGURES: IncidentFigures = {
  delivered: 240,
  waiting: 0,
  failed: 14,
  cancelled: 0,
  failedBy: [
    { code: "503", count: 10 },
    { code: "timeout", count: 3 },
    { code: "dns_error", count: 1 },
  ],
  oldestMs: FROM_MS - 5,
  firstFailedId: "dlv_1",
  lastFailedId: "dlv_9",
  isCapped: false,
};

test("what came back is said by kind, with counts", () => {
  const responses = [
    { code: "503", count: 1_212 },
    { code: "timeout", count: 14 },
  ];
  assert.equal(responsesInWords(responses), "503 × 1,212, timed out × 14");
});

test("a span names its date once, and its end where there is one", () => {
  assert.equal(spanInWords(INCIDENT), "20 Nov 2026, 12:00 to 12:41");
  assert.equal(spanInWords({ fromMs: FROM_MS, toMs: null }), "Since 20 Nov 2026, 12:00");
  assert.equal(spanInWords({ fromMs: FROM_MS, toMs: FROM_MS + 5_000 }), "20 Nov 2026, 12:00");
  const nextDay = { fromMs: FROM_MS, toMs: FROM_MS + 24 * 3_600_000 };
  assert.equal(spanInWords(nextDay), "20 Nov 2026, 12:00 to 21 Nov 2026, 12:00");
});

test("its course is told: turned off, interrupted, ended", () => {
  const off: StoredIncident = { ...INCIDENT, offReason: "gone", interruptions: 2, end: "turned_on" };
  const ended = "It ended when a person turned the webhook on.";
  assert.equal(courseInWords(off), `It was turned off by the answer 410 Gone. It worked 2 times in between. ${ended}`);
  assert.equal(courseInWords({ ...INCIDENT, toMs: null, end: null }), "");
});

test("what became of its deliveries leaves out what there is none of, and leads into the log", () => {
  assert.deepEqual(
    outcomes(FIGURES).map(({ label, count }) => [label, count]),
    [
      ["Delivered later", 240],
      ["Failed", 14],
    ],
  );
  const to = FROM_MS + 41 * 60_000;
  const search = `destination=dst_1&status=failed&from=${FROM_MS - 5}&to=${to}`;
  assert.equal(logOf(INCIDENT, FIGURES, "failed"), `/deliveries?${search}`);
});

test("what got no answer is one choice, because a replay cannot tell the kinds apart", () => {
  assert.deepEqual(responseChoices(FIGURES), [
    { value: "", label: "Any response (14)" },
    { value: "503", label: "503 (10)" },
    { value: "none", label: "No answer (4)" },
  ]);
});

test("figures of the newest deliveries alone say so, and claim nothing of the others", () => {
  const capped = { ...FIGURES, isCapped: true };
  assert.deepEqual(
    responseChoices(capped).map(({ label }) => label),
    ["Any response (14+)", "503 (10+)", "No answer (4+)"],
  );
  assert.equal(
    noneHitInWords(capped, 10_000),
    "None of the newest 10,000 deliveries of this time was held up or lost. It had more.",
  );
  assert.equal(
    cappedInWords(10_000),
    "Counted among the newest 10,000 deliveries of this time. It had more, so each number may be higher.",
  );
  assert.equal(noneHitInWords(FIGURES, 10_000), "No delivery was held up or lost, or they are forgotten.");
});
