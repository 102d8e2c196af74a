import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readToken } from "../../test/kit/tokens.ts";
import { contrast, GROUNDS, makeBrandColors, OUR_ACCENT } from "./brand.ts";

const channel = fc.integer({ min: 0, max: 255 });
const color = fc
  .tuple(channel, channel, channel)
  .map((parts) => `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`);

test("surfaces and accent are those of the page", () => {
  assert.equal(OUR_ACCENT, readToken("accent-solid")[0]);
  for (const [place, scheme] of (["light", "dark"] as const).entries()) {
    const { text, control, surface } = GROUNDS[scheme];
    const [hover, mark] = [readToken("hover")[place], readToken(scheme === "light" ? "canvas" : "raised")[place]];
    assert.deepEqual([...text, ...control, surface], [hover, mark, readToken("surface")[place]]);
  }
});

test("what is made of any colour has the contrast that the page's own has, in both schemes", () => {
  fc.assert(
    fc.property(color, (given) => {
      const made = makeBrandColors(given);
      if (!made.ok) return;
      for (const [place, scheme] of (["light", "dark"] as const).entries()) {
        const colors = made.value[scheme];
        const least = (front: string, grounds: readonly string[], ratio: number) => {
          for (const ground of grounds) assert.ok(contrast(front, ground) >= ratio, `${given}: ${front} on ${ground}`);
        };
        const grounds = (...names: string[]) => names.map((name) => readToken(name)[place] ?? "");
        least(
          colors.accent,
          [...grounds("canvas", "surface", "raised", "sunken", "hover"), colors["accent-soft"]],
          4.5,
        );
        least("#ffffff", [colors["accent-solid"], colors["accent-solid-hover"]], 4.5);
        least(colors["accent-solid"], grounds("canvas", "surface", "raised"), 3);
        for (const ink of grounds("ink", "ink-soft")) least(ink, [colors["accent-soft"]], 4.5);
      }
    }),
    { numRuns: 500 },
  );
});

test("a colour on which white cannot be read is refused, and the one that is named instead is taken", () => {
  const refused = makeBrandColors("#ffcc00");
  assert.ok(!refused.ok);
  assert.match(refused.error, /white text on #ffcc00 has a contrast of 1\.5, and needs 4\.5/);
  fc.assert(
    fc.property(color, (given) => {
      const made = makeBrandColors(given);
      if (made.ok) return;
      const [, near = ""] = /; (#[0-9a-f]{6}) has it$/.exec(made.error) ?? [];
      assert.ok(makeBrandColors(near).ok, `${given}: ${near}`);
    }),
  );
});

test("black on white is 21, so the formula is the standard's", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
});
