/** Channels about failures, from the address that an owner pastes to the message that arrives there. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { systemClock } from "../../src/lib/clock.ts";
import { secondsMs } from "../../src/lib/duration.ts";
import { REFUSED, assertFocused, assertSound, readDescription } from "../../test/kit/browser/page-facts.ts";
import { type Stage, setStage } from "../../test/kit/browser/stage.ts";
import { putAlert } from "../../test/kit/browser/webhooks.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { eventually } from "../../test/kit/wait.ts";

const ACCOUNT = "/settings/account";
const HOOK = "/services/T000/B000/s3cretSlackToken";

let stage: Stage;
let slack: Receiver;
let crm: Receiver;
let slackStatus = 200;
let shiftMs = 0;
/** News is collected for half a minute: this clock can be put forward by it. */
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + shiftMs };

before(async () => {
  slack = await startReceiver(() => ({ status: slackStatus, body: slackStatus === 200 ? "ok" : "no_service" }));
  crm = await startReceiver({ status: 503 });
  stage = await setStage({ changes: { clock } });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await crm[Symbol.asyncDispose]();
  await slack[Symbol.asyncDispose]();
});

const form = (page: Page) => page.getByRole("form", { name: "Add a channel" });
const address = (page: Page) => form(page).getByLabel("Address");
const row = (page: Page, name: string) =>
  page.getByRole("list", { name: "Channels" }).getByRole("listitem").filter({ hasText: name });

async function add(page: Page, name: string, url = `${slack.url}${HOOK}`): Promise<void> {
  await form(page).getByLabel("Name").fill(name);
  await address(page).fill(url);
  await form(page).getByRole("button", { name: "Add channel" }).click();
}

interface Message {
  readonly text: string;
  readonly blocks: readonly unknown[];
}

const messages = (): Message[] => slack.requests.map(({ body }) => JSON.parse(body.toString()) as Message);

describe("channels about failures", () => {
  for (const scheme of ["light", "dark"] as const) {
    test(`a channel is added, tested, and told of a failure with a link to the incident: ${scheme}`, async () => {
      await using visit = await stage.open(ACCOUNT, { scheme });
      const { page, accountId } = visit;
      const sofar = slack.requests.length;
      await add(page, "#revops");
      await page.getByText("#revops is added. Test it now.").waitFor();
      await eventually("the field is empty", async () => (await address(page).inputValue()) === "");
      await row(page, "#revops").getByText("Not tried yet").waitFor();
      await page.getByRole("button", { name: "Test #revops" }).click();
      await row(page, "#revops")
        .getByText(/^200 OK · The channel took the test/)
        .waitFor();
      await row(page, "#revops").getByText("Takes messages").waitFor();
      assert.match(messages().at(-1)?.text ?? "", /^This is a test\./);
      await assertSound(page);

      await page.reload();
      await row(page, "#revops").waitFor();
      const html = await page.content();
      assert.doesNotMatch(html, /s3cretSlackToken|T000/);
      await row(page, "#revops").getByText(new URL(slack.url).host).first().waitFor();
      await page.goto(`${stage.dashboard.url}/settings/activity`);
      await page.getByText("Tested a channel for news of failures").waitFor();
      await page.goto(`${stage.dashboard.url}${ACCOUNT}`);

      await putAlert(stage.dashboard, accountId, { name: "Leads to CRM", url: `${crm.url}/in` });
      for (let number = 1; number <= 8; number += 1) await stage.dashboard.postSession(number, {}, accountId);
      await stage.dashboard.app.engine.lanes.load.idle();
      shiftMs += secondsMs(31);
      await slack.received(sofar + 2);
      const news = messages().at(-1);
      assert.match(news?.text ?? "", /: webhooks to 127\.0\.0\.1:\d+ are failing: http/);
      assert.match(JSON.stringify(news?.blocks), /"Leads to CRM: webhooks to 127/);
      const [link = ""] = /http\S+$/.exec(news?.text ?? "") ?? [];
      assert.match(link, /\/settings\/alerts\/alr_\w+\?incident=inc_\w+$/);
      await page.goto(link);
      await page.getByRole("heading", { level: 1, name: "Leads to CRM" }).waitFor();
    });
  }

  test("a channel that takes nothing says so with its own words, and goes on saying it after a reload", async () => {
    await using visit = await stage.open(ACCOUNT, { width: 320 });
    const { page } = visit;
    await add(page, "#old");
    slackStatus = 404;
    try {
      await page.getByRole("button", { name: "Test #old" }).click();
      await row(page, "#old")
        .getByText(/^404 Not Found · Slack says that this address is switched off/)
        .waitFor();
      await row(page, "#old").getByText("no_service").waitFor();
      await assertSound(page);
      await page.reload();
      await row(page, "#old")
        .getByText(/^Refused a message .*: 404 Not Found$/)
        .waitFor();
      await row(page, "#old").getByText("Takes nothing").waitFor();
    } finally {
      slackStatus = 200;
    }
  });

  test("an address that cannot be called is refused at its field, where the keyboard stays", async () => {
    await using visit = await stage.open(ACCOUNT, { expected: REFUSED });
    const { page } = visit;
    await add(page, "#ops", "ftp://hooks.example.com");
    await page.getByText(/starts with "ftp:"/).waitFor();
    await assertFocused(address(page));
    assert.match(await readDescription(address(page)), /The address starts with "ftp:"; only https: and http:/);
    await add(page, "", slack.url);
    await form(page).getByText("Give the channel a name.").waitFor();
    await assertFocused(form(page).getByLabel("Name"));
    await assertSound(page);
  });

  test("a pasted address says which tool it is of, and a person may say otherwise", async () => {
    await using visit = await stage.open(ACCOUNT);
    const { page } = visit;
    const isChosen = (name: string) => form(page).getByRole("radio", { name }).isChecked();
    assert.equal(await isChosen("Slack"), true);
    await address(page).fill("https://discord.com/api/webhooks/1/xyz");
    assert.equal(await isChosen("Discord"), true);
    await address(page).fill("https://chat.googleapis.com/v1/spaces/AAAA/messages?key=k&token=t");
    assert.equal(await isChosen("Google Chat"), true);
    await form(page).getByRole("radio", { name: "Webhook" }).check();
    await address(page).fill("https://ops.example.com/in");
    assert.equal(await isChosen("Webhook"), true);
    await assertSound(page);
  });

  test("the keyboard alone adds, tests and removes a channel", async () => {
    await using visit = await stage.open(ACCOUNT);
    const { page } = visit;
    await form(page).getByLabel("Name").focus();
    await page.keyboard.type("#keys");
    await page.keyboard.press("Tab");
    await page.keyboard.type(`${slack.url}${HOOK}`);
    await page.keyboard.press("Enter");
    await row(page, "#keys").waitFor();
    await page.getByRole("button", { name: "Test #keys" }).focus();
    await page.keyboard.press("Enter");
    await row(page, "#keys").getByText("Takes messages").waitFor();
    await assertFocused(page.getByRole("button", { name: "Test #keys" }));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("alertdialog");
    await dialog.waitFor();
    await assertSound(page);
    await dialog.getByRole("button", { name: "Remove channel" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("No channel gets messages yet.").waitFor();
  });

  test("a viewer sees the channels and changes nothing", async () => {
    await using ana = await stage.open(ACCOUNT);
    await add(ana.page, "#team");
    await row(ana.page, "#team").waitFor();
    const who = { accountId: ana.accountId, person: "vic@example.com", role: "viewer" } as const;
    await using vic = await stage.open(ACCOUNT, who);
    await row(vic.page, "#team").waitFor();
    for (const name of ["Add channel", "Test #team", "Remove #team"]) {
      assert.equal(await vic.page.getByRole("button", { name }).getAttribute("aria-disabled"), "true", name);
    }
    await assertSound(vic.page);
  });
});
