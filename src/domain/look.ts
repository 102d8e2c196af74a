/**
 * What a product gives a frame of the dashboard to look like its own: a handful of tokens, said once. Checks, types,
 * OpenAPI, the command's flag and the frame's sheet follow from `lookForm`. They are looks and no right, and stand in
 * the link as they are, so anybody may write others: each is one of a bounded kind, and colours on which text cannot be
 * read are refused, so that no look can hide what a page says.
 */
import Type, { type TSchema } from "typebox";
import {
  BLACK,
  contrast,
  findAccentFault,
  GROUNDS,
  isOn,
  makeAccent,
  mix,
  nearest,
  nearestToward,
  TEXT,
  WHITE,
} from "./brand.ts";
import { CLOSED, type FormOf } from "./form.ts";
import type { FieldError, Result } from "./problem.ts";
import { ok, refuse } from "../lib/result.ts";

export const THEMES = ["light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const FONTS = ["system", "grotesque", "humanist", "geometric", "rounded", "serif"] as const;

const colorToken = (description: string) =>
  Type.Optional(
    Type.String({ pattern: "^#[0-9a-fA-F]{6}$", "x-message": "must be a colour such as #3346c4", description }),
  );

export const lookForm = Type.Object(
  {
    background: colorToken("Behind everything: your own page's."),
    surface: colorToken("Of cards, lists and fields."),
    text: colorToken("Has to have a contrast of 4.5 on background and surface; quieter text is made of it."),
    accent: colorToken("Of buttons, links and what is chosen. White text has to have a contrast of 4.5 on it."),
    radius: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 24,
        description: "Of the corners of cards, in pixels; smaller things follow.",
      }),
    ),
    font: Type.Optional(Type.Enum([...FONTS], { description: "Of the fonts that the reader's system has." })),
    dense: Type.Optional(Type.Boolean({ description: "Less room and smaller text, where there is a mouse." })),
    transparent: Type.Optional(
      Type.Boolean({ description: "Your own page shows through; `background` says which colour that is." }),
    ),
  },
  CLOSED,
);

export type Look = FormOf<typeof lookForm>;

/** As texts of a link or of a command line. What a token cannot be stays a text, for the check to refuse. */
export function readLook(texts: Iterable<readonly [name: string, text: string]>): Readonly<Record<string, unknown>> {
  const kinds = lookForm.properties as Readonly<Record<string, TSchema & { readonly type?: string }>>;
  const read = (name: string, text: string): unknown => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name]?.type : undefined;
    if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
    return kind === "integer" && /^\d{1,3}$/.test(text) ? Number(text) : text;
  };
  return Object.fromEntries(Array.from(texts, ([name, text]) => [name, read(name, text)]));
}

/* The page's colours, made of those that are given. */

/** By the names of web/tokens.css. */
type Colors = Readonly<Record<string, string>>;

export interface LookColors {
  /** That of the colours; `null` leaves it to the reader's system. */
  readonly scheme: Theme | null;
  /** Both have the same names. */
  readonly light: Colors;
  readonly dark: Colors;
}

/** Those of web/tokens.css. */
export const OUR_COLORS = {
  light: { background: "#f6f7f9", text: "#161a22" },
  dark: { background: "#0e1116", text: "#e9ecf1" },
} as const;

/** A colour of each state; what is written in it, and drawn, is made of it. They are the marks of the light scheme. */
export const STATE_COLORS = { ok: "#2f9e63", warn: "#b97a0a", bad: "#d13b44", info: "#3b82c9" } as const;

/** `accent` is that of the dashboard, for a look without one. Refuses what cannot be read, by token or theme. */
export function makeLookColors(
  look: Look,
  { theme, accent: ours }: { readonly theme: Theme | null; readonly accent: string },
): Result<LookColors, FieldError> {
  const accent = (look.accent ?? ours).toLowerCase();
  const fault = findAccentFault(accent);
  if (fault !== null) return refuse({ path: "accent", message: fault });
  const scheme = findScheme(look);
  if (scheme === null) {
    const make = (each: Theme): Colors => (look.accent === undefined ? {} : { ...makeAccent(accent, GROUNDS[each]) });
    return ok({ scheme: theme, light: make("light"), dark: make("dark") });
  }
  if (theme !== null && theme !== scheme) {
    return refuse({ path: "theme", message: `is ${theme}, and the colours of the look are ${scheme}; leave it out` });
  }
  const given = { ...fillIn(look, scheme), accent };
  const { background, surface, text } = given;
  for (const ground of [background, surface]) {
    const ratio = contrast(text, ground);
    if (ratio < TEXT) return refuse({ path: "text", message: unreadable(given, ground, ratio) });
  }
  const colors = makeColors(given, scheme);
  return ok({ scheme, light: colors, dark: colors });
}

type GivenColors = Readonly<Record<"background" | "surface" | "text" | "accent", string>>;

/** What is left out goes with what is given. */
function fillIn({ background, surface, text }: Look, scheme: Theme): Omit<GivenColors, "accent"> {
  const ours = OUR_COLORS[scheme];
  const isDark = scheme === "dark";
  const behind = background ?? (surface === undefined ? ours.background : mix(surface, BLACK, isDark ? 0.3 : 0.035));
  return {
    background: behind,
    surface: surface ?? (isDark ? mix(behind, WHITE, 0.035) : WHITE),
    text: text ?? ours.text,
  };
}

function unreadable({ text, background, surface }: GivenColors, ground: string, ratio: number): string {
  const isReadable = isOn([background, surface], TEXT);
  const near = nearest(text, isReadable);
  const hint = isReadable(near) ? `; ${near} has it` : "; background and surface are too far apart for any text";
  // Cut and not rounded: 4.49 is too little, and must not be called 4.5.
  return `has a contrast of ${Math.floor(ratio * 10) / 10} on ${ground}, and needs ${TEXT}${hint}`;
}

/** `null` for a look without colours but an accent, which has one for each scheme. */
function findScheme({ background, surface, text }: Look): Theme | null {
  const ground = background ?? surface;
  if (ground !== undefined) return contrast(ground, WHITE) > contrast(ground, BLACK) ? "dark" : "light";
  return text === undefined ? null : contrast(text, WHITE) > contrast(text, BLACK) ? "light" : "dark";
}

/** What shows a control or a state: WCAG 2.2, 1.4.11. */
const MARK = 3;

/** The parts are those that web/tokens.css has, about; each gives way where text would not be read. */
function makeColors({ background, surface, text, accent }: GivenColors, scheme: Theme): Colors {
  const isDark = scheme === "dark";
  const ground = (from: string, to: string, share: number): string =>
    nearestToward(mix(from, to, share), from, (color) => contrast(text, color) >= TEXT);
  const raised = isDark ? ground(surface, text, 0.04) : surface;
  const sunken = ground(background, text, 0.03);
  const hover = ground(surface, text, isDark ? 0.06 : 0.08);
  const cards = [background, surface, raised];
  const plain = [...cards, sunken, hover];
  const ink = (from: string, on: readonly string[], ratio: number): string =>
    nearestToward(from, text, isOn(on, ratio));
  const { softness } = GROUNDS[scheme];
  const ours = makeAccent(accent, { text: plain, control: cards, surface, softness });
  const accentSoft = ground(surface, ours["accent-solid"], softness);
  const softs = Object.fromEntries(
    Object.entries(STATE_COLORS).map(([state, base]) => [`${state}-soft`, ground(surface, base, isDark ? 0.2 : 0.13)]),
  );
  const grounds = [...plain, accentSoft, ...Object.values(softs)];
  const states = Object.entries(STATE_COLORS).flatMap(([state, base]) => [
    [state, ink(base, [...plain, softs[`${state}-soft`] ?? surface], TEXT)],
    [`${state}-mark`, ink(base, cards, MARK)],
  ]);
  return {
    canvas: background,
    surface,
    raised,
    sunken,
    hover,
    line: mix(surface, text, 0.14),
    "line-strong": ink(mix(surface, text, 0.35), cards, MARK),
    ink: text,
    "ink-soft": ink(mix(text, surface, 0.28), grounds, TEXT),
    "ink-faint": ink(mix(text, surface, 0.38), grounds, TEXT),
    ...ours,
    accent: ink(ours["accent-solid"], [...plain, accentSoft], TEXT),
    "accent-soft": accentSoft,
    ...softs,
    ...Object.fromEntries(states),
  };
}
