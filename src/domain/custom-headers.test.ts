import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCustomHeaders } from "./custom-headers.ts";
import type { CustomHeader } from "./destination.ts";

const SIGNATURE = "x-service-signature";
const row = (name: string, value = "v"): CustomHeader => ({ name, value, secret: false });
const findErrors = (headers: CustomHeader[]) => {
  const checked = checkCustomHeaders(headers, SIGNATURE);
  return checked.ok ? [] : checked.error;
};

test("ordinary names and values pass", () => {
  const headers = [row("Authorization", "Bearer abc"), row("X-Team", ""), row("x-tag", "caffè\tlatte")];
  assert.deepEqual(findErrors(headers), []);
});

const RESERVED: readonly [reason: RegExp, names: readonly string[]][] = [
  [
    /set by the service itself/,
    ["Host", "Content-Type", "content-length", "User-Agent", "Webhook-Id", "webhook-signature", "X-Service-Signature"],
  ],
  [/set by the service itself/, ["Bellwire-Test", "bellwire-anything", "bellwire_test"]],
  [
    /belongs to the connection/,
    ["connection", "Keep-Alive", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Expect", "Date", "Sec-Fetch-Site"],
  ],
  [/belongs to the connection/, ["accept-encoding", "HTTP2-Settings", "Early-Data"]],
  [/browser's session/, ["Cookie", "Set-Cookie", "cookie2"]],
  [
    /another address or method/,
    ["X-Original-URL", "X-Rewrite-URL", "x-original-host", "X-HTTP-Method-Override", "x-method-override", "x-host"],
  ],
  [/another address or method/, ["x-http-method", "x-middleware-subrequest", "x-accel-mapping", "x-sendfile-type"]],
  [
    /what proxies tell servers about the caller/,
    [
      "Forwarded",
      "X-Forwarded",
      "X-Forwarded-For",
      "X-Real-IP",
      "Via",
      "Proxy",
      "Proxy-Authorization",
      "Forwarded-For",
    ],
  ],
  [
    /what proxies tell servers about the caller/,
    ["True-Client-IP", "CF-Connecting-IP", "Fastly-Client-IP", "X-Client-IP", "X-Cluster-Client-IP", "X-Amzn-Trace-Id"],
  ],
  [
    /who has signed in/,
    ["Remote-User", "X-Auth-Request-Email", "x-ms-client-principal-id", "X-SSL-Client-Verify", "Client-Cert"],
  ],
];
for (const [reason, names] of RESERVED) {
  for (const name of names) {
    test(`${name} cannot be a custom header, and the refusal says why`, () => {
      const [error] = findErrors([row("ok"), row(name)]);
      assert.equal(error?.path, "headers[1].name");
      assert.ok(error.message.startsWith(`"${name}" `));
      assert.match(error.message, reason);
    });
  }
}

const TWINS = ["x_forwarded_for", "X-Forwarded_For", "webhook_id", "x_service_signature", "Content_Length"];
for (const name of [...TWINS, "x.forwarded.for", "cf_connecting_ip", "x!original!url"]) {
  test(`${name} is refused as the name that CGI reads in it`, () => {
    const hyphened = name.replaceAll(/[^a-z0-9]/gi, "-");
    const [own, twin] = [name, hyphened].map((each) => findErrors([row(each)])[0]?.message.replace(/^"[^"]*"/, ""));
    assert.ok(own !== undefined);
    assert.equal(own, twin);
  });
}

const NEEDED = [
  "Authorization",
  "X-Api-Key",
  "CF-Access-Client-Id",
  "CF-Access-Client-Secret",
  "X-Vercel-Protection-Bypass",
  "X-Amz-Security-Token",
  "X-Functions-Key",
  "X-Goog-Channel-Token",
  "X-Request-Id",
  "X-Tenant",
  "Accept",
  "Origin",
  "traceparent",
];
for (const name of NEEDED) {
  test(`${name} can be a custom header`, () => assert.deepEqual(findErrors([row(name)]), []));
}

test("two names that CGI reads as one are refused together", () => {
  assert.deepEqual(findErrors([row("X-Team"), row("x_team"), row("x.team")]), [
    {
      path: "headers[1].name",
      message: '"x_team" is one name with "X-Team" in row 1 for many servers; each can be sent once',
    },
    {
      path: "headers[2].name",
      message: '"x.team" is one name with "X-Team" in row 1 for many servers; each can be sent once',
    },
  ]);
});

const BAD_ROWS: [string, CustomHeader, string, RegExp][] = [
  ["an empty name", row(""), "headers[0].name", /is empty/],
  ["a name in backticks", row("`X-Team`"), "headers[0].name", /^has quotes around it; write X-Team$/],
  ["a name with a space", row("X Team"), "headers[0].name", /no spaces/],
  ["a name with a colon", row("X-Team:"), "headers[0].name", /no colon/],
  [
    "a name with a line break",
    row("X\r\nEvil"),
    "headers[0].name",
    /^has a line break \(U\+000D\) after "X"; write XEvil$/,
  ],
  ["a name of 129 characters", row("x".repeat(129)), "headers[0].name", /longer than 128/],
  ["a name with a dash of Word's", row("X–Team"), "headers[0].name", /"–" \(U\+2013\) after "X".*; write X-Team$/],
  ["a value with CR LF", row("x", "a\r\nEvil: 1"), "headers[0].value", /has a line break \(U\+000D\) after "a"/],
  ["a value with NUL", row("x", "a\0"), "headers[0].value", /control character \(U\+0000\) after "a"; write a$/],
  ["a value with a no-break space", row("x", "Bearer\u00a0a"), "headers[0].value", /\(U\+00A0\).*; write Bearer a$/],
  ["a value with a soft hyphen", row("x", "a\u00adb"), "headers[0].value", /soft hyphen \(U\+00AD\).*; write ab$/],
  ["a value with its name before it", row("x-a", "X-A: b"), "headers[0].value", /its own name, x-a; write b$/],
  ["a value with its scheme twice", row("a", "Bearer Bearer b"), "headers[0].value", /"Bearer" twice; write Bearer b$/],
  ["a value outside Latin-1", row("x", "l’été"), "headers[0].value", /Latin-1.*character 2 of 5 is none \(U\+2019\)/],
  ["a value of 4097 characters", row("x", "v".repeat(4_097)), "headers[0].value", /longer than 4096/],
];
for (const [what, header, path, message] of BAD_ROWS) {
  test(`${what} is refused in its row`, () => {
    const [error] = findErrors([header]);
    assert.equal(error?.path, path);
    assert.match(error?.message ?? "", message);
  });
}

test("the same name twice is refused, whatever its case", () => {
  assert.deepEqual(findErrors([row("X-Team"), row("x-team")]), [
    { path: "headers[1].name", message: '"x-team" is already in row 1; each name can be sent once' },
  ]);
});

test("20 rows pass and 21 do not", () => {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => row(`x-${index}`));
  assert.deepEqual(findErrors(rows(20)), []);
  assert.match(findErrors(rows(21))[0]?.message ?? "", /21 rows; at most 20/);
});

test("16 KiB in all pass and one byte more does not", () => {
  const full = Array.from({ length: 4 }, (_, index) => row(`x-${index}`, "v".repeat(4_093)));
  assert.deepEqual(findErrors(full), []);
  assert.match(findErrors([...full, row("y", "")])[0]?.message ?? "", /16385 bytes/);
});

test("a saved row passes with what was taken when it was saved", () => {
  const saved = row("x", "Bearer\u00a0a");
  assert.equal(checkCustomHeaders([saved], SIGNATURE, [saved]).ok, true);
  assert.equal(checkCustomHeaders([{ ...saved, value: "Bearer\u00a0b" }], SIGNATURE, [saved]).ok, false);
});

test("the refusal of a secret value shows no part of it", () => {
  const [error] = findErrors([{ name: "x", value: "geheim\u200bnis", secret: true }]);
  assert.equal(error?.message, "has a zero-width space (U+200B) as character 7 of 10; enter it without that");
});
