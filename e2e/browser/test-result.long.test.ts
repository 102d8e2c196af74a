import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { LIMITS } from "../../src/domain/limits.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { type Behaviour, type Receiver, startReceiver } from "../../test/kit/servers/receiver.ts";
import { assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type SignedIn, type Stage, setStage } from "../../test/kit/browser/stage.ts";

/** No test waits for 15 s until a receiver that hangs is given up; to any other one a slow machine gives its time. */
let isHanging = false;
const hurried: Clock = {
  ...systemClock,
  after(delayMs, fire) {
    const isDeadline = delayMs === LIMITS.attemptDeadlineMs;
    return systemClock.after(isDeadline && isHanging ? 1_000 : delayMs, fire);
  },
};

let stage: Stage;
let receiver: Receiver;
let refused = "";
before(async () => {
  stage = await setStage({ changes: { clock: hurried } });
  receiver = await startReceiver();
  const gone = await startReceiver();
  refused = gone.url;
  await gone[Symbol.asyncDispose]();
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

async function openForm(url: string): Promise<SignedIn> {
  const visit = await stage.open("/settings/alerts/new");
  await visit.page.getByLabel("Webhook URL").fill(url);
  return visit;
}

const testButton = (page: Page) => page.getByRole("button", { name: "Test webhook" });

/** All that is said of the test: the three lines. */
async function readResult(page: Page): Promise<string> {
  await testButton(page).click();
  const told = page
    .getByText("This was a test. It was not retried and does not count towards health.")
    .locator("xpath=..");
  await told.waitFor();
  return (await told.textContent()) ?? "";
}

const answers = (status: number): Behaviour => ({ status, body: `answered ${status}` });

/** What the receiver does, and what is said; `outcome.test.ts` has the words for every answer. */
const ROWS: readonly (readonly [what: string, behaviour: Behaviour, status: string, words: RegExp])[] = [
  ["2xx", answers(204), "204 No Content", /Your endpoint accepted the test\./],
  ["5xx", answers(503), "503 Service Unavailable", /had an error/],
  ["a reset", { kind: "reset" }, "Connection reset", /closed the connection/],
  ["a timeout", { kind: "hang" }, "Timed out", /No answer in.*Answer within 15 s/],
];

/** Where no request arrives. */
const PLACES: readonly (readonly [what: string, url: () => string, status: string, words: RegExp])[] = [
  ["a refused connection", () => refused, "Connection refused", /refused the connection on port \d+\..*running/],
  ["a blocked address", () => "http://10.1.0.5/hook", "Address blocked", /people who run this service to allow it\./],
  // Resolvers answer for this one themselves: such names are never asked for (RFC 7686).
  ["a name that nobody has", () => "https://nowhere.onion/hook", "Name not found", /couldn't find nowhere\.onion/],
];

describe("Test webhook", () => {
  test("tells an answer and its absence in words, and none but a 2xx as a success", async () => {
    await using visit = await openForm(receiver.url);
    for (const [what, behaviour, status, words] of ROWS) {
      receiver.script = () => behaviour;
      isHanging = behaviour.kind === "hang";
      // A new address makes the form another one: the result before is marked, and cannot be taken for the next.
      await visit.page.getByLabel("Webhook URL").fill(`${receiver.url}/${encodeURIComponent(what)}`);
      await testButton(visit.page).click();
      await visit.page.getByText("Changed since this test").waitFor({ state: "detached" });
      const told = await visit.page.getByRole("status").filter({ hasText: "This was a test" }).textContent();
      assert.ok(told?.startsWith(status), `${what}: ${told}`);
      assert.match(told ?? "", words, what);
      assert.equal(/accepted|success|delivered/i.test(told ?? ""), what === "2xx", `${what}: ${told}`);
    }
    await assertFocused(testButton(visit.page));
  });

  for (const [what, url, status, words] of PLACES) {
    test(`tells ${what} in words`, async () => {
      await using visit = await openForm(url());
      const told = await readResult(visit.page);
      assert.ok(told.startsWith(status), told);
      assert.match(told, words);
      assert.doesNotMatch(told, /accepted|success/i);
    });
  }

  test("tells a certificate problem in words", async () => {
    await using tls = await startReceiver({}, { tls: "other.test" });
    await using visit = await openForm(tls.url);
    assert.match(await readResult(visit.page), /^Certificate problem · .*certificate problem/);
    assert.equal(tls.requests.length, 0);
  });

  test("offers a redirect's address, and tests it when it is taken", async () => {
    receiver.script = ({ path }) => (path === "/old" ? { kind: "redirect", to: `${receiver.url}/new` } : {});
    await using visit = await openForm(`${receiver.url}/old`);
    const { page } = visit;
    await readResult(page);
    await page.getByRole("button", { name: "Use this URL" }).click();
    const url = page.getByLabel("Webhook URL");
    assert.equal(await url.inputValue(), `${receiver.url}/new`);
    await assertFocused(url);
    await page.getByText("Changed since this test").waitFor();
    await testButton(page).click();
    await page.getByText("Your endpoint accepted the test.").waitFor();
  });

  test("offers the Authorization header that a 401 asks for, and http:// where a port has no TLS", async () => {
    receiver.script = () => ({ status: 401, headers: { "www-authenticate": 'Bearer realm="hooks"' } });
    await using visit = await openForm(receiver.url.replace("http:", "https:"));
    const { page } = visit;
    await readResult(page);
    await page.getByRole("button", { name: "Use http://" }).click();
    assert.equal(await page.getByLabel("Webhook URL").inputValue(), `${receiver.url}/`);
    await readResult(page);
    const offer = page.getByRole("button", { name: "Add an Authorization header" });
    await offer.click();
    const value = page.getByLabel("Value of header 1");
    await assertFocused(value);
    await page.keyboard.type("t0ken");
    assert.equal(await value.inputValue(), "Bearer t0ken");
    assert.equal(await page.getByLabel("Name of header 1").inputValue(), "Authorization");
    assert.equal(await page.getByLabel("Secret, header 1").isChecked(), true);
    await readResult(page);
    assert.equal(receiver.requests.at(-1)?.headers["authorization"], "Bearer t0ken");
    assert.equal(await offer.count(), 0, "it is there");
    const tests = page.getByRole("navigation", { name: "Tests of this visit" });
    await tests.getByRole("button", { name: /^401 Unauthorized · http:.* · with authorization$/i }).waitFor();
    await tests.getByRole("button", { name: /^Timed out · 127\.0\.0\.1:\d+$/ }).waitFor();
    await assertSound(page);
  });

  test("keeps the focus, sends once for a double click, and keeps the tests of this visit", async () => {
    receiver.script = () => ({ delayMs: 100, status: 500 });
    await using visit = await openForm(receiver.url);
    const { page } = visit;
    const earlier = receiver.requests.length;
    await testButton(page).dblclick();
    await page.getByText("Your endpoint had an error.").waitFor();
    await assertFocused(testButton(page));
    assert.equal(receiver.requests.length, earlier + 1);
    receiver.script = () => ({});
    await testButton(page).click();
    await page.getByText("Your endpoint accepted the test.").waitFor();
    const others = page.getByRole("navigation", { name: "Tests of this visit" });
    await others.getByRole("button", { name: /500 Internal Server Error/ }).click();
    await page.getByText("Your endpoint had an error.").waitFor();
    await assertSound(page);
  });

  test("says before it sends what it sends and where, and the log marks it as its receiver can tell it", async () => {
    receiver.script = () => ({});
    await using visit = await openForm(receiver.url);
    const { page } = visit;
    await page.getByText("Sends your latest session, personal data included, to the Webhook URL as typed").waitFor();
    await page.getByText("Your server can tell a test by its header bellwire-test: 1.").waitFor();
    await readResult(page);
    const { headers } = receiver.requests.at(-1) ?? {};
    const id = String(headers?.["webhook-id"]);
    assert.match(id, /^test_dlv_/);
    assert.equal(headers?.["bellwire-test"], "1");
    // The id from a receiver's log, while the list shows events only.
    await page.goto(`${stage.dashboard.url}/deliveries?q=${id}`);
    await page
      .getByRole("row")
      .filter({ hasText: "Test" })
      .getByRole("link", { name: /Demo viewed/ })
      .click();
    await page.getByText("This was a test, and your endpoint accepted it.").waitFor();
    await page.getByText(`webhook-id ${id}, header bellwire-test: 1`).waitFor();
    await assertSound(page);
  });

  test("an answer that broke off behind its status counts by it, and says that it broke off", async () => {
    receiver.script = () => ({ kind: "truncate", reset: true });
    await using visit = await openForm(receiver.url);
    const { page } = visit;
    assert.match(await readResult(page), /accepted.*reset|accepted.*closed/s);
    await assertSound(page);
  });

  test("tells the time for a search in logs in UTC, and where the reader is on hover", async () => {
    receiver.script = () => ({ status: 500 });
    await using visit = await stage.open("/settings/alerts/new", { timeZone: "Asia/Tokyo" });
    const { page } = visit;
    await page.getByLabel("Webhook URL").fill(receiver.url);
    await readResult(page);
    const told = page.getByText(/^UTC time for your logs: \d/).first();
    const utcMs = Date.parse(`${(await told.textContent())?.replace(/^.*logs: /, "")}Z`);
    assert.ok(Math.abs(Date.now() - utcMs) < 60_000, String(await told.textContent()));
    await told.hover();
    const hour = String(new Date(utcMs + 9 * 3_600_000).getUTCHours()).padStart(2, "0");
    await page
      .getByRole("tooltip")
      .filter({ hasText: new RegExp(`, ${hour}:.* where you are`) })
      .waitFor();
  });

  test("saving after a failed test says so, and saves", async () => {
    receiver.script = () => ({ status: 401 });
    await using visit = await openForm(receiver.url);
    const { page } = visit;
    await page.getByLabel("Name", { exact: true }).fill("Doubtful");
    await readResult(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. The last test failed with 401, so deliveries may fail.").waitFor();
  });

  test("shows what came back as text, whatever is in it", async () => {
    const nasty = `<script>window.broken = true</script><img src="https://evil.example/x">`;
    receiver.script = () => ({ status: 400, body: nasty, headers: { "x-nasty": nasty } });
    await using visit = await openForm(receiver.url);
    const { page } = visit;
    await readResult(page);
    await page.getByRole("region", { name: "Response body" }).getByText(nasty).waitFor();
    await page.getByRole("region", { name: "Status and headers" }).getByText(`x-nasty: ${nasty}`).waitFor();
    assert.equal(await page.evaluate<unknown>("window.broken"), undefined);
  });

  test("copies a command that a shell runs to the same bytes, with a variable for the secret", async () => {
    receiver.script = () => ({});
    await using visit = await openForm(`${receiver.url}/curl?q='$x'`);
    const { page } = visit;
    await page.getByRole("button", { name: "Add header" }).click();
    await page.keyboard.type("X-Api-Key");
    await page.getByLabel("Value of header 1").fill(`it's $HOME & "s3cret"`);
    const earlier = receiver.requests.length;
    await readResult(page);
    // As over plain http, where browsers have no clipboard: the old command is what copies.
    await page.evaluate(`document.addEventListener("copy", () => { window.copied = String(getSelection()); })`);
    await page.evaluate(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
    await page.getByText("What was sent and what came back").click();
    await page.getByRole("button", { name: "Copy as cURL" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const command = await page.evaluate<string>("window.copied");
    assert.ok(!command.includes("s3cret"));
    const env = { ...process.env, X_API_KEY: `it's $HOME & "s3cret"`, no_proxy: "127.0.0.1" };
    await promisify(execFile)("sh", ["-c", `${command} --silent --show-error`], { env });
    const [sent, repeated] = receiver.requests.slice(earlier);
    assert.ok(sent !== undefined && repeated !== undefined);
    assert.deepEqual(repeated.body, sent.body);
    assert.equal(repeated.path, sent.path);
    for (const name of ["x-api-key", "x-service-signature", "content-type", "webhook-id", "user-agent"]) {
      assert.equal(repeated.headers[name], sent.headers[name], name);
    }
  });
});
