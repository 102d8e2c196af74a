/**
 * Import cycles, also those that types alone hold: a reader who follows one comes back to where they began. Tarjan's
 * algorithm for strongly connected components.
 */
import { posix } from "node:path";
import type { Source } from "./sources.ts";

/** Each cycle as the files in it, in the order of their paths. */
export function findCycles(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map((source) => [source.path, readImports(source)]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  function visit(path: string): void {
    index.set(path, index.size);
    low.set(path, index.size - 1);
    stack.push(path);
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(path) !== index.get(path)) return;
    const group = stack.splice(stack.indexOf(path));
    if (group.length > 1) cycles.push(group.toSorted());
  }

  for (const { path } of sources) if (!index.has(path)) visit(path);
  return cycles;
}

const IMPORT = /(?:^|\n)(?:import|export)[^;"]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g;

export function readImports({ path, text }: Source): string[] {
  return [...text.matchAll(IMPORT)].map(([, still = "", late = still]) => posix.join(posix.dirname(path), late));
}
