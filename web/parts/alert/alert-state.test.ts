import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AlertDetail, AlertSummary } from "../../../src/dashboard/contract/alerts.ts";
import type { DestinationView, HealthWord } from "../../../src/dashboard/contract/destinations.ts";
import { addCondition } from "../conditions/draft.ts";
import { conditionsInWords } from "../owner/owner-words.ts";
import { idleWord, isNarrowed, sendsAlert, toBody, toState } from "./alert-state.ts";
import { makeAlert, makeAlertForm, makeWebhookSettings } from "../../../test/kit/make.ts";

const SAVED: AlertDetail = {
  ...makeAlert({ name: "New leads", audience: "known_lead", demos: ["Product tour"] }),
  destination: null,
  revision: 3,
  changed: null,
  webhook: makeWebhookSettings({ url: "https://a.example/in" }),
};

describe("what Save sends", () => {
  test("leaves the webhook alone when only the name was changed", () => {
    const body = toBody({ ...toState(SAVED, false), name: " Leads " }, SAVED, false);
    assert.deepEqual(
      body,
      makeAlertForm({
        conditions: null,
        name: "Leads",
        audience: "known_lead",
        demos: ["Product tour"],
        webhook: null,
      }),
    );
  });

  test("keeps a URL that was typed before Webhooks was switched off again", () => {
    const state = { ...toState(null, false), name: "Leads", webhooksOn: false };
    const typed = { ...state, webhook: { ...state.webhook, url: " https://b.example/ " } };
    assert.equal(toBody(state, null, false).webhook, null);
    assert.equal(toBody(typed, null, false).webhook?.url, "https://b.example/");
  });

  test("changes nothing about webhooks on a plan without them", () => {
    const body = toBody({ ...toState(SAVED, false), webhooksOn: false }, SAVED, true);
    assert.deepEqual([body.webhooksOn, body.webhook], [true, null]);
    assert.equal(toBody({ ...toState(null, false), webhooksOn: true }, null, true).webhooksOn, false);
  });

  test("a new alert has its webhook on, where the plan has webhooks", () => {
    assert.deepEqual([toState(null, false).webhooksOn, toState(null, true).webhooksOn], [true, false]);
  });

  test("an alert is for some sessions when any of the four says so", () => {
    const all = { ...toState(null, false) };
    const condition = addCondition(all.conditions);
    const told = [all, { ...all, audience: "known_lead" as const }, { ...all, demos: ["Tour"] }];
    const rest = [
      { ...all, intentLevels: ["high"] },
      { ...all, conditions: condition },
    ];
    assert.deepEqual([...told, ...rest].map(isNarrowed), [false, true, true, true, true]);
  });

  test("a form is changed when it would send something else", () => {
    const state = toState(SAVED, false);
    assert.equal(sendsAlert({ ...state, name: "New leads " }), sendsAlert(state));
    assert.notEqual(sendsAlert({ ...state, demos: [] }), sendsAlert(state));
  });
});

function alert(name: string, word: HealthWord | null, webhooksOn = true): AlertSummary {
  const destination = word === null ? null : ({ health: { word } } as DestinationView);
  return { ...makeAlert({ id: name, name, webhooksOn }), destination };
}

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
