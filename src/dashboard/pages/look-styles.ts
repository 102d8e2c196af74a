/**
 * The sheets that stand over the page's own: one of the operator's brand, and one of a frame's look, made by its
 * address. Anybody may ask for a look, so nothing of an address goes into it but what `domain/look.ts` has checked.
 * Both stand in no layer, so they win over the tokens of the page's sheets.
 */
import type { BrandColors } from "../../domain/brand.ts";
import {
  type FONTS,
  type Look,
  lookForm,
  type LookColors,
  makeLookColors,
  readLook,
  THEMES,
} from "../../domain/look.ts";
import { type FieldError, type Problem, problem, type Result } from "../../domain/problem.ts";
import { createValidator } from "../../events/validate.ts";
import { ok, refuse } from "../../lib/result.ts";

/** Served beside the page. */
export const BRAND_STYLES = "brand.css";
export const LOOK_STYLES = "look.css";

export const writeBrandStyles = (colors: BrandColors): string => `:root {${writeColors(colors)}}\n`;

const checkLook = createValidator(lookForm);

/** `query` is that of a sign-in link, read by the server; `accent` is the dashboard's own. */
export function makeLookStyles(query: unknown, accent: string): Result<string> {
  const { theme, ...tokens } = query as Readonly<Record<string, unknown>>;
  const look = readLook(Object.entries(tokens).map(([name, text]) => [name, String(text)]));
  const [error] = checkLook(look);
  if (error !== undefined) return refuse(badToken(error));
  const known = THEMES.find((each) => each === theme) ?? null;
  const made = makeLookColors(look, { theme: known, accent });
  return made.ok ? ok(writeLookStyles(look as Look, made.value)) : refuse(badToken(made.error));
}

const badToken = (error: FieldError): Problem =>
  problem("invalid_parameter", `${error.path} ${error.message}.`, [error]);

/** The attribute makes it weigh more than the brand, and keeps it out of a page that is in no frame. */
const FRAME = ":root[data-embed]";

function writeLookStyles({ radius, font, dense = false, transparent = false }: Look, colors: LookColors): string {
  const tokens = [
    writeColors(colors),
    radius === undefined ? "" : writeRadius(radius),
    font === undefined ? "" : `--font-sans: ${FONT_STACKS[font]};`,
  ].join("");
  return [
    `${FRAME} {${tokens}}\n`,
    // Targets of a finger stay as large as they are.
    dense ? `@media (pointer: fine) {${FRAME} {${DENSE}}}\n` : "",
    transparent ? `${FRAME} body {background: transparent;}\n` : "",
  ].join("");
}

function writeColors({ light, dark }: { readonly light: object; readonly dark: object }): string {
  const inDark = new Map<string, string>(Object.entries(dark));
  const inLight: readonly [name: string, color: string][] = Object.entries(light);
  return inLight.map(([name, color]) => `--color-${name}: light-dark(${color}, ${inDark.get(name)});`).join("");
}

/** By size of Tailwind's: cards have the largest, and the others keep their share of it. */
const RADII = { xl: 1, lg: 2 / 3, md: 1 / 2, sm: 1 / 3 };

const writeRadius = (radius: number): string =>
  Object.entries(RADII)
    .map(([size, share]) => `--radius-${size}: ${Math.round(radius * share * 10) / 10}px;`)
    .join("");

/** A look loads no font: each is a list of those that systems bring along. */
const FONT_STACKS: Readonly<Record<(typeof FONTS)[number], string>> = {
  system: "system-ui, sans-serif",
  grotesque: 'Inter, Roboto, "Helvetica Neue", "Arial Nova", "Nimbus Sans", Arial, sans-serif',
  humanist: 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", sans-serif',
  geometric: 'Avenir, Montserrat, Corbel, "URW Gothic", sans-serif',
  rounded:
    'ui-rounded, "Hiragino Maru Gothic ProN", Quicksand, Comfortaa, Manjari, "Arial Rounded MT Bold", sans-serif',
  serif: 'ui-serif, Charter, "Bitstream Charter", "Sitka Text", Cambria, "Liberation Serif", Georgia, serif',
};

/** The smallest button stays above the 24 px of WCAG 2.2 (2.5.8). */
const DENSE = [
  "--spacing: 0.22rem;",
  "--text-base: 0.8125rem;--text-base--line-height: 1.125rem;",
  "--text-sm: 0.75rem;--text-sm--line-height: 1rem;",
  "--text-lg: 0.9375rem;--text-lg--line-height: 1.375rem;",
  "--text-xl: 1.25rem;--text-xl--line-height: 1.625rem;",
].join("");
