/** The machine's own Firefox. npm brings none, so what needs it is skipped, in words, where there is none. */
import { existsSync } from "node:fs";

const INSTALLED = ["/usr/bin/firefox", "/usr/bin/firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox"];

/** Where its binary is; `null`: there is none. */
export const findFirefox = (): string | null => INSTALLED.find((path) => existsSync(path)) ?? null;
