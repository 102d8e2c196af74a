/** Reads a file that a person named: expected failures are values, by the system's code. */
import { readFileSync } from "node:fs";
import { type Result, ok, refuse } from "../domain/problem.ts";
import { faultCode } from "../lib/file-fault.ts";

/** The file's bytes, or a code such as ENOENT. */
export function readFile(path: string): Result<Buffer, string> {
  try {
    return ok(readFileSync(path));
  } catch (error) {
    return refuse(faultCode(error));
  }
}
