/**
 * Reads a secret setting from a file, as Docker and Kubernetes mount them: `BELLWIRE_API_KEY_FILE` names the file that
 * holds the value of `BELLWIRE_API_KEY`. Every row that the table of settings marks as secret has such a variable.
 *
 * Invariant: no message repeats the file's content, nor the path: people put the secret itself there by mistake.
 */
import { faultCode, findObstacle, ownerWords } from "../file-fault.ts";
import { type Result, ok, refuse } from "../result.ts";
import { readBounded } from "../read-bounded.ts";

/**
 * The value, without the line break at its end; or the mistake, as the end of a sentence about the variable. Only a
 * value that `isLong` may have several lines.
 */
export type ReadSecretFile = (path: string, isLong?: boolean) => Result<string, string>;

export const fileVariable = (variable: string): string => `${variable}_FILE`;

/** The longest value, a list of sixteen keys, has some hundred bytes. */
const BYTES_MAX = 64 * 1024;

export const readSecretFile: ReadSecretFile = (path, isLong = false) => {
  const read = readBytes(path);
  if (!read.ok) return read;
  const text = decodeText(read.value);
  if (text === null) return refuse(`names a file that is not text in UTF-8${isUtf16(read.value) ? UTF_16 : ""}`);
  const value = text.trim();
  if (value === "") return refuse("names a file that is empty; write the value into it");
  // A parser of addresses would drop a line break silently.
  if (!isLong && /[\r\n]/.test(value)) return refuse("names a file with more than one line; write the value on one");
  return ok(value);
};

function readBytes(path: string): Result<Uint8Array, string> {
  try {
    const { bytes } = readBounded(path, BYTES_MAX);
    if (bytes.length <= BYTES_MAX) return ok(bytes);
    return refuse(`names a file of more than ${BYTES_MAX / 1024} KiB; no secret is as long`);
  } catch (cause) {
    return refuse(unreadable(path, cause));
  }
}

function unreadable(path: string, cause: unknown): string {
  const code = faultCode(cause);
  if (code === "ENOENT") return "names a file that is not there; write the path of the file that holds the value";
  if (code === "ENOTFILE") return "names something that is no file";
  if (code === "EISDIR") return "names a folder; write the path of the file in it";
  const owner = findObstacle(path);
  const self = process.getuid?.();
  const who =
    owner === null || self === undefined
      ? ""
      : `: it is uid ${self}, and the file or its folder is of ${ownerWords(owner)}`;
  return `names a file that cannot be read (${code}); the user who runs Bellwire must be able to${who}`;
}

const UTF_16 = " but in UTF-16, as PowerShell writes it; save it as UTF-8";

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Bytes that are not text.
    return null;
  }
}
