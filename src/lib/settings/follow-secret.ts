/**
 * A secret as its file has it now. Vaults, Kubernetes and operators replace a secret's file while the process lives. A
 * part that reads such a setting when it uses it, and not once when it is made, gets what is there by then.
 *
 * Invariant: while a file is missing, empty or invalid, for example during its replacement, the last valid value stays
 * in use.
 */
import type { Clock } from "../clock.ts";
import { secondsMs } from "../duration.ts";
import { type Result, refuse } from "../result.ts";
import type { Parsed } from "./option-text.ts";

/** `name` is the variable that names the file, or the path of a key file. No value is told. */
export interface SecretNews {
  changed(name: string): void;
  /** The last valid value stays in use. */
  refused(name: string, reason: string): void;
}

export interface SecretFile<Value> {
  readonly name: string;
  readonly readText: () => Result<string, string>;
  readonly parse: (text: string) => Parsed<Value>;
}

export interface FollowContext {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly news: SecretNews;
}

/** A reading takes some 20 µs, and a file that was replaced is noticed in this time. */
const READ_AGAIN_MS = secondsMs(1);

export function followSecret<Value>(
  { clock, news }: FollowContext,
  { name, readText, parse }: SecretFile<Value>,
  atStart: Value,
): () => Value {
  let value = atStart;
  let known = readText();
  let readAtMs = clock.monotonicMs();
  let toldReason = "";

  function readAgain(): void {
    const text = readText();
    if (text.ok && known.ok && text.value === known.value) return;
    const parsed = text.ok ? parse(text.value) : refuse([text.error]);
    if (parsed.ok) {
      value = parsed.value;
      known = text;
      toldReason = "";
      return news.changed(name);
    }
    const reason = parsed.error.join("; ");
    if (reason !== toldReason) news.refused(name, reason);
    toldReason = reason;
  }

  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= readAtMs + READ_AGAIN_MS) {
      readAtMs = nowMs;
      readAgain();
    }
    return value;
  };
}
