import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { signService, signStandard } from "../../src/domain/signature.ts";
import { verifyByKey } from "../../src/receiver/verify.ts";
import { assertFocused, assertSound, revealSecret } from "../../test/kit/browser/page-facts.ts";
import { type SignedIn, setStage, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { startChild } from "../../test/kit/process/child.ts";
import { BIN } from "../../test/kit/process/running.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";

const { stage, receiver } = await setStageWithReceiver();

const VERIFICATION = "/settings/verification";
const current = (page: Page) => page.getByRole("group", { name: "Current secret" });
const shown = (page: Page) => current(page).getByText(/^whsec_[\w+/=]{40,}$/);

/** An alert that sends every session of the account to the receiver. */
async function withAlert(): Promise<SignedIn> {
  const visit = await stage.open("/settings/alerts/new");
  const { page } = visit;
  await page.getByLabel("Name", { exact: true }).fill("All");
  await page.getByLabel("Webhook URL").fill(receiver.url);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  return visit;
}

async function delivered(visit: SignedIn, number: number) {
  const earlier = receiver.requests.length;
  await stage.dashboard.postSession(number, {}, visit.accountId);
  await receiver.received(earlier + 1);
  const request = receiver.requests[earlier];
  assert.ok(request !== undefined);
  const { headers } = request;
  const body = request.body.toString("utf8");
  const timestampSeconds = Number(headers["webhook-timestamp"]);
  const standard = { id: headers["webhook-id"] ?? "", timestampSeconds, body };
  return { headers, body, standard };
}

describe("the Webhook Verification Secret", () => {
  test("is in no answer and nowhere on the page until it is revealed, and hides after 30 seconds", async () => {
    await using visit = await stage.open("/");
    const { page } = visit;
    const answers: string[] = [];
    page.on("response", (response) => {
      if (!response.url().endsWith("/live"))
        void response.text().then(
          (text) => answers.push(text),
          () => {},
        );
    });
    await page.clock.install();
    await page.goto(`${stage.dashboard.url}${VERIFICATION}`);
    await current(page).getByRole("button", { name: "Reveal" }).waitFor();
    assert.ok(!answers.join("").includes("whsec_M") && !/whsec_[\w+/=]{40,}/.test(answers.join("")));
    assert.doesNotMatch(await page.content(), /whsec_[\w+/=]{40,}/);
    await current(page).getByRole("button", { name: "Reveal" }).click();
    await shown(page).waitFor();
    await page.getByText(/Last revealed by ana@example\.com/).waitFor();
    // The page's clock goes on by itself, too: the rest of the 30 seconds is for a slow machine.
    await page.clock.runFor(15_000);
    assert.equal(await shown(page).count(), 1);
    await page.clock.runFor(16_000);
    await shown(page).waitFor({ state: "detached" });
    assert.doesNotMatch(await page.content(), /whsec_[\w+/=]{40,}/);
  });

  test("hides when the tab is left, and is copied without being shown", async () => {
    await using visit = await stage.open(VERIFICATION);
    const { page } = visit;
    await current(page).getByRole("button", { name: "Reveal" }).click();
    const secret = await shown(page).textContent();
    await page.evaluate(`window.dispatchEvent(new Event("blur"))`);
    await shown(page).waitFor({ state: "detached" });
    await page.evaluate(`document.addEventListener("copy", () => { window.copied = String(getSelection()); })`);
    await page.evaluate(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
    await current(page).getByRole("button", { name: "Copy" }).click();
    await current(page).getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate<string>("window.copied"), secret);
    assert.equal(await shown(page).count(), 0);
  });

  test("is rotated over 24 hours: both sign, until one is stopped, or the rotation cancelled", async () => {
    await using visit = await withAlert();
    const { page } = visit;
    const old = await revealSecret(page, stage.dashboard.url);
    const rotate = async (): Promise<string> => {
      await page.getByRole("button", { name: "Rotate…" }).click();
      await page.getByRole("alertdialog", { name: "Rotate the secret?" }).waitFor();
      await assertFocused(page.getByRole("button", { name: "Cancel" }));
      await page.getByRole("button", { name: "Rotate", exact: true }).click();
      await page.getByText(/^The previous secret stops .* \(in 23 h 59 min\)\.$/).waitFor();
      await current(page).getByRole("button", { name: "Reveal" }).click();
      return (await shown(page).textContent()) ?? "";
    };
    const end = async (how: string): Promise<void> => {
      await page.getByRole("button", { name: how }).click();
      await page
        .getByRole("alertdialog", { name: `${how}?` })
        .getByRole("button", { name: how })
        .click();
      await page.getByRole("group", { name: "Previous secret" }).waitFor({ state: "detached" });
    };
    assert.notEqual(await rotate(), old);
    await end("Go back to the previous secret");
    const again = await delivered(visit, 1);
    assert.equal(again.headers["webhook-signature"], signStandard(again.standard, [old]));

    const next = await rotate();
    const previous = page.getByRole("group", { name: "Previous secret" });
    await previous.getByRole("button", { name: "Reveal" }).click();
    assert.equal(await previous.getByText(/^whsec_[\w+/=]{40,}$/).textContent(), old);
    await assertSound(page);
    const both = await delivered(visit, 2);
    assert.equal(both.headers["x-service-signature"], signService(both.body, old));
    assert.equal(both.headers["webhook-signature"], signStandard(both.standard, [old, next]));

    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByText(/^A rotation is under way/).waitFor();
    assert.equal(await page.getByRole("radio").count(), 0, "only a leak is a reason for a third one");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await end("Stop the previous secret now");
    const alone = await delivered(visit, 3);
    assert.equal(alone.headers["x-service-signature"], signService(alone.body, next));
    assert.equal(alone.headers["webhook-signature"], signStandard(alone.standard, [next]));
  });

  test("is rotated until the end of a day that its owner chooses, and a refusal is in view on a phone", async () => {
    await using visit = await stage.open(VERIFICATION, { width: 320, height: 640 });
    const { page } = visit;
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("radio", { name: "On a date" }).check();
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const refusal = page.getByText("Choose the last day.");
    await refusal.waitFor();
    const [text, cancel] = [
      await refusal.boundingBox(),
      await page.getByRole("button", { name: "Cancel" }).boundingBox(),
    ];
    assert.ok(text !== null && cancel !== null && text.y + text.height <= cancel.y, "it is above the buttons");
    const day = (await page.getByLabel("Last day").getAttribute("max")) ?? "";
    await page.getByLabel("Last day").fill(day);
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    await page.getByText(/^The previous secret stops .*, 23:59 \(in 29 days.*\)\.$/).waitFor();
  });

  test("is replaced at once when it leaked", async () => {
    await using visit = await withAlert();
    const { page } = visit;
    const old = await revealSecret(page, stage.dashboard.url);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("radio", { name: "At once" }).check();
    await page.getByRole("button", { name: "Replace at once" }).click();
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    const secret = await revealSecret(page, stage.dashboard.url);
    assert.notEqual(secret, old);
    const { body, headers } = await delivered(visit, 1);
    assert.equal(headers["x-service-signature"], signService(body, secret));
  });
});

describe("the public key", () => {
  test("is there once an owner wants it, signs too, is rotated, and is turned off", async () => {
    await using visit = await withAlert();
    const { page } = visit;
    await page.goto(`${stage.dashboard.url}${VERIFICATION}`);
    await page.getByRole("button", { name: "Sign with a public key too" }).click();
    const keyIn = async (name: string): Promise<string> =>
      (await page
        .getByRole("group", { name })
        .getByText(/^whpk_/)
        .textContent()) ?? "";
    const first = await keyIn("Current key");
    const byKey = await delivered(visit, 1);
    assert.ok(verifyByKey(byKey, [first], { nowMs: Date.now() }).valid);
    const card = page.getByRole("region", { name: "Public key" });
    await card.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    assert.equal(await keyIn("Previous key"), first);
    const both = await delivered(visit, 2);
    for (const key of [first, await keyIn("Current key")]) {
      assert.ok(verifyByKey(both, [key], { nowMs: Date.now() }).valid);
    }
    await assertSound(page);
    await card.getByRole("button", { name: "Turn off…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click();
    await page.getByRole("button", { name: "Sign with a public key too" }).waitFor();
    const without = await delivered(visit, 3);
    assert.doesNotMatch(without.headers["webhook-signature"] ?? "", /v1a/);
  });

  test("leaves the page at 220 words, also while it and the secret are rotated", async () => {
    await using visit = await stage.open(VERIFICATION);
    const { page } = visit;
    await page.getByRole("button", { name: "Sign with a public key too" }).click();
    for (const [nth, name] of ["Previous secret", "Previous key"].entries()) {
      await page.getByRole("button", { name: "Rotate…" }).nth(nth).click();
      await page.getByRole("button", { name: "Rotate", exact: true }).click();
      await page.getByRole("group", { name, exact: true }).waitFor();
    }
    const text = await page.locator("main").innerText();
    const words = text.split(/\s+/).filter((word) => /\w/.test(word));
    assert.ok(words.length <= 220, `${words.length} words:\n${text}`);
  });
});

test("the code to verify with is the very file that the tests run", async () => {
  await using visit = await stage.open(VERIFICATION);
  const { page } = visit;
  await page.getByRole("button", { name: "Show code" }).click();
  for (const [tab, file] of [
    ["Node, Express", "node/express.js"],
    ["Node, public key", "node/public-key.js"],
    ["Python", "python/receiver.py"],
    ["bash", "bash/receiver.cgi"],
  ] as const) {
    await page.getByRole("tab", { name: tab, exact: true }).click();
    const code = await page.getByRole("region", { name: file }).textContent();
    assert.equal(code, readFileSync(new URL(`../../examples/verify/${file}`, import.meta.url), "utf8"));
  }
});

describe("Check a signature", () => {
  test("says that it matches, or why it does not", async () => {
    await using visit = await withAlert();
    const { page } = visit;
    const { body, headers } = await delivered(visit, 1);
    const all = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const without = (name: string) => all.filter((line) => !line.startsWith(name)).join("\n");
    const cases: readonly (readonly [headers: string, body: string, words: RegExp])[] = [
      [all.join("\n"), body, /^The signature matches the current secret/],
      [all.join("\n"), JSON.stringify(JSON.parse(body), null, 2), /^The body .*(?:anew|re-?formatted)/],
      [all.join("\n"), `${body}\n`, /^The body has other white space around it/],
      [all.join("\n"), body.replace("demo_viewed", "demo_changed"), /^The body|matches no secret/],
      [
        without("x-service-signature")
          .split("\n")
          .filter((line) => !line.startsWith("webhook-"))
          .join("\n"),
        body,
        /can be read/,
      ],
      [`x-service-signature: ${"0".repeat(64)}`, body, /^The value of x-service-signature/],
    ];
    await page.goto(`${stage.dashboard.url}${VERIFICATION}`);
    for (const [pasted, pastedBody, words] of cases) {
      await page.getByLabel("Headers", { exact: true }).fill(pasted);
      await page.getByLabel("Raw body").fill(pastedBody);
      await page.getByRole("button", { name: "Check", exact: true }).click();
      await page.getByText(words).first().waitFor();
    }
    await assertSound(page);
  });

  for (const look of [{ width: 1280 }, { width: 320, height: 568 }] as const) {
    test(`from a delivery it is filled in, checked, in view and has the focus, ${look.width} px`, async () => {
      await using sender = await withAlert();
      const { body, headers } = await delivered(sender, 1);
      await using visit = await stage.open("/deliveries", { ...look, accountId: sender.accountId });
      const { page } = visit;
      await page.getByRole("link", { name: /Demo viewed/ }).click();
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Check this signature" }).click();
      const result = page.getByText(/^The signature matches the current secret/);
      await result.waitFor();
      await assertFocused(page.getByRole("form", { name: "Check a signature" }));
      assert.equal(await page.getByLabel("Raw body").inputValue(), body);
      const filled = await page.getByLabel("Headers", { exact: true }).inputValue();
      assert.ok(filled.includes(`x-service-signature: ${headers["x-service-signature"]}`), filled);
      // Whatever else the page loads, the result stays in view.
      await current(page).getByRole("button", { name: "Reveal" }).waitFor();
      const box = await result.boundingBox();
      assert.ok(box !== null && box.y > 0 && box.y + box.height < (page.viewportSize()?.height ?? 0), "in view");
      await assertSound(page);
      await page.keyboard.press("Tab");
      await assertFocused(page.getByLabel("Headers", { exact: true }));
      await page.getByRole("link", { name: "this delivery" }).click();
      await page.getByText("Your endpoint accepted it on the first attempt").waitFor();
    });
  }

  test("asks for headers when there are none", async () => {
    await using visit = await stage.open(VERIFICATION);
    const { page } = visit;
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await assertFocused(page.getByLabel("Headers", { exact: true }));
  });
});

test("source addresses are shown where the operator names them, and copied for a firewall", async () => {
  await using visit = await stage.open(VERIFICATION);
  await current(visit.page).getByRole("button", { name: "Reveal" }).waitFor();
  assert.equal(await visit.page.getByText("Source addresses").count(), 0);
  await using named = await setStage({ env: { BELLWIRE_SOURCE_ADDRESSES: "203.0.113.7, 2001:db8:12::/64" } });
  await using other = await named.open(VERIFICATION, { width: 320 });
  const { page } = other;
  const list = page.getByRole("list", { name: "Source addresses" });
  await list.getByText("203.0.113.7", { exact: true }).waitFor();
  await list.getByText("2001:db8:12::/64", { exact: true }).waitFor();
  await page.evaluate(`document.addEventListener("copy", () => { window.copied = String(getSelection()); })`);
  await page.evaluate(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
  await page.getByRole("button", { name: "Copy all" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate<string>("window.copied"), "203.0.113.7\n2001:db8:12::/64");
  await assertSound(page);
});

for (const scheme of ["light", "dark"] as const) {
  test(`the page has no fault that axe finds, and fits into 320 px (${scheme})`, async () => {
    await using visit = await stage.open(VERIFICATION, { scheme, width: 320 });
    const { page } = visit;
    await current(page).getByRole("button", { name: "Reveal" }).click();
    await shown(page).waitFor();
    await assertSound(page);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByRole("alertdialog").waitFor();
    await assertSound(page);
  });
}

describe("while a developer builds a receiver", () => {
  test("one press makes a webhook that hands out a copy of each event, and its command posts them here", async () => {
    await using visit = await withAlert();
    await using local = await startReceiver();
    const { page } = visit;
    await page.goto(`${stage.dashboard.url}${VERIFICATION}`);
    await page.getByRole("button", { name: "Make a trial webhook" }).click();
    const text = await page.getByRole("region", { name: "Or post each to your receiver" }).innerText();
    await assertSound(page);
    const words = text.trim().split(/\s+/).slice(1);
    const args = words.map((word) => (word.startsWith("http://localhost:3000") ? `${local.url}/hook` : word));
    await using command = startChild({ args: [BIN, ...args] });
    await command.err.match(/^Asking /);
    const { body } = await delivered(visit, 71);
    await local.received(1);
    assert.equal(local.requests[0]?.body.toString(), body);
    await page.goto(`${stage.dashboard.url}/settings/webhooks`);
    await page.getByText("Your program asks").first().waitFor();
    await assertSound(page);
  });
});
