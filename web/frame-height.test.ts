/** What a frame says to the page around it. Of the browser only the frame's window and its observer are made up. */
import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";
import type { fitIntoParent as FitIntoParent } from "./frame-height.ts";

const PRODUCTS = ["https://app.example.com", "https://b.example"] as const;

interface Told {
  readonly message: { readonly type: string; readonly height: number };
  readonly origin: string;
}

const told: Told[] = [];
/** What the browser does with the frame after each word of it. */
let react = (): void => {};
let size = { width: 0, height: 0 };
let observe: () => void;
let fitIntoParent: typeof FitIntoParent;

before(async () => {
  const dataset = { embed: "/settings/alerts", parents: PRODUCTS.join(" ") };
  const parent = {
    postMessage: (message: Told["message"], origin: string): void => {
      told.push({ message, origin });
      react();
    },
  };
  Object.assign(globalThis, {
    window: { parent },
    document: { documentElement: { dataset } },
    addEventListener: () => {},
    ResizeObserver: class {
      constructor(hear: () => void) {
        observe = hear;
      }
      observe(): void {}
    },
  });
  ({ fitIntoParent } = await import("./frame-height.ts"));
});

beforeEach(() => {
  told.length = 0;
  react = () => {};
  fitIntoParent({ getBoundingClientRect: () => size } as HTMLElement);
});

function become(width: number, height: number): void {
  size = { width, height };
  observe();
}

/** To one of the two origins, which hear the same. */
const heights = (): number[] =>
  told.filter(({ origin }) => origin === PRODUCTS[0]).map(({ message }) => message.height);

test("is heard by the origins that may frame it, each by its name, and by nobody else", () => {
  become(800, 900);
  assert.deepEqual(told, [
    { message: { type: "bellwire:height", height: 900 }, origin: PRODUCTS[0] },
    { message: { type: "bellwire:height", height: 900 }, origin: PRODUCTS[1] },
  ]);
});

describe("the height", () => {
  test("is told when it changes, both ways, and never below the least", () => {
    for (const height of [900, 900, 1_200, 700, 100, 90]) become(800, height);
    assert.deepEqual(heights(), [900, 1_200, 700, 480]);
  });

  test("comes to rest where the scroll bar of the page around it makes the frame narrower, and so lower", () => {
    // At 640 px 1,068 high and at 625 px 1,047, as a form with many tabs was; the window has room for 1,060.
    const draw = (): void => {
      const hasBar = (heights().at(-1) ?? 0) > 1_060;
      size = hasBar ? { width: 625, height: 1_047 } : { width: 640, height: 1_068 };
    };
    react = draw;
    become(640, 1_068);
    for (let frame = 0; frame < 100; frame += 1) observe();
    assert.deepEqual(heights(), [1_068, 1_047, 1_068]);
    // What happens next is told again: somebody opens a part of the page.
    react = () => {};
    become(625, 1_300);
    become(625, 1_047);
    become(900, 800);
    become(625, 1_047);
    become(900, 800);
    assert.deepEqual(heights().slice(3), [1_300, 1_047, 800, 1_047, 800]);
  });
});
