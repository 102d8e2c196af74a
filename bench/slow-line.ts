/**
 * `npm run bench -- slow-line [--page /] [--against <commit>]`: a page of the dashboard, its deliveries where none is
 * named, from a cold start on a slow line, in Chromium with 400 ms to each answer and 50 KB/s, over HTTP/1.1 as the
 * service serves it. It prints when something useful is painted, when the first list's rows are there, how many
 * requests and bytes came before them, and what the next page costs once the browser is idle. With `--against` the
 * commit's service and page are measured in turn with those that are here. `--turns 5`, `--latency 400` and `--kb 50`
 * change what they say.
 *
 * Ends with 1 when what is here misses an aim.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { CHROMIUM_ARGS, findChromium } from "../test/kit/browser/chromium.ts";
import { newDiskFolder } from "../test/kit/folder.ts";
import { ACCOUNT, drained, type Running, startService } from "../test/kit/process/running.ts";
import { startReceiver } from "../test/kit/servers/receiver.ts";
import { uuid } from "../test/kit/world/world.ts";
import { demoViewed } from "../src/events/demo-viewed.ts";
import { describeHost } from "./conditions.ts";
import { checkOut, HERE, type Tree } from "../test/kit/process/checkout.ts";
import { setUpIn } from "./path/tree.ts";
import { head, row } from "./markdown.ts";
import { type Loaded, watchLoads } from "./slow-line/loads.ts";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    page: { type: "string", default: "/deliveries" },
    turns: { type: "string", default: "3" },
    latency: { type: "string", default: "400" },
    kb: { type: "string", default: "50" },
  },
});
const TURNS = Number(values.turns);
const KB = 1_024;
const LINE = { latencyMs: Number(values.latency), bytesPerSecond: Number(values.kb) * KB };
/** Six pages of the log. */
const RECORDS = 300;
const AIMS = { usefulMs: 1_500, listMs: 4_000, requests: 12, kb: 110 };

interface Subject {
  readonly name: string;
  readonly service: Running;
}

interface Measured {
  readonly usefulMs: number;
  readonly listMs: number;
  readonly toList: Loaded;
  readonly whole: Loaded;
  readonly next: { readonly tookMs: number; readonly code: number };
}

/** In milliseconds since the page was asked for; `listAtMs` since 1970. */
interface Seen {
  readonly usefulMs: number;
  readonly listMs: number;
  readonly listAtMs: number;
}

/** As text, because the types of a page are not those of this program. Useful: the links to all pages, painted. */
const WATCH = `(() => {
  const at = {};
  const look = () => {
    const note = (name, pattern) => {
      if (at[name] === undefined && document.querySelector(pattern) !== null) at[name] = performance.now();
    };
    note("links", "nav a");
    note("list", "main tbody a[data-row]");
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  window.seen = () => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity;
    return { usefulMs: Math.max(paint, at.links), listMs: at.list, listAtMs: performance.timeOrigin + at.list };
  };
})()`;

const folder = newDiskFolder("slow-line");
process.exit((await measure()) ? 0 : 1);

async function measure(): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const trees = values.against === undefined ? [HERE] : [checkOutWithPage(values.against), HERE];
  const subjects: Subject[] = [];
  for (const tree of trees) subjects.push(await start(stack, tree, receiver.url));
  const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS, headless: true });
  stack.defer(() => browser.close());
  console.log(`- ${describeHost()}; Chromium ${browser.version()}`);
  console.log(`- ${values.latency} ms and ${values.kb} KB/s by Chromium's own throttle; nothing is in its cache`);
  console.log(
    `- ${values.page} of an account with ${RECORDS}; ${TURNS} turns, medians; a KB is 1,024 bytes on the wire\n`,
  );
  head("Page", "useful, s", "list, s", "requests", "KB", "in all", "KB", "next page, s", "its requests for code");
  const taken = new Map<string, Measured[]>(subjects.map(({ name }) => [name, []]));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const subject of subjects) taken.get(subject.name)?.push(await measureOne(browser, subject.service));
  }
  const medians = subjects.map(({ name }) => print(name, taken.get(name) ?? []));
  return isGood(medians.at(-1));
}

function checkOutWithPage(commit: string): Tree {
  const tree = checkOut(commit, folder);
  rmSync(join(tree.root, "web", "dist"), { recursive: true });
  execFileSync(process.execPath, ["tools/web.ts"], { cwd: tree.root });
  return tree;
}

async function start(stack: AsyncDisposableStack, tree: Tree, url: string): Promise<Subject> {
  const dataDir = join(folder, `data-${tree.name}`);
  await setUpIn(tree, { dataDir, alerts: [{ name: "CRM", url }] });
  const program = [join(tree.root, "bin", "bellwire.js"), "serve"];
  const service = stack.use(await startService({ dataDir, program }));
  const records = Array.from({ length: RECORDS }, (_, index) =>
    JSON.stringify({ ...demoViewed.example, id: uuid(index + 1) }),
  );
  for (let from = 0; from < RECORDS; from += 100) {
    const lines = records.slice(from, from + 100).join("\n");
    await service.post("demo-sessions", `${lines}\n`, { type: "application/x-ndjson" });
  }
  await drained(service);
  return { name: tree.name, service };
}

async function measureOne(browser: Browser, service: Running): Promise<Measured> {
  await using context = await openSignedIn(browser, service);
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const loads = await watchLoads(page, LINE);
  await page.goto(`${service.url}${values.page}`, { waitUntil: "commit" });
  await page.locator("main tbody a[data-row]").first().waitFor();
  const { usefulMs, listMs, listAtMs } = await page.evaluate<Seen>("window.seen()");
  await loads.untilQuiet();
  const whole = loads.read(Number.POSITIVE_INFINITY);
  return { usefulMs, listMs, toList: loads.read(listAtMs), whole, next: await goOn(page) };
}

/** To another page of the dashboard, which this browser has not seen. */
async function goOn(page: Page): Promise<Measured["next"]> {
  let code = 0;
  page.on("request", (request) => void (request.url().includes("/assets/") && (code += 1)));
  const startedMs = performance.now();
  await page.getByRole("link", { name: "Event catalog" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Event catalog" }).waitFor();
  return { tookMs: performance.now() - startedMs, code };
}

async function openSignedIn(browser: Browser, service: Running): Promise<BrowserContext> {
  const context = await browser.newContext();
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
  const made = await fetch(`${service.url}/v1/accounts/${ACCOUNT}/dashboard-links`, { method: "POST", headers });
  const { url } = (await made.json()) as { url: string };
  const origin = new URL(service.url).origin;
  const data = { token: url.slice(url.lastIndexOf("/") + 1) };
  const options = { data, headers: { origin, "sec-fetch-site": "same-origin" } };
  const answer = await context.request.post(`${service.url}/dashboard/sign-in`, options);
  if (!answer.ok()) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`);
  return context;
}

function print(name: string, all: readonly Measured[]): Measured | undefined {
  const sorted = all.toSorted((one, other) => one.listMs - other.listMs);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return undefined;
  const { usefulMs, listMs, toList, whole, next } = median;
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const kb = ({ bytes }: Loaded): string => (bytes / KB).toFixed(0);
  row(
    name,
    seconds(usefulMs),
    seconds(listMs),
    ...[toList, whole].flatMap((loaded) => [loaded.requests, kb(loaded)]),
    seconds(next.tookMs),
    next.code,
  );
  return median;
}

function isGood(here: Measured | undefined): boolean {
  if (here === undefined) return false;
  const { usefulMs, listMs, toList } = here;
  const isKept = usefulMs <= AIMS.usefulMs && listMs <= AIMS.listMs;
  const isSmall = toList.requests <= AIMS.requests && toList.bytes <= AIMS.kb * KB;
  console.log(
    `\naims: useful in ${AIMS.usefulMs / 1_000} s, the list in ${AIMS.listMs / 1_000} s, with ${AIMS.requests} ` +
      `requests and ${AIMS.kb} KB: ${isKept && isSmall ? "kept" : "MISSED"}`,
  );
  return isKept && isSmall;
}
