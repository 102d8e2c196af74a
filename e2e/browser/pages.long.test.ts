import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { findFaults, settled, untilStill } from "../../test/kit/browser/page-facts.ts";
import { type Populated, populate } from "../../test/kit/browser/populated.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";

let stage: Stage;
let receiver: Receiver;
let populated: Populated;
before(async () => {
  stage = await setStage({ env: { BELLWIRE_PLAYGROUND: "1" } });
  receiver = await startReceiver();
  populated = await populate(stage.dashboard, receiver);
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const LOOKS = [
  { scheme: "light", width: 1280 },
  { scheme: "dark", width: 1280 },
  { scheme: "light", width: 320 },
  { scheme: "dark", width: 320 },
] as const;

describe("every page is sound: axe, no sideways scrolling, nothing outside the window, one heading, a title", () => {
  for (const look of LOOKS) {
    test(`${look.scheme}, ${look.width} px wide`, async () => {
      await using visit = await stage.open("/", { ...look, accountId: populated.accountId });
      const { page } = visit;
      const faults: string[] = [];
      for (const path of populated.paths) {
        await page.goto(`${stage.dashboard.url}${path}`);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        await settled(page);
        const found = await findFaults(page);
        const headings = await page.getByRole("heading", { level: 1 }).count();
        if (headings !== 1) found.push(`${headings} headings of level 1`);
        if (!(await page.title()).includes(" · ")) found.push(`its title is ${await page.title()}`);
        faults.push(...found.map((fault) => `${path}: ${fault}`));
      }
      assert.deepEqual(faults, []);
    });
  }
});

/** Every answer but the session's, without which there is no page. */
const ANSWERS = /\/dashboard\/(?!session$|live$)/;

/** From now on nothing is answered until the returned function is called. */
async function hold(page: Page): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(ANSWERS, async (route) => {
    await promise;
    await route.continue();
  });
  return async () => {
    resolve();
    await page.unrouteAll({ behavior: "wait" });
  };
}

test("every page is sound while its answers are on their way, as a slow line shows it for seconds", async () => {
  await using visit = await stage.open("/", { scheme: "dark", width: 320, accountId: populated.accountId });
  const { page } = visit;
  const faults: string[] = [];
  for (const path of populated.paths) {
    await settled(page);
    const release = await hold(page);
    await page.goto(`${stage.dashboard.url}${path}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await untilStill(page);
    faults.push(...(await findFaults(page)).map((fault) => `${path}: ${fault}`));
    await release();
  }
  await settled(page);
  assert.deepEqual(faults, []);
});
