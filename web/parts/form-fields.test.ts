/** Two people's edits of one alert, brought together field by field. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AlertDetail } from "../../src/dashboard/contract/alerts.ts";
import { FORM_LIMITS } from "../../src/domain/limits.ts";
import { type AlertState, listAlertFields, toState } from "./alert/alert-state.ts";
import { chooseBody } from "./body/body-draft.ts";
import { type Choices, mergeDrafts } from "./form-fields.ts";
import { addRow, changeRow, nameRow, removeRow } from "./headers/rows.ts";
import { listWebhookFields, toState as toWebhookState, wantType } from "./wanted-events/webhook-state.ts";
import { keepsSaved, toForm, type WebhookDraft } from "./webhook/draft.ts";
import { checkDraft } from "./webhook/refusals.ts";
import { makeAlert, makeWebhookSettings } from "../../test/kit/make.ts";

const LIMITS = { ...FORM_LIMITS, httpsOnly: false };
const SAVED: AlertDetail = {
  ...makeAlert({ name: "Leads", demos: ["Tour"] }),
  destination: null,
  revision: 1,
  changed: null,
  webhook: makeWebhookSettings({
    url: "https://a.example/in",
    headers: [{ name: "X-Api-Key", value: null, secret: true }],
  }),
};

const base = toState(SAVED, false);
/** As the page would have it from the service after somebody else's save. */
const saveAs = (changes: Partial<AlertDetail>, webhook: Partial<NonNullable<AlertDetail["webhook"]>> = {}) => {
  assert.ok(SAVED.webhook !== null);
  return toState({ ...SAVED, ...changes, webhook: { ...SAVED.webhook, ...webhook } }, false);
};
const withWebhook = (change: (draft: WebhookDraft) => WebhookDraft): AlertState => ({
  ...base,
  webhook: change(base.webhook),
});
const withHeader = (draft: WebhookDraft, name: string, value: string): WebhookDraft => {
  const id = draft.nextId;
  return changeRow(nameRow(addRow(draft), id, name), id, (row) => ({ ...row, value }));
};
const merge = (mine: AlertState, theirs: AlertState, choices: Choices = {}) =>
  mergeDrafts(listAlertFields, { base, mine, theirs }, choices);
const headersOf = ({ webhook }: AlertState) => toForm(webhook).form.headers;
const KEPT = { name: "X-Api-Key", value: null, secret: true };

describe("what two people changed in different fields", () => {
  test("is kept of both, lists by their content", () => {
    const mine = { ...base, name: "Mine", demos: ["Tour"] };
    const { draft, clashes, fromThem } = merge(mine, saveAs({ demos: ["Tour", "Pricing"] }, { ratePerSecond: 5 }));
    assert.deepEqual(clashes, []);
    assert.deepEqual(fromThem, ["Demos", "Rate limit"]);
    assert.deepEqual([draft.name, draft.demos, draft.webhook.kept.ratePerSecond], ["Mine", ["Tour", "Pricing"], "5"]);
  });

  test("goes for the body, which is one field with its template", () => {
    const mine = { ...base, name: "Mine" };
    const theirs = saveAs({}, { body: "template", template: '{"a":"{{id}}"}' });
    const { draft, clashes, fromThem } = merge(mine, theirs);
    assert.deepEqual([clashes, fromThem], [[], ["Body"]]);
    assert.deepEqual(toForm(draft.webhook).form.template, '{"a":"{{id}}"}');
    const slack = withWebhook((webhook) => ({ ...webhook, body: chooseBody(webhook.body, "slack") }));
    const [clash] = merge(slack, theirs).clashes;
    assert.deepEqual([clash?.mine, clash?.theirs], ["Slack message", 'A template: {"a":"{{id}}"}']);
    const { draft: kept } = merge(slack, theirs, { body: "mine" });
    assert.deepEqual([toForm(kept.webhook).form.body, toForm(kept.webhook).form.template], ["slack", null]);
  });

  test("goes for headers by their names, and a secret that was saved stays so", () => {
    const mine = withWebhook((draft) => withHeader(draft, "X-Mine", "1"));
    const theirs = saveAs({}, { headers: [KEPT, { name: "X-Theirs", value: "2", secret: false }] });
    const { draft, clashes, fromThem } = merge(mine, theirs);
    assert.deepEqual([clashes, fromThem], [[], ["Header X-Theirs"]]);
    assert.deepEqual(headersOf(draft), [
      KEPT,
      { name: "X-Theirs", value: "2", secret: false },
      { name: "X-Mine", value: "1", secret: false },
    ]);
    const ids = draft.webhook.rows.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(draft.webhook.rows.every(({ id }) => id < draft.webhook.nextId));
  });

  test("goes for a header that one of them took away", () => {
    const mine = withWebhook((draft) => removeRow(draft, 1));
    assert.deepEqual(headersOf(merge(mine, saveAs({ name: "Theirs" })).draft), []);
    const renamed = { ...base, name: "Mine" };
    assert.deepEqual(headersOf(merge(renamed, saveAs({}, { headers: [] })).draft), []);
  });

  test("asks for a secret again once it would go to another server", () => {
    const mine = withWebhook((draft) => ({ ...removeRow(draft, 1), url: "https://b.example/in" }));
    const headers = [KEPT, { name: "X-Token", value: null, secret: true }];
    const { draft, clashes } = merge(mine, saveAs({}, { headers }));
    assert.deepEqual(clashes, []);
    const [row] = draft.webhook.rows;
    assert.ok(row !== undefined && !keepsSaved(draft.webhook, row));
    assert.deepEqual(Object.keys(checkDraft(draft.webhook, LIMITS)), [`value:${row.id}`]);
  });
});

describe("what both changed", () => {
  test("is told with both values, and goes as chosen while all else is kept", () => {
    const mine = { ...base, name: "Mine", audience: "known_lead" } as const;
    const theirs = saveAs({ name: "Theirs", intentLevels: ["high"] });
    assert.deepEqual(merge(mine, theirs).clashes, [{ key: "name", label: "Name", mine: "Mine", theirs: "Theirs" }]);
    const kept = merge(mine, theirs, { name: "mine" });
    assert.deepEqual([kept.clashes, kept.fromThem, kept.draft.name], [[], ["Intent levels"], "Mine"]);
    const taken = merge(mine, theirs, { name: "theirs" }).draft;
    assert.deepEqual([taken.name, taken.audience, taken.intentLevels], ["Theirs", "known_lead", ["high"]]);
  });

  test("is no clash where both mean the same", () => {
    const { clashes, draft } = merge({ ...base, name: " Same " }, saveAs({ name: "Same" }));
    assert.deepEqual([clashes, draft.name], [[], "Same"]);
  });

  test("is what was typed for one server, once somebody else has entered another", () => {
    const mine = withWebhook((draft) => withHeader(draft, "X-Token", "for a.example"));
    const theirs = saveAs({}, { url: "https://elsewhere.example/in" });
    const { clashes } = merge(mine, theirs);
    assert.deepEqual(
      clashes.map(({ label, mine: yours, theirs: other }) => [label, yours, other]),
      [["Header X-Token", "A new secret", "Not sent"]],
    );
    const { draft } = merge(mine, theirs, { "header x-token": "theirs" });
    assert.deepEqual(headersOf(draft), [KEPT]);
    assert.deepEqual(merge(mine, saveAs({}, { url: "https://a.example/other" })).clashes, []);
  });

  test("keeps what I typed, and not their secret, where I gave the saved header a name that they added", () => {
    const [row] = base.webhook.rows;
    const id = row?.id ?? 0;
    const named = nameRow(base.webhook, id, "X-Token");
    const mine = withWebhook(() => changeRow(named, id, (each) => ({ ...each, value: "mine" })));
    const theirs = saveAs({}, { headers: [KEPT, { name: "X-Token", value: null, secret: true }] });
    const { draft } = merge(mine, theirs, { "header x-token": "mine" });
    assert.deepEqual(headersOf(draft), [{ name: "X-Token", value: "mine", secret: true }]);
  });

  test("never sends a value that one of them has typed in the place of the other's, unless it is chosen", () => {
    const mine = withWebhook((draft) => changeRow(draft, 1, (row) => ({ ...row, value: "new", isReplaced: true })));
    const theirs = saveAs({}, { headers: [{ name: "X-Api-Key", value: "plain", secret: false }] });
    assert.deepEqual(
      merge(mine, theirs).clashes.map(({ label }) => label),
      ["Header X-Api-Key"],
    );
    const { draft } = merge(mine, theirs, { "header x-api-key": "mine" });
    assert.deepEqual(headersOf(draft), [{ name: "X-Api-Key", value: "new", secret: true }]);
  });

  test("is all that differs where it is not known what they began with", () => {
    const { clashes } = mergeDrafts(
      listAlertFields,
      { base: null, mine: { ...base, name: "Mine" }, theirs: saveAs({ audience: "known_lead" }) },
      {},
    );
    assert.deepEqual(
      clashes.map(({ key }) => key),
      ["name", "audience"],
    );
  });
});

test("two people add different events to one webhook", () => {
  const { name, revision, changed, destination, webhook, id } = SAVED;
  const saved = { id, name, revision, changed, destination, webhook };
  const began = toWebhookState({ ...saved, events: [{ type: "a", conditions: null }] }, null);
  const mine = { ...began, wanted: [...began.wanted, wantType("b")] };
  const events = [
    { type: "a", conditions: null },
    { type: "c", conditions: null },
  ];
  const theirs = toWebhookState({ ...saved, events }, null);
  const { draft, clashes, fromThem } = mergeDrafts(listWebhookFields, { base: began, mine, theirs }, {});
  assert.deepEqual([clashes, fromThem], [[], ["Event c"]]);
  assert.deepEqual(
    draft.wanted.map(({ type }) => type),
    ["a", "c", "b"],
  );
});
