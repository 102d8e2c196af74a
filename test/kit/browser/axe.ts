/** axe-core inside a page: every rule of WCAG 2.2 A and AA and its best practices. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** One line for each violation and element; empty when there is none. */
export async function findViolations(page: Page | Frame): Promise<string[]> {
  // By the debugger's protocol and not as a script tag: the page's policy allows none but its own.
  await page.evaluate(SOURCE);
  const violations = await page.evaluate<Violation[]>("axe.run().then(({ violations }) => violations)");
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${help}\n  ${html}\n  ${failureSummary}`),
  );
}

/** Elements that stick out of the window, or make the page scroll sideways: text checks and axe miss it. */
export async function findOverflows(page: Page | Frame): Promise<string[]> {
  const { windowWidth, windowHeight, pageWidth, boxes, wide } = await page.evaluate<Geometry>(GEOMETRY);
  const isOutside = ({ left, top, right, bottom }: Box) =>
    right > left && (left < 0 || top < 0 || right > windowWidth || bottom > windowHeight);
  return [
    ...(pageWidth > windowWidth ? [`the page is ${pageWidth} px wide in a window of ${windowWidth}`] : []),
    ...wide.map((what) => `is wider inside than it is: ${what}`),
    ...boxes.filter(isOutside).map((box) => `sticks out of the window: ${JSON.stringify(box)}`),
  ];
}

/** Texts that are drawn where the window ends and nothing scrolls: they are cut off without an ellipsis. */
export async function findRoomless(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(ROOMLESS);
}

/**
 * Texts beside other nodes of their element: a translator that takes one's place would break the page (web/jsx).
 */
export async function findLooseTexts(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(LOOSE_TEXTS);
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
  /** Popovers that scroll sideways. */
  readonly wide: readonly string[];
}

/** As text, because the types of a page are not those of this program. */
const GEOMETRY = `(() => {
  const floating = document.querySelectorAll("[role=dialog], [role=alertdialog], [role=menu], [role=tooltip]");
  const boxes = [...floating].map((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const what = element.getAttribute("role") + " " + element.textContent.slice(0, 40);
    return { what, left: Math.ceil(left), top: Math.ceil(top), right: Math.floor(right), bottom: Math.floor(bottom) };
  });
  const wide = [...document.querySelectorAll("[popover]:popover-open")]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.outerHTML.slice(0, 120));
  const { clientWidth, scrollWidth } = document.documentElement;
  return { windowWidth: clientWidth, windowHeight: innerHeight, pageWidth: scrollWidth, boxes, wide };
})()`;

const LOOSE_TEXTS = `(() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const loose = [];
  while (walk.nextNode()) {
    const { parentElement, data } = walk.currentNode;
    if (parentElement === document.body || parentElement.childNodes.length === 1) continue;
    loose.push("text beside other nodes: " + JSON.stringify(data) + " in " + parentElement.outerHTML.slice(0, 200));
  }
  return loose;
})()`;

const ROOMLESS = `(() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  const range = document.createRange();
  const isInside = ({ left, right }) => left >= -1 && right <= document.documentElement.clientWidth + 1;
  const mayHide = (element) => {
    const { overflowX, textOverflow } = getComputedStyle(element);
    if (["auto", "scroll"].includes(overflowX) || element.matches(".sr-only")) return true;
    return textOverflow === "ellipsis" && isInside(element.getBoundingClientRect());
  };
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (node.data.trim() === "") continue;
    range.selectNodeContents(node);
    const rect = range.getBoundingClientRect();
    if (rect.width === 0 || isInside(rect)) continue;
    let within = node.parentElement;
    while (within !== null && !mayHide(within)) within = within.parentElement;
    if (within !== null && within !== document.documentElement) continue;
    const { outerHTML } = node.parentElement;
    found.push("cut off: " + JSON.stringify(node.data.slice(0, 40)) + " in " + outerHTML.slice(0, 160));
  }
  return found;
})()`;
