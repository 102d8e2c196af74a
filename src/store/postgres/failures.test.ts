import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { assert as demand } from "../../lib/assert.ts";
import { causeOf, describeFailure, isCollision, isMisconfigured, isStorageFailure } from "./failures.ts";

function serverError(code: string, message = "it failed"): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, "error");
  return Object.assign(error, { code, detail: "Failing row contains (canary)." });
}

const nodeError = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });

/** What is not listed here is a fault of ours. */
const UNAVAILABLE: readonly [what: string, error: Error][] = [
  ["disk full", serverError("53100")],
  ["too many connections", serverError("53300")],
  ["shutting down", serverError("57P01")],
  ["starting up", serverError("57P03")],
  ["a statement's time is over", serverError("57014")],
  ["read-only after a failover", serverError("25006")],
  ["a lock was not free", serverError("55P03")],
  ["a deadlock", serverError("40P01")],
  ["the password was changed", serverError("28P01")],
  ["refused", nodeError("ECONNREFUSED")],
  ["cut off", nodeError("ECONNRESET")],
  ["no such host", nodeError("ENOTFOUND")],
  ["broken off", new Error("Connection terminated unexpectedly")],
  ["no connection in time", new Error("timeout exceeded when trying to connect")],
  ["no answer in time", new Error("Query read timeout")],
];

describe("the database is unavailable", () => {
  for (const [what, error] of UNAVAILABLE) test(what, () => assert.ok(isStorageFailure(error)));
});

describe("a fault of ours is not the database's", () => {
  const assertion = (): unknown => {
    try {
      return demand(false, "there is no destination dst_1");
    } catch (error) {
      return error;
    }
  };
  const faults: readonly [what: string, error: unknown][] = [
    ["a constraint", serverError("23514")],
    ["a table that is not there", serverError("42P01")],
    ["an assertion", assertion()],
    ["a wrong argument", Object.assign(new TypeError("must be a string"), { code: "ERR_INVALID_ARG_TYPE" })],
  ];
  for (const [what, error] of faults) test(what, () => assert.ok(!isStorageFailure(error)));
});

test("only deadlocks and failed serializations run again", () => {
  assert.ok(isCollision(serverError("40001")) && isCollision(serverError("40P01")));
  assert.ok(!isCollision(serverError("23505")) && !isCollision(nodeError("ECONNRESET")));
});

test("a start that cannot work by waiting is told apart", () => {
  for (const code of ["28P01", "3D000", "42501"]) assert.ok(isMisconfigured(serverError(code)), code);
  assert.ok(!isMisconfigured(nodeError("ECONNREFUSED")));
});

test("what is told never carries a value", () => {
  assert.equal(describeFailure(serverError("22P02", 'invalid input: "canary"')).includes("canary"), false);
  assert.equal(describeFailure(serverError("53100", "no space left")), "no space left (PostgreSQL error 53100)");
  const cause = causeOf(serverError("23514"));
  assert.equal(JSON.stringify(cause, Object.getOwnPropertyNames(cause)).includes("canary"), false);
});
