import assert from "node:assert/strict";
import { test } from "node:test";
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";
import { type Listed, narrow, readWish } from "./by-need.ts";

interface Given {
  readonly url?: string;
  readonly attempts?: number;
  readonly webhooksOn?: boolean;
  readonly words?: string;
}

function listed(name: string, word: HealthWord | null, { url = "", attempts = 0, ...rest }: Given = {}): Listed {
  const health = { word, lastDay: [{ succeeded: attempts, failed: 0 }] };
  return { name, destination: word === null ? null : ({ url, health } as unknown as DestinationView), ...rest };
}

const ROWS = [
  listed("Alert 10", "healthy", { webhooksOn: true, attempts: 7 }),
  listed("webhook", "healthy", { attempts: 3, words: "Lead identified" }),
  listed("Alert 9", "no_deliveries", { webhooksOn: true }),
  listed("Idle", "failing", { webhooksOn: false }),
  listed("Nothing", null, { webhooksOn: true }),
  listed("Slow", "unsteady", { webhooksOn: true, url: "https://crm.example/Slow" }),
  listed("Resting", "paused"),
  listed("Gone", "off", { attempts: 1 }),
  listed("Broken", "failing", { webhooksOn: true, url: "https://crm.example/in" }),
];

const names = (address: string): string =>
  narrow(ROWS, readWish(new URLSearchParams(address)))
    .map(({ name }) => name)
    .join(", ");

for (const [address, expected] of [
  ["", "Gone, Broken, Slow, Resting, Alert 9, Alert 10, webhook, Idle, Nothing"],
  ["sort=nonsense&show=x", "Gone, Broken, Slow, Resting, Alert 9, Alert 10, webhook, Idle, Nothing"],
  ["sort=name", "Alert 9, Alert 10, Broken, Gone, Idle, Nothing, Resting, Slow, webhook"],
  ["sort=busiest", "Alert 10, webhook, Gone, Broken, Slow, Resting, Alert 9, Idle, Nothing"],
  ["show=failing", "Gone, Broken"],
  ["show=on", "Broken, Slow, Alert 9, Alert 10, webhook"],
  ["show=off", "Gone, Resting, Idle, Nothing"],
  ["q=CRM.example", "Broken, Slow"],
  ["q=crm+slow", "Slow"],
  ["q=identified", "webhook"],
  ["q=identified&show=off", ""],
] as const) {
  test(`a list with “${address}” has ${expected === "" ? "nothing" : expected}`, () => {
    assert.equal(names(address), expected);
  });
}
