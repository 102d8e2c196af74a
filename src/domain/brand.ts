/**
 * What a product calls the dashboard, and the colours that stand for it: pure. A brand has one colour; what the page
 * draws with is made of it, so that each pair in use has the contrast of WCAG 2.2 (1.4.3 for text, 1.4.11 for what
 * shows a control) in both schemes.
 */
import type { Result } from "./problem.ts";
import { ok, refuse } from "../lib/result.ts";

export const OUR_NAME = "Bellwire";

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

const TEXT = 4.5;
const CONTROL = 3;
const WHITE = "#ffffff";
const BLACK = "#000000";

/** The surfaces of web/tokens.css on which contrast is least: `hover` for text, and for controls the last but one. */
export const GROUNDS = {
  light: { text: "#eceff3", control: "#f6f7f9", surface: WHITE },
  dark: { text: "#222833", control: "#1d222b", surface: "#161a21" },
} as const;

/** Refuses a colour on which white text cannot be read, with the nearest one on which it can. */
export function makeBrandColors(given: string): Result<BrandColors, string> {
  const isReadable = (color: string): boolean => contrast(WHITE, color) >= TEXT;
  if (!isReadable(given)) {
    const ratio = contrast(WHITE, given).toFixed(1);
    const near = nearest(given, isReadable);
    return refuse(`is too light: white text on ${given} has a contrast of ${ratio}, and needs ${TEXT}; ${near} has it`);
  }
  const make = (scheme: "light" | "dark", softness: number): SchemeColors => {
    const { text, control, surface } = GROUNDS[scheme];
    const solid = nearest(given, (color) => isReadable(color) && contrast(color, control) >= CONTROL);
    const soft = mix(surface, solid, softness);
    return {
      accent: nearest(solid, (color) => [text, soft].every((ground) => contrast(color, ground) >= TEXT)),
      "accent-solid": solid,
      "accent-solid-hover": mix(solid, BLACK, 0.15),
      "accent-soft": soft,
    };
  };
  return ok({ given, light: make("light", 0.1), dark: make("dark", 0.25) });
}

/** Steps from a colour to black or white; one is finer than the narrowest range that is asked for. */
const STEPS = 256;

/** The colour itself, or the first on its way to black and white that will do. */
function nearest(color: string, isGood: (color: string) => boolean): string {
  for (let step = 0; step <= STEPS; step += 1) {
    for (const end of [BLACK, WHITE]) {
      const near = mix(color, end, step / STEPS);
      if (isGood(near)) return near;
    }
  }
  return color;
}

function mix(one: string, other: string, share: number): string {
  const [from, to] = [toChannels(one), toChannels(other)];
  const mixed = from.map((value, place) => Math.round(value + ((to[place] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

const toChannels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

/** The ratio of WCAG 2.2, 1 to 21; colours are `#rrggbb`. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = toChannels(hex).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
