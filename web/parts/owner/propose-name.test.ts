import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type NameRules, proposeName } from "./propose-name.ts";

const URL_TYPED = "https://hooks.acme.example/in";
const propose = (name: string, url = URL_TYPED, rules: Partial<NameRules> = {}) =>
  proposeName(name, url, { label: "Alert", taken: [], charsMax: 200, ...rules });

describe("a new alert's name", () => {
  test("is proposed by the host, also where the scheme is still missing", () => {
    assert.equal(propose(""), "Alert to hooks.acme.example");
    assert.equal(propose(" ", "acme.example:8443/hook"), "Alert to acme.example:8443");
  });

  test("follows the Webhook URL until somebody gives another", () => {
    assert.equal(propose("Alert to old.example"), "Alert to hooks.acme.example");
    assert.equal(propose("New leads"), "New leads");
  });

  test("waits for a host, and keeps the last one while the URL is edited", () => {
    assert.equal(propose("", "https"), "");
    assert.equal(propose("Alert to old.example", "https://"), "Alert to old.example");
  });

  test("needs no host where no URL is asked for", () => {
    const rules = { withoutUrl: "New alert", taken: ["New alert"] };
    assert.equal(propose("", "", rules), "New alert 2");
    assert.equal(propose("New leads", "", rules), "New leads");
    assert.equal(propose("", URL_TYPED, rules), "Alert to hooks.acme.example");
  });

  test("is one that the account has not, without regard to case", () => {
    const taken = ["alert to HOOKS.acme.example", "Alert to hooks.acme.example 2"];
    assert.equal(propose("", URL_TYPED, { taken }), "Alert to hooks.acme.example 3");
    assert.equal(propose("Alert to hooks.acme.example", URL_TYPED, { taken }), "Alert to hooks.acme.example 3");
  });

  test("is no longer than the service takes", () => {
    const long = `https://${"a".repeat(60)}.example`;
    const first = propose("", long, { charsMax: 40 });
    const second = propose("", long, { charsMax: 40, taken: [first] });
    assert.equal(second, `${first} 2`);
    assert.ok(second.length <= 40);
  });
});
