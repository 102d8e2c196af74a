/** A bridge says one sentence about settings with which a broker does not let it in, without a secret. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runBridge } from "./stage.ts";

export interface Refusal {
  /** Ends the sentence "ends with one sentence for …". */
  readonly what: string;
  readonly changed: Readonly<Record<string, string>>;
  readonly says: RegExp;
}

/** In every secret of a refusal; no message may have it. */
export const CANARY = "canary-0123456789";

/** `env` are settings with which it would start; a change of `""` takes one away. */
export function testRefusals(
  name: string,
  env: () => Promise<Readonly<Record<string, string>>>,
  refusals: () => readonly Refusal[],
): void {
  test("ends with one sentence for each refusal, which names the setting and no secret", async (t) => {
    for (const { what, changed, says } of refusals()) {
      await t.test(what, async () => {
        const settings = Object.entries({ ...(await env()), ...changed }).filter(([, value]) => value !== "");
        const { code, said } = await runBridge(name, Object.fromEntries(settings));
        assert.match(said, says);
        assert.equal(code, 1);
        assert.equal(said.split("\n").length, 1, said);
        assert.ok(!said.includes("canary"), said);
      });
    }
  });
}
