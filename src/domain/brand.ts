/**
 * What a product calls the dashboard, and the colours that stand for it: pure. A brand has one colour; what the page
 * draws with is made of it, so that each pair in use has the contrast of WCAG 2.2 (1.4.3 for text, 1.4.11 for what
 * shows a control) in both schemes.
 */
import type { Result } from "./problem.ts";
import { ok, refuse } from "../lib/result.ts";

export const OUR_NAME = "Bellwire";
/** `accent-solid` of web/tokens.css, in the light scheme. */
export const OUR_ACCENT = "#3d52d5";

export interface Brand {
  readonly name: string;
  readonly logo: BrandLogo | null;
  readonly colors: BrandColors | null;
}

export interface BrandLogo {
  /** The operator's file, for messages. */
  readonly path: string;
  readonly type: "image/svg+xml" | "image/png";
  readonly content: Uint8Array;
}

/** Of one scheme each, as `#rrggbb`; the names are those of web/tokens.css. */
export interface BrandColors {
  readonly given: string;
  readonly light: SchemeColors;
  readonly dark: SchemeColors;
}

interface SchemeColors {
  readonly accent: string;
  readonly "accent-solid": string;
  readonly "accent-solid-hover": string;
  readonly "accent-soft": string;
}

const CONTROL = 3;
export const TEXT = 4.5;
export const WHITE = "#ffffff";
export const BLACK = "#000000";

/** What the accent of a scheme stands on. */
interface Grounds {
  /** On each of them text has to be read. */
  readonly text: readonly string[];
  readonly control: readonly string[];
  readonly surface: string;
  /** The part of the accent in a ground that is chosen. */
  readonly softness: number;
}

/** The surfaces of web/tokens.css on which contrast is least: `hover` for text, and for controls the last but one. */
export const GROUNDS = {
  light: { text: ["#eceff3"], control: ["#f6f7f9"], surface: WHITE, softness: 0.1 },
  dark: { text: ["#222833"], control: ["#1d222b"], surface: "#161a21", softness: 0.25 },
} as const;

/** Refuses a colour on which white text cannot be read, with the nearest one on which it can. */
export function makeBrandColors(given: string): Result<BrandColors, string> {
  const fault = findAccentFault(given);
  if (fault !== null) return refuse(fault);
  return ok({ given, light: makeAccent(given, GROUNDS.light), dark: makeAccent(given, GROUNDS.dark) });
}

/** `null` for a colour on which white can be read. */
export function findAccentFault(given: string): string | null {
  if (holdsWhite(given)) return null;
  const ratio = contrast(WHITE, given).toFixed(1);
  const near = nearest(given, holdsWhite);
  return `is too light: white text on ${given} has a contrast of ${ratio}, and needs ${TEXT}; ${near} has it`;
}

const holdsWhite = (color: string): boolean => contrast(WHITE, color) >= TEXT;

/** Of a colour on which white can be read. Between two greys no such colour shows as a control, and it stays. */
export function makeAccent(given: string, { text, control, surface, softness }: Grounds): SchemeColors {
  const isShown = isOn(control, CONTROL);
  const solid = nearest(given, (color) => holdsWhite(color) && isShown(color));
  const soft = mix(surface, solid, softness);
  return {
    accent: nearest(solid, isOn([...text, soft], TEXT)),
    "accent-solid": solid,
    "accent-solid-hover": mix(solid, BLACK, 0.15),
    "accent-soft": soft,
  };
}

/** Whether a colour has that contrast on each of the grounds. */
export function isOn(grounds: readonly string[], ratio: number): (color: string) => boolean {
  const known = grounds.map(luminance);
  return (color) => {
    const own = luminance(color);
    return known.every((ground) => toRatio(own, ground) >= ratio);
  };
}

/** Steps from a colour to black or white; one is finer than the narrowest range that is asked for. */
const STEPS = 256;

/** The colour itself, or the first on its way to black and white that will do. */
export function nearest(color: string, isGood: (color: string) => boolean): string {
  for (let step = 0; step <= STEPS; step += 1) {
    for (const end of [BLACK, WHITE]) {
      const near = mix(color, end, step / STEPS);
      if (isGood(near)) return near;
    }
  }
  return color;
}

/**
 * The colour itself, or one on its way to the other that will do, as near as can be found by halving; the other where
 * none was found.
 */
export function nearestToward(from: string, to: string, isGood: (color: string) => boolean): string {
  if (isGood(from)) return from;
  let [bad, good] = [0, STEPS];
  while (good - bad > 1) {
    const middle = (bad + good) >> 1;
    if (isGood(mix(from, to, middle / STEPS))) good = middle;
    else bad = middle;
  }
  return mix(from, to, good / STEPS);
}

export function mix(one: string, other: string, share: number): string {
  const [from, to] = [toChannels(one), toChannels(other)];
  const mixed = from.map((value, place) => Math.round(value + ((to[place] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

const toChannels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** The ratio of WCAG 2.2, 1 to 21; colours are `#rrggbb`. */
export const contrast = (one: string, other: string): number => toRatio(luminance(one), luminance(other));

const toRatio = (one: number, other: number): number => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = toChannels(hex).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
