import assert from "node:assert/strict";
import { test } from "node:test";
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";
import { sendingWords } from "./health-words.ts";
import {
  findTroubles,
  followTroubles,
  joinSending,
  sendAllLabel,
  sendRefusals,
  toPlace,
  toTroubleKey,
  troubleHref,
  troubleSentences,
  troubleTitle,
} from "./troubles.ts";

const NOW = Date.UTC(2026, 10, 25, 12);

interface Given {
  readonly url?: string;
  readonly waiting?: number;
  readonly failedAtMs?: number | null;
  readonly code?: string;
}

function at(id: string, word: HealthWord, { url = "http://127.0.0.1:8101/a", waiting = 1, ...last }: Given = {}) {
  const { failedAtMs = NOW - 1_000, code = "503" } = last;
  return {
    id,
    url,
    owner: { kind: "alert", id, name: id, isDeleted: false },
    state: word === "off" ? "off" : "on",
    health: {
      word,
      failingSinceMs: NOW - 60_000 * (id.charCodeAt(0) - 96),
      lastFailure: failedAtMs === null ? null : { atMs: failedAtMs, code },
      waiting: { count: waiting, isCapped: waiting === 10_000 },
      changed: null,
    },
  } as unknown as DestinationView;
}

const ROWS = [
  at("a", "failing", { waiting: 120 }),
  at("b", "failing", { waiting: 72, code: "timeout" }),
  at("c", "healthy"),
  at("d", "off", { waiting: 0, code: "410" }),
  at("e", "failing", { url: "https://crm.example/in", waiting: 200 }),
  at("f", "unsteady"),
];

test("one host that is down is one trouble, and another state of it is another one", () => {
  const titles = findTroubles(ROWS).map(troubleTitle);
  assert.deepEqual(titles, [
    "1 of 5 webhooks to 127.0.0.1:8101 is turned off (410)",
    "The webhook to crm.example is failing (503), 200 wait",
    "2 of 5 webhooks to 127.0.0.1:8101 are failing (503, no answer in time), 192 wait",
  ]);
});

test("a host that many share is not called failing for a few, and a 401 is no trouble of the host’s", () => {
  const url = "https://hooks.example/x";
  const many = Array.from({ length: 71 }, (_, place) => at(`w${place}`, "healthy", { url }));
  const nine = Array.from({ length: 9 }, (_, place) => at(`f${place}`, "failing", { url, code: "503" }));
  const found = findTroubles([...many, ...nine, at("k", "failing", { url, code: "401" })]);
  assert.deepEqual(found.map(troubleTitle), [
    "9 of 81 webhooks to hooks.example are failing (503), 9 wait",
    "1 of 81 webhooks to hooks.example is failing (401), 1 waits",
  ]);
  assert.deepEqual(found.map(troubleHref), [
    "/destinations?q=hooks.example+503&show=failing",
    "/destinations?q=hooks.example+401&show=failing",
  ]);
  assert.equal(findTroubles(nine).map(troubleTitle)[0], "All 9 webhooks to hooks.example are failing (503), 9 wait");
});

const [, , down] = findTroubles(ROWS);
assert.ok(down !== undefined);

test("a trouble says since when, how many can go, and where they are listed", () => {
  assert.match(troubleSentences(down, NOW), /^Since \d\d:\d\d\.$/);
  assert.equal(sendAllLabel(down), "Send now (192)");
  assert.equal(troubleHref(down), "/destinations?q=127.0.0.1%3A8101&show=failing");
  const large = findTroubles([at("a", "failing", { waiting: 10_000 }), at("b", "failing")]);
  assert.deepEqual(large.map(sendAllLabel), ["Send now (10,001+)"]);
});

test("a trouble that gets worse is the same; one that begins anew is another", () => {
  const more = findTroubles([...ROWS, at("a2", "failing")])[2];
  assert.equal(more !== undefined && toTroubleKey(more), toTroubleKey(down));
  const later = findTroubles([at("a", "failing"), at("a3", "failing")])[0];
  assert.notEqual(later !== undefined && toTroubleKey(later), toTroubleKey(down));
});

test("what is shown keeps its place, and several webhooks that are well again stay until they are closed", () => {
  const shown = followTroubles([], findTroubles(ROWS));
  const later = [at("a", "healthy"), at("b", "failing"), at("g", "off", { url: "https://new.example/" })];
  const after = followTroubles(shown, findTroubles(later));
  const told = (list: typeof after) => list.map((each) => [toPlace(each), each.isGroup, each.isOver]);
  assert.deepEqual(told(after), [
    ["failing down 127.0.0.1:8101", true, false],
    ["off down new.example", false, false],
  ]);
  assert.deepEqual(told(followTroubles(after, [])), [["failing down 127.0.0.1:8101", true, true]]);
});

test("a trouble that has become another one is not called over", () => {
  const shown = followTroubles([], findTroubles([at("a", "failing"), at("b", "failing")]));
  const now = findTroubles([at("a", "failing", { code: "401" }), at("b", "failing", { code: "401" })]);
  assert.deepEqual(
    followTroubles(shown, now).map((each) => [toPlace(each), each.isOver]),
    [["failing 401 127.0.0.1:8101", false]],
  );
});

test("sending to several has failed only when each that still waits has failed again", () => {
  const first = [at("a", "failing", { waiting: 120 }), at("b", "failing", { waiting: 72 })];
  const words = (...now: readonly DestinationView[]): string => sendingWords(joinSending(first, now));
  assert.equal(words(...first), "192 on their way; one is tried first.");
  const again = at("a", "failing", { waiting: 120, failedAtMs: NOW });
  assert.equal(words(again, at("b", "failing", { waiting: 72 })), "192 on their way; one is tried first.");
  assert.equal(words(again, at("b", "failing", { waiting: 12 })), "192 on their way; 132 left.");
  assert.equal(words(again, at("b", "healthy", { waiting: 0 })), "It failed again: 503. 120 still wait.");
  assert.equal(words(at("a", "healthy", { waiting: 0 }), at("b", "healthy", { waiting: 0 })), "All 192 were sent.");
});

test("those that were refused are counted, with the first reason", () => {
  const ok = { id: "a", refusal: null };
  assert.equal(sendRefusals([ok]), null);
  assert.equal(sendRefusals([ok, { id: "b", refusal: "It is paused." }]), "1 webhook was left out: It is paused.");
});

test("one that is told elsewhere is no trouble here, and counts among those of its host", () => {
  const rows = [at("a", "failing"), at("b", "failing"), at("c", "healthy")];
  const titles = (id: string) => findTroubles(rows, (each) => each.id === id).map(troubleTitle);
  assert.deepEqual(titles("c"), ["2 of 3 webhooks to 127.0.0.1:8101 are failing (503), 2 wait"]);
  assert.deepEqual(
    titles("a"),
    findTroubles([at("b", "failing"), at("c", "healthy"), at("d", "healthy")]).map(troubleTitle),
  );
});
