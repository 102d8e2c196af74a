import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnerKind } from "../../src/domain/event.ts";
import { tellApart, toEnd } from "./tell-apart.ts";

interface Other {
  readonly name?: string;
  readonly kind?: OwnerKind;
}

const named = (id: string, url: string, { name = "CRM", kind = "alert" }: Other = {}) => ({
  id,
  url,
  owner: { kind, id: `own_${id}`, name, isDeleted: false },
});

const marks = (...args: Parameters<typeof tellApart>): Record<string, string> => Object.fromEntries(tellApart(...args));

test("names that are alone need no mark", () => {
  assert.deepEqual(marks([named("a", "https://a.example/x"), named("b", "https://a.example/x", { name: "Chat" })]), {});
});

test("names that repeat are told apart by host, then by path", () => {
  const rows = [
    named("a", "https://a.example/in"),
    named("b", "https://b.example/in"),
    named("c", "https://b.example/out/", { name: "crm " }),
    named("d", "https://b.example/in", { name: "Alone" }),
  ];
  assert.deepEqual(marks(rows), { a: "a.example", b: "b.example/in", c: "b.example/out" });
});

test("one address tells them apart by what they are sent for, then by kind, then by id", () => {
  const rows = [
    named("a", "https://a.example/in"),
    named("b", "https://a.example/in"),
    named("c", "https://a.example/in", { kind: "assistant" }),
    named("d1", "https://a.example/in", { kind: "webhook" }),
    named("d2", "https://a.example/in", { kind: "webhook" }),
  ];
  const wants = new Map([
    ["alert own_a", "Known leads"],
    ["alert own_b", "All sessions"],
    ["webhook own_d1", "All events"],
    ["webhook own_d2", "All events"],
  ]);
  assert.deepEqual(marks(rows, wants), {
    a: "a.example/in · Known leads",
    b: "a.example/in · All sessions",
    c: "a.example/in · chat assistant",
    d1: "a.example/in · All events · …own_d1",
    d2: "a.example/in · All events · …own_d2",
  });
});

test("a row shows the end of a long mark: a part of its path, and no half of an escape", () => {
  assert.equal(toEnd("a.example/in"), "a.example/in");
  assert.equal(toEnd("hooks.example/services/T01/other"), "…/T01/other");
  assert.equal(toEnd("hooks.example/in/ab%C3%A9cd%D8%B4ef"), "…cd%D8%B4ef");
  assert.equal(toEnd("hooks.example/in/%D8%B4%D8%B4%D8%B4"), "…%D8%B4%D8%B4");
});

test("a scheme that is not https is part of the address", () => {
  const rows = [named("a", "https://a.example/in"), named("b", "http://a.example/in")];
  assert.deepEqual(marks(rows), { a: "a.example/in", b: "http://a.example/in" });
});
