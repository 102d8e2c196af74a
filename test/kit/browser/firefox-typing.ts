/**
 * Texts into Firefox's fields. Playwright sets their values over WebDriver BiDi in a way that brings no event, so that
 * React never hears of it; here the browser's own editing command does it, which is what a paste does.
 */
import type { Locator, Page } from "playwright-core";

const pages = new WeakSet<Page>();
let isPatched = false;

/** From now on `fill` and `keyboard.insertText` of this page are seen by React. */
export function typeByCommand(page: Page): void {
  pages.add(page);
  page.keyboard.insertText = async (text) => void (await page.evaluate(call(INSERT, text)));
  if (isPatched) return;
  isPatched = true;
  const locators = Object.getPrototypeOf(page.locator("html")) as Locator;
  const { fill } = locators;
  locators.fill = async function fillIn(this: Locator, text, options) {
    if (!pages.has(this.page())) return await fill.call(this, text, options);
    await this.focus();
    await this.page().evaluate(call(FILL, text));
  };
}

const call = (code: string, text: string): string => `(${code})(document.activeElement, ${JSON.stringify(text)})`;

/** As texts, because the types of a page are not those of this program. */
const INSERT = `(_, text) => document.execCommand("insertText", false, text)`;

/** Fields with parts of their own, such as a date's, take no command: their value is set, and said to be. */
const FILL = `(element, text) => {
  if (["text", "search", "url", "email", "password", "textarea"].includes(element.type)) {
    element.select();
    if (element.value !== text) document.execCommand(text === "" ? "delete" : "insertText", false, text);
    return;
  }
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value").set.call(element, text);
  element.dispatchEvent(new Event("input", { bubbles: true }));
}`;
