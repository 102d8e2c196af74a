/** Authentication in a webhook's form, from the owner's words: a server that wants a token, or a certificate. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { REFUSED, assertSound, readDescription } from "../../test/kit/browser/page-facts.ts";
import { setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { makeAuthority } from "../../test/kit/servers/certificates.ts";
import { type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";

const { stage, receiver } = await setStageWithReceiver();
const tokens: Receiver = await startReceiver();
after(() => tokens[Symbol.asyncDispose]());

const SECRET = "s3cret-of-a-client";
const giveTokens = () => {
  tokens.script = ({ number }) => ({ body: JSON.stringify({ access_token: `t0ken-${number}`, expires_in: 3600 }) });
};

async function openForm(page: Page, url: string): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("Strict");
  await page.getByLabel("Webhook URL").fill(url);
  await page.getByRole("button", { name: "Authentication, rate and order" }).click();
}

async function fillToken(page: Page): Promise<void> {
  await page.getByRole("switch", { name: "Access token (OAuth 2)" }).click();
  await page.getByLabel("Token URL").fill(`${tokens.url}/token`);
  await page.getByLabel("Client id").fill("bellwire");
  await page.getByLabel("Client secret").fill(SECRET);
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
}

const savedSecret = (page: Page) => page.getByRole("img", { name: "Client secret: a saved secret" });

describe("an access token", () => {
  test("is set up, tested and saved; a delivery carries it, and the secret is never in the page again", async () => {
    giveTokens();
    await using visit = await stage.open("/settings/alerts/new");
    const { page, accountId } = visit;
    const answers: string[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("/live")) return;
      void response.text().then(
        (text) => answers.push(text),
        () => {},
      );
    });
    await openForm(page, `${receiver.url}/in`);
    await fillToken(page);
    await assertSound(page);
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page.getByText("Your endpoint accepted the test.").waitFor();
    assert.match(receiver.requests.at(-1)?.headers["authorization"] ?? "", /^Bearer t0ken-\d+$/);
    await save(page);
    await savedSecret(page).waitFor();
    await page.reload();
    await savedSecret(page).waitFor();
    const earlier = receiver.requests.length;
    await stage.dashboard.postSession(1, {}, accountId);
    await receiver.received(earlier + 1);
    assert.match(receiver.requests.at(-1)?.headers["authorization"] ?? "", /^Bearer t0ken-\d+$/);
    const shown = `${await page.content()}${answers.join("\n")}`;
    assert.doesNotMatch(shown, /s3cret-of-a-client|t0ken-\d/);
    // Saved again with another name, it keeps the secret that the page does not have.
    await page.getByLabel("Name", { exact: true }).fill("Renamed");
    await save(page);
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page.getByText("Your endpoint accepted the test.").first().waitFor();
    assert.match(tokens.requests.at(-1)?.headers["authorization"] ?? "", /^Basic /);
  });

  test("that is not given out is told in the test, with what to do", async () => {
    tokens.script = () => ({ status: 401, body: '{"error":"invalid_client"}' });
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await openForm(page, `${receiver.url}/in`);
    await fillToken(page);
    const earlier = receiver.requests.length;
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page.getByText(/Without an access token the test was not sent: .* \(invalid_client\)/).waitFor();
    await page.getByText(/^Check client id and client secret/).waitFor();
    assert.equal(receiver.requests.length, earlier);
    await assertSound(page);
  });

  test("needs its fields, and excludes a custom Authorization header in that header's row", async () => {
    giveTokens();
    await using visit = await stage.open("/settings/alerts/new", { expected: REFUSED });
    const { page } = visit;
    await openForm(page, `${receiver.url}/in`);
    await page.getByRole("switch", { name: "Access token (OAuth 2)" }).click();
    await page.getByRole("button", { name: "Test webhook" }).click();
    for (const [label, words] of [
      ["Token URL", /Enter the token URL/],
      ["Client id", /Enter the client id/],
      ["Client secret", /Enter the client secret/],
    ] as const) {
      assert.match(await readDescription(page.getByLabel(label)), words);
    }
    await assertSound(page);
    await page.getByLabel("Token URL").fill(`${tokens.url}/token`);
    await page.getByLabel("Client id").fill("bellwire");
    await page.getByLabel("Client secret").fill(SECRET);
    await page.getByRole("button", { name: "Add header" }).click();
    await page.keyboard.type("Authorization");
    await page.getByLabel("Value of header 1", { exact: true }).fill("Bearer mine");
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page.getByText("Not tested: some fields need another look.").waitFor();
    const row = page.getByLabel("Name of header 1", { exact: true });
    assert.match(await readDescription(row), /remove this header, or switch OAuth off/);
    // Off again, the header is as good as any.
    await page.getByRole("switch", { name: "Access token (OAuth 2)" }).click();
    await page.getByRole("button", { name: "Test webhook" }).click();
    await page.getByText("Your endpoint accepted the test.").waitFor();
    assert.equal(receiver.requests.at(-1)?.headers["authorization"], "Bearer mine");
  });

  test("has its saved secret asked for again when the Webhook URL leads to another server", async () => {
    giveTokens();
    await using other = await startReceiver();
    await using visit = await stage.open("/settings/alerts/new");
    const { page } = visit;
    await openForm(page, `${receiver.url}/in`);
    await fillToken(page);
    await save(page);
    await savedSecret(page).waitFor();
    await page.getByLabel("Webhook URL").fill(`${other.url}/in`);
    assert.match(await readDescription(page.getByLabel("Client secret")), /enter the secret again/);
    await page.getByRole("button", { name: "Test webhook" }).click();
    assert.match(await readDescription(page.getByLabel("Client secret")), /leads to another server now/);
    assert.equal(other.requests.length, 0);
    await page.getByLabel("Webhook URL").fill(`${receiver.url}/other`);
    await savedSecret(page).waitFor();
    // Replace, and think better of it, by the keyboard alone.
    await page.getByRole("button", { name: "Replace" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Keep saved" }).focus();
    await page.keyboard.press("Enter");
    await savedSecret(page).waitFor();
  });
});

test("a secret that another person removed meanwhile is asked for again, in its place", async () => {
  giveTokens();
  await using mine = await stage.open("/settings/alerts/new", { expected: REFUSED });
  const { page, accountId } = mine;
  await openForm(page, `${receiver.url}/in`);
  await fillToken(page);
  await save(page);
  await savedSecret(page).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  const path = new URL(page.url()).pathname;
  await using theirs = await stage.open(path, { accountId, person: "ben@example.com" });
  await savedSecret(theirs.page).waitFor();
  await theirs.page.getByRole("switch", { name: "Access token (OAuth 2)" }).click();
  await save(theirs.page);
  await page.getByLabel("Client id").fill("another-client");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The client secret has no saved value; enter the client secret.").waitFor();
  await assertSound(page);
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByLabel("Client secret").fill(SECRET);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByRole("radio", { name: "Yours" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await savedSecret(page).waitFor();
});

describe("a client certificate", () => {
  const client = makeAuthority("Receiver's CA").issue("acme", { untilMs: Date.now() + 20.5 * 86_400_000 });

  for (const look of [{ scheme: "light" }, { scheme: "dark" }, { scheme: "light", width: 320 }] as const) {
    test(`is pasted, shown with whose it is and when it ends, and saved: ${JSON.stringify(look)}`, async () => {
      await using visit = await stage.open("/settings/alerts/new", { ...look, expected: REFUSED });
      const { page } = visit;
      await openForm(page, "https://127.0.0.1:9/in");
      await page.getByRole("switch", { name: "Client certificate (mTLS)" }).click();
      await page.getByLabel("Certificate", { exact: true }).fill(client.certificate);
      await page.getByText("CN=acme").waitFor();
      await page.getByText(/^This certificate ends in 20 days/).waitFor();
      await page.getByLabel("Private key").fill(makeAuthority("Other").key);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("The private key does not belong to this certificate").waitFor();
      await assertSound(page);
      await page.getByLabel("Private key").fill(client.key);
      await save(page);
      await page.getByRole("button", { name: "Replace certificate" }).waitFor();
      await page.reload();
      await page.getByText("CN=acme").waitFor();
      await page.getByText(/^This certificate ends in 20 days/).waitFor();
      assert.doesNotMatch(await page.content(), /PRIVATE KEY/);
      await assertSound(page);
      await page.goto(`${stage.dashboard.url}/`);
      await page.getByText(/The client certificate of Strict ends on/).waitFor();
      await assertSound(page);
      await page.getByRole("link", { name: "Replace the certificate" }).click();
      await page.getByRole("button", { name: "Replace certificate" }).waitFor();
    });
  }
});

test("a viewer sees what is set up, and can change nothing", async () => {
  giveTokens();
  await using visit = await stage.open("/settings/alerts/new");
  await openForm(visit.page, `${receiver.url}/in`);
  await fillToken(visit.page);
  await save(visit.page);
  const path = new URL(visit.page.url()).pathname;
  await using viewing = await stage.open(path, {
    accountId: visit.accountId,
    person: "ben@example.com",
    role: "viewer",
  });
  await savedSecret(viewing.page).waitFor();
  assert.equal(await viewing.page.getByRole("button", { name: "Replace" }).count(), 0);
  assert.equal(await viewing.page.getByLabel("Token URL").isDisabled(), true);
  await assertSound(viewing.page);
});

test("an assistant's webhook has the same section", async () => {
  giveTokens();
  await using visit = await stage.open("/assistants/bot/integrations", { assistants: ["bot"] });
  const { page } = visit;
  await page.getByLabel("Webhook URL").fill(`${receiver.url}/chat`);
  await page.getByRole("button", { name: "Authentication, rate and order" }).click();
  await fillToken(page);
  await page.getByRole("button", { name: "Send test webhook" }).click();
  await page.getByText("Your endpoint accepted the test.").waitFor();
  await save(page);
  await savedSecret(page).waitFor();
});
