/** Save when the way there and back is slow or breaks: nothing is made twice, nothing that was typed is lost. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { REFUSED, assertSound } from "../../test/kit/browser/page-facts.ts";
import { createAlert, giveWebhook } from "../../test/kit/world/alerts.ts";
import { type SignedIn, type Stage, setStage } from "../../test/kit/browser/stage.ts";

let stage: Stage;
before(async () => {
  stage = await setStage();
});
after(() => stage[Symbol.asyncDispose]());

const ONE_ALERT = /\/dashboard\/alerts\/(?!suggestions)[^/]+$/;
const ONE_ASSISTANT = /\/dashboard\/assistants\/[^/]+$/;
/** The browser's own line for a call that was cut off. */
const CUT_OFF = [/Failed to load resource: net::ERR_FAILED/];
const INTEGRATIONS = "/assistants/website/integrations";
/** Nothing is sent there. */
const URL_SAVED = "http://127.0.0.1:9/in";
const NOT_READ_BACK = "Saved. The saved version couldn’t be loaded again.";

const nameField = (page: Page) => page.getByLabel("Name", { exact: true });
const urlField = (page: Page) => page.getByLabel("Webhook URL");
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const says = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

/** Until `unroute`, nothing at such an address can be read. */
const cutReading = (page: Page, address: RegExp) =>
  page.route(address, (route) => (route.request().method() === "GET" ? route.abort() : route.continue()));

/** From the next PUT on, nothing at such an address can be read. */
const cutAfterWriting = (page: Page, address: RegExp) =>
  page.route(/\/webhook$/, async (route) => {
    await cutReading(page, address);
    await route.continue();
  });

/** Saves what is put at such an address, and holds up the answer until the returned function is called. */
async function holdAnswers(page: Page, address: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (route.request().method() !== "PUT") return await route.continue();
    const response = await route.fetch();
    await promise;
    await route.fulfill({ response });
  });
  return resolve;
}

async function alertNames(accountId: string): Promise<readonly string[]> {
  const view = await stage.dashboard.app.accounts.accounts.load(accountId);
  return (view?.alerts ?? []).map(({ alert }) => alert.name);
}

/** An alert that is saved already, and the page on it. */
async function openAlert(expected: readonly RegExp[] = []): Promise<SignedIn & { readonly path: string }> {
  const visit = await stage.open("/settings/alerts", { expected });
  const { accountId } = visit;
  const { id } = await createAlert(stage.dashboard.app.accounts, { accountId, url: URL_SAVED, name: "Leads" });
  const path = `/settings/alerts/${id}/edit`;
  await visit.page.goto(`${stage.dashboard.url}${path}`);
  await nameField(visit.page).waitFor();
  return { ...visit, path };
}

async function openIntegrations(expected: readonly RegExp[] = []): Promise<SignedIn> {
  const visit = await stage.open("/assistants", { assistants: ["website"], expected });
  const { accountId } = visit;
  await giveWebhook(stage.dashboard.app.accounts, { accountId, assistantId: "website", url: URL_SAVED });
  await visit.page.goto(`${stage.dashboard.url}${INTEGRATIONS}`);
  await urlField(visit.page).waitFor();
  return visit;
}

describe("a save that is answered and cannot be read back", () => {
  test("makes one alert, however often Save is pressed", async () => {
    await using visit = await stage.open("/settings/alerts/new", { expected: CUT_OFF });
    const { page, accountId } = visit;
    await urlField(page).fill("http://127.0.0.1:9/first");
    await nameField(page).fill("First");
    await urlField(page).fill(URL_SAVED);
    await cutReading(page, ONE_ALERT);
    await save(page);
    await says(page, NOT_READ_BACK);
    // It has its own address, so loading the page again finds it.
    await page.waitForURL((url) => !url.pathname.endsWith("/new"));
    await page.unroute(ONE_ALERT);
    await nameField(page).fill("Second");
    await save(page);
    await says(page, "Saved.");
    assert.deepEqual(await alertNames(accountId), ["Second"]);
  });

  test("is no conflict with oneself, and what is taken back again is saved too", async () => {
    await using visit = await openAlert(CUT_OFF);
    const { page, accountId } = visit;
    await cutReading(page, ONE_ALERT);
    await urlField(page).fill("http://127.0.0.1:9/other");
    await save(page);
    await says(page, NOT_READ_BACK);
    await page.unroute(ONE_ALERT);
    await urlField(page).fill(URL_SAVED);
    await save(page);
    await says(page, "Saved.");
    const view = await stage.dashboard.app.accounts.accounts.load(accountId);
    assert.equal(view?.alerts[0]?.destination?.url, URL_SAVED);
  });

  test("lets an assistant's webhook be saved again and be removed", async () => {
    await using visit = await openIntegrations(CUT_OFF);
    const { page } = visit;
    for (const path of ["one", "two"]) {
      await urlField(page).fill(`http://127.0.0.1:9/${path}`);
      await cutAfterWriting(page, ONE_ASSISTANT);
      await save(page);
      await says(page, NOT_READ_BACK);
      await page.unrouteAll();
    }
    await page.getByRole("button", { name: "Remove webhook…" }).click();
    await page.getByRole("button", { name: "Remove webhook", exact: true }).click();
    await page.getByRole("button", { name: "Remove webhook…" }).waitFor({ state: "detached" });
    assert.equal(await urlField(page).inputValue(), "");
  });
});

describe("what is typed while Save is under way", () => {
  test("stays, and is said not to be saved yet", async () => {
    await using visit = await openAlert();
    const { page, accountId } = visit;
    const release = await holdAnswers(page, ONE_ALERT);
    await nameField(page).fill("Sent");
    await save(page);
    await nameField(page).fill("Typed since");
    release();
    await says(page, "Saved. Your changes since then are not saved yet.");
    assert.equal(await nameField(page).inputValue(), "Typed since");
    await page.getByRole("heading", { level: 1, name: "Sent" }).waitFor();
    await save(page);
    await says(page, "Saved.");
    assert.deepEqual(await alertNames(accountId), ["Typed since"]);
  });

  test("stays also where it is what was saved before, and the page hears of its own save first", async () => {
    await using visit = await openAlert();
    const { page, path } = visit;
    const release = await holdAnswers(page, ONE_ALERT);
    const heard = page.waitForResponse(
      (response) =>
        response.url().endsWith(path.replace(/^\/settings|\/edit$/g, "")) && response.request().method() === "GET",
    );
    await nameField(page).fill("Sent");
    await save(page);
    await nameField(page).fill("Leads");
    await (await heard).finished();
    release();
    await says(page, "Saved. Your changes since then are not saved yet.");
    assert.equal(await nameField(page).inputValue(), "Leads");
  });

  test("stays where it is no part of what is saved: a test's body", async () => {
    await using visit = await openIntegrations();
    const { page } = visit;
    const body = page.getByLabel("Sample", { exact: true });
    const release = await holdAnswers(page, /\/dashboard\/assistants\/website\/webhook$/);
    await urlField(page).fill("http://127.0.0.1:9/other");
    await save(page);
    await body.fill('{ "typed": "since" }');
    release();
    await says(page, "Saved.");
    assert.equal(await body.inputValue(), '{ "typed": "since" }');
  });
});

/** Two people on the page of one alert. */
async function openTwice(path: string, accountId: string) {
  const other = await stage.open(path, { accountId, person: "cy@example.com" });
  const saveOther = async (): Promise<void> => {
    await save(other.page);
    await says(other.page, "Saved.");
  };
  return { other, saveOther };
}

describe("two people at once", () => {
  test("keep what both changed in different fields, and the second is told so", async () => {
    await using visit = await openAlert(REFUSED);
    const { page, accountId, path } = visit;
    await nameField(page).fill("Mine");
    const { other, saveOther } = await openTwice(path, accountId);
    await using _ = other;
    await urlField(other.page).fill("http://127.0.0.1:9/theirs");
    await saveOther();
    await save(page);
    await says(page, "Saved, together with what cy@example.com changed: Webhook URL.");
    assert.equal(await urlField(page).inputValue(), "http://127.0.0.1:9/theirs");
    const view = await stage.dashboard.app.accounts.accounts.load(accountId);
    assert.deepEqual(
      view?.alerts.map(({ alert, destination }) => [alert.name, destination?.url]),
      [["Mine", "http://127.0.0.1:9/theirs"]],
    );
  });

  test("are shown what both have where they changed one field, asked again after one more save", async () => {
    await using visit = await openAlert(REFUSED);
    const { page, accountId, path } = visit;
    const { other, saveOther } = await openTwice(path, accountId);
    await using _ = other;
    await nameField(page).fill("My name");
    await nameField(other.page).fill("One");
    await saveOther();
    await save(page);
    const dialog = page.getByRole("alertdialog", { name: "Both of you changed this" });
    await dialog.getByText("cy@example.com saved while you were typing.").waitFor();
    await dialog.getByRole("group", { name: "Name" }).getByText("One", { exact: true }).waitFor();
    await assertSound(page);
    let isFirst = true;
    await page.route(ONE_ALERT, async (route) => {
      if (route.request().method() === "PUT" && isFirst) {
        isFirst = false;
        await nameField(other.page).fill("Two");
        await saveOther();
      }
      await route.continue();
    });
    await dialog.getByRole("radio", { name: "Yours" }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Two", { exact: true }).waitFor();
    await dialog.getByRole("radio", { name: "Yours" }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await says(page, "Saved.");
    assert.deepEqual(await alertNames(accountId), ["My name"]);
  });
});

test("leaving while Save is under way waits for it and asks nothing", async () => {
  await using visit = await openAlert();
  const { page, accountId } = visit;
  const release = await holdAnswers(page, ONE_ALERT);
  await nameField(page).fill("Sent");
  const sent = page.waitForRequest((request) => request.method() === "PUT");
  await save(page);
  await sent;
  await page.getByRole("link", { name: "Verification" }).click();
  assert.equal(await page.getByRole("alertdialog").count(), 0);
  assert.match(page.url(), /\/settings\/alerts\//);
  release();
  await page.waitForURL(/\/settings\/verification$/);
  assert.deepEqual(await alertNames(accountId), ["Sent"]);
});

test("leaving stays where the save that it waits for is refused", async () => {
  await using visit = await openAlert(CUT_OFF);
  const { page } = visit;
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(ONE_ALERT, async (route) => {
    if (route.request().method() !== "PUT") return await route.continue();
    await promise;
    await route.abort();
  });
  await nameField(page).fill("Lost");
  const sent = page.waitForRequest((request) => request.method() === "PUT");
  await save(page);
  await sent;
  await page.getByRole("link", { name: "Verification" }).click();
  resolve();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByRole("alertdialog").count(), 0);
  assert.equal(await nameField(page).inputValue(), "Lost");
});

test("a copy has all but the secrets, and says which to type again", async () => {
  await using visit = await stage.open("/settings/alerts/new");
  const { page, accountId } = visit;
  await nameField(page).fill("Leads");
  await urlField(page).fill(URL_SAVED);
  await page.getByRole("button", { name: "Add header" }).click();
  await page.getByLabel("Name of header 1").fill("X-Api-Key");
  await page.getByLabel("Value of header 1").fill("secret");
  await save(page);
  await says(page, "Saved.");
  await page.getByRole("button", { name: "Actions for Leads" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await page.getByText("Enter them again for this alert: X-Api-Key.").waitFor();
  assert.deepEqual(
    [await nameField(page).inputValue(), await urlField(page).inputValue()],
    ["Copy of Leads", URL_SAVED],
  );
  await save(page);
  await page.getByText("Enter the secret value, or remove the row.").waitFor();
  await assertSound(page);
  await page.getByLabel("Value of header 1").fill("other");
  await save(page);
  await says(page, "Saved.");
  assert.deepEqual(await alertNames(accountId), ["Leads", "Copy of Leads"]);
});
