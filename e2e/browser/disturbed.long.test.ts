/** Every page while somebody else changes it: a translator, extensions (test/kit/browser/disturb.ts). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { VisitOptions } from "../../test/kit/browser/browser.ts";
import { settled } from "../../test/kit/browser/page-facts.ts";
import { type Populated, populate } from "../../test/kit/browser/populated.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { visitorOfSession } from "../../test/kit/world/visitors.ts";
import { eventually } from "../../test/kit/wait.ts";

let stage: Stage;
let receiver: Receiver;
let populated: Populated;
let sessions = 300;
before(async () => {
  stage = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" } });
  receiver = await startReceiver();
  populated = await populate(stage.dashboard, receiver);
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** Without figures and times, which go on between two looks. */
const readWords = (page: Page): Promise<string> => page.evaluate<string>(WORDS);

const WORDS = `(() => {
  const copy = document.querySelector("main").cloneNode(true);
  for (const time of copy.querySelectorAll("time, svg, table[data-figures]")) time.remove();
  return copy.textContent.replace(/\\d+/g, "0").replace(/\\b(sec|min|h|now)\\b|\\s/g, "");
})()`;

/** A text that went to a node which is not in the page any more stays behind the other page's. */
async function assertSameWords(disturbed: Page, plain: Page, path: string): Promise<void> {
  const read = () => Promise.all([readWords(disturbed), readWords(plain)]);
  await eventually(`${path} says the same`, async () => new Set(await read()).size === 1, SAME_MS_MAX).catch(() => {});
  const [found, right] = await read();
  assert.equal(found, right, path);
}

/** Guess: what happens reaches a page in a quarter of a second, and the page asks anew. */
const SAME_MS_MAX = 15_000;

/** Everything that opens and closes and asks nothing of anybody. */
const OPENERS = /^(?!.*(Sign out|Delete|Remove|Send|Resend|Save|Add |Test|Pause|Turn|Rotate|Replay|Download|Copy)).+/;

async function openEverything(page: Page): Promise<void> {
  for (const role of ["tab", "button"] as const) {
    const names = await page.locator("main").getByRole(role, { name: OPENERS }).all();
    for (const opener of names) {
      // It may be gone since one before it was pressed.
      await opener.click({ timeout: 200 }).catch(() => {});
      await page.keyboard.press("Escape");
    }
  }
}

/** The window's own session, a record by chance, and a log in which each window decides when rows appear. */
const OF_ITS_OWN = /^\/(?:settings\/account|playground|deliveries)/;

const COMMON = [
  { disturbance: "fonts", scheme: "dark" },
  { disturbance: "extensions", scheme: "light" },
] as const satisfies readonly VisitOptions[];

/** More than a minute each, so only `E2E_DISTURBANCES=all` tries these too. */
const RARE = [
  { disturbance: "fonts", scheme: "light" },
  { disturbance: "moved-into-fonts", scheme: "light" },
  { disturbance: "split", scheme: "dark" },
  { disturbance: "replaced", scheme: "light" },
  { disturbance: "extensions", scheme: "dark" },
] as const satisfies readonly VisitOptions[];

const LOOKS: readonly VisitOptions[] = process.env["E2E_DISTURBANCES"] === "all" ? [...COMMON, ...RARE] : COMMON;

describe("every page stays whole and up to date while its texts are changed", () => {
  for (const look of LOOKS) {
    test(`${look.disturbance}, ${look.scheme}`, async () => {
      const { accountId } = populated;
      await using disturbed = await stage.open("/", { ...look, accountId });
      // A window of its own, because it keeps for its next pages what was folded and chosen.
      await using pressed = await stage.open("/", { ...look, accountId });
      await using plain = await stage.open("/", { accountId });
      for (const path of populated.paths) {
        for (const { page } of [disturbed, pressed, plain]) {
          await page.goto(`${stage.dashboard.url}${path}`);
          await page.getByRole("heading", { level: 1 }).first().waitFor();
          await settled(page);
        }
        sessions += 1;
        await stage.dashboard.postSession(sessions, visitorOfSession(sessions), accountId);
        if (!OF_ITS_OWN.test(path)) await assertSameWords(disturbed.page, plain.page, path);
        if (look.disturbance === "fonts") await openEverything(pressed.page);
        assert.deepEqual([...disturbed.faults, ...pressed.faults], [], path);
      }
    });
  }
});
