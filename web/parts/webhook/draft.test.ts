import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { WebhookSettings } from "../../../src/dashboard/contract/destinations.ts";
import { addRow } from "../headers/rows.ts";
import {
  completeUrl,
  copyDraft,
  hasNewOrigin,
  keepsSaved,
  listMissingSecrets,
  parseOrigin,
  sends,
  toDraft,
  toForm,
  withoutSecrets,
} from "./draft.ts";
import { makeWebhookForm, makeWebhookSettings } from "../../../test/kit/make.ts";

const SAVED: WebhookSettings = makeWebhookSettings({
  url: "https://hooks.example.com/in",
  headers: [
    { name: "X-Team", value: "sales", secret: false },
    { name: "X-Api-Key", value: null, secret: true },
  ],
  ratePerSecond: 2.5,
});

test("what is kept of a draft has no typed secret, and the draft says which have to be typed again", () => {
  const saved = toDraft(SAVED);
  const untouched = { id: saved.nextId, savedAs: null, isReplaced: false, isTickChosen: true };
  const row = (name: string, value: string, isSecret: boolean) => ({ ...untouched, name, value, isSecret });
  const typed = {
    ...saved,
    rows: [...saved.rows, row("Authorization", "Bearer sk_live_1", true), row("X-Region", "eu", false)],
    authentication: {
      ...saved.authentication,
      hasToken: true,
      clientId: "bellwire",
      clientSecret: "sk_live_2",
      hasCertificate: true,
      chain: "chain",
      key: "sk_live_3",
    },
  };
  assert.deepEqual(listMissingSecrets(typed), []);
  const kept = withoutSecrets(typed);
  assert.doesNotMatch(JSON.stringify(kept), /sk_live/);
  assert.match(JSON.stringify(kept), /"X-Region","value":"eu"/);
  // The service still has the value of X-Api-Key, until the address leads elsewhere.
  assert.deepEqual(listMissingSecrets(kept), ["Authorization", "client secret", "private key"]);
  assert.ok(listMissingSecrets({ ...kept, url: "https://other.example.com" }).includes("X-Api-Key"));
});

describe("a webhook's draft", () => {
  test("sends what is saved when nothing was touched, and keeps the secret value on the server", () => {
    const { form } = toForm(toDraft(SAVED));
    assert.deepEqual(
      form,
      makeWebhookForm({
        url: "https://hooks.example.com/in",
        headers: [
          { name: "X-Team", value: "sales", secret: false },
          { name: "X-Api-Key", value: null, secret: true },
        ],
        ratePerSecond: 2.5,
      }),
    );
  });

  test("asks for saved secrets again when the URL leads to another origin, and not for another path", () => {
    const saved = toDraft(SAVED);
    const moved = { ...saved, url: "https://hooks.example.com/other" };
    const away = { ...saved, url: "https://hooks.example.com:8443/in" };
    const [, key] = saved.rows;
    assert.ok(key !== undefined);
    assert.deepEqual([hasNewOrigin(moved), keepsSaved(moved, key)], [false, true]);
    assert.deepEqual([hasNewOrigin(away), keepsSaved(away, key)], [true, false]);
    assert.equal(toForm(away).form.headers[1]?.value, "");
  });

  test("has tags in one line, with commas between, for a program’s webhook and for a copy too", () => {
    const saved = toDraft({ ...SAVED, tags: ["crm", "eu west"] });
    assert.equal(saved.kept.tags, "crm, eu west");
    const typed = { ...copyDraft(saved), kept: { ...saved.kept, tags: " crm,, eu west ,new" } };
    assert.deepEqual(toForm(typed).form.tags, ["crm", "eu west", "new"]);
    assert.deepEqual(toForm({ ...typed, url: "pull:" }).form.tags, ["crm", "eu west", "new"]);
  });

  test("leaves out rows in which nothing was typed", () => {
    const draft = addRow(toDraft(null));
    assert.deepEqual(toForm(draft).form.headers, []);
    assert.equal(sends(draft), sends(toDraft(null)));
  });
});

test("only what can be called has an origin", () => {
  const table = {
    "https://a.example/x": "https://a.example",
    "http://a:80": "http://a",
    "a.example": null,
    "ftp://a": null,
  };
  for (const [url, origin] of Object.entries(table)) assert.equal(parseOrigin(url), origin, url);
});

const COMPLETED: readonly (readonly [typed: string, url: string])[] = [
  ["acme.example/hook", "https://acme.example/hook"],
  [" acme.example ", "https://acme.example"],
  ["acme.example:8443?x=1", "https://acme.example:8443?x=1"],
  ["localhost:7071/in", "https://localhost:7071/in"],
  ["[::1]:7071", "https://[::1]:7071"],
  ["http://acme.example", "http://acme.example"],
  ["ftp://acme.example", "ftp://acme.example"],
  ["mailto:ana@acme.example", "mailto:ana@acme.example"],
  ["javascript:alert(1)", "javascript:alert(1)"],
  ["ana@acme.example", "ana@acme.example"],
  ["hook", "hook"],
  ["/hook.json", "/hook.json"],
  ["my hook. Really", "my hook. Really"],
  ["", ""],
];

for (const [typed, url] of COMPLETED) {
  test(`a Webhook URL typed as ${JSON.stringify(typed)} becomes ${JSON.stringify(url)}`, () =>
    assert.equal(completeUrl(typed), url));
}
