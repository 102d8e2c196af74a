import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AuthenticationSettings } from "../../../src/dashboard/contract/destinations.ts";
import { FORM_LIMITS } from "../../../src/domain/limits.ts";
import { toDraft, toForm, sends } from "./draft.ts";
import { checkDraft, errorsByField } from "./refusals.ts";
import {
  type AuthenticationDraft,
  certificateEndWords,
  toAuthenticationDraft,
} from "../authentication/authentication-draft.ts";
import { makeWebhookSettings } from "../../../test/kit/make.ts";

const OAUTH = {
  tokenUrl: "https://login.example.com/token",
  clientId: "bellwire",
  clientSecret: null,
  scope: "hooks",
  audience: "",
  clientAuthentication: "basic",
} as const;
const FACTS = { subject: "CN=acme", issuer: "CN=CA", validFromMs: 0, validToMs: 1 };
const SAVED: AuthenticationSettings = { oauth: OAUTH, certificate: { chain: "PEM", key: null, ...FACTS } };
const WEBHOOK = makeWebhookSettings({ url: "https://hooks.example.com/in", authentication: SAVED });
const LIMITS = { ...FORM_LIMITS, httpsOnly: false };

const changed = (changes: Partial<AuthenticationDraft>, url = WEBHOOK.url) => {
  const draft = toDraft(WEBHOOK);
  return { ...draft, url, authentication: { ...draft.authentication, ...changes } };
};

describe("a webhook's authentication", () => {
  test("sends what is saved when nothing was touched, and keeps both secrets on the server", () => {
    assert.deepEqual(toForm(changed({})).form.authentication, {
      oauth: OAUTH,
      certificate: { chain: "PEM", key: null },
    });
    assert.deepEqual(checkDraft(changed({}), LIMITS), {});
  });

  test("is left out where there is none, and is gone once both are switched off", () => {
    assert.equal("authentication" in toForm(toDraft(null)).form, false);
    const off = changed({ hasToken: false, hasCertificate: false });
    assert.equal("authentication" in toForm(off).form, false);
    assert.notEqual(sends(off), sends(changed({})));
  });

  test("asks for both secrets again when the Webhook URL leads to another server", () => {
    const moved = changed({}, "https://elsewhere.example.com/in");
    assert.deepEqual(Object.keys(checkDraft(moved, LIMITS)), [
      "authentication.oauth.clientSecret",
      "authentication.certificate.key",
    ]);
    assert.equal(toForm(moved).form.authentication?.oauth?.clientSecret, "");
  });

  test("asks for the client secret again when the token URL leads to another server, and not for another path", () => {
    const path = changed({ tokenUrl: "https://login.example.com/v2/token" });
    assert.equal(toForm(path).form.authentication?.oauth?.clientSecret, null);
    const away = checkDraft(changed({ tokenUrl: "https://login.example.org/token" }), LIMITS);
    assert.deepEqual(away, { "authentication.oauth.clientSecret": "Enter the client secret." });
  });

  test("a fresh one needs URL, id and secret, certificate and key", () => {
    const draft = toDraft(null);
    const authentication = { ...toAuthenticationDraft(null), hasToken: true, hasCertificate: true };
    const found = checkDraft({ ...draft, url: "https://a.example", authentication }, LIMITS);
    assert.deepEqual(Object.keys(found), [
      "authentication.oauth.tokenUrl",
      "authentication.oauth.clientId",
      "authentication.oauth.clientSecret",
      "authentication.certificate.chain",
      "authentication.certificate.key",
    ]);
  });

  test("the service's refusals go to its fields, as sentences", () => {
    const errors = errorsByField(
      [
        { path: "webhook.authentication.oauth.clientId", message: "is empty; enter the client id" },
        { path: "webhook.authentication.certificate.key", message: "does not belong to this certificate" },
      ],
      [],
    );
    assert.deepEqual(errors, {
      "authentication.oauth.clientId": "The client id is empty; enter the client id.",
      "authentication.certificate.key": "The private key does not belong to this certificate.",
    });
  });
});

test("a certificate is warned of from 30 days before its end on", () => {
  const end = Date.UTC(2026, 11, 12, 12);
  const day = 86_400_000;
  assert.equal(certificateEndWords(end, end - 31 * day), null);
  assert.match(certificateEndWords(end, end - 20 * day)?.title ?? "", /^This certificate ends in 20 days, on .*2026/);
  assert.match(certificateEndWords(end, end - 1_000)?.title ?? "", /in less than a day/);
  assert.deepEqual(certificateEndWords(end, end)?.tone, "bad");
});
