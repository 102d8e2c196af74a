/**
 * The harnesses are leaves: each stands on the kit and the program, and nothing stands on a harness. Whatever two of
 * them need belongs to the kit.
 */
import { readImports } from "./cycles.ts";
import type { Source } from "./sources.ts";

export const HARNESSES: readonly string[] = ["e2e", "chaos", "bench", "sim", "examples"];

/** Imports of a harness's file from outside of it. */
export function findImportsOfHarnesses(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    readImports(source)
      .filter((target) => HARNESSES.includes(firstFolder(target)) && firstFolder(target) !== firstFolder(source.path))
      .map((target) => `${source.path} imports ${target}`),
  );
}

const firstFolder = (path: string): string => path.slice(0, path.indexOf("/"));
