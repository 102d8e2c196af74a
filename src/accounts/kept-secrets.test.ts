import assert from "node:assert/strict";
import { test } from "node:test";
import type { DestinationView } from "./account-view.ts";
import { checkDestinationForm } from "./destination-draft.ts";
import type { HeaderForm } from "../domain/webhook-form.ts";
import { makeDestinationView, makeWebhookForm } from "../../test/kit/make.ts";

const SAVED: DestinationView = makeDestinationView({
  id: "dst_1",
  url: "https://hook.example.com/in",
  headers: [
    { name: "Authorization", value: "Bearer c4nary", secret: true },
    { name: "X-Team", value: "revops", secret: false },
  ],
  state: "on",
  setUpAtMs: 0,
});

const KEPT: HeaderForm = { name: "Authorization", value: null, secret: true };

const fill = (url: string, headers: readonly HeaderForm[], saved: DestinationView | null = SAVED) =>
  checkDestinationForm(makeWebhookForm({ url, headers }), { saved, signatureHeader: "x-service-signature", nowMs: 0 });

const SAME_ORIGIN = [
  "https://hook.example.com/in",
  "https://hook.example.com/elsewhere?x=1",
  "https://HOOK.example.com:443/in",
  "  https://hook.example.com/in ",
];
for (const url of SAME_ORIGIN) {
  test(`a secret value is kept for ${JSON.stringify(url)}`, () => {
    const filled = fill(url, [KEPT, { name: "X-Team", value: "sales", secret: false }]);
    assert.deepEqual(filled.ok && filled.value.headers.map(({ value }) => value), ["Bearer c4nary", "sales"]);
  });
}

const OTHER_ORIGIN = [
  "http://hook.example.com/in",
  "https://hook.example.com:8443/in",
  "https://hook.example.com.evil.example/in",
  "https://evil.example/https://hook.example.com/in",
];

const NOT_READ = ["https://hook.example.com@evil.example/in", "not a URL", ""];
for (const url of OTHER_ORIGIN) {
  test(`a secret value is asked for again for ${JSON.stringify(url)}`, () => {
    const filled = fill(url, [{ name: "X-Team", value: "a", secret: false }, KEPT]);
    assert.ok(!filled.ok);
    assert.deepEqual(
      filled.error.errors?.map(({ path }) => path),
      ["headers[1].value"],
    );
    assert.doesNotMatch(JSON.stringify(filled), /c4nary/);
  });
}

for (const url of NOT_READ) {
  test(`a secret value goes nowhere with ${JSON.stringify(url)}, and the URL alone is what is wrong`, () => {
    const filled = fill(url, [{ name: "X-Team", value: "a", secret: false }, KEPT]);
    assert.ok(!filled.ok);
    assert.deepEqual(
      filled.error.errors?.map(({ path }) => path),
      ["url"],
    );
    assert.doesNotMatch(JSON.stringify(filled), /c4nary/);
  });
}

test("a secret value that is entered again goes anywhere", () => {
  const filled = fill("https://evil.example/", [{ ...KEPT, value: "Bearer new" }]);
  assert.deepEqual(filled.ok && filled.value.headers[0]?.value, "Bearer new");
});

test("names are compared without regard to case, and only secrets are kept", () => {
  assert.ok(fill(SAVED.url, [{ ...KEPT, name: "AUTHORIZATION" }]).ok);
  const renamed = fill(SAVED.url, [{ ...KEPT, name: "X-Renamed" }]);
  assert.match(
    renamed.ok ? "" : (renamed.error.errors?.[0]?.message ?? ""),
    /no saved value under the name "X-Renamed"/,
  );
  const plain = fill(SAVED.url, [{ name: "X-Team", value: null, secret: false }]);
  assert.match(plain.ok ? "" : (plain.error.errors?.[0]?.message ?? ""), /no saved value/);
});

test("a secret cannot be made visible by taking the tick away", () => {
  const shown = fill(SAVED.url, [{ ...KEPT, secret: false }]);
  assert.match(shown.ok ? "" : (shown.error.errors?.[0]?.message ?? ""), /cannot be shown; enter it again/);
});

test("there is nothing to keep on a form that was never saved", () => {
  assert.ok(!fill(SAVED.url, [KEPT], null).ok);
});

const SPACES = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((c) => c.trim() === "");

test("only spaces and tabs around a value are left away: other white space is refused, not sent without", () => {
  assert.equal(SPACES.length, 25, "what trim() removes");
  for (const space of SPACES) {
    for (const value of [`sales${space}`, `${space}sales`, `sales ${space} `]) {
      const filled = fill(SAVED.url, [{ name: "X-Team", value, secret: false }]);
      const sent = filled.ok ? filled.value.headers[0]?.value : filled.error.errors?.[0]?.path;
      assert.equal(sent, " \t".includes(space) ? "sales" : "headers[0].value", JSON.stringify(value));
    }
  }
});
