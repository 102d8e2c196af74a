import assert from "node:assert/strict";
import { test } from "node:test";
import type { AlertSummary } from "../../../src/dashboard/contract/alerts.ts";
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";
import { conditionsInWords } from "./audience-words.ts";
import { byNeed, idleWord } from "./list-order.ts";

function alert(name: string, word: HealthWord | null, webhooksOn = true): AlertSummary {
  const destination = word === null ? null : ({ health: { word } } as DestinationView);
  return { id: name, name, audience: "all", demos: [], intentLevels: [], conditions: null, webhooksOn, destination };
}

test("alerts that need attention come first, then by name", () => {
  const alerts = [
    alert("Alert 10", "healthy"),
    alert("Alert 9", "no_deliveries"),
    alert("Idle", "failing", false),
    alert("Nothing", null),
    alert("Slow", "unsteady"),
    alert("Gone", "off"),
    alert("Broken", "failing"),
  ];
  const names = alerts.toSorted(byNeed).map(({ name }) => name);
  assert.deepEqual(names, ["Gone", "Broken", "Slow", "Alert 9", "Alert 10", "Idle", "Nothing"]);
});

test("an alert that sends nothing says why", () => {
  assert.equal(idleWord(alert("a", "healthy"), false), null);
  assert.equal(idleWord(alert("a", "healthy"), true), "Paused by the plan");
  assert.equal(idleWord(alert("a", "healthy", false), true), "Webhooks off");
  assert.equal(idleWord(alert("a", null), false), "No webhook");
});

test("conditions are said in one line", () => {
  const one = {
    ...alert("a", null),
    audience: "known_lead",
    demos: ["Tour"],
    intentLevels: ["high", "medium"],
  } as const;
  assert.equal(conditionsInWords(one), "Known leads · Tour · 2 intent levels");
  assert.equal(conditionsInWords(alert("a", null)), "All sessions");
});
