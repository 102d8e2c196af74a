/** Many webhooks are chosen in a list and handled in one step, in few clicks, with the mouse and with the keyboard. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { createAlert, createAssistant, createWebhook } from "../../test/kit/world/alerts.ts";
import { assertSound, REFUSED } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";

const accountId = "sixty";
const TEAMS = 50;
const WAREHOUSES = 12;
const SECRET = { name: "Authorization", value: "Bearer old", secret: true };

const { stage, receiver } = await setStageWithReceiver();
const other = await startReceiver();
after(() => other[Symbol.asyncDispose]());

before(async () => {
  const { accounts } = stage.dashboard.app;
  await stage.dashboard.putAccount(accountId);
  const add = async (name: string, path: string, headers = [] as (typeof SECRET)[]): Promise<unknown> =>
    await createAlert(accounts, { accountId, name, url: `${receiver.url}${path}`, headers });
  for (let n = 1; n <= WAREHOUSES; n += 1) await add(`Warehouse ${n}`, `/warehouse/${n}`, n <= 2 ? [SECRET] : []);
  for (let n = 1; n <= TEAMS; n += 1) await add(`فريق ${n} team`, `/team/${n}`);
  for (let n = 1; n <= 15; n += 1) {
    await createAssistant(accounts, { accountId, assistantId: `bot-${n}`, url: `${receiver.url}/bot/${n}` });
  }
  for (let n = 1; n <= 5; n += 1) await createWebhook(accounts, { accountId, name: `Own ${n}`, url: receiver.url });
});

/** Presses, and counts them. */
function counting(page: Page) {
  let clicks = 0;
  return {
    async click(role: "button" | "checkbox" | "menuitem" | "link", name: string | RegExp): Promise<void> {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).last().click();
    },
    clicks: () => clicks,
  };
}

const search = async (page: Page, what: string, words: string): Promise<void> =>
  await page.getByRole("searchbox", { name: `Search ${what}` }).fill(words);

async function states(names: RegExp): Promise<string[]> {
  const view = await stage.dashboard.app.accounts.accounts.loadAnew(accountId);
  return (view?.alerts ?? []).flatMap(({ alert, destination }) =>
    names.test(alert.name) ? [destination?.state ?? "none"] : [],
  );
}

const paused = (names: RegExp) => async () => (await states(names)).every((state) => state === "paused");
const on = (names: RegExp) => async () => (await states(names)).every((state) => state === "on");

describe("twelve of 82 webhooks", () => {
  test("are paused in three clicks and a word, and turned on again", async (context) => {
    await using visit = await stage.open("/destinations", { accountId, width: 1440 });
    const { page } = visit;
    const { click, clicks } = counting(page);
    await search(page, "webhooks", "warehouse");
    await click("checkbox", "Select all 12 webhooks");
    await assertSound(page);
    await click("button", "Pause…");
    await page.getByRole("alertdialog", { name: "Pause 12 webhooks?" }).waitFor();
    await assertSound(page);
    await click("button", "Pause 12 webhooks");
    await page.getByText("12 webhooks paused").waitFor();
    context.diagnostic(`${clicks()} clicks and one field`);
    assert.ok(clicks() <= 5);
    await eventually("twelve are paused", paused(/Warehouse/));
    assert.ok(
      (await states(/team/)).every((state) => state === "on"),
      "and no other",
    );
    await click("checkbox", "Select all 12 webhooks");
    await click("button", "Turn on…");
    await click("button", "Turn on 12 webhooks");
    await page.getByText("12 webhooks turned on").waitFor();
    await eventually("twelve are on", on(/Warehouse/));
  });

  test("are chosen by the keyboard: Space, then Shift for those in between", async () => {
    await using visit = await stage.open("/settings/alerts?q=warehouse&sort=name", { accountId, width: 1440 });
    const { page } = visit;
    const box = (n: number) => page.getByRole("checkbox", { name: `Select Warehouse ${n}`, exact: true });
    await box(2).focus();
    await page.keyboard.press("Space");
    await box(5).focus();
    await page.keyboard.press("Shift+Space");
    const bar = page.getByRole("region", { name: "Selected alerts" });
    await bar.getByText("4 selected").waitFor();
    await page.keyboard.press("Escape");
    await bar.waitFor({ state: "detached" });
    await box(7).focus();
    await page.keyboard.press("x");
    await bar.getByText("1 selected").waitFor();
  });
});

test("a long list has pages, and all that a filter shows is chosen on each of them", async () => {
  await using visit = await stage.open("/settings/alerts?sort=name", { accountId, width: 1024 });
  const { page } = visit;
  const rows = page.getByRole("row");
  await page.getByText("1–50 of 62").waitFor();
  assert.equal(await rows.count(), 51);
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByText("51–62 of 62").waitFor();
  assert.match(page.url(), /page=2/);
  assert.equal(await rows.count(), 13);
  await page.getByRole("checkbox", { name: /^Select .* 50 team/ }).check();
  await page.getByRole("region", { name: "Selected alerts" }).getByRole("button", { name: "All 62" }).click();
  await page.getByText("62 selected").waitFor();
  await page.getByRole("link", { name: "Previous" }).click();
  await page.getByText("62 selected").waitFor();
  await assertSound(page);
  await search(page, "alerts", "team 7");
  await page.getByRole("region", { name: "Selected alerts" }).waitFor({ state: "detached" });
});

test("a tag is put on some, filters the list by a chip and in the address, and comes off", async () => {
  await using visit = await stage.open("/settings/alerts?q=warehouse", { accountId, width: 1440 });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Select all 12 alerts" }).check();
  await page.getByRole("button", { name: "Tag…" }).click();
  await page.getByLabel("Tag", { exact: true }).fill("logistics");
  await assertSound(page);
  await page.keyboard.press("Enter");
  await page.getByText("12 alerts tagged").waitFor();
  await search(page, "alerts", "");
  await page.getByRole("button", { name: "logistics 12" }).click();
  await page.getByRole("checkbox", { name: "Select all 12 alerts" }).waitFor();
  assert.match(page.url(), /tag=logistics/);
  await page.reload();
  await page.getByRole("button", { name: "logistics 12", pressed: true }).waitFor();
  await assertSound(page);
  await page.goto(`${stage.dashboard.url}/destinations?tag=logistics`);
  await page.getByRole("checkbox", { name: "Select all 12 webhooks" }).check();
  await page.getByRole("button", { name: "Tag…" }).click();
  await page.getByLabel("Tag", { exact: true }).fill("logistics");
  await page.getByRole("radio", { name: "Take off" }).check();
  await page.getByRole("button", { name: "Take tag off" }).click();
  await page.getByText("12 webhooks untagged").waitFor();
  await page.getByText("There are no webhooks with the tag logistics.").waitFor();
});

test("tags are set in the form, stand on the webhook’s own page, and go along into a copy", async () => {
  await using visit = await stage.open("/settings/webhooks?q=Own+1", { accountId, width: 390, scheme: "dark" });
  const { page } = visit;
  await page.getByRole("link", { name: /^Own 1/ }).click();
  await page.getByRole("link", { name: "Edit" }).first().click();
  await page.getByRole("button", { name: "Tags", exact: true }).click();
  await page.getByLabel("Tags").fill("eu, crm, eu");
  await assertSound(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Own 1", exact: true }).click();
  await page
    .getByRole("definition")
    .filter({ hasText: /^crm, eu$/ })
    .waitFor();
  await assertSound(page);
  await page.getByRole("button", { name: "Actions for Own 1" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await page.getByRole("heading", { level: 1, name: "New webhook" }).waitFor();
  assert.equal(await page.getByLabel("Tags").inputValue(), "crm, eu");
});

test("webhooks move to another host: hosts and secrets are shown, one is tested, and who stays is told", async () => {
  await using visit = await stage.open("/destinations?q=warehouse", { accountId, width: 1440, expected: REFUSED });
  const { page } = visit;
  await page.getByRole("checkbox", { name: "Select all 12 webhooks" }).check();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Change host…" }).click();
  const dialog = page.getByRole("dialog", { name: "Change the host of 12 webhooks" });
  await dialog.getByText(`${receiver.url} (12)`).waitFor();
  await dialog.getByText("Sent by 2 of them.").waitFor();
  await dialog.getByLabel("New host").fill(other.url);
  await assertSound(page);
  await dialog.getByRole("button", { name: "Test one first" }).click();
  await dialog
    .getByText(/must be entered again|200/)
    .first()
    .waitFor();
  await dialog.getByLabel(/^Authorization/).fill("Bearer new");
  await dialog.getByRole("button", { name: "Test one first" }).click();
  await eventually("the test is there", () => other.requests.length === 1);
  assert.equal(other.requests[0]?.headers["authorization"], "Bearer new");
  await dialog.getByText(/200 OK/).waitFor();
  await dialog.getByLabel(/^Authorization/).fill("");
  await dialog.getByRole("button", { name: "Move 12 webhooks" }).click();
  await page.getByText("10 webhooks moved").waitFor();
  const stayed = page.getByRole("dialog", { name: "2 webhooks were not changed" });
  await stayed.getByText(/Authorization must be entered again/).waitFor();
  for (const name of ["Warehouse 1", "Warehouse 2"]) await stayed.getByText(name, { exact: true }).waitFor();
  await assertSound(page);
  await stayed.getByRole("button", { name: "Close" }).click();
  const view = await stage.dashboard.app.accounts.accounts.loadAnew(accountId);
  const moved = view?.alerts.filter(({ destination }) => destination?.url.startsWith(`${other.url}/warehouse/`));
  assert.equal(moved?.length, 10);
});

test("a header is set on many, and many are deleted after one question with their number", async () => {
  await using visit = await stage.open("/settings/webhooks", { accountId, width: 1440 });
  const { page } = visit;
  const more = async (item: string): Promise<void> => {
    await page.getByRole("checkbox", { name: "Select all 5 webhooks" }).check();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await more("Set a header…");
  await page.getByLabel("Name", { exact: true }).fill("X-Api-Key");
  assert.ok(await page.getByRole("checkbox", { name: "Secret" }).isChecked(), "its name says that it is one");
  await page.getByLabel("Value").fill("k-1");
  await assertSound(page);
  await page.getByRole("button", { name: "Set header" }).click();
  await page.getByText("5 webhooks changed").waitFor();
  const view = await stage.dashboard.app.accounts.accounts.loadAnew(accountId);
  assert.deepEqual(
    view?.webhooks.map(({ destination }) => destination.headers),
    Array.from({ length: 5 }, () => [{ name: "X-Api-Key", value: "k-1", secret: true }]),
  );
  await more("Delete…");
  await page.getByRole("alertdialog", { name: "Delete 5 webhooks?" }).waitFor();
  await page.getByRole("button", { name: "Delete 5 webhooks" }).click();
  await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
});

test("viewers choose nothing, and the service refuses them", async () => {
  await using visit = await stage.open("/destinations", { accountId, role: "viewer", person: "vic@example.com" });
  const { page } = visit;
  await page.getByRole("row").nth(1).waitFor();
  assert.equal(await page.getByRole("checkbox").count(), 0);
});

for (const { width, scheme } of [
  { width: 1440, scheme: "light" },
  { width: 390, scheme: "dark" },
  { width: 320, scheme: "light" },
] as const) {
  test(`at ${width} px, ${scheme}, boxes, bar and rows have room`, async () => {
    await using visit = await stage.open("/settings/alerts?sort=name", { accountId, width, scheme });
    const { page } = visit;
    await page.getByRole("row").nth(1).waitFor();
    if (width < 640) await page.getByRole("button", { name: "Select", exact: true }).click();
    for (const row of [1, 2])
      await page
        .getByRole("checkbox", { name: /^Select (?!all)/ })
        .nth(row)
        .check();
    await page.getByText("2 selected").waitFor();
    await assertSound(page);
    const folder = process.env["HANDS_PICTURES"];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/list-${width}.png` });
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Change host…" }).click();
    await page.getByText("Each webhook keeps its own path.").waitFor();
    await assertSound(page);
    if (folder !== undefined) await page.screenshot({ path: `${folder}/move-${width}.png` });
  });
}
