/**
 * `npm run screenshots`: every page of the dashboard in light, dark and 320 px, into `docs/screenshots/`. Look at each
 * of them: what is ugly, cut or empty there is so for a user too, and no test says it.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { populate } from "../test/kit/browser/populated.ts";
import { setStage } from "../test/kit/browser/stage.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { makeDay } from "./day-of-deliveries.ts";
import { pause } from "../test/kit/wait.ts";

const FOLDER = join(import.meta.dirname, "..", "docs", "screenshots");

const LOOKS = [
  { name: "light", scheme: "light", width: 1280 },
  { name: "dark", scheme: "dark", width: 1280 },
  { name: "320", scheme: "light", width: 320 },
] as const;

/** The rest of a long list is more of the same, and pictures weigh in a repository. */
const HEIGHT_MAX = 1_700;

/** A window as people have it, in which a page decides how high it is. */
const WINDOW_HEIGHT = 900;

/** Everything that is fetched, drawn and faded in has settled by then. */
const SETTLE_MS = 700;

mkdirSync(FOLDER, { recursive: true });
await using stage = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" } });
await using receiver = await startReceiver();
const accountId = "acme-inc";
const { store } = stage.dashboard.app;
const { paths } = await populate(stage.dashboard, receiver, {
  accountId,
  before: (destinationId) => makeDay(store, { accountId, destinationId, nowMs: Date.now() }),
});
for (const { name, ...look } of LOOKS) {
  const seen = new Map<string, number>();
  await using visit = await stage.open("/", { ...look, accountId });
  for (const path of paths) {
    await visit.page.setViewportSize({ width: look.width, height: WINDOW_HEIGHT });
    await visit.page.goto(`${stage.dashboard.url}${path}`);
    await visit.page.getByRole("heading", { level: 1 }).first().waitFor();
    await pause(SETTLE_MS);
    const file = join(FOLDER, `${numbered(toName(path), seen)}-${name}.png`);
    const height = Math.min(HEIGHT_MAX, await visit.page.evaluate<number>("document.documentElement.scrollHeight"));
    // A window of that height: what keeps to the window's edge would else stand across the middle of the page.
    await visit.page.setViewportSize({ width: look.width, height });
    await pause(SETTLE_MS);
    await visit.page.screenshot({ path: file });
    console.log(file);
  }
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
