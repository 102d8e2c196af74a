/**
 * The demo's files: database and keys, the service's log, and the received webhooks. They are in a temporary folder
 * that is removed in every way that the process can end, or in a folder that a person named, which stays.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faultCode } from "../lib/file-fault.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";

export interface WorkFolder extends Disposable {
  /** The service's data folder, which the service makes. */
  readonly data: string;
  readonly received: string;
  readonly logFile: string;
  readonly isKept: boolean;
}

/** `keep` names the folder that stays: a new one or an empty one. A refusal is a sentence. */
export function openWorkFolder(keep: string | null): Result<WorkFolder, string> {
  try {
    if (keep === null) return ok(temporaryFolder());
    mkdirSync(keep, { recursive: true, mode: 0o700 });
    // An existing file there could be a person's real data.
    if (readdirSync(keep).length > 0) return refuse(`The folder ${keep} is not empty; name a new one for the demo.`);
    return ok({ ...layOut(keep, true), [Symbol.dispose]: () => {} });
  } catch (error) {
    return refuse(
      `The demo cannot use the folder ${keep ?? tmpdir()} (${faultCode(error)}); name another with --keep.`,
    );
  }
}

function temporaryFolder(): WorkFolder {
  const folder = mkdtempSync(join(tmpdir(), "bellwire-demo-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // For a person who presses Ctrl-C twice, and for a crash.
  process.once("exit", remove);
  return {
    ...layOut(folder, false),
    [Symbol.dispose]() {
      process.off("exit", remove);
      remove();
    },
  };
}

function layOut(folder: string, isKept: boolean): Omit<WorkFolder, typeof Symbol.dispose> {
  const received = join(folder, "received");
  mkdirSync(received, { mode: 0o700 });
  return { data: join(folder, "data"), received, logFile: join(folder, "service.log"), isKept };
}
