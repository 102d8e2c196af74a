import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readToken } from "../../test/kit/tokens.ts";
import { contrast } from "./brand.ts";
import { type Look, makeLookColors, OUR_COLORS, readLook, STATE_COLORS } from "./look.ts";

const OURS = "#3d52d5";
const make = (look: Look, theme: "light" | "dark" | null = null) => makeLookColors(look, { theme, accent: OURS });

/** The message of a refusal, behind its path. */
function refusal(look: Look, theme: "light" | "dark" | null = null): string {
  const made = make(look, theme);
  assert.ok(!made.ok);
  return `${made.error.path}: ${made.error.message}`;
}

test("what a look leaves out is what the page has", () => {
  for (const [place, scheme] of (["light", "dark"] as const).entries()) {
    const { background, text } = OUR_COLORS[scheme];
    assert.deepEqual([background, text], [readToken("canvas")[place], readToken("ink")[place]]);
  }
  for (const [state, color] of Object.entries(STATE_COLORS)) assert.equal(color, readToken(`${state}-mark`)[0]);
});

const channel = fc.integer({ min: 0, max: 255 });
const color = fc
  .tuple(channel, channel, channel)
  .map((parts) => `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`);
const text = fc.oneof(color, fc.constantFrom("#000000", "#ffffff"));
const looks = fc.record({ background: color, surface: color, text, accent: color }, { requiredKeys: [] });

const GROUNDS = ["canvas", "surface", "raised", "sunken", "hover"];
const STATES = ["ok", "warn", "bad", "info"];

test("text can be read, and controls and states be seen, in every look that is taken", () => {
  let taken = 0;
  fc.assert(
    fc.property(looks, (look) => {
      const made = make(look);
      if (!made.ok || made.value.scheme === null) return;
      taken += 1;
      const { light: colors } = made.value;
      const least = (front: string, grounds: readonly string[], ratio: number): void => {
        for (const ground of grounds) {
          const found = contrast(colors[front] ?? "", colors[ground] ?? "");
          assert.ok(found >= ratio, `${JSON.stringify(look)}: ${front} on ${ground} ${found}`);
        }
      };
      const softs = [...STATES.map((state) => `${state}-soft`), "accent-soft"];
      for (const ink of ["ink", "ink-soft", "ink-faint"]) least(ink, [...GROUNDS, ...softs], 4.5);
      least("accent", [...GROUNDS, "accent-soft"], 4.5);
      for (const state of STATES) {
        least(state, [...GROUNDS, `${state}-soft`], 4.5);
        least(`${state}-mark`, ["canvas", "surface", "raised"], 3);
      }
      least("line-strong", ["canvas", "surface", "raised"], 3);
      assert.ok(contrast("#ffffff", colors["accent-solid"] ?? "") >= 4.5);
    }),
    { numRuns: 1_500 },
  );
  assert.ok(taken > 100, `${taken} looks were taken`);
});

test("text that cannot be read is refused, and the one that is named instead is taken", () => {
  assert.equal(
    refusal({ background: "#ffffff", text: "#888888" }),
    "text: has a contrast of 3.5 on #ffffff, and needs 4.5; #767676 has it",
  );
  assert.ok(make({ background: "#ffffff", text: "#767676" }).ok);
  assert.match(refusal({ background: "#888888", surface: "#000000", text: "#000000" }), /too far apart for any text$/);
});

test("the colours say the scheme, and one that is said otherwise is refused", () => {
  const scheme = (look: Look) => {
    const made = make(look);
    return made.ok ? made.value.scheme : made.error.message;
  };
  assert.deepEqual([{ background: "#14110f" }, { surface: "#fffaf0" }, { text: "#dddddd" }].map(scheme), [
    "dark",
    "light",
    "dark",
  ]);
  assert.equal(scheme({ accent: "#06452b", radius: 4 }), null);
  assert.match(refusal({ background: "#14110f" }, "light"), /^theme: is light, and the colours of the look are dark/);
  assert.match(refusal({ accent: "#ffcc00" }), /^accent: is too light/);
});

test("a token is read from a text as what it is, and anything else stays for the check", () => {
  const texts = { radius: "12", dense: "true", transparent: "false", font: "serif", text: "#fff", width: "3" };
  assert.deepEqual(readLook(Object.entries(texts)), {
    radius: 12,
    dense: true,
    transparent: false,
    font: "serif",
    text: "#fff",
    width: "3",
  });
  assert.deepEqual(readLook(Object.entries({ radius: "1e3", dense: "yes", constructor: "1" })), {
    radius: "1e3",
    dense: "yes",
    constructor: "1",
  });
});
