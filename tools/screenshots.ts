/**
 * `npm run screenshots`: the six pictures of the documents, in a window that people have, into `docs/screenshots/`.
 * `-- --all <folder>`: every page in light, dark and 320 px, to its whole height. Look at each of them: what is ugly,
 * cut or empty there is so for a user too, and no test says it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { populate } from "../test/kit/browser/populated.ts";
import type { Visit } from "../test/kit/browser/browser.ts";
import { setStage } from "../test/kit/browser/stage.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { makeDay } from "./day-of-deliveries.ts";
import { pause } from "../test/kit/wait.ts";

interface Look {
  readonly name: string;
  readonly scheme: "light" | "dark";
  readonly width: number;
  readonly height: number;
  /** Higher pages make a higher window up to here: the rest of a long list is more of the same. */
  readonly heightMax: number;
}

const DOCUMENTS: Look = { name: "light", scheme: "light", width: 1440, height: 900, heightMax: 900 };
/** Names of pages, as `toName` makes them. */
const IN_DOCUMENTS: ReadonlySet<string> = new Set([
  "overview",
  "deliveries",
  "deliveries-dlv",
  "settings-alerts-alr",
  "assistants-support-bot-integrations",
  "settings-verification",
]);

const ALL: readonly Look[] = [
  { name: "light", scheme: "light", width: 1280, height: 900, heightMax: 1_700 },
  { name: "dark", scheme: "dark", width: 1280, height: 900, heightMax: 1_700 },
  { name: "320", scheme: "light", width: 320, height: 900, heightMax: 1_700 },
];

/** Everything that is fetched, drawn and faded in has settled by then. */
const SETTLE_MS = 700;

const { all } = parseArgs({ options: { all: { type: "string" } } }).values;
const folder = all ?? join(import.meta.dirname, "..", "docs", "screenshots");
mkdirSync(folder, { recursive: true });
await using stage = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" } });
await using receiver = await startReceiver();
const accountId = "acme-inc";
const { store } = stage.dashboard.app;
const { paths } = await populate(stage.dashboard, receiver, {
  accountId,
  before: (destinationId) => makeDay(store, { accountId, destinationId, nowMs: Date.now() }),
});
for (const look of all === undefined ? [DOCUMENTS] : ALL) await takePictures(look);

async function takePictures({ name: lookName, scheme, width, height, heightMax }: Look): Promise<void> {
  const seen = new Map<string, number>();
  await using visit = await stage.open("/", { scheme, width, accountId });
  for (const path of paths) {
    const name = numbered(toName(path), seen);
    if (all === undefined && !IN_DOCUMENTS.has(name)) continue;
    await visit.page.setViewportSize({ width, height });
    await visit.page.goto(`${stage.dashboard.url}${path}`);
    await visit.page.getByRole("heading", { level: 1 }).first().waitFor();
    await pause(SETTLE_MS);
    const whole = Math.min(heightMax, await visit.page.evaluate<number>("document.documentElement.scrollHeight"));
    // A window of that height: what keeps to the window's edge would else stand across the middle of the page.
    await visit.page.setViewportSize({ width, height: Math.max(height, whole) });
    await pause(SETTLE_MS);
    console.log(await takePicture(visit.page, join(folder, `${name}-${lookName}`)));
  }
}

/** Returns the file. Those of the documents are WebP, half of a PNG: every clone carries them. */
async function takePicture(page: Visit["page"], path: string): Promise<string> {
  if (all !== undefined) {
    await page.screenshot({ path: `${path}.png` });
    return `${path}.png`;
  }
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 85 });
  writeFileSync(`${path}.webp`, Buffer.from(data, "base64"));
  return `${path}.webp`;
}

/** Two pages of one kind are two pictures. */
function numbered(name: string, seen: Map<string, number>): string {
  const times = (seen.get(name) ?? 0) + 1;
  seen.set(name, times);
  return times === 1 ? name : `${name}-${times}`;
}

/** Ids differ from run to run; the files' names must not. */
function toName(path: string): string {
  const words = path.replace(/[?].*$/, "-filtered").replace(/(dlv|rpl|alr)_\w+/g, "$1");
  const named = words
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "detail")
    .replaceAll("/", "-")
    .replace(/^-/, "");
  return named === "" ? "overview" : named;
}
