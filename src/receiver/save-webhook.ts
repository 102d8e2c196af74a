/**
 * Saves a received webhook as files: the body's exact bytes, and its headers beside it, so that a signature can be
 * recomputed with other tools. A webhook that did not verify is saved too, because people need to look at it.
 *
 * Invariants: no file is overwritten, and no name from outside leads out of the folder.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import type { ReceivedWebhook } from "./receiver.ts";

/** A delivery that keeps failing is attempted ten times; more files of one id are sent on purpose. */
const COPIES_MAX = 100;

/** Writes `<webhook-id>.json` and `<webhook-id>.headers`, with `.2` and so on for repeats. Returns the body's path. */
export function saveWebhook(folder: string, { body, headers }: ReceivedWebhook): Result<string, string> {
  const name = buildName(headers);
  for (let copy = 1; copy <= COPIES_MAX; copy += 1) {
    const base = join(folder, copy === 1 ? name : `${name}.${copy}`);
    const failure = writeNew(`${base}.json`, body);
    if (failure === "EEXIST") continue;
    const lines = headers.map(([header, value]) => `${header}: ${value}\n`).join("");
    const headersFailure = failure ?? writeNew(`${base}.headers`, lines);
    return headersFailure === null ? ok(`${base}.json`) : refuse(`${base} cannot be written (${headersFailure})`);
  }
  return refuse(`there are ${COPIES_MAX} files of ${name} already; no more are kept`);
}

function buildName(headers: ReceivedWebhook["headers"]): string {
  const [, id = ""] = headers.find(([name]) => name.toLowerCase() === "webhook-id") ?? [];
  return /^[A-Za-z0-9_-]{1,100}$/.test(id) ? id : "without-webhook-id";
}

/** `null`, or the system's error code. */
function writeNew(path: string, content: Buffer | string): string | null {
  try {
    // Bodies hold personal data, so only the owner may read them.
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
    return null;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
