import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type SharedCluster, shareCluster } from "../../test/kit/servers/postgres.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { eventually } from "../../test/kit/wait.ts";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { demoViewed } from "../../src/events/demo-viewed.ts";

let cluster: SharedCluster;
let url: string;
let stage: Stage;
before(async () => {
  cluster = await shareCluster();
  url = await cluster.createStoreDatabase();
  stage = await setStage({ env: { BELLWIRE_DATABASE: url } });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** As the product would, inside a transaction; waits until a node has judged it. */
async function emit(accountId: string, changes: object): Promise<void> {
  const record = JSON.stringify({ ...demoViewed.example, id: uuid(1), ...changes });
  await cluster.query(url, `select bellwire.emit_demo_session('${accountId}', '${record}')`);
  const { store } = stage.dashboard.app;
  await eventually("the inbox is empty", async () => (await store.countInbox({ refusedFromMs: 0 })).waiting === 0);
}

describe("refused records", () => {
  test("are told of where sessions are looked for, with reasons and record, to their account only", async () => {
    await using visit = await stage.open("/audience/sessions");
    const { page, accountId } = visit;
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "See why" }).count(), 0);
    await emit(accountId, { name: "Tour <b>of</b> prices", completion: 101, colour: "blue" });
    await page.reload();
    await page.getByText("1 record of your product could not become events").waitFor();
    await page.getByRole("link", { name: "See why" }).click();
    await page.getByRole("heading", { level: 1, name: "Refused records" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "completion must be a number from 0 to 100" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "colour is not a known field" }).waitFor();
    await page
      .getByRole("region", { name: /^Record \d+$/ })
      .filter({ hasText: "Tour <b>of</b> prices" })
      .waitFor();
    await assertSound(page);
    await page.getByRole("link", { name: "Event catalog" }).first().click();
    await page.getByRole("link", { name: "See why" }).waitFor();

    await using stranger = await stage.open("/refused-records", { width: 320, scheme: "dark" });
    await stranger.page.getByRole("heading", { name: "Nothing was refused" }).waitFor();
    await assertSound(stranger.page);
  });

  test("fit a narrow page, and a viewer sees them too", async () => {
    await using owner = await stage.open("/");
    await emit(owner.accountId, { completion: 101 });
    const who = { accountId: owner.accountId, role: "viewer", width: 320, scheme: "dark" } as const;
    await using visit = await stage.open("/refused-records", who);
    await visit.page.getByRole("region", { name: /^Record \d+$/ }).waitFor();
    await assertSound(visit.page);
  });
});
