/** Settings of a bridge in files, as Docker and Kubernetes mount secrets. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../folder.ts";

export interface SettingsFiles extends Disposable {
  readonly folder: string;
  /** Each variable as `<name>_FILE`, with the path of a file that holds its value. */
  toFiles(settings: Readonly<Record<string, string>>): Record<string, string>;
}

export function createSettingsFiles(): SettingsFiles {
  const folder = newFolder();
  let made = 0;
  return {
    folder: folder.path,
    toFiles(settings) {
      const files = Object.entries(settings).map(([name, value]) => {
        made += 1;
        const path = join(folder.path, `secret-${made}`);
        writeFileSync(path, `${value}\n`, { mode: 0o600 });
        return [`${name}_FILE`, path] as const;
      });
      return Object.fromEntries(files);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
