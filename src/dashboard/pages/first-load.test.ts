/**
 * What the first list of the page that is built here takes on its way: files and bytes, as a browser asks for them and
 * the service sends them. `npm run bench -- slow-line` says how long that takes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestApp } from "../../../test/kit/world/app-under-test.ts";

/** The document with its start, frame, application and list; and then who is signed in, destinations, the list. */
const REQUESTS_MAX = 7;
/** A KB is 1,024 bytes. 115 before lists had boxes to choose by, and pages of their own for webhooks and people. */
const KB_MAX = 118;

const BROWSER = { accept: "text/html", "accept-encoding": "gzip, deflate, br" };

test("the first list takes few files and bytes, all of them named by the document", async () => {
  await using service = await createTestApp();
  const load = async (url: string) => await service.app.server.inject({ method: "GET", url, headers: BROWSER });
  const page = await load("/deliveries");
  const html = await service.app.server.inject({ method: "GET", url: "/deliveries" });
  const named = [...html.body.matchAll(/(?:src|<link [^>]*href)="\.\/([^"]+)"/g)].map(([, path]) => `/${path}`);
  const files = named.filter((path) => !path.endsWith("icon.svg"));
  const answers = [page, ...(await Promise.all(files.map(load)))];
  assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
  assert.ok(answers.length <= REQUESTS_MAX, `${answers.length} files: ${files.join(" ")}`);
  const kb = answers.reduce((sum, { rawPayload }) => sum + rawPayload.length, 0) / 1_024;
  assert.ok(kb <= KB_MAX, `${kb.toFixed(1)} KB of ${KB_MAX}: ${files.join(" ")}`);
});

test("the scripts that the document names import no others", async () => {
  await using service = await createTestApp();
  const load = async (url: string) => (await service.app.server.inject({ method: "GET", url })).body;
  const html = await load("/deliveries");
  const scripts = [...html.matchAll(/"\.\/(assets\/[^"]+\.js)"/g)].map(([, path]) => `/${path}`);
  const imports = /(?:^|[;}\s])(?:import|from)\s*"\.\/([^"]+\.js)"/g;
  for (const script of scripts) {
    for (const [, name] of (await load(script)).matchAll(imports)) {
      assert.ok(scripts.includes(`/assets/${name}`), `${script} imports ${name}, which is asked for after it has come`);
    }
  }
});
