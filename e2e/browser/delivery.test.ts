import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { assertFocused, assertSound } from "../../test/kit/browser/page-facts.ts";
import { type SignedIn, type Stage, setStageWithReceiver } from "../../test/kit/browser/stage.ts";
import { type AlertAt, TWO_ATTEMPTS, putAlert } from "../../test/kit/browser/webhooks.ts";
import { filterBy, findRequests } from "../../test/kit/browser/log-page.ts";

const MARKUP = `<script>alert(1)</script><img src="http://198.51.100.1/x.png">`;

const { stage, receiver } = await setStageWithReceiver({ changes: { schedule: TWO_ATTEMPTS } });

interface Sent {
  readonly path: string;
  readonly alert?: Partial<AlertAt>;
  readonly record?: Readonly<Record<string, unknown>>;
  readonly attempts?: number;
}

/** Sends one session to an alert at the path and opens its delivery beside the log. */
async function openDelivery(sent: Sent, options: Parameters<Stage["open"]>[1] = {}): Promise<SignedIn> {
  const { path, alert = {}, record = {}, attempts = 1 } = sent;
  const visit = await stage.open("/deliveries", { width: 1400, ...options });
  await putAlert(stage.dashboard, visit.accountId, { url: `${receiver.url}${path}`, ...alert });
  await stage.dashboard.postSession(1, record, visit.accountId);
  const { page } = visit;
  await page
    .getByRole("table")
    .getByRole("link", { name: /Demo viewed/ })
    .first()
    .click();
  await page.getByText(`Attempt ${attempts}`, { exact: true }).waitFor();
  return visit;
}

const details = (page: Page) => page.getByRole("region", { name: "Delivery", exact: true });
const code = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const ATTEMPT = ", attempt 1";

describe("a delivery", () => {
  test("says in words what happened, and shows request, response and times of each attempt", async () => {
    receiver.script = ({ path }) =>
      path === "/words" ? { status: 503, headers: { "x-why": "out of coffee" }, body: '{"error":"later"}' } : {};
    await using visit = await openDelivery({ path: "/words", attempts: 2 });
    const { page } = visit;
    await details(page).getByRole("heading", { level: 2, name: "Ada Lovelace · Product tour" }).waitFor();
    await page.getByText("Your endpoint answered 503 twice. All 2 attempts are used up.").waitFor();
    await page.getByText("503 Service Unavailable").first().waitFor();
    assert.match(
      (await code(page, "Status and headers, attempt 2").textContent()) ?? "",
      /HTTP 503 .*x-why: out of coffee/s,
    );
    assert.match((await code(page, "Response body, attempt 2").textContent()) ?? "", /"error": "later"/);
    const times = page.getByRole("list", { name: "Where the time went" });
    assert.match((await times.textContent()) ?? "", /Total (?:< 1|[\d.]+) m?s/);
    await page.getByText(/Reached at 127\.0\.0\.1/).waitFor();
    await page.getByRole("tab", { name: "Request" }).click();
    const request = (await code(page, "Request line and headers, attempt 2").textContent()) ?? "";
    assert.match(request, new RegExp(`^POST ${receiver.url}/words\n`));
    assert.match(request, /webhook-signature: v1,/);
    await page.getByText("Attempt 1", { exact: true }).click();
    await page.getByRole("tablist", { name: "Attempt 1" }).waitFor();
    await assertSound(page);
  });

  for (const look of [{ width: 1400 }, { width: 1400, scheme: "dark" }, { width: 320, height: 640 }] as const) {
    const name = `shows two attempts side by side with marks on what differs (${Object.values(look).join(" ")})`;
    test(name, async () => {
      let answered = 0;
      receiver.script = ({ path }) =>
        path === "/compared" && (answered += 1) === 1
          ? { status: 503, headers: { "x-node": "a" }, body: '{"error":"busy","node":"a"}' }
          : { body: '{"error":null,"node":"a"}' };
      await using visit = await openDelivery({ path: "/compared", attempts: 2 }, look);
      const { page } = visit;
      const button = page.getByRole("button", { name: "Compare two attempts" });
      await button.focus();
      await page.keyboard.press("Enter");
      const both = page.getByRole("region", { name: "Two attempts side by side" });
      await both.getByRole("row", { name: /Differs: Outcome.*503 Service Unavailable.*200 OK/ }).waitFor();
      await both.getByRole("row", { name: /Differs: x-node.*a.*none/ }).waitFor();
      assert.equal(await both.getByRole("row", { name: /webhook-id/ }).count(), 0, "the same in both");
      assert.equal(await both.locator("pre code.bg-warn-soft").count(), 2, "a line of each body");
      await assertSound(page);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await assertFocused(both.getByRole("checkbox", { name: "Only what differs" }));
      await page.keyboard.press("Space");
      await both.getByRole("row", { name: /^webhook-id/ }).waitFor();
      await both.getByLabel("On the left", { exact: true }).selectOption("2");
      await both.getByText("Nothing differs.").waitFor();
      await assertSound(page);
    });
  }

  test("shows the exact bytes that went out and came back, big numbers and unicode included", async () => {
    const answer = '{"big":12345678901234567890,"small":1e-400,"twice":1,"twice":2}';
    receiver.script = () => ({ body: answer });
    await using visit = await openDelivery({ path: "/exact", record: { name: "Tour \u{1f980} “ü”\t\\" } });
    const { page } = visit;
    const [sent] = findRequests(receiver, "/exact");
    assert.ok(sent !== undefined);
    await code(page, "Request body").getByText("Tour \u{1f980} “ü”").waitFor();
    const tree = (await code(page, `Response body${ATTEMPT}`).textContent()) ?? "";
    assert.equal(tree.replace(/\{ \d fields \}/, "").replaceAll(/\s/g, ""), answer);
    await page.getByRole("button", { name: "Show exact bytes" }).last().click();
    assert.equal(await code(page, "Request body, exact bytes").textContent(), sent.body.toString("utf8"));
  });

  test("a tree that folds: all of it, and nothing", async () => {
    receiver.script = () => ({});
    await using visit = await openDelivery({ path: "/tree" });
    const { page } = visit;
    const tree = code(page, "Request body");
    const inside = tree.getByText('"email"').first();
    await inside.waitFor();
    // Two levels are open at first, and this body has no third.
    await page.getByRole("button", { name: "Fold all", exact: true }).click();
    await inside.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Unfold all" }).click();
    await inside.waitFor();
    await page.getByRole("button", { name: "Fold all", exact: true }).click();
    await inside.waitFor({ state: "hidden" });
    await tree
      .getByText(/\{ \d+ fields \}/)
      .filter({ visible: true })
      .first()
      .click();
    await tree
      .getByText(/^"\w+"$/)
      .filter({ visible: true })
      .nth(20)
      .waitFor();
  });

  test("markup in names, payload, headers and responses is text", async () => {
    receiver.script = () => ({ status: 200, headers: { "x-mark": MARKUP, "content-type": "text/html" }, body: MARKUP });
    const headers = [{ name: "X-Mark", value: MARKUP, secret: false }];
    await using visit = await openDelivery({
      path: "/markup",
      alert: { name: MARKUP, headers },
      record: { name: MARKUP },
    });
    const { page } = visit;
    assert.equal(await code(page, `Response body${ATTEMPT}`).textContent(), MARKUP);
    assert.ok(((await code(page, `Status and headers${ATTEMPT}`).textContent()) ?? "").includes(MARKUP));
    await details(page).getByRole("link", { name: MARKUP }).waitFor();
    await page.getByRole("tab", { name: "Request" }).click();
    assert.ok(((await code(page, `Request line and headers${ATTEMPT}`).textContent()) ?? "").includes(MARKUP));
    await details(page)
      .getByRole("link", { name: /^0{8}-/ })
      .click();
    await page.getByRole("heading", { level: 1, name: MARKUP }).waitFor();
    await page.goBack();
    assert.equal(await page.locator("img").count(), 0);
  });

  test("what was cut and what is not text says so", async () => {
    receiver.script = ({ path }) =>
      path === "/long" ? { body: "x".repeat(20_000) } : { body: new Uint8Array([0, 255, 254, 1]) };
    {
      await using visit = await openDelivery({ path: "/long" });
      await visit.page.getByText("It was longer; its first 16 KB are kept.").waitFor();
    }
    await using visit = await openDelivery({ path: "/binary" });
    await visit.page.getByText("The body is not text: 4 bytes, shown as Base64.").waitFor();
    assert.equal(await code(visit.page, `Response body, Base64${ATTEMPT}`).textContent(), "AP/+AQ==");
  });

  test("the copied cURL, run by a shell, sends the bytes that were sent; secrets are variables", async () => {
    receiver.script = () => ({});
    const headers = [
      { name: "X-Api-Key", value: "s3cr3t", secret: true },
      { name: "X-Quote", value: `it's "$HOME" \`id\``, secret: false },
    ];
    await using visit = await openDelivery({
      path: "/curl?a='1'&b=$x",
      alert: { headers },
      record: { name: `it's \\ $HOME \`id\` "q" @file \u{1f980} \n !!` },
    });
    const { page } = visit;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy as cURL" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.doesNotMatch(command, /s3cr3t/);
    const script = `curl() { printf '%s\\0' "$@"; }\n${command}\n`;
    const printed = execFileSync("sh", [], { input: script, env: { X_API_KEY: "s3cr3t", HOME: "nowhere" } });
    const parts = printed.toString("utf8").split("\0");
    const [sent] = receiver.requests.filter(({ path }) => path.startsWith("/curl"));
    assert.ok(sent !== undefined);
    assert.equal(parts[parts.indexOf("--data-raw") + 1], sent.body.toString("utf8"));
    assert.ok(parts.includes(`${receiver.url}${sent.path}`), parts.join("\n"));
    for (const name of ["x-api-key", "x-quote", "x-service-signature", "webhook-signature", "webhook-id"]) {
      assert.ok(parts.includes(`${name}: ${sent.headers[name]}`), name);
    }
  });

  test("cURL for another address keeps the path", async () => {
    receiver.script = () => ({});
    await using visit = await openDelivery({ path: "/local" });
    const { page } = visit;
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "cURL for another address…" }).click();
    const dialog = page.getByRole("dialog", { name: "cURL for another address" });
    assert.match(
      (await dialog.getByRole("region", { name: "Command" }).textContent()) ?? "",
      /'http:\/\/localhost:3000\/local'/,
    );
    await dialog.getByLabel("Address").fill("not an address");
    await dialog.getByText("Enter an address such as http://localhost:3000.").waitFor();
    await assertSound(page);
  });

  test("its signature is checked on the verification page, filled in", async () => {
    receiver.script = () => ({});
    await using visit = await openDelivery({ path: "/check" });
    const { page } = visit;
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Check this signature" }).click();
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("The signature matches the current secret").waitFor();
  });

  test("opens beside the list and keeps its filters; Escape gives the focus back to the row", async () => {
    receiver.script = () => ({});
    await using visit = await openDelivery({ path: "/focus" });
    const { page } = visit;
    await page.keyboard.press("Escape");
    const row = page
      .getByRole("table")
      .getByRole("link", { name: /Demo viewed/ })
      .first();
    await assertFocused(row);
    await filterBy(page, "Status", "Delivered");
    await row.focus();
    await page.keyboard.press("Enter");
    await assertFocused(details(page));
    await page.waitForURL(/\/deliveries\/dlv_\w+\?status=delivered$/);
    await page.reload();
    await page.getByText("Attempt 1", { exact: true }).waitFor();
    await details(page).getByRole("button", { name: "Close" }).click();
    await page.waitForURL(/\/deliveries\?status=delivered$/);
  });

  for (const options of [
    { scheme: "dark", width: 1400 },
    { scheme: "light", width: 800 },
    { scheme: "dark", width: 320 },
  ] as const) {
    test(`is sound in ${options.scheme} at ${options.width} px`, async () => {
      receiver.script = () => ({ status: 500, body: "x".repeat(3_000) });
      const path = `/sound-${options.width}`;
      await using visit = await openDelivery({ path, attempts: 2 }, options);
      await assertSound(visit.page);
      if (options.width < 1_200) {
        const seenPx = "document.querySelector('h1').closest('header > div').getBoundingClientRect().height";
        await visit.page.getByRole("heading", { level: 1, name: "Delivery" }).waitFor();
        assert.ok((await visit.page.evaluate<number>(seenPx)) <= 1, "the heading in sight says whose it is");
      }
      await visit.page.getByRole("button", { name: "More actions" }).click();
      await visit.page.getByRole("menuitem").first().waitFor();
      await assertSound(visit.page);
    });
  }
});
