import assert from "node:assert/strict";
import { test } from "node:test";
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";
import { byNeed } from "./by-need.ts";

const listed = (name: string, word: HealthWord | null, webhooksOn?: boolean) => ({
  name,
  destination: word === null ? null : ({ health: { word } } as DestinationView),
  ...(webhooksOn === undefined ? {} : { webhooksOn }),
});

test("those that need attention come first, then by name", () => {
  const rows = [
    listed("Alert 10", "healthy", true),
    listed("Webhook", "healthy"),
    listed("Alert 9", "no_deliveries", true),
    listed("Idle", "failing", false),
    listed("Nothing", null, true),
    listed("Slow", "unsteady", true),
    listed("Gone", "off"),
    listed("Broken", "failing", true),
  ];
  const names = rows.toSorted(byNeed).map(({ name }) => name);
  assert.deepEqual(names, ["Gone", "Broken", "Slow", "Alert 9", "Alert 10", "Webhook", "Idle", "Nothing"]);
});
