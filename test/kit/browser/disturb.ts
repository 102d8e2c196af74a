/**
 * Others that change a page: a browser's translator, and extensions. Each changes what is there when the page opens,
 * and again after each change that anybody makes. None changes a word, so that a test which reads the page
 * reads the same, and finds a text that the page wrote to a node which is not in it any more.
 */
import type { BrowserContext } from "playwright-core";

export const DISTURBANCES = ["fonts", "moved-into-fonts", "split", "replaced", "extensions"] as const;
export type Disturbance = (typeof DISTURBANCES)[number];

/** From the next page on that this window opens. */
export async function disturb(context: BrowserContext, how: Disturbance): Promise<void> {
  await context.addInitScript(`(${DISTURB})(${JSON.stringify(how)})`);
}

/** As text, because the types of a page are not those of this program. */
const DISTURB = `(how) => {
  const inFonts = (node) => {
    const outer = document.createElement("font");
    outer.style.verticalAlign = "inherit";
    outer.append(document.createElement("font"));
    outer.firstChild.style.verticalAlign = "inherit";
    outer.firstChild.append(node);
    return outer;
  };
  const isDone = (node) => node.parentElement?.localName === "font" || node.isDone === true;
  const eachText = (change) => () => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walk.nextNode()) found.push(walk.currentNode);
    for (const node of found) {
      const within = node.parentElement?.localName;
      if (isDone(node) || ["script", "style", "noscript", "textarea", "option"].includes(within)) continue;
      node.isDone = true;
      change(node);
    }
  };
  const beside = (node, name) => {
    if (node.nextElementSibling?.localName !== name) node.after(document.createElement(name));
  };
  const ways = {
    // Chrome's own and the old widget of Google.
    "fonts": eachText((node) => node.replaceWith(inFonts(node.data))),
    "moved-into-fonts": eachText((node) => {
      const place = document.createComment("");
      node.replaceWith(place);
      place.replaceWith(inFonts(node));
    }),
    // Those that mark words, and those that look numbers up.
    "split": eachText((node) => {
      if (node.data.length > 1) node.splitText(Math.floor(node.data.length / 2)).isDone = true;
    }),
    "replaced": eachText((node) => {
      const other = document.createTextNode(node.data);
      other.isDone = true;
      node.replaceWith(other);
    }),
    // Password managers, writing aids, dark pages, cleaners.
    "extensions": () => {
      for (const input of document.querySelectorAll("#root input")) beside(input, "password-icon");
      for (const area of document.querySelectorAll("textarea")) {
        area.dataset.gramm = "false";
        beside(area, "writing-aid");
      }
      for (const link of document.querySelectorAll("#root a")) {
        if (link.querySelector("link-mark") === null) link.append(document.createElement("link-mark"));
      }
      if (document.querySelector("meta.dark") === null) {
        document.head.append(Object.assign(document.createElement("meta"), { className: "dark" }));
      }
      document.documentElement.lang = "de";
      document.documentElement.classList.add("translated-ltr");
      document.body.normalize();
    },
  };
  const observer = new MutationObserver(() => again());
  const again = () => {
    ways[how]();
    observer.takeRecords();
  };
  const start = () => {
    again();
    observer.observe(document.documentElement, { childList: true, characterData: true, subtree: true });
  };
  if (document.body === null) document.addEventListener("DOMContentLoaded", start);
  else start();
}`;
