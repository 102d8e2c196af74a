/**
 * The dashboard inside a product: a page of another site frames one page of it over TLS, as browsers ask for it before
 * they keep a sign-in in a frame. Names are of one machine by the browser's own map, so that sites differ.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { chromium, type BrowserContext, type Frame, type Page } from "playwright-core";
import { newFolder } from "../../test/kit/folder.ts";
import { findOverflows, findViolations } from "../../test/kit/browser/axe.ts";
import { CHROMIUM_ARGS, findChromium } from "../../test/kit/browser/chromium.ts";
import { freePort } from "../../test/kit/process/running.ts";
import { startReceiver } from "../../test/kit/servers/receiver.ts";
import { startTlsFront } from "../../test/kit/servers/tls-front.ts";
import { API_KEY } from "../../test/kit/world/app-under-test.ts";
import { OWNERS_ACCOUNT, startDashboard } from "../../test/kit/world/dashboard.ts";
import { uuid } from "../../test/kit/world/world.ts";
import { demoViewed } from "../../src/events/demo-viewed.ts";

const parts = new AsyncDisposableStack();
after(() => parts.disposeAsync());

/** The product's page: it frames whatever address its own names, and notes what the frame says. */
const PRODUCT_PAGE = `<!doctype html><html lang="en"><head><title>Product</title></head>
<body style="margin:0;background:#0e1116"><script>
  window.heard = [];
  addEventListener("message", ({ data, origin }) => heard.push(origin + " " + data));
  const frame = document.createElement("iframe");
  const src = decodeURIComponent(location.hash.slice(1));
  Object.assign(frame, { src, title: "Webhooks", width: 1000, height: 800 });
  frame.allow = "clipboard-write";
  document.body.append(frame);
</script></body></html>`;

const productServer = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end(PRODUCT_PAGE);
});
await new Promise<void>((resolve) => productServer.listen(0, "127.0.0.1", resolve));
parts.defer(() => void productServer.close());
const productFront = parts.use(await startTlsFront((productServer.address() as AddressInfo).port));
const product = `https://product.example:${productFront.port}`;

/** The product's brand; in the dark theme its green is too dark for buttons, and is drawn lighter. */
const folder = parts.use(newFolder());
const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="#064"/></svg>';
writeFileSync(join(folder.path, "mark.svg"), MARK);
const brand = {
  BELLWIRE_BRAND_NAME: "Acme Hooks",
  BELLWIRE_BRAND_LOGO: join(folder.path, "mark.svg"),
  BELLWIRE_BRAND_COLOR: "#06452b",
};

const port = await freePort();
const front = parts.use(await startTlsFront(port));
const service = `https://hooks.example:${front.port}`;
const dashboard = parts.use(
  await startDashboard({
    env: { BELLWIRE_PORT: String(port), BELLWIRE_PUBLIC_URL: service, BELLWIRE_EMBED_ORIGINS: product, ...brand },
  }),
);
const receiver = parts.use(await startReceiver());
const browser = await chromium.launch({
  executablePath: await findChromium(),
  args: [...CHROMIUM_ARGS, "--host-resolver-rules=MAP *.example 127.0.0.1"],
  headless: true,
});
parts.defer(() => browser.close());

/** As the product's back end calls it. */
async function callService(path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const url = `http://127.0.0.1:${port}/v1/accounts/${OWNERS_ACCOUNT}/${path}`;
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${answer.status}`);
  return await answer.json();
}

async function makeLink(page: string, theme: "light" | "dark"): Promise<string> {
  const made = await callService("dashboard-links", { person: "ana@example.com", embed: { page, theme } });
  return (made as { url: string }).url;
}

interface Opened extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly frame: Frame;
  readonly errors: readonly string[];
}

async function openProduct(origin: string, link: string): Promise<Opened> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, colorScheme: "light" });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${origin}/#${encodeURIComponent(link)}`);
  const frame = page.frames().find((each) => each !== page.mainFrame());
  assert.ok(frame !== undefined);
  return { context, page, frame, errors, [Symbol.asyncDispose]: () => context.close() };
}

/** Alone: nothing of ours around it, and no link that leads out of it. */
async function assertAlone(frame: Frame): Promise<void> {
  assert.equal(await frame.getByRole("navigation").count(), 0);
  const hrefs = await frame.evaluate<string[]>(`[...document.querySelectorAll("a")].map((a) => a.pathname)`);
  assert.deepEqual(
    hrefs.filter((path) => !/^\/settings\/alerts(?:\/|$)/.test(path)),
    [],
  );
  assert.deepEqual(await findViolations(frame), []);
  assert.deepEqual(await findOverflows(frame), []);
}

/** A heading for screen readers alone is one pixel wide. */
async function headingWidth(frame: Frame, name: string): Promise<number> {
  const heading = frame.getByRole("heading", { level: 1, name });
  await heading.waitFor();
  return (await heading.boundingBox())?.width ?? 0;
}

/** Behind the answer to this very call, which would not come any more. */
const reload = (frame: Frame): Promise<unknown> =>
  Promise.all([frame.waitForNavigation(), frame.evaluate("void setTimeout(() => location.reload())")]);

describe("a page of the product's own site", () => {
  test("shows Settings → Alerts in its theme, signs in by link, and saves an alert", async () => {
    await using opened = await openProduct(product, await makeLink("/settings/alerts", "dark"));
    const { context, page, frame, errors } = opened;
    await frame.getByRole("heading", { name: "No alerts yet" }).waitFor();
    assert.equal(await frame.evaluate("getComputedStyle(document.documentElement).colorScheme"), "dark");
    await assertAlone(frame);
    assert.ok((await headingWidth(frame, "Alerts")) <= 1, "a second heading below the product's own");

    await frame.getByRole("link", { name: "Create the first alert" }).click();
    assert.ok((await headingWidth(frame, "New alert")) > 1, "a page below says its name");
    await frame.getByLabel("Name", { exact: true }).fill("New leads");
    await frame.getByLabel("Webhook URL").fill(`${receiver.url}/leads`);
    await frame.getByRole("button", { name: "Test webhook" }).click();
    await frame.getByText("Your endpoint accepted the test.").waitFor();
    await frame.getByRole("button", { name: "Save", exact: true }).click();
    await frame.getByText("Saved.", { exact: true }).waitFor();
    await assertAlone(frame);
    await frame.getByRole("link", { name: "Back to alerts" }).click();
    const row = frame.getByRole("row", { name: /New leads/ });
    await row.getByText("No deliveries yet").waitFor();
    // News come into the frame by themselves.
    await callService("demo-sessions", { ...demoViewed.example, id: uuid(1) });
    await row.getByText("Healthy").waitFor();
    await assertAlone(frame);

    const [cookie] = await context.cookies();
    assert.deepEqual(
      [cookie?.sameSite, cookie?.secure, cookie?.partitionKey],
      ["None", true, "https://product.example"],
    );
    await reload(frame);
    await frame.getByRole("row", { name: /New leads/ }).waitFor();
    await assertAlone(frame);
    assert.deepEqual(errors, []);

    // It is signed in inside of the product, and nowhere else.
    const own = await context.newPage();
    await own.goto(`${service}/settings/alerts`);
    await own.getByRole("heading", { name: "Sign in with a link" }).waitFor();
    await own.getByRole("link", { name: "Acme Hooks, overview" }).waitFor();
    assert.equal(await own.title(), "Sign in · Acme Hooks");
    assert.equal(await own.evaluate("document.querySelector('img[src$=brand-logo]').naturalWidth > 0"), true);
    for (const colorScheme of ["light", "dark"] as const) {
      await own.emulateMedia({ colorScheme });
      assert.deepEqual(await findViolations(own), []);
    }

    const { store, clock } = dashboard.app.accounts;
    const by = { person: "ana@example.com", role: "owner" } as const;
    await store.endSessions({ accountId: OWNERS_ACCOUNT, which: { kind: "all" }, by, nowMs: clock.nowMs() });
    await reload(frame);
    await frame.getByRole("heading", { name: "You are signed out" }).waitFor();
    await frame.getByText(/^Reload the page around this one/).waitFor();
    assert.deepEqual(await page.evaluate("heard"), [`${service} bellwire:signed-out`]);
    assert.deepEqual(await findViolations(frame), []);
  });

  test("is told what to do when its link was used", async () => {
    const link = await makeLink("/settings/alerts", "light");
    {
      await using first = await openProduct(product, link);
      await first.frame.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
    }
    await using again = await openProduct(product, link);
    await again.frame.getByRole("heading", { name: "This link does not work any more" }).waitFor();
    await again.frame.getByText(/^Reload the page around this one/).waitFor();
    assert.equal(await again.frame.evaluate("document.documentElement.dataset.theme"), "light");
  });
});

test("no other site can frame it, and its link stays unused", async () => {
  const link = await makeLink("/settings/alerts", "dark");
  const stranger = product.replace("product", "stranger");
  {
    await using opened = await openProduct(stranger, link);
    const { page, errors } = opened;
    while (!errors.some((text) => text.includes("frame-ancestors"))) await page.waitForEvent("console");
    assert.match(errors.join("\n"), new RegExp(`Framing '${service}/' violates .*frame-ancestors ${product}`));
    assert.deepEqual(
      page.frames().filter((frame) => frame.url().startsWith(service)),
      [],
    );
  }
  await using opened = await openProduct(product, link);
  await opened.frame.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
});
