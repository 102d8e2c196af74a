/** axe-core inside a page: every rule of WCAG 2.2 A and AA and its best practices. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** One line for each violation and element; empty when there is none. */
export async function findViolations(page: Page): Promise<string[]> {
  // By the debugger's protocol and not as a script tag: the page's policy allows none but its own.
  await page.evaluate(SOURCE);
  const violations = await page.evaluate<Violation[]>("axe.run().then(({ violations }) => violations)");
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`),
  );
}

/** Elements that stick out of the window, or make the page scroll sideways: text checks and axe miss it. */
export async function findOverflows(page: Page): Promise<string[]> {
  const { windowWidth, windowHeight, pageWidth, boxes } = await page.evaluate<Geometry>(GEOMETRY);
  const isOutside = ({ left, top, right, bottom }: Box) =>
    right > left && (left < 0 || top < 0 || right > windowWidth || bottom > windowHeight);
  return [
    ...(pageWidth > windowWidth ? [`the page is ${pageWidth} px wide in a window of ${windowWidth}`] : []),
    ...boxes.filter(isOutside).map((box) => `sticks out of the window: ${JSON.stringify(box)}`),
  ];
}

interface Box {
  readonly what: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Geometry {
  readonly windowWidth: number;
  readonly windowHeight: number;
  readonly pageWidth: number;
  readonly boxes: readonly Box[];
}

/** As text, because the types of a page are not those of this program. */
const GEOMETRY = `(() => {
  const floating = document.querySelectorAll("[role=dialog], [role=alertdialog], [role=menu], [role=tooltip]");
  const boxes = [...floating].map((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const what = element.getAttribute("role") + " " + element.textContent.slice(0, 40);
    return { what, left: Math.ceil(left), top: Math.ceil(top), right: Math.floor(right), bottom: Math.floor(bottom) };
  });
  const { clientWidth, scrollWidth } = document.documentElement;
  return { windowWidth: clientWidth, windowHeight: innerHeight, pageWidth: scrollWidth, boxes };
})()`;
