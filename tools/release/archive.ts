/** Archives that are the same, byte by byte, wherever and whenever they are made of the same files. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { gzipSync } from "node:zlib";

const MAX_BYTES = 512 * 1024 * 1024;

/** Packs `folder` under its own name. By GNU tar; Node's gzip writes neither name nor time. */
export function packFolder(folder: string, file: string, commitSeconds: number): void {
  const same = ["--sort=name", "--format=ustar", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  const tar = execFileSync(
    "tar",
    ["-c", ...same, `--mtime=@${commitSeconds}`, "-C", dirname(folder), basename(folder)],
    { maxBuffer: MAX_BYTES },
  );
  writeFileSync(file, gzipSync(tar, { level: 9 }));
}

export const sha256 = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");
