/**
 * `bellwire listen` that fails on purpose, so that an owner sees retries: always, or a share of the time that a seed
 * repeats.
 */
import { hash } from "node:crypto";
import { wholeNumberFlag } from "./arguments.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { Behaviour } from "../receiver/receiver.ts";

export const FAILING_HELP = `  --status code       answers with this status, whatever came, such as 503, 410 or 307
  --hang              takes webhooks and never answers
  --reset             resets the connection instead of an answer
  --flaky share       does so with a share of the webhooks only, such as 0.3; answers 503 unless told otherwise
  --seed number       which of them: the same seed fails the same ones (default 1)`;

export const FAILING_FLAGS = {
  status: { type: "string" },
  hang: { type: "boolean", default: false },
  reset: { type: "boolean", default: false },
  flaky: { type: "string" },
  seed: { type: "string", default: "1" },
} as const;

export interface FailingValues {
  readonly status?: string | undefined;
  readonly hang: boolean;
  readonly reset: boolean;
  readonly flaky?: string | undefined;
  readonly seed: string;
}

/** Chooses the answer to the next webhook. One stands for a whole run, because it counts them. */
export type ChooseBehaviour = () => Behaviour;

const SERVICE_UNAVAILABLE = 503;

/** A refusal is a sentence. */
export function readFailing({ status, hang, reset, flaky, seed }: FailingValues): Result<ChooseBehaviour, string> {
  if ([status !== undefined, hang, reset].filter(Boolean).length > 1) {
    return refuse("--status, --hang and --reset are three ways to fail: choose one");
  }
  const code = wholeNumberFlag("--status", status ?? String(SERVICE_UNAVAILABLE), [200, 599]);
  const start = wholeNumberFlag("--seed", seed, [0, 2 ** 31]);
  const share = flaky === undefined ? ok(1) : parseShare(flaky);
  if (!code.ok) return code;
  if (!start.ok) return start;
  if (!share.ok) return share;
  const failure: Behaviour = hang || reset ? { kind: hang ? "hang" : "reset" } : { kind: "status", status: code.value };
  const fails = hang || reset || status !== undefined || flaky !== undefined;
  let count = 0;
  return ok(() => {
    count += 1;
    return fails && chance(start.value, count) < share.value ? failure : { kind: "verdict" };
  });
}

/** `null` for an answer that was not chosen on purpose. */
export function behaviourInWords(behaviour: Behaviour): string | null {
  switch (behaviour.kind) {
    case "verdict":
      return null;
    case "status":
      return `answered ${behaviour.status} on purpose`;
    case "hang":
      return "not answered, on purpose";
    case "reset":
      return "connection reset on purpose";
  }
}

function parseShare(text: string): Result<number, string> {
  const share = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  return share >= 0 && share <= 1 ? ok(share) : refuse(`--flaky "${text}" must be a share from 0 to 1, such as 0.3`);
}

/** A number in [0, 1), from the seed and the webhook's number alone. */
function chance(seed: number, count: number): number {
  return hash("sha256", `${seed} ${count}`, "buffer").readUInt32BE() / 2 ** 32;
}
