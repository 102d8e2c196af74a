/** Reads a file that a person named: expected failures are values, by the system's code. */
import { readFileSync } from "node:fs";
import { type Result, ok, refuse } from "../domain/problem.ts";

/** The file's bytes, or a code such as ENOENT. */
export function readFile(path: string): Result<Buffer, string> {
  try {
    return ok(readFileSync(path));
  } catch (error) {
    return refuse(systemCode(error));
  }
}

/** The system's code of an error; the message of an error without one. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
