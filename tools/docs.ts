/** Writes the documents that are generated from the code: `npm run docs`. */
import { writeFileSync } from "node:fs";
import { documentConfig } from "../src/config/document.ts";

writeFileSync(new URL("../docs/config.md", import.meta.url), documentConfig());
console.log("wrote docs/config.md");
