/** The version of this program, from the one place that states it: `package.json`. */
import packageJson from "../../package.json" with { type: "json" };

export const VERSION: string = packageJson.version;
