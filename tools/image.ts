/**
 * `npm run image`: from a clone to a verified webhook through the image, each step printed with its time. Builds with
 * Podman in a storage of its own, and leaves nothing behind. Takes the base from the registry of images where there is
 * one, or else from Debian's packages.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { verify } from "../src/receiver/verify-event.ts";
import { NO_IMAGES, openEngine } from "../test/kit/servers/images.ts";
import { startNodeIn } from "../test/kit/servers/node-in-image.ts";
import { soon } from "../test/kit/wait.ts";

const ROOT = join(import.meta.dirname, "..");
const TAG = "bellwire:tried";
/** The unit of a process's start in `/proc`. */
const TICKS_A_SECOND = 100;

if (NO_IMAGES !== false) {
  console.error(NO_IMAGES);
  process.exit(1);
}
let lastMs = performance.now();
const [, base = ""] = /^FROM (\S+)/m.exec(readFileSync(join(ROOT, "Dockerfile"), "utf8")) ?? [];
using engine = openEngine(ROOT, base, { asksRegistry: true });
say(`the base ${base}: ${engine.baseFrom}`);
await engine.build({ file: "Dockerfile", tag: TAG });
say(`the image is built: ${Math.round(engine.bytesOf(TAG) / 1e6)} MB`);
// The first start of an image reads its layers from the disk.
await startOnce();
const figures = await startOnce();
say("two nodes have run, read-only, without capabilities, in 512 MB; of the second one");
for (const [name, ms] of Object.entries(figures)) console.log(`  ${name.padEnd(52)} ${(ms / 1000).toFixed(2)} s`);

async function startOnce() {
  await using node = await startNodeIn(engine, TAG);
  const { startedMs, readyMs } = node;
  if ((await node.post()) !== 202) throw new Error(node.child.err.text);
  const processMs = await msSinceStart(node.name);
  const acceptedMs = performance.now() - startedMs;
  await soon(node.receiver.received(1), "the webhook");
  const webhookMs = performance.now() - startedMs;
  const [webhook] = node.receiver.requests;
  if (!verify(webhook?.body ?? "", webhook?.headers ?? {}, node.secret).valid) throw new Error("it is not verified");
  node.child.kill("SIGTERM");
  const { code } = await node.child.exited;
  if (code !== 0) throw new Error(node.child.err.text);
  return {
    "podman run → ready": readyMs,
    "podman run → first accepted record": acceptedMs,
    "the process's start → first accepted record": processMs,
    "podman run → verified webhook": webhookMs,
  };
}

/** As the kernel has it. Asking Podman for the process comes after the time is taken. */
async function msSinceStart(name: string): Promise<number> {
  const [now = ""] = readFileSync("/proc/uptime", "utf8").split(" ");
  const pid = await engine.exec("podman", ["inspect", "--format", "{{.State.Pid}}", name]);
  // The 22nd field; the second one, in brackets, may have spaces.
  const [, fields = ""] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  return (Number(now) - Number(fields.split(" ")[19]) / TICKS_A_SECOND) * 1000;
}

function say(text: string): void {
  const nowMs = performance.now();
  console.log(`${((nowMs - lastMs) / 1000).toFixed(1).padStart(6)} s  ${text}`);
  lastMs = nowMs;
}
