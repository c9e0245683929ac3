import { gunzipSync } from "node:zlib";
import type { PackedFile } from "./tarball.ts";

/** The files of a tarball that `writeTarball()` wrote, without the folder `package/`. */
export function readTarball(bytes: Uint8Array): PackedFile[] {
  const tar = gunzipSync(bytes);
  const files: PackedFile[] = [];
  for (let at = 0; tar[at] !== 0;) {
    const text = (start: number, length: number): string =>
      tar.toString("utf8", at + start, at + start + length).replace(/\0.*$/su, "");
    const [name, mode, size, prefix] = [text(0, 100), text(100, 8), text(124, 12), text(345, 155)];
    const path = (prefix === "" ? name : `${prefix}/${name}`).replace(/^package\//u, "");
    const length = Number.parseInt(size, 8);
    const content = tar.subarray(at + blockSize, at + blockSize + length);
    files.push({ path, content, executable: (Number.parseInt(mode, 8) & 0o111) !== 0 });
    at += blockSize + Math.ceil(length / blockSize) * blockSize;
  }
  return files;
}

const blockSize = 512;
