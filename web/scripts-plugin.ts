/**
 * Which scripts each page imports, its own and those that they import in turn: `.vite/scripts.json` in the build, by
 * the name of the page's file. The service tells browsers to load them at once, and budgets are held against them.
 * Vite's own manifest knows no page that shares its chunk with others.
 */
import { join } from "node:path";
import type { Plugin } from "vite";

/** Files below the build's folder; the application itself is `main`. */
export type Scripts = Readonly<Record<string, readonly string[]>>;

export const SCRIPTS_FILE = join(".vite", "scripts.json");

export function scriptsPlugin(): Plugin {
  return {
    name: "bellwire:scripts",
    apply: "build",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
      const follow = (file: string, found = new Set<string>()): Set<string> => {
        if (found.has(file)) return found;
        found.add(file);
        for (const imported of byFile.get(file)?.imports ?? []) follow(imported, found);
        return found;
      };
      const scripts: Record<string, readonly string[]> = {};
      for (const { fileName, moduleIds } of chunks) {
        for (const id of moduleIds) {
          const name = /[\\/]web[\\/](?:pages[\\/]|(?=main))([\w-]+)\.tsx$/.exec(id)?.[1];
          if (name !== undefined) scripts[name] = [...follow(fileName)];
        }
      }
      this.emitFile({ type: "asset", fileName: SCRIPTS_FILE, source: JSON.stringify(scripts) });
    },
  };
}
