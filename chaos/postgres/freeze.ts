/**
 * One of three nodes is stopped in the middle of its work (SIGSTOP: a virtual machine that is moved) for longer than a
 * lease, and goes on without having noticed. The others have sent meanwhile what it held. Whatever it writes late is
 * refused, because its claims are gone.
 */
import assert from "node:assert/strict";
import { type Scenario, kept, skipped } from "../scenario.ts";
import { outlastClaims, summarizeAbsence } from "./out-of-touch.ts";
import { openNodesScene, summarizeNodes } from "./scene.ts";

export const freeze: Scenario = {
  name: "freeze",
  forMsMax: 300_000,
  async run({ folder, isQuick }) {
    if (isQuick) return skipped("takes longer than a claim, 60 s");
    await using scene = await openNodesScene({ folder });
    const signal = (name: NodeJS.Signals) => scene.nodes[0]?.running().child.kill(name);
    const absent = await outlastClaims(scene, { begin: () => signal("SIGSTOP"), end: () => signal("SIGCONT") });
    assert.ok(absent.refused > 0, "it came back with nothing to write: nothing was shown");
    return kept(`SIGSTOP of one of three for ${summarizeAbsence(absent)}: ${summarizeNodes(absent.found)}`);
  },
};
