/** Why the system refuses a file or a folder: the rule in the way, who runs and who owns, and the remedy. */
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Such as EACCES; the text of an error without a code. */
export const faultCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);

/** One or two sentences without the stop at the end. `path` may be missing: what is made lies in a folder. */
export function explainFileFault(path: string, error: unknown): string {
  const code = faultCode(error);
  if (code === "EACCES" || code === "EPERM") return refusedBy(resolve(path), code);
  return REASONS[code] ?? `the system refuses it (${code})`;
}

const REASONS: Readonly<Record<string, string>> = {
  EROFS: "its file system is read-only (EROFS). Mount it for writing, or name a folder on another one",
  ENOSPC: "its disk is full (ENOSPC). Make room on it",
  EDQUOT: "the quota of its disk is used up (EDQUOT). Make room, or raise the quota",
  ENOENT: "it is not there (ENOENT), or it is a link to something that is not. Name another, or make it",
  EEXIST: "a file, or a link to nowhere, is in the place of its folder (EEXIST). Name another folder",
  ENOTDIR: "a part of its path is a file and no folder (ENOTDIR). Name a folder",
  ENOTFILE: "it is a device, a pipe or a socket, and no file (ENOTFILE). Name a file",
  EISDIR: "it is a folder (EISDIR). Name a file in it",
  ELOOP: "its path leads in a circle of symbolic links (ELOOP). Name the place itself",
  ENAMETOOLONG: "its path is too long for this file system (ENAMETOOLONG). Name a shorter one",
  EMFILE: "this process has too many files open (EMFILE). Raise its limit (ulimit -n)",
  EIO: "its disk fails (EIO). See the system's log",
};

function refusedBy(path: string, code: string): string {
  const obstacle = findObstacle(path);
  const self = process.getuid?.();
  if (obstacle === null || self === undefined)
    return `this user may not (${code}). Give the user who runs Bellwire the right`;
  const who = `Bellwire runs as uid ${self}, and ${obstacle.at} is of ${ownerWords(obstacle)}`;
  return `${who}: ${code}. ${remedy(path, obstacle, `${self}:${process.getgid?.() ?? self}`)}`;
}

/** Such as `uid 0, mode 0755`. */
export const ownerWords = ({ uid, mode }: Obstacle): string => `uid ${uid}, mode 0${mode.toString(8)}`;

export interface Obstacle {
  readonly at: string;
  readonly uid: number;
  readonly mode: number;
}

/** The thing that `path` names, or the first folder above it that can be looked at. */
export function findObstacle(path: string): Obstacle | null {
  try {
    const { uid, mode } = statSync(path);
    return { at: path, uid, mode: mode & 0o7777 };
  } catch {
    const above = dirname(path);
    return above === path ? null : findObstacle(above);
  }
}

/** A folder that may hold more than what is ours is never given away. */
function remedy(path: string, { at, uid }: Obstacle, self: string): string {
  if (self.startsWith(`${uid}:`)) return `Run: chmod u+rwX ${at}`;
  const folder = dirname(path);
  if (at === path || (at === folder && uid !== 0)) return `Run: chown -R ${self} ${at}`;
  if (dirname(folder) === folder) return "Name a folder of its own for it";
  return at === folder ? `Run: chown ${self} ${at}` : `Run as root: mkdir -p ${folder} && chown ${self} ${folder}`;
}
