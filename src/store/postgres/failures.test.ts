import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { assert as demand } from "../../lib/assert.ts";
import {
  toLoggedCause,
  describeFailure,
  isCollision,
  isKnownKey,
  isMisconfigured,
  isReadOnly,
  isRefusedByPooler,
  isStorageFailure,
} from "./failures.ts";

function serverError(code: string, message = "it failed"): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, "error");
  return Object.assign(error, { code, detail: "Failing row contains (canary)." });
}

const nodeError = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });

/** Errors that are not listed here are faults of ours. */
const UNAVAILABLE: readonly [what: string, error: Error][] = [
  ["disk full", serverError("53100")],
  ["too many connections", serverError("53300")],
  ["shutting down", serverError("57P01")],
  ["crashed beside us", serverError("57P02")],
  ["starting up", serverError("57P03")],
  ["a statement's time is over", serverError("57014")],
  ["read-only after a failover", serverError("25006")],
  ["a lock was not free", serverError("55P03")],
  ["a deadlock", serverError("40P01")],
  ["a failed serialization", serverError("40001")],
  ["the connection failed", serverError("08006")],
  ["a pooler that has no session for us", serverError("08P01", "query_wait_timeout")],
  ["a pooler whose server went away", serverError("08P01", "server conn crashed?")],
  ["the password was changed", serverError("28P01")],
  ["refused", nodeError("ECONNREFUSED")],
  ["cut off", nodeError("ECONNRESET")],
  ["written to after it was cut off", nodeError("EPIPE")],
  ["no way there", nodeError("EHOSTUNREACH")],
  ["no connection in the kernel's time", nodeError("ETIMEDOUT")],
  ["no such host", nodeError("ENOTFOUND")],
  ["nobody knows the host now", nodeError("EAI_AGAIN")],
  ["an operator changed TLS", new Error("The server does not support SSL connections")],
  ["an operator changed the password", new Error("SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature does not match")],
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
    ["a statement that no server takes", serverError("0A000", "FOR UPDATE is not allowed with DISTINCT clause")],
    ["an assertion", assertion()],
    ["a wrong argument", Object.assign(new TypeError("must be a string"), { code: "ERR_INVALID_ARG_TYPE" })],
  ];
  for (const [what, error] of faults) test(what, () => assert.ok(!isStorageFailure(error)));
});

test("only deadlocks and failed serializations run again", () => {
  assert.ok(isCollision(serverError("40001")) && isCollision(serverError("40P01")));
  assert.ok(!isCollision(serverError("23505")) && !isCollision(nodeError("ECONNRESET")));
});

test("a key that is known is told apart from every other row that is there already", () => {
  assert.ok(isKnownKey(Object.assign(serverError("23505"), { table: "event_keys" })));
  assert.ok(!isKnownKey(Object.assign(serverError("23505"), { table: "accounts" })));
  assert.ok(!isKnownKey(Object.assign(serverError("23514"), { table: "event_keys" })));
});

test("a start that cannot work by waiting is told apart", () => {
  for (const code of ["28P01", "3D000", "42501"]) assert.ok(isMisconfigured(serverError(code)), code);
  for (const message of ['database "x" does not exist', "no such database: x"]) {
    assert.ok(isMisconfigured(serverError("08P01", message)), message);
  }
  assert.ok(!isMisconfigured(serverError("08P01", "query_wait_timeout")));
  assert.ok(!isMisconfigured(nodeError("ECONNREFUSED")));
});

test("a pooler that refuses our settings is known by its words, and a standby by its code", () => {
  assert.ok(isRefusedByPooler(serverError("08P01", "unsupported startup parameter: options")));
  assert.ok(!isRefusedByPooler(serverError("08P01", "query_wait_timeout")));
  assert.ok(isReadOnly(serverError("25006")) && !isReadOnly(serverError("25P02")));
});

test("what is told never carries a value", () => {
  assert.equal(describeFailure(serverError("22P02", 'invalid input: "canary"')).includes("canary"), false);
  assert.equal(describeFailure(serverError("53100", "no space left")), "no space left (PostgreSQL error 53100)");
  const cause = toLoggedCause(serverError("23514"));
  assert.equal(JSON.stringify(cause, Object.getOwnPropertyNames(cause)).includes("canary"), false);
});
