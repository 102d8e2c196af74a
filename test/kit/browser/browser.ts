/**
 * A browser whose pages tell on themselves: a console error, an uncaught exception, a breach of the content security
 * policy or a request to another origin is a fault, and `close` of a page with a fault fails the test.
 *
 *     await using browser = await openBrowser();
 *     await using visit = await browser.visit(signInLink);
 *     await visit.page.getByRole("heading", { name: "Sign in to Bellwire" }).waitFor();
 */
import { type Browser as Playwrights, type Page, chromium, firefox } from "playwright-core";
import { CHROMIUM_ARGS, findChromium } from "./chromium.ts";
import { DISTURBANCES, type Disturbance, disturb } from "./disturb.ts";
import { findFirefox } from "./firefox.ts";
import { typeByCommand } from "./firefox-typing.ts";

export const ENGINES = ["chromium", "firefox"] as const;
export type Engine = (typeof ENGINES)[number];

/** `E2E_ENGINE=firefox` runs browser tests in the machine's own Firefox: see CONTRIBUTING.md. */
const ENGINE: Engine = process.env["E2E_ENGINE"] === "firefox" ? "firefox" : "chromium";

/** `E2E_DISTURBANCE=fonts` runs browser tests while a translator changes their pages (disturb.ts). */
const DISTURBANCE = DISTURBANCES.find((name) => name === process.env["E2E_DISTURBANCE"]);

export interface VisitOptions {
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  /** Cookies and storage of a visit before, so that one sign-in serves many pages. */
  readonly as?: Visit;
  /** Console messages that this test provokes itself, such as the browser's line for each answer of 4xx or 5xx. */
  readonly expected?: readonly RegExp[];
  readonly timeZone?: string;
  /** Who else changes the page. */
  readonly disturbance?: Disturbance | undefined;
}

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Faults so far; looked at when the visit ends. */
  readonly faults: readonly string[];
}

export interface Browser extends AsyncDisposable {
  visit(url: string, options?: VisitOptions): Promise<Visit>;
}

/** Guess: a page of ours answers in milliseconds; on two cores beside twenty busy processes it has taken seconds. */
const PATIENCE_MS = 30_000;

export async function openBrowser(engine: Engine = ENGINE): Promise<Browser> {
  const browser = await launch(engine);
  return {
    async visit(url, options = {}) {
      const { scheme = "light", width = 1280, height = 900, as, expected = [], timeZone = "UTC" } = options;
      const { disturbance = DISTURBANCE } = options;
      const context = await browser.newContext({
        colorScheme: scheme,
        viewport: { width, height },
        timezoneId: timeZone,
        locale: "en-GB",
        reducedMotion: "reduce",
        ...(as === undefined ? {} : { storageState: await as.page.context().storageState() }),
      });
      if (disturbance !== undefined) await disturb(context, disturbance);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      if (engine === "firefox") typeByCommand(page);
      const faults = watch(page, new URL(url).origin, expected);
      await page.goto(url);
      return {
        page,
        faults,
        async [Symbol.asyncDispose]() {
          await context.close();
          if (faults.length > 0) throw new Error(`the page had faults:\n${faults.join("\n")}`);
        },
      };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function launch(engine: Engine): Promise<Playwrights> {
  if (engine === "chromium") {
    return await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS, headless: true });
  }
  const executablePath = findFirefox();
  if (executablePath === null) throw new Error("this machine has no Firefox");
  // The machine's own Firefox, over WebDriver BiDi: Playwright's patched one is not on npm.
  return await firefox.launch({ channel: "moz-firefox", executablePath, headless: true });
}

/** Chromium writes breaches of the policy to the console as errors, so one listener sees both. */
function watch(page: Page, origin: string, expected: readonly RegExp[]): string[] {
  const faults: string[] = [];
  const note = (fault: string) => {
    if (!expected.some((pattern) => pattern.test(fault))) faults.push(fault);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      note(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => note(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("data:") && !url.startsWith("blob:")) note(`foreign: ${url}`);
  });
  return faults;
}
