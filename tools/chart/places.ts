/** Where the tools that check the Helm chart are, outside the repository, and which versions they have. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TOOLS_CACHE } from "../cache-folder.ts";

/** Go modules and packages of Python, pinned. Both are under the Apache licence, and no part of Bellwire. */
export const HELM = "helm.sh/helm/v3/cmd/helm@v3.22.0";
export const SCHEMAS = "kubernetes-validate==1.37.0";

/** The oldest Kubernetes that the chart takes, and the newest that the schemas know. */
export const KUBERNETES = ["1.25.0", "1.37.0"] as const;

/** Named by the versions, so that another version is fetched anew. */
export const FOLDER = join(TOOLS_CACHE, `chart-${HELM.split("@v")[1]}-${SCHEMAS.split("==")[1]}`);

export const HELM_PATH = join(FOLDER, process.platform === "win32" ? "helm.exe" : "helm");

export const schemaPath = (version: string): string => join(FOLDER, `kubernetes-${version}.json`);

export const areThere = (): boolean => [HELM_PATH, ...KUBERNETES.map(schemaPath)].every((path) => existsSync(path));
