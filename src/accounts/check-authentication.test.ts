/** A destination's authentication as forms send it: what is kept and what is asked again, and every mistake's field. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeDestinationView, makeWebhookForm } from "../../test/kit/make.ts";
import { makeAuthority } from "../../test/kit/servers/certificates.ts";
import { certify, makeCompositeRsa } from "../../test/kit/servers/costly-tls.ts";
import type { Authentication } from "../domain/authentication.ts";
import { systemRandom } from "../lib/random.ts";
import { createSealer } from "../lib/seal.ts";
import type { DestinationView } from "./account-view.ts";
import type { AuthenticationForm } from "../domain/webhook-form.ts";
import { checkDestinationForm, checkNewKey } from "./destination-draft.ts";
import { openAuthentication, sealAuthentication } from "./sealed-authentication.ts";

const NOW = Date.UTC(2026, 10, 22);
const authority = makeAuthority("Receiver's CA");
const client = authority.issue("acme");

const OAUTH = {
  tokenUrl: "https://login.example.com/token",
  clientId: "bellwire",
  clientSecret: "the-saved-secret",
  scope: "hooks",
  audience: "",
  clientAuthentication: "basic",
} as const;
const CERTIFICATE = { chain: client.certificate, key: client.key };
const BOTH: Authentication = { oauth: OAUTH, certificate: CERTIFICATE };

const SAVED: DestinationView = makeDestinationView({
  id: "dst_1",
  url: "https://hook.example.com/in",
  authentication: BOTH,
  state: "on",
  setUpAtMs: 0,
});

interface Check {
  readonly url?: string;
  readonly headers?: readonly string[];
  readonly saved?: DestinationView | null;
  readonly nowMs?: number;
}

function check(authentication: AuthenticationForm | null, changes: Check = {}) {
  const { url = SAVED.url, headers = [], saved = SAVED, nowMs = NOW } = changes;
  const rows = headers.map((name) => ({ name, value: "x", secret: false }));
  return checkDestinationForm(makeWebhookForm({ url, headers: rows, authentication }), {
    saved,
    signatureHeader: "x-sig",
    nowMs,
  });
}

function findErrors(authentication: AuthenticationForm, changes: Check = {}): Record<string, string> {
  const checked = check(authentication, changes);
  assert.ok(!checked.ok, "it was taken");
  return Object.fromEntries((checked.error.errors ?? []).map(({ path, message }) => [path, message]));
}

const KEPT: AuthenticationForm = {
  oauth: { ...OAUTH, clientSecret: null },
  certificate: { chain: CERTIFICATE.chain, key: null },
};

test("a key whose factors are no primes is refused when it is saved, by the field", async () => {
  const key = makeCompositeRsa(2_048);
  const certificate = { chain: certify(key), key: key.export({ type: "pkcs8", format: "pem" }) };
  const form = makeWebhookForm({ url: SAVED.url, authentication: { oauth: null, certificate } });
  const checked = await checkNewKey(form, check(form.authentication ?? null));
  assert.ok(!checked.ok, "it was taken");
  const [error] = checked.error.errors ?? [];
  assert.equal(error?.path, "authentication.certificate.key");
  assert.match(error?.message ?? "", /a factor of it is no prime; use RSA/);
});

test("saved secrets stay when the form has them no more", () => {
  for (const url of [SAVED.url, "https://hook.example.com/elsewhere"]) {
    const checked = check(KEPT, { url });
    assert.deepEqual(checked.ok && checked.value.authentication, BOTH);
  }
});

test("without an access token and a certificate there is no authentication", () => {
  for (const form of [null, { oauth: null, certificate: null }]) {
    const checked = check(form);
    assert.equal(checked.ok && checked.value.authentication, null);
  }
});

test("another server of the webhook asks for both secrets again", () => {
  const errors = findErrors(KEPT, { url: "https://thief.example.com/in" });
  assert.deepEqual(Object.keys(errors), ["authentication.oauth.clientSecret", "authentication.certificate.key"]);
  for (const message of Object.values(errors)) assert.match(message, /^must be entered again, because the Webhook URL/);
});

test("another server of the token URL asks for the client secret again", () => {
  for (const tokenUrl of [
    "https://thief.example.com/token",
    "https://login.example.com:8443/token",
    "http://login.example.com/token",
  ]) {
    const errors = findErrors({ oauth: { ...OAUTH, tokenUrl, clientSecret: null }, certificate: null });
    assert.deepEqual(Object.keys(errors), ["authentication.oauth.clientSecret"]);
    assert.match(Object.values(errors)[0] ?? "", /because the token URL leads to another server now/);
  }
});

test("there is nothing to keep where nothing was saved", () => {
  const errors = findErrors(KEPT, { saved: { ...SAVED, authentication: null } });
  assert.match(errors["authentication.oauth.clientSecret"] ?? "", /no saved value/);
  assert.match(errors["authentication.certificate.key"] ?? "", /no saved value/);
});

test("OAuth and a custom Authorization header exclude each other, in any writing", () => {
  for (const name of ["Authorization", "authorization"]) {
    const errors = findErrors({ oauth: OAUTH, certificate: null }, { headers: ["X-Team", name] });
    assert.deepEqual(Object.keys(errors), ["headers[1].name"]);
    assert.match(errors["headers[1].name"] ?? "", /remove this header, or switch OAuth off/);
  }
  assert.ok(check({ oauth: null, certificate: CERTIFICATE }, { headers: ["Authorization"] }).ok);
});

const MISTAKES: readonly (readonly [
  field: string,
  changes: Partial<NonNullable<AuthenticationForm["oauth"]>>,
  words: RegExp,
])[] = [
  [
    "tokenUrl",
    { tokenUrl: "" },
    /^The token URL is empty; write one such as https:\/\/login\.example\.com\/oauth\/token$/,
  ],
  ["tokenUrl", { tokenUrl: "login.example.com/token" }, /write https:\/\/login\.example\.com\/token/],
  ["tokenUrl", { tokenUrl: "https://id:secret@login.example.com/" }, /client id and secret have fields of their own/],
  ["clientId", { clientId: " " }, /^is empty/],
  ["clientId", { clientId: "bellwire\u2028" }, /^has a line break \(U\+2028\) after "bellwire"/],
  ["clientSecret", { clientSecret: "s3cret\u00a0" }, /^has a no-break space \(U\+00A0\) as character 7 of 7/],
  ["scope", { scope: "\ufeffhooks" }, /^has a byte order mark \(U\+FEFF\) at its start/],
  ["audience", { audience: "hooks\u2009" }, /^has a blank that is no ordinary space/],
  ["clientId", { clientId: "a\nb" }, /^has a line break \(U\+000A\) after "a"/],
  ["clientId", { clientId: "x".repeat(1_025) }, /has 1025 characters; at most 1024/],
  ["clientSecret", { clientSecret: "" }, /^is empty/],
  ["clientSecret", { clientSecret: "geheim: ü" }, /visible ASCII/],
  [
    "clientSecret",
    { clientSecret: "geh\u200beim" },
    /^has a zero-width space \(U\+200B\) as character 4 of 7; enter it/,
  ],
  ["clientSecret", { clientSecret: '"geheim"' }, /^has quotes around it; enter it without that$/],
  ["tokenUrl", { tokenUrl: "<https://login.example.com/token>" }, /^The token URL has text around the address; write/],
  ["scope", { scope: 'a"b' }, /may have no "/],
  ["audience", { audience: "a\u0000" }, /^has a control character \(U\+0000\) after "a"; write a$/],
];

describe("a person is told by the field", () => {
  for (const [field, changes, words] of MISTAKES) {
    test(`${field} of ${JSON.stringify(changes).slice(0, 60)}`, () => {
      const errors = findErrors({ oauth: { ...OAUTH, ...changes }, certificate: null });
      assert.deepEqual(Object.keys(errors), [`authentication.oauth.${field}`]);
      assert.match(errors[`authentication.oauth.${field}`] ?? "", words);
    });
  }

  test("a certificate for a webhook without TLS", () => {
    const errors = findErrors({ oauth: null, certificate: CERTIFICATE }, { url: "http://hook.example.com/in" });
    assert.match(errors["authentication.certificate.chain"] ?? "", /over https: only/);
  });

  test("several mistakes of all parts at once", () => {
    const form = { oauth: { ...OAUTH, clientId: "", scope: "\\" }, certificate: { chain: "x", key: "y" } };
    assert.deepEqual(Object.keys(findErrors(form, { url: "ftp://x" })), [
      "url",
      "authentication.oauth.clientId",
      "authentication.oauth.scope",
      "authentication.certificate.chain",
    ]);
  });
});

test("a certificate that has ended meanwhile does not hold up other changes, and cannot be saved anew", () => {
  const old = authority.issue("old", { untilMs: NOW - 1_000 });
  const saved = { ...SAVED, authentication: { oauth: null, certificate: { chain: old.certificate, key: old.key } } };
  const kept = { oauth: null, certificate: { chain: old.certificate, key: null } };
  assert.ok(check(kept, { saved }).ok);
  const errors = findErrors({ oauth: null, certificate: { chain: old.certificate, key: old.key } });
  assert.match(errors["authentication.certificate.chain"] ?? "", /^has expired/);
});

test("line ends of other systems make no other certificate", () => {
  const windows = { chain: client.certificate.replaceAll("\n", "\r\n"), key: client.key.replaceAll("\n", "\r\n") };
  const checked = check({ oauth: null, certificate: windows });
  assert.deepEqual(checked.ok && checked.value.authentication?.certificate, CERTIFICATE);
});

test("client secret and key are sealed for their destination and their place alone", () => {
  const sealer = createSealer(new Uint8Array(32).fill(7), systemRandom);
  const sealed = sealAuthentication("dst_1", BOTH, sealer);
  assert.doesNotMatch(JSON.stringify(sealed), /the-saved-secret|PRIVATE KEY/);
  assert.deepEqual(openAuthentication("dst_1", sealed, sealer), BOTH);
  assert.throws(() => openAuthentication("dst_2", sealed, sealer), /copied from another place/);
  const [secret, key] = [sealed?.oauth?.clientSecret ?? "", sealed?.certificate?.key ?? ""];
  const swapped = { oauth: { ...OAUTH, clientSecret: key }, certificate: { ...CERTIFICATE, key: secret } };
  assert.throws(() => openAuthentication("dst_1", swapped, sealer), /copied from another place/);
});
