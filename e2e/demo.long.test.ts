/**
 * The first thing that anybody runs, as a real process: it ends by itself with everything accounted for, what it
 * received verifies with openssl, Ctrl-C ends it at once, and nothing of it stays.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { makeWebhookForm } from "../test/kit/make.ts";
import { EVENTS_FOLDER } from "../test/kit/declared-types.ts";
import { eventually } from "../test/kit/wait.ts";
import { Webhook } from "standardwebhooks";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const FOLDER = mkdtempSync(join(tmpdir(), "bellwire-e2e-demo-"));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

interface Running {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  readonly text: () => string;
  /** Resolves when what was printed matches. */
  readonly printed: (pattern: RegExp) => Promise<void>;
  readonly ended: Promise<number | null>;
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  // A folder of its own for temporary files, so that a test sees what stays behind.
  const child = spawn(process.execPath, [MAIN, "demo", ...args], {
    env: { ...process.env, TMPDIR: FOLDER, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const { stdout, stderr } = child;
  for (const stream of [stdout, stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const printed = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (pattern.test(text)) resolve();
      };
      stdout.on("data", look);
      look();
    });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, text: () => text, printed, ended };
}

const temporaryFolders = (): string[] => readdirSync(FOLDER).filter((name) => name.startsWith("bellwire-demo-"));

describe("bellwire demo", { timeout: 180_000 }, () => {
  test("ends by itself with accepted = delivered = verified, of both families", async () => {
    const { text, ended } = start(["--for", "3"]);
    assert.equal(await ended, 0, text());
    const [, accepted, delivered, verified] =
      /^accepted (\d+) = delivered (\d+) = verified (\d+)$/m.exec(text()) ?? assert.fail(text());
    assert.ok(Number(accepted) >= 5, `${accepted} records in three seconds`);
    assert.deepEqual([delivered, verified], [accepted, accepted]);
    assert.equal(text().match(/^✓ \d\d:\d\d:\d\dZ  demo_viewed /gm)?.length, countEvents(text(), "demo_viewed"));
    assert.equal(
      text().match(/^✓ \d\d:\d\d:\d\dZ  chat_conversation_completed /gm)?.length,
      countEvents(text(), "chat_conversation_completed"),
    );
    assert.match(text(), /sent again on purpose, known already$/m);
    assert.match(text(), /duplicates ignored [1-9]/);
    assert.match(text(), /p50 [\d.]+ ms, p95 [\d.]+ ms$/m);
    assert.doesNotMatch(text(), /^[✗!]|^{/m);
    assert.deepEqual(temporaryFolders(), []);
  });

  test("sends records of declared types too, each to the webhook that wants it", async () => {
    const { text, ended } = start(["--for", "3", "--rate", "5", "--events", EVENTS_FOLDER]);
    assert.equal(await ended, 0, text());
    assert.match(text(), /^accepted (\d+) = delivered \1 = verified \1$/m);
    for (const type of ["form_submitted", "lead_identified", "meeting_booked", "demo_viewed"]) {
      const lines = text().match(new RegExp(`^✓ \\d\\d:\\d\\d:\\d\\dZ  ${type} `, "gm"));
      assert.ok(lines !== null && lines.length === countEvents(text(), type), `${type}\n${text()}`);
    }
    const wrong = start(["--for", "1", "--events", join(FOLDER, "no-such-folder")]);
    assert.equal(await wrong.ended, 1);
    assert.match(
      wrong.text(),
      /^The event types in .* cannot be used:\n {2}the folder cannot be read: it is not there/,
    );
  });

  test("keeps what it received, and openssl and standardwebhooks find the signatures right", async () => {
    const keep = join(FOLDER, "kept");
    // None of the shell's settings reach the demo.
    const { text, ended } = start(["--for", "1", "--rate", "10", "--keep", keep], { BELLWIRE_DATABASE: "nonsense" });
    assert.equal(await ended, 0, text());
    const secret = /^ {2}Secret +(whsec_\S+)$/m.exec(text())?.[1] ?? assert.fail(text());
    const received = join(keep, "received");
    const bodies = readdirSync(received).filter((name) => name.endsWith(".json"));
    assert.ok(bodies.length >= 5, `${bodies.length} bodies`);
    for (const name of bodies) checkSignatures(join(received, name), secret);
    assert.ok(existsSync(join(keep, "data", "bellwire.db")));
    assert.match(readFileSync(join(keep, "service.log"), "utf8"), /"msg":"delivery\.attempted"/);
    const again = start(["--for", "1", "--keep", keep]);
    assert.equal(await again.ended, 1);
    assert.match(again.text(), /kept is not empty; name a new one/);
  });

  test("succeeds also when a person tests and mends the alert that is down on purpose", async () => {
    const { child, text, printed, ended } = start(["--rate", "10"]);
    await printed(/^✓ .*chat_conversation_completed/m);
    const call = await signIn(text());
    const { alerts } = await call("GET", "/alerts");
    const { id, destination } = alerts.find(({ name }: { name: string }) => name.includes("down on purpose"));
    const { revision, webhook, destination: _, changed: __, id: ___, ...settings } = await call("GET", `/alerts/${id}`);
    const mended = makeWebhookForm({ url: text().match(/^ {2}Receiver +(\S+)$/m)?.[1] ?? "" });
    assert.match(webhook.url, /warehouse/);
    await call("POST", `/alerts/${id}/test`, { body: { webhook: mended } });
    await call("PUT", `/alerts/${id}`, { body: { ...settings, webhook: mended }, revision });
    const delivered = `/deliveries?destination=${destination.id}&status=delivered`;
    await eventually("the mended alert delivers", async () => (await call("GET", delivered)).deliveries.length >= 3);
    child.kill("SIGINT");
    assert.equal(await ended, 0, text());
    assert.match(text(), /^accepted (\d+) = delivered \1 = verified \1$/m);
  });

  test("ends at once on Ctrl-C, with its summary and without its folder", async () => {
    const { child, text, printed, ended } = start([]);
    await printed(/^✓ .*chat_conversation_completed/m);
    const askedAtMs = performance.now();
    child.kill("SIGINT");
    assert.equal(await ended, 0, text());
    const tookMs = performance.now() - askedAtMs;
    assert.ok(tookMs < 8_000, `${Math.round(tookMs)} ms: it waited for all that is under way, as without Ctrl-C`);
    assert.match(text(), /^accepted (\d+) = delivered \1 = verified \1$/m);
    assert.deepEqual(temporaryFolders(), []);
  });
});

/** The dashboard's own calls, by somebody who opened the printed link. */
async function signIn(text: string) {
  const link = new URL(/Sign-in link +(\S+)/.exec(text)?.[1] ?? "");
  const headers = { origin: link.origin, "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const token = link.pathname.split("/").at(-1);
  const init = { method: "POST", headers, body: JSON.stringify({ token }) };
  const signedIn = await fetch(`${link.origin}/dashboard/sign-in`, init);
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { csrfToken } = (await signedIn.json()) as { csrfToken: string };
  // Its answers are as various as its routes, and each is looked into here at one place.
  // oxlint-disable-next-line typescript/no-explicit-any
  return async (method: string, path: string, sent: { body?: unknown; revision?: number } = {}): Promise<any> => {
    const response = await fetch(`${link.origin}/dashboard${path}`, {
      method,
      headers: {
        ...headers,
        cookie,
        "x-bellwire-csrf": csrfToken,
        ...(sent.revision === undefined ? {} : { "if-match": `"${sent.revision}"` }),
      },
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    });
    const answer = await response.json();
    assert.ok(response.ok, JSON.stringify(answer));
    return answer;
  };
}

function countEvents(text: string, event: string): number {
  return Number(new RegExp(`^  .*\\b${event} (\\d+)`, "m").exec(text)?.[1]);
}

/** The command of the README, and a verifier that is not ours. */
function checkSignatures(path: string, secret: string): void {
  const headers = Object.fromEntries(
    readFileSync(path.replace(/\.json$/, ".headers"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => line.split(": ", 2) as [string, string]),
  );
  const script = 'openssl dgst -sha256 -hmac "$SECRET" -binary "$FILE" | openssl base64';
  const openssl = spawnSync("sh", ["-c", script], { env: { ...process.env, SECRET: secret, FILE: path } });
  assert.equal(openssl.stdout.toString().trim(), headers["x-service-signature"], openssl.stderr.toString());
  new Webhook(secret).verify(readFileSync(path, "utf8"), headers);
}
