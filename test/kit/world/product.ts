/**
 * A product that frames the dashboard: a page of another site, and the service, both over TLS, as browsers ask for it
 * before they keep a sign-in in a frame. Names are of one machine by the browser's own map, so that sites differ.
 * Third-party cookies are off.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium, type BrowserContext, type Frame, type Page } from "playwright-core";
import type { Embed } from "../../../src/accounts/dashboard-link.ts";
import { CHROMIUM_ARGS, findChromium } from "../browser/chromium.ts";
import { freePort } from "../process/running.ts";
import { startTlsFront } from "../servers/tls-front.ts";
import { API_KEY } from "./app-under-test.ts";
import { type Dashboard, OWNERS_ACCOUNT, startDashboard } from "./dashboard.ts";

/** It frames whatever address its own names, notes what the frame says, and is as high as the frame says. */
const PAGE = `<!doctype html><html lang="en"><head><title>Product</title><style>
  body { margin: 0; }
  iframe { display: block; width: 100%; height: 800px; border: 0; }
</style></head><body><h1>Webhooks</h1><script>
  window.heard = [];
  const frame = document.createElement("iframe");
  addEventListener("message", ({ data, origin }) => {
    heard.push({ origin, data });
    if (data.type === "bellwire:height") frame.style.height = data.height + "px";
  });
  const src = decodeURIComponent(location.hash.slice(1));
  Object.assign(frame, { src, title: "Webhooks", allow: "clipboard-write" });
  document.body.append(frame);
</script></body></html>`;

export interface Product extends AsyncDisposable {
  /** Of the page around the frame. */
  readonly origin: string;
  /** Where the service is seen. */
  readonly service: string;
  readonly dashboard: Dashboard;
  /** As the product's back end calls the service, below the account's address. */
  call(path: string, body: unknown): Promise<unknown>;
  /** For ana@example.com unless said. */
  makeLink(embed: Embed, person?: string): Promise<string>;
  /** `origin` is the product's unless said. */
  open(link: string, where?: { readonly origin?: string }): Promise<Opened>;
}

export interface Opened extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly frame: Frame;
  readonly errors: readonly string[];
}

interface ProductOptions {
  readonly env?: Readonly<Record<string, string>>;
}

export async function startProduct({ env = {} }: ProductOptions = {}): Promise<Product> {
  await using starting = new AsyncDisposableStack();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  starting.defer(() => void server.close());
  const productFront = starting.use(await startTlsFront((server.address() as AddressInfo).port));
  const origin = `https://product.example:${productFront.port}`;
  const port = await freePort();
  const front = starting.use(await startTlsFront(port));
  const service = `https://hooks.example:${front.port}`;
  const places = {
    BELLWIRE_PORT: String(port),
    BELLWIRE_PUBLIC_URL: service,
    BELLWIRE_EMBED_ORIGINS: `${origin},https://unused.example`,
  };
  const dashboard = starting.use(await startDashboard({ env: { ...places, ...env } }));
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [...CHROMIUM_ARGS, "--host-resolver-rules=MAP *.example 127.0.0.1"],
    headless: true,
  });
  starting.defer(() => browser.close());
  const parts = starting.move();

  async function open(link: string, where: { readonly origin?: string } = {}): Promise<Opened> {
    await using opening = new AsyncDisposableStack();
    const context = await browser.newContext({ ignoreHTTPSErrors: true, colorScheme: "light" });
    opening.defer(() => context.close());
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    await refuseCookiesOfOthers(context, page);
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`${where.origin ?? origin}/#${encodeURIComponent(link)}`);
    const frame = page.frames().find((each) => each !== page.mainFrame());
    assert.ok(frame !== undefined);
    const closing = opening.move();
    return { context, page, frame, errors, [Symbol.asyncDispose]: () => closing.disposeAsync() };
  }

  async function call(path: string, body: unknown): Promise<unknown> {
    const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}/v1/accounts/${OWNERS_ACCOUNT}/${path}`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${answer.status}`);
    return await answer.json();
  }

  return {
    origin,
    service,
    dashboard,
    call,
    makeLink: async (embed, person = "ana@example.com") =>
      ((await call("dashboard-links", { person, embed })) as { url: string }).url,
    open,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Guess: a browser and a service beside other tests. */
const TIMEOUT_MS = 15_000;

/** As a reader's own setting does: a headless browser reads no preferences. */
async function refuseCookiesOfOthers(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCookieControls", { enableThirdPartyCookieRestriction: true });
}
