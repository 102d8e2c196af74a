import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { REFUSED, assertFocused, descriptionOf } from "./page-facts.ts";
import { type Stage, setStage } from "./stage.ts";

let stage: Stage;
before(async () => {
  stage = await setStage();
});
after(() => stage[Symbol.asyncDispose]());

const ACCOUNT = "/settings/account";
const ANSWER = /\/dashboard\/failure-mail$/;

const field = (page: Page) => page.getByLabel("Addresses");
const button = (page: Page) => page.getByRole("button", { name: "Save addresses" });
const says = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

async function save(page: Page, addresses: string): Promise<void> {
  await field(page).fill(addresses);
  await button(page).click();
  await says(page, "Saved");
}

describe("E-mail about failures", () => {
  test("saving says so, keeps the focus, and shows the list as it was taken", async () => {
    await using visit = await stage.open(ACCOUNT);
    const { page } = visit;
    await save(page, "ada@example.com, ADA@example.com; bo@example.com");
    await assertFocused(button(page));
    assert.equal(await field(page).inputValue(), "ADA@example.com\nbo@example.com");
  });

  test("of several addresses the error names the bad one", async () => {
    await using visit = await stage.open(ACCOUNT, { expected: REFUSED });
    const { page } = visit;
    await field(page).fill("ada@example.com\nbo@\ncy@example.com");
    await button(page).click();
    await assertFocused(field(page));
    assert.match(await descriptionOf(field(page)), /^“bo@” must be an e-mail address/);
  });

  test("a colleague's save shows up by itself, and leaves alone what is being typed", async () => {
    await using ana = await stage.open(ACCOUNT);
    await using bo = await stage.open(ACCOUNT, { accountId: ana.accountId, person: "bo@example.com" });
    const heard = async (work: Promise<void>): Promise<void> => {
      const answer = ana.page.waitForResponse(ANSWER);
      await work;
      await (await answer).finished();
    };
    await heard(save(bo.page, "first@example.com"));
    await ana.page.waitForFunction(`document.querySelector("textarea").value === "first@example.com"`);

    await field(ana.page).fill("half-typed@exam");
    await heard(save(bo.page, "second@example.com"));
    await ana.page
      .getByRole("row", { name: /bo@example\.com/ })
      .nth(1)
      .waitFor();
    await assertFocused(field(ana.page));
    assert.equal(await field(ana.page).inputValue(), "half-typed@exam");
  });

  test("what is typed while it is being saved stays, and is said not to be saved yet", async () => {
    await using visit = await stage.open(ACCOUNT);
    const { page } = visit;
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(ANSWER, async (route) => {
      if (route.request().method() === "PUT") await promise;
      await route.continue();
    });
    await field(page).fill("ada@example.com");
    await button(page).click();
    await field(page).fill("ada@example.com\nbo@example.com");
    resolve();
    await says(page, "Saved. What you typed since is not saved yet.");
    assert.equal(await field(page).inputValue(), "ada@example.com\nbo@example.com");
  });

  test("an answer that cannot be renewed is marked with its age, and takes nothing that is typed", async () => {
    const expected = [/Failed to load resource: net::ERR_FAILED/];
    await using ana = await stage.open(ACCOUNT, { expected });
    await using bo = await stage.open(ACCOUNT, { accountId: ana.accountId, person: "bo@example.com" });
    await field(ana.page).fill("half-typed@exam");
    await ana.page.route(ANSWER, (route) => route.abort());
    await save(bo.page, "bo@example.com");
    await ana.page.getByText(/couldn’t load the addresses again/).waitFor();
    await assertFocused(field(ana.page));
    assert.equal(await field(ana.page).inputValue(), "half-typed@exam");

    await ana.page.unroute(ANSWER);
    await ana.page.getByRole("button", { name: "Try again" }).click();
    await ana.page.getByText(/couldn’t load the addresses again/).waitFor({ state: "detached" });
    assert.equal(await field(ana.page).inputValue(), "half-typed@exam");
  });
});
