import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";

const SCRIPT = `console.log("${"long enough to be worth compressing ".repeat(100)}");`;
const INDEX = '<!doctype html><html><head><base href="/" /><title>Bellwire</title></head><body>page</body></html>';

const folder = mkdtempSync(join(tmpdir(), "bellwire-web-"));
after(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "assets"));
mkdirSync(join(folder, ".vite"));
writeFileSync(join(folder, "index.html"), INDEX);
writeFileSync(join(folder, "theme.js"), "// theme");
writeFileSync(join(folder, "assets", "index-DWdDE8Uk.js"), SCRIPT);
writeFileSync(join(folder, "assets", "noise-abc.png"), randomBytes(4_096));
writeFileSync(join(folder, ".vite", "manifest.json"), "{}");
writeFileSync(join(folder, ".built-from"), "hash");

/** Not what anybody would make of it: so it is seen who made it. */
const BY_BUILD = Buffer.from("compressed by the build");
writeFileSync(join(folder, "assets", "main-abc.js"), SCRIPT);
writeFileSync(join(folder, "assets", "main-abc.js.br"), BY_BUILD);

/** As the build leaves it: with a frame, and an account of scripts. */
const build = join(folder, "build");
const FRAME =
  '<a href="./">Bellwire</a><nav><li><a href="./">Overview</a></li><li><a href="deliveries">Deliveries</a></li></nav>';
mkdirSync(join(build, ".vite"), { recursive: true });
writeFileSync(
  join(build, "index.html"),
  `<html lang="en"><head><base href="/" /><script src="./assets/main-1.js"></script></head>
  <body><div id="still"><div>${FRAME}</div></div>
  <link rel="stylesheet" href="./assets/main.css"><div id="root"></div></body></html>`,
);
writeFileSync(
  join(build, ".vite", "scripts.json"),
  JSON.stringify({ overview: ["assets/main-1.js"], deliveries: ["assets/list-1.js", "assets/main-1.js"] }),
);

const PAGES = [
  "/",
  "/destinations",
  "/sign-in/sometoken",
  "/audience/sessions",
  "/audience/sessions/5b0f6c1e-4d0a-4c53-9a41-2f4f0a7f6d11",
  "/assistants",
  "/assistants/website/integrations",
  "/deliveries",
  "/deliveries/dlv_1",
  "/replays/rpl_1",
  "/incidents",
  "/events",
  "/events/demo_viewed",
  "/refused-records",
  "/settings/alerts",
  "/settings/alerts/new",
  "/settings/webhooks",
  "/settings/webhooks/new",
  "/settings/verification",
  "/settings/activity",
  "/settings/account",
];

const openApp = (env: Readonly<Record<string, string>> = {}, webFolder = folder) => createTestApp(env, { webFolder });

/** As a browser asks. */
async function visit(
  url: string,
  { env = {}, headers = {}, webFolder = folder }: { env?: object; headers?: object; webFolder?: string } = {},
) {
  await using service = await openApp({ ...env }, webFolder);
  const answer = await service.app.server.inject({ method: "GET", url, headers: { accept: "text/html", ...headers } });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body, bytes: answer.rawPayload };
}

for (const url of PAGES) {
  test(`${url} is the page, also for somebody who is not signed in`, async () => {
    const { status, headers, body } = await visit(url);
    assert.equal(status, 200);
    assert.equal(body, INDEX);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    assert.equal(headers["cache-control"], "no-cache");
  });
}

test("opening a sign-in link does not use it up: the page is served without a look at the token", async () => {
  const { headers } = await visit("/sign-in/sometoken");
  assert.equal(headers["set-cookie"], undefined);
});

test("the playground's page is there only where it is switched on", async () => {
  assert.equal((await visit("/playground")).status, 404);
  assert.equal((await visit("/playground", { env: { BELLWIRE_PLAYGROUND: "1" } })).status, 200);
});

describe("headers", () => {
  for (const url of ["/", "/assets/index-DWdDE8Uk.js", "/nothing/here", "/dashboard/session"]) {
    test(`${url} may load from here only, is not sniffed, framed, or told about`, async () => {
      const { headers } = await visit(url);
      const policy = String(headers["content-security-policy"]);
      for (const part of [
        "default-src 'self'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'self'",
        "form-action 'self'",
      ]) {
        assert.ok(policy.split("; ").includes(part), `${part} in ${policy}`);
      }
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.equal(headers["referrer-policy"], "no-referrer");
      assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    });
  }
});

test("those whom the operator lists may frame the page, and only its policy says so", async () => {
  const env = {
    BELLWIRE_EMBED_ORIGINS: "https://app.example.com,https://b.example",
    BELLWIRE_PUBLIC_URL: "https://hooks.example.com",
  };
  const { headers } = await visit("/settings/alerts", { env });
  const policy = String(headers["content-security-policy"]).split("; ");
  assert.ok(policy.includes("frame-ancestors https://app.example.com https://b.example"), policy.join("; "));
  assert.equal(headers["x-frame-options"], undefined, "browsers that heed it would frame nothing");
  const answer = await visit("/dashboard/session", { env });
  assert.match(String(answer.headers["content-security-policy"]), /frame-ancestors 'none'/);
});

test("a document says who may frame it, and to nobody else does its page speak", async () => {
  const env = {
    BELLWIRE_EMBED_ORIGINS: "https://app.example.com,https://b.example",
    BELLWIRE_PUBLIC_URL: "https://hooks.example.com",
  };
  const { body } = await visit("/deliveries", { env, webFolder: build });
  assert.match(body, /<html [^>]*data-parents="https:\/\/app\.example\.com https:\/\/b\.example"/);
  assert.doesNotMatch((await visit("/deliveries", { webFolder: build })).body, /data-parents/);
});

describe("the sheet of a look", () => {
  test("has the colours that are made of the tokens, and what goes with them", async () => {
    const query = "theme=dark&background=%2314110f&radius=9&font=serif&dense=true&transparent=true";
    const { status, headers, body } = await visit(`/look.css?${query}`);
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/css; charset=utf-8");
    assert.equal(headers["cache-control"], "public, max-age=600");
    assert.match(body, /^:root\[data-embed\] \{--color-canvas: light-dark\(#14110f, #14110f\);/);
    assert.match(body, /--radius-xl: 9px;--radius-lg: 6px;--radius-md: 4\.5px;--radius-sm: 3px;/);
    assert.match(body, /--font-sans: ui-serif, .* serif;/);
    assert.match(body, /@media \(pointer: fine\) \{:root\[data-embed\] \{--spacing: 0\.22rem;/);
    assert.match(body, /:root\[data-embed\] body \{background: transparent;\}/);
  });

  test("leaves alone what is not said, and has the operator's accent where a look has none", async () => {
    assert.equal((await visit("/look.css?font=rounded")).body.match(/--/g)?.length, 1);
    const env = { BELLWIRE_BRAND_COLOR: "#0a7d4f" };
    assert.match(
      (await visit("/look.css?surface=%23ffffff", { env })).body,
      /--color-accent-solid: light-dark\(#0a7d4f,/,
    );
    assert.match(
      (await visit("/look.css?accent=%230a7d4f")).body,
      /^:root\[data-embed\] \{--color-accent: light-dark\(/,
    );
  });

  for (const query of [
    "text=red",
    "text=%23888888&background=%23ffffff",
    "background=%23fff;}body{display:none}",
    "font=url(https://evil.example)",
    "radius=4px",
    "radius=4&radius=5",
    "width=3",
    "__proto__=1",
    "accent=%23ffcc00",
    `${"x".repeat(14_000)}=1`,
    Array.from({ length: 3_000 }, (_, number) => `a${number}=1`).join("&"),
  ]) {
    test(`${query.slice(0, 60)} makes none`, async () => {
      const { status, headers, body } = await visit(`/look.css?${query}`);
      assert.equal(status, 400);
      assert.equal(headers["cache-control"], "no-store");
      assert.ok(body.length < 1_000, "what is in the address is not sent back at its length");
      assert.equal(JSON.parse(body).code, "invalid_parameter");
    });
  }
});

describe("a brand", () => {
  const logo = join(folder, "mark.svg");
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const env = {
    BELLWIRE_BRAND_NAME: "Acme & Sons",
    BELLWIRE_BRAND_LOGO: logo,
    BELLWIRE_BRAND_COLOR: "#0a7d4f",
  };
  const BUILT = join(import.meta.dirname, "..", "..", "..", "web", "dist");

  test("stands in the document before any script runs, and nothing of ours does", async () => {
    const { body } = await visit("/deliveries", { env, webFolder: BUILT });
    assert.match(body, /<title>Acme &amp; Sons<\/title>/);
    assert.equal(body.match(/>Acme &amp; Sons<\/span>/g)?.length, 2);
    assert.equal(body.match(/<img src="\.\/brand-logo" alt="" class="size-7">/g)?.length, 2);
    assert.match(body, /<link rel="stylesheet" href="\.\/brand\.css">/);
    assert.doesNotMatch(body, /Bellwire|icon\.svg|0 0 32 32/);
  });

  test("has its mark as a picture that runs nothing, and its colours for both schemes", async () => {
    const mark = await visit("/brand-logo", { env });
    assert.equal(mark.headers["content-type"], "image/svg+xml");
    assert.equal(mark.headers["x-content-type-options"], "nosniff");
    assert.match(String(mark.headers["content-security-policy"]), /^default-src 'none'; .*sandbox/);
    const { body, headers } = await visit("/brand.css", { env });
    assert.equal(headers["content-type"], "text/css; charset=utf-8");
    assert.match(body, /^:root \{--color-accent: light-dark\(#[\da-f]{6}, #[\da-f]{6}\);.*\}\n$/);
    assert.equal((await visit("/brand.css")).status, 404);
  });
});

test("the opener policy goes only where browsers heed it: elsewhere they write an error about it", async () => {
  for (const [headers, policy] of [
    [{ host: "127.0.0.1:7070" }, "same-origin"],
    [{ host: "example.com", "x-forwarded-proto": "https" }, "same-origin"],
    [{ host: "example.com", "x-forwarded-proto": "HTTPS, http" }, "same-origin"],
    [{ host: "bellwire.lan:7070" }, undefined],
  ] as const) {
    for (const url of ["/", "/nothing/here"]) {
      const answer = await visit(url, { headers });
      assert.equal(answer.headers["cross-origin-opener-policy"], policy, `${url} at ${headers.host}`);
    }
  }
});

describe("assets", () => {
  const ASSET = "/assets/index-DWdDE8Uk.js";

  test("never change, and say so", async () => {
    const { headers, body } = await visit(ASSET);
    assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(headers["content-type"], "text/javascript; charset=utf-8");
    assert.equal(body, SCRIPT);
  });

  test("a file whose name has no hash is asked for again, and answered with 304 while it is the same", async () => {
    const { headers } = await visit("/theme.js");
    assert.equal(headers["cache-control"], "no-cache");
    const { etag = "" } = headers;
    for (const known of [etag, `W/${etag}`, `"other" , ${etag}`, "*"]) {
      const again = await visit("/theme.js", { headers: { "if-none-match": known } });
      assert.deepEqual([again.status, again.body], [304, ""], known);
    }
    assert.equal((await visit("/theme.js", { headers: { "if-none-match": `${etag}x` } })).status, 200);
  });

  for (const [accepted, encoding, decode] of [
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip;q=1.0, br;q=0", "gzip", gunzipSync],
    ["gzip", "gzip", gunzipSync],
  ] as const) {
    test(`Accept-Encoding: ${accepted} gets ${encoding}`, async () => {
      const { headers, bytes } = await visit(ASSET, { headers: { "accept-encoding": accepted } });
      assert.equal(headers["content-encoding"], encoding);
      assert.equal(decode(bytes).toString(), SCRIPT);
      assert.ok(bytes.length < SCRIPT.length / 4);
    });
  }

  test("what is compressed already, or small, is sent as it is", async () => {
    for (const url of ["/assets/noise-abc.png", "/theme.js"]) {
      const { headers } = await visit(url, { headers: { "accept-encoding": "br" } });
      assert.equal(headers["content-encoding"], undefined, url);
    }
  });
});

test("what the build has compressed is sent as it is, and is no file of its own", async () => {
  const asset = "/assets/main-abc.js";
  const { headers, bytes } = await visit(asset, { headers: { "accept-encoding": "br" } });
  assert.deepEqual([headers["content-encoding"], bytes], ["br", BY_BUILD]);
  assert.equal((await visit(asset)).body, SCRIPT);
  assert.equal((await visit(`${asset}.br`, { headers: { accept: "*/*" } })).status, 404);
});

describe("the document of an address", () => {
  const visitBuild = (url: string) => visit(url, { webFolder: build });

  test("names the scripts of its page, besides those that every page has", async () => {
    const { body } = await visitBuild("/deliveries");
    assert.match(body, /<link rel="modulepreload" crossorigin href="\.\/assets\/list-1\.js"><\/head>/);
    assert.equal(body.match(/main-1\.js/g)?.length, 1);
    assert.doesNotMatch((await visitBuild("/")).body, /modulepreload/);
  });

  test("names its first questions, and only those that need no parameters", async () => {
    for (const [url, asks] of [
      ["/deliveries", "session destinations deliveries"],
      ["/deliveries/dlv_1", "session destinations"],
      ["/nothing/here", "session destinations"],
    ] as const) {
      assert.ok((await visitBuild(url)).body.includes(`<html data-asks="${asks}" lang="en">`), url);
    }
  });

  test("marks the link that is open", async () => {
    for (const [url, place] of [
      ["/", "./"],
      ["/deliveries/dlv_1", "deliveries"],
      ["/replays/rpl_1", "deliveries"],
    ] as const) {
      const marked = (await visitBuild(url)).body.match(/<a [^>]*aria-current="page"/g);
      assert.deepEqual(marked, [`<a href="${place}" aria-current="page"`], url);
    }
    assert.doesNotMatch((await visitBuild("/nothing/here")).body, /aria-current/);
  });

  test("draws no frame and asks nothing where nobody is signed in yet", async () => {
    for (const url of ["/sign-in/sometoken", "/mail/sometoken"]) {
      const { body } = await visitBuild(url);
      assert.doesNotMatch(body, /still"|data-asks|<nav/, url);
      assert.match(body, /<div id="root">/, url);
    }
  });
});

describe("addresses where nothing is", () => {
  for (const url of [
    "/nothing/here",
    "/assets/old-name.js",
    "/.built-from",
    "/.vite/manifest.json",
    "/..%2f..%2fpackage.json",
  ]) {
    test(`${url} is a 404: the page for browsers, a problem for programs`, async () => {
      const page = await visit(url);
      assert.deepEqual([page.status, page.body], [404, INDEX]);
      assert.equal(page.headers["cache-control"], "no-store");
      const program = await visit(url, { headers: { accept: "application/json" } });
      assert.equal(program.status, 404);
      assert.equal(JSON.parse(program.body).code, "not_found");
    });
  }
});

describe("below a path", () => {
  const env = { BELLWIRE_PUBLIC_URL: "https://example.com/bellwire" };

  for (const url of ["/bellwire/deliveries", "/deliveries", "/bellwire", "/bellwire/"]) {
    test(`${url} is the page, whose addresses start with the path`, async () => {
      const { status, body } = await visit(url, { env });
      assert.equal(status, 200);
      assert.match(body, /<base href="\/bellwire\/"/);
    });
  }

  for (const url of [
    "/bellwire/assets/index-DWdDE8Uk.js",
    "/assets/index-DWdDE8Uk.js",
    "/bellwire/healthz",
    "/healthz",
  ]) {
    test(`${url} is served`, async () => assert.equal((await visit(url, { env })).status, 200));
  }

  test("a path that only begins alike is somewhere else", async () => {
    assert.equal((await visit("/bellwires/deliveries", { env })).status, 404);
  });

  test("intake works with and without it", async () => {
    await using intake = await openApp(env);
    const account = { name: "Acme", plan: "starter", app_url: "https://app.example.com" };
    for (const url of ["/bellwire/v1/accounts/a", "/v1/accounts/b"]) {
      assert.equal((await intake.put(url, account)).statusCode, 201, url);
    }
    const link = (await intake.post("/bellwire/v1/accounts/a/dashboard-links")).json();
    assert.match(link.url, /^https:\/\/example\.com\/bellwire\/sign-in\/[\w-]{43}$/);
  });
});

test("without a build the page says what to do, and the service runs", async () => {
  await using app = await openApp({}, join(folder, "missing"));
  const { statusCode, body } = await app.app.server.inject({ method: "GET", url: "/" });
  assert.equal(statusCode, 200);
  assert.match(body, /The dashboard is not built.*npm run prepare/s);
});
