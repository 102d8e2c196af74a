import assert from "node:assert/strict";
import { test } from "node:test";
import type { AlertAudience, DemoAlert, SessionFacts } from "./alert.ts";
import { findUnmetDemand } from "./alert-demands.ts";
import { ALERT_WEBHOOKS_PLAN, PLANS, hasPlan } from "./account.ts";
import { makeAlert } from "../../test/kit/make.ts";

const alert = (changes: Partial<DemoAlert> = {}): DemoAlert => makeAlert({ name: "Any", ...changes });
const isFired = (given: DemoAlert, facts: SessionFacts): boolean => findUnmetDemand(given, facts) === null;
const session = { demoName: "Pricing tour", intentLevel: "high", hasLead: false, hasCompany: false };

const AUDIENCES: [AlertAudience, { hasLead: boolean; hasCompany: boolean }, boolean][] = [
  ["all", { hasLead: false, hasCompany: false }, true],
  ["known_lead", { hasLead: true, hasCompany: false }, true],
  ["known_lead", { hasLead: false, hasCompany: true }, false],
  ["known_lead_or_company", { hasLead: false, hasCompany: true }, true],
  ["known_lead_or_company", { hasLead: true, hasCompany: false }, true],
  ["known_lead_or_company", { hasLead: false, hasCompany: false }, false],
];
for (const [audience, visitor, fires] of AUDIENCES) {
  test(`an alert for ${audience} ${fires ? "fires" : "stays silent"} for ${JSON.stringify(visitor)}`, () => {
    assert.equal(isFired(alert({ audience }), { ...session, ...visitor }), fires);
  });
}

test("an alert for some demos fires for those only", () => {
  assert.equal(isFired(alert({ demos: ["Pricing tour"] }), session), true);
  assert.equal(isFired(alert({ demos: ["Onboarding"] }), session), false);
});

test("a demo's name is the same name with its accents apart and in one piece", () => {
  for (const [listed, sent] of [
    ["Präsentation", "Pra\u0308sentation"],
    ["Pra\u0308sentation", "Präsentation"],
  ] as const)
    assert.equal(isFired(alert({ demos: ["Other", listed] }), { ...session, demoName: sent }), true);
});

test("an alert for some intent levels fires for those only", () => {
  assert.equal(isFired(alert({ intentLevels: ["high", "medium"] }), session), true);
  assert.equal(isFired(alert({ intentLevels: ["low"] }), session), false);
});

test("every plan from Starter upward allows alert webhooks", () => {
  assert.deepEqual(
    PLANS.filter((plan) => hasPlan(plan, ALERT_WEBHOOKS_PLAN)),
    ["starter", "growth", "premium", "enterprise"],
  );
});
