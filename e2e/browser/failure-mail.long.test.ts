/** E-mail about failures, from the address that an owner types to the digest that its reader gets and stops. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type MailServer, startMailServer } from "../../test/kit/servers/mail-server.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { REFUSED, assertFocused, assertSound, readDescription } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { putAlert } from "../../test/kit/browser/webhooks.ts";
import { eventually } from "../../test/kit/wait.ts";

const ACCOUNT = "/settings/account";
const ANSWER = /\/dashboard\/failure-mail$/;

let stage: Stage;
let mail: MailServer;
let receiver: Receiver;
let shiftMs = 0;
/** News is collected for half a minute: this clock can be put forward by it. */
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + shiftMs };

before(async () => {
  mail = await startMailServer();
  receiver = await startReceiver({ status: 503 });
  stage = await setStage({ env: { BELLWIRE_SMTP_URL: mail.url }, changes: { clock } });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

const field = (page: Page) => page.getByLabel("Add an address");
const button = (page: Page) => page.getByRole("button", { name: "Add address" });
const row = (page: Page, address: string) => page.getByRole("listitem").filter({ hasText: address });
const chip = (page: Page, address: string, word: string) => row(page, address).getByText(word, { exact: true });

async function add(page: Page, address: string): Promise<void> {
  await field(page).fill(address);
  await button(page).click();
  await page.getByText(`${address} is asked to confirm.`).waitFor();
}

/** The newest e-mail to it, unfolded. */
function letterTo(address: string): string {
  const source = mail.mails.findLast(({ to }) => to.includes(address))?.source ?? "";
  return source.slice(source.indexOf("\r\n\r\n")).replaceAll("=\r\n", "").replaceAll("=3D", "=");
}

const linksIn = (email: string): string[] => [...email.matchAll(/http:\S+\/mail\/[\w-]{43}/g)].map(([link]) => link);

describe("E-mail about failures", () => {
  test("an address is confirmed by its e-mail, is told of a failing receiver by one e-mail, and stops", async () => {
    await using visit = await stage.open(ACCOUNT);
    const { page, accountId } = visit;
    const address = "reader@example.com";
    await add(page, address);
    await chip(page, address, "Waiting").waitFor();
    await mail.received(1);

    await using reader = await stage.browser.visit(linksIn(letterTo(address))[0] ?? "");
    await reader.page.getByRole("heading", { name: "Do you want these e-mails?" }).waitFor();
    await reader.page.getByText("Acme Inc", { exact: true }).waitFor();
    await assertSound(reader.page);
    await chip(page, address, "Waiting").waitFor();
    await reader.page.getByRole("button", { name: "Confirm" }).click();
    await reader.page.getByRole("heading", { name: "Confirmed" }).waitFor();
    await assertSound(reader.page);
    await chip(page, address, "Confirmed").waitFor();
    await assertSound(page);
    await page.goto(`${stage.dashboard.url}/settings/activity`);
    await page.getByText("Confirmed failure e-mail by a link").waitFor();
    await page.goto(`${stage.dashboard.url}${ACCOUNT}`);

    for (const name of ["One", "Two"])
      await putAlert(stage.dashboard, accountId, { name, url: `${receiver.url}/${name}` });
    for (let number = 1; number <= 8; number += 1) await stage.dashboard.postSession(number, {}, accountId);
    await stage.dashboard.app.engine.lanes.load.idle();
    shiftMs += secondsMs(31);
    await mail.received(2);
    const digest = letterTo(address);
    assert.match(digest, /^Failing \(2\)/m);
    assert.match(digest, /alert: One/);
    assert.match(digest, /alert: Two/);

    await reader.page.goto(linksIn(digest)[0] ?? "");
    await reader.page.getByRole("button", { name: "Stop e-mails" }).click();
    await reader.page.getByRole("heading", { name: "E-mails are stopped" }).waitFor();
    await assertSound(reader.page);
    await chip(page, address, "Stopped").waitFor();
    assert.equal(mail.mails.length, 2);
  });

  test("a link that leads nowhere says so, and what to do", async () => {
    const url = `${stage.dashboard.url}/mail/${"A".repeat(43)}`;
    await using visit = await stage.browser.visit(url, { expected: REFUSED });
    await visit.page.getByRole("heading", { name: "This link cannot be used" }).waitFor();
    await visit.page.getByText(/link in the newest e-mail/).waitFor();
    await assertSound(visit.page);
  });

  test("adding says so, keeps the focus on the button, and empties the field", async () => {
    await using visit = await stage.open(ACCOUNT);
    const { page } = visit;
    await add(page, "ada@example.com");
    await assertFocused(button(page));
    await eventually("the field is empty", async () => (await field(page).inputValue()) === "");
  });

  test("an address that is none, or in the list already, is said to be, and stays in the field", async () => {
    await using visit = await stage.open(ACCOUNT, { expected: REFUSED });
    const { page } = visit;
    await field(page).fill("bo@");
    await button(page).click();
    await page.getByText("“bo@” must be an e-mail address").waitFor();
    await assertFocused(field(page));
    assert.match(await readDescription(field(page)), /^“bo@” must be an e-mail address/);
    await add(page, "bo@example.com");
    await field(page).fill("BO@example.com");
    await button(page).click();
    await page.getByText("“BO@example.com” is in the list already").waitFor();
  });

  test("Send again says when it is too soon; Remove asks first", async () => {
    await using visit = await stage.open(ACCOUNT, { expected: REFUSED });
    const { page } = visit;
    await add(page, "cy@example.com");
    await page.getByRole("button", { name: "Send again to cy@example.com" }).click();
    await row(page, "cy@example.com")
      .getByText(/was sent an e-mail minutes ago/)
      .waitFor();
    await page.getByRole("button", { name: "Remove cy@example.com" }).click();
    await assertSound(page);
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove address" }).click();
    await page.getByText("No address gets these e-mails yet.").waitFor();
  });

  test("a colleague's address shows up by itself, and leaves alone what is being typed", async () => {
    await using ana = await stage.open(ACCOUNT);
    await using bo = await stage.open(ACCOUNT, { accountId: ana.accountId, person: "bo@example.com" });
    await field(ana.page).fill("half-typed@exam");
    await add(bo.page, "dee@example.com");
    await row(ana.page, "dee@example.com").waitFor();
    await assertFocused(field(ana.page));
    assert.equal(await field(ana.page).inputValue(), "half-typed@exam");
  });

  test("what is typed while an address is added stays", async () => {
    await using visit = await stage.open(ACCOUNT);
    const { page } = visit;
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(ANSWER, async (route) => {
      if (route.request().method() === "POST") await promise;
      await route.continue();
    });
    await field(page).fill("eve@example.com");
    await button(page).click();
    await field(page).fill("fay@exam");
    resolve();
    await page.getByText("eve@example.com is asked to confirm.").waitFor();
    assert.equal(await field(page).inputValue(), "fay@exam");
  });

  test("a viewer sees the addresses and changes nothing", async () => {
    await using ana = await stage.open(ACCOUNT);
    await add(ana.page, "gus@example.com");
    await using vic = await stage.open(ACCOUNT, {
      accountId: ana.accountId,
      person: "vic@example.com",
      role: "viewer",
    });
    await chip(vic.page, "gus@example.com", "Waiting").waitFor();
    for (const name of ["Add address", "Send again to gus@example.com", "Remove gus@example.com"]) {
      assert.equal(await vic.page.getByRole("button", { name }).getAttribute("aria-disabled"), "true", name);
    }
  });
});
