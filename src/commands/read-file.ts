/** Reads a file that a person named: expected failures are values, by the system's code. */
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { faultCode } from "../lib/file-fault.ts";
import { readBounded } from "../lib/read-bounded.ts";

/** Far above what a call of the service takes. */
const MIB_MAX = 64;

/** The bytes of a file, or of a pipe such as /dev/stdin; or a code such as ENOENT. */
export function readFile(path: string): Result<Buffer, string> {
  try {
    const { bytes } = readBounded(path, MIB_MAX * 1024 * 1024, true);
    return bytes.length > MIB_MAX * 1024 * 1024 ? refuse(`it has more than ${MIB_MAX} MiB`) : ok(bytes);
  } catch (error) {
    return refuse(faultCode(error));
  }
}
