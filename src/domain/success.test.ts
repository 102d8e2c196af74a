import assert from "node:assert/strict";
import { test } from "node:test";
import { computeSuccess } from "./success.ts";

test("an outage with thousands overdue is no 100 %", () => {
  assert.equal(computeSuccess({ delivered: 2_503, failed: 0, overdue: 2_503 }), 0.5);
  assert.equal(computeSuccess({ delivered: 0, failed: 0, overdue: 2_503 }), 0);
  assert.equal(computeSuccess({ delivered: 30, failed: 10, overdue: 0 }), 0.75);
});

test("fewer than twenty say nothing", () => {
  assert.equal(computeSuccess({ delivered: 19, failed: 0, overdue: 0 }), null);
  assert.equal(computeSuccess({ delivered: 18, failed: 1, overdue: 1 }), 0.9);
});
