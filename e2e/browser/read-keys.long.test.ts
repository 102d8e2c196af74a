import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { assertSound } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";

let stage: Stage;
before(async () => {
  stage = await setStage();
});
after(() => stage[Symbol.asyncDispose]());

const ACCOUNT = "/settings/account";

const form = (page: Page) => page.getByRole("form", { name: "Make a key" });
const row = (page: Page, name: string) =>
  page.getByRole("region", { name: "Keys for programs, oldest first" }).getByRole("row", { name });

async function read(accountId: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${stage.dashboard.url}/v1/accounts/${accountId}/webhooks`, { headers })).status;
}

async function make(page: Page, name: string): Promise<string> {
  await form(page).getByLabel("Name").fill(name);
  await form(page).getByRole("button", { name: "Make key" }).click();
  const shown = page.getByRole("figure").filter({ hasText: `Key of ${name}` });
  await shown.waitFor();
  return /bwr_[\w-]{43}/.exec(await shown.innerText())?.[0] ?? "";
}

describe("Keys for programs", () => {
  for (const scheme of ["light", "dark"] as const) {
    test(`an owner makes one, sees it once, sees its use, and takes it back: ${scheme}`, async () => {
      await using visit = await stage.open(ACCOUNT, { scheme });
      const { page, accountId } = visit;
      await page.getByText("No program has a key yet.").waitFor();
      const key = await make(page, "Support desk");
      await row(page, "Support desk").getByText("Never").waitFor();
      await assertSound(page);
      assert.equal(await read(accountId, key), 200);
      await page.reload();
      await row(page, "Support desk")
        .getByText(/now|sec|ago/)
        .waitFor();
      assert.ok(!(await page.content()).includes(key), "it is shown once");
      await page.getByRole("button", { name: "Take back Support desk" }).click();
      const dialog = page.getByRole("alertdialog", { name: "Take back “Support desk”?" });
      await dialog.getByRole("button", { name: "Take back" }).click();
      await page.getByText("No program has a key yet.").waitFor();
      assert.notEqual(await read(accountId, key), 200);
      await page.goto(`${stage.dashboard.url}/settings/activity`);
      await page.getByRole("row", { name: /Took a read key back/ }).waitFor();
    });
  }

  test("one without a name is refused at its field", async () => {
    await using visit = await stage.open(ACCOUNT);
    const { page } = visit;
    await form(page).getByRole("button", { name: "Make key" }).click();
    await form(page).getByText("Give the key a name.").waitFor();
    await assertSound(page);
  });

  test("a viewer sees none of it", async () => {
    await using visit = await stage.open(ACCOUNT, { role: "viewer" });
    await visit.page.getByText("Keyboard").first().waitFor();
    assert.equal(await form(visit.page).count(), 0);
  });
});

describe("where the operator has opened managing", () => {
  test("an owner makes a key that manages, and sees which keys may", async () => {
    await using open = await setStage({ env: { BELLWIRE_MANAGEMENT: "1" } });
    await using visit = await open.open(ACCOUNT);
    const { page, accountId } = visit;
    await make(page, "Support desk");
    await form(page).getByLabel("It may manage webhooks").check();
    const key = await make(page, "Platform team");
    await row(page, "Platform team").getByText("Read and manage").waitFor();
    await row(page, "Support desk").getByText("Read", { exact: true }).waitFor();
    await assertSound(page);
    const headers = { authorization: `Bearer ${key}` };
    const managed = await fetch(`${open.dashboard.url}/v1/accounts/${accountId}/webhook-ids`, { headers });
    assert.equal(managed.status, 200);
    assert.equal(await form(page).getByLabel("It may manage webhooks").isChecked(), false);
    await page.goto(`${open.dashboard.url}/settings/activity`);
    await page.getByRole("row", { name: /Made a manage key/ }).waitFor();
  });
});
