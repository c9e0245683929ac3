import { basename } from "node:path";
import { gunzipSync } from "node:zlib";

const block = 512;

/** Reads the regular files of a gzipped tar archive by base name; folders are ignored. */
export function readArchive(archive: Uint8Array): Map<string, Uint8Array> {
  const bytes = gunzipSync(archive);
  const files = new Map<string, Uint8Array>();
  for (let at = 0; at + block <= bytes.length;) {
    const header = bytes.subarray(at, at + block);
    const name = textOf(header.subarray(0, 100));
    if (name === "") break;
    const size = Number.parseInt(textOf(header.subarray(124, 136)), 8);
    const type = String.fromCharCode(header[156]!);
    const start = at + block;
    if (type === "0" || type === "\0") files.set(basename(name), bytes.subarray(start, start + size));
    at = start + Math.ceil(size / block) * block;
  }
  return files;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field
    .subarray(0, end === -1 ? field.length : end)
    .toString("utf8")
    .trim();
}
