/** `bellwire listen` with real requests: what it prints, what it keeps, and when it refuses to start. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { request } from "undici";
import { makeTarget } from "../../test/kit/make.ts";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { buildRequest } from "../delivery/send/request.ts";
import { listen } from "./listen.ts";

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const OTHER_SECRET = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";
const BODY = '{"event":"demo_viewed","name":"Product tour","lead":{"email":"ada@example.com"}}';

const FOLDER = mkdtempSync(join(tmpdir(), "bellwire-listen-"));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

async function post(url: string, secret = SECRET, signatureHeader = "x-service-signature"): Promise<number> {
  const target = makeTarget({ url: new URL(url), secrets: [secret] });
  const names = { signatureHeader, userAgent: "Bellwire/0" };
  const { headers } = buildRequest({
    webhookId: "dlv_1",
    body: BODY,
    target,
    nowMs: Date.now(),
    names,
    owner: "acct-1",
  });
  const answer = await request(url, { method: "POST", headers, body: BODY });
  await answer.body.dump();
  return answer.statusCode;
}

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = createFakeIo(["--port", "0", ...args], env);
  const ended = listen(command.io);
  const line = await command.printed(/^Listening at/);
  const url = /http:\S+(?=;)/.exec(line)?.[0] ?? "";
  const stop = async (): Promise<number> => {
    command.stop();
    return await ended;
  };
  return { ...command, url, stop };
}

describe("bellwire listen", () => {
  test("prints each webhook and whether it verifies", async () => {
    const { url, out, stop } = await start(["--secret", SECRET]);
    assert.equal(await post(url), 200);
    assert.equal(await post(url, OTHER_SECRET), 401);
    assert.equal(await stop(), 0);
    assert.equal(out.length, 2);
    assert.match(out[0] ?? "", /^✓ \d\d:\d\d:\d\dZ  demo_viewed +Product tour · ada@example\.com$/);
    assert.match(out[1] ?? "", /^✗ .* · NOT VERIFIED: the signature does not match/);
  });

  test("says how a Bellwire on this machine is allowed to call it", async () => {
    const { url, err, stop } = await start(["--secret", SECRET]);
    await stop();
    assert.match(err.join("\n"), new RegExp(`BELLWIRE_EGRESS_ALLOW=127\\.0\\.0\\.1/32:${new URL(url).port}$`, "m"));
  });

  test("takes the secrets of a file, both of them while one is rotated", async () => {
    const file = join(FOLDER, "secrets");
    writeFileSync(file, `${SECRET}\n${OTHER_SECRET}\n`);
    const { url, stop } = await start(["--secret-file", file]);
    assert.deepEqual([await post(url), await post(url, OTHER_SECRET)], [200, 200]);
    await stop();
  });

  test("looks for the signature where the service's settings put it", async () => {
    const { url, stop } = await start(["--secret", SECRET], { BELLWIRE_SIGNATURE_HEADER: "x-acme" });
    assert.deepEqual([await post(url, SECRET, "x-acme"), await post(url)], [200, 401]);
    await stop();
  });

  test("keeps exact bytes and headers with --save, and prints everything with --expand", async () => {
    const folder = join(FOLDER, "new", "kept");
    const { url, out, stop } = await start(["--secret", SECRET, "--save", folder, "--expand"]);
    await post(url);
    await stop();
    assert.equal(readFileSync(join(folder, "dlv_1.json"), "utf8"), BODY);
    assert.match(readFileSync(join(folder, "dlv_1.headers"), "utf8"), /^x-service-signature: \S+$/m);
    assert.ok(out.includes("    webhook-id: dlv_1"));
    assert.ok(out.includes('      "event": "demo_viewed",'));
  });

  test("says when its port is taken", async () => {
    const { url, stop } = await start(["--secret", SECRET]);
    const { port } = new URL(url);
    const second = createFakeIo(["--secret", SECRET, "--port", port]);
    assert.equal(await listen(second.io), 1);
    assert.match(second.err.join("\n"), new RegExp(`127\\.0\\.0\\.1:${port} \\(EADDRINUSE\\).*--port`));
    await stop();
  });
});

const WRONG: readonly (readonly [what: string, args: readonly string[], code: number, message: RegExp])[] = [
  ["no secret", [], 2, /needs the account's Webhook Verification Secret/],
  ["a text that is no secret", ["--secret", "hunter2"], 2, /is whsec_ and base64/],
  ["a secret without its prefix", ["--secret", SECRET.slice(6)], 2, /is whsec_ and base64/],
  ["a secret in quotes", ["--secret", `"${SECRET}"`], 2, /Secret has quotes around it; enter it without/],
  ["a secret with a zero-width space", ["--secret", `${SECRET}\u200b`], 2, /zero-width space \(U\+200B\) as character/],
  ["a secret file that is not there", ["--secret-file", "no/such"], 2, /no\/such cannot be read \(ENOENT\)/],
  [
    "a secret file that is empty",
    ["--secret-file", "/dev/null"],
    2,
    /^--secret-file: there is no secret in \/dev\/null/,
  ],
  ["a port that is none", ["--secret", SECRET, "--port", "70000"], 2, /--port "70000" must be .* 65535/],
  ["a folder that is a file", ["--secret", SECRET, "--save", import.meta.filename], 1, /--save: .*\(EEXIST\)/],
];

describe("bellwire listen refuses", () => {
  for (const [what, args, code, message] of WRONG) {
    test(what, async () => {
      const { io, err } = createFakeIo(args);
      assert.equal(await listen(io), code);
      assert.match(err.join("\n"), message);
      assert.doesNotMatch(err.join("\n"), /hunter2|MDEyMzQ1/, "a secret is never repeated");
    });
  }

  test("an address that this machine does not have", async () => {
    const { io, err } = createFakeIo(["--secret", SECRET, "--host", "192.0.2.1"]);
    assert.equal(await listen(io), 1);
    assert.match(err.join("\n"), /EADDRNOTAVAIL.*--host/);
  });
});
