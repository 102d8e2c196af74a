/** Writes what is generated from the code and the packages, documents and types: `npm run docs`. */
import { readFileSync, writeFileSync } from "node:fs";
import { documentConfig } from "../src/config/document.ts";
import { documentLarge } from "./large/document.ts";
import { documentLicences } from "./licences.ts";
import { TYPE_FILES } from "./package-types.ts";

const large = readFileSync(new URL("../docs/large.md", import.meta.url), "utf8");
const files = {
  "docs/config.md": documentConfig(),
  "docs/large.md": documentLarge(large),
  "THIRD-PARTY.md": documentLicences(),
  ...TYPE_FILES,
};
for (const [path, text] of Object.entries(files)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  console.log(`wrote ${path}`);
}
