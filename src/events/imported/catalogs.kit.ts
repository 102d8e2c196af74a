/** Small catalogs in folders of their own, and what is made of them, for tests. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { newFolder } from "../../../test/kit/folder.ts";
import { importCatalogs, type ImportedType } from "./import-catalog.ts";

const folders = newFolder();
after(() => folders[Symbol.dispose]());

/** Where the folders of catalogs lie. */
export const ABOVE = folders.path;

export type Files = Readonly<Record<string, unknown>>;

/** A folder with these files, and what is made of those that are named, or of the first. */
export function importFiles(files: Files, given: readonly string[] = Object.keys(files).slice(0, 1)) {
  const folder = mkdtempSync(join(folders.path, "catalog-"));
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof value === "string" ? value : JSON.stringify(value));
  }
  return { folder, ...importCatalogs(given.map((name) => join(folder, name))) };
}

export const read = ({ text }: ImportedType) => JSON.parse(text ?? "null");

/** What is made of one schema that stands alone in a file. */
export function importSchema(schema: object) {
  const [only, ...more] = importFiles({ "thing.json": schema }).types;
  assert.ok(only !== undefined && more.length === 0);
  return { ...only, declaration: read(only) };
}

export const ID = { id: { type: "string" } };
export const THING = { type: "object", required: ["id"], properties: ID };
export const inBody = (schema: object) => ({ requestBody: { content: { "application/json": { schema } } } });
