/** Writes what is generated from the code and the packages, documents and types: `npm run docs`. */
import { writeFileSync } from "node:fs";
import { documentBridgeSettings } from "../bridge/settings.ts";
import { documentConfig } from "../src/config/document.ts";
import { documentLicences } from "./licences.ts";
import { TYPE_FILES } from "./package-types.ts";

const files = {
  "docs/config.md": documentConfig(),
  "bridge/settings.md": documentBridgeSettings(),
  "THIRD-PARTY.md": documentLicences(),
  ...TYPE_FILES,
};
for (const [path, text] of Object.entries(files)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  console.log(`wrote ${path}`);
}
