import assert from "node:assert/strict";
import { test } from "node:test";
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";
import { countTags, cutPage, type Listed, narrow, PAGE_ROWS, readWish, writeWish } from "./by-need.ts";

interface Given {
  readonly url?: string;
  readonly attempts?: number;
  readonly webhooksOn?: boolean;
  readonly words?: string;
  readonly tags?: readonly string[];
}

function listed(
  name: string,
  word: HealthWord | null,
  { url = "", attempts = 0, tags = [], ...rest }: Given = {},
): Listed {
  const health = { word, lastDay: [{ succeeded: attempts, failed: 0 }] };
  return { name, destination: word === null ? null : ({ url, health, tags } as unknown as DestinationView), ...rest };
}

const ROWS = [
  listed("Alert 10", "healthy", { webhooksOn: true, attempts: 7 }),
  listed("webhook", "healthy", { attempts: 3, words: "Lead identified" }),
  listed("Alert 9", "no_deliveries", { webhooksOn: true }),
  listed("Idle", "failing", { webhooksOn: false }),
  listed("Nothing", null, { webhooksOn: true }),
  listed("Slow", "unsteady", { webhooksOn: true, url: "https://crm.example/Slow" }),
  listed("Resting", "paused", { tags: ["crm", "eu"] }),
  listed("Gone", "off", { attempts: 1, tags: ["eu"] }),
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
  ["tag=eu", "Gone, Resting"],
  ["tag=eu&tag=crm", "Resting"],
  ["tag=nobody", ""],
] as const) {
  test(`a list with “${address}” has ${expected === "" ? "nothing" : expected}`, () => {
    assert.equal(names(address), expected);
  });
}

test("tags are counted by letters, and a change of the filter begins on the first page", () => {
  assert.deepEqual(countTags(ROWS), [
    ["crm", 1],
    ["eu", 2],
  ]);
  const search = new URLSearchParams("q=in&page=3&tag=eu&frame=1");
  assert.equal(writeWish(search, { q: "" }).toString(), "tag=eu&frame=1");
  assert.equal(writeWish(search, { tags: ["a b", "c"] }).toString(), "q=in&frame=1&tag=a+b&tag=c");
  assert.equal(writeWish(search, { page: 2 }).toString(), "q=in&tag=eu&frame=1&page=2");
  assert.equal(writeWish(search, { page: 1 }).has("page"), false);
});

test("a page that is not there is the last one", () => {
  const rows = Array.from({ length: 2 * PAGE_ROWS + 1 }, (_, place) => place);
  for (const [wanted, from, length] of [
    [1, 0, PAGE_ROWS],
    [3, 2 * PAGE_ROWS, 1],
    [9, 2 * PAGE_ROWS, 1],
  ] as const) {
    const page = cutPage(rows, readWish(new URLSearchParams(`page=${wanted}`)).page);
    assert.deepEqual([page.from, page.rows.length], [from, length]);
  }
  assert.deepEqual(cutPage([], 4), { from: 0, rows: [] });
  assert.equal(readWish(new URLSearchParams("page=-2")).page, 1);
  assert.equal(readWish(new URLSearchParams("page=x")).page, 1);
});
