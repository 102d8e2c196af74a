/** Where the tools that check the Helm chart are, outside the repository, and which versions they have. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { KUBERNETES_SCHEMAS } from "../../test/kit/process/wheels.ts";
import { TOOLS_CACHE } from "../cache-folder.ts";

/** Pinned; Go compares it with its hash. It and the schemas are under the Apache licence, and no part of Bellwire. */
export const HELM = "helm.sh/helm/v3/cmd/helm@v3.22.0";

/** The oldest Kubernetes that the chart takes, and the newest that the schemas know. */
export const KUBERNETES = ["1.25.0", "1.37.0"] as const;

/** Named by the versions, so that another version is fetched anew. */
export const FOLDER = join(TOOLS_CACHE, `chart-${HELM.split("@v")[1]}-${KUBERNETES_SCHEMAS.version}`);

export const HELM_PATH = join(FOLDER, process.platform === "win32" ? "helm.exe" : "helm");

export const schemaPath = (version: string): string => join(FOLDER, `kubernetes-${version}.json`);

export const areThere = (): boolean => [HELM_PATH, ...KUBERNETES.map(schemaPath)].every((path) => existsSync(path));
