/** docs/large.md: its tables are what the sums say, and the sums are about what the program does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentLarge } from "../tools/large/document.ts";
import { sumAccounts, sumLoad, sumNodes, sumTables } from "../tools/large/sums.ts";
import { read } from "./deployment.ts";

const PAGE = "docs/large.md";

test("docs/large.md is what `npm run docs` writes", () => {
  assert.equal(read(PAGE), documentLarge(read(PAGE)), "run: npm run docs");
});

test("a table that the page does not name, and one that there is not, are told", () => {
  const page = read(PAGE);
  assert.throws(() => documentLarge(page.replace("sums: load", "load")), /no place for the sums of load/);
  assert.throws(() => documentLarge(page.replace("sums: load", "sums: lode")), /sums of "lode", which are not there/);
});

test("what the page says breaks first does so by the sums", () => {
  assert.ok(sumNodes(7).connections <= 100 && sumNodes(8).connections > 100, "8 nodes open more than 100 connections");
  assert.ok(sumNodes(30).hintsCores > 2 && sumNodes(30).pooledLooksCores < 0.1, "30 nodes, with hints and without");
  const [few, many] = [sumAccounts(10_000), sumAccounts(100_000)];
  assert.equal(few.missing, 0);
  const times = (many.nodeMicros + many.serverMicros) / (few.nodeMicros + few.serverMicros);
  assert.ok(times > 6 && times < 7, `${times} times the work`);
  assert.ok(sumLoad(10).diskBytes > 20e12);
  assert.equal(sumTables(90, 32).tables, 99 * 3 * 32);
});
