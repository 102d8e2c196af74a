/** The colours of web/tokens.css, for tests of what is made beside them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const TOKENS = readFileSync(new URL("../../web/tokens.css", import.meta.url), "utf8");

/** A token's value in the light and in the dark scheme. */
export function readToken(name: string): readonly [light: string, dark: string] {
  const value = new RegExp(`--color-${name}: (.*);`).exec(TOKENS)?.[1];
  assert.ok(value !== undefined, `tokens.css has no --color-${name}`);
  const [light, dark = light] = value.match(/#[0-9a-f]{6}/g) ?? [];
  assert.ok(light !== undefined && dark !== undefined, `--color-${name} is not written in hexadecimal digits`);
  return [light, dark];
}
