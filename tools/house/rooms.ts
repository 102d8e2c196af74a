/**
 * Pairs of folders that import from each other: neither can be read, moved or tested without the other. Import cycles
 * by file (cycles.ts) do not show them, because each way may go through files of its own. A room and the folder that it
 * stands in are no pair: files of the folder itself put its rooms together, or are what all of them stand on.
 */
import { posix } from "node:path";
import { readImports } from "./cycles.ts";
import type { Source } from "./sources.ts";

/** Each pair as `a ⇄ b: one import of each way`, among the folders of `sources`. */
export function findTwoWayPairs(sources: readonly Source[]): string[] {
  const ways = new Map<string, string>();
  const rooms = new Set(sources.map(({ path }) => posix.dirname(path)));
  for (const source of sources) {
    const from = posix.dirname(source.path);
    for (const target of readImports(source)) {
      const to = posix.dirname(target);
      if (!isInside(to, from) && !isInside(from, to) && rooms.has(to))
        ways.set(`${from} ${to}`, `${source.path} → ${target}`);
    }
  }
  return [...ways].flatMap(([way, example]) => {
    const [from = "", to = ""] = way.split(" ");
    const back = ways.get(`${to} ${from}`);
    return back === undefined || from > to ? [] : [`${from} ⇄ ${to}: ${example}, ${back}`];
  });
}

const isInside = (room: string, folder: string): boolean => `${room}/`.startsWith(`${folder}/`);
